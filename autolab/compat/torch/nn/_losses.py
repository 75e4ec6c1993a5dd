"""Loss functions."""

from __future__ import annotations

from functools import partial  # noqa: F401  # for table.txt
from typing import Any

import numpy as np

from .... import functions as F
from ....functions import pytorch_losses as _losses  # noqa: F401  # for table.txt
from ....functions.elementwise.selection import with_values
from ....functions.losses.clamped import binary_cross_entropy as _clamped  # noqa: F401  # for table.txt
from ....functions.losses.loss_terms import in_all
from ....functions.pytorch_names import cross_entropy as _cross_entropy
from ....functions.pytorch_names import kl_div as _kl_div
from ....functions.pytorch_names import triplet_margin_loss as _triplet
from ...table import fill, signed
from .._arguments import beside, expect, floats, numbers, of_floats, tensor_of, together, without_gradient  # noqa: F401  # for table.txt
from .._tensor import constant, dressed


def _reduction(function: str, reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> str:
    """The reduction of a loss, also from the two deprecated arguments that ``reduction`` replaces."""
    if size_average is not None or reduce is not None:
        return "none" if reduce is False else "sum" if size_average is False else "mean"
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{function}: {reduction!r:.60} is not a valid value for reduction: mean, sum or none")
    return reduction


def _pair(function: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Input and target, promoted to one type and broadcast to one shape."""
    a, b = tensor_of(function, input), tensor_of(function, target, "target")
    if a._data.shape != b._data.shape:
        shape = np.broadcast_shapes(a._data.shape, b._data.shape)
        a, b = F.broadcast_to(a, shape), F.broadcast_to(b, shape)
    return together(a, b)


def _of_pair(name: str, engine: Any, input: Any, target: Any, *how: Any, weight: Any = None) -> Any:
    x, t = _pair(name, input, numbers(name, target) if name == "l1_loss" or weight is not None else target)
    weights, asked = without_gradient(name, "weight", weight), _reduction(name, *how)
    if weights is None:
        return _weighted(engine, of_floats(name, x), t, None, asked)
    expect(weights.shape == input._data.shape, name, "the shape of weight", weights.shape, "that of input")
    if asked == "mean" and name == "mse_loss":
        return dressed(F.div(_weighted(engine, x, t, weights, "sum"), weights.sum()))
    return _weighted(engine, x, t, weights, asked)


def _weighted(engine: Any, x: Any, t: Any, weights: Any, how: str) -> Any:
    """A loss whose terms may have weights; the mean of no terms is NaN."""
    if weights is None and x._data.size:
        return dressed(engine(x, t, reduction=how))
    each = engine(x, t, reduction="none")
    return _meant(each if weights is None else F.mul(each, weights), how)


def _divergence(input: Any, target: Any, size_average: Any, reduce: Any, reduction: str, log_target: bool) -> Any:
    x, t = _pair("kl_div", of_floats("kl_div", input), of_floats("kl_div", target, "target"))
    if reduction == "batchmean":
        old = size_average is not None or reduce is not None
        expect(not old, "kl_div", "reduction", reduction, "mean, beside size_average or reduce")
        return dressed(_kl_div(x, t, reduction, log_target))
    return _meant(_kl_div(x, t, "none", log_target), _reduction("kl_div", reduction, size_average, reduce))


@signed
def cross_entropy(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing):
    """The cross entropy between scores (before the softmax) and class indices or class probabilities.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.functional.cross_entropy(torch.zeros(2, 4), torch.tensor([0, 3]))
    tensor(1.3863)
    """
    x, t = of_floats("cross_entropy", input), tensor_of("cross_entropy", target, "target")
    how = _reduction("cross_entropy", reduction, size_average, reduce)
    label_smoothing = max(label_smoothing, 0.0)  # as in PyTorch, where nothing below 0 smooths
    if t._data.dtype.kind != "f":
        smoothed = lambda x, t, axis, **given: _cross_entropy(x, t, **given, label_smoothing=label_smoothing)  # noqa: E731
        engine = smoothed if label_smoothing else F.softmax_cross_entropy
        return _of_classes("cross_entropy", engine, x, t, weight, ignore_index, how)
    if ignore_index >= 0:
        raise RuntimeError("cross_entropy: ignore_index is of numbers of classes; target has probabilities")
    weights = without_gradient("cross_entropy", "weight", weight)
    y = _cross_entropy(x, t, weights, reduction=how, label_smoothing=label_smoothing)
    return dressed(F.add(y, float("nan")) if how == "mean" and not t._data.size else y)


def _of_classes(name: str, engine: Any, x: Any, t: Any, weight: Any, ignore_index: int, *asked: Any) -> Any:
    """A loss with class indices as targets; the mean over no targets, or over targets of weight 0, is NaN."""
    axis, how = 1 if of_floats(name, x)._data.ndim > 1 else 0, _reduction(name, *asked)
    weights, ignored = without_gradient(name, "weight", weight), tensor_of(name, t, "target")._data == ignore_index
    some = bool(ignored.any())  # to weigh all targets takes time
    given = {"axis": axis, "class_weight": weights, "ignore_label": ignore_index if some else None}
    if how == "mean" and (some or weights is not None or not t._data.size):
        if not _counted(t._data, None, ignore_index):
            return dressed(F.add(engine(x, t, **given, reduction="sum"), float("nan")))
        if not _counted(t._data, weights, ignore_index):
            return dressed(F.mul(engine(x, t, **given, reduction="sum"), float("nan")))
    return dressed(engine(x, t, **given, reduction=how))


def _counted(t: Any, weights: Any, ignore_index: int) -> bool:
    """Whether a label has a weight and is not ignored."""
    counted = t[t != ignore_index]
    return bool(counted.size if weights is None else weights[counted].any())


def _binary(name: str, engine: Any, input: Any, target: Any, weight: Any, *how: Any) -> Any:
    x, t = tensor_of(name, input), tensor_of(name, target, "target")
    if x._data.shape != t._data.shape:
        raise ValueError(f"{name}: target has shape {t._data.shape}; expected {x._data.shape}, that of input")
    x, t = together(of_floats(name, x), of_floats(name, t, "target"))
    weights, asked = without_gradient(name, "weight", weight), _reduction(name, *how)
    fits = weights is None or np.broadcast_shapes(weights.shape, x.shape) == x.shape
    expect(fits, name, "weight", np.shape(weights), "that of input")
    return _weighted(engine, x, t, weights, asked)


def _meant(each: Any, how: str) -> Any:
    """The terms of a loss, reduced; the mean of none is NaN."""
    return dressed(in_all(each, how) if each.size or how != "mean" else F.add(in_all(each, "sum"), float("nan")))


@signed
def gaussian_nll_loss(input, target, var, full, eps, reduction):
    """The negative log-likelihood of ``target`` under normal distributions with means ``input``, variances ``var``."""
    how = _reduction("gaussian_nll_loss", reduction)
    taken = numbers if isinstance(var, float) else of_floats
    x, t = _pair("gaussian_nll_loss", floats(taken("gaussian_nll_loss", input, "input")), target)
    if not isinstance(var, float):
        tensor_of("gaussian_nll_loss", var, "var")
    spread = constant(np.asarray(var, x._data.dtype)) if isinstance(var, float) else var
    right = x._data.shape, x._data.shape[:-1], (*x._data.shape[:-1], 1), ()
    expect(spread._data.shape in right, "gaussian_nll_loss", "the shape of var", spread._data.shape, "that of input")
    if spread._data.shape == x._data.shape[:-1]:  # one for each example
        spread = F.expand_dims(spread, -1)
    spread = F.broadcast_to(spread, x._data.shape)
    if (spread._data < 0).any():
        raise ValueError("gaussian_nll_loss: var has negative elements; expected variances")
    if (spread._data < eps).any():  # as in PyTorch, the gradient does not see the limit
        spread = with_values(spread, F.maximum(spread, eps))
    return dressed(F.gaussian_nll(x, t, spread, eps=max(eps, 0) / 2, reduction=how, full=full))


@signed
def triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, size_average, reduce, reduction):
    """The triplet loss: ``max(d(anchor, positive) - d(anchor, negative) + margin, 0)``."""
    of_floats("triplet_margin_loss", anchor, "anchor")
    how = _reduction("triplet_margin_loss", reduction, size_average, reduce)
    return _meant(_triplet(anchor, positive, negative, margin, p, eps, swap, reduction="none"), how)


__getattr__ = fill(__name__)
