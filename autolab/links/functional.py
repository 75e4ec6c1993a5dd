"""Links as functions of their parameters.

As `autolab.nn.functional` it also has the functions of `autolab.functions`; where the same call means something else
in PyTorch, it has PyTorch's version.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from .. import functions
from ..engine import Array, Parameter, Variable, as_array, new_order, publish, takes_other_words, unwrap
from ..engine.undisturbed import is_undisturbed
from ..functions.elementwise.selection import with_values
from ..functions.losses.clamped import binary_cross_entropy as clamped
from ..functions.networks.conv_transpose import padded_transpose
from ..functions.networks.embedding import padding_row
from ..functions.pytorch_pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d  # noqa: F401  # also of this module
from ..shared.binding import Bound
from .link import Link


def __getattr__(name: str) -> Any:
    return getattr(functions, name)


def pad(x: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """`functions.pad` with PyTorch's widths: before and after the last axis, then before and after the one before it.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.functional.pad(np.ones((2, 3)), (1, 2)).shape
    (2, 6)
    """
    if len(pad) % 2 or len(pad) > 2 * x.ndim:
        raise ValueError(f"pad: got {tuple(pad)} for {x.ndim} axes; expected two numbers for each, the last axis first")
    widths = [*zip(pad[::2], pad[1::2], strict=True)][::-1]
    widths = [(0, 0)] * (x.ndim - len(widths)) + widths
    inside = tuple([slice(max(-before, 0), min(after, 0) or None) for before, after in widths])  # of negative widths
    mode = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
    if min(pad, default=0) < 0 and mode == "wrap":
        x = x[inside]
    wider = [(max(before, 0), max(after, 0)) for before, after in widths]
    for axis, (n, both, cut) in enumerate(zip(x.shape, wider, widths, strict=True)):
        if n + min(cut[0], 0) + min(cut[1], 0) < 0:
            raise ValueError(f"pad: got {tuple(pad)} for shape {x.shape}; there are {n} elements along axis {axis}")
        most = {"reflect": n - 1, "wrap": n}.get(mode, max(both) if n or mode == "constant" else 0)
        if max(both) > max(most, 0):  # there are no more elements to copy
            raise ValueError(f"pad: got {tuple(pad)} for shape {x.shape}; expected at most {most} along axis {axis}")
    filled = {"constant_values": value or 0.0} if mode == "constant" else {}
    y = functions.pad(x, wider, mode=mode, **filled)
    return y[inside] if min(pad, default=0) < 0 and mode != "wrap" else y


def padded_by(x: Any, mode: str, padding: Any, kernel: Sequence[int], dilation: Sequence[int]) -> Any:
    """The input of a convolution with ``padding_mode`` reflect, replicate or circular, padded by that mode."""
    both = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    if padding != "same":
        both = [2 * n for n in ((0,) * len(both) if padding == "valid" else padding)]
    return pad(x, [n for total in reversed(both) for n in (total // 2, total - total // 2)], mode)


@takes_other_words
def binary_cross_entropy(x: Any, t: Any, reduction: str = "mean") -> Any:
    """`functions.binary_cross_entropy` with PyTorch's bound: a logarithm is at least -100.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.binary_cross_entropy(Variable([0.0]), [1.0])
    variable(100.0)
    """
    return clamped(x, t, reduction=reduction)


def dropout(x: Any, p: float = 0.5, training: bool | None = None, inplace: bool = False) -> Any:
    """`functions.dropout`; ``training`` defaults to the current mode, while PyTorch's default is True."""
    return functions.dropout(x, p, training=training)


