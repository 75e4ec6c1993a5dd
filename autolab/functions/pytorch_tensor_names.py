"""How Variables are made and converted by the names of NumPy, JAX and PyTorch, and whether graphs are made.

Where nothing is said, floats require a gradient. `zeros`, `ones`, `full`, `eye`, `empty`, their like, and the zeros and
ones of `bernoulli` do not: they are masks and first states more often than inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..engine.configuration import FromNowOn, config, using_config
from ..engine.keyword_aliases import takes_other_words
from ..engine.numpy_functions import requires
from ..engine.numpy_protocol import unwrap
from ..engine.variable import Variable
from . import array_module


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

    ``learns``: whether it requires a gradient where nothing is said; None for Variable's own way.
    """

    def made(*args: Any, requires_grad: Any = learns, dtype: Any = None, device: Any = "cpu", **more: Any) -> Variable:
        if takes_shape and len(args) > 1:
            args = (args,)
        numbers = make(*[unwrap(arg) for arg in args], **more)
        return asarray(numbers, numbers.dtype if dtype is None else dtype, device=device, requires_grad=requires_grad)

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
arange, linspace = _maker(np.arange), _maker(takes_other_words(np.linspace))
logspace, geomspace = _maker(np.logspace), _maker(np.geomspace)
eye, identity = _maker(np.eye, learns=False), _maker(np.identity, learns=False)
full = _maker(np.full, learns=False)
empty, full_like = _maker(np.empty, takes_shape=True, learns=False), _maker(np.full_like, learns=False)
randperm = _maker(lambda n: config.rng.permutation(n))
rand_like = _maker(lambda x: config.rng.random(x.shape))
randn_like = _maker(lambda x: config.rng.standard_normal(x.shape))
zeros_like, ones_like = _maker(np.zeros_like, learns=False), _maker(np.ones_like, learns=False)
empty_like = _maker(np.empty_like, learns=False)
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


def array(
    object: Any, dtype: Any = None, device: Any = "cpu", requires_grad: bool | None = None, **settings: Any
) -> Variable:
    """A Variable of a copy of the numbers; whole numbers stay whole numbers, which have no gradient.

    Variables, also in lists, keep their graph, unless ``requires_grad=False``. `autolab.numpy.array` makes arrays.

    Parameters
    ----------
    object : Variable, array, number, or nested lists of them
    dtype : dtype, optional
    device : str
        ``"cpu"`` or ``"cuda"``.
    requires_grad : bool, optional
        By default, whether the numbers are floats.
    **settings
        Others of ``numpy.array``, for numbers alone.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.array([1.0, 2.0])
    >>> (x**2).sum().backward()
    >>> x.grad
    variable([2. 4.])
    """
    if requires(object) and requires_grad is not False:
        made = array_module.array(object, dtype)
    else:
        made = Variable(np.array(unwrap(object), dtype, **settings), requires_grad=requires_grad)
    return made if str(device) == "cpu" else to(made, device)


def asarray(a: Any, dtype: Any = None, **settings: Any) -> Variable:
    """`array` without a copy where none is needed; a Variable stays itself."""
    if isinstance(a, Variable) and not settings:
        return array_module.asarray(a, dtype)
    return array(a, dtype, copy=None, **settings)


def tensor(data: Any, dtype: Any = None, device: Any = "cpu", requires_grad: bool | None = None) -> Variable:
    """`array`; but of a Variable it makes a leaf, which has nothing to do with the graph of that one.

    Examples
    --------
    >>> import autolab
    >>> autolab.tensor([0, 1, 2]).dtype, autolab.tensor([0.5]).requires_grad
    (dtype('int64'), True)
    """
    return array(data.array if isinstance(data, Variable) else data, dtype, device, requires_grad)
