"""R15: no old number without a mark. Whatever happens around a live view, it shows numbers of the present, or says what
has changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.reached import KINDS

import autolab
from autolab import Parameter, Variable, links
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.live.computation import UserError

from ..graph.test_explorer import tell
from ..looking import looks, seen
from ..programs import muladd, picky

pytestmark = pytest.mark.goal(id="R15")

Make = Callable[..., Explorer]


def cell(text: str, names: dict[str, Any]) -> None:
    """Run the text of a notebook's cell."""
    exec(compile(text, "<cell>", "exec"), names)


@pytest.fixture
def notebook() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__", "autolab": autolab, "np": np}
    cell("scale = 3.0\nW = autolab.Parameter(np.ones(2))\nA = np.ones(2)\nlayers = [2, 3]", names)
    cell("def inner(x):\n    return x * 2", names)
    cell("class Twice:\n    def act(self, x):\n        return x * 2", names)
    cell("def fn(x):\n    return (Twice().act(inner(x)) * W * A * scale * layers[0]).sum()", names)
    return names


def since(view: Explorer) -> str:
    """What the view says after a cell has run."""
    view.look_again()
    return str(view.since.get("text", ""))


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        ("scale = 4.0", "scale"),
        ("layers[0] = 5", "layers"),
        ("A[0] = 7.0", "A"),
        ("A = A + 1", "A"),
        ("W.data += 1", "W"),
        ("W.data = np.zeros(2)", "W"),
        ("def inner(x):\n    return x * 3", "inner"),
        ("def inner(x):\n    return x * 2 + 0 * scale", "inner"),
        ("class Twice:\n    def act(self, x):\n        return x * 5", "Twice"),
    ],
)
def test_what_the_function_reaches_was_changed(explorer: Make, notebook: dict[str, Any], edit: str, name: str) -> None:
    view = explorer(notebook["fn"], x=1.0)
    assert since(view) == ""
    before = float(view.recording.steps[-1].value.values)
    cell(edit, notebook)
    assert since(view).startswith(say("since_reached", names=name)[:-1])
    assert float(view.recording.steps[-1].value.values) == before
    tell(view, do="again")
    expected = float(notebook["fn"](Variable(1.0)).data)
    assert float(view.recording.steps[-1].value.values) == expected
    assert since(view) == ""


@pytest.mark.parametrize(
    "edit",
    ["other = 1", "scale = 3.0", "def inner(x):\n\n\n    return x * 2", "y = fn(autolab.Variable(1.0)); y.backward()"],
)
def test_what_makes_no_difference_is_no_change(explorer: Make, notebook: dict[str, Any], edit: str) -> None:
    view = explorer(notebook["fn"], x=1.0)
    cell(edit, notebook)
    assert since(view) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_from_around_the_function_was_changed(explorer: Make, kind: str) -> None:
    fn, change, name = KINDS[kind]()
    view = explorer(fn, x=1.0)
    assert since(view) == ""
    change()
    assert since(view) == say("since_reached", names=name)
    tell(view, do="move", key="x", value=3.0)
    assert since(view) == "" and float(view.recording.steps[-1].value.values) == 15.0


def test_a_layer_or_an_activation_was_replaced(explorer: Make) -> None:
    model = links.MLP((3, 1))
    view = explorer(lambda x: model(x), x=np.ones((1, 2)))
    assert since(view) == ""
    model.activation = np.tanh
    assert since(view) == say("since_reached", names="model")
    tell(view, do="again")
    assert since(view) == ""
    model.l1 = links.Linear(3, 1)
    assert since(view) == say("since_reached", names="model")


def test_what_the_function_changes_itself_is_no_change(explorer: Make) -> None:
    seen, mean = [], np.zeros(2)

    def fn(x: Variable) -> Variable:
        seen.append(float(x.data))
        mean[...] += 1
        return x * mean

    view = explorer(fn, x=1.0)
    assert since(view) == ""
    mean[0] = 0
    assert since(view) == say("since_reached", names="mean")


