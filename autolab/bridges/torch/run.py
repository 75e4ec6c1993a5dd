"""One run of a torch function and of its gradient, as a Recording."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, cast

import torch
from torch import Tensor

from ...engine.errors import a_kind
from ...engine.observe import observe
from ...recording.inner import describe_inner_steps
from ...recording.locate import python_function, source_of
from ...recording.model import Recording, Snapshot
from ...recording.raised import CarryUnfinished, Raised
from ...recording.scopes import ScopeTracker
from ...recording.serialize import digest
from ...recording.unexecuted_lines import unexecuted_lines
from ..needed import UnsupportedError
from ..pruned import pruned
from .inputs import TorchInputs
from .locate import TorchLocator, name_in
from .modules import ModuleNames, calls_as_scopes
from .recorder import TorchRecorder
from .refusals import explained
from .tensors import TensorBudget, tensors_in

BUDGET = 64 << 20


def _nothing() -> None:
    """Nobody wants to stop the run."""


@dataclass
class TorchRun:
    """A run. Afterwards ``outputs`` are what the function returned, with their numbers in the recording's order, and
    ``buffers`` those of the modules that ran, with what they held before.

    ``upstream`` is a tensor, or a tuple of one per output; a function of the outputs that gives one; or None, for ones.
    ``check`` is called at every step, and may raise to end the run. ``replaced`` has the values that calls are to give
    in place of their own, by the numbers of all calls, also of those that are left out in the end; ``numbers`` has
    these for the steps of the recording.
    """

    inputs: TorchInputs
    values: Mapping[str, Tensor] | None = None
    upstream: Any = None
    budget: int = BUDGET
    check: Callable[[], None] = _nothing
    replaced: Mapping[int, Any] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    starts: tuple[Tensor, ...] = ()
    buffers: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    locator: TorchLocator = field(init=False)
    _upstream: list[Snapshot | None] = field(default_factory=list)
    _raised: Raised | None = None

    def record(self) -> Recording:
        """Run forward and backward."""
        if torch.is_inference_mode_enabled():
            raise UnsupportedError(f"{self.inputs.caller}: there are no gradients under torch.inference_mode()")
        module, fn = self.inputs.module, self.inputs.written
        self.locator = TorchLocator(fn)
        base = sys._getframe()
        tracker, names = ScopeTracker(base, self.locator), ModuleNames(module)
        self.buffers = names.buffers
        budget = TensorBudget(self.budget)
        self._recorder = TorchRecorder(self.locator, tracker, budget, names, base, self.check)
        self._recorder.replaced = self.replaced
        leaves = self.inputs.leaves(self.values)
        for name, tensor in leaves.items():
            self._recorder.add_leaf(tensor, "input", name)
        with self._kept("forward"):
            self.outputs = self._outputs(self._forward(leaves, module, names, tracker))
        with self._kept("backward"):
            self._backward()
            return self.finish()

    def _kept(self, phase: Literal["forward", "backward"]) -> CarryUnfinished:
        return CarryUnfinished(cast(Any, self), phase)

    def _forward(self, leaves: dict[str, Tensor], module: Any, names: ModuleNames, tracker: ScopeTracker) -> Any:
        root = module if self.inputs.fn is module else None
        try:
            with (
                torch.enable_grad(),
                observe(lambda event: None),  # so that `autolab.named_scope` is heard
                calls_as_scopes(names, root, partial(_found, self._recorder)),
                self._recorder,
            ):
                return self.inputs.call(leaves)
        finally:
            tracker.close()

    def _outputs(self, returned: Any) -> tuple[Tensor, ...]:
        found = tuple(tensors_in(returned))
        if not found:
            hint = ": is a return missing?" if returned is None else ""
            raise TypeError(
                f"{self.inputs.caller}: {self.inputs.name} returned {a_kind(returned)}; expected a tensor, or a tuple, "
                f"list or dict of tensors{hint}"
            )
        return found

    def _backward(self) -> None:
        recorder = self._recorder
        outputs = [(recorder.step_of(y), y) for y in self.outputs]
        self.starts = tuple(one_each(self.inputs.caller, self.outputs, self.upstream))
        try:
            self._upstream = recorder.shares.run(outputs, self.starts, recorder.leaves)
        except RuntimeError as error:
            told = explained(error)
            if told is None:
                raise
            raise told from error

    # ------------------------------------------------------------------ the result; also of a run that was ended
    @property
    def drafts(self) -> Any:
        return self._recorder.drafts

    def step_at(self, node: Any) -> None:
        """No node of autograd's graph is known by name."""

    def unfinished(self, raised: Raised) -> Recording:
        """What there is of a run that was ended."""
        self._raised = raised
        found = self.finish()
        return replace(found, id=digest(f"{self.inputs.name} {raised}", found.steps))

    def finish(self) -> Recording:
        """All of it as plain data."""
        recorder, raised = self._recorder, self._raised
        is_ended = raised is not None and raised.phase == "forward"
        outputs = [] if is_ended else [recorder.step_of(y) for y in self.outputs]
        kept = pruned(recorder.drafts, recorder.shares.backward, outputs)
        self.numbers = tuple(kept.ids)
        ends = tuple([kept.ids[i] for i in outputs]) or _unused(kept.drafts)
        scopes = recorder.tracker.scopes(kept.drafts)
        describe_inner_steps(kept.drafts, scopes, ends)
        steps = tuple([draft.step("not_reached" if raised is None else "ended") for draft in kept.drafts])
        source, file, line = source_of(python_function(self.inputs.written))
        lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
        is_wrapped = hasattr(self.inputs.written, "__wrapped__")
        return Recording(
            id=digest(self.inputs.name, steps),
            function=self.inputs.name,
            inputs=tuple(range(len(self.inputs.tensors))),
            outputs=ends,
            steps=steps,
            backward=kept.backward,
            source=source,
            file=file,
            first_line=line,
            upstream=tuple(self._upstream),
            reduced=recorder.budget.reduced,
            notes=() if any(y.requires_grad for y in self.outputs) or is_ended else ("no_gradient",),
            scopes=scopes,
            departures=recorder.departed.settled(steps, kept.ids),
            raised=raised,
            unreached=() if is_wrapped else unexecuted_lines(source, line, lines, raised and raised.outer_line),
        )


