"""What the chainer facade is as a whole: its names, its Variables, its functions beside NumPy, and the views on it."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from pathlib import Path

import numpy as np
import pytest
from helpers.each import each
from helpers.marks import marks

import autolab
import autolab.compat.chainer as chainer
import autolab.compat.chainer.functions as F
import autolab.compat.chainer.links as L
from autolab.compat.chainer.utils.type_check import InvalidType

f32 = np.float32


def modules() -> list[str]:
    found = pkgutil.walk_packages(chainer.__path__, f"{chainer.__name__}.")
    return [name for _, name, _ in found if not name.rpartition(".")[2].startswith("_")]


@each("name", [chainer.__name__, *modules()])
def test_every_module_has_what_it_lists_and_says_what_it_lacks(name):
    module = importlib.import_module(name)
    assert [n for n in module.__all__ if not hasattr(module, n)] == []
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    known = autolab.compat.original(name)
    with pytest.raises(AttributeError, match=f"^{known}.Nothing is not part of AutoLab's chainer facade$"):
        module.Nothing  # noqa: B018


def test_what_chainer_has_and_this_facade_has_not_is_named():
    said = "chainer.links.BinaryHierarchicalSoftmax is not part of AutoLab's chainer facade"
    with pytest.raises(AttributeError) as caught:
        L.BinaryHierarchicalSoftmax()
    assert str(caught.value) == said
    with pytest.raises(
        AttributeError, match=r"VGG16Layers is not part of .*; its weights are a file that AutoLab does not"
    ):
        L.VGG16Layers()
    for call, what in (
        (lambda: chainer.optimizers.Adam(adabound=True), "adabound"),
        (lambda: chainer.optimizers.SGD().loss_scaling(), "loss_scaling"),
        (lambda: F.max_pooling_2d(np.ones((1, 1, 4, 4)), 2, return_indices=True), "return_indices"),
        (lambda: chainer.testing.BackendConfig({"use_cuda": True}), "use_cuda"),
    ):
        with pytest.raises(NotImplementedError, match=what):
            call()


def test_every_statement_about_chainer_has_a_test_through_the_facade():
    files = Path(__file__).parent.glob("test_chainer_*.py")
    found = {mark for path in files for mark in marks(path.read_text("utf-8"), "source")}
    counts = {"CO": 30, "CN": 19, "CK": 8, "CI": 28}  # CK-09 and CK-10 are PyTorch's
    statements = {f"{group}-{i:02}" for group, count in counts.items() for i in range(1, count + 1)}
    there = {"CN-03"}  # that nothing else is there
    assert statements - there - found == set()


# ---------------------------------------------------------------------- Variables
def test_what_is_computed_from_a_variable_is_one():
    x = chainer.Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    made = [x + 1, 1 - x, x * x, 2 / x, x**2, 2**x, -x, abs(x), x @ x, np.ones((2, 2)) @ x, x // 2, x % 2, x[0], x.T]
    made += [x.sum(), x.reshape(4), x.transpose(), x.mean(axis=0), np.exp(x), np.sum(x), x.astype("f"), *x]
    assert {type(y) for y in made} == {chainer.Variable}
    assert type(autolab.Variable(1.0) * chainer.Variable(np.array(2.0))) is chainer.Variable
    assert isinstance(autolab.Variable(1.0), chainer.Variable) and not isinstance(autolab.Variable(1.0), L.Linear)
    assert isinstance(autolab.Parameter(0, 2), chainer.Parameter) and not isinstance(x, chainer.Parameter)


def test_variables_of_autolab_stay_what_they_are():
    x = autolab.Variable(np.ones((1, 2)), name="x")
    same = [chainer.as_variable(x), F.identity(x), F.reshape(x, (1, 2)), F.broadcast(x), F.copy(x, -1), F.add(x)]
    with chainer.using_config("train", False):
        same.append(F.dropout(x))
    assert type(x) is autolab.Variable and {type(y) for y in same} == {chainer.Variable}
    assert same[0].name == "x" and chainer.as_variable(same[0]) is same[0]
    F.sum(same[0] * 3).backward()
    np.testing.assert_array_equal(x.grad.data, same[1].grad)
    for function in (F.squeeze, F.relu, F.flatten, F.transpose, lambda v: F.cast(v, np.float64), lambda v: v[:]):
        function(x)
    assert type(x) is autolab.Variable


@pytest.mark.parametrize("data", [3.0, [1.0], None, "x", object()])
def test_a_variable_takes_arrays_alone(data):
    with pytest.raises(TypeError, match=r"Variable: data is .*; expected a numpy\.ndarray"):
        chainer.Variable(data)


@pytest.mark.source("X6", "X7", "X8")
def test_dtypes_and_integers():
    whole = chainer.Variable(np.array([1, 2]))
    assert not whole.requires_grad and (whole + 1).dtype.kind == "i"
    assert (chainer.Variable(np.ones(2, f32)) + chainer.Variable(np.ones(2))).dtype == np.float64
    half = chainer.Variable(np.ones(2, np.float16))
    assert (half * 2.0).dtype == np.float16 and chainer.Variable(np.ones(2, f32)).label == "(2,), float32"


def test_the_text_of_a_variable():
    x = chainer.Variable(np.array([[1, 2], [3, 4]], f32), name="x")
    assert repr(x) == "variable x([[1., 2.],\n            [3., 4.]])" and str(x) == repr(x).replace(",", "")
    assert repr(chainer.Variable(np.zeros((2, 0)))) == "variable([], shape=(2, 0))"
    assert repr(chainer.Variable(np.array(np.nan))) == "variable(nan)"


def test_variables_and_parameters_are_copied_and_pickled():
    x = chainer.Variable(np.ones(2, f32), name="x", requires_grad=False)
    for twin in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(twin) is chainer.Variable and twin.name == "x" and not twin.requires_grad
    model = chainer.Sequential(L.Linear(None, 2), F.relu, L.BatchNormalization(2))
    for pair in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert {type(p) for p in pair.params()} == {chainer.Parameter}
        assert pair(np.ones((3, 4), f32)).shape == (3, 2)
    assert chainer.Parameter(shape=(2,)).data.dtype == f32 and np.isnan(chainer.Parameter(shape=(2,)).data).all()


def test_the_links_of_a_sequential_are_numbered_without_its_functions(tmp_path):
    model = chainer.Sequential(F.tanh, L.Linear(2, 3), F.relu, L.Linear(3, 1))
    arrays = {
        f"{name}/{part}": p
        for name, link in enumerate((model[1], model[3]))
        for part, p in (("W", link.W.array), ("b", link.b.array))
    }
    np.savez(tmp_path / "as_chainer_writes.npz", **{name: array + 1 for name, array in arrays.items()})
    wanted = {name: array + 1 for name, array in arrays.items()}
    chainer.serializers.load_npz(tmp_path / "as_chainer_writes.npz", model)
    assert {path[1:]: p.array.tolist() for path, p in model.namedparams()} == {n: a.tolist() for n, a in wanted.items()}
    model.insert(1, L.Linear(2, 2))
    assert [path for path, _ in model.namedlinks(skipself=True)] == ["/0", "/1", "/2"]


def test_steps_of_a_sequential_are_counted_and_removed_by_their_kind():
    model = chainer.Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 3), F.relu)
    assert (model.count_by_layer_type("Linear"), model.count_by_layer_type("relu")) == (2, 2)
    model.remove_by_layer_type("relu")
    assert [type(step) for step in model] == [L.Linear] * 2 and len(model + model.repeat(2)) == 6


def test_examples_of_several_lengths_are_padded_beside_their_labels():
    batch = [(np.arange(n, dtype=f32), np.int64(n)) for n in (3, 1)]
    x, t = chainer.dataset.concat_examples(batch, padding=(9, None))
    assert x.tolist() == [[0, 1, 2], [0, 9, 9]] and t.tolist() == [3, 1]
    x, t = chainer.dataset.concat_examples(batch, padding=9)
    assert x.tolist() == [[0, 1, 2], [0, 9, 9]] and t.tolist() == [3, 1]


def test_unchaining_ends_the_graph():
    x = chainer.Variable(np.array([2.0]))
    h = x * 3
    y = h * h
    h.unchain()
    y.backward()
    assert x.grad is None and h.creator is None
    np.testing.assert_array_equal(h.grad, [12])
    h = F.split_axis(x * np.ones(4), 2, 0)
    state = h[0] * h[1]
    loss = F.sum(state)
    loss.unchain_backward()
    assert loss.creator is state.creator is None
    F.sum(state * x).backward()
    np.testing.assert_array_equal(x.grad, [8])  # through x itself, and no further back
    leaf = chainer.Variable(np.ones(1))
    leaf.unchain_backward()
    leaf.unchain()
    assert leaf.requires_grad


def test_gradients_are_set_added_and_cleared():
    x, y = chainer.Variable(np.ones(2, f32)), chainer.Variable(np.zeros(2, f32))
    x.zerograd()
    np.testing.assert_array_equal(x.grad, [0, 0])
    y.grad = np.ones(2, f32)
    x.addgrad(y)
    x.addgrad(chainer.Variable(np.ones(2, f32)))
    np.testing.assert_array_equal(x.grad, [1, 1])
    x.cleargrad()
    assert x.grad is x.grad_var is None
    x.copydata(y)
    assert not x.data.any() and x.xp is np and x.to_cpu() is x
    loss = F.sum(x * 2)
    loss.backward(loss_scale=8.0)
    np.testing.assert_array_equal(x.grad, [16, 16])


# ---------------------------------------------------------------------- functions beside NumPy
rng = np.random.default_rng(0)
X, Y, P = rng.normal(size=(4, 6)), rng.normal(size=(4, 6)), rng.uniform(0.2, 0.8, (4, 6))
IMAGES = rng.normal(size=(2, 4, 5, 5))
T = np.array([0, 5, 2, 1])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def resized(x: np.ndarray, n: int) -> np.ndarray:
    """Images whose corners stay where they are; between elements it is a straight line."""
    for axis in (2, 3):
        places = np.linspace(0, x.shape[axis] - 1, n)
        x = np.apply_along_axis(lambda line, at=places: np.interp(at, np.arange(len(line)), line), axis, x)
    return x


def pooled(x, reduce):
    """Windows of 2 x 2 of images of 5 x 5, of which the last ones are cut off."""
    rows = [slice(0, 2), slice(2, 4), slice(4, 5)]
    return np.stack([np.stack([reduce(x[..., r, c], (2, 3)) for c in rows], -1) for r in rows], -2)


CASES = {
    "softmax": (lambda x: F.softmax(x), X, np.exp(X) / np.exp(X).sum(1, keepdims=True)),
    "log_softmax": (lambda x: F.log_softmax(x, axis=0), X, X - np.log(np.exp(X).sum(0))),
    "clipped_relu": (lambda x: F.clipped_relu(x, 0.5), X, X.clip(0, 0.5)),
    "crelu": (F.crelu, X, np.concatenate([X.clip(0), (-X).clip(0)], 1)),
    "hard_sigmoid": (F.hard_sigmoid, X, (0.2 * X + 0.5).clip(0, 1)),
    "maxout": (lambda x: F.maxout(x, 3), X, X.reshape(4, 2, 3).max(2)),
    "selu": (F.selu, X, 1.0507009873554805 * np.where(X > 0, X, 1.6732632423543772 * np.expm1(X))),
    "softplus": (lambda x: F.softplus(x, beta=2.0), X, np.log1p(np.exp(2 * X)) / 2),
    "swish": (lambda x: F.swish(x, np.full(6, 1.5)), X, X * sigmoid(1.5 * X)),
    "concat": (lambda x: F.concat((x, Y)), X, np.concatenate([X, Y], 1)),
    "vstack": (lambda x: F.vstack([x, Y]), X, np.vstack([X, Y])),
    "dstack": (lambda x: F.dstack([x, Y]), X, np.dstack([X, Y])),
    "rollaxis": (lambda x: F.rollaxis(x, 2, 0), IMAGES, np.rollaxis(IMAGES, 2, 0)),
    "rollaxis back": (lambda x: F.rollaxis(x, 1, 4), IMAGES, np.rollaxis(IMAGES, 1, 4)),
    "select_item": (lambda x: F.select_item(x, T), X, X[np.arange(4), T]),
    "permutate": (lambda x: F.permutate(x, np.array([2, 0, 1, 3])), X, X[[2, 0, 1, 3]]),
    "permutate back": (lambda x: F.permutate(F.permutate(x, np.array([2, 0, 1, 3])), np.array([2, 0, 1, 3]), inv=True),
                       X, X),
    "pad_sequence": (lambda x: F.pad_sequence([x[0], x[1, :2]], padding=7.0), X,
                     np.stack([X[0], np.r_[X[1, :2], [7.0] * 4]])),
    "depth2space": (lambda x: F.space2depth(F.depth2space(x, 2), 2), IMAGES, IMAGES),
    "average": (lambda x: F.average(x, 1, weights=P[0]), X, np.average(X, 1, P[0])),
    "fix": (F.fix, 3 * X, np.trunc(3 * X)),
    "rsqrt": (F.rsqrt, P, P**-0.5),
    "matmul": (lambda x: F.matmul(x, Y, transa=True), X, X.T @ Y),
    "batch_matmul": (lambda x: F.batch_matmul(x, Y, transa=True), X, (X * Y).sum(1).reshape(4, 1, 1)),
    "bias": (lambda x: F.bias(x, Y[0]), X, X + Y[0]),
    "scale": (lambda x: F.scale(x, Y[0, :4]), IMAGES, IMAGES * Y[0, :4].reshape(4, 1, 1)),
    "batch_l2_norm_squared": (F.batch_l2_norm_squared, IMAGES, (IMAGES**2).sum((1, 2, 3))),
    "linear_interpolate": (lambda x: F.linear_interpolate(P, x, Y), X, P * X + (1 - P) * Y),
    "linear": (lambda x: F.linear(x, Y[:, :4].repeat(25, 1)), IMAGES, IMAGES.reshape(2, -1) @ Y[:, :4].repeat(25, 1).T),
    "embed_id": (lambda w: F.embed_id(np.array([1, -1]), w, ignore_label=-1), X, np.stack([X[1], 0 * X[1]])),
    "softmax_cross_entropy": (lambda x: F.softmax_cross_entropy(x, np.array([0, -1, 2, -1])), X,
                              -(X - np.log(np.exp(X).sum(1, keepdims=True)))[[0, 2], [0, 2]].mean()),
    "not normalized": (lambda x: F.softmax_cross_entropy(x, np.array([0, -1, 2, -1]), normalize=False), X,
                       -(X - np.log(np.exp(X).sum(1, keepdims=True)))[[0, 2], [0, 2]].sum() / 4),
    "weighted": (lambda x: F.softmax_cross_entropy(x, T, class_weight=P[0]), X,
                 -((X - np.log(np.exp(X).sum(1, keepdims=True)))[np.arange(4), T] * P[0][T]).mean()),
    "soft targets": (lambda x: F.softmax_cross_entropy(x, P), X,
                     -(P * (X - np.log(np.exp(X).sum(1, keepdims=True)))).sum(1).mean()),
    "sigmoid_cross_entropy": (lambda x: F.sigmoid_cross_entropy(x[0], np.array([1, 0, -1, 1, 1, 0])), X,
                              -np.log(sigmoid(X[0] * [1, -1, 1, 1, 1, -1]))[[0, 1, 3, 4, 5]].mean()),
    "hinge": (lambda x: F.hinge(x, T, norm="L2"), X,
              ((1 + X * (1 - 2 * (T[:, None] == np.arange(6)))).clip(0) ** 2).sum() / 4),
    "huber_loss": (lambda x: F.huber_loss(x, Y, 1e9), X, 0.5 * ((X - Y) ** 2).sum(1)),
    "contrastive": (lambda x: F.contrastive(x, Y, np.array([1, 0, 1, 0]), margin=9.0), X,
                    0.5 * np.where([1, 0, 1, 0], ((X - Y) ** 2).sum(1),
                                   (9 - np.sqrt(((X - Y) ** 2).sum(1))).clip(0) ** 2).mean()),
    "triplet": (lambda x: F.triplet(x, Y, P, 5.0), X,
                (((X - Y) ** 2 - (X - P) ** 2).sum(1) + 5).clip(0).mean()),
    "gaussian_kl": (lambda x: F.gaussian_kl_divergence(x, Y), X, ((X**2 + np.exp(Y) - Y - 1) / 2).sum()),
    "gaussian_nll": (lambda x: F.gaussian_nll(x, Y, P, reduce="mean"), X,
                     ((P + (X - Y) ** 2 / np.exp(P) + np.log(2 * np.pi)) / 2).mean()),
    "bernoulli_nll": (lambda x: F.bernoulli_nll(P, x), X,
                      -(P * np.log(sigmoid(X)) + (1 - P) * np.log(sigmoid(-X))).sum()),
    "normalize": (F.normalize, X, X / (np.linalg.norm(X, axis=1, keepdims=True) + 1e-5)),
    "group_normalization": (lambda x: F.group_normalization(x, 2, np.ones(4), np.zeros(4)), IMAGES,
                            ((g := IMAGES.reshape(4, -1)) - g.mean(1, keepdims=True)).reshape(IMAGES.shape)
                            / np.sqrt(g.var(1) + 1e-5).reshape(2, 2).repeat(2, 1)[..., None, None]),
    "max_pooling_2d": (lambda x: F.max_pooling_2d(x, 2), IMAGES, pooled(IMAGES, np.max)),
    "max_pooling_2d inside": (lambda x: F.max_pooling_2d(x, 2, cover_all=False), IMAGES,
                              pooled(IMAGES, np.max)[..., :2, :2]),
    "average_pooling_2d": (lambda x: F.average_pooling_2d(x, 2), IMAGES, pooled(IMAGES, np.mean)[..., :2, :2]),
    "max_pooling_1d": (lambda x: F.max_pooling_1d(x[:, 0], 2), IMAGES,
                       pooled(IMAGES[:, 0][:, :, None].repeat(5, 2), np.max)[:, :, 0]),
    "resize_images": (lambda x: F.resize_images(x, (9, 9)), IMAGES, resized(IMAGES, 9)),
}  # fmt: skip


@each("name", CASES)
def test_functions_are_what_chainer_means(name):
    function, x, expected = CASES[name]
    y = function(chainer.Variable(x))
    assert type(y) is chainer.Variable and y.dtype == np.float64
    np.testing.assert_allclose(y.data, expected, atol=1e-12)
    assert type(function(x) if name not in ("permutate back",) else y) is chainer.Variable
    chainer.gradient_check.check_backward(function, x, np.random.default_rng(1).normal(size=y.shape), atol=1e-4)


@each("dtype", [np.float16, f32])
@each("name", CASES)
def test_functions_keep_the_dtype(name, dtype, monkeypatch):
    for constant in ("X", "Y", "P"):
        monkeypatch.setitem(globals(), constant, globals()[constant].astype(dtype))
    function, x, _ = CASES[name]
    if name in ("swish", "embed_id", "group_normalization"):
        return  # they have weights of float64 here
    with np.errstate(over="ignore"):
        for given in (x.astype(dtype), chainer.Variable(x.astype(dtype))):
            assert function(given).dtype == dtype


def test_lstm_steps_of_a_batch_that_gets_smaller():
    c, x = rng.normal(size=(3, 2)), rng.normal(size=(2, 8))
    a, i, f, o = [x.reshape(2, 2, 4)[..., k] for k in range(4)]
    new, h = F.lstm(c, x)
    expected = np.tanh(a) * sigmoid(i) + sigmoid(f) * c[:2]
    np.testing.assert_allclose(new.data, np.r_[expected, c[2:]])
    np.testing.assert_allclose(h.data, np.tanh(expected) * sigmoid(o))
    with pytest.raises(InvalidType, match="lstm: x has 2 examples; expected at most 1"):
        F.lstm(c[:1], x)
    cell = L.LSTM(3, 2)
    assert cell.upward.b.data.reshape(2, 4)[:, 2].tolist() == [1, 1]
    for size in (3, 2):
        assert cell(np.ones((size, 3), f32)).shape == (size, 2)
    assert cell.h.shape == (3, 2)
    cell.reset_state()
    assert cell.h is None


@each(
    "call",
    [
        lambda: F.softmax(np.ones(3), axis=1),
        lambda: F.softmax_cross_entropy(np.ones((2, 3)), np.array([0, 3])),
        lambda: F.softmax_cross_entropy(np.ones((2, 3)), np.zeros((2, 2), int)),
        lambda: F.select_item(np.ones((2, 3)), np.array([0.0, 1.0])),
        lambda: F.select_item(np.ones((2, 3)), np.array([0, -1])),
        lambda: F.rollaxis(np.ones((2, 3)), 2),
        lambda: F.concat([np.ones((2, 3)), np.ones((3, 3))]),
        lambda: F.linear(np.ones(3), np.ones((2, 3))),
        lambda: F.maxout(np.ones((2, 3)), 2),
        lambda: F.permutate(np.ones(3), np.array([0, 0, 1])),
        lambda: F.relu(1, 2, 3),
        lambda: F.split_axis(np.ones(4), [3, 1], 0),
        lambda: F.dropout(np.ones(3), 1.0),
        lambda: F.batch_l2_norm_squared(np.ones(3)),
        lambda: F.transpose_sequence([np.ones(1), np.ones(2)]),
        lambda: F.softmax_cross_entropy(np.ones((2, 3)), np.ones((2, 2))),
        lambda: F.softmax(np.array(1.0)),
        lambda: F.separate(np.array(1.0)),
        lambda: F.vstack([]),
        lambda: F.concat([]),
        lambda: F.pad_sequence([]),
    ],
)
def test_what_does_not_fit_is_an_invalid_type(call):
    with pytest.raises(InvalidType) as caught:
        call()
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError) and str(caught.value)


def test_batch_normalization_follows_the_batches():
    layer = L.BatchNormalization(3, decay=0.5)
    x = np.random.default_rng(0).normal(3, 2, (50, 3)).astype(f32)
    y = layer(x)
    np.testing.assert_allclose(y.data.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(layer.avg_mean, 0.5 * x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(layer.avg_var, 0.5 + 0.5 * x.var(0, ddof=1), rtol=1e-4)
    with chainer.using_config("train", False):
        np.testing.assert_allclose(layer(x).data, (x - layer.avg_mean) / np.sqrt(layer.avg_var + 2e-5), rtol=1e-4)
    layer.start_finetuning()
    for _ in range(2):
        layer(x, finetune=True)
    np.testing.assert_allclose(layer.avg_mean, x.mean(0), rtol=1e-5)
    mean = np.ones(3, f32)
    chainer.functions.batch_normalization(x, np.ones(3, f32), np.zeros(3, f32), running_mean=mean, decay=0.5)
    np.testing.assert_allclose(mean, 0.5 + 0.5 * x.mean(0), rtol=1e-5)
    bare = L.BatchNormalization(3, use_gamma=False, use_beta=False)
    assert list(bare.params()) == [] and bare(x).shape == x.shape and L.BatchNormalization()(x).shape == x.shape


def test_initializers_fill_arrays_and_repeat_with_numpys_seed():
    array = np.empty((200, 100), f32)
    chainer.initializers.HeNormal()(array)
    assert abs(array.std() * np.sqrt(50) - 1) < 0.05
    drawn = []
    for _ in range(2):
        np.random.seed(0)
        drawn.append(L.Linear(3, 2).W.data)
    np.testing.assert_array_equal(*drawn)
    np.random.seed(0)
    np.testing.assert_array_equal(drawn[0], np.random.normal(0, np.sqrt(1 / 3), (2, 3)).astype(f32))
    assert L.Linear(3, 2, initialW=chainer.initializers.Constant(2.0, np.float16)).W.dtype == np.float16
    with chainer.using_config("dtype", np.float64):
        assert L.Linear(3, 2).W.dtype == np.float64
    with pytest.raises(ValueError, match="Identity"):
        chainer.initializers.Identity()(np.ones((2, 3)))


# ---------------------------------------------------------------------- the views
def test_a_recording_shows_the_code_and_the_names_of_the_facade():
    def program(x, c):
        pooled = F.max_pooling_2d(x, 2)
        state, h = F.lstm(c, F.reshape(pooled, (2, 8)))
        loss = F.sum(h) + F.sum(state)
        return loss

    recording = autolab.record(program, x=rng.normal(size=(2, 1, 3, 7)), c=rng.normal(size=(2, 2)))
    assert "loss" in {step.name for step in recording.steps}
    labels = {scope.label for scope in recording.scopes}
    assert any(["F.lstm(c, " in label for label in labels]) and any(["max_pooling_2d" in label for label in labels])
    sources = " ".join([step.source or "" for step in recording.steps])
    assert "F.max_pooling_2d(x, 2)" in sources
    model = L.Classifier(chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2)))
    recording = autolab.record(model, rng.normal(size=(5, 3)), np.array([0, 1, 0, 1, 0]))
    assert any(["Linear" in scope.label for scope in recording.scopes])


def test_explore_and_the_check_lens_take_code_of_the_facade():
    class Wrong(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            return (2 * grad_outputs[0] * x * x,)

    def cube(x):
        return Wrong().apply((x,))[0]

    report = autolab.check_gradients(cube, x=np.array([1.0, 2.0, 3.0]))
    assert report.verdict == "wrong" and "cube" in str(report)
    assert autolab.check_gradients(lambda x: F.softmax(x) * x, x=rng.normal(size=(3, 4))).passed
    assert autolab.explore(lambda x: F.exp(x) * 2, x=1.0) is not None
    model = L.Linear(3, 2)
    F.sum(model(np.ones((1, 3), f32))).backward()
    for shown in (model, model.W, chainer.Variable(np.ones(2)), chainer.optimizers.Adam().setup(model)):
        assert shown._repr_mimebundle_()["text/plain"]


# ---------------------------------------------------------------------- names that the published tests ask for
def test_initializers_take_a_generator_and_their_options():
    kinds = chainer.initializers
    for kind in (kinds.Normal, kinds.Uniform, kinds.LeCunNormal, kinds.GlorotUniform, kinds.HeNormal, kinds.Orthogonal):
        one, other = np.zeros((2, 4, 3), f32)
        for array in (one, other):
            kind(rng=np.random.RandomState(3))(array)
        np.testing.assert_array_equal(one, other)
        assert one.any()
    array = np.zeros((400, 100), f32)
    given = kinds.HeNormal(fan_option="fan_out", rng=np.random.RandomState(0))
    pickle.loads(pickle.dumps(given))(array)
    assert array.std() == pytest.approx((2 / 400) ** 0.5, rel=0.02)
    with pytest.raises(ValueError, match="HeNormal: fan_option is 'fan'"):
        kinds.HeNormal(fan_option="fan")
    assert kinds.constant.Zero is kinds.Zero and chainer.utils.collections_abc.Mapping


@pytest.mark.parametrize(
    ("mode", "fine"), [("auto", "WTS"), ("embedding", "TS"), ("projection", "WS"), ("basis", "S"), ("both", "")]
)
def test_modes_of_orthogonal_refuse_shapes(mode, fine):
    for name, shape in {"W": (2, 4), "T": (4, 2), "S": (3, 3)}.items():
        array = np.zeros(shape)
        if name in fine:
            chainer.initializers.Orthogonal(1.0, mode=mode)(array)
            gram = array @ array.T if shape[0] <= shape[1] else array.T @ array
            np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-6)
        else:
            with pytest.raises(ValueError, match=f"orthogonal {mode}|Orthogonal: mode is 'both'"):
                chainer.initializers.Orthogonal(mode=mode)(array)


def test_a_classification_is_summed_up():
    y = np.array([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.4, 0.6, 0], [0.1, 0.2, 0.7], [0, 1, 0]], f32)
    t = np.array([0, 0, 1, -1, 1], np.int32)
    exact, found, score, support = F.classification_summary(y, t, label_num=3, beta=2.0)
    np.testing.assert_allclose(exact.array, [1, 2 / 3, np.nan])
    np.testing.assert_allclose(found.array, [0.5, 1, np.nan])
    np.testing.assert_allclose(score.array[:2], [5 * 0.5 / (4 + 0.5), 5 * (2 / 3) / (4 * 2 / 3 + 1)])
    np.testing.assert_array_equal(support.array, [2, 2, 0])
    for function, value in ((F.precision, exact), (F.recall, found)):
        one, count = function(y, t, label_num=3)
        np.testing.assert_array_equal(one.array, value.array)
        np.testing.assert_array_equal(count.array, support.array)
    np.testing.assert_allclose(F.f1_score(y, t)[0].array, [2 / 3, 0.8])
    images = np.moveaxis(y.reshape(1, 5, 1, 3), -1, 1)
    np.testing.assert_array_equal(F.precision(images, t.reshape(1, 5, 1))[0].array, exact.array[:2])


def test_devices_and_iterators_take_what_scripts_give_them():
    with chainer.using_device("@numpy") as device:
        assert device == chainer.get_device(-1) and chainer.backend.using_device is chainer.using_device
    batches = chainer.iterators.MultiprocessIterator([1, 2, 3], 2, repeat=False, shuffle=False, maxtasksperchild=5)
    assert list(batches) == [[1, 2], [3]]
