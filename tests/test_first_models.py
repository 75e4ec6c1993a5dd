"""What users of other libraries type first works: models, optimizers and their names."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, nn, optimizers
from autolab import functions as F
from autolab import links as L
from autolab.training.monitor import Monitor


# ---------------------------------------------------------------------- models and optimizers
def test_a_training_loop_as_in_pytorch() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 4)).astype(np.float32)
    t = (x[:, 0] > 0).astype(int)
    model = L.Sequential(L.Linear(4, 16), L.ReLU(), L.Flatten(), L.Linear(16, 2))
    optimizer = optimizers.Adam(model.parameters(), lr=1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
    assert float(loss.data) < 0.1 and optimizer.t == 60
    twin = L.Sequential(L.Linear(4, 16), L.ReLU(), L.Flatten(), L.Linear(16, 2))
    twin.load_state_dict(model.state_dict())
    np.testing.assert_array_equal(twin(x).data, model(x).data)


@pytest.mark.parametrize("give", [lambda m: m, lambda m: m.parameters(), lambda m: list(m.named_parameters())])
def test_an_optimizer_takes_what_it_works_on(give: Any) -> None:
    one, two = L.Linear(3, 2), L.Linear(3, 2)
    two.copyparams(one)
    made, usual = optimizers.MomentumSGD(give(one), lr=0.1), optimizers.MomentumSGD(lr=0.1).setup(two)
    x = np.ones((4, 3), np.float32)
    for _ in range(3):
        for model, optimizer in ((one, made), (two, usual)):
            model.zero_grad()
            F.sum(model(x) ** 2).backward()
            optimizer.update()
    np.testing.assert_array_equal(one.W.data, two.W.data)


def test_groups_have_settings_of_their_own() -> None:
    body, head = L.Linear(3, 4), L.Linear(4, 2)

    def made() -> Any:
        groups = [{"params": body.parameters(), "lr": 0.0}, {"params": head.named_parameters()}]
        return optimizers.Adam(groups, lr=0.1)

    optimizer = made()
    before = body.W.data.copy(), head.W.data.copy()
    F.sum(head(body(np.ones((2, 3), np.float32)))).backward()
    optimizer.step()
    assert np.array_equal(before[0], body.W.data) and not np.array_equal(before[1], head.W.data)
    state = optimizer.state()
    assert (state["hyperparameters/lr"], state["hyperparameters/1/lr"]) == (0.0, 0.1)  # in the order given
    other = made()
    other.load_state_dict(state)
    assert other.t == 1 and {k: str(v) for k, v in other.state().items()} == {k: str(v) for k, v in state.items()}
    for twin in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert twin.state().keys() == state.keys()


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ([], ValueError, "Adam: params: got no parameters; expected at least one"),
        ([1.0], TypeError, "Adam: params: got a float among the parameters"),
        ([Parameter(1.0)] * 2, ValueError, "Adam: params: a parameter was given twice"),
        ([{"params": [Parameter(1.0)], "rate": 1}], TypeError, "Adam: got a keyword 'rate'; expected lr"),
    ],
)
def test_wrong_parameters_are_refused(given: Any, kind: type, message: str) -> None:
    with pytest.raises(kind, match=message):
        optimizers.Adam(given, lr=0.1)


def test_eval_and_train() -> None:
    model = L.Sequential(L.Dropout(0.5), L.BatchNorm2d(3))
    x = np.random.default_rng(0).normal(size=(4, 3, 2, 2))
    model(x)
    still = [model.eval()(x).data for _ in range(2)]
    np.testing.assert_array_equal(*still)
    with autolab.test_mode():
        np.testing.assert_array_equal(model(x).data, still[0])
    assert not np.array_equal(model.train()(x).data, still[0]) and autolab.config.train
    assert not np.array_equal(model.train(False).train()(x).data, still[0])
    np.testing.assert_array_equal(copy.deepcopy(model.eval())(x).data, model(x).data)


# ---------------------------------------------------------------------- names
def test_function_layers() -> None:
    x = Variable(np.arange(-8.0, 8.0).reshape(1, 1, 4, 4))
    for made, expected in (
        (L.MaxPool2d(2), F.max_pool2d(x, 2)),
        (L.AvgPool2d(kernel=2), F.avg_pool2d(x, 2)),
        (L.Softmax(1), F.softmax(x, 1)),
        (L.LeakyReLU(), F.leaky_relu(x, 0.01)),
        (L.LeakyReLU(negative_slope=0.5), F.leaky_relu(x, 0.5)),
        (L.GELU("tanh"), nn.functional.gelu(x, "tanh")),
        (L.Flatten(), x.reshape(1, 16)),
        (L.GELU(), F.gelu(x)),
    ):
        np.testing.assert_array_equal(made(x).data, expected.data)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(x).data, expected.data)
    assert repr(L.Sequential(L.ReLU(), L.MaxPool2d(2))) == "Sequential(\n  (0): ReLU()\n  (1): MaxPool2d(2)\n)"


def test_cross_entropy_has_the_classes_along_axis_1() -> None:
    x = Variable(np.random.default_rng(0).normal(size=(2, 3, 3)))
    t = np.array([[0, 1, 2], [2, -100, 0]])
    expected = F.softmax_cross_entropy(x, t, axis=1, ignore_label=-100)
    assert F.cross_entropy(x, t).data == expected.data
    assert F.cross_entropy(x[0, 0], np.array(1)).data == F.softmax_cross_entropy(x[0, 0], np.array(1), axis=0).data


def test_smoothed_labels() -> None:
    x, t = Variable([[2.0, 0.0], [0.0, 0.0]]), np.array([0, 1])
    np.testing.assert_allclose(
        F.cross_entropy(x, t, label_smoothing=0.2).item(), F.cross_entropy(x, t).item() * 0.8 + 0.2 * 0.910037595801459
    )
    assert F.cross_entropy(x[:0], t[:0], label_smoothing=0.2).item() == 0
    for settings, said in (
        ({"label_smoothing": 2.0}, "label_smoothing is 2.0; expected a number of at least 0 and at most 1"),
        ({"label_smoothing": 0.1, "reduction": "avg"}, "reduction is 'avg'; expected 'mean', 'sum' or 'none'"),
    ):
        with pytest.raises(ValueError, match=f"^cross_entropy: {said}"):
            F.cross_entropy(x, t, **settings)


def test_nn_functional_has_pytorchs_defaults_and_order() -> None:
    x, t = Variable(np.random.default_rng(0).normal(size=(2, 3, 3))), np.array([[0, 1, 2], [2, -100, 0]])
    here, w = nn.functional, np.ones((3, 1, 2))
    for made, expected in (
        (here.leaky_relu(x), F.leaky_relu(x, 0.01)),
        (here.normalize(x), F.normalize(x, axis=1)),
        (here.normalize(x, p=1, dim=2), F.normalize(x, 1, 2)),
        (here.cosine_similarity(x, x + 1), F.cosine_similarity(x, x + 1, axis=1)),
        (here.nll_loss(x, t), F.nll_loss(x, t, axis=1, ignore_label=-100)),
        (L.NLLLoss(weight=[1.0, 2.0, 3.0])(x, t), F.nll_loss(x, t, axis=1, ignore_label=-100, class_weight=[1, 2, 3])),
        (here.nll_loss(x[0, 0], np.array(1)), -x[0, 0, 1]),
        (here.rms_norm(x, (3, 3), eps=1e-5), F.rms_norm(x, axis=(1, 2))),
        (here.rms_norm(x, (3,)), F.rms_norm(x, eps=2.0**-52)),
        (here.conv_transpose1d(x, w, None, 2, 1), F.conv_transpose1d(x, w, stride=2, padding=1)),
    ):
        np.testing.assert_array_equal(made.data, expected.data)
    with pytest.raises(ValueError, match=r"^pad: got \(1,\) for 3 axes; expected two numbers for each"):
        here.pad(x, (1,))
    for norm in (here.layer_norm, here.rms_norm):
        with pytest.raises(ValueError, match=r"_norm: x has shape \(2, 3, 3\); expected \(2, 3\) as its last axes"):
            norm(x, (2, 3))
    with pytest.raises(ValueError, match=r"^batch_norm: x has shape \(0,\)"):
        here.batch_norm(np.ones(0), np.ones(0), np.ones(0))
    with pytest.raises(ValueError, match=r"^topk: k is 4; expected 0 to 3, the length of axis -1"):
        F.topk(x, 4)
    with pytest.raises(ValueError, match=r"^one_hot: .*t goes from -1 to -1; expected numbers of at least 0"):
        F.one_hot([-1])
    with pytest.raises(TypeError, match="conv_transpose2d: got 6 arguments by position; expected at most 5: padding"):
        here.conv_transpose2d(x, w, None, 2, 1, 1)


def test_kl_div_takes_logarithms() -> None:
    p, q = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.9, 0.1]])
    terms = F.kl_div(np.log(q), p, reduction="none")
    assert F.kl_div(np.log(q), p) == pytest.approx(terms.mean())
    assert F.kl_div(np.log(q), p, reduction="batchmean") == pytest.approx(float(F.kl_divergence(p, q)))
    assert F.kl_div(q[:0], p[:0]).item() == F.kl_div(Variable(q[:0]), p[:0], reduction="batchmean").item() == 0
    with pytest.raises(ValueError, match="kl_div: reduction is 'avg'"):
        F.kl_div(np.log(q), p, reduction="avg")


def test_options_stand_among_the_inputs() -> None:
    assert len(autolab.record(lambda x: x**3, x=2.0, order=2).higher) == 2
    taken = autolab.record(lambda order: order * 2.0, order=3.0)
    assert taken["order"].grad.values == 2 and not taken.higher
    with pytest.raises(TypeError, match="unexpected keyword argument 'ordre'"):
        autolab.record(lambda x: x, x=1.0, ordre=2)


def test_a_loss_goes_to_a_monitor_by_position() -> None:
    monitor = Monitor()
    monitor.update(Variable(2.0))
    assert monitor.curves["loss"].last == 2.0
    with pytest.raises(TypeError, match="given twice"):
        monitor.update(1.0, loss=2.0)


def test_ufuncs_of_scipy_are_found_by_name() -> None:
    special = pytest.importorskip("scipy.special")
    x = Variable([0.5, 2.0])
    for name in ("erf", "erfc", "expit", "log_expit", "cbrt", "expm1", "log1p", "exp2", "exp10"):
        ufunc = getattr(special, name)
        y = ufunc(x)
        np.testing.assert_allclose(y.data, ufunc(x.data), rtol=1e-14)
        assert autolab.check_gradients(ufunc, x).passed
    with pytest.raises(autolab.NoGradientError, match="gamma"):
        special.gamma(x)


def test_a_ufunc_of_another_library_is_found_by_its_name() -> None:
    """Without SciPy: a ufunc that has the name."""
    from autolab.engine.numpy_functions import array_ufunc

    class Erf:
        __name__ = "erf"

    assert array_ufunc(Erf(), "__call__", (Variable(0.5),), {}).data == F.erf(Variable(0.5)).data


def test_an_assigned_element_has_its_gradient() -> None:
    x, v = Variable([1.0, 2.0, 3.0]), Variable(5.0)
    y = x * 1.0
    y[1] = v
    F.sum(y * y).backward()
    np.testing.assert_array_equal(x.grad.data, [2, 0, 6])
    assert v.grad.data == 10
    with pytest.raises(autolab.DetachError, match=r"x.data\[...\] = numbers changes it"):
        x[0] = 1.0


def test_a_transformer_block_normalizes_before_or_after() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 8)).astype(np.float32)
    block = L.TransformerEncoderLayer(8, heads=2, dropout=0.5)
    y = block.eval()(x)
    h = block.norm1(x + block.attention(x))
    np.testing.assert_array_equal(y.data, block.norm2(h + block.narrow(F.relu(block.wide(h)))).data)
    block = L.TransformerEncoderLayer(8, 2, 5, activation=F.gelu, norm_first=True, causal=True)
    y = block(x)
    assert block.wide.W.shape == (5, 8) and y.shape == x.shape
    np.testing.assert_allclose(block(x[:, :1]).data, y.data[:, :1], rtol=1e-5)
    assert autolab.check_gradients(lambda x: block(x), x.astype(np.float64)).passed
