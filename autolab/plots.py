"""Pictures of functions and of numbers: line charts, surfaces, Jacobians and Hessians as heatmaps.

    >>> import autolab
    >>> chart = autolab.plots.line_chart([1, 2, 3], {"loss": [4.0, 2.0, 1.0]})

Each returns plain data that displays itself.
"""

from typing import Any

from .analysis import line_chart, show_hessian, show_jacobian, surface
from .engine.habits import by_habit

__all__ = ["line_chart", "show_hessian", "show_jacobian", "surface"]


def __getattr__(name: str) -> Any:
    return by_habit(__name__, "plots", name)
