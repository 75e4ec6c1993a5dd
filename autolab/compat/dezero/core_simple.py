"""``dezero.core_simple``: the core of the first half of the book, where gradients are arrays. Here they are Variables,
which can be used to update arrays as well: ``x.data -= lr * x.grad``."""

from .core import Function, Variable, as_array, as_variable, no_grad, setup_variable, using_config

__all__ = ["Function", "Variable", "as_array", "as_variable", "no_grad", "setup_variable", "using_config"]
