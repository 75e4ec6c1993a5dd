"""x.grad_status: each sentence is brought about by what it tells of."""

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab.engine import store
from autolab.engine.node import Leaf
from autolab.optimizers import SGD
from autolab.views import mimebundle
from autolab.views.draw.messages import say
from autolab.views.graph.readings import readings


@pytest.fixture(autouse=True)
def no_pass_before(monkeypatch):
    """No sentence is about a pass of another test, whose output somebody may still hold."""
    monkeypatch.setattr(store.last, "output", None)


def leaf(values=(1.0, -2.0, 3.0), **kwargs):
    return autolab.Variable(np.array(values), **kwargs)


def zero_at(function, why=""):
    return say("zero_at", function=function, why=say(f"zero_at_{why}") if why else "")


def test_nothing_was_computed_yet():
    x = leaf()
    assert x.grad_status == say("not_computed")
    y = x * 2
    assert y.grad_status == say("not_computed")
    (x * 3).sum().backward()
    assert y.grad_status == say("not_kept")  # the result is gone, so that nobody knows which way the pass went


def test_a_gradient_that_is_there():
    x = leaf()
    y = (x * x).sum()
    y.backward()
    assert x.grad_status == say("ok")


def test_no_input_of_y():
    x, w = leaf(), leaf()
    y = (w * w).sum()
    y.backward()
    assert x.grad_status == say("not_input", output="a result of sum")
    y.name = "loss"
    y.backward()
    assert "loss" in x.grad_status


@pytest.mark.parametrize(
    "detach", [lambda x: x.data, lambda x: np.asarray(x.data), lambda x: autolab.Variable(x.data, requires_grad=False)]
)
def test_its_numbers_were_used_as_a_plain_array(detach):
    x, w = leaf(), leaf()
    y = (w * detach(x)).sum()
    y.backward()
    assert x.grad_status == say("detached", output="a result of sum")


def test_a_comparison_cut_the_link():
    """The value does depend on it, and none of the four reasons given was true."""
    for cut in (lambda x: x > 2, lambda x: x == 2, lambda x: x.argmax(), lambda x: x.astype(int)):
        b, x = leaf(), leaf()
        y = (b * cut(x)).sum()
        y.backward()
        assert b.grad is not None
        assert "a comparison such as x > 2" in x.grad_status and len(x.grad_status) < 300


def test_a_parameter_without_a_size():
    link = autolab.links.Linear(None, 3)
    assert link.W.grad_status == say("no_gradient_without_size")
    link(np.ones((1, 2)))
    assert link.W.grad_status == say("not_computed")


def test_no_grad_cut_the_link():
    x, w = leaf(), leaf()
    with autolab.no_grad():
        h = x * 2
    y = (w * h).sum()
    y.backward()
    assert x.grad_status == say("not_input", output="a result of sum")
    assert h.grad_status == say("not_required")


def test_not_required_and_no_floats():
    assert leaf(requires_grad=False).grad_status == say("not_required")
    assert autolab.Variable(np.array([1, 2])).grad_status == say("integer")


def test_values_in_between_and_the_start():
    x = leaf()
    h = x * x
    y = h.sum()
    y.backward()
    assert h.grad_status == say("passed")
    assert y.grad_status == say("start", upstream="1")
    y.backward(retain_grad=True)
    assert h.grad_status == y.grad_status == say("ok")
    y = h.sum()
    y.backward(2.5)
    assert y.grad_status == say("start", upstream="2.5")
    h = x * x
    h.backward(np.zeros(3))
    assert h.grad_status == say("start", upstream="[0, 0, 0]")


def test_zero_as_the_upstream_gradient_that_was_given():
    x = leaf()
    y = x * x
    y.backward(np.zeros(3))
    assert x.grad_status == say("zero_started")


def test_set_by_hand():
    x = leaf()
    y = x * x
    y.grad = np.ones(3)
    assert y.grad_status == say("given")


