"""The state of a gradient in one true sentence. None is never shown as 0."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache

from ...debug.inplace import departed as departed_from
from ...debug.provenance import MOST_STEPS, Net, graph_of, missing, provenance, replay, state_of
from ...engine import Variable, to_cpu
from ...engine.leaving import Exit
from ...engine.store import last_output, last_start
from ...recording.departures import Departure, concerned
from ...recording.model import Recording, Step
from ...recording.nonfinite import NonfiniteOrigin, RecordedNet, find_nonfinite
from ...recording.observations import WHY_ZERO
from .escape import clean
from .messages import listed, plural, say
from .names import label, where
from .numbers import inline

_MOST_PLACES = 3
_REACHED = ("ok", "zero", "nonfinite")


def of_step(step: Step) -> str:
    """The sentence about a step's gradient."""
    return say(_key(step))


def explained(recording: Recording, with_departures: bool = True) -> Callable[[Step], str]:
    """A function that gives the sentence about a step's gradient, naming the function responsible if there is one.

    It is followed by one sentence for each of the first places where values left the graph, whose effect is missing
    from this gradient.
    """
    lost = concerned(recording) if with_departures else {}
    net = cache(lambda: RecordedNet(recording))

    @cache
    def origins() -> dict[int, NonfiniteOrigin]:
        """The first origin of what is not finite in each gradient."""
        return {step: one for one in reversed(find_nonfinite(recording).origins) for step in one.gradients}

    def sentence(step: Step) -> str:
        places = lost.get(step.id, [])
        left = [departed(recording, departure, say("this_gradient")) for departure in places[:_MOST_PLACES]]
        left += [say("left_more", count=plural(len(places) - len(left), "place"))] if len(places) > len(left) else []
        left += [say("replaced_step")] if step.replaced else []
        return " ".join([*([] if left and step.status == "ok" else [of_gradient(step)]), *left])

    def of_gradient(step: Step) -> str:
        key = _key(step)
        if key not in ("zero", "nonfinite") or step.order:
            return say(key)
        origin = origins().get(step.id) if key == "nonfinite" else None
        return _explained(key, net(), step.id) if origin is None or origin.function is None else _from(origin)

    return sentence


def departed(recording: Recording, departure: Departure, whose: str) -> str:
    """What left the graph, at which line, and ``whose`` gradient therefore misses its effect."""
    return _left(departure, "" if departure.file == recording.file else f"{clean(departure.file)}, ", whose)


def _left(exit: Departure | Exit, file: str, whose: str) -> str:
    place = f"{file}line {exit.line}"
    key = "left" if exit.how == "left" else f"left_{exit.how}"
    source = f"`{clean(exit.source, 80)}`"
    return say(key, place=place if file else place.capitalize(), source=source, whose=whose)


def departures(recording: Recording) -> list[str]:
    """A sentence for each place where values left the graph, with the inputs whose gradients miss its effect."""
    told = []
    for departure in recording.departures:
        names = listed([label(recording.by_id[i]) for i in departure.inputs])
        key = "gradient_of_one" if len(departure.inputs) == 1 else "gradients_of"
        told.append(departed(recording, departure, say(key, names=names) if names else say("no_gradients")))
    return told


def _from(origin: NonfiniteOrigin) -> str:
    source = clean(origin.source or origin.name or origin.function, 120)
    return say(
        "nonfinite_born", function=clean(origin.function, 60), phase=origin.phase, source=source, place=where(origin)
    )


def _key(step: Step) -> str:
    has_parts = step.kind == "call" and step.value is None and step.status in _REACHED
    return "call_of_parts" if has_parts else step.status


# ---------------------------------------------------------------------------------------------- of a Variable
def of_variable(variable: Variable) -> str:
    """The sentence about the gradient of a Variable outside a recording."""
    if not getattr(variable, "is_initialized", True):
        return say("no_gradient_without_size")
    sentence = _of_none(variable) if variable.grad is None else _of_gradient(variable)
    places = list(departed_from.get(variable.node, ())) if variable.node is not None else []
    whose = say("this_gradient")
    return " ".join([sentence, *[_left(place, f"{clean(place.file)}, ", whose) for place in places[:_MOST_PLACES]]])


def _of_gradient(variable: Variable) -> str:
    node, gradient = variable.node, variable._grad
    assert node is not None and gradient is not None
    if getattr(node, "given", False):
        return say("given")
    state = state_of(gradient)
    stale, count = getattr(node, "moved", 0) > 0, getattr(node, "passes", 1)
    if gradient.size and not state.finite:
        return _of_past("nonfinite", variable)
    if stale:
        return say("accumulated_stale", count=count) if count > 1 else say("stale")
    if gradient.size and state.zero:
        return _of_past("zero", variable)
    return say("accumulated", count=count) if count > 1 else say("ok")


def _of_past(key: str, variable: Variable) -> str:
    """The sentence with the function responsible, if that is still known from the last backward pass."""
    output = last_output()
    if getattr(variable.node, "passes", 1) > 1:
        return say(key)
    if output is None:
        return f"{say(key)} {say('keep_result')}"
    nodes = graph_of(output)
    net = replay(output, variable) if variable.node in nodes and len(nodes) <= MOST_STEPS else None
    return say(key) if net is None else _explained(key, net, variable.node)


def _of_none(variable: Variable) -> str:
    node = variable.node
    if variable.dtype.kind not in "fc":
        return say("integer")
    if node is None:
        return say("not_required")
    output = last_output()
    if output is not None and output.node is not None:
        return _of_unreached(variable, output)
    if getattr(node, "passes", 0):
        return say("cleared")
    return say("not_kept" if any([getattr(below, "passes", 0) for below in graph_of(variable)]) else "not_computed")


def _of_unreached(variable: Variable, output: Variable) -> str:
    """The sentence for a missing gradient although there was a backward pass, from ``output``."""
    why = missing(variable, output)
    start = last_start(output)
    if why == "start" and start is not None:
        return say(why, upstream=inline(to_cpu(start.data)) or say("start_array"))
    before = getattr(variable.node, "passes", 0)
    if before and why not in ("detached", "not_input"):
        return say("cleared")
    told = say("passed") if why == "not_kept" else say(why, output=_output_name(output))
    return f"{told} {say('cleared_before')}" if before else told


def _output_name(output: Variable) -> str:
    if output.name:
        return clean(output.name, 60)
    made_by = getattr(output.creator, "name", None)
    return "another value" if made_by is None else f"a result of {clean(made_by, 60)}"


# ---------------------------------------------------------------------------------------------- the cause
def _explained(key: str, net: Net, step: Hashable) -> str:
    found = provenance(net, step, "zero" if key == "zero" else "nonfinite")
    if found.producers:
        shown = " and ".join([clean(name, 60) for name in found.producers[:2]])
        return say(f"{key}_at", function=shown, why=_why(found.producers) if key == "zero" else "")
    if found.started or found.summed:
        return say(f"{key}_started" if found.started else f"{key}_sum")
    return say(key)


def _why(names: Sequence[str]) -> str:
    """Why a function passes nothing on, if its kind is known."""
    kinds = [kind for kind, functions in WHY_ZERO.items() if set(names) <= functions]
    return say(f"zero_at_{kinds[0]}") if kinds else ""
