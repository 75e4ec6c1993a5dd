"""check_gradients(): what is wrong with the gradients of a JAX function, such as one with ``custom_vjp``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine.tracebacks import folded, hidden
from ...gradcheck.naming.forgotten_way import Traced
from ...gradcheck.reporting.report import GradientReport
from ..checked import Called, ForeignSubject, TracedUse, checked, fixed_upstream, gradient_error, ways_through
from ..library import LibraryBudget
from ..run import GradientTotals
from .inputs import JAX, JaxInputs, array_of, is_float
from .levels import JaxprLevel
from .tape import JaxTape, TracedValue, vjp_of

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
        return checked(JaxSubject, JaxInputs, fn, args, inputs, given, options)


@dataclass(frozen=True)
class JaxSubject(ForeignSubject):
    """A JAX function that is checked."""

    def __call__(self, arrays: tuple[np.ndarray, ...]) -> JaxCall:
        return JaxCall(self, arrays)

    def run(self, *values: Any) -> list[Any]:
        """The results of floats, and of order 2 and above gradients of them."""
        if self.order > 1:
            ys, vjp = vjp_of(JaxSubject(self.inputs, self.order - 1).run, values, _floats(values))
            return list(vjp([jnp.asarray(fixed_upstream(y.shape), y.dtype) for y in ys]))
        found = [y for y in jax.tree_util.tree_leaves(self.inputs.on(*values)) if is_float(y)]
        if not found:
            raise TypeError(f"check_gradients: {self.inputs.name} returned no floats")
        return found


def _floats(values: Sequence[Any]) -> list[int]:
    """The places of those that have a gradient."""
    return [i for i, value in enumerate(values) if is_float(value)]


class JaxCall(Called):
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
        pairs = zip(self._arrays, self._subject.inputs.values.values(), strict=True)
        return [jnp.asarray(a, a.dtype if a.dtype == np.float64 else given.dtype) for a, given in pairs]

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> list[np.ndarray | None]:
        places = _floats(self._values)
        try:
            with jax.enable_x64(self._is_double):
                ys, vjp = vjp_of(self._subject.run, self._values, places)
                pairs = zip(ys, upstream, strict=True)
                gradients = vjp([jnp.zeros_like(y) if g is None else jnp.asarray(g, y.dtype) for y, g in pairs])
        except (TypeError, ValueError) as error:
            raise gradient_error(error, "Custom VJP bwd rule", _SHAPES) from None
        found = iter([np.array(array_of(g)) for g in gradients])
        return [next(found) if i in places else None for i in range(len(self._values))]

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


def traced(
    fn: Callable[..., Any], inputs: JaxInputs, values: Sequence[Any], place: int, upstream: Sequence[np.ndarray | None]
) -> Traced | None:
    """The gradient of the input number ``place`` by the function itself, and the share of every way through it."""
    closed = jax.make_jaxpr(replace(inputs, fn=fn).on)(*values)
    tape = JaxTape(LibraryBudget(0, JAX), None, lambda array: None, lambda: None, {})
    leaves = [TracedValue(v, tape.add_leaf(v, "input", None), is_float(v)) for v in values]
    outputs = tape.run(closed.jaxpr, closed.consts, leaves, JaxprLevel(None))
    starts = {y.step: jnp.asarray(g) for y, g in zip(outputs, upstream, strict=True) if g is not None and y.needs}
    uses: list[TracedUse] = []

    def reaching(totals: dict[Any, Any], is_first: bool = False) -> np.ndarray:
        """What of the gradients at some steps reaches the input, flat; the uses on the first way there are noted."""
        found = GradientTotals(totals)
        for call, shares in tape.back(found):
            for use, share in zip(call.uses, shares, strict=True):
                if use.step is None:
                    continue
                if is_first and len(call.results) == 1:
                    function = str(tape.drafts[call.step].function)
                    giver, g = tape.drafts[use.step].function or function, found.sums[call.results[0][0]]
                    uses.append(TracedUse(function, giver, share, g, partial(from_step, use.step)))
                found.add(use.step, share)
        x = found.sums.get(leaves[place].step)
        return np.zeros(values[place].size) if x is None else np.asarray(array_of(x), np.float64).ravel()

    def from_step(step: int, g: Any) -> np.ndarray:
        return reaching({step: g})

    right = reaching(starts, is_first=True)
    return right, list(ways_through(uses, values[place].shape, array_of))
