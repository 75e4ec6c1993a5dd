"""Pictures of plain data: recordings, Variables and reports as HTML, SVG, PNG, DOT and text. All of it is pure
functions.
"""

from typing import TYPE_CHECKING

from .registry import mimebundle

if TYPE_CHECKING:
    from ..engine.variable import Variable

__all__ = ["grad_status", "mimebundle"]


def grad_status(variable: "Variable") -> str:
    """Why a gradient is what it is, or is not there, in one sentence.

    Examples
    --------
    >>> import autolab
    >>> from autolab.display import grad_status
    >>> grad_status(autolab.Variable(2.0))
    'No gradient yet: no backward pass has reached it.'
    """
    from .status import of_variable  # this looks at graphs and recordings: imported when the first one asks

    return of_variable(variable)
