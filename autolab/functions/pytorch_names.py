"""PyTorch functions that differ from AutoLab's closest equivalent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine import Variable, as_variable, check_number, takes_other_words, unwrap
from ..engine.updates import retain
from .arrays.axes import moveaxis
from .arrays.indexing import put, take_along_axis
from .arrays.indexing import scatter as added
from .arrays.joining import along, in_sizes, place_of
from .arrays.shape import broadcast_to, transpose
from .elementwise.arithmetic import add as add_of
from .elementwise.arithmetic import sub as sub_of
from .elementwise.division import floor_divide
from .elementwise.exponentials import log
from .elementwise.selection import clip, minimum, where
from .losses.classification import softmax_cross_entropy
from .losses.entropy import xlogy
from .losses.loss_terms import in_all
from .networks.embedding import one_hot
from .networks.softmaxes import log_softmax
from .numpy_names import take
from .reductions.norms import norm
from .reductions.reduce import sum as sum_of


@takes_other_words
def cross_entropy(
    x: Any,
    t: Any,
    class_weight: Any = None,
    ignore_label: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """`softmax_cross_entropy` with the classes along axis 1, as in PyTorch, or along axis 0 for a single example.

    Parameters
    ----------
    x : Variable or array
        Scores before the softmax, of shape ``(examples, classes, ...)``.
    t : array
        Labels of the right classes, of the shape of ``x`` without the class axis; or class probabilities, of the shape
        of ``x``.
    class_weight, ignore_label, reduction
        As for `softmax_cross_entropy`. Probabilities are never ignored, and their mean is that of all examples.
    label_smoothing : float
        The part of the target probability that is spread evenly over all classes.

    Raises
    ------
    ValueError
        If there is not one weight for each class, or ``label_smoothing`` is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.cross_entropy(Variable([[2.0, 0.0], [0.0, 0.0]]), np.array([0, 1]))
    variable(0.4100375958014589)
    """
    axis, t = min(x.ndim - 1, 1), as_variable(t)
    is_probability = t.shape == x.shape and t.dtype.kind == "f"
    if not is_probability and not label_smoothing:
        settings = {"class_weight": class_weight, "ignore_label": ignore_label, "reduction": reduction}
        return softmax_cross_entropy(x, t, axis=axis, **settings)
    label_smoothing = check_number("cross_entropy", "label_smoothing", label_smoothing, 0, 1)
    classes, counted = x.shape[axis], np.ones(t.shape, bool) if is_probability else unwrap(t) != ignore_label
    labels = unwrap(t) * counted
    p = t if is_probability else one_hot(labels, classes=classes, axis=axis, dtype=x.dtype)
    p, weights = (1 - label_smoothing) * p + label_smoothing / classes, None
    if class_weight is not None:
        weights = np.asarray(unwrap(class_weight), x.dtype)
        if weights.shape != (classes,):
            raise ValueError(f"cross_entropy: class_weight has shape {weights.shape}; expected ({classes},)")
        p = p * weights.reshape(-1, *[1] * (x.ndim - axis - 1))
    terms = -sum_of(p * log_softmax(x, axis=axis), axis=axis)
    if is_probability or (weights is None and counted.all()):
        return in_all(terms, reduction, "cross_entropy")
    terms = where(counted, terms, np.zeros((), x.dtype))
    if reduction != "mean":
        return in_all(terms, reduction, "cross_entropy")
    total = counted.sum() if weights is None else weights[labels[counted]].sum()
    return sum_of(terms) / float(total or 1)


@takes_other_words
def kl_div(x: Any, t: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    """Kullback-Leibler divergence with log-probabilities ``x``: the mean of ``t * (log(t) - x)`` over all elements.

    `kl_divergence` instead takes two distributions and sums over one axis.

    Parameters
    ----------
    x : Variable or array
        Log-probabilities, for example results of `log_softmax`.
    t : Variable or array
        Probabilities of the same shape.
    reduction : str
        ``"mean"``, ``"batchmean"`` (the sum divided by the number of examples), ``"sum"`` or ``"none"``.
    log_target : bool
        Whether ``t`` holds log-probabilities as well.

    Raises
    ------
    ValueError
        If the shapes differ, or ``reduction`` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.kl_div(Variable(np.log([[0.5, 0.5]])), [[0.25, 0.75]], reduction="batchmean")
    variable(0.1308120359411369)
    """
    if reduction not in ("mean", "batchmean", "sum", "none"):
        raise ValueError(f"kl_div: reduction is {reduction!r:.40}; expected 'mean', 'batchmean', 'sum' or 'none'")
    terms = np.exp(t) * (t - x) if log_target else xlogy(t, t) - t * x
    if terms.shape != x.shape:
        raise ValueError(f"kl_div: x has shape {x.shape}; expected {terms.shape}, that of t")
    return in_all(terms, "sum") / max(len(x), 1) if reduction == "batchmean" else in_all(terms, reduction)


@takes_other_words
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """`triplet` with ``eps`` added to the differences; with ``swap``, the negative may be nearer to the positive.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.triplet_margin_loss(Variable([[0.0, 0.0]]), [[3.0, 4.0]], [[0.0, 2.0]], eps=0.0)
    variable(4.0)
    """
    if margin <= 0:
        raise ValueError(f"triplet_margin_loss: margin is {margin}; expected a number above 0")
    near, far = [norm(add_of(sub_of(anchor, other), eps), p, -1) for other in (positive, negative)]
    if swap:
        far = minimum(far, norm(add_of(sub_of(positive, negative), eps), p, -1))
    return in_all(clip(add_of(sub_of(near, far), margin), 0, None), reduction, "triplet_margin_loss")


@takes_other_words
def gather(x: Any, axis: int, index: Any) -> Any:
    """`take_along_axis` with PyTorch's argument order. Along the other axes the index may be shorter than ``x``."""
    index, place = unwrap(index), place_of("gather", axis, x.shape)
    longer = [i != place and n > m for i, (n, m) in enumerate(zip(x.shape, index.shape, strict=False))]
    first = tuple([slice(m) if more else slice(None) for more, m in zip(longer, index.shape, strict=False)])
    return take_along_axis(x[first] if any(longer) else x, index, axis=axis)


