"""The facade's parameters are PyTorch's: each is there with a case beside the original, or refused by its name.

torch_signatures.txt has PyTorch's parameters; tests/bridges checks it, and runs the cases by both libraries.
"""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from helpers.checkout import ROOT

from autolab.compat import torch

TABLE = dict(
    [line.split(": ", 1) for line in (ROOT / "tests/compat/torch_signatures.txt").read_text("utf-8").splitlines()]
)
CASES = (ROOT / "tests/bridges/torch_one_liners.txt").read_text("utf-8").splitlines()
# taken by name, with cases
OPTIONS = {"dtype", "device", "requires_grad", "size", "generator", "foreach", "fused", "copy", "non_blocking"}
OF_PARAMETERS = {name for name in TABLE if name.startswith("torch.optim.") and "params, lr" in TABLE[name]}
OTHER_NAMES = {
    "torch.Tensor.uniform_",
    "torch.Tensor.random_",
    "torch.Tensor.split",
}  # by position the same; `from` is no name
ALONE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def facade_of(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(torch.Tensor if module == "torch.Tensor" else import_module(f"autolab.compat.{module}"), last)


def ways(name: str) -> list[list[str]]:
    return [[part.strip() for part in way.split(",")] for way in TABLE[name].split(" | ")]


def taken(name: str) -> dict[str, inspect.Parameter]:
    """The parameters of the facade, of methods without the tensor."""
    one = facade_of(name)
    parameters = list(inspect.signature(one.__init__ if isinstance(one, type) else one).parameters.values())
    method = isinstance(one, type) or name.startswith("torch.Tensor.")
    return {p.name: p for p in parameters[1 if method else 0 :]}


def test_a_parameter_that_is_not_there_is_refused_by_its_name() -> None:
    said = {name: unnamed for name in TABLE if (unnamed := list(_not_refused(name)))}
    assert said == {}


def _not_refused(name: str) -> Iterator[str]:
    one, parameters = facade_of(name), taken(name)
    names = [p.name for p in parameters.values() if p.default is p.empty and p.kind in ALONE]
    open_ = any([p.kind is p.VAR_KEYWORD for p in parameters.values()])
    for parameter in sorted(_theirs(name) - set(parameters) - (OPTIONS if open_ else set())) + ["nonsense"] * (
        name != "torch.nn.Identity"
    ):
        try:
            if open_ or isinstance(one, type):
                given = [torch.tensor(2) for _ in names] if name not in OF_PARAMETERS else [[torch.ones(1)]]
                one(*([torch.tensor(2)] if name.startswith("torch.Tensor.") else []), *given, **{parameter: object()})
            else:
                inspect.signature(one).bind_partial(**{parameter: 1})
        except (TypeError, NotImplementedError) as error:
            if parameter not in str(error) and "takes no arguments" not in str(error):
                yield f"{parameter}: {error}"
        else:
            yield parameter


def _theirs(name: str) -> set[str]:
    """The names of PyTorch's parameters; that of the tensor which a function or method is of says nothing."""
    return {p for way in ways(name) for p in way if p not in ("", "self", "input") and not p.startswith("*")}


def test_parameters_by_position_stand_where_pytorch_has_them() -> None:
    assert [name for name in TABLE if not _in_place(name)] == []


def _in_place(name: str) -> bool:
    """Whether what is given by position is the same; the first one, which is the tensor, has no other place."""
    method = name.startswith("torch.Tensor.")
    ours = [p.name for p in taken(name).values() if p.kind in ALONE][0 if method else 1 :]
    theirs = [way[1 : way.index("*")] if "*" in way else way[1:] for way in ways(name)]
    theirs = [[p for p in way if not p.startswith("*")] for way in theirs]
    return name in OTHER_NAMES or any(
        [all([a.lower() == b.lower() for a, b in zip(ours, way, strict=False)]) for way in theirs]
    )


def cases() -> dict[str, set[str]]:
    """The names of the parameters that the lines give to each function, and how many come by position."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in CASES:
        if line and not line.startswith("#"):
            for node in ast.walk(ast.parse(line.partition("  #")[0])):
                if isinstance(node, ast.Call):
                    for name in _meant(ast.unparse(node.func)):
                        found[name] |= {k.arg for k in node.keywords if k.arg}
                        found[name] |= {str(i) for i in range(len(node.args))}
    return found


def _meant(called: str) -> Iterator[str]:
    for short, long in (("F.", "torch.nn.functional."), ("nn.", "torch.nn."), ("torch.", "torch.")):
        if called.startswith(short) and "(" not in called:
            yield long + called.removeprefix(short)
            return
    yield "torch.Tensor." + called.rpartition(".")[2]


def test_each_parameter_has_a_case_beside_the_original() -> None:
    given = cases()
    assert {name: found for name in TABLE if (found := _without_case(name, given[name]))} == {}


def _without_case(name: str, given: set[str]) -> list[str]:
    if name.startswith("torch.Tensor.") and facade_of(name) is getattr(torch, name.rpartition(".")[2], None):
        return []  # the function has its cases
    theirs = _theirs(name)
    parameters = [p for p in taken(name).values() if p.kind in (*ALONE, inspect.Parameter.KEYWORD_ONLY)]
    open_ = any([p.kind is p.VAR_KEYWORD for p in taken(name).values()])
    by_name = [p for p in sorted(OPTIONS & theirs) if open_ and p not in given]
    optional = [(i, p.name) for i, p in enumerate(parameters) if p.default is not p.empty and p.name in theirs]
    return by_name + [parameter for i, parameter in optional if not {parameter, str(i)} & given]
