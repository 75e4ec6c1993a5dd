"""``autolab.func``: the functions of ``torch.func``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import as_variable
from ..engine.habits import answering
from ..transforms import grad, hessian, jacfwd, jacrev, jvp, vmap
from ..transforms.jax_forms import vjp
from .link import Link
from .state import own_name

__all__ = ["functional_call", "grad", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]


def functional_call(
    link: Link, parameters: Mapping[str, Any], args: Any, kwargs: Mapping[str, Any] | None = None
) -> Any:
    """Call a link with the given values instead of its own parameters; the link itself does not change.

    Parameters
    ----------
    link : Link
    parameters : dict
        Values by the names of the parameters, AutoLab's (``l1/W``) or PyTorch's (``l1.weight``); parameters that are
        left out keep their own values. A parameter that several links share is replaced in all of them.
    args : tuple or object
        The positional arguments; anything but a tuple is the only one.
    kwargs : dict, optional
        The keyword arguments.

    Raises
    ------
    ValueError
        If the link has no parameter of one of the names.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import grad, links as L
    >>> from autolab.func import functional_call
    >>> layer = L.Linear(2, 1, nobias=True)
    >>> loss = lambda p: functional_call(layer, p, np.array([1.0, 2.0])).sum()
    >>> grad(loss)({"W": np.array([[3.0, 4.0]])})
    {'W': variable([[1. 2.]])}
    """
    parts = [*link.namedlinks()]
    own = {f"{path}/{name}".lstrip("/"): (part, name, p) for path, part in parts for name, p in part._own("parameter")}
    given = {own_name(own, name): value for name, value in parameters.items()}
    if unknown := given.keys() - own.keys():
        raise ValueError(f"functional_call: there is no parameter {min(unknown)!r:.60}; expected {', '.join(own):.150}")
    others = {id(own[path][2]): as_variable(value) for path, value in given.items()}
    replaced = [place for place in own.values() if id(place[2]) in others]  # a shared parameter, in all its places
    try:
        for part, name, parameter in replaced:
            part.__dict__[name] = others[id(parameter)]
        return link(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for part, name, parameter in replaced:
            part.__dict__[name] = parameter


__getattr__ = answering(__name__, "func")
