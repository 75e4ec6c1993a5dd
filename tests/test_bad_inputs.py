"""R18: bad input is refused with a message that says where, what came and what to do; and nothing has changed."""

from __future__ import annotations

import pytest
from helpers.each import each
from helpers.refusals import Refusal, World
from helpers.refusals_engine import ENGINE
from helpers.refusals_functions import FUNCTIONS
from helpers.refusals_tools import TOOLS

pytestmark = pytest.mark.goal(id="R18")

ROWS = (*ENGINE, *FUNCTIONS, *TOOLS)


def test_there_are_enough_rows() -> None:
    assert len(ROWS) >= 80 and len({row.words for row in ROWS}) >= 80


@each("row", ROWS, ids=lambda row: "-".join(row.words[:3]))
def test_bad_inputs(row: Refusal) -> None:
    world = World()
    before = world.state()
    with pytest.raises(row.error) as caught:
        row.call(world)
    message = str(caught.value.args[0])
    missing = [word for word in row.words if word not in message]
    assert not missing, message
    assert len(message) <= 300
    assert type(caught.value).__module__.startswith(("autolab", "builtins")), type(caught.value)
    assert world.state() == before


def test_a_change_would_be_noticed() -> None:
    """Control."""
    world = World()
    before = world.state()
    assert world.state() == before
    world.x.data[0] += 1
    assert world.state() != before
