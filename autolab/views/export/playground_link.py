"""What a saved page knows about a playground: its address, and the program that opens the same view there."""

from __future__ import annotations

import builtins
import dis
import json
import os
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import autolab

from ...engine import show
from ..check.session import LensSession
from ..derivatives.session import DerivativeSession
from ..draw import clean, say
from ..graph.exploration_state import LITERAL, as_given, call_code, literal
from ..graph.session import Session
from ..interact.interact import Interact
from ..interact.knobs import Choice, Knob, Slider
from ..live.controls import Key
from ..plots.surface_view import SurfaceView
from .standalone import NotStandalone, standalone

ADDRESS = "AUTOLAB_PLAYGROUND"
"""The environment variable with the playground's address for every saved page."""

_MARK = "\0"  # never occurs in source code


def address(given: str | None) -> str:
    """The playground to link to: the ``given`` one, else that of the environment variable; empty for none.

    Raises
    ------
    ValueError
        If it is not the address of a web page.

    Examples
    --------
    >>> address("https://example.org/playground/")
    'https://example.org/playground/'
    """
    found = os.environ.get(ADDRESS, "") if given is None else given
    if found and (not found.startswith(("https://", "http://")) or "#" in found or len(found.split()) != 1):
        raise ValueError(
            f"playground: got {clean(found, 100)!r}; expected an address that begins with https:// and has no #"
        )
    return found


def link(shown: Any, playground: str) -> dict[str, Any]:
    """A playground's address, the text of a link to it, and the program.

    The program is in pieces: texts and, between them, the numbers of inputs, which a page replaces when they move. Each
    input has its ``key``, the ``shape`` of the array, whether it holds integers (``whole``), and its current ``text``.

    Raises
    ------
    NotShown
        If there is no program for such an object.
    NotStandalone
        If the code is not self-contained, or an input is too large to be written out.
    """
    program, call = show(shown, "program")
    texts = f"{program}\n\n\n{call}\n".split(_MARK)
    pieces: list[Any] = [json.loads(text) if i % 2 else text for i, text in enumerate(texts)]
    _check_names("".join([piece["text"] if i % 2 else piece for i, piece in enumerate(pieces)]))
    return {"address": playground, "words": say("page_playground"), "pieces": pieces}


def exploration(session: Session) -> tuple[str, str]:
    """The functions of an exploration, and the call that opens it."""
    _check_sizes(session.state.arrays)
    call = call_code(session.bound, session.state, lambda key, text: _marked(session.array(key), key, text))
    name = call.partition("autolab.explore(")[2].partition(",")[0].removesuffix(")")
    return standalone(session.bound.given, name, **session.bound.named(), **_modules(call)), call


def check(session: LensSession) -> tuple[str, str]:
    bound = session.origin.base.standing()
    _check_sizes({name: x.array for name, x in bound.variables.items()})
    options = f", options={{'order': {session.origin.order}}}" if session.origin.order > 1 else ""
    arguments = bound.code(lambda x: as_given(literal(x.array), x)).partition("(")[2].removesuffix(")")
    name = _name(bound.given)
    call = f"autolab.check_gradients({name}, {arguments}{options}).explore()"
    return standalone(bound.given, name, **bound.named(), **_modules(call)), call


def derivatives(session: DerivativeSession) -> tuple[str, str]:
    study, state = session.seen.study, session.state
    fn = study.fn if isinstance(study.fn, FunctionType) else getattr(study.fn, "func", study.fn)
    others: dict[str, Any] = getattr(study.fn, "keywords", {})
    name = _name(fn)
    x = _marked(np.asarray(state.x), "x", repr(state.x))
    keywords = "".join([f", {key}={key}" for key in others])
    call = f"autolab.derivatives({name}, {x}, order={state.order}, domain={session.seen.data.domain!r}{keywords})"
    return standalone(fn, name, **others, **_modules(call)), call


def interaction(view: Interact) -> tuple[str, str]:
    knobs = "".join([f", {name}={_knob(knob)}" for name, knob in view._knobs.items()])
    options = f", options={{'axes': {dict(view._letters)!r}}}" if view._letters else ""
    name = _name(view._fn)
    call = f"autolab.interact({name}{knobs}{options})"
    return standalone(view._fn, name, **_modules(call)), call


def _knob(knob: Knob) -> str:
    """The argument for which `interact` creates the same knob with its current value."""
    if isinstance(knob, Slider):
        return repr(knob.value if knob.ends is None else (knob.ends[0], knob.value, knob.ends[1]))
    if isinstance(knob, Choice):
        return repr([knob.value, *[value for value in knob.values if value != knob.value]])
    return "np.random.default_rng(0)"


def surface(view: SurfaceView) -> tuple[str, str]:
    found, ball = view._surface, view.roll
    space = found.plane.space
    if found.chosen != "axes" or not isinstance(space.params, tuple) or len(found.path):
        raise NotStandalone("the plane of this surface has no short text")
    settings = "" if ball is None else ", ".join([f"{key}={value!r}" for key, value in ball.settings.items()])
    put = "" if ball is None else f"{tuple(ball.places[0].tolist())}, autolab.optimizers.{ball.optimizer}({settings})"
    steps = "" if ball is None else f", steps={view.look['steps']}"
    name, span = _name(space.loss), float(found.x[-1] - found.center[0])
    call = f"autolab.plots.surface({name}, {found.center}, span={span}, steps={len(found.x)}).explore({put}{steps})"
    return standalone(space.loss, name, **_modules(call)), call


def _name(fn: Callable[..., Any]) -> str:
    """The name of a function in its source, which may differ from its current one."""
    name: str = fn.__code__.co_name if isinstance(fn, FunctionType) else getattr(fn, "__name__", "fn")
    return name if name.isidentifier() else "fn"


def _modules(call: str) -> dict[str, Any]:
    return {"autolab": autolab, **({"np": np} if "np." in call else {})}


def _check_sizes(arrays: Mapping[Key, Any]) -> None:
    for name, array in arrays.items():
        if array.size > LITERAL:
            raise NotStandalone(f"{name} has {array.size} elements, more than {LITERAL}")


def _check_names(program: str) -> None:
    """Refuse a program whose last line cannot run, because an argument has no text, or a text with an unknown name."""
    try:
        code = compile(program, "<program>", "exec")
    except SyntaxError:
        raise NotStandalone("an argument has no text that stands for it") from None
    known = {*dir(builtins), *_instructions(code, "STORE_NAME")}
    for name in _instructions(code, "LOAD_NAME"):
        if name not in known:
            raise NotStandalone(f"{name} is not defined")


def _instructions(code: CodeType, name: str) -> list[Any]:
    return [found.argval for found in dis.get_instructions(code) if found.opname == name]


def _marked(array: np.ndarray, key: Key, text: str) -> str:
    """The text of an input with its numbers as JSON between marks, if the text contains them."""
    before, held, after = text.partition(repr(array.tolist()))
    if not held:  # a large array, which appears by name, or one with NaN
        return text
    numbers = {"key": key, "shape": array.shape, "whole": array.dtype.kind in "iu", "text": held}
    return f"{before}{_MARK}{json.dumps(numbers)}{_MARK}{after}"