def one_each(caller: str, outputs: Sequence[Tensor], upstream: Any) -> list[Tensor]:
    """The upstream gradients, one per output; None stands for ones."""
    given = upstream(outputs) if callable(upstream) else upstream
    if given is None or len(outputs) == 1:
        given = (given,) * len(outputs)
    if not isinstance(given, list | tuple) or len(given) != len(outputs):
        came = f"{len(given)} of them" if isinstance(given, list | tuple) else a_kind(given)
        raise ValueError(
            f"{caller}: option 'upstream' is {came}; expected a tuple of {len(outputs)}, one per output tensor"
        )
    return [_start(caller, y, g) for y, g in zip(outputs, given, strict=True)]


def _start(caller: str, y: Tensor, given: Any) -> Tensor:
    if given is None:
        return torch.ones_like(y)
    start = torch.as_tensor(given, dtype=y.dtype, device=y.device)
    if start.shape != y.shape:
        came, expected = tuple(start.shape), tuple(y.shape)
        raise ValueError(f"{caller}: option 'upstream' has shape {came}; expected {expected}, that of the output")
    return start


def _found(recorder: TorchRecorder, value: Any) -> str | None:
    """What the user's code calls a module that it calls."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        frame = frame.f_back
    return name_in(frame, value)


_LIBRARY = torch.__path__[0]


def _unused(drafts: Sequence[Any]) -> tuple[int, ...]:
    """The values that nothing uses."""
    used = {use.step for draft in drafts for use in draft.uses}
    return tuple([draft.id for draft in drafts if draft.kind in ("call", "part") and draft.id not in used])
