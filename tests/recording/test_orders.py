"""Derivatives of higher order as recordings: their values, whose rule made each step, and what they are called."""

import json

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import transforms
from autolab.recording.model import LEAVES
from autolab.views.graph.listing import remarks
from autolab.views.graph.scene import scene
from autolab.views.steps.static import to_text


def mixed(x, y):
    h = x * y
    t = F.tanh(h)
    w = t + h * x
    return w


def layer(x, W):
    h = F.tanh(x @ W)
    loss = F.sum(h * h)
    return loss


def result(recording):
    (output,) = recording.outputs
    return {step.id: step for step in recording.steps}[output]


def test_steps_that_a_checkpoint_repeats_belong_to_its_rule():
    """They belonged to their own rule, and the search for their group never ended."""
    inner = transforms.checkpoint(lambda x: F.sin(x) * x)
    for repeated in (inner, transforms.checkpoint(lambda x: F.tanh(inner(x)))):
        recording = autolab.record(lambda x, f=repeated: f(x), 0.5, options={"order": 2})
        for k, higher in enumerate(recording.higher, 1):
            assert all([step.of is None or step.of < step.id for step in higher.steps])
            expected = transforms.nth_derivative(repeated, k)(autolab.Variable(0.5))
            np.testing.assert_allclose(result(higher).value.values, expected.data)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_each_order_has_the_value_of_that_derivative(order):
    recording = autolab.record(mixed, 0.5, 2.0, options={"order": order})
    assert len(recording.higher) == order and [r.order for r in recording.higher] == list(range(1, order + 1))
    for k, higher in enumerate(recording.higher, 1):
        expected = transforms.nth_derivative(lambda x: mixed(x, 2.0), k)(autolab.Variable(0.5))
        assert float(result(higher).value.values) == pytest.approx(float(expected.data), rel=1e-12)


def test_the_gradient_in_a_graph_is_that_of_its_own_result():
    recording = autolab.record(mixed, 0.5, 2.0, options={"order": 3})
    for lower, higher in zip(recording.higher, recording.higher[1:], strict=False):
        by_x = next(step.grad for step in lower.steps if step.name == "x")
        assert float(by_x.values) == pytest.approx(float(result(higher).value.values), rel=1e-12)


def test_arrays_are_differentiated_through_their_sum():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
    recording = autolab.record(layer, x, W, options={"order": 2, "wrt": "W"})
    v = autolab.Variable(W)
    first = autolab.grad(layer(x, v), v, create_graph=True)
    second = autolab.grad(first, v, np.ones_like(W))
    np.testing.assert_allclose(result(recording.higher[0]).value.values, first.data, rtol=1e-12)
    np.testing.assert_allclose(result(recording.higher[1]).value.values, second.data, rtol=1e-12)
    assert [result(r).name for r in recording.higher] == ["dloss/dW", "d²loss/dW²"] and recording.wrt == "W"


def test_every_step_knows_the_step_whose_rule_made_it():
    recording = autolab.record(mixed, 0.5, 2.0, options={"order": 1})
    (first,) = recording.higher
    names = {step.id: step.name or step.source for step in recording.steps}
    found = [(step.source, names[step.of]) for step in first.steps if step.kind == "call"]
    assert found == [
        ("1 * x", "h * x"),
        ("1 * h", "h * x"),
        ("t * t", "t"),
        ("1 * (t * t)", "t"),
        ("1 - (1 * (t * t))", "t"),
        ("(1 * x) + (1 - (1 * (t * t)))", "h"),  # the two shares of h are added up: this belongs to h itself
        ("∂w/∂h * y", "h"),
        ("(1 * h) + (∂w/∂h * y)", "x"),
    ]
    assert {step.order for step in first.steps if step.of is not None} == {1}


def test_values_of_lower_order_are_references_with_the_same_ids():
    recording = autolab.record(mixed, 0.5, 2.0, options={"order": 2})
    first = recording.higher[0]
    kinds = {step.name: step.kind for step in first.steps if step.order == 0}
    assert kinds == {"x": "input", "y": "input", "h": "reference", "t": "reference"}
    assert [first[name].id for name in "xyht"] == [recording[name].id for name in "xyht"]
    assert first["h"].value.values == recording["h"].value.values
    second = recording.higher[1]
    assert {o.step for o in second["t"].operands} == {second["x"].id, second["y"].id}  # through h, which is not drawn
    everything = {step.id for r in (recording, *recording.higher) for step in r.steps}
    assert {step.of for r in recording.higher for step in r.steps} - {None} <= set(range(max(everything)))


def test_a_graph_holds_what_its_result_needs_and_nothing_else():
    recording = autolab.record(mixed, 0.5, 2.0, options={"order": 3})
    for higher in recording.higher:
        used = {o.step for step in higher.steps for o in step.operands}
        for step in higher.steps:
            assert step.id in used or step.id in higher.outputs or step.name == "x"
        assert used - {None} <= {step.id for step in higher.steps}


def test_the_function_itself_is_recorded_as_without_an_order():
    plain, with_order = (autolab.record(mixed, 0.5, 2.0, options={"order": n}) for n in (0, 2))
    assert plain.id == with_order.id and len(plain.steps) == len(with_order.steps)
    assert plain.higher == () and plain.wrt is None


def test_a_derivative_that_is_zero_everywhere_is_said_and_not_drawn():
    def line(x):
        w = 3 * x + 1
        return w

    recording = autolab.record(line, 2.0, options={"order": 3})
    assert [float(result(r).value.values) for r in recording.higher] == [3.0]
    assert "dw/dx does not depend on x: all further derivatives are zero." in remarks(recording)

    def without(x, y):
        w = y * y
        return w

    assert "w does not depend on x: all further derivatives are zero." in remarks(
        autolab.record(without, 2.0, 3.0, options={"order": 1})
    )


