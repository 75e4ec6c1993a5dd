"""What is decided before any number is compared."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

import autolab
from autolab import FunctionNode, GradientShapeError, Variable, check_gradients


def kinds(report):
    return [finding.kind for finding in report.findings]


def test_a_random_function_cannot_be_told():
    report = check_gradients(lambda x: x * Variable(np.random.default_rng().random(3)), np.ones(3))
    assert report.verdict == "cannot tell"
    assert kinds(report) == ["nondeterministic"]
    assert not report["x"].measured and report["x"].worst is None
    with pytest.raises(AssertionError, match="different results"):
        report.raise_for_failure()


def test_another_number_of_results_is_nondeterministic_too():
    calls = []

    def sometimes_two(x):
        calls.append(1)
        return (x, x) if len(calls) % 2 else x

    assert kinds(check_gradients(sometimes_two, 2.0)) == ["nondeterministic"]


@pytest.mark.parametrize(
    ("backward", "sentence"),
    [
        (lambda g, x: (g.sum(),), "Spoiled: gradient for input 'inputs[0]' has shape (), "),
        (lambda g, x: (g, g), "Spoiled.backward returned 2 gradients; expected 1, one per input"),
    ],
)
def test_wrong_numbers_and_shapes_are_findings_with_the_engine_s_own_sentence(backward, sentence):
    report = check_gradients(node(np.sin, backward, name="Spoiled"), np.ones(3))
    assert report.verdict == "wrong"
    assert kinds(report) == ["wrong_shape"]
    assert report.findings[0].message.startswith(sentence)


def test_a_wrong_shape_is_said_of_the_user_s_own_name():
    add = node(np.add, lambda g, h, b: (g, g), name="AddBias")
    (finding,) = check_gradients(lambda h, b: add(h, b), np.ones((5, 3)), np.ones(3)).findings
    assert finding.message.startswith("AddBias: gradient for input 'b' has shape (5, 3), but 'b' has shape (3,)")


def test_the_engine_s_shape_error_is_not_the_user_s():
    """One that the user's forward raises is the user's, and propagates."""

    def refuses(x):
        raise GradientShapeError("my own")

    with pytest.raises(GradientShapeError, match="my own"):
        check_gradients(refuses, 1.0)


def test_what_the_function_raises_propagates_as_it_is():
    error = KeyError("mine")

    def refuses(x):
        raise error

    with pytest.raises(KeyError) as caught:
        check_gradients(refuses, 1.0)
    assert caught.value is error


def test_what_backward_raises_propagates_as_it_is():
    class OnceOnly(FunctionNode):
        def forward(self, inputs):
            return (inputs[0] * 2,)

        def backward(self, target_input_indexes, grad_outputs):
            raise NotImplementedError("no gradient yet")

    with pytest.raises(NotImplementedError, match="no gradient yet"):
        check_gradients(lambda x: OnceOnly().apply((x,))[0], 1.0)


def test_a_second_backward_that_differs_is_in_place_damage():
    class Consuming(FunctionNode):
        def forward(self, inputs):
            self.kept = inputs[0] * 2
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            g = grad_outputs[0] * self.kept
            self.kept = self.kept * 0
            return (g,)

    report = check_gradients(lambda x: Consuming().apply((x,))[0], np.array([1.0, 2.0]))
    assert (report.verdict, kinds(report)) == ("wrong", ["inplace"])
    assert "A second backward" in report.findings[0].message


def test_a_backward_that_writes_into_the_result_is_found():
    class Writing(FunctionNode):
        def forward(self, inputs):
            self.retain_outputs((0,))
            return (np.exp(inputs[0]),)

        def backward(self, target_input_indexes, grad_outputs):
            (y,) = self.get_retained_outputs()
            y.data[...] *= grad_outputs[0].data
            return (Variable(y.data.copy()),)

    report = check_gradients(lambda x: Writing().apply((x,))[0], np.array([1.0, 2.0]))
    assert (report.verdict, kinds(report)) == ("wrong", ["inplace"])
    assert "changes a result" in report.findings[0].message


def test_a_result_cut_off_from_the_graph_has_left_it():
    report = check_gradients(lambda x: (x * 2).data, np.ones(2))
    assert (report.verdict, kinds(report)) == ("wrong", ["left_graph"])
    assert "(x * 2).data` left the graph" in report.findings[0].message and "None" in report.findings[0].message


def test_no_grad_inside_is_named_and_outside_is_none():
    def detached(x):
        with autolab.no_grad():
            return x * 2

    assert kinds(check_gradients(detached, np.ones(2))) == ["left_graph"]
    with autolab.no_grad():
        assert check_gradients(lambda x: x * 2, np.ones(2)).passed


def test_zero_times_an_infinite_slope_is_no_ignored_upstream():
    root = node(np.sqrt, lambda g, x: g / (2 * np.sqrt(x)))
    report = check_gradients(root, np.array([0.0, 4.0]))
    assert "upstream_ignored" not in kinds(report)


def test_a_value_that_changes_between_forward_and_backward_is_found():
    def damaging(x):
        h = x * 2
        y = h * h
        h.data[0] = 9.0
        return y

    report = check_gradients(damaging, np.array([1.0, 2.0]))
    assert (report.verdict, kinds(report)) == ("wrong", ["inplace"])
    line = damaging.__code__.co_firstlineno + 2
    assert report.findings[0].message == (
        f"input 'a' of mul (test_contracts.py, line {line}) was changed in place after the forward pass. "
        "Use x = x + 1, or copy."
    )


def test_a_backward_that_spoils_what_it_kept_is_found():
    class Consuming(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, target_input_indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            g = grad_outputs[0].data * 2 * x.data
            x.data[...] = 0
            return (Variable(g),)

    report = check_gradients(lambda x: Consuming().apply((x + 0,))[0], np.array([1.0, 2.0]))
    assert (report.verdict, kinds(report)) == ("wrong", ["inplace"])
    assert report.findings[0].message.startswith("The backward of <lambda> changes what it needs again: input")


class Hoarding(FunctionNode):
    """Keeps its input on the class: the first one that it saw, or the last."""

    kept: dict[str, np.ndarray]
    first: bool

    def forward(self, inputs):
        if "x" not in self.kept or not self.first:
            self.kept["x"] = inputs[0].copy()
        return (inputs[0] ** 2,)

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0] * 2 * self.kept["x"],)


def hoarding(first):
    own = type("Own", (Hoarding,), {"kept": {}, "first": first})
    return check_gradients(lambda x: own().apply((x,))[0], x=np.array([1.0, -2.0, 0.5]))


def test_a_value_that_the_next_call_replaces_is_found():
    report = hoarding(first=False)
    assert (report.verdict, kinds(report)) == ("wrong", ["inplace"])
    assert report.findings[0].message.startswith("A later call of <lambda> changes the gradient of an earlier one: ")
    assert "no attribute of the class" in report.findings[0].hint


def test_a_value_that_the_first_call_leaves_behind_is_found():
    report = hoarding(first=True)
    assert (report.verdict, kinds(report)) == ("wrong", ["wrong_function"])
    assert report.findings[0].message.startswith("The gradient of x does not follow x: it is still ")
    assert "an earlier call has left behind" in report.findings[0].hint
    assert str(report["x"]) == "x: wrong"  # at the given point every number is right


class Clipping(FunctionNode):
    def forward(self, inputs):
        inputs[0][inputs[0] < 0] = 0
        return (inputs[0].copy(),)

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0],)


class Doubling(FunctionNode):
    def forward(self, inputs):
        (self.x,) = inputs
        return (self.x**2,)

    def backward(self, target_input_indexes, grad_outputs):
        self.x *= 2
        return (grad_outputs[0] * self.x,)


@pytest.mark.parametrize(("function", "failing"), [(Clipping, "forward"), (Doubling, "backward")])
def test_who_changes_the_input_is_said_and_only_that_place_is_pointed_at(function, failing):
    (finding,) = check_gradients(lambda x: function().apply((x,))[0], x=np.array([1.0, -2.0])).findings
    assert finding.message.startswith("The backward of <lambda> changes its input") == (failing == "backward")
    assert finding.message.endswith("changes its input x in place.")
    assert (f"{function.__name__}.backward (line" in finding.hint) == (failing == "backward")


def test_the_input_whose_gradient_has_the_wrong_shape_is_wrong():
    report = check_gradients(node(np.add, lambda g, x, b: (g, g)), np.ones((4, 3)), np.ones(3))
    assert [item.verdict for item in report.inputs] == ["cannot tell", "wrong"]
    assert kinds(report) == ["unreduced_broadcast"]


def test_rounding_the_upstream_gradient_is_pointed_at():
    (finding,) = check_gradients(node(lambda x: x * 3, lambda g, x: np.trunc(g) * 3), np.ones(5)).findings
    assert "is not linear in the upstream gradient" in finding.message and "not round it" in finding.hint


# ---------------------------------------------------------------------- one triangle of a symmetric matrix
WEIGHTS = np.random.default_rng(3).normal(size=(4, 4))
SYMMETRIC = WEIGHTS + WEIGHTS.T


def lower(x):
    return np.tril(x) * WEIGHTS


def shared_out(g, x):
    gx = np.tril(g * WEIGHTS)
    return (gx + np.swapaxes(gx, -1, -2)) / 2


ROUNDED = SYMMETRIC * (1 + 1e-15 * np.arange(16).reshape(4, 4))


@pytest.mark.parametrize(
    "x", [SYMMETRIC, ROUNDED, np.stack([SYMMETRIC, np.eye(4)])], ids=["matrix", "up to rounding", "stack"]
)
def test_the_gradient_of_a_symmetric_matrix_is_not_accused_where_one_triangle_is_read(x):
    report = check_gradients(node(lower, shared_out), x)
    (finding,) = [finding for finding in report.findings if finding.kind != "low_precision"]
    assert report.verdict == "cannot tell" and "reads one triangle of" in finding.message


@pytest.mark.parametrize(
    ("forward", "backward", "x"),
    [
        (lower, shared_out, WEIGHTS),  # not symmetric
        (lambda x: x * WEIGHTS, lambda g, x: (g * WEIGHTS).T, SYMMETRIC),  # transposed
        (lower, lambda g, x: 2 * shared_out(g, x), SYMMETRIC),  # doubled
        (lower, lambda g, x: np.triu(g * WEIGHTS), SYMMETRIC),  # the other triangle
    ],
    ids=["of no symmetric matrix", "transposed", "doubled", "the other triangle"],
)
def test_other_gradients_of_a_triangle_are_wrong(forward, backward, x):
    assert check_gradients(node(forward, backward), x).verdict == "wrong"


def test_a_function_that_can_be_run_once_is_not_right():
    """From the second run on, nothing is left to add up, and every gradient is 0."""
    numbers = iter([1.0, 2.0])
    report = check_gradients(lambda x: x * sum(numbers), np.ones(3))
    assert report.verdict == "cannot tell" and "different results" in report.findings[0].message
