"""``dezero.core_simple``: the core of the first half of the book, whose gradients were arrays. Here they are Variables,
which update arrays as arrays do: ``x.data -= lr * x.grad``."""

from .core import Function, Variable, as_array, as_variable, no_grad, setup_variable, using_config

__all__ = ["Function", "Variable", "as_array", "as_variable", "no_grad", "setup_variable", "using_config"]