def test_accumulated_and_cleared():
    x = leaf()
    y = (x * x).sum()
    for count in (1, 2, 3):
        y.backward()
        assert x.grad_status == (say("ok") if count == 1 else say("accumulated", count=count))
    x.cleargrad()
    assert x.grad_status == say("cleared")
    y.backward()
    assert x.grad_status == say("ok")


def test_a_later_pass_that_does_not_reach_what_was_cleared_is_told():
    """As in a loop in which a layer is cut off: each round clears the gradient that the first one gave."""
    x, w = leaf(), leaf()
    (x * w).sum().backward()
    x.cleargrad()
    y = (x.detach() * w).sum()
    y.backward()
    told = say("detached", output="a result of sum")
    assert x.grad_status == f"{told} {say('cleared_before')}"
    y = (x * w).sum()
    y.backward()
    x.cleargrad()
    assert x.grad_status == say("cleared")


def test_stale_after_an_assignment():
    x = leaf()
    y = (x * x).sum()
    y.backward()
    x.data = x.data - 0.1
    assert x.grad_status == say("stale")
    y.backward()
    assert x.grad_status == say("accumulated", count=2)
    x.data -= 0.1
    assert x.grad_status == say("accumulated_stale", count=2)
    x.cleargrad()
    y.backward()
    assert x.grad_status == say("ok")


def test_stale_after_an_update():
    model = autolab.links.Linear(3, 2)
    optimizer = SGD().setup(model)
    y = model(np.ones((4, 3), np.float32)).sum()
    y.backward()
    assert model.W.grad_status == say("ok")
    optimizer.update()
    assert model.W.grad_status == say("stale")


def test_a_pass_that_failed_changes_no_sentence():
    x = leaf()
    y = (x * x).sum()
    y.backward()

    class Refuses(autolab.FunctionNode):
        def forward(self, inputs):
            return (inputs[0].copy(),)

        def backward(self, target_input_indexes, grad_outputs):
            raise RuntimeError("no")

    (z,) = Refuses().apply((x,))
    with pytest.raises(RuntimeError, match="no"):
        z.sum().backward()
    assert x.grad_status == say("ok")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda x: F.relu(-F.abs(x)).sum(), zero_at("relu", "dead")),
        (lambda x: F.tanh(x * 100).sum(), zero_at("tanh", "flat")),
        (lambda x: F.sigmoid(x * x * 1e4).sum(), zero_at("sigmoid", "flat")),
        (lambda x: (x * np.zeros(3)).sum(), zero_at("mul", "factor")),
        (lambda x: F.sin(F.relu(-F.abs(x)) * 3).sum(), zero_at("relu", "dead")),
        (lambda x: (x - x).sum(), say("zero_sum")),
    ],
)
def test_exactly_zero_and_where(make, sentence):
    x = leaf()
    y = make(x)
    y.backward()
    assert not x.grad.data.any()
    assert x.grad_status == sentence


def test_zero_from_the_start():
    x = leaf()
    y = x * x
    y.grad = np.zeros(3)
    y.backward()
    assert x.grad_status == say("zero_started")


@pytest.mark.parametrize(
    ("through", "sentence"),
    [
        (lambda x: x * np.zeros(3), zero_at("mul", "factor")),
        (lambda x: F.relu(-x * x), zero_at("relu", "dead")),
        (lambda x: x * np.nan, say("nonfinite_at", function="mul")),
        (lambda x: x * np.inf, say("nonfinite_at", function="mul")),
    ],
)
def test_a_result_that_has_no_name_is_held_where_a_gradient_asks_why(through, sentence):
    x = leaf((1.0, 2.0, 3.0))
    through(x).sum().backward()
    assert x.grad_status == sentence
    x.cleargrad()
    (x * x).sum().backward()
    assert store.last_output() is None


@pytest.mark.parametrize("values", [(1.0, 2.0), (0.0, 2.0)])
def test_a_result_that_has_no_name_is_let_go_where_the_gradient_is_a_number(values):
    x = leaf(values)
    (x * x).sum().backward()
    assert store.last_output() is None and x.grad_status == say("ok")


