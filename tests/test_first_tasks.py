"""Lines that people type in their first fifteen tasks: what they mean happens, or the error says what to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, autograd, training  # type: ignore[attr-defined]
from autolab import functions as F
from autolab import links as L
from autolab.gradcheck import GradientCheckError, check_grads


def test_why_is_a_sentence_and_may_be_called() -> None:
    x = Variable(2.0)
    assert x.why == x.grad_status == x.why() == x.grad_status() == autolab.why(x)  # type: ignore[attr-defined, operator]
    assert isinstance(x.why, str) and json.loads(json.dumps(x.why)) == x.why  # type: ignore[attr-defined]


def test_steps_are_told_in_a_line_each() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        return F.exp(y)

    steps = autolab.record(f, 2.0).steps
    first, second, third = steps
    assert repr((first, second)) == (
        "(<Step 0: input x, value 2, gradient 20.0855>, <Step 1: call y = x + 1, value 3, gradient 20.0855>)"
    )
    assert repr(third) == "<Step 2: call F.exp(y), value 20.0855, gradient 1>"
    assert repr(autolab.record(F.exp, [1.0, 2.0]).steps[1]).endswith("exp>")


def test_a_recording_of_a_value_is_no_way_to_look_for_nan() -> None:
    with pytest.raises(
        TypeError, match=r"find_nonfinite: got a Variable, .*: find_nonfinite\(f, x\). Without one, with autolab.detect"
    ):
        autolab.find_nonfinite(np.sqrt(Variable(0.0)))  # type: ignore[attr-defined]


# ---------------------------------------------------------------------- checks
class Scaled(autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any) -> Any:
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.scale, None


def test_a_number_beside_variables_is_a_constant_for_gradcheck() -> None:
    assert autograd.gradcheck(Scaled.apply, (Variable([1.0, 2.0]), 3.0))
    with pytest.raises(GradientCheckError, match="by scale is 0; numerically it is 2"):
        autograd.gradcheck(Scaled.apply, (Variable([1.0, 2.0]), Variable(3.0)))
    with pytest.raises(GradientCheckError, match="by scale is 0"):
        autograd.gradcheck(Scaled.apply, (np.array([1.0, 2.0]), 3.0))


def test_check_grads_without_arguments_waits_for_them() -> None:
    check_grads(np.multiply, modes=["rev"])(np.array([1.0, 2.0]), 3.0)
    with pytest.raises(GradientCheckError, match="scale: wrong"):
        check_grads(Scaled.apply)(np.array([1.0, 2.0]), 3.0)


def test_variables_without_a_gradient_are_named_where_none_has_one() -> None:
    with pytest.raises(TypeError, match=r"A Variable without a gradient goes in as x.data$"):
        autolab.check_gradients(np.exp, Variable(1.0, requires_grad=False))


# ---------------------------------------------------------------------- networks
def test_layers_may_come_in_a_list() -> None:
    first, second = L.Linear(2, 3), L.Linear(3, 1)
    model = L.Sequential([first, F.relu, second])
    assert list(model) == [first, F.relu, second] and model(np.ones((4, 2), "f")).shape == (4, 1)
    assert list(autolab.ChainList([first, second])) == [first, second]
    with pytest.raises(TypeError, match="Sequential: got a list; expected a Link or a function"):
        L.Sequential(first, [second])


def test_pooling_goes_by_the_names_of_keras() -> None:
    x = Variable(np.arange(16.0).reshape(1, 1, 4, 4))
    largest = L.MaxPooling2D(pool_size=2, strides=2)(x)  # type: ignore[attr-defined]
    average = L.AveragePooling2D(2)(x)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(largest.data[0, 0], [[5, 7], [13, 15]])
    np.testing.assert_array_equal(average.data[0, 0], [[2.5, 4.5], [10.5, 12.5]])


def test_a_snapshot_is_called_as_in_chainer(tmp_path: Path) -> None:
    batches = autolab.data.SerialIterator(autolab.data.get_iris()[0], 60)
    optimizer = autolab.optimizers.SGD(0.1).setup(L.Classifier(L.Linear(4, 3)))
    trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (1, "epoch"), tmp_path)
    trainer.extend(training.extensions.snapshot(filename="at_{.updater.epoch}"))
    trainer.run()
    assert [path.stem for path in tmp_path.iterdir()] == ["at_1"]


def test_the_diagnosis_of_a_bare_model_asks_for_the_loss() -> None:
    found = autolab.diagnose(L.Linear(2, 3), np.ones((4, 2), "f"), np.zeros(4, int)).findings[0]
    assert found.kind == "raised" and "autolab.diagnose(lambda: loss_fn(model(x), t))" in found.remedy
    broken = autolab.diagnose(lambda x: F.exp(x, x), 1.0).findings[0]  # type: ignore[call-arg]
    assert broken.remedy == "Fix the error first."


# ---------------------------------------------------------------------- arrays and pages
def test_a_number_is_looked_for_among_the_elements() -> None:
    x = Variable([[1.0, 5.0], [2.0, 3.0]])
    assert 5.0 in x and 4.0 not in x


def test_a_page_of_a_function_is_that_of_its_exploration(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"a function; .*; write export_html\(f, path, x=...\)$"):
        autolab.export_html(lambda x: x, tmp_path / "page.html")
    with pytest.raises(TypeError, match=r"a recording, a view or a report$"):
        autolab.export_html(object(), tmp_path / "page.html")


class Length(autolab.Function):  # type: ignore[name-defined, misc]
    def __init__(self, power: int = 1) -> None:
        self.power = power

    def forward(self, x: Any) -> Any:
        return np.sqrt((x * x).sum()) ** self.power

    def backward(self, gy: Any) -> Any:
        (x,) = self.inputs
        return gy * x


def test_a_function_with_a_backward_is_checked_as_a_class_and_as_an_object() -> None:
    for written in (Length, Length()):
        found = autolab.check_gradients(written, np.array([3.0, 4.0]))
        assert "check_gradients(Length): wrong" in str(found) and "measured is g * x / y" in str(found)
    assert autolab.record(Length(power=2), np.array([3.0, 4.0])).steps[-1].value.values == 25  # type: ignore[union-attr]


def test_arguments_of_a_numerical_gradient_come_in_a_tuple() -> None:
    with pytest.raises(TypeError, match=r"in a tuple: numerical_grad\(f, \(x, y\)\)$"):
        autolab.numerical_grad(np.multiply, 2.0, 3.0)  # type: ignore[arg-type]
