"""What an error message advises is right: who follows it gets the gradient of what he meant."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, grad
from autolab import links as L

PACKAGE = Path(autolab.__file__).parent


def _assigned(x: Variable) -> Any:
    x[0] = 5.0
    return (x**2).sum()


def _assigned_remedy(x: Variable) -> Any:
    x = x.copy()
    x[0] = 5.0
    return (x**2).sum()


def _leaf(x: Variable) -> Any:
    x[0] = 3.0
    return (x**2).sum()


def _leaf_remedy(x: Variable) -> Any:
    x.data[...] = [3.0, 2.0]
    return (x**2).sum()


def _element(x: Variable) -> Any:
    y = np.zeros(2)
    y[0] = x[0] ** 2
    return (y * x).sum()


def _element_remedy(x: Variable) -> Any:
    return (np.stack([x[0] ** 2, 0.0]) * x).sum()


def _inplace(x: Variable) -> Any:
    y = np.ones(2)
    y *= x
    return (y * x).sum()


def _updated(x: Variable) -> Any:
    w = x * 1
    w = w - 0.1 * w.grad
    return w.sum()


@dataclass(frozen=True)
class Advice:
    """What is refused with a message that holds ``says``; what to write instead; and the gradient of what was meant,
    at ``x = [1, 2]``. Without a ``remedy`` the message only says what something else would lose."""

    refused: Callable[[Variable], Any]
    says: str
    remedy: Callable[[Variable], Any] | None
    gradient: tuple[float, float] = (0.0, 0.0)


ADVICE = (
    Advice(_assigned, "Write x = x.copy() before it", _assigned_remedy, (0.0, 4.0)),
    Advice(_leaf, "Before a leaf is used, x.data[...] = numbers", _leaf_remedy, (6.0, 4.0)),
    Advice(_element, "np.stack([a, b]) and np.concatenate([a, b]) join values", _element_remedy, (3.0, 0.0)),
    Advice(
        lambda x: (np.copyto(np.zeros(2), x), x.sum())[1],
        "np.stack([a, b])",
        lambda x: np.stack([x[0], x[1]]).sum(),
        (1.0, 1.0),
    ),
    Advice(
        lambda x: (np.array([x[0], x[1] * 2]) ** 2).sum(),
        "np.stack([a, b]) and np.concatenate([a, b]) join values",
        lambda x: (np.stack([x[0], x[1] * 2]) ** 2).sum(),
        (2.0, 16.0),
    ),
    Advice(
        lambda x: np.sin(np.asarray(x)).sum(),
        "NumPy's functions take a Variable as it is",
        lambda x: np.sin(x).sum(),
        (float(np.cos(1)), float(np.cos(2))),
    ),
    Advice(
        lambda x: np.sin(float(x)),
        "np.sin(x), unlike math.sin(x), takes them all",
        lambda x: np.sin(x).sum(),
        (float(np.cos(1)), float(np.cos(2))),
    ),
    Advice(lambda x: np.c_[x, x].sum(), "autolab.c_[x, y] and", lambda x: autolab.c_[x, x].sum(), (2.0, 2.0)),  # type: ignore[attr-defined]
    Advice(lambda x: float(x) ** 2, "such as x[0]", lambda x: x[0] ** 2, (2.0, 0.0)),
    Advice(
        _inplace,
        "would drop the gradient; write y = numpy.",
        lambda x: (np.multiply(np.ones(2), x) * x).sum(),
        (2.0, 4.0),
    ),
    Advice(
        lambda x: np.exp(x, out=x),
        "write y = numpy.exp(...)",
        lambda x: np.exp(x).sum(),
        (float(np.e), float(np.e**2)),
    ),
    Advice(lambda x: Variable(x * x), "use it as it is", lambda x: (x * x).sum(), (2.0, 4.0)),
    Advice(lambda x: setattr(x * 1, "data", x * x), "write x = y, which keeps", lambda x: (x * x).sum(), (2.0, 4.0)),
    Advice(lambda x: copy.copy(x * x), "it needs no copy", lambda x: (x * x).sum(), (2.0, 4.0)),
    Advice(_updated, "Change the leaf instead", None),
    Advice(lambda x: format(x, ".3f"), "shows them all", None),
    Advice(lambda x: np.unique(x), "Apply it to x.data if none is needed", None),
    Advice(lambda x: np.multiply.reduceat(x, [0]), "Apply it to x.data if none is needed", None),
    Advice(lambda x: bool(x), "use .data.any() or .all()", None),
    Advice(lambda x: Variable(np.ma.array([1.0])), "fill it: a.filled(0.0)", None),
    Advice(lambda x: setattr(_linear(), "W", x * x), "takes another name", lambda x: _linear()(x).sum(), (1.0, 1.0)),
    Advice(lambda x: (x.data * 2 * Variable(1, requires_grad=False)).backward(), "from .data", None),
    Advice(
        lambda x: autolab.transforms.grad(lambda x: math.sin(x[0]))(x),
        "An array (x.data) or a number (float(x), math.sin(x)) has lost its gradient; np.sin(x) keeps it",
        lambda x: np.sin(x[0]),
        (float(np.cos(1.0)), 0.0),
    ),
    Advice(
        lambda x: autolab.check_gradients(np.square, Variable(x.data, requires_grad=False)),
        "A Variable without a gradient goes in as x.data",
        lambda x: np.square(x).sum(),
        (2.0, 4.0),
    ),
)


def _linear() -> Any:
    link = L.Linear(2, 1)
    link.W.data = np.ones_like(link.W.data)
    return link


def message_of(call: Callable[[], Any]) -> str:
    with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        call()
    return f"{caught.value} {caught.value.__cause__ or ''}"


@each("advice", ADVICE, ids=lambda advice: advice.says)
def test_who_follows_a_message_gets_the_true_gradient(advice: Advice) -> None:
    assert advice.says in message_of(lambda: advice.refused(Variable([1.0, 2.0])))
    if advice.remedy is not None:
        x = Variable([1.0, 2.0])
        found = grad(advice.remedy(x), x)
        np.testing.assert_allclose(found.data, advice.gradient, rtol=1e-12)
        report = autolab.check_gradients(advice.remedy, [0.7, -1.3]) if "data[" not in advice.says else None
        assert report is None or report.verdict == "right", report


@cache
def messages() -> set[str]:
    """Every text of an error of AutoLab's that speaks of ``.data``, with what is filled in left out."""
    found = set()
    of_torch = {*PACKAGE.glob("compat/torch/*.py"), *PACKAGE.glob("bridges/torch/*.py")}  # there .data is a tensor
    others = {*PACKAGE.glob("data/*.py"), *of_torch}  # and there a list of examples
    for module in set(PACKAGE.rglob("*.py")) - others:
        tree = ast.parse(module.read_text("utf-8"))
        raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
        if module == PACKAGE / "engine" / "errors.py":
            raised += [node.value for node in tree.body if isinstance(node, ast.Assign)]
        for error in raised:
            text = "".join(
                [
                    part.value
                    for part in ast.walk(error)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
            )
            if ".data" in text.removeprefix("Variable.data:"):
                found.add(text)
    return found


def test_every_message_that_speaks_of_the_bare_array_is_in_the_table() -> None:
    known = [advice.says for advice in ADVICE]
    assert len(messages()) >= 10
    assert [text for text in messages() if not any(says in text for says in known)] == []


def test_what_the_old_advice_gave() -> None:
    """Control: this is why nobody is sent to ``.data`` of a computed value."""
    x = Variable([1.0, 2.0])
    y = x * 2
    y.data[0] = 5.0
    assert grad((y**2).sum(), x).data.tolist() == [20.0, 16.0]
    y = x * 2
    y[0] = 5.0
    assert grad((y**2).sum(), x).data.tolist() == [0.0, 16.0]
