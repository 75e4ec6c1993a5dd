"""Functions as a whole, as plain data: derivatives over a domain, matrices of derivatives, loss surfaces."""

from .curves import Break, Curves
from .derivatives import Derivatives, Growth, Study, growth
from .landscape import Surface, descend, surface
from .line_charts import LineChart, line_chart
from .matrices import DerivativeMatrix, show_hessian, show_jacobian

__all__ = [
    "Break",
    "Curves",
    "DerivativeMatrix",
    "Derivatives",
    "Growth",
    "LineChart",
    "Study",
    "Surface",
    "descend",
    "growth",
    "line_chart",
    "show_hessian",
    "show_jacobian",
    "surface",
]
