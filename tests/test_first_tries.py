"""What people who know PyTorch, NumPy, JAX or Chainer type first: it works as they mean it."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, debug, grad, no_grad, optimizers
from autolab import functions as F
from autolab import links as L
from autolab.authoring import ContextFunction
from autolab.engine.backward import retained
from autolab.training.monitor import Monitor


# ---------------------------------------------------------------------- an upstream gradient
@pytest.mark.parametrize("upstream", [np.array([1.0, 10.0]), [1.0, 10.0], Variable([1.0, 10.0]), np.float32([1, 10])])
@pytest.mark.parametrize("as_keyword", [False, True])
def test_backward_takes_an_upstream_gradient(upstream: Any, as_keyword: bool) -> None:
    x = Variable([1.0, 2.0])
    y = x * x
    y.backward(gradient=upstream) if as_keyword else y.backward(upstream)
    np.testing.assert_array_equal(x.grad.data, [2, 40])
    assert y.grad is None and x.grad.dtype == x.dtype


def test_a_bool_in_first_place_still_means_retain_grad() -> None:
    x = Variable(3.0)
    h = x * x
    y = h * 2.0
    y.backward(True)
    assert h.grad.data == 2
    y.backward(2.0)
    assert x.grad.data == 12 + 24


def test_the_array_that_was_given_is_nobody_elses() -> None:
    g = np.array([1.0, 1.0])
    x = Variable([1.0, 2.0])
    (x + 0.0).backward(g)
    g[:] = 7
    np.testing.assert_array_equal(x.grad.data, [1, 1])


def test_an_upstream_gradient_can_be_differentiated() -> None:
    x, g = Variable(2.0), Variable(3.0)
    (x * x).backward(gradient=g, create_graph=True)
    assert grad(x.grad, g).data == 4


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda y: y.backward([1.0, 2.0, 3.0]), ValueError, r"backward: gradient: got shape \(3,\); expected \(2,\)"),
        (lambda y: y.backward("ones"), TypeError, r"backward: gradient: got str 'ones'; expected real numbers"),
        (lambda y: y.backward([1.0, 1.0], gradient=[1.0, 1.0]), TypeError, "given twice"),
        (lambda y: y.backward(), RuntimeError, r"2 elements and no upstream gradient; .* y.backward\(g\)"),
        (lambda y: y.backward(True, 1), TypeError, "create_graph is an int; expected True or False"),
    ],
)
def test_a_wrong_upstream_gradient_changes_nothing(call: Any, kind: type, message: str) -> None:
    x = Variable([1.0, 2.0])
    with pytest.raises(kind, match=message):
        call(x * x)
    assert x.grad is None


def test_an_upstream_gradient_that_was_set_as_well_is_refused() -> None:
    y = Variable([1.0, 2.0]) * 2.0
    y.grad = [1.0, 1.0]
    with pytest.raises(ValueError, match=r"got an upstream gradient, and y.grad is set"):
        y.backward([1.0, 1.0])


# ---------------------------------------------------------------------- updates by hand
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("make", [Variable, Parameter])
def test_an_update_inside_no_grad_changes_the_leaf(make: Any, dtype: str) -> None:
    array = np.array([1.0, -2.0], dtype)
    w = same = make(array)
    for _ in range(3):
        w.cleargrad()
        F.sum(w * w).backward()
        with no_grad():
            w -= 0.25 * w.grad
    assert w is same and w.requires_grad and w.dtype == dtype
    np.testing.assert_array_equal(w.data, [0.125, -0.25])
    np.testing.assert_array_equal(array, [1, -2])


def test_all_four_operators_change_it() -> None:
    w = Variable([1.0, 2.0])
    with no_grad():
        w += 1.0
        w *= np.array([2.0, 3.0])
        w /= 2.0
        w -= Variable([1.0, 0.5])
    np.testing.assert_array_equal(w.data, [1.0, 4.0])
    assert w.requires_grad


def test_outside_no_grad_and_for_computed_values_a_name_gets_a_new_value() -> None:
    w = before = Variable([1.0, 2.0])
    w += 1.0
    assert w is not before and w.creator is not None
    with no_grad():
        y = computed = before * 2.0
        y += 1.0
    assert y is not computed
    np.testing.assert_array_equal(before.data, [1, 2])


def test_a_graph_from_before_the_update_stays_right_and_the_gradient_is_said_to_be_stale() -> None:
    w, v = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    with debug.check_inplace():
        y = F.sum(w * v)
        with no_grad():
            w -= 1.0
        y.backward()
    np.testing.assert_array_equal(v.grad.data, [1, 2])
    w = Variable(2.0)
    (w * w).backward()
    with no_grad():
        w -= 1.0
    assert "stale" in w.grad_status


def test_an_update_outside_no_grad_would_change_nothing_and_is_refused() -> None:
    w, lr = Variable([1.0, 2.0]), 0.5
    F.sum(w * w).backward()
    for p in [w]:
        with pytest.raises(
            TypeError, match=r"p -= ... only gives the name p .* with autolab.no_grad\(\): p -= lr \* p.grad"
        ):
            p -= lr * p.grad
    g = grad(F.sum(w * w), w, create_graph=True)
    before = w
    w -= lr * g  # a step of the graph, to be differentiated
    assert w is not before and w.creator is not None


def test_an_update_that_does_not_fit_changes_nothing() -> None:
    w = Variable([1.0, 2.0], name="w")
    with (
        no_grad(),
        pytest.raises(ValueError, match=r"Variable: w -= \.\.\. inside no_grad changes its array: non-broad"),
    ):
        w -= np.ones((3, 2))
    np.testing.assert_array_equal(w.data, [1, 2])


# ---------------------------------------------------------------------- what requires a gradient
def test_requires_grad_can_be_set_on_leaves() -> None:
    x = Variable([1.0, 2.0])
    F.sum(x).backward()
    x.requires_grad = False
    assert not x.requires_grad and x.grad is None and not (x * 2.0).requires_grad
    assert x.requires_grad_().requires_grad
    F.sum(x * 3.0).backward()
    np.testing.assert_array_equal(x.grad.data, [3, 3])
    for value, kind in ((1, TypeError), (None, TypeError)):
        with pytest.raises(kind, match=r"Variable.requires_grad: got .*; expected True or False"):
            x.requires_grad = value
    with pytest.raises(ValueError, match=r"only a leaf has this setting; x.detach\(\)"):
        (x * 2.0).requires_grad = False
    with pytest.raises(TypeError, match="the data is int64; only floating-point data has gradients"):
        Variable(np.array([1, 2])).requires_grad = True


def test_frozen_parameters_stay_as_they_are() -> None:
    model = L.Sequential(L.Linear(None, 3), F.tanh, L.Linear(3, 2))
    model[0].freeze()  # also before its parameters have a size
    optimizer = optimizers.SGD(lr=0.5).setup(model)
    x, t = np.ones((4, 5), np.float32), np.zeros(4, int)
    model(x)
    before = [p.data.copy() for p in model.params()]
    optimizer.update(lambda: F.softmax_cross_entropy(model(x), t))
    moved = [not np.array_equal(p.data, was) for p, was in zip(model.params(), before, strict=True)]
    assert moved == [False, False, True, True]
    model.requires_grad_(False).unfreeze()
    assert all([p.requires_grad for p in model.params()])


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
    assert (state["hyperparameters/lr"], state["hyperparameters/1/lr"]) == (0.1, 0.0)
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


def test_kl_div_takes_logarithms() -> None:
    p, q = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.9, 0.1]])
    terms = F.kl_div(np.log(q), p, reduction="none")
    assert F.kl_div(np.log(q), p) == pytest.approx(terms.mean())
    assert F.kl_div(np.log(q), p, reduction="batchmean") == pytest.approx(float(F.kl_divergence(p, q)))
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
    from autolab.engine.numpy_ufuncs import array_ufunc

    class Erf:
        __name__ = "erf"

    assert array_ufunc(Erf(), "__call__", (Variable(0.5),), {}).data == F.erf(Variable(0.5)).data


def test_an_assigned_element_is_answered_with_the_line_to_write() -> None:
    x, v = Variable([1.0, 2.0, 3.0]), Variable(5.0)
    y = x * 1.0
    with pytest.raises(autolab.DetachError) as caught:
        y[1] = v
    told = str(caught.value)
    assert "Write mask = np.zeros(y.shape, bool); mask[1] = True; y = np.where(mask, v, y)" in told and len(told) <= 300
    mask = np.zeros(y.shape, bool)
    mask[1] = True
    y = np.where(mask, v, y)
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


# ---------------------------------------------------------------------- keywords of other libraries
X, IMAGES = np.arange(6.0).reshape(2, 3), np.random.default_rng(0).normal(size=(2, 1, 6, 6))
KERNEL = np.ones((1, 1, 3, 3))
SAME_CALLS = {
    "dim": (lambda v: F.softmax(v, dim=0), lambda v: F.softmax(v, axis=0)),
    "keepdim": (lambda v: v.sum(dim=1, keepdim=True), lambda v: v.sum(axis=1, keepdims=True)),
    "stack": (lambda v: F.stack([v, v], dim=1), lambda v: F.stack([v, v], axis=1)),
    "slope": (lambda v: F.leaky_relu(v - 2, negative_slope=0.5), lambda v: F.leaky_relu(v - 2, slope=0.5)),
    "input": (lambda v: F.log_softmax(input=v, dim=1), lambda v: F.log_softmax(v, axis=1)),
    "correction": (lambda v: v.var(axis=0, correction=1), lambda v: v.var(axis=0, ddof=1)),
    "dims": (lambda v: F.flip(v, dims=(0, 1)), lambda v: F.flip(v, axis=(0, 1))),
    "shifts": (lambda v: F.roll(v, shifts=1, dims=0), lambda v: F.roll(v, 1, axis=0)),
    "target": (
        lambda v: F.cross_entropy(v, target=np.array([0, 1]), ignore_index=1, weight=np.array([1.0, 2.0, 3.0])),
        lambda v: F.cross_entropy(v, np.array([0, 1]), np.array([1.0, 2.0, 3.0]), ignore_label=1),
    ),
    "kernel_size": (lambda v: F.max_pool2d(IMAGES, kernel_size=2), lambda v: F.max_pool2d(IMAGES, 2)),
    "bias": (
        lambda v: F.conv2d(IMAGES, weight=KERNEL, bias=np.ones(1), padding=1),
        lambda v: F.conv2d(IMAGES, KERNEL, np.ones(1), padding=1),
    ),
    "is_causal": (
        lambda v: F.scaled_dot_product_attention(v, v, v, is_causal=True),
        lambda v: F.attention(v, v, v, causal=True),
    ),
    "attn_mask": (
        lambda v: F.scaled_dot_product_attention(v, v, v, attn_mask=np.tri(2, dtype=bool)),
        lambda v: F.attention(v, v, v, causal=True),
    ),
    "p": (
        lambda v: F.dropout(v, p=0.25, rng=np.random.default_rng(0)),
        lambda v: F.dropout(v, 0.25, rng=np.random.default_rng(0)),
    ),
}


@pytest.mark.parametrize("name", SAME_CALLS)
def test_keywords_of_functions(name: str) -> None:
    theirs, ours = [call(Variable(X)) for call in SAME_CALLS[name]]
    np.testing.assert_array_equal(getattr(theirs, "data", theirs), getattr(ours, "data", ours))


def test_keywords_of_links_and_optimizers() -> None:
    conv = L.Conv2d(1, 4, kernel_size=3, padding=1, dilation=2, bias=False)
    assert (conv.ksize, conv.pad, conv.dilate, conv.b) == ((3, 3), 1, 2, None)
    assert L.Linear(in_features=2, out_features=3, bias=True).b is not None
    assert L.MultiheadAttention(embed_dim=8, num_heads=2, bias=False).query.b is None
    assert L.Embedding(num_embeddings=5, embedding_dim=2).W.shape == (5, 2)
    assert (L.Dropout(p=0.1).ratio, L.LSTM(input_size=2, hidden_size=3).cell.out_size) == (0.1, 3)
    assert L.BatchNorm2d(num_features=3).eps == 1e-5 and L.MaxPool2d(kernel_size=2)(IMAGES).shape == (2, 1, 3, 3)

    class Wide(L.Linear):
        def __init__(self) -> None:
            super().__init__(in_features=2, out_features=9)

    assert Wide().W.shape == (9, 2)
    adam = optimizers.Adam(learning_rate=0.5, betas=(0.5, 0.75))
    assert (adam.lr, adam.beta1, adam.beta2) == (0.5, 0.5, 0.75)


def test_sgd_with_momentum_and_weight_decay_as_in_pytorch() -> None:
    layer = L.Linear(2, 1, bias=False, initialW=1.0)
    optimizer = optimizers.SGD(layer.parameters(), lr=0.1, momentum=0.5, weight_decay=0.25)
    w, v = np.ones((1, 2)), 0.0
    for _ in range(3):
        layer.W.grad = np.full((1, 2), 2.0, np.float32)
        optimizer.step()
        v = 0.5 * v + (2.0 + 0.25 * w)
        w = w - 0.1 * v
    assert type(optimizer) is optimizers.MomentumSGD
    np.testing.assert_allclose(layer.W.data, w, rtol=1e-6)


def test_keywords_of_a_pass_that_say_what_happens_anyway() -> None:
    x, unused = Variable(2.0), Variable(1.0)
    y = x * x
    y.backward(retain_graph=True)
    y.backward(enable_double_backprop=True)
    assert x.grad.data == 8 and x.grad.requires_grad
    g, none = grad(y, (x, unused), enable_double_backprop=True, allow_unused=True)
    assert g.requires_grad and none is None


@pytest.mark.parametrize("give", [lambda w: w, lambda w: [w], lambda w: [{"params": [w]}]])
def test_an_optimizer_takes_leaves_that_are_no_parameters(give: Any) -> None:
    w = Variable([1.0, -2.0])
    optimizer = optimizers.MomentumSGD(give(w), lr=0.25)
    for _ in range(2):
        optimizer.zero_grad()
        F.sum(w * w).backward()
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
    np.testing.assert_allclose(w.data, [-0.2, 0.4])
    for wrong in (w * 2.0, Variable(1.0, requires_grad=False)):
        with pytest.raises(ValueError, match=r"SGD: params: .*expected leaves that require one"):
            optimizers.SGD([wrong])


# ---------------------------------------------------------------------- names and modules of other libraries
def test_transforms_are_found_in_autolab_itself() -> None:
    def f(x: Any) -> Any:
        return F.sum(x**3)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(autolab.grad(f)(x).data, [3, 12])
    np.testing.assert_array_equal(autolab.grad(lambda a, b: f(b) * a, argnums=1)(2.0, x).data, [6, 24])
    assert autolab.grad(autolab.grad(lambda x: x**3))(2.0).data == 12
    np.testing.assert_array_equal(autolab.hessian(f)(x).data, np.diag([6.0, 12.0]))
    assert autolab.hvp is autolab.transforms.hvp and autolab.vmap is autolab.transforms.vmap


def test_modules_of_pytorch_and_chainer_can_be_imported() -> None:
    program = (
        "import sys, autolab.nn as nn, autolab.nn.functional as F, autolab.optim as optim, autolab.nn.linear\n"
        "from autolab import datasets, gradient_check, iterators, nn as same\n"
        "import autolab\n"
        "assert nn is same is autolab.links and nn.__spec__.name == 'autolab.links'\n"
        "assert sys.modules['autolab.nn.linear'] is autolab.links.linear\n"
        "assert F.relu is autolab.functions.relu is nn.functional.relu and optim is autolab.optimizers\n"
        "assert iterators is datasets is autolab.data and gradient_check is autolab.gradcheck"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("import autolab.backends", "instead: autolab.to_gpu"),
        ("from autolab import onnx", "instead: autolab.export_html"),
        ("from autolab.functions import Linear", r"instead: layers are links"),
        ("from autolab.functions import max_pooling_1d", r"instead: F.max_pool1d\(x, kernel\)"),
        ("from autolab import zzz", "cannot import name 'zzz'"),
        ("import autolab.nn.zzz", "No module named 'autolab.links.zzz'"),
    ],
)
def test_an_import_of_what_is_not_there_is_answered(line: str, told: str) -> None:
    with pytest.raises(ImportError, match=told):
        exec(line, {})


def test_a_module_in_pytorchs_words() -> None:
    from autolab import nn, optim

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.ModuleList([nn.Linear(2, 8), nn.Linear(8, 8)])
            self.head = nn.Linear(8, 2)
            self.scale = nn.Parameter(autolab.ones(1))

        def forward(self, x: Any) -> Any:
            for layer in self.body:
                x = nn.functional.relu(layer(x))
            return self.head(x) * self.scale

    autolab.manual_seed(0)
    x = autolab.randn(64, 2)
    t = (x.data[:, 0] > 0).astype(int)
    net, criterion = Net(), nn.CrossEntropyLoss()
    optimizer = optim.Adam(net.parameters(), lr=0.02)
    for _ in range(60):
        optimizer.zero_grad()
        loss = criterion(net(x), t)
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1 and len(list(net.parameters())) == 7
    assert nn.MSELoss(reduction="sum")(Variable([1.0, 2.0]), [0.0, 0.0]).data == 5


def test_methods_of_tensors() -> None:
    x = Variable(X)
    index = np.array([[0, 2], [1, 1]])
    for theirs, ours in (
        (x.gather(1, index), F.take_along_axis(x, index, axis=1)),
        (x.index_select(1, [2, 0]), x[:, [2, 0]]),
        (x.masked_fill(X > 2, -1.0), F.where(X > 2, -1.0, x)),
        (x.unsqueeze(1), x[:, None]),
        (x.clamp(min=1, max=3), F.clip(x, 1, 3)),
        (x.expand(4, -1, 3), F.broadcast_to(x, (4, 2, 3))),
        (x.t(), x.T),
        (x.float(), x.astype("float32")),
        (x.to("cpu").to("float16"), x.astype("float16")),
        (x.norm(), F.norm(x)),
    ):
        assert theirs.dtype == ours.dtype
        np.testing.assert_array_equal(theirs.data, ours.data)
    assert (x.numel(), x.dim(), x.contiguous() is x, x.is_leaf, x.t().is_leaf) == (6, 2, True, True, False)
    F.sum(x * x).backward()
    before = x.grad.data
    x.grad.zero_()
    assert not x.grad.data.any() and before.any()
    with pytest.raises(TypeError, match="zero_: the value is computed"):
        (x * 2.0).zero_()


def test_variables_are_made_as_arrays_are() -> None:
    for made, expected in (
        (autolab.zeros(2, 3), np.zeros((2, 3))),
        (autolab.ones((2,)), np.ones(2)),
        (autolab.arange(3), np.arange(3)),
        (autolab.eye(2, requires_grad=False), np.eye(2)),
        (autolab.linspace(0, 1, 3), np.linspace(0, 1, 3)),
        (autolab.full((2,), 7.0), np.full(2, 7.0)),
        (autolab.zeros_like(Variable(X)), np.zeros_like(X)),
        (autolab.tril(autolab.ones(3, 3)), np.tri(3)),
    ):
        np.testing.assert_array_equal(made.data, expected)
        assert made.dtype == expected.dtype
    assert autolab.rand(2, 3).shape == (2, 3) and autolab.randn(4, requires_grad=True).requires_grad
    assert not autolab.eye(2, requires_grad=False).requires_grad and autolab.randint(0, 3, (64,)).dtype.kind == "i"


def test_size_is_a_number_and_is_called_as_in_pytorch() -> None:
    x = Variable(X)
    assert (x.size, x.size(0), x.size(-1), x.size()) == (6, 2, 3, (2, 3)) and json.dumps(x.size) == "6"
    assert x.view(x.size(0), -1).shape == (2, 3) and np.zeros(x.size).shape == (6,)


def test_flatten_and_transpose_as_in_pytorch() -> None:
    x = Variable(np.arange(24.0).reshape(2, 3, 4))
    for theirs, ours in (
        (x.flatten(), x.data.ravel()),
        (x.flatten(1), x.data.reshape(2, 12)),
        (x.transpose(-2, -1), np.swapaxes(x.data, -2, -1)),
        (x[0].transpose(1, 0), x.data[0].T),
    ):
        np.testing.assert_array_equal(theirs.data, ours)
    np.testing.assert_array_equal(x.argmax(dim=1), x.data.argmax(axis=1))


@pytest.mark.parametrize("name", ["ravel", "reshape", "transpose", "clip"])
def test_messages_name_methods_as_they_are_typed(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^Variable\.{name}\(\) "):
        getattr(Variable(X), name)(nothing=1)


# ---------------------------------------------------------------------- training, seeds, pages
class _Listed(autolab.Link):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.layers = kind(L.Linear(2, 4), L.Linear(4, 2))
        self.out = L.Linear(2, 2)
        self.hidden = [L.Linear(2, 2)]  # on purpose: it takes no part

    def forward(self, x: Any) -> Any:
        for layer in self.layers.values() if isinstance(self.layers, dict) else self.layers:
            x = F.tanh(layer(x))
        return self.out(x)


def _train(kind: Any, give: Any) -> None:
    model = _Listed(kind)
    optimizer = give(model)
    for _ in range(2):
        optimizer.zero_grad()
        F.cross_entropy(model(np.ones((3, 2), np.float32)), np.zeros(3, int)).backward()
        optimizer.step()


GIVEN = [
    lambda model: optimizers.Adam().setup(model),
    lambda model: optimizers.Adam(model.parameters()),
    lambda model: optimizers.Adam([{"params": model.parameters(), "lr": 0.1}]),
]


@pytest.mark.parametrize("give", GIVEN)
@pytest.mark.parametrize("kind", [lambda *links: list(links), lambda *links: dict(enumerate(links))])
def test_links_in_a_plain_list_are_noticed_at_the_first_update(kind: Any, give: Any) -> None:
    with pytest.warns(
        RuntimeWarning, match=r"Adam.update: the \w+ _Listed.layers .*; write self.layers = ChainL"
    ) as seen:
        _train(kind, give)
    assert len(seen) == 1 and len(str(seen[0].message)) <= 300


@pytest.mark.parametrize("give", GIVEN)
@pytest.mark.parametrize("kind", [L.ChainList, L.Sequential])
def test_registered_links_and_those_without_a_gradient_are_no_reason_to_warn(kind: Any, give: Any) -> None:
    _train(kind, give)  # a warning is an error here


def test_a_model_whose_layers_are_all_in_a_list_has_no_parameters_and_hears_why() -> None:
    model = autolab.Link()
    model.layers = [L.Linear(2, 2)]
    with pytest.raises(ValueError, match=r"got no parameters; .*self.layers = ChainList\(\*layers\)"):
        optimizers.Adam(model.parameters())


def test_the_seed_of_numpy_seeds_everything() -> None:
    def drawn() -> list[Any]:
        np.random.seed(7)
        return [L.Linear(3, 2).W.data, F.dropout(X), np.random.rand(2), autolab.randn(2).data]

    first, _, second = drawn(), autolab.rand(5), drawn()
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_computed_variable_is_exported_with_its_graph(tmp_path: Path) -> None:
    x = Variable(X)
    y = np.tanh(x + 2.5).sum()
    autolab.export_html(y, tmp_path / "y")
    autolab.graph(y).save(tmp_path / "graph.html")
    for name in ("y.html", "graph.html"):
        page = (tmp_path / name).read_text("utf-8")
        assert "tanh" in page and "x + 2.5" in page
    autolab.export_html(x, tmp_path / "x.html")
    assert "tanh" not in (tmp_path / "x.html").read_text("utf-8")


def test_a_gradient_in_between_is_kept_by_name() -> None:
    x = Variable([1.0, 2.0])
    y, other = x * 2.0, x * 3.0
    y.retain_grad()
    F.sum(y * y + other).backward()
    np.testing.assert_array_equal(y.grad.data, [4, 8])
    F.sum(y).backward()
    np.testing.assert_array_equal(y.grad.data, [1, 1])
    assert getattr(other.node, "grad", None) is None
    del y
    assert not retained


def test_states_are_saved_and_loaded_as_in_pytorch(tmp_path: Path) -> None:
    model, twin = L.Linear(3, 2), L.Linear(3, 2)
    optimizer = optimizers.Adam(model.parameters())
    model.W.grad = np.ones((2, 3), np.float32)
    optimizer.step()
    autolab.save(model.state_dict(), tmp_path / "model.pt")
    autolab.save(optimizer, tmp_path / "adam.pt")
    twin.load_state_dict(autolab.load(tmp_path / "model.pt"))
    np.testing.assert_array_equal(twin.W.data, model.W.data)
    other = optimizers.Adam(twin.parameters())
    other.load_state_dict(autolab.load(tmp_path / "adam.pt"))
    assert other.t == 1
    with pytest.raises(TypeError, match="save_npz: got a list"):
        autolab.save([1, 2], tmp_path / "list.pt")


def test_the_state_of_a_pytorch_model_is_loaded_under_its_own_names() -> None:
    class Net(autolab.Link):
        def __init__(self) -> None:
            super().__init__()
            self.fc1, self.bn = L.Linear(2, 3), L.BatchNorm1d(3)
            self.rest = L.Sequential(L.Linear(3, 2))

    rng, net = np.random.default_rng(0), Net()
    sizes = {"fc1.weight": (3, 2), "fc1.bias": 3, "bn.weight": 3, "bn.bias": 3, "bn.running_mean": 3}
    theirs = {name: rng.normal(size=size) for name, size in (sizes | {"bn.running_var": 3}).items()}
    theirs |= {"rest.0.weight": np.ones((2, 3)), "rest.0.bias": np.ones(2), "bn.num_batches_tracked": np.array(3)}
    net.load_state_dict(theirs)
    for name, there in {"fc1.weight": net.fc1.W, "bn.weight": net.bn.gamma, "rest.0.bias": net.rest[0].b}.items():
        np.testing.assert_array_equal(there.data, theirs[name].astype(np.float32))
    np.testing.assert_array_equal(net.bn.avg_mean, theirs["bn.running_mean"].astype(net.bn.avg_mean.dtype))
    with pytest.raises(ValueError, match=r"it has no rest.1.weight; nothing was loaded"):
        net.load_state_dict(theirs | {"rest.1.weight": np.ones(2)})
    with pytest.raises(ValueError, match=r"fc1/W is missing; nothing was loaded"):
        net.load_state_dict({name: value for name, value in theirs.items() if name != "fc1.weight"})


def test_a_parameter_takes_the_numbers_of_any_variable() -> None:
    w = Parameter(autolab.randn(2, 3) * 0.1)
    assert w.is_leaf and w.requires_grad and w.shape == (2, 3)


def test_a_function_with_a_ctx() -> None:
    class Exp(autolab.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = np.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (y,) = ctx.saved_tensors
            return g * y

    x = Variable([0.0, 1.0])
    assert autolab.gradcheck(Exp.apply, x)  # the module is called as PyTorch's function
    with pytest.raises(autolab.DeclarationError, match="With self, it is a SimpleFunction"):

        class Square(ContextFunction):
            def forward(self, x: Any) -> Any:
                return x**2


def test_dropout_is_told_whether_it_trains() -> None:
    x = np.ones(100)
    with autolab.test_mode():
        assert F.dropout(x, p=0.5, training=True).min() == 0
    assert F.dropout(x, 0.5, training=False) is x


@pytest.mark.parametrize(
    "call",
    [
        lambda a, b: np.insert(a, 1, b, axis=1),
        lambda a, b: np.insert(a, [0, 2], [[1.0], [2.0]], axis=1),
        lambda a, b: np.insert(a, 2, 7.0),
        lambda a, b: np.delete(a, [0, 5]),
        lambda a, b: np.delete(a, slice(0, 2), axis=1),
    ],
)
def test_insert_and_delete_are_differentiable(call: Any) -> None:
    a, b = Variable(X), Variable([10.0, 20.0])
    np.testing.assert_array_equal(call(a, b).data, call(a.data, b.data))
    assert autolab.check_gradients(call, a, b).passed
    with pytest.raises(IndexError, match=r"numpy.delete: obj=7: axis=1: index 7 is out of bounds"):
        np.delete(a, 7, axis=1)


def test_functions_without_a_gradient_take_variables_that_require_none() -> None:
    x = Variable(X)
    assert np.linalg.matrix_rank(x.detach()) == 2
    with pytest.raises(autolab.NoGradientError, match=r"numpy.linalg.matrix_rank has no gradient"):
        np.linalg.matrix_rank(x)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: autolab.jacobian(np.tanh, 1.0), r"jacobian: wrt is 1.0; expected the position or the name"),
        (lambda: autolab.graph(np.tanh), r"a function is run by record\(f, x=...\)"),
    ],
)
def test_what_was_meant_is_named(call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call()
