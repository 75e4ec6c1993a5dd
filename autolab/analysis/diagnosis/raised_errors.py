"""The exception that a program raises, and what it says about the program."""

from __future__ import annotations

import re

import numpy as np

from .cuts import changed_results
from .evidence import Evidence, Found
from .report import ProgramFinding, called
from .updates import REFUSED, are_cleared

_CLASS_INDICES = "Give the loss class indices: integers of shape (N,), for example target.argmax(dim=1)."
_ERRORS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("second time", "modified by an inplace operation"),
        "graph_reused",
        "Run the forward pass again before each backward pass, and detach() what is carried from one round to the "
        "next.",
    ),
    (
        ("Can't call numpy()", "converting a tensor with requires_grad", "this tensor requires", "no grad_fn"),
        "cut_gradient",
        "Compute with tensors up to the loss: numbers, arrays, indices and comparisons have no gradient.",
    ),
    (
        ("more than 1 value per channel",),
        "batch_norm_single",
        "Batch norm needs several examples in training: use larger batches (drop_last=True), or layer norm.",
    ),
    (
        ("multi-target not supported", "class probabilities", "expected scalar type Long", "not implemented for 'Int'"),
        "one_hot_target",
        _CLASS_INDICES,
    ),
    (("between 0 and 1",), "output_range", "Apply a sigmoid first, or use binary_cross_entropy_with_logits."),
    (
        ("has no attribute 'backward'",),
        "cut_gradient",
        "Only a Variable has it: argmax, comparisons, float() and .data give plain numbers, which have no gradient.",
    ),
    ((REFUSED,), "gradients_cleared", "Clear the gradients before backward, not after it."),
    (
        ("was changed in place after the forward pass",),
        "changed_in_place",
        "Give the graph an array of its own: a buffer that is filled again goes in as a copy, autolab.tensor(buffer).",
    ),
)

_OF_A_MODEL = "Give it the loss of the model: autolab.diagnose(lambda: loss_fn(model(x), t))."


def known(e: Evidence) -> Found:
    """Errors of a loss whose targets have the wrong form, and other arguments that a loss refuses."""
    _, told = e.watch.told
    given = () if e.recording is None or e.recording.raised is None else e.recording.raised.operands
    values = [(called(e.steps[i]), e.steps[i].value) for i in given]
    shapes = [f"{name} {value.shape}" for name, value in values if value is not None]
    arrays = f" It was given {', '.join(shapes)}." if shapes else ""
    lost = [s for s in e.calls if s.id in e.learning and not e.users.get(s.id)]
    if lost and not e.watch.has_loss and "backward" in told:
        arrays = f" The graph ends at {called(lost[-1])} in line {lost[-1].line}."
    rows = _one_hot_rows(e, told)
    if rows:
        yield _found(e, "one_hot_target", rows, _CLASS_INDICES)
        return
    for words, kind, remedy in _ERRORS:
        if kind == "changed_in_place" and changed_results(e):
            continue
        if kind == "graph_reused" and any("autograd.grad(" in gone.source for gone in e.departures):
            continue  # which is said to need create_graph
        if any(word in told for word in words) and (kind != "gradients_cleared" or are_cleared(e)):
            yield _found(e, kind, arrays if kind != "changed_in_place" else "", remedy)
            return


def _one_hot_rows(e: Evidence, told: str) -> str:
    """The evidence that a loss got one-hot rows, or a part of them, with a wrong number of targets; else ""."""
    sizes = re.search(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)", told)
    scores = next((s.value.shape for s in reversed(e.calls) if s.value is not None and len(s.value.shape) == 2), None)
    if sizes is None or scores is None or int(sizes[1]) != scores[0]:
        return ""
    count, (n, classes) = int(sizes[2]), scores
    if count == n * classes:
        return f" It was given {classes} targets for each of {n} examples: one-hot rows."
    rows = [name for name, a in e.data.items() if a.shape == scores and (np.sort(a, axis=1)[:, :-1] == 0).all()]
    return (
        f" `{rows[0]}` has one-hot rows, and they were reduced along the examples." if rows and count == classes else ""
    )


def raised(e: Evidence) -> Found:
    """Any other exception that ended the run."""
    if e.watch.error is not None:
        is_model = hasattr(e.program.fn, "parameters") and (e.watch.told[0] == "TypeError" or not e.program.args)
        yield _found(e, "raised", "", _OF_A_MODEL if is_model else "Fix the error first.")


def _found(e: Evidence, kind: str, arrays: str, remedy: str) -> ProgramFinding:
    error, told = e.watch.told
    at, text = e.watch.place
    place = f"Line {at.line}, `{text}`," if text else "The program" if at.line is None else f"Line {at.line}"
    first = told.splitlines()[0] if told else ""
    return e.found(kind, f"{place} raised {error}: {first.rstrip('.'):.200}.{arrays}", remedy, at=at)