@takes_other_words
def index_select(x: Any, axis: int, index: Any) -> Any:
    """`numpy.take` with PyTorch's argument order."""
    return take(x, unwrap(index), axis=axis)


def _places(function: str, x: Any, axis: int, index: Any, value: Any) -> tuple[tuple[Any, ...], Any]:
    """The full index for an index along one axis, and the values cut to its shape, if there are more."""
    index, place = unwrap(index), place_of(function, axis, x.shape)
    if index.ndim != x.ndim:
        raise ValueError(f"{function}: index has shape {index.shape}; expected {x.ndim} axes, as many as x has")
    places = list(np.ix_(*map(range, index.shape)))
    places[place] = index
    return tuple(places), value[tuple(map(slice, index.shape))] if np.ndim(value) else value


@takes_other_words
def scatter(x: Any, axis: int, index: Any, value: Any) -> Any:
    """A copy of ``x`` with ``value`` written along an axis at the positions that `gather` would read."""
    places, value = _places("scatter", x, axis, index, value)
    return put(x, value, index=places)


@takes_other_words
def scatter_add(x: Any, axis: int, index: Any, value: Any) -> Any:
    """``x`` with ``value`` added along an axis at the positions in the index; repeated positions accumulate."""
    places, value = _places("scatter_add", x, axis, index, value)
    return x + added(value, index=places, shape=x.shape)


@takes_other_words
def index_add(x: Any, axis: int, index: Any, value: Any, *, alpha: float = 1) -> Any:
    """``x`` with slices of ``alpha * value`` added along an axis at the positions in the index."""
    value = value if alpha == 1 else value * alpha
    return x + added(value, index=along(place_of("index_add", axis, x.shape), unwrap(index)), shape=x.shape)


@takes_other_words
def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """``value`` where the mask is True, ``x`` elsewhere; the dtype is that of ``x``."""
    return where(unwrap(mask), value if isinstance(value, Variable) else np.asarray(value, x.dtype), x)


