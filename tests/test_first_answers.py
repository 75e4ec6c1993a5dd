"""What users of Keras, SciPy and PyTorch type first works, or the answer says what to write."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L

lab: Any = autolab


# ---------------------------------------------------------------------- layers and states
def test_layers_of_keras_apply_their_function() -> None:
    x = np.array([[-1.0, 2.0], [3.0, -4.0]], np.float32)
    model = L.Sequential(L.Dense(3, activation="relu", input_shape=(2,)), L.Dense(4, F.tanh), L.Dense(1, "linear"))
    first, second, last = model
    assert first.W.shape == (3, 2) and second.W.data is None
    y = model(x).data
    hidden = np.tanh(np.maximum(x @ first.W.data.T, 0) @ second.W.data.T)
    np.testing.assert_allclose(y, hidden @ last.W.data.T, rtol=1e-5)
    assert [repr(layer) for layer in (second, last)] == ["Dense(3, 4, activation=tanh)", "Dense(4, 1)"]
    assert L.Dense(features=5, bias=False).b is None and L.Dense(3, 4).W.shape == (4, 3)
    with pytest.raises(TypeError, match="Dense: activation is 'leaky'; expected a function, or the name of one in F"):
        L.Dense(3, activation="leaky")


CONVOLUTIONS: list[Any] = [L.Conv1D, L.Conv2D, L.ConvTranspose1D, L.ConvTranspose2D]


@pytest.mark.parametrize("made", CONVOLUTIONS, ids=lambda made: made.__name__)
def test_convolutions_of_keras_take_their_channels_from_the_first_input(made: Any) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 7)[: 2 + made.axes]).astype(np.float32)
    written = made(None, 4, 2, activation=F.relu)
    y = written(x)
    assert written.in_channels == 3 and y.data.min() == 0 < y.data.max()
    plain = made(3, 4, 2, initialW=written.W.data)
    np.testing.assert_array_equal(y.data, np.maximum(plain(x).data, 0))
    for layer in (
        made(4, 2, activation="relu"),
        made(4, (2,) * made.axes, activation="relu"),
        made(4, kernel_size=2, activation="relu"),
        made(filters=4, kernel_size=2, activation="relu"),
    ):
        assert repr(layer) == f"{made.__name__}(None, 4, 2, activation=relu)"
        assert layer(x).shape == y.shape and layer.in_channels == 3
    for layer in (made(3, 4, kernel_size=2, activation="linear"), made(3, out_channels=4, ksize=2)):
        assert layer.in_channels == 3
    assert made(4, 2, use_bias=False).b is None


def test_sizes_of_a_convolution_are_not_guessed() -> None:
    for make in (
        lambda: lab.nn.Conv2d(1, 8),
        lambda: L.Conv2D(in_channels=1, out_channels=8),
        lambda: L.Conv2D(1, out_channels=8),
        lambda: L.Conv2D(filters=8),
    ):
        with pytest.raises(TypeError, match=r"^Conv2.: ksize is missing; expected Conv2.\(in_channels, out_channels"):
            make()
    with pytest.raises(TypeError, match=r"^Conv2D: activation is 'leaky'; expected a function"):
        L.Conv2D(8, 3, activation="leaky")
    with pytest.raises(TypeError, match=r"'input_shape'; .*the first input tells it; .* \(examples, channels, h"):
        L.Conv2D(8, 3, input_shape=(28, 28, 1))


def test_the_row_of_padding_is_zero_from_the_start() -> None:
    for made in (L.Embedding, lab.nn.Embedding):
        embedding = made(4, 3, padding_idx=2)
        assert [bool(row.any()) for row in embedding.W.data] == [True, True, False, True]
    for wrong in (4, -1, "pad"):
        with pytest.raises(ValueError, match=f"Embedding: padding_idx is {wrong!r}; expected an index, 0 to 3"):
            L.Embedding(4, 3, padding_idx=wrong)  # type: ignore[arg-type]


def test_a_state_that_fits_says_so_as_pytorchs() -> None:
    model = L.Linear(2, 1)
    state = model.state_dict()
    assert repr(model.load_state_dict(state)) == "<All keys matched successfully>"
    part = model.load_state_dict({"weight": state["weight"], "scale": 1.0}, strict=False)
    assert repr(part) == "missing: ['bias']; unexpected: ['scale']"


def test_a_model_is_saved_and_loaded_by_its_own_name(tmp_path: Path) -> None:
    model, twin = L.Sequential(), L.Sequential(L.Linear(2, 3), F.relu)
    model.add(L.Linear(2, 3))
    model.add(L.ReLU())
    model.save(tmp_path / "model.npz")  # type: ignore[attr-defined]
    twin.load(tmp_path / "model.npz")  # type: ignore[attr-defined]
    np.testing.assert_array_equal(twin[0].W.data, model[0].W.data)
    model[0].save_weights(tmp_path / "weights.npz")
    L.Linear(2, 3).load_weights(tmp_path / "weights.npz")  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="0/W"):
        L.Linear(2, 3).load(tmp_path / "model.npz")  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"Sequential has no 'evaluate'; instead: model\(x\), inside with autolab"):
        model.evaluate(np.ones((1, 2)))  # type: ignore[attr-defined]


def test_the_pooling_of_keras_over_whole_channels() -> None:
    x = np.arange(24.0).reshape(2, 3, 2, 2)
    np.testing.assert_array_equal(L.GlobalAveragePooling2D()(x), x.mean((2, 3)))


def test_gradients_by_all_parameters_of_a_model() -> None:
    model = L.Linear(2, 1)
    loss = (model(np.ones((3, 2), np.float32)) ** 2).sum()
    by_list = autolab.grad(loss, [*model.parameters()])
    for inputs in (model.parameters(), (p for p in model.params()), dict(model.named_parameters()).values()):
        found = autolab.grad(loss, inputs)
        assert [g.data.tolist() for g in found] == [g.data.tolist() for g in by_list]
    with pytest.raises(TypeError, match="grad: inputs has a str; expected a Variable or a sequence of them"):
        autolab.grad(loss, (name for name, _ in model.named_parameters()))


# ---------------------------------------------------------------------- the normal distribution
def test_the_normal_distribution_of_scipy() -> None:
    import autolab.scipy.stats.norm as by_import
    from autolab.scipy import stats
    from autolab.scipy.stats import norm

    assert norm is by_import is stats.norm is autolab.functions.stats.norm
    x, loc, scale = Variable([-30.0, -1.0, 0.5, 2.0]), Variable(0.5), Variable(2.0)
    z = (x.data - 0.5) / 2
    log_density = -z * z / 2 - np.log(2 * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(norm.logpdf(x, loc, scale).data, log_density, rtol=1e-14)
    np.testing.assert_allclose(norm.pdf(x, loc, scale).data, np.exp(log_density), rtol=1e-12)
    below = [0.5 * math.erfc(-one / math.sqrt(2)) for one in z]
    np.testing.assert_allclose(norm.cdf(x, loc, scale).data, below, rtol=1e-12)
    for function in (norm.logpdf, norm.pdf, norm.cdf):
        assert autolab.check_gradients(function, x[1:].data, 0.5, 2.0).passed, function
    assert norm.cdf([0.0, 1]).shape == (2,) and norm.pdf(0) == norm.pdf(0.0)


# ---------------------------------------------------------------------- what is said
def test_where_the_first_nan_was_made_is_said() -> None:
    def end(wrong: Callable[[Any], Any], *at: float) -> str:
        with np.errstate(all="ignore"), lab.detect_anomaly(), pytest.raises(RuntimeError) as caught:
            (2 * wrong(Variable([*at]))).sum().backward()
        return str(caught.value)

    here = rf"\({Path(__file__).name}, line \d+"
    assert re.fullmatch(rf"sqrt: produced NaN from -1 {here}: np.sqrt\(x\)\)", end(lambda x: np.sqrt(x), 4.0, -1.0))
    twice = end(lambda x: np.exp(np.log(x) * x), -0.25)
    assert re.fullmatch(rf"log: produced NaN from -0.25 {here}: np.log\(x\)\)", twice)
    assert end(np.log, 2.0, -1.0).startswith("log: produced NaN from -1 (")  # whose gradient is none
    assert "sub: produced NaN from inf and inf (" in end(lambda x: (1 / x - 1 / x) ** 2, 0.0)
    assert re.match("prod: produced NaN " + here, end(lambda x: np.prod(1 / x) * x, 0.0, np.inf)) is not None
    with np.errstate(all="ignore"), lab.detect_anomaly():
        F.where(np.array([True, False]), F.log(x := Variable([2.0, -1.0])), 0.0).sum().backward()
    assert x.grad.data.tolist() == [0.5, 0.0]  # what is left out does no harm
    back = end(lambda x: 0 * np.sqrt(x), 0.0)
    assert re.fullmatch(
        rf"sqrt: its backward produced NaN {here}: np.sqrt\(x\)\); autolab.find_nonfinite\(f, x\) finds the cause", back
    )


def test_a_method_is_called_by_the_class_that_the_user_has(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"^LineChart.save: got a keyword 'color'; expected path, look$"):
        autolab.plots.line_chart([1.0, 2.0]).save(tmp_path / "a.svg", color="red")
    with pytest.raises(TypeError, match=r"a keyword 'scale'; .*; instead: of a picture: one that ends in .svg or .pdf"):
        autolab.plots.line_chart([1.0, 2.0]).save(tmp_path / "a.png", scale=2)


def test_ranges_in_the_place_of_directions_are_answered() -> None:
    with pytest.raises(TypeError, match=r"surface: directions is \(-2, 2\); .*surface\(f, \(0.0, 0.0\), span=2\)$"):
        autolab.plots.surface(lambda x, y: x * y, (-2, 2), (-2, 2))


def test_what_an_export_takes_the_place_of_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    view = autolab.explore(np.tanh, 1.0)
    capsys.readouterr()
    autolab.export_html(view, "tanh.html")
    assert re.fullmatch(r"explore_\w+.html is now tanh.html\n", capsys.readouterr().out)
    view.close()
