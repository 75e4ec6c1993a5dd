"""Another library's function as one function of AutoLab's, so that its gradients are checked and diagnosed as such."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine.errors import GradientCountError, GradientShapeError
from ..engine.variable import Variable
from ..gradcheck.checks.check import DEFAULTS, check_bound, checked_order
from ..gradcheck.naming.forgotten_way import Traced, TracedStep, Way
from ..gradcheck.reporting.report import GradientReport
from ..shared.binding import Bound, settle
from .inputs import BridgeInputs


@dataclass(frozen=True)
class ForeignSubject(ABC):
    """Calls a function of another library on arrays. Of order 2 its results are gradients, for a fixed upstream
    gradient."""

    inputs: Any
    order: int

    @property
    def values(self) -> dict[str, Any]:
        """What it is differentiated with respect to."""
        return self.inputs.values

    @abstractmethod
    def __call__(self, arrays: tuple[np.ndarray, ...]) -> Called:
        """Call it."""


class Called(ABC):
    """One call of the function: its results, and how they are differentiated."""

    outputs: tuple[np.ndarray, ...]

    @abstractmethod
    def gradients(self, upstream: Sequence[np.ndarray | None]) -> Sequence[np.ndarray | None]:
        """The gradients of all inputs."""

    @abstractmethod
    def traced(self, place: int, upstream: Sequence[np.ndarray | None]) -> Traced | None:
        """What each way through the user's own forward contributes to an input's gradient, if that can be told."""

    @property
    @abstractmethod
    def written_backward(self) -> Callable[..., Any] | None:
        """The backward that the user wrote, if it is one."""


class _ForeignFunction(FunctionNode):
    """One application: the library computes the results, and the gradients."""

    def __init__(self, subject: ForeignSubject) -> None:
        self._subject = subject

    @property
    def name(self) -> str:
        return self._subject.inputs.name

    @property
    def written_backward(self) -> Any:
        return self._called.written_backward

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self._called = self._subject(inputs)
        return self._called.outputs

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        found = self._called.gradients([None if g is None else g.data for g in grad_outputs])
        return tuple([None if g is None else Variable(g, requires_grad=False) for g in found])

    def traced(self, place: int, upstream: Sequence[Any]) -> Traced | None:
        """For the diagnosis: see `Called.traced`."""
        return self._called.traced(place, upstream)


def checked(
    subject: Callable[[Any, int], ForeignSubject],
    kind: type[BridgeInputs],
    fn: Any,
    args: tuple[Any, ...],
    inputs: dict[str, Any],
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None,
) -> GradientReport:
    """The report on a user's function; ``given`` are the tool's own arguments."""
    chosen = settle("check_gradients", DEFAULTS, given, options, inputs)
    bound, order = kind.bind("check_gradients", fn, args, inputs), checked_order(chosen.pop("order"))
    return check_bound(_bound(subject(bound, order)), **chosen)


def _bound(subject: ForeignSubject) -> Bound:
    """A function of Variables that calls the subject on their arrays, bound to its arrays."""

    def fn(*inputs: Variable) -> Any:
        outputs = _ForeignFunction(subject).apply(inputs)
        return outputs if len(outputs) > 1 else outputs[0]

    fn.__name__ = subject.inputs.name
    arrays = subject.inputs.library.arrays(subject.values)
    variables = {key: Variable(array, name=key) for key, array in arrays.items()}
    return Bound.of_variables(fn, fn.__name__, variables)


def fixed_upstream(shape: Sequence[int]) -> np.ndarray:
    """Numbers between 0.5 and 1.5 of both signs, the same at every call."""
    sizes, signs = np.random.default_rng(0), np.random.default_rng(1)
    return sizes.uniform(0.5, 1.5, tuple(shape)) * signs.choice((-1, 1), tuple(shape))


def gradient_error(error: Exception, count: str, shapes: re.Pattern[str]) -> Exception:
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


def ways_through(
    uses: Sequence[TracedUse], shape: tuple[int, ...], array_of: Callable[[Any], np.ndarray]
) -> Iterator[Way]:
    """The uses as ways to an input of that shape, and as steps whose derivative may be forgotten."""
    for use in uses:
        found = use.reaching(use.share)
        yield Way(use.giver, found)
        if use.function not in ELEMENTWISE or use.upstream is None:
            continue
        if use.upstream.shape == use.share.shape:
            yield TracedStep(use.function, found - use.reaching(use.upstream), "wrong_function.step")
        if tuple(use.upstream.shape) == tuple(shape):
            whole = np.asarray(array_of(use.upstream), np.float64).ravel()
            yield TracedStep(use.function, found - whole, "wrong_function.inner")