@takes_other_words
def chunk(x: Any, chunks: int, axis: int = 0) -> tuple[Any, ...]:
    """Split into at most ``chunks`` parts along an axis; all but the last have the same length."""
    return in_sizes(x, max(-(-x.shape[place_of("chunk", axis, x.shape)] // chunks), 1), axis)


@takes_other_words
def unbind(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis, without that axis."""
    return tuple(moveaxis(x, axis, 0))


@takes_other_words
def unflatten(x: Any, axis: int, sizes: Any) -> Any:
    """Split one axis into several of the given sizes."""
    place = place_of("unflatten", axis, x.shape)
    return x.reshape(*x.shape[:place], *sizes, *x.shape[place + 1 :])


@takes_other_words
def add(x: Any, other: Any, *, alpha: float = 1) -> Any:
    """``x + alpha * other``."""
    return x + (other if alpha == 1 else alpha * other)


@takes_other_words
def sub(x: Any, other: Any, *, alpha: float = 1) -> Any:
    """``x - alpha * other``."""
    return x - (other if alpha == 1 else alpha * other)


@takes_other_words
def div(x: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """``x / other``, or with ``rounding_mode`` "floor" or "trunc" the integer below it or nearer to 0."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise ValueError(f"div: rounding_mode is {rounding_mode!r:.40}; expected None, 'floor' or 'trunc'")
    if rounding_mode is None:
        return x / other
    quotient = floor_divide(x, other)
    up = (quotient.data < 0) & (quotient.data * unwrap(other) != unwrap(x)) if rounding_mode == "trunc" else False
    return quotient + np.asarray(up).astype(quotient.dtype)


@takes_other_words
def addmm(x: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """``beta * x + alpha * a @ b``."""
    product = a @ b if alpha == 1 else alpha * (a @ b)
    return (x if beta == 1 else beta * x) + product


@takes_other_words
def rsqrt(x: Any) -> Any:
    """Reciprocal square root, ``1 / sqrt(x)``, elementwise."""
    return 1 / np.sqrt(x)


@takes_other_words
def logit(x: Any, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, the inverse of the sigmoid, elementwise; with ``eps``, of ``x`` within [eps, 1 - eps].

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.logit(Variable([0.5, 0.75]))
    variable([0.         1.09861229])
    """
    x = x if eps is None else clip(x, eps, 1 - eps)
    outside = (unwrap(x) < 0) | (unwrap(x) > 1)
    return log(where(outside, np.asarray(np.nan, x.dtype), x) / (1 - x) if outside.any() else x / (1 - x))


@takes_other_words
def masked_select(x: Any, mask: Any) -> Any:
    """The elements where the mask is True, as a 1-d array; both are broadcast."""
    mask = unwrap(mask)
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return broadcast_to(x, shape=shape)[np.broadcast_to(mask, shape)]


@takes_other_words
def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """The slice of ``length`` elements from ``start`` along an axis."""
    place = place_of("narrow", dim, x.shape)
    n = x.shape[place]
    first = start + n if start < 0 else start
    if first < 0 or length < 0 or first + length > n:
        raise ValueError(f"narrow: start is {start} and length is {length}; expected a part of an axis of length {n}")
    return x[along(place, slice(first, first + length))]


@takes_other_words
def select(x: Any, dim: int, index: int) -> Any:
    """The slice at one index of an axis, without that axis."""
    return x[along(place_of("select", dim, x.shape), index)]


def type_as(x: Any, other: Any) -> Any:
    """Cast to the dtype of ``other``."""
    return x.astype(other.dtype)


def view_as(x: Any, other: Any) -> Any:
    """Reshape to the shape of ``other``."""
    return x.reshape(*other.shape)


def expand_as(x: Any, other: Any) -> Any:
    """`broadcast_to` the shape of ``other``."""
    return broadcast_to(x, other.shape)


@takes_other_words
def lerp(x: Any, end: Any, weight: Any) -> Any:
    """Linear interpolation: ``x`` at weight 0, ``end`` at weight 1."""
    return x + weight * (end - x)


def or_else(x: Any, condition: Any, other: Any) -> Any:
    """``x`` where the condition holds, ``other`` elsewhere."""
    return where(unwrap(condition), x, other)


def is_tensor(x: Any) -> bool:
    """Whether ``x`` is a Variable."""
    return isinstance(x, Variable)


def contiguous(x: Variable) -> Variable:
    """The Variable itself: memory layout is left to NumPy."""
    return x


def dim(x: Variable) -> int:
    """Number of axes."""
    return x.ndim


def numel(x: Variable) -> int:
    """Number of elements."""
    return x.size


def element_size(x: Variable) -> int:
    """Size of an element in bytes."""
    return x.dtype.itemsize


def retain_grad(x: Variable) -> None:
    """Make later backward passes keep the gradient of a computed value, as they do for leaves."""
    if x.node is not None and x.node.order:
        retain(x.node)


def expand(x: Variable, *shape: int, size: Any = ()) -> Any:
    """`broadcast_to`; -1 keeps the length of an axis."""
    shape = shape or tuple(size)
    own = (-1,) * (len(shape) - x.ndim) + x.shape  # -1 is refused for a new axis
    return broadcast_to(x, tuple([n if m == -1 else m for m, n in zip(shape, own, strict=True)]))


def permute(x: Variable, *axes: Any, dims: Any = ()) -> Any:
    """All axes in this order: ``x.permute(1, 0)``, ``x.permute((1, 0))`` or ``x.permute(dims=(1, 0))``."""
    given = axes[0] if len(axes) == 1 and isinstance(axes[0], list | tuple) else axes or dims
    return transpose(x, axes=tuple(given))


@property  # type: ignore[misc]  # accessible as an attribute of Variable
def is_leaf(x: Any) -> bool:
    """Whether the Variable is a leaf: no function made it."""
    return x.creator is None
