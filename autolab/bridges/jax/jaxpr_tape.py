"""JaxTape: runs a jaxpr equation by equation and keeps every value, with the vjp of every equation for the backward
pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp
from jax.extend.core import Literal

from ...engine import a_kind
from ...recording.drafts import Draft, Use
from ...recording.rule_text import exact_text
from ..needed import UnsupportedError
from ..run import BridgeRun, GradientTotals
from .equations import INLINED, Texts, as_function, cotangent, inner_jaxpr, shares_of, texts_of, title_of, vjp_of
from .inputs import JaxInputs, is_float
from .levels import EquationSite, JaxprLevel, function_of, users_frames

LONGEST_LOOP = 64
"""A scan with more passes is recorded as one step."""

_Outputs = Callable[..., Sequence[Any]]


@dataclass
class TracedValue:
    """A value of the run: its step, None if it depends on no input; and whether it has a gradient."""

    array: Any
    step: int | None = None
    needs: bool = False


@dataclass
class EvaluatedEquation:
    """An evaluated equation: the uses and results that have a gradient, and JAX's vjp between them."""

    step: int
    uses: list[Use]
    results: list[tuple[Any, Any]]
    vjp: Callable[[Any], Sequence[Any]]


@dataclass(eq=False)
class JaxTape(BridgeRun):
    """The part of a run that deals with jaxprs."""

    kind = JaxInputs
    calls: list[EvaluatedEquation] = field(default_factory=list)
    sites: dict[int, EquationSite] = field(default_factory=dict)
    left: dict[int, list[int]] = field(default_factory=dict)  # the calls of stop_gradient, with their operands

    def __post_init__(self) -> None:
        super().__post_init__()
        self._fn, self._names = getattr(self.inputs.written, "__code__", None), _closure_names(self.inputs.written)

    def forward(self, arrays: Sequence[Any]) -> tuple[list[TracedValue], list[TracedValue], Sequence[Any]]:
        """Run the function on arrays. Returns the inputs, the outputs, and the constants of its jaxpr."""
        closed = _traced(self.inputs, arrays)
        named = zip(self.inputs.values, arrays, strict=True)
        leaves = [TracedValue(a, self.add_leaf(a, "input", name), is_float(a)) for name, a in named]
        return leaves, self.run(closed.jaxpr, closed.consts, leaves, JaxprLevel()), closed.consts

    def add_leaf(self, array: Any, kind: Any, name: str | None) -> int:
        """Add a step for a value that no equation computed."""
        draft = Draft(len(self.drafts), kind, None, name, [], self.kept.snapshot(array))
        draft.is_float, draft.requires_grad = is_float(array), kind == "input" and is_float(array)
        self.drafts.append(draft)
        return draft.id

    def run(
        self, jaxpr: Any, consts: Sequence[Any], args: Sequence[TracedValue], level: JaxprLevel
    ) -> list[TracedValue]:
        """The results of a jaxpr, whose equations become steps at the given level."""
        env: dict[Any, TracedValue] = dict(zip(jaxpr.invars, args, strict=True))
        env |= {var: TracedValue(const) for var, const in zip(jaxpr.constvars, consts, strict=True)}

        def read(var: Any) -> TracedValue:
            return TracedValue(jnp.asarray(var.val, var.aval.dtype)) if isinstance(var, Literal) else env[var]

        self._info = jaxpr.debug_info
        for equation in jaxpr.eqns:
            self.check()
            values = [read(var) for var in equation.invars]
            env.update(zip(equation.outvars, self._equation(equation, values, level), strict=True))
        return [read(var) for var in jaxpr.outvars]

    def back(self, totals: GradientTotals) -> Iterator[tuple[EvaluatedEquation, Iterable[tuple[Use, Any]]]]:
        """All equations at whose results a gradient has arrived, from the last to the first, with their uses and the
        shares of these.

        The caller must add the shares to ``totals``.
        """
        for call in reversed(self.calls):
            self.check()
            arrived = [totals.sums.get(step) for step, _ in call.results]
            if any(g is not None for g in arrived):
                pairs = zip(call.results, arrived, strict=True)
                shares = shares_of(call.vjp, [cotangent(y, g) for (_, y), g in pairs])
                yield call, zip(call.uses, shares, strict=True)

    # ------------------------------------------------------------------ one equation
    def _equation(self, equation: Any, values: list[TracedValue], level: JaxprLevel) -> list[TracedValue]:
        name, params = equation.primitive.name, equation.params
        alone = as_function(equation, self._info)
        if all(value.step is None for value in values):
            return [TracedValue(y) for y in alone(*[value.array for value in values])]
        site = EquationSite(level, users_frames(equation, self._fn))
        if name in INLINED and (name not in INLINED[:2] or function_of(inner_jaxpr(params).jaxpr)[1]):
            inner = inner_jaxpr(params)
            label = f"{params.get('name') or function_of(inner.jaxpr)[0]}()"
            return self.run(inner.jaxpr, inner.consts, values, _inside(site, label, name))
        if name == "cond":
            return self._branch(params["branches"], values, site)
        if name == "scan" and 0 < params["length"] <= LONGEST_LOOP:
            return self._loop(params, values, site)
        return self._step(alone, title_of(equation), values, site, texts_of(equation), equation.invars)

    def _branch(self, branches: Sequence[Any], values: list[TracedValue], site: EquationSite) -> list[TracedValue]:
        taken = min(max(int(values[0].array), 0), len(branches) - 1)
        inside = _inside(site, "cond", f"cond, branch {taken}")
        return self.run(branches[taken].jaxpr, branches[taken].consts, values[1:], inside)

    def _loop(self, params: Mapping[str, Any], values: list[TracedValue], site: EquationSite) -> list[TracedValue]:
        """A scan, pass by pass: the elements of its sequences are steps, and so are the stacked results."""
        inner = params["jaxpr"]
        consts = values[: params["num_consts"]]
        carry = values[len(consts) : len(consts) + params["num_carry"]]
        sequences = values[len(consts) + len(carry) :]
        loop = EquationSite(_inside(site, "scan", "scan"), site.frames)
        rounds: dict[int, list[TracedValue]] = {}
        order = range(params["length"])
        for t in reversed(order) if params["reverse"] else order:
            inside = EquationSite(loop.inside(f"t = {t}", "pass"), site.frames)
            items = [self._element(sequence, t, inside) for sequence in sequences]
            results = self.run(inner.jaxpr, inner.consts, [*consts, *carry, *items], inside.level)
            carry, rounds[t] = results[: len(carry)], results[len(carry) :]
        columns = zip(*[rounds[t] for t in order], strict=True)
        return [*carry, *[self._stacked(list(column), loop) for column in columns]]

    def _element(self, sequence: TracedValue, t: int, site: EquationSite) -> TracedValue:
        if sequence.step is None:
            return TracedValue(sequence.array[t])
        return self._step(lambda a: [a[t]], "getitem", [sequence], site, (("index", str(t)),))[0]

    def _stacked(self, column: list[TracedValue], site: EquationSite) -> TracedValue:
        if all(value.step is None for value in column):
            return TracedValue(jnp.stack([value.array for value in column]))
        return self._step(lambda *a: [jnp.stack(a)], "stack", column, site)[0]

    # ------------------------------------------------------------------ one step
    def _step(
        self,
        fn: _Outputs,
        name: str,
        values: list[TracedValue],
        site: EquationSite,
        texts: Texts = (),
        variables: Any = None,
    ) -> list[TracedValue]:
        """Evaluate and keep: a draft for the result, or one for the call and one for each of several results.

        ``variables`` are the operands in the jaxpr; None for a step that scan adds inside.
        """
        labels = ["x", "y"] if len(values) < 3 else [f"x[{i}]" for i in range(len(values))]
        uses = list(map(self._use, values, labels, variables or [None] * len(values)))
        places = [i for i, value in enumerate(values) if value.needs]
        given = self.replaced.get(len(self.drafts))
        fn = _changed(fn, given) if callable(given) else fn
        arrays, start, vjp = [value.array for value in values], perf_counter(), None
        if places and name != "stop_gradient":
            outputs, vjp = vjp_of(fn, arrays, places)
        else:
            outputs = fn(*arrays)
        draft = Draft(len(self.drafts), "call", name, None, uses, None, seconds=perf_counter() - start)
        draft.attributes, draft.is_inner = texts, variables is None
        if given is not None and not callable(given) and len(outputs) == 1:
            (y,) = outputs
            outputs, draft.replaced = [jnp.broadcast_to(jnp.asarray(given, y.dtype), y.shape)], True
        self.drafts.append(draft)
        self.sites[draft.id] = site
        results = self._results(draft, outputs, vjp is not None)
        if name == "stop_gradient" and places:
            self.left[draft.id] = [use.step for use in uses if use.step is not None]
        if vjp is not None and not draft.replaced:
            needing = [(result.step, y) for result, y in zip(results, outputs, strict=True)]
            self.calls.append(EvaluatedEquation(draft.id, [uses[i] for i in places], needing, vjp))
        return results

    def _results(self, draft: Draft, outputs: Sequence[Any], needs: bool) -> list[TracedValue]:
        if len(outputs) == 1:
            draft.value, draft.is_float = self.kept.snapshot(outputs[0]), is_float(outputs[0])
            draft.requires_grad = draft.is_float and (needs or draft.replaced)
            return [TracedValue(outputs[0], draft.id, draft.requires_grad)]
        found = []
        for y in outputs:
            part = self.part(draft, y)
            part.is_float = is_float(y)
            part.requires_grad = needs and part.is_float
            draft.requires_grad = draft.requires_grad or part.requires_grad
            self.sites[part.id] = self.sites[draft.id]
            self.drafts.append(part)
            found.append(TracedValue(y, part.id, part.requires_grad))
        return found

    def _use(self, value: TracedValue, label: str, var: Any) -> Use:
        if isinstance(var, Literal) and (text := exact_text(np.asarray(var.val))) is not None:
            return Use(label, None, text)
        if value.step is None:
            value.step = self.add_leaf(value.array, "constant", self._names.get(id(value.array)))
        return Use(label, value.step, None)


