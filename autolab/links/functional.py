"""A link as a function of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from ..engine.parameter import Parameter
from .link import Link


def with_parameters(link: Link, parameters: Mapping[str, Parameter]) -> Link:
    """A copy of a link that computes with other parameters; the link itself and its buffers stay as they are.

    Parameters
    ----------
    link : Link
    parameters : dict of Parameter
        By the paths of `Link.namedparams`; those left out share the arrays of the link's. What several links share is
        replaced in all of them.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab.links.functional import with_parameters
    >>> double = autolab.links.Linear(2, 1)
    >>> other = with_parameters(double, {"/W": autolab.Parameter(np.full((1, 2), 2.0))})
    >>> other(np.ones((1, 2)))
    variable([[4.]])
    """
    twin = link.copy()
    found = dict(twin.namedparams())
    other = {id(found[path]): parameter for path, parameter in parameters.items()}
    for part in twin.links():
        for name, parameter in [*part._own("parameter")]:
            part.__dict__[name] = other.get(id(parameter), parameter)
    return twin
