"""Another library's function as one function of AutoLab's, so that its gradients are checked and diagnosed as such."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine.errors import GradientCountError, GradientShapeError
from ..engine.variable import Variable
from ..gradcheck.checks.check import DEFAULTS, check_bound, checked_order
from ..gradcheck.naming.forgotten_way import Traced, TracedStep, Way
from ..gradcheck.reporting.report import GradientReport
from ..shared.binding import Bound, settle
from .inputs import BridgeInputs


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
    @abstractmethod
    def rule(self) -> Any:
        """The one function with a backward of the user's that is at work, if there is one."""

    @abstractmethod
    def uses(self, place: int, upstream: Sequence[np.ndarray | None]) -> tuple[np.ndarray, Sequence[TracedUse]]:
        """The gradient of an input by the rule's own forward, flat, and the uses of values in there."""

    @property
    def written_backward(self) -> Any:
        return getattr(self.rule, self.backward_name, None)

    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        """For the diagnosis: what each way through the user's own forward contributes to an input's gradient."""
        if self.rule is None or self._order > 1:
            return None
        right, uses = self.uses(place, upstream)
        shape = tuple([*self.values.values()][place].shape)
        return right, list(_ways_through(uses, shape, self._inputs.library.flat))


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


# ------------------------------------------------------------------ which way a wrong backward forgets
ELEMENTWISE = {"exp", "log", "sin", "cos", "tan", "tanh", "sigmoid", "logistic", "sqrt", "rsqrt", "abs", "square"}
ELEMENTWISE |= {"pow", "integer_pow", "relu", "add", "sub", "mul", "div", "neg", "reciprocal", "expm1", "log1p"}
ELEMENTWISE |= {"softplus", "erf", "clamp", "atan", "max"}
"""Functions of elements, by the names that the libraries give them."""


@dataclass(frozen=True, eq=False)
class TracedUse:
    """A use of a value: the function that takes it, the one that made it, the gradient that comes back through this
    use, and the one that came to the function's result.

    ``reaching(g)`` is what of a gradient of the value reaches the input, flat.
    """

    function: str
    giver: str
    share: Any
    upstream: Any
    reaching: Callable[[Any], np.ndarray]


def _ways_through(
    uses: Sequence[TracedUse], shape: tuple[int, ...], flat: Callable[[Any], np.ndarray]
) -> Iterator[Way]:
    """The uses as ways to an input of that shape, and as steps whose derivative may be forgotten."""
    for use in uses:
        found = use.reaching(use.share)
        yield Way(use.giver, found)
        if use.function not in ELEMENTWISE or use.upstream is None:
            continue
        if use.upstream.shape == use.share.shape:
            yield TracedStep(use.function, found - use.reaching(use.upstream), "wrong_function.step")
        if tuple(use.upstream.shape) == shape:
            yield TracedStep(use.function, found - flat(use.upstream), "wrong_function.inner")
