"""check_gradients(): what is wrong with the gradients of a JAX function, such as one with ``custom_vjp``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine.errors import GradientCountError, GradientShapeError
from ...engine.tracebacks import folded, hidden
from ...gradcheck import GradientReport, check_bound
from ...gradcheck.measuring.options import settle
from ...gradcheck.naming.forgotten_way import Traced
from ..checked import bound_function
from .arrays import array_of, is_float
from .inputs import JaxInputs, bind
from .ways import traced

_DEFAULTS: dict[str, Any] = {"rng": None, "order": 1, "executor": None, "reveal": 4}
_SHAPES = re.compile(r"of type \w+\[([\d,]*)\] corresponding to an input of type \w+\[([\d,]*)\]")


def check_gradients(
    fn: Any,
    /,
    *args: Any,
    options: Mapping[str, Any] | None = None,
    rng: np.random.Generator | None = None,
    order: int = 1,
    executor: Executor | None = None,
    reveal: int = 4,
    **inputs: Any,
) -> GradientReport:
    """Compare the gradients that JAX computes with numeric ones, and say what is wrong with them.

    Of a function with ``custom_vjp`` that is the rule that somebody wrote. Everything is measured in float64, under
    ``jax.enable_x64``, where the function allows it.

    Parameters
    ----------
    fn : callable
    *args, **inputs
        Its arguments, as for `record`.
    options, rng, executor, reveal
        As for `autolab.check_gradients`.
    order : int
        2 checks the derivatives of the gradients, for a fixed upstream gradient.

    Returns
    -------
    GradientReport
        As that of `autolab.check_gradients`.

    Raises
    ------
    TypeError
        If the arguments do not fit the signature, none of them can have a gradient, or the result is no float.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> from autolab.bridges.jax import check_gradients
    >>> @jax.custom_vjp
    ... def square(x):
    ...     return x * x
    >>> square.defvjp(lambda x: (x * x, x), lambda x, g: (g * x,))
    >>> report = check_gradients(square, jnp.array([1.0, -2.0, 3.0]))
    >>> report.verdict, report.findings[0].kind
    ('wrong', 'wrong_factor')
    """
    given = {"rng": rng, "order": order, "executor": executor, "reveal": reveal}
    __tracebackhide__ = hidden()
    with folded():
        chosen = settle("check_gradients", _DEFAULTS, given, options, inputs)
        bound = bind("check_gradients", fn, args, inputs)
        orders = chosen.pop("order")
        if isinstance(orders, bool) or not isinstance(orders, int) or orders < 1:
            raise ValueError(f"check_gradients: order is {orders!r:.40}; expected 1, 2, ...")
        arrays = {name: np.array(array_of(value)) for name, value in bound.arrays.items()}
        return check_bound(bound_function(JaxSubject(bound, orders), bound.name, arrays), **chosen)


@dataclass(frozen=True)
class JaxSubject:
    """Calls a JAX function on arrays. Of order 2 its results are gradients, for a fixed upstream gradient."""

    inputs: JaxInputs
    order: int = 1

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> JaxCall:
        return JaxCall(self, arrays)

    def run(self, *values: Any) -> list[Any]:
        """The results of floats, and of order 2 and above gradients of them."""
        found = self._floats(*values)
        if not found:
            raise TypeError(f"check_gradients: {self.inputs.name} returned no floats")
        return found if self.order == 1 else _gradients(JaxSubject(self.inputs, self.order - 1).run, values)

    def _floats(self, *values: Any) -> list[Any]:
        return [y for y in jax.tree_util.tree_leaves(self.inputs.call(*values)) if is_float(y)]


def _gradients(fn: Callable[..., list[Any]], values: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of floats, for upstream gradients between 0.5 and 1.5 of both signs."""
    places = [i for i, value in enumerate(values) if is_float(value)]

    def of_floats(*needing: Any) -> list[Any]:
        given = list(values)
        for place, value in zip(places, needing, strict=True):
            given[place] = value
        return fn(*given)

    ys, vjp = jax.vjp(of_floats, *[values[i] for i in places])
    signs, sizes = np.random.default_rng(1), np.random.default_rng(0)
    return list(
        vjp([jnp.asarray(sizes.uniform(0.5, 1.5, y.shape) * signs.choice((-1, 1), y.shape), y.dtype) for y in ys])
    )


class JaxCall:
    """One call: the results, and the gradients that JAX computes from here."""

    def __init__(self, subject: JaxSubject, arrays: Sequence[np.ndarray]) -> None:
        self._subject, self._arrays = subject, arrays
        with jax.enable_x64(self._is_double):
            self._values = self._given()
            self._results = subject.run(*self._values)
            self.outputs = tuple([np.array(array_of(y)) for y in self._results])

    @property
    def _is_double(self) -> bool:
        return bool(jax.config.jax_enable_x64) or any(a.dtype in (np.float64, np.int64) for a in self._arrays)

    def _given(self) -> list[Any]:
        """The arrays as JAX's; those of short floats in the dtype that they had."""
        pairs = zip(self._arrays, self._subject.inputs.arrays.values(), strict=True)
        return [jnp.asarray(a, a.dtype if a.dtype == np.float64 else given.dtype) for a, given in pairs]

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
        places = [i for i, value in enumerate(self._values) if is_float(value)]
        found: list[np.ndarray | None] = [None] * len(self._values)

        def of_floats(*needing: Any) -> list[Any]:
            given = list(self._values)
            for place, value in zip(places, needing, strict=True):
                given[place] = value
            return self._subject.run(*given)

        try:
            with jax.enable_x64(self._is_double):
                ys, vjp = jax.vjp(of_floats, *[self._values[i] for i in places])
                pairs = zip(ys, upstream, strict=True)
                gradients = vjp([jnp.zeros_like(y) if g is None else jnp.asarray(g, y.dtype) for y, g in pairs])
        except (TypeError, ValueError) as error:
            raise _told(error) or error from None
        for i, g in zip(places, gradients, strict=True):
            found[i] = np.array(array_of(g))
        return found

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        rule = self.custom
        if rule is None or self._subject.order > 1:
            return None
        with jax.enable_x64(self._is_double):
            return traced(rule.fun, self._subject.inputs, self._values, place, upstream)

    @property
    def custom(self) -> Any:
        """The function with a rule of its own, if that is what is checked."""
        fn = self._subject.inputs.fn
        return fn if isinstance(fn, jax.custom_vjp) else None

    @property
    def written_backward(self) -> Callable[..., Any] | None:
        return None if self.custom is None else self.custom.bwd


def _told(error: Exception) -> Exception | None:
    """What JAX says about a rule with the wrong number or shape of gradients, as AutoLab's error."""
    said = str(error)
    if "Custom VJP bwd rule" not in said:
        return None
    shapes = _SHAPES.search(said)
    if shapes is None:
        return GradientCountError(said[:300])
    got, expected = [tuple([int(n) for n in text.split(",") if n]) for text in shapes.groups()]
    return GradientShapeError(said[:300], got, expected)