def test_a_derivative_that_is_a_step_is_not_said_to_be_independent():
    for function in (F.relu, F.abs, F.leaky_relu, F.floor, lambda x: F.maximum(x, 0.0), lambda x: F.clip(x, 0.0, 1.0)):
        said = remarks(autolab.record(function, np.array([1.0, -2.0]), options={"order": 3}))[-1]
        assert "does not depend" not in said and "all further derivatives are zero" in said, said


def test_a_function_with_a_backward_of_its_own_is_followed():
    class Cube(autolab.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            return (3 * x * x * grad_outputs[0],)

    def fn(x):
        (w,) = Cube().apply((x,))
        return w

    recording = autolab.record(fn, 2.0, options={"order": 3})
    assert [float(result(r).value.values) for r in recording.higher] == [12.0, 12.0, 6.0]
    assert {recording["w"].id} == {step.of for step in recording.higher[0].steps if step.kind == "call"}


def test_nobodys_gradient_changes_and_all_of_it_is_plain_data():
    x = autolab.Variable(0.5)
    recording = autolab.record(mixed, x, 2.0, options={"order": 2})
    assert x.grad is None
    assert json.loads(json.dumps(recording.to_json(), allow_nan=False))["higher"][1]["order"] == 2
    for higher in recording.higher:
        assert "d" in to_text(higher) and "text/html" in higher._repr_mimebundle_()
        assert all(step.kind in (*LEAVES, "call", "part", "reference") for step in higher.steps)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": 5}, "option 'order' is 5; expected a whole number from 0 to 4"),
        ({"order": -1}, "option 'order' is -1"),
        ({"order": True}, "option 'order' is True"),
        ({"order": 1, "wrt": "q"}, "option 'wrt' is 'q'; expected one of x, y"),
        ({"orders": 1}, "unknown options 'orders'; expected 'upstream', 'budget', 'order', 'wrt'"),
    ],
)
def test_options_that_fit_nothing_are_errors(options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        autolab.record(mixed, 0.5, 2.0, options=options)


def test_an_order_needs_an_input_that_has_a_gradient():
    with pytest.raises(ValueError, match="option 'order' needs an input that has a gradient"):
        autolab.record(lambda n: n, np.array(3), options={"order": 1})


def inner(x):
    a = F.sin(x)
    return a * x


def nested(x):
    u = inner(x)
    v = inner(u)
    w = inner(v + u)
    return w * u + v


def repeated(x):
    h = x
    for _t in range(6):
        h = F.tanh(h * x)
    return h


@pytest.mark.parametrize("function", [nested, repeated])
def test_calls_and_loops_are_groups_in_every_order(function):
    """However the groups stand open, every value comes before what uses it, and no step is lost."""
    recording = autolab.record(function, 0.7, options={"order": 3})
    names = {scope.label for scope in recording.scopes}
    for graph in recording.higher:
        tree = graph.outline
        labels = {group.scope.label for group in tree.groups.values() if group.scope}
        assert any(label.startswith("backward of ") for label in labels)
        assert all(any(name in label for name in names) for label in labels)
        for expanded in ((), frozenset(tree.groups), frozenset(list(tree.groups)[::2]), tree.at_first()):
            place = {item.id: k for k, item in enumerate(tree.shown(expanded))}
            assert set(tree.holders(expanded)) == {step.id for step in graph.steps}
            for step in graph.steps:
                sources = [tree.holder(o.step, expanded) for o in step.operands if o.step is not None]
                assert all(place[source] <= place[tree.holder(step.id, expanded)] for source in sources)


def test_a_step_of_a_derivative_stands_with_the_call_whose_rule_made_it():
    recording = autolab.record(nested, 0.7, options={"order": 1})
    (first,) = recording.higher
    scope_of = {step.id: step.scope for step in recording.steps}
    for step in first.steps:
        if step.order == 1 and step.of is not None and scope_of[step.of] is not None:
            call = recording.scopes[scope_of[step.of]]
            assert first.scopes[step.scope].label == f"backward of {call.name} = {call.label}"


def test_groups_of_two_orders_have_no_id_in_common():
    recording = autolab.record(nested, 0.7, options={"order": 3})
    ids = [identity for graph in (recording, *recording.higher) for identity in graph.outline.groups]
    assert len(ids) == len(set(ids)) > 10


def test_one_array_that_is_the_share_of_two_values_is_added_to_each():
    """Both inputs of ``v + u`` get the same array; each sum with it belongs to its own value."""

    def both(x):
        u = x * 2.0
        v = x * 3.0
        return (v + u) * (u * v)

    recording = autolab.record(both, 0.7, options={"order": 1})
    sums = [step for step in recording.higher[0].steps if step.function == "add" and step.order == 1]
    assert {recording["u"].id, recording["v"].id} <= {step.of for step in sums}


def test_a_closed_group_shows_its_order():
    recording = autolab.record(nested, 0.7, options={"order": 2})
    for graph in (recording, *recording.higher):
        boxes = [node for node in scene(graph, ())["nodes"] if node["group"]]
        backward = [node["text"].startswith("backward") for node in boxes]
        assert boxes and all(node["order"] is not None for node in boxes)
        assert max(node["order"] for node in boxes) == graph.order
        assert [node["order"] > 0 for node in boxes] == backward
