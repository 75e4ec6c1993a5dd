"""The functions of layers: activations, connections, normalizations, pooling, recurrent steps and noise.

Random numbers come from NumPy's global generator, which ``numpy.random.seed`` seeds.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .... import functions as F
from ....engine import get_array_module, numpys_generator
from ....functions import pytorch_pooling  # noqa: F401  # for table.txt
from ....functions.networks.windows import windows
from ....functions.pytorch_pooling import reaching
from ....links.functional import running_averages
from ...table import fill, signed
from ..configuration import config
from ..variable import as_array, as_variable
from ._adapt import adapted, composed
from .math import _from_axis  # noqa: F401  # for table.txt


def covering(
    convolve: Any, x: Any, W: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, cover_all: bool
) -> Any:
    """A convolution; with ``cover_all``, by enough windows that every element is in one."""
    if cover_all:
        shape, size = as_array(W).shape[2:], as_array(x).shape[2:]
        around = reaching(windows(shape, stride, padding, dilation, len(shape)), size, drops=False)
        x, padding = F.pad(x, ((0, 0), (0, 0), *around)), 0
    return convolve(x, W, b, stride=stride, padding=padding, dilation=dilation, groups=groups)


@composed
def maxout(x: Any, pool_size: int, axis: int = 1) -> Any:
    """The maximum of every ``pool_size`` neighbours along an axis."""
    shape = as_array(x).shape
    if pool_size <= 0 or shape[axis] % pool_size:
        raise ValueError(f"maxout: pool_size is {pool_size}; expected a divisor of {shape[axis]}, the length of axis")
    axis %= len(shape)
    parts = F.reshape(x, (*shape[:axis], shape[axis] // pool_size, pool_size, *shape[axis + 1 :]))
    return F.max(parts, axis=axis + 1)


@adapted
def linear(x: Any, W: Any, b: Any = None, n_batch_axes: int = 1) -> Any:
    """``x @ W.T + b``; axes after the first ``n_batch_axes`` are flattened."""
    shape = as_array(x).shape
    if len(shape) < n_batch_axes + 1:
        raise ValueError(f"linear: x has shape {shape}; expected {n_batch_axes} axes of examples, and one more")
    if len(shape) > n_batch_axes + 1:
        x = F.reshape(x, shape=(*shape[:n_batch_axes], prod(shape[n_batch_axes:])))
    return _as(x, F.linear(x, W) if b is None else F.linear(x, W, b))


def _as(x: Any, y: Any) -> Any:
    """``y`` in the dtype of ``x``, which Chainer's layers keep whatever the dtype of their weights."""
    return y if as_array(y).dtype == as_array(x).dtype else F.cast(y, as_array(x).dtype)


@composed
def embed_id(x: Any, W: Any, ignore_label: int | None = None) -> Any:
    """The rows of ``W`` with the indices ``x``; zeros for ``ignore_label``."""
    ids = as_array(x)
    if ignore_label is None:
        return F.embedding(ids, W)
    kept = ids != ignore_label
    return F.mul(F.embedding(ids * kept, W), kept[..., None].astype(as_array(W).dtype))


def _axes(x: Any, gamma: Any, axis: Any) -> tuple[int, ...]:
    """The axes to normalize over: by default the batch axis, and those after the axes of ``gamma``."""
    if axis is not None:
        return (axis,) if isinstance(axis, int) else tuple(axis)
    return (0, *range(as_array(gamma).ndim + 1, as_array(x).ndim))


@adapted
@signed
def batch_normalization(x, gamma, beta, *, eps, running_mean, running_var, decay, axis):
    """Normalize each feature to mean 0 and variance 1 over the batch; then scale and shift.

    ``running_mean`` and ``running_var`` are arrays, updated in place as running averages over the batches.
    """
    axes = _axes(x, gamma, axis)
    if running_mean is not None or running_var is not None:
        averages = [np.ones_like(as_array(gamma)) if one is None else one for one in (running_mean, running_var)]
        for average, new in zip(averages, running_averages(averages, as_array(x), axes, decay), strict=True):
            average[...] = new
    return F.batch_norm(x, gamma, beta, axis=axes, eps=eps)


def _lengths(x: Any, axis: Any) -> Any:
    """The norms along axes, which keep length 1; their gradient at 0 is 0."""
    for one in (axis,) if isinstance(axis, int) else axis:
        x = F.norm(x, axis=one, keepdims=True)
    return x


def _of_images(pool: Any, x: Any, ksize: Any, stride: Any, pad: Any, **options: Any) -> Any:
    """Apply a function of images to sequences."""
    sizes = [n[0] if isinstance(n, tuple | list) else n for n in (ksize, ksize if stride is None else stride, pad)]
    rows = [(1, n) for n in sizes[:2]]
    return F.squeeze(pool(F.expand_dims(x, 2), *rows, (0, sizes[2]), **options), 2)