def _closure_names(fn: Any) -> dict[int, str]:
    """The function's names for the arrays that it closes over and for global ones, by their ids."""
    try:
        names = inspect.getclosurevars(fn)
    except TypeError:  # not a Python function
        return {}
    return {id(value): name for name, value in {**names.globals, **names.nonlocals}.items()}


def _traced(inputs: JaxInputs, arrays: Sequence[Any]) -> Any:
    """The jaxpr of the function."""
    try:
        closed, shape = jax.make_jaxpr(inputs.on, return_shape=True)(*arrays)
    except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as error:
        raise UnsupportedError(
            f"{inputs.caller}: {inputs.name} needs the value of a traced array in Python (if, float() or NumPy); use "
            "jnp.where, jax.lax.cond and jax.numpy, as under jax.jit"
        ) from error
    if not closed.out_avals:
        raise TypeError(
            f"{inputs.caller}: {inputs.name} returned {a_kind(shape)}; expected arrays: is a return missing?"
        )
    return closed


def _changed(fn: _Outputs, change: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A function that computes the single result of a call by ``change``, given the call and its operands."""
    return lambda *arrays: [change(lambda *given: fn(*given)[0], *arrays)]


def _inside(site: EquationSite, label: str, what: str) -> JaxprLevel:
    """The level of a jaxpr, labelled with the call as the user wrote it."""
    written = site.place.source if site.place is not None and site.place.is_call else None
    return site.inside(f"{written or label}  # {what}")
