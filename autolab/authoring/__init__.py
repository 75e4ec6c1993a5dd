"""Other schools of writing a function. All of them, `autolab.FunctionNode` and declared functions stand together in one
graph.

`Function`          Chainer's old style: backward on arrays, first order only
`SimpleFunction`    DeZero's: ``forward(*arrays)``, ``backward(*Variables)``
`ContextFunction`   PyTorch's: static methods and a ``ctx``
"""

from .array_function import Function
from .context_function import ContextFunction
from .simple_function import SimpleFunction

__all__ = ["ContextFunction", "Function", "SimpleFunction"]
