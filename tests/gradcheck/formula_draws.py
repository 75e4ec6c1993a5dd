"""Functions drawn at random with the backward of another one, and whether the formulas that are said are true.

Reductions of elementwise functions, functions whose rows share sums, and functions of two pieces. Both gradients are
known from AutoLab's own functions, so what is said can be evaluated at new points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autolab import Variable, check_gradients
from autolab import functions as F
from autolab.authoring import SimpleFunction
from autolab.engine.grad import grad
from autolab.gradcheck import Finding

Rule = Callable[[Any], Any]

INNER: dict[str, Rule] = {
    "x": lambda x: x,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "exp": np.exp,
    "sin": np.sin,
    "tanh": np.tanh,
    "abs": np.abs,
}
OUTER: dict[str, Rule] = {
    "itself": lambda s: s,
    "negative": lambda s: -s,
    "half": lambda s: 0.5 * s,
    "square": lambda s: s * s,
    "log": lambda s: np.log(np.abs(s)),
    "exp": np.exp,
}
ROWS: dict[str, Rule] = {
    "softmax": lambda x: F.softmax(x, axis=-1),
    "by columns": lambda x: F.softmax(x, axis=0),
    "centred": lambda x: x - x.mean(axis=-1, keepdims=True),
    "unit": lambda x: x / np.sqrt((x * x).sum(axis=-1, keepdims=True)),
    "root mean square": lambda x: x / np.sqrt((x * x).mean(axis=-1, keepdims=True)),
    "standardised": lambda x: (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(F.var(x, axis=-1, keepdims=True)),
    "shares": lambda x: x / x.sum(axis=-1, keepdims=True),
    "exp": np.exp,
    "itself": lambda x: 1.0 * x,
}
PIECES: dict[str, Rule] = {
    "x": lambda x: 1.0 * x,
    "0": lambda x: 0.0 * x,
    "0.1 x": lambda x: 0.1 * x,
    "0.01 x": lambda x: 0.01 * x,
    "-x": lambda x: -x,
    "square": lambda x: x * x,
    "half square": lambda x: 0.5 * x * x,
    "exp - 1": lambda x: np.exp(x) - 1,
    "sin": np.sin,
}
CONDITIONS: tuple[Rule, ...] = (lambda x: x > 0, lambda x: np.abs(x) < 1, lambda x: x > 0.5)


@dataclass(frozen=True)
class Draw:
    """A forward with the backward of another function, at a point; ``axis`` is that of its sums."""

    forward: Rule
    other: Rule
    x: np.ndarray
    axis: int | None = None


def draw(family: str, seed: int) -> Draw:
    """One of the family: reductions, rows or pieces."""
    rng = np.random.default_rng([seed, len(family)])
    x = rng.uniform(0.3, 1.7, [(3, 4), (5, 3), (4, 4)][rng.integers(3)]) * rng.choice((-1.0, 1.0))
    if family == "rows":
        first, second = rng.choice(list(ROWS), 2, replace=False)
        return Draw(ROWS[first], ROWS[second], x, -1)
    if family == "pieces":
        p, q, r = [PIECES[name] for name in rng.choice(list(PIECES), 3, replace=False)]
        condition = CONDITIONS[rng.integers(len(CONDITIONS))]
        others = [(r, q), (p, r), (q, p)][rng.integers(3)]
        x = x * rng.choice((-1.0, 1.0), x.shape)
        return Draw(_piecewise(condition, p, q), _piecewise(condition, *others), x)
    axis = [None, 0, 1][rng.integers(3)]
    chosen = [rng.choice(list(INNER)), rng.choice(list(OUTER)), bool(rng.integers(2)), rng.choice([1.0, 2.0, 0.5])]
    others = list(chosen)
    while others == chosen:
        k = rng.integers(4)
        others[k] = [rng.choice(list(INNER)), rng.choice(list(OUTER)), not chosen[2], rng.choice([1.0, 2.0, 0.5])][k]
    return Draw(_reduction(axis, *chosen), _reduction(axis, *others), x, axis)


def _piecewise(condition: Rule, p: Rule, q: Rule) -> Rule:
    return lambda x: F.where(condition(x.data), p(x), q(x))


def _reduction(axis: int | None, inner: str, outer: str, is_mean: bool, factor: float) -> Rule:
    reduce = F.mean if is_mean else F.sum
    return lambda x: factor * OUTER[outer](reduce(INNER[inner](x), axis=axis))


def findings(drawn: Draw) -> list[Finding]:
    """What the check finds."""

    class Drawn(SimpleFunction):
        def forward(self, x):
            return drawn.forward(Variable(x)).data

        def backward(self, g):
            (x,) = self.inputs
            return Variable(gradient(drawn.other, x.data, g.data))

    report = check_gradients(lambda x: Drawn()(x), drawn.x)
    return [finding for finding in report.findings if not finding.innocent]


def gradient(function: Rule, x: np.ndarray, g: np.ndarray) -> np.ndarray:
    leaf = Variable(np.array(x))
    (found,) = grad([function(leaf)], [leaf], [np.asarray(g)])
    return np.zeros_like(x) if found is None else found.data


def is_true(drawn: Draw, finding: Finding, seed: int) -> bool:
    """Whether both formulas give at a new point what backward gives and what is right, where they are said for."""
    rng = np.random.default_rng(seed)
    is_piece = "piece" in finding.evidence
    x = drawn.x * (1.0 if is_piece else rng.uniform(0.8, 1.2, drawn.x.shape))
    y = drawn.forward(Variable(x)).data
    g = rng.normal(size=y.shape)
    right, written = gradient(drawn.forward, x, g), gradient(drawn.other, x, g)
    where = np.abs(right - written) > 1e-9 * np.abs(right).max() if is_piece else np.ones(x.shape, bool)
    for text, wanted in ((finding.evidence["written"], written), (finding.evidence["right"], right)):
        gap = np.abs(_evaluated(text, drawn, x, y, g) - wanted)[where]
        if np.max(gap, initial=0.0) > 1e-6 * np.abs(wanted).max():
            return False
    return True


def _evaluated(text: str, drawn: Draw, x: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    def spread(a: np.ndarray) -> np.ndarray:
        return a if a.shape == x.shape or drawn.axis is None else np.expand_dims(a, drawn.axis)

    def over(reduce: Callable[..., Any]) -> Callable[..., Any]:
        return lambda a, axis=None: reduce(a, axis=axis, keepdims=True)

    names = {"x": x, "y": spread(y), "g": spread(g)} | {f.__name__: over(f) for f in (np.sum, np.mean, np.std, np.max)}
    names |= {f.__name__: f for f in (np.exp, np.sin, np.cos, np.tanh, np.cosh, np.sinh, np.tan, np.log, np.sqrt)}
    names |= {"sign": np.sign, "abs": np.abs}
    above, _, below = text.partition(" for x > 0 and ")
    first = eval(above, names) + 0 * x
    return np.where(x > 0, first, eval(below.removesuffix(" for x < 0"), names)) if below else first
