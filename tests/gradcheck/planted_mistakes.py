"""Wrong backwards drawn at random, family by family: a correct function, and one mistake in its backward.

Each draw knows the kind of finding that is right for it, and what only a message that names the very mistake says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from check_subjects import node

Rule = Callable[..., Any]
ANY = "."


@dataclass(frozen=True)
class Planted:
    """``kinds`` are the findings that are right, ``says`` what the message of the very mistake contains (a pattern)."""

    family: str
    forward: Rule
    right: Rule
    wrong: Rule
    inputs: tuple[np.ndarray, ...]
    kinds: tuple[str, ...]
    says: str

    @property
    def mistaken(self) -> Callable[..., Any]:
        """The function with the wrong backward."""
        return node(self.forward, self.wrong)

    @property
    def correct(self) -> Callable[..., Any]:
        """The function with the right one."""
        return node(self.forward, self.right)


FAMILIES: dict[str, Callable[[np.random.Generator], Planted]] = {}


def _family(name: str) -> Callable[[Callable[..., tuple[Any, ...]]], Any]:
    def keep(draw: Callable[..., tuple[Any, ...]]) -> Any:
        FAMILIES[name] = lambda rng: Planted(name, *draw(rng))
        return draw

    return keep


def _pick(rng: np.random.Generator, options: Any) -> Any:
    options = list(options)
    return options[rng.integers(len(options))]


def _shape(rng: np.random.Generator) -> tuple[int, ...]:
    return _pick(rng, [(), (1,), (5,), (3, 4), (2, 3, 2), (7,), (2, 5)])


def _away(rng: np.random.Generator, shape: tuple[int, ...], low: float = 0.3, high: float = 2.0) -> np.ndarray:
    """Numbers of both signs that keep away from 0."""
    return np.asarray(rng.uniform(low, high, shape) * rng.choice((-1.0, 1.0), shape))


@_family("rotated")
def _rotated(rng):
    count, shape = int(rng.integers(3, 6)), _shape(rng)
    by = int(rng.integers(1, count))
    inputs = tuple(_away(rng, shape) for _ in range(count))

    def forward(*xs):
        return sum((k + 1.0) * np.sin(x) * xs[k - 1] for k, x in enumerate(xs))

    def right(g, *xs):
        n = len(xs)
        return tuple(
            g * ((k + 1) * np.cos(x) * xs[k - 1] + ((k + 1) % n + 1.0) * np.sin(xs[(k + 1) % n]))
            for k, x in enumerate(xs)
        )

    def wrong(g, *xs):
        found = right(g, *xs)
        return found[by:] + found[:by]

    return forward, right, wrong, inputs, ("swapped_inputs",), r"rotated|swapped"


_CONSTANTS = {
    "log10": (np.log10, lambda x: 1 / (x * math.log(10)), lambda x: 1 / x, r"ln 10"),
    "log2": (np.log2, lambda x: 1 / (x * math.log(2)), lambda x: 1 / x, r"ln 2"),
    "exp2": (np.exp2, lambda x: math.log(2) * np.exp2(x), np.exp2, r"ln 2"),
    "exp10": (lambda x: 10.0**x, lambda x: math.log(10) * 10.0**x, lambda x: 10.0**x, r"ln 10"),
    "deg": (
        lambda x: np.sin(np.deg2rad(x)),
        lambda x: np.cos(np.deg2rad(x)) * math.pi / 180,
        lambda x: np.cos(np.deg2rad(x)),
        r"180",
    ),
    "rad2deg": (np.rad2deg, lambda x: 0 * x + 180 / math.pi, lambda x: 0 * x + 1, r"180"),
    "gauss": (
        lambda x: np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
        lambda x: -x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
        lambda x: -x * np.exp(-x * x / 2),
        r"2π",
    ),
    "tau": (
        lambda x: np.sin(2 * math.pi * x),
        lambda x: 2 * math.pi * np.cos(2 * math.pi * x),
        lambda x: np.cos(2 * math.pi * x),
        r"2π",
    ),
    "root2": (
        lambda x: np.tanh(x / math.sqrt(2)),
        lambda x: (1 - np.tanh(x / math.sqrt(2)) ** 2) / math.sqrt(2),
        lambda x: 1 - np.tanh(x / math.sqrt(2)) ** 2,
        r"√2",
    ),
}


@_family("constant")
def _constant(rng):
    forward, slope, careless, says = _CONSTANTS[_pick(rng, _CONSTANTS)]
    x = np.asarray(rng.uniform(0.3, 1.3, _shape(rng)))
    return forward, lambda g, x: g * slope(x), lambda g, x: g * careless(x), (x,), ("wrong_factor",), says


@_family("root of the dimension")
def _root(rng):
    n, d = int(rng.integers(2, 6)), int(_pick(rng, (2, 3, 5, 6, 7, 8)))
    q, k = rng.normal(size=(n, d)), rng.normal(size=(n + 1, d))
    s = math.sqrt(d)
    which = int(rng.integers(2))

    def right(g, q, k):
        return g @ k / s, g.T @ q / s

    def wrong(g, q, k):
        found = right(g, q, k)
        return tuple([a * s if i == which else a for i, a in enumerate(found)])

    return lambda q, k: q @ k.T / s, right, wrong, (q, k), ("wrong_factor",), rf"√{d}\b"


@_family("mean over another axis")
def _mean(rng):
    shape = _pick(rng, [(7, 13), (5, 3), (11, 4), (13, 6), (3, 17)])
    axis = int(rng.integers(2))
    n, other = shape[axis], shape[1 - axis]

    def right(g, x):
        return np.expand_dims(g, axis) * 2 * x / n

    def wrong(g, x):
        return np.expand_dims(g, axis) * 2 * x / other

    return (
        lambda x: (x * x).mean(axis=axis),
        right,
        wrong,
        (rng.normal(size=shape),),
        ("wrong_factor",),
        (rf"{n}.*{other}|{other}.*{n}"),
    )


@_family("matrix product in the wrong order")
def _order(rng):
    n = int(rng.integers(2, 6))
    a, b = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    which = int(rng.integers(2))
    bad = _pick(rng, [
        lambda g, a, b: (b.T @ g, g @ a.T), lambda g, a, b: (g @ b, a @ g), lambda g, a, b: (b @ g, g @ a),
        lambda g, a, b: (g.T @ b.T, a.T @ g.T), lambda g, a, b: (b @ g.T, g.T @ a),
    ])  # fmt: skip

    def right(g, a, b):
        return g @ b.T, a.T @ g

    def wrong(g, a, b):
        return tuple([(bad if i == which else right)(g, a, b)[i] for i in range(2)])

    return lambda a, b: a @ b, right, wrong, (a, b), ("rearranged",), r"computes .* @ .*measured is .* @ "


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _rowsum(a):
    return a.sum(axis=-1, keepdims=True)


def _normal(x):
    return x / np.sqrt(_rowsum(x * x))


_ROWS = {
    "softmax": (_softmax, lambda g, x: _softmax(x) * (g - _rowsum(g * _softmax(x))), lambda g, x: g * _softmax(x)),
    "log softmax": (lambda x: np.log(_softmax(x)), lambda g, x: g - _softmax(x) * _rowsum(g), lambda g, x: 1 * g),
    "logsumexp": (lambda x: x - np.log(_rowsum(np.exp(x))), lambda g, x: g - _softmax(x) * _rowsum(g),
                  lambda g, x: g - g * _softmax(x)),
    "centre": (lambda x: x - x.mean(axis=-1, keepdims=True), lambda g, x: g - g.mean(axis=-1, keepdims=True),
               lambda g, x: 1 * g),
    "normalise": (_normal, lambda g, x: (g - _normal(x) * _rowsum(g * _normal(x))) / np.sqrt(_rowsum(x * x)),
                  lambda g, x: g / np.sqrt(_rowsum(x * x))),
    "share": (lambda x: x / _rowsum(x), lambda g, x: (g - _rowsum(g * x) / _rowsum(x)) / _rowsum(x),
              lambda g, x: g / _rowsum(x)),
    "softmax, diagonal": (_softmax, lambda g, x: _softmax(x) * (g - _rowsum(g * _softmax(x))),
                          lambda g, x: g * _softmax(x) * (1 - _softmax(x))),
    "softmax, plus": (_softmax, lambda g, x: _softmax(x) * (g - _rowsum(g * _softmax(x))),
                      lambda g, x: _softmax(x) * (g + _rowsum(g * _softmax(x)))),
}  # fmt: skip


@_family("second term inside a row")
def _row(rng):
    forward, right, wrong = _ROWS[_pick(rng, _ROWS)]
    x = rng.uniform(0.2, 2, _pick(rng, [(4,), (3, 4), (2, 5), (2, 2, 3), (6, 3)]))
    return forward, right, wrong, (x,), ("missing_term",), r"row|axis|each element counts|through"


@_family("rows or columns left out")
def _left_out(rng):
    shape = _pick(rng, [(4, 3), (5, 6), (3, 5), (6, 2), (2, 4, 3)])
    axis = int(rng.integers(len(shape)))
    what = _pick(rng, ["first", "last", "one", "tail"])
    n = shape[axis]
    chosen = {"first": [0], "last": [n - 1], "one": [int(rng.integers(n))], "tail": list(range((n + 1) // 2, n))}[what]
    index = (slice(None),) * axis + (chosen,)

    def wrong(g, x):
        found = g * np.cos(x)
        found[index] = 0
        return found

    names = r"axis" if len(shape) > 2 else (r"row", r"column")[axis]
    return (
        np.sin,
        lambda g, x: g * np.cos(x),
        wrong,
        (rng.uniform(-1, 1, shape),),
        ("local_error",),
        (rf"{names}.*\b{chosen[0]}\b"),
    )


@_family("taken from the wrong place")
def _place(rng):
    n, m, d = int(rng.integers(3, 7)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
    m = min(n, m)
    if rng.integers(2):
        x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
        return (
            lambda x, y: np.concatenate([x, y]) ** 2,
            lambda g, x, y: (2 * x * g[:n], 2 * y * g[n:]),
            lambda g, x, y: (2 * x * g[:n], 2 * y * g[:m]),
            (x, y),
            ("rearranged",),
            r"place|start|offset|shifted",
        )
    first = int(rng.integers(1, n))

    def right(g, x):
        found = np.zeros_like(x)
        found[first:] = g
        return found

    def wrong(g, x):
        found = np.zeros_like(x)
        found[: n - first] = g
        return found

    return (
        lambda x: 1 * x[first:],
        right,
        wrong,
        (rng.normal(size=(n, d)),),
        ("rearranged",),
        (r"place|start|offset|shifted"),
    )


_KINKS = {
    "abs": (np.abs, np.sign, lambda x: 2 * np.sign(x), ("wrong_factor",), r"2 times"),
    "abs sign": (np.abs, np.sign, lambda x: -np.sign(x), ("wrong_sign",), r"wrong sign"),
    "abs forgotten": (np.abs, np.sign, lambda x: np.ones_like(x), ("local_error",), r"< 0"),
    "leaky": (lambda x: np.where(x > 0, x, 0.2 * x), lambda x: np.where(x > 0, 1, 0.2), lambda x: np.where(x > 0, 1, 0),
              ("local_error",), r"< 0"),
    "relu": (lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0), lambda x: 3.0 * (x > 0), ("wrong_factor",),
             r"3 times"),
    "relu, mask turned": (lambda x: np.maximum(x, 0), lambda x: 1.0 * (x > 0), lambda x: 1.0 * (x < 0),
                          ("wrong_function",), r"x > 0"),
    "relu squared": (lambda x: x * np.abs(x), lambda x: 2 * np.abs(x), lambda x: np.abs(x), ("wrong_factor",), r"1/2"),
}  # fmt: skip


@_family("kink and wrong rule")
def _kink(rng):
    forward, slope, careless, kinds, says = _KINKS[_pick(rng, _KINKS)]
    x = _away(rng, _pick(rng, [(6,), (3, 4), (10,)]))
    x.flat[:2] = (1.1, -0.7)
    x.flat[int(rng.integers(2, x.size))] = 0
    return forward, lambda g, x: g * slope(x), lambda g, x: g * careless(x), (x,), kinds, says


@_family("kept and changed in place")
def _kept(rng):
    shape = _pick(rng, [(1,), (4,), (3, 4)])
    table = rng.uniform(0.5, 2, shape)
    how = _pick(rng, ["multiply", "add", "attribute"])

    def right(g, x):
        return g * table

    def forward(x):
        return x * start

    start, kept = table.copy(), table.copy()

    def wrong(g, x):
        nonlocal kept
        if how == "multiply":
            kept *= 1.5
        elif how == "add":
            kept += g
        else:
            kept[...] = kept * 0.5
        return g * kept

    return forward, right, wrong, (rng.normal(size=shape),), ("inplace",), r"in place|keeps"


@_family("low precision in the backward")
def _coarse(rng):
    forward, slope = _pick(rng, [(np.exp, np.exp), (np.sin, np.cos), (lambda x: x**3, lambda x: 3 * x * x)])
    x = rng.uniform(0.3, 2, _pick(rng, [(4,), (3, 4), (9,)]))
    return (
        forward,
        lambda g, x: g * slope(x),
        lambda g, x: g * slope(x.astype(np.float16)).astype(float),
        (x,),
        ("low_precision",),
        r"float16|half precision",
    )


# forward, slope, what was written, its text, the text of what is right
_RULES = {
    "tanh": (np.tanh, lambda x, y: 1 - y * y, [(lambda x, y: 1 - y, r"g \* \(1 - y\)"), (lambda x, y: 1 + y * y, r"g"),
             (lambda x, y: y * (1 - y), r"g \* y \* \(1 - y\)"), (lambda x, y: 1 - x * x, r"\(1 - x \* x\)")],
             r"g \* \(1 - y \* y\)"),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y), [(lambda x, y: y, r"g \* y\b"),
                (lambda x, y: 1 - y, r"g \* \(1 - y\)"), (lambda x, y: 1 - y * y, r"g \* \(1 - y \* y\)"),
                (lambda x, y: y * (1 + y), r"\(1 \+ y\)"), (lambda x, y: x * (1 - x), r"x \* \(1 - x\)")],
                r"g \* y \* \(1 - y\)"),
    "exp": (np.exp, lambda x, y: y, [(lambda x, y: x, r"g \* x\b"), (lambda x, y: x * y, r"g \* x \* y"),
            (lambda x, y: y * y, r"y \* y"), (lambda x, y: 1 / x, r"g / x")], r"g \* y\b"),
    "log": (np.log, lambda x, y: 1 / x, [(lambda x, y: x, r"g \* x\b"), (lambda x, y: y, r"g \* y\b"),
            (lambda x, y: 1 / y, r"g / y"), (lambda x, y: 1 / x**2, r"g / \(?x \* x")], r"g / x\b"),
    "sqrt": (np.sqrt, lambda x, y: 0.5 / y, [(lambda x, y: 0.5 * y, r"g \* y"), (lambda x, y: 0.5 / x, r"x"),
             (lambda x, y: y, r"g \* y\b")], r"g / \(2 \* y\)|g / y / 2|1/2 \* g / y"),
    "square": (lambda x: x * x, lambda x, y: 2 * x, [(lambda x, y: x * x, r"y|x \* x"), (lambda x, y: 2 + 0 * x, r"2"),
               (lambda x, y: 2 * y, r"y|x \* x")], r"2 \* g \* x\b"),
    "reciprocal": (lambda x: 1 / x, lambda x, y: -y * y, [(lambda x, y: -y, r"y"), (lambda x, y: -2 * y * y * y, r"y"),
                   (lambda x, y: -x * x, r"-g")], r"-g \* y \* y"),
    "sin": (np.sin, lambda x, y: np.cos(x), [(lambda x, y: y, r"g \* y\b"), (lambda x, y: 1 - y, r"1 - y"),
            (lambda x, y: -y, r"-g \* y")], r"cos\(x\)"),
    "cos": (np.cos, lambda x, y: -np.sin(x), [(lambda x, y: -y, r"-g \* y"), (lambda x, y: y, r"g \* y")],
            r"-g \* sin\(x\)"),
    "softplus": (lambda x: np.log1p(np.exp(x)), lambda x, y: 1 / (1 + np.exp(-x)),
                 [(lambda x, y: y, r"g \* y\b"), (lambda x, y: np.exp(x), r"exp\(x\)")], r"1 \+ exp\(-x\)|sigmoid"),
    "cube": (lambda x: x**3, lambda x, y: 3 * x * x, [(lambda x, y: 3 * x, r"3 \* g \* x"), (lambda x, y: y, r"g")],
             r"3 \* g \* x \* x"),
}  # fmt: skip


@_family("another elementwise rule")
def _rule(rng):
    forward, slope, mistakes, right = _RULES[_pick(rng, _RULES)]
    careless, written = _pick(rng, mistakes)
    x = np.asarray(rng.uniform(0.3, 1.7, _shape(rng)))
    return (
        forward,
        lambda g, x: g * slope(x, forward(x)),
        lambda g, x: g * careless(x, forward(x)),
        (x,),
        ("wrong_function", "missing_term", "wrong_factor", "wrong_sign"),
        rf"computes .*{written}.*measured is .*{right}",
    )


_PRODUCTS = [
    (lambda a, b, c: a * b * c, lambda g, a, b, c: (g * b * c, g * a * c, g * a * b),
     lambda g, a, b, c: (g * b, g * a * c, g * a * b), r"g \* \S+ \* \S+"),
    (lambda a, b: a * a * b, lambda g, a, b: (2 * g * a * b, g * a * a), lambda g, a, b: (2 * g * a, g * a * a),
     r"2 \* g \* "),
    (lambda a, b: a / b, lambda g, a, b: (g / b, -g * a / (b * b)), lambda g, a, b: (g / b, -g * a / b), r"/"),
    (lambda a, b: a / b, lambda g, a, b: (g / b, -g * a / (b * b)), lambda g, a, b: (g / b, -g / (b * b)), r"/"),
    (lambda a, b: np.sin(a) * b, lambda g, a, b: (g * np.cos(a) * b, g * np.sin(a)),
     lambda g, a, b: (g * np.cos(a), g * np.sin(a)), r"cos"),
    (lambda a, b: np.exp(a * b), lambda g, a, b: (g * b * np.exp(a * b), g * a * np.exp(a * b)),
     lambda g, a, b: (g * np.exp(a * b), g * a * np.exp(a * b)), r"y"),
]  # fmt: skip


@_family("a factor of a product forgotten")
def _product(rng):
    forward, right, wrong, says = _pick(rng, _PRODUCTS)
    shape = _shape(rng)
    count = forward.__code__.co_argcount
    kinds = ("wrong_function", "missing_term")
    return forward, right, wrong, tuple(_away(rng, shape) for _ in range(count)), kinds, rf"computes .*is .*{says}"


@_family("plain")
def _plain(rng):
    shape = _pick(rng, [(3, 4), (2, 5), (6, 3)])
    a, b = rng.normal(size=shape), rng.normal(size=shape[1:])

    def right(g, a, b):
        return g * b, (g * a).sum(axis=0)

    wrong, kinds, says = _pick(rng, [
        (lambda g, a, b: (-g * b, (g * a).sum(axis=0)), ("wrong_sign",), r"wrong sign"),
        (lambda g, a, b: (None, (g * a).sum(axis=0)), ("missing_dependency",), r"None"),
        (lambda g, a, b: (g * b, (g * a)[0]), ("unreduced_broadcast",), r"place 0"),
        (lambda g, a, b: (g * b, g * a), ("unreduced_broadcast",), ANY),
        (lambda g, a, b: (b + 0 * g, (g * a).sum(axis=0)), ("upstream_ignored",), ANY),
    ])  # fmt: skip
    return lambda a, b: a * b, right, wrong, (a, b), kinds, says


def draw(family: str, seed: int) -> Planted:
    """The mistake of that family and seed; the same ones for the same seed."""
    return FAMILIES[family](np.random.default_rng([seed, *family.encode()]))
