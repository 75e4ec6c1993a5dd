"""Views: pictures of recordings, Variables and reports, and the live views in a notebook; one folder for each.

Each is loaded on its first use, so that the first picture of a new kernel waits for no other view's code.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from .draw.registry import mimebundle

if TYPE_CHECKING:
    from ..engine.variable import Variable
    from .derivatives.explorer import DerivativeExplorer, derivatives
    from .export.pages import export_html
    from .graph.explorer import Explorer, explore
    from .heatmap.heatmap import Heatmap, heatmap
    from .interact.interact import Interact, interact

_HOMES = {
    "DerivativeExplorer": "derivatives.explorer",
    "Explorer": "graph.explorer",
    "Heatmap": "heatmap.heatmap",
    "Interact": "interact.interact",
    "derivatives": "derivatives.explorer",
    "explore": "graph.explorer",
    "export_html": "export.pages",
    "heatmap": "heatmap.heatmap",
    "interact": "interact.interact",
}

__all__ = [
    "DerivativeExplorer",
    "Explorer",
    "Heatmap",
    "Interact",
    "derivatives",
    "explore",
    "export_html",
    "grad_status",
    "heatmap",
    "interact",
    "mimebundle",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*__all__]


def grad_status(variable: "Variable") -> str:
    """Why a gradient is what it is, or is not there, in one sentence.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views import grad_status
    >>> grad_status(autolab.Variable(2.0))
    'No gradient yet: no backward pass has reached it.'
    """
    from ..views.draw.grad_status import (
        of_variable,  # this looks at graphs and recordings: imported when the first one asks
    )

    return of_variable(variable)