def test_a_parameter_in_a_closure_was_updated(explorer: Make) -> None:
    b = Parameter(np.array(1.0), name="b")
    view = explorer(lambda x: x * b, x=2.0)
    b.data -= 0.5
    assert since(view) == say("since_reached", names="b")
    tell(view, do="move", key="x", value=4.0)
    assert since(view) == ""
    assert float(view.recording.steps[-1].value.values) == 2


def test_an_argument_was_changed_in_place(explorer: Make) -> None:
    x, y = np.ones(3), Variable(np.ones(3))
    view = explorer(lambda x, y: x * y, x=x, y=y)
    x[1] = 5
    assert since(view) == say("since_given", names="x")
    y.data = np.zeros(3)
    assert since(view) == say("since_given", names="x and y")
    assert view.point["x"].tolist() == [1, 1, 1]


def test_the_function_was_redefined(explorer: Make, notebook: dict[str, Any]) -> None:
    view = explorer(notebook["fn"], x=1.0)
    cell("def fn(x):\n    return (Twice().act(inner(x)) * W * A * scale * layers[0]).sum()", notebook)
    assert since(view) == ""  # the same cell run again
    cell("def fn(x):\n    return x * 7", notebook)
    assert since(view) == say("since_redefined", name="fn")
    tell(view, do="move", key="x", value=2.0)
    assert since(view) == say("since_redefined", name="fn")


def test_a_decorated_function_is_redefined_only_by_other_code(explorer: Make, notebook: dict[str, Any]) -> None:
    assert since(explorer(autolab.functions.tanh, x=1.0)) == ""
    cell("import functools\ndef same(f):\n    return functools.wraps(f)(lambda x: f(x))", notebook)
    cell("@same\ndef fn(x):\n    return x * 7", notebook)
    view = explorer(notebook["fn"], x=1.0)
    assert since(view) == ""
    cell("@same\ndef fn(x):\n    return x * 8", notebook)
    assert since(view) == say("since_redefined", name="fn")


def test_the_mode_was_changed_elsewhere(explorer: Make) -> None:
    view = explorer(lambda x: autolab.functions.dropout(x), x=np.ones(4))
    with autolab.test_mode():
        assert since(view) == say("since_mode", mode="test")
        tell(view, do="choose", setting="mode", value="test")
        assert since(view) == ""
    tell(view, do="choose", setting="mode", value="train", seq=2)
    assert since(view) == ""
    tell(view, do="choose", setting="mode", value="test", seq=3)
    assert since(view) == ""  # chosen in the view itself


def test_an_error_after_a_move_is_marked_and_one_in_the_middle_leaves_no_half(explorer: Make) -> None:
    view = explorer(picky, x=2.0, y=3.0)
    tell(view, do="move", key="x", value=-1.0)
    assert view.error["ended"] and view.recording.raised  # what was computed up to there
    whole = seen(view).readings
    assert [whole["nodes"][key]["value"] for key in "01"] == ["\u22121", "3"]
    explorer_numbers = view.numbers
    view._session.compute = lambda *given: UserError("ValueError", "no")  # of which nothing was recorded
    tell(view, do="move", key="x", value=-2.0)
    assert not view.error["ended"] and seen(view).readings == whole  # the former picture, and a mark
    assert view.numbers != explorer_numbers  # the slider stands where it was moved to


def test_an_error_while_showing_changes_nothing_of_the_picture(explorer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    looks(view, selected=0)
    before = (view.page, view.numbers, view.answers)
    monkeypatch.setattr("autolab.views.steps.steps_panel.detail", lambda *given: 1 / 0)
    tell(view, do="move", key="x", value=5.0)
    assert (view.page, view.numbers, view.answers) == before
    assert view.error["type"] == "ZeroDivisionError"


def test_two_views_of_one_function_keep_their_own_states(explorer: Make) -> None:
    a, b = explorer(muladd, x=2.0, y=3.0, z=4.0), explorer(muladd, x=2.0, y=3.0, z=4.0)
    tell(a, do="move", key="x", value=5.0)
    assert (float(a.recording["w"].value.values), float(b.recording["w"].value.values)) == (19, 10)
    assert since(a) == since(b) == ""
