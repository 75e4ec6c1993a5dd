"""Looking at functions as a whole: derivatives over a domain, matrices of derivatives, loss surfaces. Plain data."""

from .breaks import Break
from .derivatives import Curves, Derivatives, Study
from .growth import Growth, growth
from .landscape import Surface, descend, surface
from .matrices import DerivativeMatrix, show_hessian, show_jacobian

__all__ = [
    "Break",
    "Curves",
    "DerivativeMatrix",
    "Derivatives",
    "Growth",
    "Study",
    "Surface",
    "descend",
    "growth",
    "show_hessian",
    "show_jacobian",
    "surface",
]
