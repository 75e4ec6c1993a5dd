"""Functions with a backward of their own, in the style of several libraries. All of them, and declared functions, can
be combined in one graph.

`FunctionNode`      Chainer's: gradients of any order
`Function`          Chainer's old style: backward on arrays, first-order gradients only
`SimpleFunction`    DeZero's: ``forward(*arrays)``, ``backward(*Variables)``
`ContextFunction`   PyTorch's: static methods and a ``ctx``
`custom_vjp`        JAX's: a decorator, and ``f.defvjp(fwd, bwd)``
`custom_jvp`        JAX's as well: ``f.defjvp(f_jvp)``
"""

from .array_function import Function
from .context_function import ContextFunction
from .custom_vjp import custom_jvp, custom_vjp
from .function_node import FunctionNode
from .simple_function import SimpleFunction

__all__ = ["ContextFunction", "Function", "FunctionNode", "SimpleFunction", "custom_jvp", "custom_vjp"]
