"""Guards the arrays passed to and returned by users' rules and forwards: no one changes an array that others hold.

AutoLab's own rules neither write to their arguments nor return buffers that they keep; a test checks all of them, so
they run unguarded. Whose rule it is, is decided once, at the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from sys import getrefcount
from types import CodeType
from typing import Any

import numpy as np

from .backend import is_array
from .calls import parameters_of
from .errors import LIMIT, DamagedValueError
from .modes import modes, watchers
from .multi_output import Bundle
from .source import file_label, first_line
from .tracebacks import add_note
from .variable import Variable, wrap


def of_user(function: Callable[..., Any]) -> bool:
    """Whether a rule or a forward was written outside AutoLab."""
    return not (getattr(function, "__module__", None) or "").startswith("autolab.")


def unshared(result: Any) -> Any:
    """The array itself if no one else holds it or a view of it, else a copy. Call it on an expression, not on a name.

    A view is recognised by its base. Whether the array itself is held, for example as a buffer to be reused by the next
    call, is decided by its reference count, which NumPy also uses before it writes a result into a temporary array.

    Examples
    --------
    >>> import numpy as np
    >>> kept = np.zeros(2)
    >>> unshared(kept + 1).base is None, unshared(kept) is kept, unshared(kept[:1]).base is None
    (True, False, True)
    """
    if getattr(result, "base", None) is None and getrefcount(result) <= _ALONE:
        return result
    return result.copy() if is_array(result) else result


def _count(result: Any) -> int:
    return getrefcount(result)


_ALONE = _count(np.empty(0))  # the count for an array that is only being passed on


def unshared_variable(result: Any) -> Any:
    """The same for a Variable, whose copy is part of the graph. Call it on an expression, not on a name."""
    if not isinstance(result, Variable):
        return result
    if result._data.base is None and getrefcount(result) <= _ALONE and getrefcount(result._data) <= _ALONE_IN_VARIABLE:
        return result
    from .primitive import Primitive

    return Primitive.cast(result, dtype=result.dtype)


def _count_in_variable(result: Variable) -> int:
    return getrefcount(result._data)


_ALONE_IN_VARIABLE = _count_in_variable(Variable(np.empty(0)))


def unshared_data(result: Any) -> Any:
    """The array of a Variable, or a value that is not a Variable, by the same rule."""
    if not isinstance(result, Variable):
        results = [result]
        del result
        return unshared(results.pop())
    alone = getrefcount(result) <= _ALONE and getrefcount(result._data) <= _ALONE_IN_VARIABLE
    return result._data if alone and result._data.base is None else result._data.copy()


def locked(value: Any) -> Any:
    """A read-only view of an array, also inside a tuple or a bundle. Anything else is unchanged."""
    if type(value) is np.ndarray:
        value = value.view()
        value.setflags(write=False)
    elif type(value) is tuple:
        return tuple([locked(item) for item in value])
    elif isinstance(value, Bundle):
        return Bundle({index: locked(item) for index, item in value.items()})
    elif isinstance(value, Variable):
        return wrap(locked(value._data), value.node)
    return value


_CHANGES = "changes an array in place that others need too"


def wrote_to_lent(error: ValueError) -> bool:
    """Whether a rule or a backward failed because it wrote to one of its arguments."""
    return any([_CHANGES in note for note in getattr(error, "__notes__", ())])


def explained(error: ValueError, who: str) -> None:
    """Add a note on what to write instead, if NumPy refused to change a read-only array."""
    if "read-only" in str(error):
        add_note(error, f"{who} {_CHANGES}; compute a new one: g = g * x instead of g *= x, or work on a copy"[:LIMIT])


def compiled(who: str, rule: Callable[..., Any], count: int) -> Callable[[Any, Any], Any]:
    """A declared rule that retains ``count`` values, as ``compiled(g, saved)``; for one value the rule itself."""
    plain: Callable[[Any, Any], Any] = (lambda g, saved: rule(g, *saved)) if count else (lambda g, saved: rule(g))
    plain = rule if count == 1 else plain
    return guarded_rule(who, plain) if of_user(rule) else plain


def guarded_rule(who: str, rule: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A user's ``rule(g, saved)``, with read-only arguments and an unshared result."""

    def guarded(g: Any, saved: Any) -> Any:
        if isinstance(g, Variable):
            results = [rule(g, saved)]
            return g if results[0] is g else unshared_variable(results.pop())
        view = locked(g)
        try:
            results = [rule(view, locked(saved))]
        except ValueError as error:
            explained(error, who)
            raise
        return g if results[0] is view else unshared(results.pop())

    return guarded


def is_watched() -> bool:
    """Whether an observer looks for changes in place, such as `record` or `check_inplace`."""
    return bool(watchers) and any([getattr(hook, "blames", False) for hook in modes().hooks])


def copies(arrays: Iterable[Any]) -> list[Any]:
    """Copies of the inputs of a forward before it runs."""
    return [array.copy() if type(array) is np.ndarray else None for array in arrays]


def changed_by(who: str, code: CodeType | None, what: str) -> DamagedValueError:
    """The error for a value that a forward or backward changed in place; ``code`` locates it."""
    file, line = (code.co_filename, first_line(code)) if code else ("", 0)
    place = f" ({file_label(file):.60}, line {line})" if code else ""
    return DamagedValueError(
        f"{what} was changed in place by its {who}{place}. Work on a copy: others still need the original.", file, line
    )


def check_unchanged(before: list[Any], arrays: Sequence[Any], who: str, names: Sequence[str], forward: Any) -> None:
    """If a forward has changed an input in place, restore it and raise an error with the line of the forward.

    Raises
    ------
    DamagedValueError
    """
    for i, (was, array) in enumerate(zip(before, arrays, strict=True)):
        if was is None or was.tobytes() == array.tobytes():
            continue
        array[...] = was
        raise changed_by("forward", getattr(forward, "__code__", None), f"input {names[i]!r:.60} of {who:.60}")


def guarded_forward(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A user's forward with unshared results: a buffer that it reuses in the next call is copied."""

    def guarded(xp: Any, *inputs: Any, **attributes: Any) -> Any:
        before = copies(inputs) if is_watched() else None
        results = [forward(xp, *inputs, **attributes)]
        if before is not None:
            names = [*[name for name, _, _ in parameters_of(forward)[1:]], *["inputs"] * len(inputs)]  # the first is xp
            check_unchanged(before, inputs, getattr(forward, "__name__", "forward"), names, forward)
        return unshared_each(list(results.pop())) if type(results[0]) is tuple else unshared(results.pop())

    return guarded


def unshared_each(results: list[Any]) -> tuple[Any, ...]:
    """`unshared` of each result; empties the list."""
    return tuple([unshared(results.pop(0)) for _ in range(len(results))])