def layer_norm(x: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """`functions.layer_norm` over the last axes, whose shape is ``normalized_shape``."""
    return functions.layer_norm(x, weight, bias, axis=_last_axes("layer_norm", x, normalized_shape), eps=eps)


def rms_norm(x: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Any:
    """`functions.rms_norm` over the last axes, whose shape is ``normalized_shape``; ``eps`` is that of the dtype."""
    least = float(np.finfo(x.dtype if x.dtype.kind == "f" else float).eps) if eps is None else eps
    return functions.rms_norm(x, weight, _last_axes("rms_norm", x, normalized_shape), least)


def _last_axes(function: str, x: Any, normalized_shape: Sequence[int]) -> tuple[int, ...]:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape or tuple(x.shape[-len(shape) :]) != shape:
        raise ValueError(f"{function}: x has shape {tuple(x.shape)}; expected {shape} as its last axes")
    return tuple(range(-len(shape), 0))


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`functions.batch_norm` with the running averages, or if ``training`` with those of the batch.

    In training, the running averages, if they are given, move towards those of the batch by the share ``momentum``.
    """
    shape = x.shape
    size = shape[1:2]
    if not training and (running_mean is None or running_var is None):
        raise ValueError("batch_norm: running_mean or running_var is None; out of training expected both")
    if training and math.prod(shape) < 2 * math.prod(shape[:2][-1:]):
        raise ValueError(f"batch_norm: x has shape {tuple(shape)}; a variance needs two numbers per feature")
    gamma = np.ones(size, x.dtype) if weight is None else weight
    beta = np.zeros(size, x.dtype) if bias is None else bias
    averages = () if training else (running_mean, running_var)
    y = functions.batch_norm(x, gamma, beta, *averages, eps=eps)
    if training and running_mean is not None:
        _follow((running_mean, running_var), x, (0, *range(2, x.ndim)), momentum)
    return y


def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`functions.instance_norm`, or without ``use_input_stats`` with the running averages, as in `batch_norm`.

    Otherwise the running averages, if they are given, move towards the means over the examples by ``momentum``.
    """
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, eps=eps)
    y = functions.instance_norm(x, weight, bias, eps)
    if running_mean is not None:
        _follow((running_mean, running_var), x, tuple(range(2, x.ndim)), momentum)
    return y


def _follow(holders: Sequence[Any], x: Any, axes: tuple[int, ...], momentum: float) -> None:
    new = running_averages([unwrap(holder) for holder in holders], unwrap(x), axes, 1 - momentum)
    for holder, average in zip(holders, new, strict=True):
        if isinstance(holder, Variable):
            holder._data = average
        else:
            holder[...] = average


def running_averages(averages: Sequence[Array], x: Array, axes: tuple[int, ...], decay: float) -> list[Array]:
    """The running mean and variance, updated with those of ``x`` over the axes, of which the variance is unbiased.

    If the axes leave more than that of the features, the means over the examples are taken. Inside `undisturbed`, as
    when a function is recorded or checked, the averages stay the same.
    """
    if is_undisturbed():
        return [*averages]
    if x.dtype == np.float16:  # sums would overflow at 65504
        x = x.astype(np.float32)
    mean, var = x.mean(axis=axes), x.var(axis=axes)
    each = x.size // max(mean.size, 1)
    batch = mean, var * (each / max(each - 1, 1))
    if mean.ndim > 1:
        batch = batch[0].mean(axis=0), batch[1].mean(axis=0)
    return [(decay * old + (1 - decay) * new).astype(old.dtype) for old, new in zip(averages, batch, strict=True)]


def embedding(
    x: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0
) -> Any:
    """`functions.embedding`; the row ``padding_idx`` gets no gradient.

    With ``max_norm``, rows that are looked up and are longer are first shortened to it, in the table itself.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.functional.embedding(np.array([1, 0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[3., 4.],
           [1., 2.]])
    """
    row, y = padding_row("embedding", padding_idx, len(weight)), functions.embedding(x, weight)
    if max_norm is not None:
        y = _within(y, as_array(unwrap(x), "embedding: x"), weight, max_norm, norm_type)
    if row is None or not isinstance(y, Variable):
        return y
    return functions.where((as_array(unwrap(x), "embedding: x") == row)[..., None], y.detach(), y)


def _within(y: Any, ids: Array, weight: Any, most: float, order: float) -> Any:
    """The rows ``y`` of a table, after those longer than ``most`` have been shortened in it; inside `undisturbed` the
    table stays as it is."""
    rows, table = np.unique(ids), unwrap(weight)
    lengths = functions.norm(table[rows], order, 1)
    longer = lengths > most
    if not longer.any():
        return y
    new = table.copy()
    new[rows[longer]] *= (most / (lengths[longer] + 1e-7))[:, None].astype(table.dtype)
    if is_undisturbed():
        return with_values(y, functions.embedding(ids, new)) if isinstance(y, Variable) else new[ids]
    if not isinstance(weight, Variable):
        weight[...] = new
    else:
        moved: list[Any] = [] if weight.node is None else [(weight.node, "moved", new_order())]
        publish([(weight, "_data", new), *moved])
    return functions.embedding(ids, weight)


def gelu(x: Any, approximate: str = "none") -> Any:
    """`functions.gelu`, or with ``approximate="tanh"`` its approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate is {approximate!r:.60}; expected 'none' or 'tanh'")
    if approximate == "none":
        return functions.gelu(x)
    return 0.5 * x * (1 + functions.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softplus(x: Any, beta: float = 1.0, threshold: float | None = None) -> Any:
    """``log(1 + exp(beta * x)) / beta``; with PyTorch's ``threshold``, ``x`` where ``beta * x`` is above it.

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.functional.softplus(Variable([0.0, 30.0]), beta=2.0)
    variable([ 0.34657359 30.        ])
    """
    if not beta:
        raise ValueError(f"softplus: beta is {beta!r:.40}; expected another number than 0")
    y = functions.softplus(x) if beta == 1 else functions.softplus(x * beta) / beta
    linear = threshold is not None and unwrap(x) * beta > threshold
    return functions.where(linear, x, y) if np.any(linear) else y


@takes_other_words
def leaky_relu(x: Any, slope: float = 0.01) -> Any:
    """`functions.leaky_relu` with PyTorch's default slope."""
    return functions.leaky_relu(x, slope)


@takes_other_words
def normalize(x: Any, ord: Any = 2.0, axis: Any = 1, eps: float = 1e-12) -> Any:
    """`functions.normalize` along axis 1."""
    return functions.normalize(x, ord, axis, eps)


@takes_other_words
def cosine_similarity(a: Any, b: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """`functions.cosine_similarity` along axis 1."""
    return functions.cosine_similarity(a, b, axis, eps)


@takes_other_words
def nll_loss(x: Any, t: Any, class_weight: Any = None, ignore_label: int = -100, reduction: str = "mean") -> Any:
    """`functions.nll_loss` with the classes along axis 1, or along axis 0 for a single example."""
    axis, how = min(x.ndim - 1, 1), {"class_weight": class_weight, "ignore_label": ignore_label}
    return functions.nll_loss(x, t, axis=axis, reduction=reduction, **how)


def _conv_transpose(function: Any) -> Any:
    def conv_transpose(*args: Any, **settings: Any) -> Any:
        if len(args) > 5:
            order = "padding is the last, as PyTorch's order of the others differs"
            raise TypeError(f"{function.__name__}: got {len(args)} arguments by position; expected at most 5: {order}")
        given = partial(padded_transpose, function) if "output_padding" in settings else function
        return given(*args, **settings)

    conv_transpose.__doc__ = f"`functions.{function.__name__}`; what follows the padding is given by keyword."
    return conv_transpose


conv_transpose1d, conv_transpose2d = map(_conv_transpose, (functions.conv_transpose1d, functions.conv_transpose2d))


def with_parameters(link: Link, parameters: Mapping[str, Parameter]) -> Link:
    """A copy of a link that uses other parameters; the link itself and its buffers do not change.

    Parameters
    ----------
    link : Link
    parameters : dict of Parameter
        By the paths of `Link.namedparams`; parameters that are left out share the arrays of the original. A parameter
        that several links share is replaced in all of them.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab.links.functional import with_parameters
    >>> double = autolab.links.Linear(2, 1)
    >>> other = with_parameters(double, {"/W": autolab.Parameter(np.full((1, 2), 2.0))})
    >>> other(np.ones((1, 2)))
    variable([[4.]])
    """
    twin = link.copy()
    found = dict(twin.namedparams())
    other = {id(found[path]): parameter for path, parameter in parameters.items()}
    for part in twin.links():
        for name, parameter in [*part._own("parameter")]:
            part.__dict__[name] = other.get(id(parameter), parameter)
    return twin


class LinkFunction:
    """A function of links that also takes their parameters, as keyword arguments.

    ``places`` says for each keyword which parameters of which links it replaces; parameters that are left out are the
    links' own. Each call works on copies of the links, so that no state carries over from one call to the next.
    """

    def __init__(self, fn: Any, places: Mapping[str, Sequence[tuple[Link, str]]]) -> None:
        self.__wrapped__ = self.of_links = fn
        self._places = places

    def __call__(self, *args: Any, **named: Any) -> Any:
        links: dict[int, Link] = {}
        given: dict[int, dict[str, Parameter]] = {}
        for label, held in self._places.items():
            parameter = named.pop(label, None)
            for link, path in held:
                links[id(link)] = link
                given.setdefault(id(link), {}).update({} if parameter is None else {path: parameter})
        twins: dict[int, Any] = {key: with_parameters(link, given[key]) for key, link in links.items()}
        fn = self.of_links
        owner = getattr(fn, "__self__", None)
        fn = getattr(twins[id(owner)], fn.__name__) if id(owner) in twins else twins.get(id(fn), fn)
        args = tuple([twins.get(id(value), value) for value in args])
        return fn(*args, **{name: twins.get(id(value), value) for name, value in named.items()})


def with_learned(bound: Bound) -> Bound:
    """``bound`` with the parameters of its links as additional inputs.

    Its links are the function itself, or the link whose method it is, and those among its arguments. A parameter of
    the former is called ``l1.W``, or ``self.W`` if an argument has that name already; one of an argument is called
    ``model.l1.W``. A parameter that several links share has the first of its names.
    """
    own = getattr(bound.fn, "__self__", bound.fn)
    links = {name: value for name, value in [("", own), *bound.arguments.items()] if isinstance(value, Link)}
    if not all([parameter.is_initialized for link in links.values() for parameter in link.params()]):
        with suppress(Exception):  # sizes are taken from the inputs; an error is raised again by the run itself
            bound.call()
    taken = bound.variables.keys() | bound.arguments.keys()
    places: dict[str, list[tuple[Link, str]]] = {}
    labels: dict[int, str] = {}
    learned: dict[str, Parameter] = {}
    for name, link in links.items():
        for path, parameter in link.namedparams():
            if parameter.is_initialized:
                label = ".".join([*filter(None, [name]), *path.lstrip("/").split("/")])
                label = labels.setdefault(id(parameter), f"self.{label}" if label in taken else label)
                learned[label] = parameter
                places.setdefault(label, []).append((link, path))
    return bound.learning(LinkFunction(bound.fn, places), learned) if learned else bound
