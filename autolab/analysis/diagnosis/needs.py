"""What a rule needs of a program: a diagnosis lists what it has looked at, and says of the rest why not."""

from __future__ import annotations

from collections.abc import Callable

from .evidence import Evidence
from .loss_terms import EMBEDDING
from .probes import attends, unprobed

Need = Callable[[Evidence], str]
"""Why something could not be looked at; empty if it could."""


def nothing(e: Evidence) -> str:
    """Every program will do."""
    return ""


def recorded(e: Evidence) -> str:
    """A recorded graph."""
    return "" if e.calls else "no graph was recorded"


def compared(e: Evidence) -> str:
    """Predictions and targets."""
    return recorded(e) or ("" if e.objectives or e.picks else "no step compares predictions with targets")


def words(e: Evidence) -> str:
    """An embedding of words."""
    return recorded(e) or ("" if any(s.function in EMBEDDING for s in e.calls) else "there is no embedding of words")


def words_compared(e: Evidence) -> str:
    """Both of these."""
    return compared(e) or words(e)


def attention(e: Evidence) -> str:
    """Attention, in one step or in several."""
    return recorded(e) or ("" if any(attends(e, s) for s in e.calls) else "there is no attention")


def examples(e: Evidence) -> str:
    """A second run in which one example had other numbers."""
    return compared(e) or unprobed(e)


def causal(e: Evidence) -> str:
    """The argument ``causal``."""
    return recorded(e) or ("" if e.is_causal else "only with causal=True")


def models(e: Evidence) -> str:
    """A model, that is, an object with layers."""
    if not e.bench.models:
        return "functions of this library have no layers"
    return "" if e.bench.of_kind(e.program.named, e.bench.models) else "there is no model among what it is given"


def graph_and_parameters(e: Evidence) -> str:
    """A recorded graph and parameters."""
    return recorded(e) or ("" if e.parameters else "there are no parameters")


def updates(e: Evidence) -> str:
    """Updates of parameters."""
    is_any = e.watch.heard("step", "own step") or e.watch.told[1]
    return "" if is_any else "the program makes no updates: give a training step"


def optimizer(e: Evidence) -> str:
    """An optimizer."""
    return "" if e.bench.held(e.program.named) else "there is no optimizer among what it is given"


def _rounds(e: Evidence, least: int) -> str:
    return "" if e.rounds >= least else f"give a training step, and steps={max(least, 20)}"


def steps(e: Evidence) -> str:
    """A second step."""
    return _rounds(e, 2)


def three_steps(e: Evidence) -> str:
    """Three steps."""
    return _rounds(e, 3)


def ten_steps(e: Evidence) -> str:
    """Ten steps."""
    return _rounds(e, 10)
