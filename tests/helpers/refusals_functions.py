"""Bad inputs to functions, to NumPy's functions on Variables, and to declarations and methods that people write."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import DeclarationError, DetachError, FunctionNode, NoGradientError, elementwise, grad, primitive
from autolab import functions as F
from autolab.authoring import ContextFunction, Function, SimpleFunction
from autolab.engine.errors import GradientCountError, GradientShapeError, ReuseError
from helpers.refusals import Refusal

REAL = "expected real numbers"
SQUARE = np.array([[2.0, 1.0], [1.0, 2.0]])

OPERANDS = (
    Refusal(lambda w: w.x + "a", TypeError, "add", "'b'", "got str 'a'", REAL),
    Refusal(lambda w: w.x + None, TypeError, "add", "'b'", "got None", REAL),
    Refusal(lambda w: 1j * w.x, TypeError, "mul", "'a'", "got complex 1j", REAL),
    Refusal(lambda w: w.m @ np.ones(3, complex), TypeError, "matmul", "'b'", "complex128", REAL),
    Refusal(lambda w: np.arctan2(w.x, 1j), TypeError, "arctan2", "'b'", "got complex 1j", REAL),
    Refusal(lambda w: w.x ** "2", TypeError, "pow", "'exponent'", "got str '2'", REAL),
    Refusal(lambda w: F.exp("a"), TypeError, "exp", "'x'", "got str 'a'", REAL),
    Refusal(lambda w: F.exp([w.x, w.x]), TypeError, "exp", "'x'", "got a list of Variables", "stack(xs)"),
    Refusal(lambda w: w.x + np.ones(4), ValueError, "add", "b has shape", "(4,)", "expected shapes that broadcast"),
    Refusal(lambda w: w.x * [1, 2], ValueError, "mul", "b has shape", "(2,)", "expected shapes that broadcast"),
    Refusal(lambda w: w.m @ w.m, ValueError, "matmul", "b has shape", "(2, 3)", "the last axis of a, the last but one"),
    Refusal(lambda w: w.m @ 2.0, ValueError, "matmul", "b has shape", "()", "multiply: a * b"),
    Refusal(lambda w: F.dot(w.x, w.m), ValueError, "dot", "b has shape", "(2, 3)", "expected equal sizes"),
    Refusal(lambda w: F.where([True, False], w.x, w.x), ValueError, "where", "condition", "(2,)", "expected shapes"),
)

SHAPES = (
    Refusal(lambda w: F.concatenate([[w.x, w.x]]), TypeError, "concatenate", "xs[0]", "a list", "concatenate(xs)"),
    Refusal(lambda w: F.stack([[w.x, w.x]]), TypeError, "stack", "xs[0]", "got a list of Variables", "stack(xs)"),
    Refusal(lambda w: F.sum(w.x, axis=3), ValueError, "sum", "axis=3", "(3,)", "expected an axis from -1 to 0"),
    Refusal(lambda w: F.sort(w.s), ValueError, "sort", "axis=-1", "()", "expected no axis"),
    Refusal(lambda w: F.sum(w.x, axis="a"), TypeError, "sum", "axis='a'", "(3,)", "expected integers"),
    Refusal(lambda w: F.sum(w.x, dtype="f4"), TypeError, "sum", "'dtype'", "does not take", "x.astype(dtype)"),
    Refusal(lambda w: F.sum(w.x, keepdims="no"), TypeError, "sum", "keepdims='no'", "(3,)", "expected integers"),
    Refusal(lambda w: F.mean(w.x, axis=(0, 0)), ValueError, "mean", "axis=(0, 0)", "(3,)", "expected each axis once"),
    Refusal(lambda w: F.max(np.ones(0)), ValueError, "max", "a", "(0,)", "expected at least one element"),
    Refusal(lambda w: F.reshape(w.x, shape=(2, 2)), ValueError, "reshape", "shape=(2, 2)", "(3,)", "3 elements in all"),
    Refusal(lambda w: w.x.reshape(2, 2), ValueError, "reshape", "shape=(2, 2)", "(3,)", "one size may be -1"),
    Refusal(lambda w: F.reshape(w.x), TypeError, "reshape", "shape", "must be given", "reshape(a, shape)"),
    Refusal(
        lambda w: F.transpose(w.m, axes=(0, 0)), ValueError, "transpose", "axes=(0, 0)", "(2, 3)", "each axis once"
    ),
    Refusal(
        lambda w: F.broadcast_to(w.x, shape=(2,)), ValueError, "broadcast_to", "shape=(2,)", "(3,)", "expected sizes"
    ),
    Refusal(lambda w: F.squeeze(w.x, axis=0), ValueError, "squeeze", "axis=0", "(3,)", "expected axes of size 1"),
    Refusal(
        lambda w: F.pad(w.x, pad_width=-1), ValueError, "pad", "pad_width=-1", "(3,)", "expected numbers not below 0"
    ),
    Refusal(lambda w: F.tile(w.x, reps="a"), ValueError, "tile", "reps='a'", "(3,)", "expected integers"),
    Refusal(lambda w: F.repeat(w.x, repeats=-1), ValueError, "repeat", "repeats=-1", "(3,)", "not below 0"),
    Refusal(lambda w: w.x[5], IndexError, "getitem", "index=5", "(3,)", "expected an index from -3 to 2 on axis 0"),
    Refusal(lambda w: np.take(w.m, [0], axis=2), ValueError, "take", "axis=2", "(2, 3)", "is not an axis of x"),
    Refusal(lambda w: np.diff(w.m, axis=-3), ValueError, "diff", "axis=-3", "(2, 3)", "is not an axis of x"),
    Refusal(lambda w: w.x["a"], IndexError, "getitem", "index='a'", "(3,)", "expected integers, slices"),
    Refusal(
        lambda w: F.take_along_axis(w.x, indices=np.array([9]), axis=0),
        IndexError,
        "take_along_axis",
        "axis=0",
        "(3,)",
        "expected an index from -3 to 2",
    ),
    Refusal(lambda w: F.clip(w.x, low=0, high=1), TypeError, "clip", "'low'", "a keyword", "expected a, a_min, a_max"),
    Refusal(lambda w: F.trace(w.x), ValueError, "trace", "a", "(3,)", "expected at least two axes"),
)

ALGEBRA = (
    Refusal(lambda w: F.inv(w.m), ValueError, "inv", "a", "(2, 3)", "expected square matrices"),
    Refusal(
        lambda w: F.inv(np.zeros((2, 2))), ValueError, "inv", "a", "(2, 2)", "expected matrices that have an inverse"
    ),
    Refusal(
        lambda w: F.solve(SQUARE, w.x), ValueError, "solve", "b has shape", "(3,)", "expected b with as many rows as a"
    ),
    Refusal(lambda w: F.cholesky(-SQUARE), ValueError, "cholesky", "a", "(2, 2)", "positive definite"),
    Refusal(
        lambda w: F.einsum(w.m, w.m, subscripts="ij,jk->ik"),
        ValueError,
        "einsum",
        "subscripts='ij,jk->ik'",
        "(2, 3)",
        "expected one size for each letter; 'j' has two",
    ),
    Refusal(lambda w: F.einsum(w.m, w.m), TypeError, "einsum", "subscripts", "is a Variable", "such as 'ij,jk->ik'"),
    Refusal(
        lambda w: F.tensordot(w.m, w.m, axes=1), ValueError, "tensordot", "axes=1", "(2, 3)", "expected equal sizes"
    ),
    Refusal(lambda w: F.linear(w.m, SQUARE), ValueError, "linear", "w", "(2, 2)", "expected x (..., in), w (out, in)"),
    Refusal(
        lambda w: F.dropout(w.x, ratio=2), ValueError, "dropout", "ratio", "is 2", "expected a number of at least 0"
    ),
    Refusal(lambda w: F.dropout(w.x, rng=3), TypeError, "dropout", "rng", "is 3", "expected a generator"),
    Refusal(lambda w: F.embedding([0.5], w.m), TypeError, "embedding", "ids", "float64", "expected integers"),
    Refusal(lambda w: F.conv1d(w.m, w.m), ValueError, "conv1d", "x", "(2, 3)", "expected x (examples, in, length)"),
    Refusal(
        lambda w: F.softmax_cross_entropy(w.m, [0.5, 1.0]),
        TypeError,
        "softmax_cross_entropy",
        "t",
        "float64",
        "expected integers, the numbers of the right classes",
    ),
    Refusal(
        lambda w: F.softmax_cross_entropy(w.m, [0, 7]),
        ValueError,
        "softmax_cross_entropy",
        "t holds",
        "7",
        "the classes go from 0 to 2",
    ),
    Refusal(
        lambda w: F.mean_squared_error(w.x, w.m), ValueError, "mean_squared_error", "t", "(2, 3)", "the same shape"
    ),
    Refusal(lambda w: F.leaky_relu(w.x, slope="a"), TypeError, "leaky_relu", "slope='a'", "(3,)", "expected numbers"),
)

NUMPY = (
    Refusal(lambda w: np.unwrap(w.x), NoGradientError, "numpy.unwrap", "x", "no gradient", "Apply it to x.data"),
    Refusal(
        lambda w: np.add.accumulate(w.x),
        NoGradientError,
        "numpy.add.accumulate",
        "x",
        "no gradient",
        "Apply it to x.data",
    ),
    Refusal(
        lambda w: np.exp(w.x, out=w.array), DetachError, "numpy.exp", "array in place", "Variable", "write y = numpy."
    ),
    Refusal(
        lambda w: np.exp(w.c, out=w.x), DetachError, "numpy.exp", "out=", "cannot be a Variable", "write y = numpy.exp"
    ),
    Refusal(
        lambda w: w.array.__iadd__(w.x), DetachError, "numpy.add", "array in place", "Variable", "write y = numpy."
    ),
    Refusal(
        lambda w: np.sum(w.x, dtype="f4"), NoGradientError, "numpy.sum", "'dtype'", "on a Variable", "does not take"
    ),
)


def _square(xp, x):
    return x * x


def _mine(kind: type, **methods: Any) -> Any:
    return type("Mine", (kind,), methods)


def _node(backward: Any = None, forward: Any = lambda self, inputs: (inputs[0] * 2,)) -> Any:
    return _mine(FunctionNode, forward=forward, backward=backward or (lambda self, targets, gs: gs))()


def _wrong(backward: Any) -> Any:
    return lambda w: F.sum(_node(backward).apply((w.x,))[0]).backward()


def _rule(rule: Any) -> Any:
    return lambda w: grad(F.sum(elementwise(x=rule)(_square)(w.x)), w.x)


def _twice(w: Any) -> None:
    node = _node()
    node.apply((w.x,))
    node.apply((w.x,))


DECLARATIONS = (
    Refusal(lambda w: elementwise()(3), DeclarationError, "int", "xp", "function", "expected a function forward(xp"),
    Refusal(lambda w: elementwise()(lambda: 1), DeclarationError, "<lambda>", "xp", "in front", "expected a function"),
    Refusal(lambda w: elementwise(z=abs)(_square), DeclarationError, "_square", "'z'", "a rule", "the inputs are x"),
    Refusal(
        lambda w: elementwise(x=3)(_square), DeclarationError, "_square", "'x'", "is an int", "expected a function"
    ),
    Refusal(_rule(lambda g, q: g), DeclarationError, "_square", "'x'", "(g, q)", "expected g, and after it any of"),
    Refusal(lambda w: elementwise(domain=3)(_square), DeclarationError, "_square", "domain", "is 3", "(low, high)"),
    Refusal(
        lambda w: primitive(outputs=3)(_square), DeclarationError, "_square", "outputs", "is 3", "a tuple of names"
    ),
    Refusal(_rule(lambda g: None), TypeError, "_square", "'x'", "returned None", "expected a gradient of shape (3,)"),
    Refusal(_rule(lambda g: 2.0), TypeError, "_square", "'x'", "returned a float", "computed from g"),
    Refusal(_rule(lambda g: F.sum(g)), GradientShapeError, "_square", "'x'", "has shape ()", "has shape (3,)"),
    Refusal(lambda w: primitive()(lambda xp, x: None)(w.x), TypeError, "<lambda>", "result", "got None", REAL),
    Refusal(
        lambda w: primitive(outputs=("a", "b"))(_square)(w.x),
        TypeError,
        "_square",
        "forward returned",
        "an ndarray",
        "expected a tuple of 2",
    ),
)

AUTHORED = (
    Refusal(lambda w: _node().apply(w.x), TypeError, "Mine", "apply", "got a Variable", "expected a tuple of inputs"),
    Refusal(lambda w: _node().apply((1j,)), TypeError, "Mine", "an input", "got complex 1j", REAL),
    Refusal(_twice, ReuseError, "Mine", "object", "was applied before", "make a new one"),
    Refusal(
        lambda w: _node(forward=lambda self, inputs: inputs[0]).apply((w.x,)),
        TypeError,
        "Mine",
        "forward",
        "returned an ndarray",
        "expected a tuple",
    ),
    Refusal(
        lambda w: _node(forward=lambda self, inputs: (w.x,)).apply((w.x,)),
        TypeError,
        "Mine",
        "forward",
        "returned a Variable",
        "works on arrays",
    ),
    Refusal(
        lambda w: _node(forward=lambda self, inputs: self.retain_inputs(0)).apply((w.x,)),
        TypeError,
        "Mine",
        "retain_inputs",
        "got 0",
        "such as (0,)",
    ),
    Refusal(_wrong(lambda s, t, gs: gs[0]), TypeError, "Mine", "backward", "returned a Variable", "expected a tuple"),
    Refusal(_wrong(lambda s, t, gs: gs * 3), GradientCountError, "Mine", "backward", "3 gradients", "one per input"),
    Refusal(_wrong(lambda s, t, gs: (1.0,)), TypeError, "Mine", "input 0", "returned a float", "expected a Variable"),
    Refusal(
        _wrong(lambda s, t, gs: (F.sum(gs[0]),)), GradientShapeError, "Mine", "'inputs[0]'", "shape ()", "shape (3,)"
    ),
    Refusal(
        lambda w: _mine(Function, forward=lambda s, i: i, backward=lambda s, i, g: w.x)()(w.x).sum().backward(),
        TypeError,
        "Mine",
        "backward",
        "returned a Variable",
        "expected a tuple of arrays",
    ),
    Refusal(
        lambda w: _mine(SimpleFunction, forward=lambda s, x: [x])()(w.x),
        TypeError,
        "Mine",
        "forward",
        "returned a list",
        "expected an array",
    ),
    Refusal(
        lambda w: _mine(ContextFunction, forward=lambda ctx, x: x),
        DeclarationError,
        "Mine",
        "forward",
        "def forward(ctx",
        "write @staticmethod",
    ),
    Refusal(
        lambda w: _mine(ContextFunction, forward=staticmethod(lambda ctx, x: ctx.save_for_backward("a"))).apply(w.x),
        TypeError,
        "Mine",
        "save_for_backward",
        "got a str at 0",
        "Keep anything else as an attribute",
    ),
    Refusal(
        lambda w: _mine(ContextFunction, forward=staticmethod(lambda ctx, x: ctx.mark_dirty(3))).apply(w.x),
        ValueError,
        "Mine",
        "mark_dirty",
        "got an int",
        "expected a Variable among the arguments",
    ),
)

FUNCTIONS = (*OPERANDS, *SHAPES, *ALGEBRA, *NUMPY, *DECLARATIONS, *AUTHORED)
