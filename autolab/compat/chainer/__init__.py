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

These things differ from AutoLab because Chainer does them this way: `grad` is an array, and `grad_var` the Variable;
Variables take only arrays; links register parameters only inside `init_scope`; iterators give lists of examples, which
a converter joins; initializers fill arrays, and they, dropout and iterators draw from NumPy's global generator;
`softmax` and its relatives work along axis 1, and `max_pooling_2d` has `cover_all=True`; functions always give
Variables, and what does not fit raises `InvalidType`; several gradients are a list, and an update without a gradient
does nothing.

These things stay AutoLab's: `backward` of several elements without an upstream gradient is an error, where Chainer did
nothing, and an upstream gradient that was set is still there afterwards; float32 and float64 promote as in NumPy;
integers never require a gradient; a function object is called only once; reported values are numbers without a graph;
equal greatest elements share the gradient of their maximum; `check_backward` looks at all elements. If a function has
several results, `backward` counts the upstream gradient of the one it begins at, and of no other. Files of optimizers
have AutoLab's names. There is no ChainerX, no iDeep, and no training on several GPUs.
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
from .function import Function, FunctionAdapter, force_backprop_mode, no_backprop_mode
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
    "FunctionAdapter",
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
