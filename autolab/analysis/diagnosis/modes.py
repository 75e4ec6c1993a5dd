"""Training in evaluation mode, and evaluation in training mode."""

from __future__ import annotations

import re

from ...recording.model import Step
from .cuts import is_evaluation
from .evidence import Evidence, Found
from .inputs import DROPOUTS
from .lines import line_in
from .report import at_line, listed, whole


def evaluating(e: Evidence) -> Found:
    """Models trained in evaluation mode."""
    at_first, at_last = [e.watch.modes.get(i, {}) for i in (0, max(e.watch.modes, default=0))]
    for name, (is_on, layers) in at_last.items():
        is_updated = any(key.startswith(name) for event in e.watch.events for key in event.sizes)
        if layers and is_updated and not is_on:
            yield e.found(
                "wrong_mode",
                f"{name} is in evaluation mode while its parameters are "
                f"updated{', from the second step on' if at_first[name][0] else ''}"
                f": its layers {listed(layers)} then work without dropout and with old means.",
                f"Call {name}.train() before every training step.",
                at=line_in(e, ".eval()", rf"\b{re.escape(name)}\.eval\("),
            )


def untouched_statistics(e: Evidence) -> Found:
    """Batch norm trained with its initial running statistics, as under ``test_mode``."""
    if not all(layer.training for layer in e.bench.norm_layers(e.watch.program.named)):
        return  # then it is intended
    moved = {name for event in e.watch.events for name, size in event.sizes.items() if size[2]}
    for step in [s for s in e.calls if s.function == "batch_norm" and s.id in e.used and not _is_training_layer(s)]:
        own = [p.name for o in e.operands(step) if (p := e.parameter(o)) is not None and p.name in moved]
        kept = [v for o in e.operands(step)[1:] if o.id not in e.learned and (v := whole(o.value)) is not None]
        if own and any(not v.any() for v in kept) and any((v == 1).all() for v in kept):
            yield e.found(
                "wrong_mode",
                f"{at_line(step)} works as in evaluation, with means of 0 and variances of 1 that no batch has "
                f"changed, while {listed(own)} learn: it normalises nothing.",
                "Train in training mode: without test_mode(), train=False or eval() around the forward pass.",
                at=step,
            )
            return


def training(e: Evidence) -> Found:
    """Models evaluated in training mode."""
    active = [s for s in e.calls if _is_training_layer(s)]
    if is_evaluation(e) and active:
        kinds = listed(dict.fromkeys(str(s.function) for s in active))
        yield e.found(
            "wrong_mode",
            f"{at_line(active[0])} runs {kinds} in training mode although no gradient is computed: the results are "
            "random, or depend on the batch.",
            "Call model.eval() before evaluation, and model.train() after it.",
            at=active[0],
        )


def dropping(e: Evidence) -> Found:
    """A dropout that is active in evaluation mode."""
    models = e.watch.modes.get(0) or e.bench.training(e.program.named)
    if is_evaluation(e) or not models or any(is_on for is_on, _ in models.values()):
        return
    for step in [s for s in e.calls if s.function in DROPOUTS]:
        value, given = whole(step.value), whole(e.operands(step)[0].value)
        if value is not None and given is not None and given.shape == value.shape and (given != value).any():
            yield e.found(
                "dropout",
                f"{at_line(step)} drops or changes {float((given != value).mean()):.0%} of its numbers although the "
                "model is in evaluation mode.",
                "Give it training=self.training, or use nn.Dropout.",
                at=step,
            )


def _is_training_layer(step: Step) -> bool:
    """Whether it is a dropout or batch norm that behaves as in training."""
    mode = dict(step.attributes).get("training")
    return (step.function in DROPOUTS and mode != "False") or (step.function == "batch_norm" and mode == "True")


RULES = (evaluating, untouched_statistics, training, dropping)