@composed
@signed
def average_pooling_1d(x, ksize, stride, pad, pad_value):
    """`average_pooling_2d` for sequences; with ``pad_value`` None, padding does not count."""
    if pad_value not in (0, None):
        raise ValueError(f"average_pooling_1d: pad_value is {pad_value!r:.60}; expected 0 or None")
    mean = _of_images(F.avg_pool2d, x, ksize, stride, pad)
    if pad_value is None:
        xp = get_array_module(as_array(x))
        mean = F.div(mean, _of_images(F.avg_pool2d, xp.ones_like(as_array(x)), ksize, stride, pad))
    return mean


def _gates(x: Any, count: int) -> list[Any]:
    """Split ``x`` into ``count`` gates; the numbers of one unit are adjacent."""
    shape = as_array(x).shape
    each = F.reshape(x, shape=(shape[0], shape[1] // count, count, *shape[2:]))
    return [F.getitem(each, index=(slice(None), slice(None), i)) for i in range(count)]


@composed
def lstm(c_prev: Any, x: Any) -> tuple[Any, Any]:
    """One step of a long short-term memory: the next cell state and hidden state.

    ``x`` has four numbers for each unit: the cell input, and the input, forget and output gates. If the batch has
    become smaller, the cell states of the examples no longer in it are returned unchanged.
    """
    batch, before = len(as_array(x)), len(as_array(c_prev))
    if batch > before:
        raise ValueError(f"lstm: x has {batch} examples; expected at most {before}, those of c_prev")
    ended = None if batch == before else F.getitem(c_prev, index=slice(batch, None))
    c_prev = c_prev if ended is None else F.getitem(c_prev, index=slice(batch))
    a, i, f, o = _gates(x, 4)
    c = F.add(F.mul(F.tanh(a), F.sigmoid(i)), F.mul(F.sigmoid(f), c_prev))
    h = F.mul(F.tanh(c), F.sigmoid(o))
    return (c if ended is None else F.concatenate([c, ended], axis=0)), h


@composed
def dropout(x: Any, ratio: float = 0.5, *, mask: Any = None, return_mask: bool = False) -> Any:
    """Zero elements with probability ``ratio`` in training; in test mode, return ``x`` unchanged.

    ``mask`` is the array to multiply by, with elements 0 or ``1 / (1 - ratio)``.
    """
    if not 0 <= ratio < 1:
        raise ValueError(f"dropout: ratio is {ratio!r:.60}; expected at least 0 and less than 1")
    if not config.train:
        return (as_variable(x), None) if return_mask else as_variable(x)
    if mask is None and not return_mask:
        return F.dropout(as_variable(x), ratio, rng=numpys_generator())
    if mask is None:
        mask = F.dropout(get_array_module(as_array(x)).ones_like(as_array(x)), ratio, rng=numpys_generator())
    y = F.mul(as_variable(x), mask)
    return (y, mask) if return_mask else y


def _drawn(like: Any, draw: str, *settings: float) -> Any:
    data = as_array(like)
    return get_array_module(data).asarray(getattr(np.random, draw)(*settings, data.shape), dtype=data.dtype)


@composed
@signed
def simplified_dropconnect(x, W, b, ratio, train, mask, use_batchwise_mask):
    """`linear` with random weights zeroed in training: different ones for each example, or the same for all."""
    if mask is None:
        shape = (len(as_array(x)),) * bool(use_batchwise_mask) + as_array(W).shape
        mask = numpys_generator().random(shape) >= ratio
    scale = (as_array(mask) / (1 - ratio)).astype(as_array(W).dtype)
    kept = F.mul(W, scale) if train and config.train else W
    y = F.einsum("boi,bi->bo", kept, x) if kept.ndim == 3 else F.linear(x, kept)
    return y if b is None else F.add(y, b)


@composed
def gaussian(mean: Any, ln_var: Any, *, eps: Any = None, return_eps: bool = False) -> Any:
    """A sample from normal distributions, differentiable with respect to the mean and the logarithm of the variance."""
    eps = _drawn(mean, "normal", 0.0, 1.0) if eps is None else eps
    y = F.add(mean, F.mul(F.exp(F.mul(ln_var, 0.5)), eps))
    return (y, eps) if return_eps else y


@composed
def gumbel_softmax(log_pi: Any, tau: float = 0.1, axis: int = 1) -> Any:
    """A sample from the Gumbel-softmax distribution: a soft choice of one class along an axis."""
    if tau < 1e-10:
        return F.softmax(log_pi, axis)
    return F.softmax(F.div(F.add(log_pi, _drawn(log_pi, "gumbel", 0.0, 1.0)), tau), axis)


__getattr__ = fill(__name__, adapted, composed)
