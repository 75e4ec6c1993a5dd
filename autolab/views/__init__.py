"""Views: pictures of recordings, Variables and reports, and the live views in a notebook; one folder for each.

`draw` holds what all pictures are made of, `live` what every live view is. Each view is loaded on its first use, so
that the first picture of a new kernel waits for no other view's code.
"""

from typing import TYPE_CHECKING

from .draw.registry import mimebundle

if TYPE_CHECKING:
    from ..engine.variable import Variable

__all__ = ["grad_status", "mimebundle"]


def grad_status(variable: "Variable") -> str:
    """Why a gradient is what it is, or is not there, in one sentence.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views import grad_status
    >>> grad_status(autolab.Variable(2.0))
    'No gradient yet: no backward pass has reached it.'
    """
    from .draw.grad_status import of_variable  # it looks at recordings: imported when the first one asks

    return of_variable(variable)
