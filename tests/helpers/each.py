"""Many cases of one property within one test: a test of its own takes longer than most cases do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import pytest

from .state import nothing_left_behind

_IN_A_FULL_TEST = 250
_FAILURES = (Exception, pytest.fail.Exception)
wanted = [""]
"""What is in the names of the cases that are tried: the option ``--case``."""


@dataclass(frozen=True)
class _Case:
    label: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    is_full: bool = False

    def beside(self, other: _Case) -> _Case:
        label = "-".join([part for part in (self.label, other.label) if part])
        return _Case(label, {**self.arguments, **other.arguments}, self.is_full or other.is_full)


def each(
    names: str | tuple[str, ...], values: Iterable[Any], ids: Any = None, *, parts: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each of ``values``, which are given as to `pytest.mark.parametrize`; several `each` multiply.

    All cases are tried. What is raised is the error of the first that fails, with a note that names all that do.
    Each case has its own `monkeypatch` and `tmp_path` and must leave everything as it was. Cases marked `full` are
    tests apart. ``parts`` makes several tests of many long cases, so that they share the processors.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    rows = [_case(columns, value, ids, i) for i, value in enumerate(values)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        inner: Callable[..., None] = getattr(test, "of_one_case", test)
        cases = [case.beside(row) for case in getattr(test, "cases", [_Case()]) for row in rows]
        own = [case for case in cases if not case.is_full]
        several = min(parts, len(own))
        shares = [pytest.param(own[i::several], id=f"part {i + 1}" if parts > 1 else "some") for i in range(several)]
        others = [case for case in cases if case.is_full]
        shares += [
            pytest.param(others[i : i + _IN_A_FULL_TEST], id=f"others from {i + 1}", marks=pytest.mark.full)
            for i in range(0, len(others), _IN_A_FULL_TEST)
        ]
        fixtures = [p for p in inspect.signature(inner).parameters.values() if p.name not in cases[0].arguments]

        @wraps(inner)
        def of_all(cases_here: list[_Case] = cases, **fixtures_here: Any) -> None:
            _try_all(inner, cases_here, fixtures_here)

        of_all.of_one_case, of_all.cases = inner, cases  # type: ignore[attr-defined]
        of_all.shares = shares if len(shares) > 1 else []  # type: ignore[attr-defined]
        if len(shares) > 1:
            fixtures = [inspect.Parameter("cases_here", inspect.Parameter.KEYWORD_ONLY), *fixtures]
        of_all.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in fixtures]
        )
        return of_all

    return decorate


def give_shares(metafunc: pytest.Metafunc) -> None:
    """Make the several tests that some uses of `each` are."""
    if shares := getattr(metafunc.function, "shares", []):
        metafunc.parametrize("cases_here", shares)


def _case(columns: list[str], value: Any, ids: Any, i: int) -> _Case:
    given = value if isinstance(value, type(pytest.param())) else None
    marks = [getattr(mark, "name", "") for mark in given.marks] if given else []
    assert not {*marks} - {"full"}, f"each: {marks} are marks of a whole test"
    values = given.values if given else [value] if len(columns) == 1 else [*value]
    assert len(values) == len(columns), f"each: {values} are to be {columns}"
    if given and given.id is not None:
        label = str(given.id)
    elif ids is not None and not callable(ids):
        label = str([*ids][i])
    else:
        told = [ids(value) if ids else None for value in values]
        pairs = zip(columns, values, told, strict=True)
        label = "-".join([_label(name, value, i) if said is None else str(said) for name, value, said in pairs])
    return _Case(label, dict(zip(columns, values, strict=True)), "full" in marks)


def _label(name: str, value: Any, i: int) -> str:
    if isinstance(value, str | int | float | complex | bytes | None):
        return str(value)
    return getattr(value, "__name__", None) or f"{name}{i}"


def _try_all(test: Callable[..., None], cases: list[_Case], fixtures: dict[str, Any]) -> None:
    failures: list[tuple[str, BaseException]] = []
    skips: list[BaseException] = []
    chosen = [case for case in cases if wanted[0] in case.label]
    if cases and not chosen:
        pytest.skip(f"no case is called {wanted[0]!r}")
    for i, case in enumerate(chosen):
        try:
            with _fixtures_of_a_case(fixtures, i) as own, nothing_left_behind():
                test(**own, **case.arguments)
        except pytest.skip.Exception as error:
            skips.append(error)
        except _FAILURES as error:
            failures.append((case.label, error))
    if failures:
        label, first = failures[0]
        lines = [f"{name}: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}" for name, error in failures]
        first.add_note("\n".join([f"the case: {label}", f"{len(failures)} of {len(chosen)} cases fail:", *lines]))
        raise first
    if skips and len(skips) == len(chosen):
        raise skips[0]


@contextmanager
def _fixtures_of_a_case(fixtures: dict[str, Any], i: int) -> Iterator[dict[str, Any]]:
    own = dict(fixtures)
    if "tmp_path" in own:
        own["tmp_path"] = fixtures["tmp_path"] / str(i)
        own["tmp_path"].mkdir()
    if "monkeypatch" not in own:
        yield own
        return
    with pytest.MonkeyPatch.context() as own["monkeypatch"]:
        yield own
