"""explore(): a JAX function live, run again at each point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jax import numpy as jnp

from ...engine.tracebacks import folded, hidden
from ...recording.model import Recording
from ...views.graph.explorer import Explorer
from ..replaced import replaced_steps
from ..session import BridgeSession, opened
from .arrays import array_of, is_float
from .inputs import JaxInputs, bind
from .run import JaxRun

_LITERAL = 1000


class JaxSession(BridgeSession):
    """A JAX function and the point at which it is looked at."""

    library = "JAX"

    def __init__(self, inputs: JaxInputs, options: Mapping[str, Any]) -> None:
        self._inputs = inputs
        self._numbers: tuple[int, ...] = ()
        arrays = {name: np.array(array_of(value)) for name, value in inputs.arrays.items()}
        super().__init__(inputs.written, inputs.name, arrays, options)

    def run(
        self, arrays: Mapping[str, np.ndarray], upstream: Callable[[int, np.ndarray], Any], check: Callable[[], None]
    ) -> tuple[Recording, dict[int, np.ndarray]]:
        ones: dict[int, np.ndarray] = {}

        def starts(outputs: list[Any]) -> Any:
            ones.update({i: np.ones_like(array_of(y)) for i, y in enumerate(outputs) if is_float(y)})
            found = tuple([upstream(i, ones[i]) if i in ones else None for i in range(len(outputs))])
            return found if len(outputs) > 1 else found[0]

        given = self._inputs.arrays
        values = {name: jnp.asarray(a, given[name].dtype) for name, a in arrays.items() if _is_plain(given[name])}
        run = JaxRun(
            self._inputs, values, starts, self._budget, check, replaced_steps(self.state.replaced, self._numbers)
        )
        recording = run.record()
        self._numbers = run.numbers
        return recording, ones

    def code(self) -> str:
        """Python text that opens the same view at this point; arrays of many elements by their own names."""
        parts = []
        for name, array in self.state.inputs.items():
            text = f"jnp.array({array.tolist()!r}, '{self._inputs.arrays[name].dtype}')"
            text = text if array.size <= _LITERAL else name
            parts.append(f"{name}={text}" if name.isidentifier() else text)
        fn = self._inputs.name if self._inputs.name.isidentifier() else "fn"
        return f"autolab.explore({', '.join([fn, *parts])})".replace("nan", "jnp.nan")


def _is_plain(value: Any) -> bool:
    """Whether it can be made of a NumPy array: all but the keys of random numbers."""
    return bool(jnp.issubdtype(value.dtype, np.number) or value.dtype == bool)


def explore(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Look at a JAX function live: move its inputs and watch every value and gradient follow.

    At each point the function is traced and run again by JAX.

    Parameters
    ----------
    fn : callable
        A function that JAX can trace.
    *args, **inputs
        Its arguments, as for `record`. Arrays and floats can be moved.
    options : dict, optional
        ``upstream`` and ``budget``, as for `record`; ``replace``, a dict from numbers of steps to the values that they
        are to have; ``seconds`` (default 60), after which a computation is stopped.

    Returns
    -------
    Explorer
        ``.point`` holds the inputs as they stand, as NumPy arrays, ``.recording`` what the picture shows, ``.close()``
        ends it.

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
    explore: no notebook to draw in; open ...html in a browser
    >>> view.recording["x"].grad.values
    array([3., 4.], dtype=float32)
    >>> view.close()
    """
    __tracebackhide__ = hidden()
    with folded():
        return opened(JaxSession(bind("explore", fn, args, inputs), options or {}))
