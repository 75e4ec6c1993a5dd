"""``chainer.functions.noise``. Random numbers come from NumPy's global generator, which ``numpy.random.seed`` sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import functions as F
from ....engine.backend import get_array_module
from ...table import signed
from ..configuration import config
from ..variable import as_array, as_variable
from ._adapt import composed


def global_generator() -> np.random.Generator:
    """A generator that draws from the state of ``numpy.random``."""
    return np.random.Generator(np.random.get_bit_generator())  # type: ignore[attr-defined]


@composed
def dropout(x: Any, ratio: float = 0.5, *, mask: Any = None, return_mask: bool = False) -> Any:
    """Set elements to 0 at random in training, and leave ``x`` alone in test mode.

    ``mask`` is what is multiplied by: 0, or ``1 / (1 - ratio)``.
    """
    if not 0 <= ratio < 1:
        raise ValueError(f"dropout: ratio is {ratio!r:.60}; expected at least 0 and less than 1")
    if not config.train:
        return (as_variable(x), None) if return_mask else as_variable(x)
    if mask is None and not return_mask:
        return F.dropout(as_variable(x), ratio, rng=global_generator())
    if mask is None:
        mask = F.dropout(get_array_module(as_array(x)).ones_like(as_array(x)), ratio, rng=global_generator())
    y = F.mul(as_variable(x), mask)
    return (y, mask) if return_mask else y


def _drawn(like: Any, draw: str, *settings: float) -> Any:
    data = as_array(like)
    return get_array_module(data).asarray(getattr(np.random, draw)(*settings, data.shape), dtype=data.dtype)


@composed
@signed
def simplified_dropconnect(x, W, b, ratio, train, mask, use_batchwise_mask):
    """`linear`, some of whose weights count as 0 in training: others for each example, or the same for all."""
    if mask is None:
        shape = (len(as_array(x)),) * bool(use_batchwise_mask) + as_array(W).shape
        mask = global_generator().random(shape) >= ratio
    scale = (as_array(mask) / (1 - ratio)).astype(as_array(W).dtype)
    kept = F.mul(W, scale) if train and config.train else W
    y = F.einsum("boi,bi->bo", kept, x) if kept.ndim == 3 else F.linear(x, kept)
    return y if b is None else F.add(y, b)


@composed
def gaussian(mean: Any, ln_var: Any, *, eps: Any = None, return_eps: bool = False) -> Any:
    """A draw from normal distributions, through which gradients go to the mean and the logarithm of the variance."""
    eps = _drawn(mean, "normal", 0.0, 1.0) if eps is None else eps
    y = F.add(mean, F.mul(F.exp(F.mul(ln_var, 0.5)), eps))
    return (y, eps) if return_eps else y


@composed
def gumbel_softmax(log_pi: Any, tau: float = 0.1, axis: int = 1) -> Any:
    """A soft draw of one of the classes along an axis."""
    if tau < 1e-10:
        return F.softmax(log_pi, axis)
    return F.softmax(F.div(F.add(log_pi, _drawn(log_pi, "gumbel", 0.0, 1.0)), tau), axis)


@composed
def zoneout(h: Any, x: Any, ratio: float = 0.5) -> Any:
    """Elements of ``x``, of which each is that of ``h`` with a probability; in test mode the mean of both."""
    if not 0 <= ratio <= 1:
        raise ValueError(f"zoneout: ratio is {ratio!r:.60}; expected 0 to 1")
    kept = _drawn(x, "uniform", 0.0, 1.0) < ratio if config.train else as_array(x) * 0 + ratio
    kept = kept.astype(as_array(x).dtype)
    return F.add(F.mul(h, kept), F.mul(x, 1 - kept))
