"""Another library's function as one function of AutoLab's, so that its gradients are checked and diagnosed as such."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine.errors import GradientCountError, GradientShapeError
from ..engine.variable import Variable
from ..gradcheck.checks.check import DEFAULTS, check_bound, checked_order
from ..gradcheck.naming.forgotten_way import Traced, Way
from ..gradcheck.reporting.report import GradientReport
from ..shared.binding import Bound
from ..shared.options import settle
from .inputs import BridgeInputs
from .run import BridgeRun

WHOLE = 1 << 40
"""The bytes of a run in which nothing is to be reduced."""

ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "logistic", "sqrt", "rsqrt", "abs", "square"}
ELEMENTWISE |= {"pow", "integer_pow", "relu", "add", "sub", "mul", "div", "neg", "reciprocal", "expm1", "log1p"}
ELEMENTWISE |= {"softplus", "erf", "clamp", "atan", "max"}
"""Functions of elements, by the names that the libraries give them."""


class ForeignFunction(FunctionNode):
    """One call of a function of another library: the library computes the results, and the gradients.

    Of order 2 the results are gradients, for a fixed upstream gradient.
    """

    kind: ClassVar[type[BridgeInputs]]
    error: ClassVar[tuple[str, re.Pattern[str]]]
    """What the library says of a backward with the wrong number of gradients, and of one with wrong shapes."""

    backward_name: ClassVar[str]
    """Where the library keeps the backward that somebody wrote."""

    def __init__(self, inputs: Any, order: int) -> None:
        self._inputs, self._order = inputs, order

    @property
    def name(self) -> str:
        return str(self._inputs.name)

    @property
    def values(self) -> dict[str, Any]:
        """What it is differentiated with respect to."""
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
        """The gradients of all inputs, as the library's own arrays; None of one that can have none."""

    @property
    def has_steps(self) -> bool:
        """Whether functions of the library that are at work have steps, such as ``round``."""
        return False

    @property
    @abstractmethod
    def rule(self) -> Any:
        """The one function with a backward of the user's that is at work, if there is one."""

    @abstractmethod
    def followed(self, upstream: Callable[[Sequence[Any]], Any], place: int) -> tuple[BridgeRun, int | None]:
        """A run of the rule's own forward at the same point, and the step of an input in it."""

    @abstractmethod
    def reaching(self, run: Any, step: int, g: np.ndarray, x: int) -> Any:
        """What of a gradient that arrives at a step of a run reaches the step ``x``; None where no way leads there."""

    @property
    def written_backward(self) -> Any:
        return getattr(self.rule, self.backward_name, None)

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        """For the diagnosis: what each way through the user's own forward contributes to an input's gradient."""
        if self.rule is None or self._order > 1:
            return None
        run, x = self.followed(partial(self._starts, upstream), place)
        if x is None:
            return None
        shape, g = tuple([*self.values.values()][place].shape), run.drafts[x].grad
        return np.zeros(math.prod(shape)) if g is None else _flat(g), list(self._ways(run, x, shape))

    def _starts(self, upstream: Sequence[np.ndarray | None], outputs: Sequence[Any]) -> Any:
        """The upstream gradients of all results, of which ``upstream`` has those of floats."""
        given, dtype_of = iter(upstream), self._inputs.library.dtype_of
        found = [next(given) if "float" in dtype_of(y) else None for y in outputs]
        found = [np.zeros(tuple(y.shape)) if g is None else g for y, g in zip(outputs, found, strict=True)]
        return found if len(found) > 1 else found[0]

    def _ways(self, run: BridgeRun, x: int, shape: tuple[int, ...]) -> Iterator[Way]:
        """All uses in a run as ways to the step ``x`` of that shape, and as steps whose derivative may be forgotten."""

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
    """The report on a user's function; ``given`` are the tool's own arguments."""
    chosen = settle("check_gradients", DEFAULTS, given, options, inputs)
    bound, order = kind.kind.bind("check_gradients", fn, args, inputs), checked_order(chosen.pop("order"))
    return check_bound(_bound(kind, bound, order), **chosen)


def _bound(kind: type[ForeignFunction], inputs: BridgeInputs, order: int) -> Bound:
    """A function of Variables that calls the user's on their arrays, bound to its arrays."""

    def fn(*variables: Variable) -> Any:
        return kind(inputs, order)(*variables)

    fn.__name__ = inputs.name
    arrays = inputs.library.arrays(kind(inputs, order).values)
    return Bound.of_variables(fn, fn.__name__, {key: Variable(array, name=key) for key, array in arrays.items()})


def fixed_upstream(shape: Sequence[int]) -> np.ndarray:
    """Numbers between 0.5 and 1.5 of both signs, the same at every call."""
    sizes, signs = np.random.default_rng(0), np.random.default_rng(1)
    return sizes.uniform(0.5, 1.5, tuple(shape)) * signs.choice((-1, 1), tuple(shape))


def _gradient_error(error: Exception, count: str, shapes: re.Pattern[str]) -> Exception:
    """What a library says about a backward with gradients of the wrong number or shape, as AutoLab's error.

    ``count`` stands in what it says of the number, ``shapes`` matches what it says of shapes; any other error is
    returned as it is.
    """
    said = str(error)
    found = shapes.search(said)
    if found is None:
        return GradientCountError(said[:300]) if count in said else error
    got, expected = [tuple([int(n) for n in text.split(",") if n.strip()]) for text in found.groups()]
    return GradientShapeError(said[:300], got, expected)


def _flat(kept: Any) -> np.ndarray:
    return np.asarray(kept.values, np.float64).ravel()
