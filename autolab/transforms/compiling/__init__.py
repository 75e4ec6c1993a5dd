"""compile: a function is traced once and then run as a straight line of NumPy calls."""

from .compiled import Compiled, CompileWarning, compile

__all__ = ["CompileWarning", "Compiled", "compile"]
