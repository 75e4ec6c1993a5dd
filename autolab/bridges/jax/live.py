"""explore(): a live view of a JAX function, which is run again at each point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...engine import folded, hidden
from ...views.graph.explorer import Explorer
from ..session import BridgeSession, opened
from .record import JaxRun


class JaxSession(BridgeSession):
    """A JAX function and the point at which it is shown."""

    runs = JaxRun


def explore(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Open a live view of a JAX function: move its inputs, and all values and gradients follow.

    At each point the function is traced and run again by JAX.

    Parameters
    ----------
    fn : callable
        A function that JAX can trace.
    *args, **inputs
        Its arguments, as for `record`. Arrays and floats can be moved.
    options : dict, optional
        ``upstream`` and ``budget``, as for `record`; ``replace``, a dict from step numbers to the values that replace
        their results; ``seconds`` (default 60), after which a computation is stopped.

    Returns
    -------
    Explorer
        ``.point`` is a dict of the present inputs, as NumPy arrays, ``.recording`` the recording that is shown, and
        ``.close()`` ends it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns nothing.
    UnsupportedError
        As for `record`.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from autolab.bridges.jax import explore
    >>> view = explore(lambda x, y: (x * y).sum(), jnp.array([1.0, 2.0]), jnp.array([3.0, 4.0]))
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.recording["x"].grad.values
    array([3., 4.], dtype=float32)
    >>> view.close()
    """
    __tracebackhide__ = hidden()
    with folded():
        return opened(JaxSession, fn, args, inputs, options)
