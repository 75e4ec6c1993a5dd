"""Pictures of functions and of numbers: line charts, surfaces, Jacobians and Hessians as heatmaps.

    >>> import autolab
    >>> chart = autolab.plots.line_chart([1, 2, 3], {"loss": [4.0, 2.0, 1.0]})

Each returns plain data that displays itself.
"""

from .analysis import line_chart, show_hessian, show_jacobian, surface
from .engine.habits import answering

__all__ = ["line_chart", "show_hessian", "show_jacobian", "surface"]


__getattr__ = answering(__name__, "plots")
