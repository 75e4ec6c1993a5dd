"""What users of NumPy, JAX, PyTorch and Keras type first works: joining, timing, files, second derivatives."""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
import autolab.authoring
from autolab import Variable, c_, optimizers, r_  # type: ignore[attr-defined]

lab: Any = autolab

# ---------------------------------------------------------------------- np.c_ and np.r_
JOINED: list[Callable[[Any, Any, Any, Any], Any]] = [
    lambda c, r, x, y: c[x, y],
    lambda c, r, x, y: c[x, np.ones((2, 2)), y],
    lambda c, r, x, y: c[0:2, x],
    lambda c, r, x, y: c[np.ones((2, 2, 2)), np.tile(x, (2, 2, 1))],
    lambda c, r, x, y: r[x, y],
    lambda c, r, x, y: r[x, 1.0, [2.0, 3.0], y[0], 3:7:2],
    lambda c, r, x, y: r[np.outer(x, y), np.ones((1, 2))],
    lambda c, r, x, y: r[x],
]


@pytest.mark.parametrize("joined", JOINED)
def test_c_and_r_join_variables_as_numpys_do_arrays(joined: Callable[..., Any]) -> None:
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x, y = Variable(a), Variable(b)
    made, expected = joined(c_, r_, x, y), joined(np.c_, np.r_, a, b)
    np.testing.assert_array_equal(made.data, expected)
    made.sum().backward()
    assert (x.grad.data > 0).all()
    plain = joined(c_, r_, a, b)
    assert type(plain) is np.ndarray and plain.tolist() == expected.tolist()


def test_numpys_c_and_r_name_autolabs() -> None:
    x = Variable([1.0, 2.0])
    for join in (np.c_, np.r_):
        with pytest.raises(autolab.DetachError, match=r"autolab.c_\[x, y\] and autolab.r_\[x, y\] join Variables"):
            join[x, x]
    assert r_["0,2", [1, 2], [3, 4]].shape == (2, 2)
    with pytest.raises(TypeError, match=r"r_: got the text '0,2'; .* np.concatenate\(\[a, b\], axis\) joins Variables"):
        r_["0,2", x, x]


# ---------------------------------------------------------------------- the order of Fortran
def test_reshape_and_its_kin_take_numpys_order() -> None:
    a, g = np.arange(24.0).reshape(2, 3, 4), np.random.default_rng(0).normal(size=24)
    for call in (
        lambda x: x.reshape(4, 6, order="F"),
        lambda x: x.reshape((3, -1), order="F"),
        lambda x: x.reshape(4, 6, order="C"),
        lambda x: x.ravel("F"),
        lambda x: np.ravel(x, order="F"),
        lambda x: x.flatten("F"),
        lambda x: x.flatten(order="F"),
        lambda x: x.flatten("C"),
    ):
        x = Variable(a)
        y = call(x)
        np.testing.assert_array_equal(y.data, call(a))
        y.backward(g.reshape(y.shape))
        placed = np.zeros(24)
        placed[call(np.arange(24).reshape(a.shape)).reshape(-1)] = g
        np.testing.assert_array_equal(x.grad.data, placed.reshape(a.shape))
    with pytest.raises(ValueError, match="reshape: order is 'K'; expected 'C' or 'F'"):
        Variable(a).reshape(4, 6, order="K")
    with pytest.raises(autolab.NoGradientError, match=r"'order'; .* x.reshape\(shape, order='F'\)"):
        np.reshape(Variable(a), (4, 6), order="F")


