"""What `diagnose` looks for: all its rules, each a function of the evidence in the module of its family."""

from __future__ import annotations

from collections.abc import Callable

from . import (
    axis_orders,
    cuts,
    finite,
    inputs,
    linear_layers,
    modes,
    objectives,
    parameters,
    probes,
    raised_errors,
    rounds,
    shapes,
    sizes,
    units,
    updates,
)
from .evidence import Evidence, Found

Rule = Callable[[Evidence], Found]

RULES: tuple[tuple[str, *tuple[Rule, ...]], ...] = (
    ("errors", raised_errors.known),
    ("NaN and infinity", finite.not_finite),
    ("values that leave the graph", cuts.changed_outside, cuts.cut_gradients),
    ("parameters that nothing registers", parameters.unregistered),
    ("layers that a list repeats", parameters.repeated),
    ("parameters that nothing uses", parameters.unreached),
    ("parameters of the optimizer", parameters.outside_optimizer),
    ("parameters that are replaced", *rounds.REPLACED),
    ("whether gradients are computed", updates.without_backward),
    ("when gradients are cleared", rounds.accumulated, rounds.cleared, rounds.never_used),
    ("the direction of updates", updates.uphill),
    ("the sign of the loss", updates.turned),
    ("shapes that broadcast", shapes.broadcasts),
    ("softmax, sigmoid and log before the loss", objectives.doubled),
    ("the axis of softmax", axis_orders.over_batch),
    ("the order of inputs and targets", axis_orders.permuted),
    ("targets that are drawn at random", axis_orders.drawn),
    ("losses that are not used", rounds.unused),
    ("targets", shapes.labels),
    ("targets outside the range of the output", objectives.unreachable),
    ("whether examples influence each other", probes.examples),
    ("reductions over the batch", shapes.reduced, shapes.cancelling),
    ("whether the future is seen", probes.future),
    ("units that are dead, clamped or dropped", units.dead),
    ("training and evaluation mode", *modes.RULES),
    ("weights at the start", sizes.initialisation),
    ("layers without a nonlinearity", linear_layers.pairs),
    ("float16", finite.underflow),
    ("scale of the inputs", sizes.unnormalised),
    ("saturated units", units.saturated),
    ("sizes of values by depth", sizes.values),
    ("sizes of gradients by depth", sizes.gradients),
    ("sizes of gradients through time", sizes.through_time),
    ("whether the inputs matter", inputs.without_effect),
    ("sizes of updates", updates.rate, updates.falling),
    ("whether the loss falls", rounds.staying),
    ("other errors", raised_errors.raised),
)
"""What is examined, with the rules for it, the most likely causes first."""

FOLLOWS = {
    "changed_in_place": {"raised", "learning_rate", "does_not_overfit"},
    "not_finite": {"learning_rate", "summed_loss", "exploding", "vanishing", "saturated", "does_not_overfit", "raised"},
    "cut_gradient": {"does_not_overfit", "constant_output", "frozen_parameter", "clamped", "dead_units", "raised"},
    "dead_units": {"vanishing", "constant_output", "does_not_overfit", "ignores_inputs"},
    "dropout": {"constant_output", "vanishing", "does_not_overfit", "dead_units"},
    "clamped": {"vanishing", "constant_output", "does_not_overfit"},
    "symmetric_units": {"vanishing", "constant_output", "does_not_overfit", "dead_units"},
    "large_initialisation": {"saturated", "exploding", "learning_rate", "dead_units"},
    "output_range": {"does_not_overfit"},
    "unnormalised_inputs": {"saturated", "dead_units", "exploding", "learning_rate", "large_initialisation"},
    "saturated": {"vanishing", "constant_output", "exploding"},
    "vanishing": {"constant_output", "does_not_overfit", "learning_rate"},
    "learning_rate": {"does_not_overfit", "exploding"},
    "no_backward": {"does_not_overfit", "learning_rate", "gradients_cleared", "gradients_accumulate"},
    "uphill": {"does_not_overfit", "learning_rate"},
    "replaced_parameter": {"does_not_overfit"},
    "summed_loss": {"learning_rate", "does_not_overfit"},
    "softmax_over_batch": {"double_softmax", "mixed_examples", "wrong_axis"},
    "gradients_cleared": {"learning_rate", "does_not_overfit", "raised"},
    "gradients_accumulate": {"learning_rate", "does_not_overfit"},
    "wrong_axis": {"constant_output", "does_not_overfit"},
    "broadcast_loss": {"mixed_examples", "does_not_overfit", "one_hot_target"},
    "constant_output": {"does_not_overfit"},
}
"""The kinds of findings that a finding explains, which are then left out; there are no cycles."""
