"""What `helpers.each` promises: all cases are tried, and what is raised names each that fails."""

from __future__ import annotations

import warnings
from pathlib import Path

import helpers.each
import pytest
from helpers.each import each

import autolab

TRIED: list[tuple[int, str]] = []


@each("number", [0, 1, pytest.param(2, id="two")])
@each("letter", ["a", "b"])
def beside(number: int, letter: str) -> None:
    TRIED.append((number, letter))
    assert number == 0 or letter == "a", "only a\nand no more"


def test_all_cases_are_tried_and_those_that_fail_are_named() -> None:
    TRIED.clear()
    with pytest.raises(AssertionError, match="only a") as caught:
        beside()
    assert sorted(TRIED) == [(number, letter) for number in range(3) for letter in "ab"]
    (note,) = caught.value.__notes__
    first, count, *named = note.splitlines()
    assert (first, count) == ("the case: b-1", "2 of 6 cases fail:")
    assert [line.partition(":")[0] for line in named] == ["b-1", "b-two"] and "AssertionError: only a" in named[0]


@each("number", range(3))
def left_behind(number: int) -> None:
    if number == 1:
        autolab.config.train = False
    if number == 2:
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def test_a_case_that_leaves_something_behind_fails_and_no_other() -> None:
    with pytest.raises(AssertionError) as caught:
        left_behind()
    lines = caught.value.__notes__[0].splitlines()
    assert lines[1] == "2 of 3 cases fail:" and "config.train" in lines[2] and "overflow" in lines[3]


@each("number", range(2))
def test_fixtures_of_a_case_are_its_own(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").mkdir()
    monkeypatch.setattr(Path, "of_a_case", number, raising=False)
    monkeypatch.delattr(Path, "of_a_case")
    assert not hasattr(Path, "of_a_case")


@each("number", range(3))
def skipped(number: int, least: int) -> None:
    if number < least:
        pytest.skip("small")


def test_what_skips_all_its_cases_is_skipped() -> None:
    skipped(least=2)
    with pytest.raises(pytest.skip.Exception):
        skipped(least=3)


def test_one_case_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    TRIED.clear()
    monkeypatch.setattr(helpers.each, "wanted", ["a-two"])
    beside()
    assert TRIED == [(2, "a")]
    monkeypatch.setattr(helpers.each, "wanted", ["nobody"])
    with pytest.raises(pytest.skip.Exception, match="nobody"):
        beside()


@each("number", [0, *[pytest.param(i, marks=pytest.mark.full) for i in range(1, 600)]])
def long(number: int) -> None:
    assert number != 300


def test_long_cases_are_tests_apart() -> None:
    assert [(share.id, len(share.values[0])) for share in long.shares] == [
        ("some", 1),
        ("others from 1", 250),
        ("others from 251", 250),
        ("others from 501", 99),
    ]
    with pytest.raises(AssertionError) as caught:
        long(long.shares[2].values[0])
    assert caught.value.__notes__[0].startswith("the case: 300")