# ---------------------------------------------------------------------- second derivatives
def test_hvp_of_a_function_alone_is_a_function_as_grad_is() -> None:
    def loss(w: Any, x: Any, power: int) -> Any:
        return ((w * x) ** power).sum()

    w, x, v = np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.array([1.0, 10.0])
    np.testing.assert_allclose(lab.hvp(loss)(w, x, 3, v).data, 6 * w * x**3 * v)
    np.testing.assert_allclose(lab.hvp(loss, wrt=1)(w, x, 3, v).data, 6 * x * w**3 * v)
    product = lab.hessian_vector_product(lambda w: loss(w, x, 3))
    np.testing.assert_allclose(product(w, v).data, 6 * w * x**3 * v)
    assert product.__name__ == "hvp(<lambda>)"
    for call in (lambda: lab.hvp(loss, w), product):
        with pytest.raises(TypeError, match=r"hvp: the vector is missing; .* hvp\(f, x, v\), or hvp\(f\)\(x, v\)"):
            call()
    with pytest.raises(TypeError, match="hvp: fn is an int; expected a function"):
        lab.hvp(3)


# ---------------------------------------------------------------------- pages and files
def _neuron(x: Any, w: Any) -> Any:
    return np.tanh(w * x)


def test_a_page_is_text_where_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    view, recording = autolab.explore(_neuron, x=1.0, w=0.5), autolab.record(_neuron, x=1.0, w=0.5)
    chart = autolab.plots.line_chart([0.0, 1.0], {"loss": [2.0, 1.5]})
    for shown in (view, recording, chart):
        page = shown.to_html()  # type: ignore[attr-defined]
        shown.write_html("named.html", title="Mine")  # type: ignore[attr-defined]
        assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
        assert "<title>Mine</title>" in Path("named.html").read_text("utf-8")
    view.close()
    with pytest.raises(AttributeError, match="This view was closed"):
        view.to_html()


def test_a_function_is_exported_at_its_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    autolab.export_html(_neuron, tmp_path / "page.html", x=1.0, w=0.5, title="A neuron")
    page = (tmp_path / "page.html").read_text("utf-8")
    moves = '"controls":[{"key":"x","label":"x"'
    assert "<title>A neuron</title>" in page and moves in page
    assert moves not in autolab.export_html(autolab.record(_neuron, x=1.0, w=0.5))
    autolab.export_html(_neuron, tmp_path / "second.html", x=1.0, w=0.5, order=2)
    assert capsys.readouterr().out == ""
    with pytest.raises(TypeError, match="q"):
        autolab.export_html(_neuron, tmp_path / "none.html", x=1.0, q=0.5)
    with pytest.raises(TypeError, match="export_html: got a keyword 'titel'; expected look, playground, title"):
        autolab.export_html(autolab.record(_neuron, x=1.0, w=0.5), tmp_path / "none.html", titel="Mine")
    assert len([*tmp_path.iterdir()]) == 2


def test_a_recording_is_saved_as_data(tmp_path: Path) -> None:
    recording = autolab.record(_neuron, x=np.array([1.0, np.nan]), w=0.5)
    recording.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text("utf-8")) == recording.to_json()


# ---------------------------------------------------------------------- timing
def test_what_jit_gives_can_be_waited_for_also_of_numpys_arrays() -> None:
    X, w = np.arange(6.0).reshape(2, 3), np.ones(3)

    @lab.jit(static_argnums=2)  # type: ignore[misc]
    def step(X: Any, w: Any, n: int) -> Any:
        y = np.tanh(X @ w) ** n
        return np.sum(y), {"y": y, "most": np.argmax(y)}

    for _ in range(3):
        total, rest = step(X, w, 2)
        assert total.block_until_ready().item() == step.function(X, w, 2)[0] and not total.requires_grad
        np.testing.assert_array_equal(rest["y"].block_until_ready().data, np.tanh(X @ w) ** 2)
        assert isinstance(rest["most"], np.integer)
    assert step.report().refusals == [] and len(step.programs) == 1
    x = Variable([1.0, 2.0])
    lab.jit(lambda x: (x * x).sum())(x).backward()
    np.testing.assert_array_equal(x.grad.data, [2, 4])


def test_a_method_is_jitted_as_a_function_is() -> None:
    class Scaled:
        factor = 3.0

        @lab.jit  # type: ignore[misc]
        def __call__(self, x: Any) -> Any:
            return np.sum(x * self.factor)

    assert Scaled().__call__(np.ones(2)).block_until_ready().item() == 6


