"""A function of another library as a single AutoLab function, so that its gradients can be checked and diagnosed."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine import Variable
from ..engine.errors import GradientCountError, GradientShapeError
from ..gradcheck.checks.check import DEFAULTS, check_bound, checked_order
from ..gradcheck.naming.forgotten_way import Traced, Way
from ..gradcheck.report import GradientReport
from ..shared.binding import Bound, settle
from .inputs import BridgeInputs
from .run import BridgeRun

WHOLE = 1 << 40
"""A memory budget for runs in which no array is to be reduced."""

ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "logistic", "sqrt", "rsqrt", "abs", "square"}
ELEMENTWISE |= {"pow", "integer_pow", "relu", "add", "sub", "mul", "div", "neg", "reciprocal", "expm1", "log1p"}
ELEMENTWISE |= {"softplus", "erf", "clamp", "atan", "max"}
"""Elementwise functions, by the names that the libraries give them."""


class ForeignFunction(FunctionNode):
    """One call of a function of another library, which computes the results and the gradients.

    For order 2, the results are gradients, for a fixed upstream gradient.
    """

    kind: ClassVar[type[BridgeInputs]]
    error: ClassVar[tuple[str, re.Pattern[str]]]
    """The library's messages about a backward that returns the wrong number of gradients, or wrong shapes."""

    backward_name: ClassVar[str]
    """The attribute in which the library keeps a user-written backward."""

    def __init__(self, inputs: Any, order: int) -> None:
        self._inputs, self._order = inputs, order

    @property
    def name(self) -> str:
        return str(self._inputs.name)

    @property
    def values(self) -> dict[str, Any]:
        """The arrays with respect to which it is differentiated, by name."""
        return dict(self._inputs.values)

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        try:
            found = self.gradients([None if g is None else g.data for g in grad_outputs])
        except (TypeError, ValueError, RuntimeError) as error:
            raise _gradient_error(error, *self.error) from None
        arrays = [None if g is None else np.array(self._inputs.library.array_of(g)) for g in found]
        return tuple([None if g is None else Variable(g, requires_grad=False) for g in arrays])

    @abstractmethod
    def gradients(self, upstream: Sequence[np.ndarray | None]) -> Sequence[Any]:
        """The gradients of all inputs, as the library's own arrays; None for an input that cannot have one."""

    @property
    @abstractmethod
    def rule(self) -> Any:
        """The function with a user-written backward, if it calls exactly one."""

    @abstractmethod
    def followed(self, upstream: Callable[[Sequence[Any]], Any], place: int) -> tuple[BridgeRun, int | None]:
        """A run of the rule's own forward at the same point, and the step of an input in it."""

    @abstractmethod
    def reaching(self, run: Any, step: int, g: np.ndarray, x: int) -> Any:
        """The gradient at step ``x`` if the gradient ``g`` arrives at a step of a run; None if no path leads there."""

    @property
    def written_backward(self) -> Any:
        return getattr(self.rule, self.backward_name, None)

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        """For the diagnosis: what each path through the user's forward contributes to the gradient of an input."""
        if self.rule is None or self._order > 1:
            return None
        run, x = self.followed(partial(self._starts, upstream), place)
        if x is None:
            return None
        shape, g = tuple([*self.values.values()][place].shape), run.drafts[x].grad
        return np.zeros(math.prod(shape)) if g is None else _flat(g), list(self._ways(run, x, shape))

    def _starts(self, upstream: Sequence[np.ndarray | None], outputs: Sequence[Any]) -> Any:
        """The upstream gradients of all results; ``upstream`` has those of floating-point results."""
        given, dtype_of = iter(upstream), self._inputs.library.dtype_of
        found = [next(given) if "float" in dtype_of(y) else None for y in outputs]
        found = [np.zeros(tuple(y.shape)) if g is None else g for y, g in zip(outputs, found, strict=True)]
        return found if len(found) > 1 else found[0]

    def _ways(self, run: BridgeRun, x: int, shape: tuple[int, ...]) -> Iterator[Way]:
        """All uses in a run, as paths to the step ``x`` of that shape and as steps whose derivative may be missing."""

        def reaching(step: Any, g: np.ndarray) -> np.ndarray:
            found = self.reaching(run, step, g, x)
            return np.zeros(math.prod(shape)) if found is None else self._inputs.library.flat(found)

        uses = [(run.drafts[step.of], use) for step in run.backward for use in run.drafts[step.of].uses]
        for user, use in uses:
            share, function, giver, g = use.contribution, str(user.function), use.step, user.grad
            if share is None or giver is None:
                continue
            found = reaching(giver, share.values)
            yield Way(run.drafts[giver].function or function, found)
            if function not in ELEMENTWISE or g is None:
                continue
            if g.shape == share.shape:
                yield Way(function, found - reaching(giver, g.values), "step")
            if g.shape == shape:
                yield Way(function, found - _flat(g), "inner")


def checked(
    kind: type[ForeignFunction],
    fn: Any,
    args: tuple[Any, ...],
    inputs: dict[str, Any],
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None,
) -> GradientReport:
    """The report on a user's function; ``given`` are the explicit arguments of the tool."""
    chosen = settle("check_gradients", DEFAULTS, given, options, inputs)
    bound, order = kind.kind.bind("check_gradients", fn, args, inputs), checked_order(chosen.pop("order"))
    return check_bound(_bound(kind, bound, order), **chosen)


def _bound(kind: type[ForeignFunction], inputs: BridgeInputs, order: int) -> Bound:
    """A function of Variables that calls the user's function on their arrays, bound to its arrays."""

    def fn(*variables: Variable) -> Any:
        return kind(inputs, order)(*variables)

    fn.__name__ = inputs.name
    arrays = inputs.library.arrays(kind(inputs, order).values)
    return Bound.of_variables(fn, fn.__name__, {key: Variable(array, name=key) for key, array in arrays.items()})


def fixed_upstream(shape: Sequence[int]) -> np.ndarray:
    """Numbers of magnitude 0.5 to 1.5 and of both signs, the same at every call."""
    sizes, signs = np.random.default_rng(0), np.random.default_rng(1)
    return sizes.uniform(0.5, 1.5, tuple(shape)) * signs.choice((-1, 1), tuple(shape))


def _gradient_error(error: Exception, count: str, shapes: re.Pattern[str]) -> Exception:
    """Turn a library's error about the number or shapes of a backward's gradients into AutoLab's.

    A message about the number contains ``count``; ``shapes`` matches a message about shapes. Any other error is
    returned unchanged.
    """
    said = str(error)
    found = shapes.search(said)
    if found is None:
        return GradientCountError(said[:300]) if count in said else error
    got, expected = [tuple([int(n) for n in text.split(",") if n.strip()]) for text in found.groups()]
    return GradientShapeError(said[:300], got, expected)


def _flat(kept: Any) -> np.ndarray:
    return np.asarray(kept.values, np.float64).ravel()
