"""What users of JAX, PyTorch, Keras and SciPy type first works: names, places in arrays, modes, pictures, files."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, autograd, data, grad, nn, optimizers, training  # type: ignore[attr-defined]
from autolab import functions as F
from autolab import links as L
from autolab.engine.modes import overrides, watchers
from autolab.links.reporter import report


# ---------------------------------------------------------------------- derivatives and graphs
@pytest.mark.parametrize(
    ("given", "settings", "point", "domain"),
    [
        ((np.linspace(-1, 3, 9),), {}, 1, (-1, 3)),
        (((-2.0, 4.0),), {}, 1, (-2, 4)),
        ((), {"x": Variable(np.array([2.0, 3.0]))}, 2.5, (2, 3)),
        ((), {"xlim": (2, 3)}, 2.5, (2, 3)),
        ((2.5,), {"domain": (2, 3)}, 2.5, (2, 3)),
    ],
)
def test_derivatives_are_drawn_where_one_says(given: Any, settings: Any, point: float, domain: Any) -> None:
    view = autolab.derivatives(np.exp, *given, **settings, n=1)
    assert (view.data.x, view.data.domain, view.data.order) == (point, domain, 1)
    view.close()


def test_a_function_keeps_its_own_n() -> None:
    view = autolab.derivatives(lambda x, n: x**n, 2.0, n=3)
    assert (view.data.values[0], view.data.order) == (8, 2)
    view.close()


def test_a_graph_is_asked_of_a_function_too() -> None:
    assert [step.source for step in autolab.graph(lambda y: y + 1, 2.0).steps] == [None, "y + 1"]
    assert autolab.visualize(_square, x=3.0).function == "_square"  # type: ignore[attr-defined]


def _square(x: Any) -> Any:
    return x * x


def test_what_was_computed_is_explored() -> None:
    x = Variable(2.0)
    y = x * x + 1
    for look in (autolab.explore, autolab.explain):  # type: ignore[attr-defined]
        view = look(y)
        assert view.recording.steps[0].name == "x" and view.recording.function == "y"
        view.close()


def test_other_names_draw_a_graph(tmp_path: Path) -> None:
    y = Variable(2.0, name="x") * 3
    assert "x" in autolab.make_dot(y, params={"w.v": y}).source  # type: ignore[attr-defined]
    autolab.plot_dot_graph(y, verbose=False, to_file=tmp_path / "g.svg")  # type: ignore[attr-defined]
    assert (tmp_path / "g.svg").read_text("utf-8").startswith("<svg")


def test_why_is_the_status_of_a_gradient() -> None:
    x = Variable(2.0)
    assert autolab.why(x) == x.why() == x.grad_status  # type: ignore[attr-defined]


def test_a_class_with_forward_and_backward_is_checked_as_it_is() -> None:
    class Wrong(autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    class WrongNode(autolab.FunctionNode):
        def forward(self, inputs: Any) -> Any:
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, indexes: Any, gys: Any) -> Any:
            return (2 * self.get_retained_inputs()[0] ** 2 * gys[0],)

    found = autolab.check_gradients(Wrong, 3.0)
    assert not found and "x" in str(found)
    assert "2/3 times" in str(autolab.check_gradients(WrongNode, 3.0))
    with pytest.raises(RuntimeError, match="wrong"):
        autograd.gradcheck(Wrong.apply, (Variable(3.0),))


# ---------------------------------------------------------------------- modes
def _zero_times_infinity() -> None:
    with np.errstate(all="ignore"):
        (0 * np.sqrt(Variable(0.0))).backward()


def test_nan_is_looked_for_from_now_on() -> None:
    for switch in (autograd.set_detect_anomaly, autolab.set_debug):  # type: ignore[attr-defined]
        switch(True)
        with pytest.raises(RuntimeError, match="sqrt: its backward produced NaN"):
            _zero_times_infinity()
        switch(False)
        _zero_times_infinity()
    with autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="NaN"):
        _zero_times_infinity()
    with autograd.set_detect_anomaly(True), autograd.set_detect_anomaly(False):
        _zero_times_infinity()
    with autolab.debug_nans(), pytest.raises(RuntimeError, match="NaN"):  # type: ignore[attr-defined]
        _zero_times_infinity()
    _zero_times_infinity()
    assert not watchers


def test_graphs_are_made_or_not_from_now_on() -> None:
    x, switch = Variable(2.0), autolab.set_grad_enabled  # type: ignore[attr-defined]
    switch(False)
    assert not (x * x).requires_grad
    with switch(True):
        assert (x * x).requires_grad
    assert not (x * x).requires_grad
    switch(True)

    @switch(False)
    def inside(x: Any) -> Any:
        return x * x

    assert (x * x).requires_grad and not inside(x).requires_grad and (x * x).requires_grad and not overrides


# ---------------------------------------------------------------------- places in an array
def test_copies_with_other_elements() -> None:
    x, v = Variable([1.0, 2.0, 3.0]), Variable(5.0)
    y = x.at[1].set(v)
    z = y.at[[0, 0, 2]].add(np.array([1.0, 10.0, 100.0]))
    np.testing.assert_array_equal(z, [12, 5, 103])
    (z * Variable([1.0, 2.0, 4.0], requires_grad=False)).sum().backward()
    np.testing.assert_array_equal(x.grad, [1, 0, 4])
    assert v.grad.data == 2


def test_computed_values_are_changed_in_place() -> None:
    x = Variable([1.0, -2.0, 3.0])
    h = x * 2
    before = h * h
    h.mul_(3).add_(x)
    (h.sum() + before.sum()).backward()
    np.testing.assert_array_equal(x.grad, 7 + 8 * x.data)
    x.cleargrad()
    buffer = autolab.zeros(3)  # type: ignore[attr-defined]
    buffer.add_(x)
    h = x * 1
    h.masked_fill_(x < 0, 9.0).relu_()
    (buffer + h).sum().backward()
    np.testing.assert_array_equal(x.grad, [2, 1, 2])
    with pytest.raises(ValueError, match="a view of another array"):
        (x * 1)[:2].add_(1)


def test_classes_are_scattered_in_place() -> None:
    places = Variable(np.array([[0], [2]]))
    for one in (
        autolab.zeros(2, 3).scatter_(1, places, 1.0),  # type: ignore[attr-defined]
        autolab.zeros(2, 3).scatter_(dim=1, index=places, value=1.0),  # type: ignore[attr-defined]
    ):
        np.testing.assert_array_equal(one, [[1, 0, 0], [0, 0, 1]])


# ---------------------------------------------------------------------- NumPy and SciPy
def test_numpys_tests_compare_the_values_of_variables() -> None:
    x = Variable([1.0, 2.0])
    np.testing.assert_allclose(x, x * 1)
    np.testing.assert_array_equal(x.data, x)
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
        np.testing.assert_allclose(x, [1.0, 3.0])


def test_a_method_of_an_array_that_takes_no_variable_is_answered() -> None:
    with pytest.raises(autolab.DetachError, match=r"^array.dot\(Variable\): .*; X @ W and np.dot\(X, W\) keep"):
        np.ones((4, 2)).dot(Variable([1.0, 2.0]))


@pytest.mark.parametrize("dim", [[1, 2], (1, 2)])
def test_axes_come_in_a_list(dim: Any) -> None:
    data = np.random.default_rng(0).normal(size=(2, 3, 4))
    x = Variable(data)
    for got, wanted in (
        (x.mean(dim=dim), data.mean((1, 2))),
        (autolab.sum(x, dim=dim, keepdim=True), data.sum((1, 2), keepdims=True)),
        (x.amax(dim=dim), data.max((1, 2))),
        (x.std(dim=dim), data.std((1, 2), ddof=1)),
    ):
        np.testing.assert_allclose(got, wanted)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_functions_of_scipy_are_named(name: str) -> None:
    special = pytest.importorskip("scipy.special")
    message = rf"^scipy.special.{name}: .*; instead: autolab.scipy.special.{name}\(x\)$"
    with pytest.raises(autolab.DetachError, match=message):
        getattr(special, name)(Variable([1.0, 2.0]))


def test_special_functions_of_scipy_are_those_of_scipy() -> None:
    special = autolab.scipy.special  # type: ignore[attr-defined]
    x = Variable([[0.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(special.softmax(x).data, np.exp(x.data) / np.exp(x.data).sum())
    np.testing.assert_allclose(special.log_softmax(x).data, np.log(special.softmax(x).data))
    np.testing.assert_array_equal(autolab.special.softmax(x, dim=1).data, F.softmax(x, 1).data)  # type: ignore[attr-defined]
    assert special.expit is F.sigmoid and special.logsumexp is F.logsumexp
    for name in ("kl_div", "huber"):  # F has others of these names
        with pytest.raises(AttributeError, match=f"scipy_special' has no attribute '{name}'"):
            getattr(special, name)


def test_a_package_of_scipys_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without SciPy: a function in a module of that name asks for an array."""
    space: dict[str, Any] = {"__name__": "scipy.special._logsumexp", "np": np}
    exec("def softmax(x):\n    return np.asarray(x)\n\ndef other(x):\n    return np.asarray(x)", space)
    with pytest.raises(
        autolab.DetachError, match=r"^scipy.special.softmax: .*; instead: autolab.scipy.special.softmax\(x\)$"
    ):
        space["softmax"](Variable([1.0]))
    with pytest.raises(autolab.DetachError, match=r"^numpy.asarray\(Variable\)"):
        space["other"](Variable([1.0]))


