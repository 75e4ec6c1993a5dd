"""check_gradients(): checks the gradients of a JAX function, such as one with ``custom_vjp``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from ...engine import folded, hidden
from ...gradcheck.naming.forgotten_way import Traced
from ...gradcheck.report import GradientReport
from ..checked import WHOLE, ForeignFunction, checked, fixed_upstream
from ..run import GradientTotals
from .equations import vjp_of
from .inputs import JaxInputs, array_of, is_float
from .record import JaxRun

_WITH_STEPS = re.compile(r" = (round|floor|ceil|sign)\b")
"""Matches such equations in the text of a jaxpr; a function's own name never follows an equals sign."""


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

    For a function with ``custom_vjp``, this checks the user-written rule. Everything is measured in float64, with
    ``jax.enable_x64``, if the function allows it.

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
        If the arguments do not fit the signature, none of them can have a gradient, or the result is not a float.

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
        return checked(JaxFunction, fn, args, inputs, given, options)


class JaxFunction(ForeignFunction):
    """A JAX function whose gradients are checked."""

    kind, backward_name = JaxInputs, "bwd"
    error = (
        "Custom VJP bwd rule",
        re.compile(r"of type \w+\[([\d,]*)\] corresponding to an input of type \w+\[([\d,]*)\]"),
    )

    def forward(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        is_double = bool(jax.config.jax_enable_x64) or any(a.dtype in (np.float64, np.int64) for a in inputs)
        self._precision = partial(jax.enable_x64, is_double)
        with self._precision():
            pairs = zip(inputs, self.values.values(), strict=True)  # floats of lower precision get their dtype back
            self._xs = [jnp.asarray(a, a.dtype if a.dtype == np.float64 else given.dtype) for a, given in pairs]
            return tuple([np.array(array_of(y)) for y in self._run(self._order, *self._xs)])

    def _run(self, order: int, *values: Any) -> list[Any]:
        """The floating-point results, or for order 2 and above their gradients."""
        if order > 1:
            ys, vjp = vjp_of(partial(self._run, order - 1), values, _floats(values))
            return list(vjp([jnp.asarray(fixed_upstream(y.shape), y.dtype) for y in ys]))
        found = [y for y in jax.tree_util.tree_leaves(self._inputs.on(*values)) if is_float(y)]
        if not found:
            raise TypeError(f"check_gradients: {self.name} returned no floats")
        return found

    def gradients(self, upstream: Sequence[np.ndarray | None]) -> list[Any]:
        places = _floats(self._xs)
        with self._precision():
            ys, vjp = vjp_of(partial(self._run, self._order), self._xs, places)
            pairs = zip(ys, upstream, strict=True)
            found = iter(vjp([jnp.zeros_like(y) if g is None else jnp.asarray(g, y.dtype) for y, g in pairs]))
        return [next(found) if i in places else None for i in range(len(self._xs))]

    @property
    def has_steps(self) -> bool:
        with self._precision(), suppress(jax.errors.JAXTypeError):  # a branch on a value cannot be traced
            return bool(_WITH_STEPS.search(str(jax.make_jaxpr(partial(self._run, 1))(*self._xs))))
        return False

    @property
    def rule(self) -> Any:
        return self._inputs.fn if isinstance(self._inputs.fn, jax.custom_vjp) else None

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        with self._precision():
            return super().traced(place, upstream)

    def followed(self, upstream: Callable[[Sequence[Any]], Any], place: int) -> tuple[JaxRun, int]:
        inputs, values = replace(self._inputs, fn=self.rule.fun), dict(zip(self.values, self._xs, strict=True))
        run = JaxRun(inputs, values, upstream, WHOLE)
        run.follow()
        return run, place

    def reaching(self, run: JaxRun, step: int, g: np.ndarray, x: int) -> Any:
        totals = GradientTotals({step: jnp.asarray(g)})
        for _, shares in run.back(totals):
            for use, share in shares:
                totals.add(use.step, share)
        return totals.sums.get(x)


def _floats(values: Sequence[Any]) -> list[int]:
    """The indices of the values that have a gradient."""
    return [i for i, value in enumerate(values) if is_float(value)]
