"""What a place takes, how many names a layout has, and what is said of what does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from autolab.shared import state_layout as layout
from autolab.shared.state_layout import FREE, Slot

FLOAT = np.dtype(np.float32)


@pytest.mark.parametrize(("wanted", "taken"), [("f", "fiu"), ("i", "iu"), ("u", "iu"), ("?", "?")])
def test_the_kinds_of_numbers_that_a_place_takes(wanted, taken):
    dtype = np.dtype(wanted if wanted == "?" else f"{wanted}4")
    for given in ("f4", "i4", "u4", "?", "c8"):
        assert Slot((), dtype).takes(np.zeros((), given)) == (given[0] in taken), given
        assert Slot((), None).takes(np.zeros((), given))


def test_the_shapes_that_a_place_takes():
    assert Slot((2,), FLOAT).takes(np.zeros(2)) and Slot(None, FLOAT).takes(np.zeros(2))
    assert not Slot((2,), FLOAT).takes(np.zeros(3)) and not Slot((2,), FLOAT).takes(np.int64(3))
    counted = Slot((2,), FLOAT, count=True)
    assert counted.takes(np.zeros(2)) and counted.takes(np.int64(3)) and counted.takes(np.uint8(3))
    assert counted.takes(np.float64(3)) and not counted.takes(np.zeros(3, int)) and not counted.takes(np.True_)


def test_how_much_a_place_needs_does_not_overflow():
    assert (Slot().nbytes, Slot((2, 3), FLOAT).nbytes, Slot((2, 3)).nbytes) == (0, 24, 48)
    assert Slot((1 << 40, 1 << 40)).nbytes == 8 << 80


class Silent:
    state_layout = 3


def test_what_does_not_say_what_it_takes_takes_everything_as_a_copy():
    assert layout.layout_of(Silent()) is layout.layout_of(object()) is FREE
    assert not layout.is_handed_over({})


def test_the_nearest_place_above_a_name_is_its_own():
    places = {"a/b": Slot((1,)), "a/b/*": Slot((2,)), "a/*": Slot((3,))}
    found = {name: layout.slot_for(places, name) for name in ("a/b", "a/b/c/d", "a/c", "a", "x")}
    assert [slot and slot.shape for slot in found.values()] == [(1,), (2,), (3,), None, None]
    assert layout.slot_for(FREE, "x") == layout.slot_for(FREE, "x/y/z") == Slot()


def test_how_many_names_a_layout_has():
    one = Slot((1,))
    assert layout.most_names({"a": one, "b/c": one, "d": Slot()}) == 4  # one is that of a group
    assert layout.most_names({"a/*": one}) == 9
    assert layout.most_names({"a/*": Slot()}) == 1001
    assert layout.most_names(FREE) == 100_000


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({"a": np.zeros(2), "b/x": np.zeros(9)}, None),
        ({"a": None}, None),
        ({}, "who: the loaded state lacks a; nothing was loaded"),
        ({"a": None, "c": None}, "who: what it is loaded into lacks c; nothing was loaded"),
        ({"c": None}, "who: the loaded state lacks a; what it is loaded into lacks c; nothing was loaded"),
        ({"a": None, "b/x": None}, "who: 'b/x' has no size in the loaded state; expected None; nothing was loaded"),
        ({"a": np.zeros(3)}, r"who: 'a' has shape \(3,\); expected \(2,\); nothing was loaded"),
        ({"a": None, "b/x": np.zeros(9, bool)}, "who: 'b/x' is of bool; expected float32; nothing was loaded"),
        ({"a": np.zeros([1] * 50)}, r"has shape \(1, 1, .{1,60}…; expected"),
    ],
)
def test_what_does_not_fit_is_said(found, message):
    places = {"a": Slot((2,), FLOAT, empty=True), "b/*": Slot(None, FLOAT)}
    if message is None:
        layout.check_layout("who", places, found)
    else:
        with pytest.raises(ValueError, match=message):
            layout.check_layout("who", places, found)


def test_names_in_a_message_are_few_and_visible():
    assert layout.named(["c", "b", "a"]) == "a, b, c" and layout.named(list("dcba")) == "a, b, c and 1 more"
    assert layout.named(["b"] * 1000 + ["a"]) == "b, b, b and 998 more"  # a file may have millions
    assert layout.named(["\x1b"]) == "\\x1b" and layout.quoted("\n") == "'\\n'"
    assert len(layout.quoted("n" * 1000)) == 62


def test_a_part_stands_before_its_names():
    assert layout.under("a", {"b": Slot(), "c/*": Slot(), "/*": Slot()}).keys() == {"a/b", "a/c/*", "a/*"}


@pytest.mark.parametrize(
    "error", [OverflowError, AttributeError, KeyError, IndexError, RecursionError, TypeError, ValueError]
)
def test_what_a_wrong_text_raises_is_one_error(error):
    match = r"who: its saved state is not one of its kind \(.*x1b.*\); nothing was loaded"
    with pytest.raises(ValueError, match=match), layout.unpacking("who"):
        raise error("\x1b")


def test_a_text_may_have_been_saved_as_other_numbers():
    assert layout.text_of(np.array([91, 51, 93])) == [3]
