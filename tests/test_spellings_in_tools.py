"""Every accepted spelling of a call gives the same numbers in every tool as outside of it.

The spellings come from the tables of names and the signatures: the function's own keywords, positions, names of inputs,
NumPy's function, the method, the keywords of other libraries, PyTorch's form where ``dim`` selects it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers.function_table import ROWS

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.engine import in_own_words
from autolab.engine.habit_tables import ALIASES, KEYWORDS, OTHER_FORMS
from autolab.engine.habits import at

Fn = Callable[[Any], Any]


class Spelling(NamedTuple):
    """One way to write a call, as a function of its first input; and the plainest way to write the same."""

    label: str
    call: Fn
    plain: Fn
    x: np.ndarray


def total(y: Any) -> Any:
    """All floating-point results as one number, each element with its own weight."""
    ys = [v for v in (y if isinstance(y, tuple | list) else [y]) if getattr(v, "dtype", np.dtype(int)).kind == "f"]
    return sum([F.sum(F.cos(v * 0.5) * np.arange(1.0, v.size + 1).reshape(v.shape)) for v in ys])


def numbers(value: Any) -> list[Any]:
    """What can be compared of a result: arrays, or words."""
    if isinstance(value, tuple | list):
        return [one for part in value for one in numbers(part)]
    return [value if isinstance(value, str) else np.asarray(getattr(value, "array", value))]


def _slope(f: Fn, x: np.ndarray) -> Any:
    v = Variable(x)
    return grad(total(f(v)), v)


def _within(mode: Callable[[], Any]) -> Callable[[Fn, np.ndarray], Any]:
    def tool(f: Fn, x: np.ndarray) -> Any:
        with mode():
            return _slope(f, x)

    return tool


def _observed(f: Fn, x: np.ndarray) -> Any:
    events: list[Any] = []
    with autolab.observe(events.append):
        y = f(Variable(x))
    return [y, [event.function.name for event in events]]


def _recorded(f: Fn, x: np.ndarray) -> Any:
    recording = autolab.record(lambda x: total(f(x)), x)
    return [str(shown) for step in recording.steps for shown in (step.value, step.grad) if shown is not None]


def _compiled(f: Fn, x: np.ndarray) -> Any:
    compiled = autolab.compile(f)
    return [compiled(Variable(x)), compiled(Variable(x + 0.125))]


def _in_view(make: Callable[[Fn, np.ndarray, list[Any]], Any]) -> Callable[[Fn, np.ndarray], Any]:
    def tool(f: Fn, x: np.ndarray) -> Any:
        seen: list[Any] = []
        view = make(f, x, seen)
        view.close()
        return [seen, [line for line in str(view).splitlines() if line.startswith(("f(1)", "f′(1)"))]]

    return tool


def _kept(value: Any, seen: list[Any]) -> Any:
    seen[:] = numbers(value)
    return value


TOOLS: dict[str, Callable[[Fn, np.ndarray], Any]] = {
    "backward": _slope,
    "arrays": lambda f, x: f(x),
    "record": _recorded,
    "observe": _observed,
    "graph": lambda f, x: len(autolab.graph(f(Variable(x))).steps),
    "check_gradients": lambda f, x: autolab.check_gradients(lambda x: total(f(x)), x).verdict,
    "diagnose": lambda f, x: [one.kind for one in autolab.diagnose(lambda: total(f(Variable(x)))).findings],
    "jvp": lambda f, x: autolab.jvp(f, (x,), (np.ones_like(x),)),
    "jacfwd": lambda f, x: autolab.jacfwd(lambda x: total(f(x)))(x),
    "jacrev": lambda f, x: autolab.jacrev(lambda x: total(f(x)))(x),
    "vmap": lambda f, x: autolab.vmap(f)(np.stack([x, x + 0.125])),
    "hessian": lambda f, x: autolab.hessian(lambda x: total(f(x)))(x),
    "checkpoint": lambda f, x: _slope(autolab.checkpoint(f), x),
    "compile": _compiled,
    "fuse": lambda f, x: autolab.fuse(f)(Variable(x)),
    "find_nonfinite": lambda f, x: str(autolab.find_nonfinite(lambda x: total(f(x)), x)),
    "detect_anomaly": _within(autolab.detect_anomaly),
    "set_debug": _within(lambda: autolab.set_debug(True)),
    "check_inplace": _within(autolab.check_inplace),
    "explore": _in_view(lambda f, x, seen: autolab.explore(lambda x: _kept(total(f(x)), seen), x)),
    "interact": _in_view(
        lambda f, x, seen: autolab.interact(lambda s: _kept(total(f(x * s)), seen), s=(0.5, 1.0, 1.5))
    ),
    "derivatives": _in_view(lambda f, x, seen: autolab.derivatives(lambda s: F.sum(f(s * x)), 1.0, order=1)),
}


def outcome(tool: Callable[[Fn, np.ndarray], Any], f: Fn, x: np.ndarray) -> list[Any]:
    """The numbers, or which kind of error there is: what a tool refuses, it refuses in every spelling."""
    autolab.manual_seed(0)  # for dropout
    try:
        return numbers(tool(f, x))
    except (NameError, AttributeError):
        raise
    except Exception as error:
        return [type(error).__name__, str(error)]


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal but for rounding: NumPy's own functions on arrays may compute in another order."""
    return np.allclose(a, b, rtol=1e-12, equal_nan=True) if a.dtype.kind in "biuf" else np.array_equal(a, b)


