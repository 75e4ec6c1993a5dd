"""Creation and conversion of Variables under the names of NumPy, JAX and PyTorch, and switches for recording graphs.

By default, floats require a gradient. Results of `zeros`, `ones`, `full`, `eye`, `empty`, the corresponding ``_like``
functions and `bernoulli` do not: they are masks and initial states more often than inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from ..engine import Variable, takes_other_words, unwrap
from ..engine.configuration import FromNowOn, config, using_config
from ..engine.habits import answering
from ..engine.numpy_functions import requires
from . import array_module


def to(x: Any, target: Any) -> Any:
    """Move to a device if ``target`` is ``"cpu"`` or ``"cuda"``; otherwise cast to the dtype ``target``."""
    if not isinstance(target, str) or target.partition(":")[0] not in ("cpu", "cuda"):
        return x.astype(target)
    return x.to_cpu() if target == "cpu" else x.to_gpu()


def _cast(dtype: str) -> Callable[[Variable], Any]:
    return lambda x: x.astype(dtype)


double, float, half, long = map(_cast, ("float64", "float32", "float16", "int64"))
as_int, as_bool = map(_cast, ("int32", "bool"))


def _maker(make: Callable[..., Any], takes_shape: bool = False, learns: Any = None) -> Callable[..., Variable]:
    """A function that makes a Variable the way a NumPy function makes an array; a shape may be several numbers.

    ``learns`` is the default of ``requires_grad``; None leaves it to Variable.
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
    """``randint(high, shape)``, or the arguments of ``Generator.integers``."""
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
    """Zeros of the dtype of ``x``."""
    return zeros(*shape, dtype=x.dtype)


def new_ones(x: Any, *shape: Any) -> Variable:
    """Ones of the dtype of ``x``."""
    return ones(*shape, dtype=x.dtype)


linalg = ModuleType("autolab.linalg", "``numpy.linalg``, whose norms are called by other words, too.")
vars(linalg).update({name: value for name, value in vars(np.linalg).items() if not name.startswith("__")})
for _name in ("norm", "vector_norm", "matrix_norm"):
    setattr(linalg, _name, takes_other_words(getattr(np.linalg, _name)))
vars(linalg).update(__getattr__=answering("autolab.linalg", "linalg"))


def multinomial(p: Any, num_samples: int, replacement: bool = False, rng: Any = None) -> Variable:
    """Indices drawn with probabilities proportional to ``p``, or to each row of it."""
    rng = config.rng if rng is None else rng
    rows = np.atleast_2d(unwrap(p)).astype(np.float64)
    rows /= rows.sum(axis=1, keepdims=True)
    drawn = [rng.choice(rows.shape[1], num_samples, replacement, row) for row in rows]
    return Variable(np.array(drawn).reshape(*p.shape[:-1], num_samples))


def manual_seed(seed: int) -> None:
    """Seed NumPy's global random generator, which AutoLab uses as well."""
    np.random.seed(seed)  # the generator that users seed


def set_grad_enabled(mode: bool) -> FromNowOn:
    """Switch the recording of graphs on or off, from now on or, in a ``with`` statement, for its block."""
    return FromNowOn("enable_backprop", bool(mode))


def enable_grad() -> using_config:
    """A context in which graphs are recorded."""
    return using_config("enable_backprop", True)


def is_grad_enabled() -> bool:
    """Whether graphs are recorded."""
    return bool(config.enable_backprop)


def array(
    object: Any, dtype: Any = None, device: Any = "cpu", requires_grad: bool | None = None, **settings: Any
) -> Variable:
    """Make a Variable from a copy of the data; integers stay integers and have no gradient.

    Variables, also in lists, keep their graph unless ``requires_grad=False``. `autolab.numpy.array` makes arrays.

    Parameters
    ----------
    object : Variable, array, number, or nested lists of them
    dtype : dtype, optional
    device : str
        ``"cpu"`` or ``"cuda"``.
    requires_grad : bool, optional
        Defaults to True for floating-point data.
    **settings
        Further arguments of ``numpy.array``, for plain numbers only.

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
    """Like `array`, but copies only if needed; a Variable is returned as it is."""
    if isinstance(a, Variable) and not settings:
        return array_module.asarray(a, dtype)
    return array(a, dtype, copy=None, **settings)


def tensor(data: Any, dtype: Any = None, device: Any = "cpu", requires_grad: bool | None = None) -> Variable:
    """Like `array`, but from a Variable it makes a new leaf, detached from its graph.

    Examples
    --------
    >>> import autolab
    >>> autolab.tensor([0, 1, 2]).dtype, autolab.tensor([0.5]).requires_grad
    (dtype('int64'), True)
    """
    return array(data.array if isinstance(data, Variable) else data, dtype, device, requires_grad)