# ---------------------------------------------------------------------- functions of one's own
def test_a_tangent_gives_the_gradient() -> None:
    calls = []

    @autolab.custom_jvp  # type: ignore[attr-defined]
    def f(x: Any, y: Any) -> Any:
        return x * x * np.sin(y)

    @f.defjvp
    def f_jvp(primals: Any, tangents: Any) -> Any:
        (x, y), (dx, dy) = primals, tangents
        calls.append(x)
        return f(x, y), 2 * x * np.sin(y) * dx + x * x * np.cos(y) * dy

    a = np.array([1.0, 2.0])
    np.testing.assert_allclose(grad(lambda x: f(x, 0.5).sum())(a), 2 * a * np.sin(0.5))  # type: ignore[call-overload]
    assert calls
    np.testing.assert_allclose(grad(grad(lambda x: f(x, 0.5)))(3.0), 2 * np.sin(0.5))  # type: ignore[call-overload]
    assert autolab.check_gradients(f, 1.5, 0.5)

    @autolab.custom_jvp  # type: ignore[attr-defined]
    def g(x: Any) -> Any:
        return x

    with pytest.raises(autolab.DeclarationError, match=r"write g.defjvp\(f_jvp\) first"):
        g(1.0)


def test_a_rule_may_give_the_gradient_of_a_number_too() -> None:
    @autolab.custom_vjp  # type: ignore[attr-defined]
    def scaled(x: Any, by: Any) -> Any:
        return x * by

    scaled.defvjp(lambda x, by: (x * by, (x, by)), lambda kept, g: (g * kept[1], g * kept[0]))
    assert grad(lambda x: scaled(x, 3.0))(2.0).data == 3  # type: ignore[call-overload]


