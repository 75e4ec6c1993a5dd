"""``autolab.func``: the functions of ``torch.func``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..engine.variable import as_variable
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
        left out keep their own values.
    args : tuple or object
        The positional arguments; anything but a tuple is the only one.
    kwargs : dict, optional
        The keyword arguments.

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
    owners = {path: (owner, name) for path, owner, name in _parameters(link)}
    others = {own_name(owners, name): value for name, value in parameters.items()}
    before = {path: owners[path][0].__dict__[owners[path][1]] for path in others}
    try:
        for path, value in others.items():
            owner, name = owners[path]
            owner.__dict__[name] = as_variable(value)
        return link(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for path, value in before.items():
            owner, name = owners[path]
            owner.__dict__[name] = value


def _parameters(link: Link) -> Iterator[tuple[str, Link, str]]:
    for path, part in link.namedlinks():
        for name, _ in part._own("parameter"):
            yield f"{path}/{name}".lstrip("/"), part, name
