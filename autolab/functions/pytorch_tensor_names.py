"""How PyTorch makes and converts tensors, draws them at random, and says whether graphs are made."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..engine.configuration import FromNowOn, config, using_config
from ..engine.keyword_aliases import takes_other_words
from ..engine.numpy_protocol import unwrap
from ..engine.variable import Variable


def to(x: Any, target: Any) -> Any:
    """On the device that ``"cpu"`` or ``"cuda"`` names; of anything else, which is a dtype, cast to it."""
    if not isinstance(target, str) or target.partition(":")[0] not in ("cpu", "cuda"):
        return x.astype(target)
    return x.to_cpu() if target == "cpu" else x.to_gpu()


def _cast(dtype: str) -> Callable[[Variable], Any]:
    return lambda x: x.astype(dtype)


double, float, half, long = map(_cast, ("float64", "float32", "float16", "int64"))
as_int, as_bool = map(_cast, ("int32", "bool"))


def _maker(make: Callable[..., Any], takes_shape: bool = False, learns: Any = None) -> Callable[..., Variable]:
    """What makes a Variable as a function of NumPy's makes an array; a shape may be given as several numbers.

    ``learns``: whether it requires a gradient where nothing is said; None for Variable's own way. Numbers that are all
    alike are masks and first states more often than inputs.
    """

    def made(*args: Any, requires_grad: Any = learns, dtype: Any = None, device: Any = "cpu", **more: Any) -> Variable:
        if takes_shape and len(args) > 1:
            args = (args,)
        array = make(*[unwrap(arg) for arg in args], **more)
        return tensor(array, array.dtype if dtype is None else dtype, device, requires_grad)

    made.__name__ = make.__name__
    made.__doc__ = f"A Variable as ``{make.__name__}`` of NumPy makes it."
    return made


def _integers(*args: Any) -> Any:
    """Of two arguments the second is a shape; else it is where the numbers end."""
    rng: Any = config.rng
    return rng.integers(0, *args) if len(args) == 2 and isinstance(args[1], tuple | list) else rng.integers(*args)


zeros = _maker(np.zeros, takes_shape=True, learns=False)
ones = _maker(np.ones, takes_shape=True, learns=False)
rand = _maker(lambda shape=(): config.rng.random(shape), takes_shape=True)
randn = _maker(lambda shape=(): config.rng.standard_normal(shape), takes_shape=True)
randint = _maker(_integers)
arange, linspace = _maker(np.arange, learns=False), _maker(takes_other_words(np.linspace))
eye, full = _maker(np.eye, learns=False), _maker(np.full, learns=False)
empty, full_like = _maker(np.empty, takes_shape=True, learns=False), _maker(np.full_like, learns=False)
randperm = _maker(lambda n: config.rng.permutation(n))
rand_like = _maker(lambda x: config.rng.random(x.shape))
randn_like = _maker(lambda x: config.rng.standard_normal(x.shape))
zeros_like, ones_like = _maker(np.zeros_like, learns=False), _maker(np.ones_like, learns=False)
empty_like = _maker(np.empty_like, learns=False)
from_numpy = _maker(np.asarray)
FloatTensor = _maker(lambda data=(): np.asarray(data, np.float32))
LongTensor = _maker(lambda data=(): np.asarray(data, np.int64))
normal = _maker(lambda mean=0.0, std=1.0, size=None: config.rng.normal(mean, std, size))
bernoulli = _maker(lambda p: (config.rng.random(p.shape) < p).astype(p.dtype), learns=False)


def new_zeros(x: Any, *shape: Any) -> Variable:
    """Zeros of the same dtype."""
    return zeros(*shape, dtype=x.dtype)


def new_ones(x: Any, *shape: Any) -> Variable:
    """Ones of the same dtype."""
    return ones(*shape, dtype=x.dtype)


linalg = ModuleType("autolab.linalg", "``numpy.linalg``, whose ``norm`` is called by other words, too.")
vars(linalg).update({**vars(np.linalg), "norm": takes_other_words(np.linalg.norm)})


def multinomial(p: Any, num_samples: int, replacement: bool = False, rng: Any = None) -> Variable:
    """Places drawn with the probabilities ``p``, or with those in each row of it."""
    rng = config.rng if rng is None else rng
    rows = np.atleast_2d(unwrap(p)).astype(np.float64)
    rows /= rows.sum(axis=1, keepdims=True)
    drawn = [rng.choice(rows.shape[1], num_samples, replacement, row) for row in rows]
    return Variable(np.array(drawn).reshape(*p.shape[:-1], num_samples))


def manual_seed(seed: int) -> None:
    """Seed NumPy's random numbers, from which AutoLab's come too."""
    np.random.seed(seed)  # it is what people seed


def set_grad_enabled(mode: bool) -> FromNowOn:
    """Let graphs be made from now on, or not; in a ``with`` block until its end."""
    return FromNowOn("enable_backprop", bool(mode))


def enable_grad() -> using_config:
    """A ``with`` block in which graphs are made."""
    return using_config("enable_backprop", True)


def is_grad_enabled() -> bool:
    """Whether graphs are made."""
    return bool(config.enable_backprop)


def tensor(data: Any, dtype: Any = None, device: Any = "cpu", requires_grad: bool | None = None) -> Variable:
    """A Variable of a copy of the data; whole numbers stay whole numbers, which have no gradient.

    Examples
    --------
    >>> import autolab
    >>> autolab.tensor([0, 1, 2]).dtype, autolab.tensor([0.5]).requires_grad
    (dtype('int64'), True)
    """
    made = Variable(np.array(unwrap(data), dtype), requires_grad=requires_grad)
    return made if str(device) == "cpu" else to(made, device)