@pytest.mark.parametrize(
    ("make", "function"),
    [
        (lambda x: F.log(x * 0.0).sum(), "log"),
        (lambda x: F.sin(F.sqrt(x * 0.0)).sum(), "sqrt"),
        (lambda x: (x * float("nan")).sum(), "mul"),
    ],
)
def test_not_finite_and_where_it_came_up(make, function):
    x = leaf()
    with np.errstate(all="ignore"):
        y = make(x)
        y.backward()
    assert not np.isfinite(x.grad.data).all()
    assert x.grad_status == say("nonfinite_at", function=function)


def test_not_finite_from_the_start():
    x = leaf()
    y = x * 2
    y.grad = np.array([np.nan, 0, 0])
    y.backward()
    assert x.grad_status == say("nonfinite_started")


def test_looking_changes_nothing_and_nobody_hears_of_it():
    x = leaf()
    y = F.relu(-F.abs(x)).sum()
    y.backward()
    heard = []
    before = x.grad
    with autolab.observe(heard.append):
        assert x.grad_status == x.grad_status
    assert heard == [] and x.grad is before and y.grad is None


def test_a_backward_that_cannot_run_again_is_no_error():
    class Once(autolab.FunctionNode):
        runs = 0

        def forward(self, inputs):
            return (inputs[0].copy(),)

        def backward(self, target_input_indexes, grad_outputs):
            Once.runs += 1
            if Once.runs > 1:
                raise RuntimeError("only once")
            return (grad_outputs[0] * 0.0,)

    x = leaf()
    (h,) = Once().apply((x,))
    y = h.sum()
    y.backward()
    assert x.grad_status == say("zero")


def test_functions_that_pass_no_gradient_on():
    class Nothing(autolab.FunctionNode):
        def forward(self, inputs):
            return (inputs[0] + inputs[1],)

        def backward(self, target_input_indexes, grad_outputs):
            return grad_outputs[0], None

    x, w = leaf(), leaf()
    (h,) = Nothing().apply((w, x))
    y = h.sum()
    y.backward()
    assert x.grad is None
    assert x.grad_status == say("not_passed_on", output="a result of sum")


def test_the_display_has_the_same_sentence():
    x = leaf(name="<x>")
    y = F.relu(-F.abs(x)).sum()
    y.backward()
    bundle = mimebundle(x)
    assert x.grad_status.removesuffix(".") in bundle["text/plain"] and x.grad_status in bundle["text/html"]


def test_in_a_graph_the_step_says_who_is_to_blame():
    def loss(x):
        h = F.relu(-F.abs(x))
        return F.sin(h).sum()

    recording = autolab.record(loss, np.array([1.0, 2.0]))
    told = readings(recording)["nodes"][str(recording["x"].id)]["status"]
    assert told == zero_at("relu", "dead")


def test_in_a_graph_the_line_of_the_first_nan_is_named():
    def loss(x):
        h = x - 1.0
        return F.log(h) * 2.0

    with np.errstate(all="ignore"):
        recording = autolab.record(loss, 1.0)
    told = readings(recording)["nodes"][str(recording["x"].id)]["status"]
    line = loss.__code__.co_firstlineno + 2
    assert told.endswith(
        f"the first was produced by log, in the forward pass, at F.log(h) ({__file__.rsplit('/')[-1]}, line {line})."
    )


def test_a_node_in_between_is_no_larger_for_it():
    x = leaf()
    assert type(x.node) is Leaf and not hasattr((x * x).node, "moved")
    assert set(Leaf.__slots__) == {"moved", "passes"}


def test_where_the_result_was_not_kept_it_says_what_to_keep():
    x = leaf((1.0, 0.0))
    with np.errstate(all="ignore"):
        F.sqrt(x).sum().backward()
    assert x.grad_status == f"{say('nonfinite')} {say('keep_result')}"
    with np.errstate(all="ignore"):
        loss = F.sqrt(x).sum()
        x.cleargrad()
        loss.backward()
    assert x.grad_status == say("nonfinite_at", function="sqrt")
