"""The formulas of gradients on the pages of the gallery, as the functions declare them, against the gradients."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT

from autolab import Variable
from autolab import functions as F
from autolab.engine.observe import ForwardEvent, observe
from autolab.engine.primitive import Primitive
from autolab.recording.rule_text import rule_text

pytest.importorskip("anywidget")

IN_WORDS = {"avg_pool1d", "avg_pool2d", "concatenate", "cumprod", "cumsum", "max", "max_pool1d", "max_pool2d", "min"}
IN_WORDS |= {"pad", "prod", "repeat", "sort", "stack", "take_along_axis", "tile", "trace", "unfold"}
"""Functions whose gradients are told in words, which this does not compare."""
SHORT = {"batch_norm", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d", "einsum", "layer_norm", "svd"}
SHORT |= {"solve", "svdvals", "tensordot", "irfft", "rfft"}
"""Formulas that leave out options, axes or a part that the page tells in words."""


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "site"))


def _inputs(value: Any) -> Any:
    """The numbers of an example as Variables, moved a little away from kinks, poles and infinity."""
    if isinstance(value, list | tuple) and not all([isinstance(x, int | float) for x in _leaves(value)]):
        return [_inputs(part) for part in value]
    array = np.asarray(value.data if isinstance(value, Variable) else value)
    return Variable(np.clip(array * 0.9 + 0.03, -20, 20)) if array.dtype.kind == "f" else array


def _leaves(value: Any) -> list[Any]:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list | tuple) else [value]


class _ForArrays(ast.NodeTransformer):
    """Python's ``a if b else c`` and ``a < b < c``, element by element."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return ast.Call(ast.Name("_where", ast.Load()), [node.test, node.body, node.orelse], [])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        found: list[ast.expr] = [ast.Compare(sides[k], [op], [sides[k + 1]]) for k, op in enumerate(node.ops)]
        return found[0] if len(found) == 1 else ast.BinOp(found[0], ast.BitAnd(), found[1])


def _value(text: str, names: dict[str, Any]) -> Any:
    tree = ast.fix_missing_locations(_ForArrays().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, text, "eval"), {**names, "_where": np.where})


class _Identity:
    """``I - m``."""

    def __sub__(self, other: Any) -> Any:
        return np.eye(len(other)) - other


def _differences(w: Any) -> Any:
    return np.where(np.eye(len(w)), np.inf, w - w[:, None])


WORDS = {"π": math.pi, "pi": math.pi, "Φ": lambda x: (1 + F.erf(x / math.sqrt(2))) / 2, "I": _Identity()}
WORDS |= {"diag": np.diag, "differences": _differences}
WORDS |= {name: partial(getattr(F, name), keepdims=True) for name in ("sum", "mean")}  # which broadcasts


def _names(event: ForwardEvent, rule: Any, upstream: Any) -> dict[str, Any]:
    """What the names in a formula stand for."""
    function = event.function
    plain = [np.asarray(x.data if isinstance(x, Variable) else x) for x in event.inputs]
    names = {key: value for key, value in rule.__globals__.items() if not key.startswith("_")}
    names |= {name: getattr(F, name) for name in F.__all__} | WORDS | event.attributes
    outputs = dict(zip(function.schema.outputs, [y.data for y in event.outputs], strict=True))
    names |= outputs | dict(zip(function.inputs, plain, strict=False)) | {"g": upstream}
    if event.attributes.get("keepdims") is False and event.attributes["axis"] is not None:
        names |= {key: np.expand_dims(names[key], event.attributes["axis"]) for key in ("g", "y")}
    names |= {f"{key}_shape": x.shape for key, x in zip(function.inputs, plain, strict=False)}
    if function.name in ("softmax_cross_entropy", "nll_loss"):
        names["one_hot"] = lambda t: F.one_hot(t, plain[0].shape[1])
    for key, variable, text in re.findall(r"``(\w+)(?:\((\w)\))? = ([^`]+)``", rule.__doc__ or ""):
        names[key] = _value(f"lambda {variable}: {text}" if variable else text, names)
    return names


def _rules() -> Iterator[tuple[str, str, str, ForwardEvent, Any]]:
    """Each rule that the examples of all functions reach: names of function and input, formula, call and edge."""
    seen, graphs = set(), import_module("graphs")
    for name in F.__all__:
        events: list[Any] = []
        call, inputs = graphs._SPELLED.get(name) or graphs.call_of(name)
        with observe(events.append), np.errstate(all="ignore"):
            eval(call, {"F": F, "np": np, **{key: _inputs(value) for key, value in inputs.items()}})
        for event in [one for one in events if isinstance(one.function, Primitive)]:
            node = event.outputs[0].node
            if event.function.several and node is not None:
                node = node.parents[0]
            for edge in node.edges if node else ():
                key = event.function.input_at(edge.place)
                if (event.function, key) not in seen:
                    seen.add((event.function, key))
                    yield event.function.name, key, str(rule_text(event.function, key)), event, edge


def _same(shown: Any, share: Any, elementwise: bool) -> bool:
    found = np.asarray(shown.data if isinstance(shown, Variable) else shown)
    share = np.asarray(share.data if isinstance(share, Variable) else share)
    if elementwise and found.ndim:
        found = F.sum_to(found, shape=share.shape)
    found = found.reshape(share.shape) if found.size == share.size else np.broadcast_to(found, share.shape)
    return np.allclose(found, share, equal_nan=True)


def test_each_formula_gives_the_gradient() -> None:
    rng, words, compared = np.random.default_rng(0), set(), set()
    for name, key, text, event, edge in _rules():
        rule = event.function.declared[key]
        try:
            ast.parse(text, mode="eval")
        except SyntaxError:
            words.add(name)
            continue
        if name in SHORT:
            continue
        g = tuple([np.asarray(rng.normal(size=y.shape)) for y in event.outputs])
        upstream = g if event.function.several else g[0]
        with np.errstate(all="ignore"):
            shown, share = _value(text, _names(event, rule, upstream)), edge.rule(upstream, edge.saved)
        assert _same(shown, share, event.function.elementwise), f"{name}, {key}: {text}"
        compared.add(name)
    assert words == IN_WORDS
    assert len(compared) > 100


def test_each_page_tells_the_gradient_of_each_input() -> None:
    graphs, gradients = import_module("graphs"), import_module("gradients")
    for name in F.__all__:
        with gradients.Called() as called:
            graphs.graph(name).close()
        text = gradients.told(name, called)
        told = re.findall(r"^- `(\w+)`: `?(?!None).", text, re.MULTILINE)
        parts = re.findall(r"^- \[(\w+)\]\(\1.md\): `", text, re.MULTILINE)
        own = getattr(getattr(F, name), "function", None)
        if own is not None and own.declared:
            assert set(told) == set(own.declared), name
        else:
            assert told or parts or text == gradients._NONE, name
        assert not re.search(r"`[^`]*\b_\w[^`]*`", text), f"{name} shows a name that only its module knows"