def alike(found: list[Any], expected: list[Any]) -> bool:
    if any(isinstance(one[0], str) and one[0].endswith("Error") for one in (found, expected) if one):
        return isinstance(found[0], str) and isinstance(expected[0], str) and found[0] == expected[0]
    return len(found) == len(expected) and all(
        a == b if isinstance(a, str) or isinstance(b, str) else a.shape == b.shape and close(a, b)
        for a, b in zip(found, expected, strict=True)
    )


def accepted(f: Fn, x: np.ndarray) -> list[Any] | None:
    """The numbers of a call without any tool; None if it is refused."""
    try:
        return numbers(f(Variable(x)))
    except (TypeError, ValueError, AttributeError):
        return None


def calls() -> Iterator[tuple[Any, dict[str, Any]]]:
    """Every function of the table and the arguments of its small cases, by name; settings at their defaults too."""
    for row in ROWS:
        made: list[inspect.BoundArguments] = []

        def spy(*args: Any, **given: Any) -> Any:
            made.append(inspect.signature(row.function).bind(*args, **given))  # noqa: B023
            return row.function(*args, **given)  # noqa: B023

        for case in row.cases:
            inputs = case.make(np.random.default_rng(0), np.float64)
            if not 0 < sum(x.size for x in inputs if isinstance(x, np.ndarray)) <= 40 or "stride" in case.label:
                continue
            try:
                case.call(spy, *inputs)
            except Exception:
                continue
        for bound in made:
            bound.apply_defaults()
            yield row.function, dict(bound.arguments)


def spellings() -> Iterator[Spelling]:
    """Each accepted spelling once for each function."""
    seen: set[str] = set()
    for function, given in calls():
        kinds = {name: p.kind for name, p in inspect.signature(function).parameters.items()}
        if any(kind in (1 + 1, 4) for kind in kinds.values()) or not given:
            continue
        (first, x), *rest = given.items()
        draws = any([isinstance(value, np.random.Generator) for value in given.values()])
        if not isinstance(x, np.ndarray) or x.dtype != np.float64 or draws:
            continue
        left = [value for name, value in rest if kinds[name] == inspect.Parameter.POSITIONAL_ONLY]
        more = {name: value for name, value in rest if kinds[name] != inspect.Parameter.POSITIONAL_ONLY}
        for label, call, plain in _ways(function, first, kinds, left, more):
            if label not in seen and accepted(plain, x) is not None and accepted(call, x) is not None:
                seen.add(label)
                yield Spelling(label, call, plain, x)


