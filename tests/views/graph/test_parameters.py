"""The parameters of links are moved where the graph shows them; the links themselves stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab import Parameter, Variable, links
from autolab import functions as F
from autolab.engine.observe import observe
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.page_program import motion
from autolab.views.graph.session import Session

from ..bare_page import Wire
from ..looking import seen
from .test_explorer import tell
from .test_page_inputs import drag

X, T = np.array([[1.0, -2.0]]), np.array([[0.5]])
Open = Callable[..., Wire]


class Net(links.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.first = links.Linear(2, 3, initialW=np.random.default_rng(0).normal(size=(3, 2)))
        self.last = links.Linear(3, 1, initialW=np.random.default_rng(1).normal(size=(1, 3)))

    def forward(self, x: Variable) -> Variable:
        h = F.tanh(self.first(x))
        return self.last(h)


def loss(model: Net, x: Variable, t: Variable) -> Variable:
    d = model(x) - t
    return (d * d).sum()


def with_own(model: Net, layer: links.Linear, x: Variable) -> Variable:
    return model(x) + layer(x).sum()


@pytest.fixture
def net() -> Net:
    return Net()


def output(session: Session) -> Any:
    return session.record().steps[-1].value.values  # type: ignore[union-attr]


def moved(net: Net, path: str, index: int, value: float) -> Net:
    """The same net with another number in a parameter, by hand."""
    other = net.copy("copy")
    parameter = dict(other.namedparams())[path]
    parameter.data = parameter.data.copy()
    parameter.data.reshape(-1)[index] = value
    return other


@pytest.mark.parametrize(
    ("fn", "given", "name"),
    [
        (lambda net: net, (X,), "first.W"),
        (lambda net: net.forward, (X,), "first.W"),
        (lambda net: loss, ("net", X, T), "model.first.W"),
    ],
)
def test_a_moved_parameter_gives_what_a_link_with_it_gives(
    net: Net, fn: Callable[[Net], Any], given: tuple[Any, ...], name: str
) -> None:
    def arguments(of: Net) -> tuple[Any, ...]:
        return tuple([of if isinstance(a, str) else a for a in given])

    session = Session(fn(net), arguments(net))
    before = output(session)
    assert session.move(name, 4, 2.5)
    other = moved(net, "/first/W", 4, 2.5)
    np.testing.assert_array_equal(output(session), fn(other)(*map(_variable, arguments(other))).data)
    assert output(session) != before
    assert session.undo() is None
    np.testing.assert_array_equal(output(session), before)


def _variable(value: Any) -> Any:
    return Variable(value) if isinstance(value, np.ndarray) else value


def test_the_link_stays_as_it_is_and_so_do_its_running_means() -> None:
    link = links.Sequential(links.Linear(2, 2), links.BatchNormalization(2))
    rows = np.array([[1.0, 2.0], [3.0, 5.0]])
    link(rows)  # so that every parameter is there
    kept = {path: p.data.copy() for path, p in link.namedparams()}
    kept |= {path: np.copy(buffer) for path, buffer in link.namedbuffers()}
    session = Session(link, (rows,), {"train": True})
    output(session)
    (name,) = [name for name in session.bound.learned if name.endswith("gamma")]
    session.move(name, 0, 3.0)
    output(session)
    now = {path: p.data for path, p in link.namedparams()} | dict(link.namedbuffers())
    assert now.keys() == kept.keys() and len(kept) > 4
    for path, array in kept.items():
        np.testing.assert_array_equal(now[path], array, path)
    assert all(p.grad is None for p in link.params())


def test_each_parameter_has_its_control_at_its_own_box(explorer: Callable[..., Explorer], net: Net) -> None:
    view = explorer(loss, model=net, x=X, t=T)
    steps = view.recording.steps
    found = {control["key"]: steps[control["node"]] for control in seen(view).controls if not control["upstream"]}
    names = ["x", "t", "model.first.W", "model.first.b", "model.last.W", "model.last.b"]
    assert [(key, step.name) for key, step in found.items()] == [(name, name) for name in names]
    assert found["model.last.W"].kind == "leaf"
    scope = {scope.id: scope.label for scope in view.recording.scopes}[found["model.last.W"].scope]
    assert scope.startswith("last(h)")  # it is drawn in its layer


def test_what_training_changed_is_told_of_and_computed_again(explorer: Callable[..., Explorer], net: Net) -> None:
    view = explorer(net.forward, x=X)
    tell(view, do="move", key="last.b", index=0, value=1.0)
    net.first.W.data = net.first.W.data + 1
    view.look_again()
    assert view.condition["since"] == {"text": "Changed since these numbers were computed: first.W.", "again": True}
    tell(view, do="again")
    assert view.condition["since"] == {}
    expected = moved(net, "/last/b", 0, 1.0)(Variable(X)).data
    np.testing.assert_array_equal(view.recording.steps[-1].value.values, expected)  # type: ignore[union-attr]
    assert set(view.point) == {"x", "last.b"}


def test_the_point_is_code(net: Net) -> None:
    session = Session(loss, (net, X, T))
    session.move("model.last.W", 1, -1.5)
    session.move("x", 0, 3.0)
    code = session.code()
    made: list[Session] = []

    class Lab:
        @staticmethod
        def explore(fn: Any, *args: Any, options: Any = None, **inputs: Any) -> None:
            made.append(Session(fn, args, options, inputs))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("__main__.my_net", net, raising=False)
        code = session.code()
    assert "model=my_net" in code and "first" not in code  # what was not moved is not written
    exec(code, {"autolab": Lab, "np": np, "my_net": net, "loss": loss})
    np.testing.assert_array_equal(output(made[0]), output(session))
    made[0].reset()
    np.testing.assert_array_equal(output(made[0]), output(session))


def test_a_link_that_two_arguments_hold_is_moved_in_both(net: Net) -> None:
    session = Session(with_own, (net, net.first, X))
    assert "layer.W" not in session.bound.learned
    session.move("model.first.W", 0, 4.0)
    other = moved(net, "/first/W", 0, 4.0)
    np.testing.assert_array_equal(output(session), with_own(other, other.first, Variable(X)).data)


def test_parameters_of_the_same_name_as_another_stand(net: Net) -> None:
    W = Parameter(np.ones((2, 2)), name="W")

    class Both(links.Linear):
        def forward(self, x: Variable) -> Variable:
            return super().forward(x @ W)

    session = Session(Both(2, 1), (X,))
    recording = session.record()
    assert [step.name for step in recording.steps if step.kind == "leaf"] == ["W", "W", "b"]
    assert motion(session, recording)["keys"] == ["x", "b", 0]


def test_lines_that_were_not_reached_are_marked_as_without_links(net: Net) -> None:
    def either(model: Net, x: Variable) -> Variable:
        if x.data[0, 0] > 0:
            return model(x)
        return model(-x)

    recording = Session(either, (net, X)).record()
    assert recording.unreached == autolab.record(either, net, X).unreached != ()


@pytest.mark.parametrize(
    ("link", "width"), [(links.Linear(1200, 1000), 1200), (links.MLP([2] * 33), 2)], ids=["numbers", "parameters"]
)
def test_large_links_stand_and_are_not_copied(link: links.Link, width: int) -> None:
    x = np.zeros((1, width))
    link(x)
    session, used = Session(link, (x,)), list[Any]()
    with observe(used.append):
        session.record()
    first = next(link.params())
    assert any([value is first for event in used for value in getattr(event, "inputs", ())])
    with pytest.raises(ValueError, match=r"there is no input .* that can be moved"):
        session.move(next(link.namedparams())[0].lstrip("/").replace("/", "."), 0, 1.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"W": np.ones((3, 2))}, "option 'parameters' has 'W'; the parameters are first.W, first.b, last.W, last.b"),
        ({"first.W": np.ones((2, 2))}, r"parameter 'first.W' is float64 \(2, 2\); expected numbers of shape \(3, 2\)"),
        ({"last.b": ["a"]}, "parameter 'last.b'"),
        ([1.0], "option 'parameters' is a list; expected a dict from names to arrays"),
    ],
)
def test_parameters_that_cannot_be_are_refused(net: Net, given: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Session(net, (X,), {"parameters": given})


def test_wrong_gradients_of_a_link_among_the_arguments_are_found() -> None:
    class Doubled(links.Linear):
        def forward(self, x: Variable) -> Variable:
            return super().forward(x) + _silent(self.W).sum()

    def _silent(w: Variable) -> Variable:
        return Variable(w.data)  # leaves the graph

    report = autolab.check_gradients(lambda model, x: model(x), Doubled(2, 1), X)
    assert {item.name: item.verdict for item in report.inputs} == {"x": "right", "model.W": "wrong", "model.b": "right"}
    report = autolab.check_gradients(loss, Net(), X, T)
    assert (report.verdict, len(report.inputs)) == ("right", 6)


@pytest.mark.browser
def test_the_cell_of_a_weight_is_dragged_in_its_box_and_the_page_is_ahead(
    page: Page, open_view: Open, net: Net
) -> None:
    wire = open_view(net.forward, x=X)
    page.locator(".al-toggle").first.click()  # layers are closed at first
    wire.settle()
    box = page.locator(".al-node[aria-label^='first.W,']")
    cells = box.locator(".al-value .al-cells > *")
    expect(cells).to_have_count(6)
    before = page.locator(".al-output .al-value").text_content()
    drag(page, cells.nth(3), up=40)
    wire.settle()
    assert wire.widget.point["first.W"][1, 1] != net.first.W.data[1, 1]
    assert page.locator(".al-output .al-value").text_content() != before
    found = motion(wire.widget._session, wire.widget.recording)
    assert found["keys"] == ["x", "first.W", "first.b", "last.W", "last.b", 0]  # of each, the page can compute moves