# ---------------------------------------------------------------------- compile
def test_compiled_functions_may_use_what_is_loaded_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        """As that of setuptools, which is in each environment that has it."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> None:
            return None

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])

    def loss(x: Any) -> Any:
        return (x * x).sum() + (importlib.util.find_spec("colorsys") is not None)

    compiled = autolab.compile(loss)
    assert compiled(np.ones(2)) == compiled(np.ones(2)) == 3
    assert "1 kind of call" in str(compiled.report())


def test_a_compiled_loss_may_multiply_by_data_around_it() -> None:
    data = np.random.default_rng(0).normal(size=(4, 2))
    for shape in ((4, 2), (2, 2, 2)):
        X = data.reshape(shape)

        def loss(W: Any, X: Any = X) -> Any:
            return ((X @ W) ** 2).mean()

        compiled = autolab.compile(autolab.value_and_grad(loss))  # type: ignore[attr-defined]
        W = np.ones((2, 3))
        for got, wanted in zip(compiled(W), autolab.value_and_grad(loss)(W), strict=True):  # type: ignore[attr-defined]
            np.testing.assert_array_equal(got, wanted)
        assert "1 kind of call" in str(compiled.report())


# ---------------------------------------------------------------------- networks
@pytest.mark.parametrize("padding", ["same", "SAME", "valid"])
def test_convolutions_name_their_padding(padding: str) -> None:
    x, w = Variable(np.ones((1, 1, 5, 6))), Variable(np.ones((2, 1, 3, 3)))
    number = 0 if padding == "valid" else 1
    y, wanted = F.conv2d(x, w, padding=padding), F.conv2d(x, w, padding=number)
    np.testing.assert_array_equal(y, wanted)
    for got, right in zip(grad(y.sum(), [x, w]), grad(wanted.sum(), [x, w]), strict=True):
        np.testing.assert_array_equal(got, right)
    assert L.Conv2D(1, 2, 3, pad=padding).pad == (number, number)
    with pytest.raises(ValueError, match="padding is 'same'; expected a number, 'valid', or 'same' with an odd kernel"):
        F.conv2d(x, w, padding="same", stride=2)


def test_layers_under_the_names_of_keras_and_pytorch() -> None:
    model = L.Sequential(L.Dense(4), nn.BatchNorm1d(4), L.Dense(2))
    model(np.ones((3, 5), np.float32))
    model.zero_grad(set_to_none=True)
    assert [name for name, _ in model.named_buffers()] == ["1.running_mean", "1.running_var"]
    assert isinstance(optimizers.adam(1e-3), optimizers.Adam)  # type: ignore[attr-defined]
    assert F.dropout(np.ones(3), rate=0.0).sum() == 3


def test_timing_waits_for_nothing_without_a_gpu() -> None:
    x = Variable(2.0)
    assert autolab.block_until_ready(x) is x and autolab.cuda.synchronize() is None  # type: ignore[attr-defined]


# ---------------------------------------------------------------------- training
def test_early_stopping_ends_a_loop() -> None:
    stopping = training.EarlyStopping(patience=2, min_delta=0.1)  # type: ignore[attr-defined]
    assert [stopping(Variable(loss)) for loss in (1.0, 0.95, 0.5, 0.45, np.nan)] == [False, False, False, False, True]
    most = training.EarlyStopping(patience=1, mode="max")  # type: ignore[attr-defined]
    assert [most(value) for value in (0.5, 0.6, 0.6)] == [False, False, True] and most.best == 0.6


@pytest.mark.parametrize("settings", [{"patience": 0}, {"patience": True}, {"mode": "least"}])
def test_early_stopping_says_what_it_takes(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"EarlyStopping: patience is .*, mode is .*; expected a whole number"):
        training.EarlyStopping(**settings)  # type: ignore[attr-defined]


def _trainer(losses: list[float], stopping: Any) -> training.Trainer:
    batches = data.SerialIterator(np.zeros((4, 1), np.float32), 2, shuffle=False)
    model = L.Linear(1, 1)

    def loss(x: Any) -> Any:
        report({"main/loss": losses[min(int(updater.epoch), len(losses) - 1)]})
        return model(x).sum()

    updater = training.StandardUpdater(batches, optimizers.SGD(0.1).setup(model), loss_func=loss)
    trainer = training.Trainer(updater, (20, "epoch"))
    trainer.extend(stopping)
    return trainer


def test_early_stopping_ends_a_trainer_and_goes_on_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(training), "callbacks", None)  # the import leaves it there
    from autolab.training.callbacks import EarlyStopping  # type: ignore[import-not-found]

    stopping = EarlyStopping(patience=3, monitor="main/loss")
    trainer = _trainer([0.5, 0.4, 0.6], stopping)
    trainer.run()
    assert (trainer.updater.epoch, stopping.best, stopping.count) == (4, 0.4, 3)
    other = EarlyStopping(patience=3, monitor="main/loss")
    twin = _trainer([0.5, 0.4, 0.6], other)
    twin.load_state(trainer.state())
    assert (other.best, other.count) == (0.4, 3)


def test_early_stopping_says_what_is_observed() -> None:
    with pytest.raises(KeyError, match="EarlyStopping: monitor is 'validation/main/loss'; observed: main/loss"):
        _trainer([0.5], training.EarlyStopping()).run()  # type: ignore[attr-defined]


# ---------------------------------------------------------------------- files
def test_the_path_may_come_first(tmp_path: Path) -> None:
    model, twin = L.Linear(3, 2), L.Linear(3, 2)
    autolab.save(tmp_path / "model.npz", model)  # type: ignore[attr-defined]
    autolab.load(tmp_path / "model.npz", twin)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(twin.W, model.W)
    autolab.save({"model": model.state_dict(), "loss": model(np.ones(3)).sum()}, tmp_path / "both.npz")  # type: ignore
    assert autolab.load(tmp_path / "both.npz")["loss"] == model(np.ones(3)).sum().data  # type: ignore[attr-defined]
    autolab.export_html(str(tmp_path / "page.html"), autolab.record(_square, 2.0))
    view = autolab.heatmap(np.ones((2, 2)))
    for name in ("export_html", "savefig", "to_html"):
        getattr(view, name)(tmp_path / f"{name}.html")
    view.close()
    assert len([*tmp_path.glob("*.html")]) == 4


def test_what_is_shown_is_saved_by_the_same_names(tmp_path: Path) -> None:
    chart = autolab.plots.line_chart([0.0, 1.0, 2.0], {"loss": [3.0, 2.0, 1.0]})
    for i, shown in enumerate([chart, autolab.record(_square, 2.0), autolab.check_gradients(_square, 2.0)]):
        for name in ("export_html", "savefig", "to_html"):
            getattr(shown, name)(tmp_path / f"{name}{i}.html")
        with pytest.raises(AttributeError, match=r"'show'; instead: the .* itself at the end of a cell"):
            shown.show()
    assert len([*tmp_path.glob("*.html")]) == 9
    with pytest.raises(TypeError, match=r"array: got requires_grad, .*; autolab.array"):
        autolab.numpy.array([1.0], requires_grad=True)  # type: ignore[attr-defined]


VIEWS = {
    "Explorer: Recording of _square: 1 input, 1 step": lambda: autolab.explore(_square, x=2.0),
    "GraphView: Recording of graph: 1 input, 1 step": lambda: _square(Variable(2.0, name="x")).explore(),
    "DerivativeExplorer: _square and its derivatives up to order 2": lambda: autolab.derivatives(_square, 2.0),
    "Heatmap: w (2, 2)": lambda: autolab.heatmap(w=np.ones((2, 2))),
    "Interact: _square(x=2.0)": lambda: autolab.interact(_square, x=2.0),
    "Lens: check_gradients(_square): right": lambda: autolab.check_gradients(_square, 2.0).explore(),
    "SurfaceView: loss over x and y": lambda: autolab.plots.surface(lambda x, y: x * y, (0.0, 0.0)).explore(),
}


@pytest.mark.parametrize("line", VIEWS)
def test_a_view_is_printed_as_what_it_shows(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    view = VIEWS[line]()
    assert repr(view) == f"<{line}>" and str(view) == view._static()["text/plain"]
    view.close()
    assert str(view) == repr(view)
    assert "This view was closed" in repr(view)


@pytest.mark.parametrize(
    ("shown", "title"),
    [
        (autolab.plots.show_jacobian(_square, 2.0), "Jacobian of _square"),
        (autolab.plots.show_hessian(_square, 2.0), "Hessian of _square"),
        (autolab.plots.line_chart([0.0, 1.0], {"loss": [2.0, 1.5]}), "Line chart: loss"),
        (Variable([1.0, 2.0]), "variable([1. 2.])"),
        (autolab.check_gradients(_square, 2.0), "check_gradients(_square): right"),
    ],
)
def test_a_page_is_called_what_it_shows(shown: Any, title: str, tmp_path: Path) -> None:
    autolab.export_html(shown, tmp_path / "page.html")
    assert f"<title>{title}</title>" in (tmp_path / "page.html").read_text("utf-8")


def test_several_views_are_one_page(tmp_path: Path) -> None:
    view, still = autolab.heatmap(np.ones((2, 2))), autolab.check_gradients(_square, 2.0)
    autolab.export_html([view, autolab.record(_square, 2.0), still], tmp_path / "page.html", title="Three")
    view.close()
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count("<iframe ") == 3 and "<title>Three</title>" in text
    with pytest.raises(TypeError, match="export_html: got a list; expected a recording, a view or a report"):
        autolab.export_html([], tmp_path / "none.html")