# ---------------------------------------------------------------------- updates and checks
def test_keras_applies_gradients() -> None:
    w, b, rest = Variable([1.0, 2.0]), Variable(3.0), Variable(5.0)
    optimizer: Any = optimizers.SGD(lr=0.1)
    for _ in range(2):
        gradients = autolab.grad((w * w).sum() + b * 2.0, [w, b, rest])
        optimizer.apply_gradients(zip(gradients, [w, b, rest], strict=True))
    np.testing.assert_allclose(w.data, [0.64, 1.28])
    assert abs(b.item() - 2.6) < 1e-12 and rest.data == 5 and optimizer.t == 2
    before = w.grad
    with pytest.raises(ValueError, match=r"apply_gradients: got shape \(3,\); expected \(\)"):
        optimizer.apply_gradients([(np.ones(2), w), (np.ones(3), b)])
    assert w.grad is before and optimizer.t == 2


def test_a_whole_number_beside_variables_is_a_constant_of_gradcheck() -> None:
    class Power(lab.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, n: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.n = n
            return x**n

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.n * ctx.saved_tensors[0] ** (ctx.n - 1), None

    for n in (3, 3.0, True):
        assert autolab.gradcheck(Power.apply, (Variable([1.0, 2.0]), n))  # type: ignore[operator]


def test_printed_values_of_steps_are_numbers() -> None:
    recording = autolab.record(lambda x: (x * 2 + 1).sum(), np.ones(2))
    assert [str(step.value) for step in recording.steps] == ["[1. 1.]", "[2. 2.]", "[3. 3.]", "6.0"]
    large = autolab.record(lambda x: x.sum(), np.ones((1000, 1000)))
    assert str(large.steps[0].value) == "float64 array of shape (1000, 1000)"


def test_matplotlibs_words_at_a_chart_and_at_a_file(tmp_path: Path) -> None:
    chart = autolab.plots.line_chart([0, 1], {"a": [1.0, 2.0]}, xlabel="t", ylim=(0, 4))
    assert (chart.x_title, chart.y_range) == ("t", (0, 4))
    for shown in (chart, autolab.record(lambda x: x * x, 3.0)):
        with pytest.raises(TypeError, match=r"got a keyword 'dpi'; .*\.svg or \.pdf is sharp"):
            shown.savefig(tmp_path / "x.png", dpi=150)
    assert not list(tmp_path.iterdir())


def test_the_line_of_a_static_backward_is_that_of_its_def() -> None:
    report = autolab.check_gradients(Halved.apply, np.array([1.0, 2.0]))
    line = inspect.getsource(sys.modules[__name__]).splitlines().index("    def backward(ctx, g):  # half of it") + 1
    assert f"(line {line} of " in str(report)


class Halved(autolab.authoring.ContextFunction):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):  # half of it
        (x,) = ctx.saved_tensors
        return g * x


def test_jit_of_the_same_function_is_traced_once_and_of_another_anew() -> None:
    def double(x: Any) -> Any:
        return (x * 2).sum()

    @functools.wraps(double)  # it copies what is kept of the function
    def triple(x: Any) -> Any:
        return (x * 3).sum()

    x = lab.array([1.0, 2.0])
    assert [float(lab.jit(f)(x)) for f in (double, triple, double, triple)] == [6, 9, 6, 9]
    assert lab.jit(double) is lab.jit(double) is not lab.jit(double, check_every=None)
    first, second = lab.links.Linear(2, 1), lab.links.Linear(2, 1)
    found = [float(lab.jit(link.forward)(np.ones((1, 2), np.float32)).sum()) for link in (first, second)]
    assert found == [float(link(np.ones((1, 2), np.float32)).sum()) for link in (first, second)]


def test_several_gradients_are_asked_for_as_in_autograd() -> None:
    of_a, of_b = lab.grad(lambda a, b: a * b, argnum=[0, 1])(2.0, 3.0)
    assert (float(of_a), float(of_b)) == (3.0, 2.0)
