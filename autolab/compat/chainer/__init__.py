"""Chainer's names over AutoLab, as of Chainer 7.

    >>> from autolab import compat
    >>> compat.install("chainer")
    >>> import chainer
    >>> import chainer.functions as F
    >>> import numpy as np
    >>> x = chainer.Variable(np.array([[1, 2], [3, 4]], np.float32))
    >>> y = F.sum(x**2)
    >>> y.backward()
    >>> x.grad
    array([[2., 4.],
           [6., 8.]], dtype=float32)
    >>> compat.uninstall("chainer")

What is other than in Chainer
-----------------------------
- ``backward()`` of several elements without a start gradient is an error; Chainer did nothing (X1). A start gradient
  that was set is still there afterwards (X2).
- ``grad`` is an array, ``grad_var`` a Variable (X3). float32 and float64 mix, and promote as in NumPy (X6).
- A function's instance that is used twice is an error (X9); Chainer's text forbids it, and its code did not look.
- Random numbers come from NumPy's global generator as in Chainer; those of dropout are others for the same seed.
- At equal elements the gradient of a maximum is shared equally; Chainer gave all of it to some of them.
"""

from typing import Any

from .. import missing
from . import (
    backend,
    backends,
    computational_graph,
    configuration,
    cuda,
    dataset,
    datasets,
    function,
    function_node,
    functions,
    gradient_check,
    initializer,
    initializers,
    iterators,
    link,
    links,
    optimizer,
    optimizer_hooks,
    optimizers,
    reporter,
    sequential,
    serializer,
    serializers,
    testing,
    training,
    utils,
    variable,
)
from .backend import get_device
from .configuration import config, global_config, using_config
from .function import Function, force_backprop_mode, no_backprop_mode
from .function_node import FunctionNode, grad
from .initializer import Initializer
from .link import Chain, ChainList, Link
from .optimizer import GradientMethod, Optimizer, UpdateRule
from .reporter import DictSummary, Reporter, Summary, get_current_reporter, report, report_scope
from .sequential import Sequential
from .serializer import AbstractSerializer, Deserializer, Serializer
from .variable import Parameter, Variable, as_array, as_variable

__version__ = "7.8.1"

__all__ = [
    "AbstractSerializer",
    "Chain",
    "ChainList",
    "Deserializer",
    "DictSummary",
    "Function",
    "FunctionNode",
    "GradientMethod",
    "Initializer",
    "Link",
    "Optimizer",
    "Parameter",
    "Reporter",
    "Sequential",
    "Serializer",
    "Summary",
    "UpdateRule",
    "Variable",
    "as_array",
    "as_variable",
    "backend",
    "backends",
    "computational_graph",
    "config",
    "configuration",
    "cuda",
    "dataset",
    "datasets",
    "force_backprop_mode",
    "function",
    "function_node",
    "functions",
    "get_current_reporter",
    "get_device",
    "get_dtype",
    "global_config",
    "grad",
    "gradient_check",
    "initializer",
    "initializers",
    "is_debug",
    "iterators",
    "link",
    "links",
    "no_backprop_mode",
    "optimizer",
    "optimizer_hooks",
    "optimizers",
    "report",
    "report_scope",
    "reporter",
    "sequential",
    "serializer",
    "serializers",
    "set_debug",
    "should_use_cudnn",
    "testing",
    "training",
    "using_config",
    "utils",
    "variable",
]


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> Any:
    """The dtype itself; of None the one of ``config.dtype``.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.get_dtype()
    dtype('float32')
    """
    import numpy as np

    return np.dtype(config.dtype if dtype is None else dtype)


def should_use_cudnn(level: str, lowest_version: int = 0) -> bool:
    """False: cuDNN is CuPy's own affair.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.should_use_cudnn("==always")
    False
    """
    return False


def is_debug() -> bool:
    """Whether ``config.debug`` is set.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.is_debug()
    False
    """
    return bool(config.debug)


def set_debug(debug: bool) -> None:
    """Set ``config.debug``; AutoLab's checks are always on.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.set_debug(False)
    """
    config.debug = debug


__getattr__ = missing(__name__)
