"""What a page of the gallery says about the gradient: the formulas that the functions declare, and no others."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autolab import functions as F
from autolab.engine.observe import ForwardEvent, observe
from autolab.recording.rule_text import rule_text


class Called:
    """The declared functions that are called inside a ``with`` block, each once, in order."""

    def __enter__(self) -> list[Any]:
        self._found: list[Any] = []
        self._listening = observe(self._hear)
        self._listening.__enter__()
        return self._found

    def __exit__(self, *error: Any) -> None:
        self._listening.__exit__(*error)

    def _hear(self, event: Any) -> None:
        if isinstance(event, ForwardEvent) and event.function not in self._found:
            self._found.append(event.function)


def told(name: str, called: Iterable[Any]) -> str:
    """The section on the gradient of ``F.name``, whose example has ``called`` these functions."""
    parts = list(called)
    own = getattr(getattr(F, name), "function", None) or next((one for one in parts if one.name == name), None)
    if own is None:
        items = [f"- {_linked(one)}: {'; '.join(_formulas(one).values())}" for one in parts if one.declared]
        return f"{_PARTS}\n\n" + "\n".join(items)
    if not own.declared:
        return _NONE
    items = [". ".join([f"- {text}", *_notes(own.declared[key])]) for key, text in _formulas(own).items()]
    lines = [_OWN, "\n".join(items)]
    without = [f"`{key}`" for key in own.inputs if key not in own.declared and key in signature(name)]
    lines += [f"There is no gradient for {' and '.join(without)}."] * bool(without)
    lines += [note for option, note in _OPTIONS.items() if option in own.schema.defaults]
    return "\n\n".join(lines)


def signature(name: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(getattr(F, name)).parameters


_OWN = "Each input gets this; `g` is the upstream gradient, `y` the result."
_PARTS = """It is made of other functions, and its gradient is that of the whole chain. In the example each part passes
on this; `g` is the upstream gradient, `y` the result of the part."""
_OPTIONS = {
    "reduction": 'This is for `reduction="mean"`; otherwise nothing is divided by the number of terms.',
    "keepdims": "Here `g` and `y` have the axes over which they were reduced, with length 1.",
}
_NONE = "There is none: the result is a constant to every derivative, and backward ends here."


def _formulas(function: Any) -> dict[str, str]:
    """Those of the inputs, with their names in front."""
    given = [key for key in function.inputs if key in function.declared]
    return {key: f"`{key}`: {_code(rule_text(function, key))}" for key in given}


def _code(text: Any) -> str:
    """A formula as code; one in words stays a sentence."""
    try:
        compile(text, "formula", "eval")
    except SyntaxError:
        return text
    return f"`{text}`"


def _linked(function: Any) -> str:
    pages = {getattr(getattr(F, name), "function", None): name for name in F.__all__}
    return f"[{pages[function]}]({pages[function]}.md)" if function in pages else f"`{function.name}`"


def _notes(rule: Any) -> Iterator[str]:
    """What a rule says below its formula; and what the names in a formula mean that only its module knows."""
    if rule.__doc__:
        if note := inspect.cleandoc(rule.__doc__).partition("\n\n")[2]:
            yield note.replace("\n", " ")
        return
    for name in rule.__code__.co_names:
        helper = rule.__globals__.get(name)
        if isinstance(helper, float):
            yield f"`{name}` is {helper:.5g}."
        elif callable(helper) and name not in F.__all__:
            yield f"`{name}`: {(inspect.getdoc(helper) or '').partition(chr(10) * 2)[0]}"