def _ways(function: Any, first: str, kinds: dict[str, Any], left: list[Any], more: dict[str, Any]) -> Iterator[Any]:
    who, names = function.__name__, [*kinds]
    own: Fn = lambda x: function(x, *left, **more)  # noqa: E731
    given = {name: value for name, value in more.items() if name in kinds}
    by_place = [*left, *[v for name, v in given.items() if kinds[name] != inspect.Parameter.KEYWORD_ONLY]]
    by_name = {name: v for name, v in given.items() if kinds[name] == inspect.Parameter.KEYWORD_ONLY}
    yield f"{who}: by position", lambda x: function(x, *by_place, **by_name), own
    if kinds[first] != inspect.Parameter.POSITIONAL_ONLY:
        yield f"{who}: by name", lambda x: function(**{first: x}, **more), own
    theirs = getattr(np, who, None) or getattr(np.linalg, who, None)
    if callable(theirs):
        renamed = {mine: name for name, mine in getattr(getattr(function, "function", None), "renamed", {}).items()}
        told = {renamed.get(name, name): value for name, value in more.items()}
        yield f"numpy.{who}", lambda x: theirs(x, *left, **told), own
        yield f"numpy.{who}: by position", lambda x: theirs(x, *by_place, **by_name), own
    for name in [who, *[alias for alias, target in ALIASES["Variable"].items() if target == f"functions.{who}"]]:
        yield (
            f"Variable.{name}",
            lambda x, name=name: getattr(x if isinstance(x, Variable) else autolab.engine.wrap(x, None), name)(
                *left, **more
            ),
            own,
        )
        yield (
            f"Variable.{name}: by position",
            lambda x, name=name: getattr(x if isinstance(x, Variable) else autolab.engine.wrap(x, None), name)(
                *by_place, **by_name
            ),
            own,
        )
    if callable(of_nn := getattr(autolab.nn.functional, who, None)):
        yield f"nn.functional.{who}", lambda x: of_nn(x, *left, **more), own
        yield f"nn.functional.{who}: by position", lambda x: of_nn(x, *by_place, **by_name), own
    for foreign in KEYWORDS:
        for name, value in more.items():
            others = {other: v for other, v in more.items() if other != name}
            if foreign not in names and in_own_words(who, names, {foreign: value}) == {name: value}:
                yield (
                    f"{who}({foreign}=)",
                    lambda x, o=others, f=foreign, v=value: function(x, *left, **o, **{f: v}),
                    own,
                )
    if who in OTHER_FORMS and isinstance(more.get("axis"), int):
        form, dim = at(OTHER_FORMS[who]), more["axis"]
        for method in (False, True):
            yield (
                f"{'Variable.' * method}{who}(dim=)",
                lambda x, m=method: getattr(x, who)(dim=dim) if m and isinstance(x, Variable) else function(x, dim=dim),
                lambda x: form(x, dim),
            )
            yield (
                f"{'Variable.' * method}{who}(axis, keepdim=)",
                lambda x, m=method: (
                    getattr(x, who)(dim, keepdim=True)
                    if m and isinstance(x, Variable)
                    else function(x, dim, keepdim=True)
                ),
                lambda x: form(x, dim, keepdim=True),
            )


DIFFERENT = {"nn.functional.batch_norm: by position": "PyTorch has the running averages before the weights"}
"""Spellings whose numbers differ from those of the function of the same name on purpose -> why."""


def wrong(one: Spelling, tools: Iterable[str]) -> list[str]:
    """What a spelling does that the plain call does not."""
    without, expected = [outcome(lambda f, x: f(Variable(x)), f, one.x) for f in (one.call, one.plain)]
    if not alike(without, expected):
        return [] if one.label in DIFFERENT else [f"{one.label} alone: {without!s:.120} instead of {expected!s:.120}"]
    found = []
    for tool in tools:
        a, b = outcome(TOOLS[tool], one.call, one.x), outcome(TOOLS[tool], one.plain, one.x)
        if not alike(a, b):
            found.append(f"{one.label} in {tool}: {a!s:.120} instead of {b!s:.120}")
    return found


SLOW = ("check_gradients", "compile", "diagnose") * 2 + ("interact", "explore", "derivatives")
"""They run the function hundreds of times, or draw it: one of them sees each of the first spellings."""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Views write their pages there; arguments out of a function's domain are as good as others."""
    monkeypatch.chdir(tmp_path)
    with np.errstate(all="ignore"):
        yield


def test_a_spelling_is_the_same_in_every_tool() -> None:
    rng, every = np.random.default_rng(57), [*spellings()]
    assert len(every) > 1000
    found: list[str] = []
    for place, slow in zip_longest(rng.permutation(len(every))[:40], SLOW):
        found += wrong(every[place], [name for name in TOOLS if name == slow or name not in SLOW])
    assert not found, "\n".join(found)


@pytest.mark.full
def test_every_spelling_is_the_same_in_every_tool() -> None:
    """Every one in the quick tools, each in one of the slow ones, and every tenth in a view."""
    found: list[str] = []
    for i, one in enumerate(spellings()):
        slow = SLOW[i % 6] if i % 10 else SLOW[6 + i // 10 % 3]
        found += wrong(one, [name for name in TOOLS if name == slow or name not in SLOW])
    assert not found, "\n".join(found)
