"""diagnose(): what is wrong with a program that runs and does not learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ...engine.errors import a_kind
from ...engine.tracebacks import folded, hidden
from ...shared.foreign import bridge
from . import (
    cuts,
    errors,
    finite,
    objectives,
    orders,
    parameters,
    probes,
    rounds,
    sequences,
    shapes,
    sizes,
    units,
    updates,
)
from .evidence import Evidence
from .own import OwnWorkbench
from .program import Program, outer_values
from .report import Diagnosis, ProgramFinding
from .watch import up_to_loss
from .workbench import Workbench

Rule = Callable[[Evidence], Iterator[ProgramFinding]]

RULES: tuple[tuple[str, Rule], ...] = (
    ("errors", errors.known),
    ("NaN and infinity", finite.not_finite),
    ("values that leave the graph", cuts.cut_gradients),
    ("parameters that nothing registers", parameters.unregistered),
    ("parameters that nothing uses", parameters.unreached),
    ("parameters of the optimizer", parameters.outside_optimizer),
    ("parameters that are replaced", parameters.replaced),
    ("whether gradients are computed", updates.without_backward),
    ("when gradients are cleared", rounds.clearing),
    ("the direction of updates", updates.uphill),
    ("the sign of the loss", updates.turned),
    ("shapes that broadcast", shapes.broadcasts),
    ("softmax, sigmoid and log before the loss", objectives.doubled),
    ("the axis of softmax", orders.over_batch),
    ("the order of inputs and targets", orders.permuted),
    ("targets that are drawn at random", orders.drawn),
    ("targets", shapes.labels),
    ("targets outside the range of the output", objectives.ranges),
    ("whether examples influence each other", probes.examples),
    ("reductions over the batch", shapes.reduced),
    ("whether the future is seen", sequences.future),
    ("units that are dead, clamped or dropped", units.dead),
    ("training and evaluation mode", rounds.modes),
    ("weights at the start", sizes.initialisation),
    ("layers without a nonlinearity", objectives.linear_pairs),
    ("float16", finite.underflow),
    ("scale of the inputs", sizes.unnormalised),
    ("saturated units", units.saturated),
    ("sizes of values by depth", sizes.values),
    ("sizes of gradients by depth", sizes.gradients),
    ("sizes of gradients through time", sizes.through_time),
    ("whether the inputs matter", probes.inputs),
    ("sizes of updates", updates.rate),
    ("whether the loss falls", rounds.staying),
    ("other errors", errors.raised),
)
"""All rules with what they look at, the most likely causes first."""

_FOLLOWS = {
    "graph_reused": {"raised"},
    "changed_in_place": {"raised", "learning_rate", "does_not_overfit"},
    "not_finite": {"learning_rate", "summed_loss", "exploding", "vanishing", "saturated", "does_not_overfit", "raised"},
    "cut_gradient": {"does_not_overfit", "constant_output", "frozen_parameter", "clamped", "dead_units", "raised"},
    "dead_units": {"vanishing", "constant_output", "does_not_overfit", "ignores_inputs"},
    "dropout": {"constant_output", "vanishing", "does_not_overfit", "dead_units"},
    "clamped": {"vanishing", "constant_output", "does_not_overfit"},
    "symmetric_units": {"vanishing", "constant_output", "does_not_overfit", "dead_units"},
    "large_initialisation": {"saturated", "exploding", "learning_rate", "dead_units"},
    "unnormalised_inputs": {"saturated", "dead_units", "exploding", "learning_rate", "large_initialisation"},
    "saturated": {"vanishing", "constant_output", "exploding"},
    "vanishing": {"constant_output", "does_not_overfit", "learning_rate"},
    "learning_rate": {"does_not_overfit", "exploding"},
    "no_backward": {"does_not_overfit", "learning_rate", "gradients_cleared", "gradients_accumulate"},
    "uphill": {"does_not_overfit", "learning_rate"},
    "summed_loss": {"learning_rate", "does_not_overfit"},
    "softmax_over_batch": {"double_softmax", "mixed_examples", "wrong_axis"},
    "gradients_cleared": {"learning_rate", "does_not_overfit", "raised"},
    "gradients_accumulate": {"learning_rate", "does_not_overfit"},
    "wrong_axis": {"constant_output", "does_not_overfit"},
    "shuffled_labels": {"does_not_overfit"},
    "broadcast_loss": {"mixed_examples", "does_not_overfit", "one_hot_target"},
    "double_softmax": {"does_not_overfit"},
    "constant_output": {"does_not_overfit"},
}
"""What another finding explains is left out; none explains another that explains it."""


def diagnose(
    fn: Callable[..., Any], /, *args: Any, steps: int | None = None, causal: bool = False, **inputs: Any
) -> Diagnosis:
    """Say what is wrong with a program that runs and does not learn.

    Parameters
    ----------
    fn : callable
        A loss, which is run once with its backward pass; or a training step, with backward and the optimizer in it. Of
        AutoLab, PyTorch or JAX.
    *args, **inputs
        Its arguments: models, arrays, optimizers. What the function reads around it is found as well.
    steps : int, optional
        Run ``fn`` so often in a row, as training does, and look at the updates.
    causal : bool
        Also check that outputs at a position of a sequence do not depend on later inputs.

    Returns
    -------
    Diagnosis
        Its ``findings``, the most likely cause first, each with the line, the numbers that show it and a remedy; or
        "nothing found". It displays itself.

    Raises
    ------
    TypeError
        If ``fn`` cannot be called, an argument cannot be copied, or ``steps`` is no whole number.

    Notes
    -----
    All runs are those of copies: models, optimizers, data and random generators are afterwards as they were. Without
    ``steps`` the program is run and recorded at most five times, and once more for each safe way that is tried where a
    number is not finite. A training step of JAX's is given next what it returned.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab import functions as F, links as L
    >>> net = L.Sequential(L.Linear(2, 4), F.relu, L.Linear(4, 3), F.softmax)
    >>> def loss(net, x, t):
    ...     return F.softmax_cross_entropy(net(x), t)
    >>> x, t = np.random.default_rng(0).normal(size=(6, 2)), np.array([0, 1, 2, 0, 1, 2])
    >>> autolab.diagnose(loss, net, x, t).findings[0].kind
    'double_softmax'
    """
    __tracebackhide__ = hidden()
    if not callable(fn):
        raise TypeError(f"diagnose: fn is {a_kind(fn)}; expected a function that gives a loss, or a training step")
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 1):
        raise TypeError(f"diagnose: steps is {steps!r:.60}; expected a whole number of at least 1, or None")
    with folded():
        around = dict(enumerate(outer_values(fn)))
        elsewhere = bridge(fn, [*args, *inputs.values(), *around.values()])
        bench = OwnWorkbench() if elsewhere is None else elsewhere.workbench()
        return examined(bench, Program(fn, args, inputs, bench.prepared), steps or 0, causal)


@dataclass(frozen=True)
class Origin:
    """What a diagnosis was made of, to be run again."""

    bench: Workbench
    program: Program

    def up_to_loss(self) -> tuple[Callable[..., Any], Program]:
        """The function that gives the loss, with copies of the arguments."""
        copy = self.program.copied()
        return up_to_loss(self.bench, copy), copy


def examined(bench: Workbench, program: Program, steps: int, causal: bool) -> Diagnosis:
    """The diagnosis of a program by all rules."""
    with bench.repeatable(), bench.keeping_gradients(program.named):
        e = Evidence(bench, program, steps, causal)
        found = [finding for _, rule in RULES for finding in rule(e)]
    name = getattr(program.fn, "__name__", type(program.fn).__name__)
    looked, facts = tuple([words for words, _ in RULES]), tuple(dict.fromkeys(e.facts))
    return Diagnosis(name, _ordered(found), facts, looked, e.recording, Origin(bench, program))


def _ordered(found: list[ProgramFinding]) -> tuple[ProgramFinding, ...]:
    """Without what follows from others, and each place once; what is certain comes first."""
    explained = set().union(*[_FOLLOWS.get(finding.kind, set()) for finding in found])
    if any(f.certainty == "wrong" and f.kind not in ("raised", "does_not_overfit") for f in found):
        explained = explained | {"raised", "does_not_overfit"}
    kept: dict[tuple[str, int | None], ProgramFinding] = {}
    for finding in found:
        if finding.kind not in explained:
            kept.setdefault((finding.kind, finding.line), finding)
    return tuple(sorted(kept.values(), key=lambda finding: finding.certainty != "wrong"))
