"""Pictures of plain data: recordings, Variables and reports as HTML, SVG, PNG, DOT and text. All of it is pure
functions.
"""

from typing import TYPE_CHECKING

from .registry import mimebundle

if TYPE_CHECKING:
    from ..engine.variable import Variable

__all__ = ["grad_status", "mimebundle"]


def grad_status(variable: "Variable") -> str:
    """Why a gradient is what it is, or is not there, in one sentence."""
    from .status import of_variable  # this looks at graphs and recordings: imported when the first one asks

    return of_variable(variable)
