"""What each link computes, against its function or a formula by hand; sizes that come with the first input."""

from __future__ import annotations

import numpy as np
import pytest

from autolab import (
    Chain,
    Sequential,
    Variable,
    assert_allclose,
    config,
    initializers,
    numerical_grad,
    test_mode,
    using_config,
)
from autolab import functions as F
from autolab import links as L
from autolab.links.reporter import Reporter


@pytest.fixture(autouse=True)
def seeded():
    with using_config("rng", np.random.default_rng(0)):
        yield


def drawn(*shape):
    return np.random.default_rng(1).normal(size=shape).astype(np.float32)


@pytest.mark.source("CI-08", "CO-25", "PT-16")
def test_linear_is_its_function_of_its_parameters():
    layer = L.Linear(3, 2)
    assert layer.W.shape == (2, 3) and layer.W.dtype == np.float32 and not layer.b.data.any()
    x = drawn(5, 3)
    np.testing.assert_array_equal(layer(x).data, F.linear(x, layer.W, layer.b).data)
    np.testing.assert_allclose(layer(x).data, x @ layer.W.data.T, rtol=1e-6)
    assert L.Linear(1000, 1000).W.data.std() == pytest.approx(1000**-0.5, rel=0.01)
    assert L.Linear(3, 2, nobias=True).b is None
    assert (L.Linear(3, 2, initialW=0.5, initial_bias=[1, 2])(np.ones((1, 3))).data == [[2.5, 3.5]]).all()


@pytest.mark.source("CI-22")
def test_an_mlp_of_three_linears_whose_sizes_come_with_the_first_batch():
    class ThreeLayers(Chain):
        def __init__(self, hidden, out):
            super().__init__()
            with self.init_scope():
                self.l1 = L.Linear(None, hidden)
                self.l2 = L.Linear(None, hidden)
                self.l3 = L.Linear(None, out)

        def forward(self, x):
            return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))

    model, x = ThreeLayers(5, 3), drawn(4, 7)
    assert [p.shape for p in model.params() if p.is_initialized] == [(5,), (5,), (3,)]
    y = model(x).data
    h = np.maximum(x @ model.l1.W.data.T, 0)
    expected = np.maximum(h @ model.l2.W.data.T, 0) @ model.l3.W.data.T
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert [p.shape for p in model.params()] == [(5, 7), (5,), (5, 5), (5,), (3, 5), (3,)]


@pytest.mark.source("CI-10", "DZ-35")
@pytest.mark.parametrize("make", [lambda: L.Linear(2), lambda: L.Linear(None, 2)])
def test_the_size_of_the_input_comes_with_the_first_batch(make):
    layer = make()
    assert layer.W.data is None and repr(layer.W) == "variable(None)"
    assert layer(drawn(5, 3)).shape == (5, 2)
    assert layer.W.shape == (2, 3) and repr(layer) == "Linear(3, 2)"
    with pytest.raises(ValueError, match="linear"):
        layer(drawn(5, 4))


LAZY = {
    "Linear": (lambda: L.Linear(None, 4), (2, 3), (2, 4)),
    "Conv1D": (lambda: L.Conv1D(None, 4, 3, pad=1), (2, 3, 8), (2, 4, 8)),
    "Conv1D in groups": (lambda: L.Conv1D(None, 6, 3, dilate=2, groups=3), (2, 3, 8), (2, 6, 4)),
    "Conv2D in groups": (lambda: L.Conv2D(4, 4, 3, pad=1, dilate=(2, 1), groups=4), (2, 4, 9, 8), (2, 4, 7, 8)),
    "Conv2D": (lambda: L.Conv2D(None, 4, (3, 1), stride=2), (2, 3, 9, 8), (2, 4, 4, 4)),
    "ConvTranspose1D": (lambda: L.ConvTranspose1D(None, 4, 3, stride=2, groups=2), (2, 6, 4), (2, 4, 9)),
    "ConvTranspose2D": (lambda: L.ConvTranspose2D(2, 3, 3, 2, (1, 0), output_padding=1), (2, 2, 3, 4), (2, 3, 6, 10)),
    "BatchNormalization": (lambda: L.BatchNormalization(None), (6, 3), (6, 3)),
    "LayerNormalization": (lambda: L.LayerNormalization(), (6, 3), (6, 3)),
    "GRUCell": (lambda: L.GRUCell(None, 4), (2, 3), (2, 4)),
    "MLP": (lambda: L.MLP((5, 4), activation=F.tanh), (2, 3), (2, 4)),
    "SelfAttention": (lambda: L.SelfAttention(3), (2, 5, 3), (2, 5, 3)),
    "MultiHeadAttention": (lambda: L.MultiHeadAttention(4, 2, causal=True), (2, 3, 4), (2, 3, 4)),
    "EltwiseParamProduct": (lambda: L.EltwiseParamProduct((2, 3)), (2, 3), (2, 3)),
}


@pytest.mark.parametrize("name", LAZY)
def test_gradients_of_every_link_agree_with_differences(name):
    make, before, after = LAZY[name]
    link = make()
    x = drawn(*before)
    assert link(x).shape == after
    for parameter in link.params():
        parameter.data = parameter.data.astype(np.float64) + 0.1
    x = Variable(x.astype(np.float64))
    y = link(x)
    y.grad = np.random.default_rng(2).normal(size=y.shape)
    y.backward()
    inputs = (x, *link.params())
    numeric = numerical_grad(lambda: (link(x).data,), tuple([p.data for p in inputs]), (y.grad.data,), eps=1e-5)
    for variable, expected in zip(inputs, numeric, strict=True):
        assert_allclose(variable.grad.data, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.source("DZ-37")
def test_mlp_has_layers_by_name_and_no_activation_after_the_last():
    net = L.MLP((10, 1), activation=F.sigmoid)
    x = drawn(5, 2)
    y = net(x)
    assert [name for name, _ in net.namedparams()] == ["/l0/W", "/l0/b", "/l1/W", "/l1/b"]
    np.testing.assert_array_equal(y.data, net.l1(F.sigmoid(net.l0(x))).data)
    with pytest.raises(ValueError, match="sizes is empty"):
        L.MLP(())


def test_embedding_takes_rows():
    table = L.Embedding(5, 3)
    ids = np.array([[4, 0], [4, 1]])
    y = table(ids)
    np.testing.assert_array_equal(y.data, table.W.data[ids])
    F.sum(y).backward()
    np.testing.assert_array_equal(table.W.grad.data[:, 0], [1, 1, 0, 0, 2])


def test_batch_normalization_learns_averages_and_uses_them_in_test_mode():
    bn = L.BatchNormalization(3, decay=0.8, eps=0.5)
    mean, var = np.zeros(3), np.ones(3)
    for seed in range(5):
        x = np.random.default_rng(seed).normal(2.0, 3.0, (20, 3)).astype(np.float32)
        y = bn(x).data
        np.testing.assert_allclose(y.mean(axis=0), 0, atol=1e-5)
        mean, var = 0.8 * mean + 0.2 * x.mean(axis=0), 0.8 * var + 0.2 * x.var(axis=0, ddof=1)
    np.testing.assert_allclose(bn.avg_mean, mean, rtol=1e-5)
    np.testing.assert_allclose(bn.avg_var, var, rtol=1e-5)
    with test_mode():
        before = bn.avg_mean
        np.testing.assert_allclose(bn(x).data, (x - mean) / np.sqrt(var + 0.5), rtol=1e-4, atol=1e-4)
        assert bn.avg_mean is before
    assert set(bn.state()) == {"gamma", "beta", "avg_mean", "avg_var"}


def test_a_batch_normalization_without_a_size_loads_one():
    bn, twin = L.BatchNormalization(3), L.BatchNormalization(None)
    bn(drawn(6, 3))
    twin.load_state(bn.state())
    with test_mode():
        np.testing.assert_array_equal(twin(drawn(2, 3)).data, bn(drawn(2, 3)).data)


def test_dropout_drops_in_training_alone():
    layer = L.Dropout(0.25, rng=np.random.default_rng(7))
    x = np.ones(1000)
    kept = layer(x)
    assert set(np.unique(kept)) == {0.0, 1 / 0.75} and 0.2 < (kept == 0).mean() < 0.3
    np.testing.assert_array_equal(kept, F.dropout(x, 0.25, rng=np.random.default_rng(7)))
    with test_mode():
        assert layer(x) is x
    with pytest.raises(ValueError, match="ratio is 1"):
        L.Dropout(1)


def test_gru_against_its_formula():
    cell, x, h = L.GRUCell(3, 4), drawn(2, 3), drawn(2, 4)

    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    w = {name: (layer.W.data.T, 0 if layer.b is None else layer.b.data) for name, layer in cell._own("link")}

    def apply(name, value):
        return value @ w[name][0] + w[name][1]

    r, z = sigmoid(apply("W_r", x) + apply("U_r", h)), sigmoid(apply("W_z", x) + apply("U_z", h))
    c = np.tanh(apply("W_h", x) + apply("U_h", r * h))
    np.testing.assert_allclose(cell(x, h).data, z * h + (1 - z) * c, rtol=1e-5)
    np.testing.assert_array_equal(cell(x).data, cell(x, np.zeros((2, 4), np.float32)).data)


def test_attention_weighs_and_a_causal_one_does_not_look_ahead():
    attention, x = L.SelfAttention(4, causal=True), drawn(2, 5, 4)
    before = attention(x).data.copy()
    np.testing.assert_allclose(attention.weights.sum(axis=-1), 1, rtol=1e-6)
    assert not np.triu(attention.weights, 1).any()
    x[:, -1] += 1
    np.testing.assert_array_equal(attention(x).data[:, :-1], before[:, :-1])


def test_every_head_of_an_attention_looks_by_its_own_part():
    attention, x, seen = L.MultiHeadAttention(6, 2), drawn(2, 5, 6), drawn(2, 4, 6)
    y = attention(x, seen)
    assert y.shape == (2, 5, 6) and attention.weights.shape == (2, 2, 5, 4)
    q, k, v = [layer(a).data for layer, a in ((attention.query, x), (attention.key, seen), (attention.value, seen))]
    heads = []
    for part in (slice(0, 3), slice(3, 6)):
        e = np.exp(q[..., part] @ k[..., part].swapaxes(1, 2) / 3**0.5)
        heads.append(e / e.sum(axis=-1, keepdims=True) @ v[..., part])
    np.testing.assert_allclose(y.data, attention.out(np.concatenate(heads, axis=-1)).data, rtol=1e-5, atol=1e-6)


def test_a_mask_hides_places_from_all_heads():
    attention, x = L.MultiHeadAttention(4, 2), drawn(2, 3, 4)
    before = attention(x[:, :2]).data
    hidden = np.array([True, True, False])
    np.testing.assert_allclose(attention(x, mask=hidden).data[:, :2], before, rtol=1e-5, atol=1e-6)
    assert not attention.weights[..., 2].any()
    of_examples = np.stack([hidden, ~hidden])[:, None]
    attention(x, mask=of_examples)
    assert not attention.weights[0, ..., 2].any() and not attention.weights[1, ..., :2].any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: L.MultiHeadAttention(6, 4),
            ValueError,
            "MultiHeadAttention: size is 6; expected a multiple of heads, 4",
        ),
        (lambda: L.MultiHeadAttention(4, 0), TypeError, "MultiHeadAttention: heads is 0; expected a positive integer"),
        (lambda: L.MultiHeadAttention(4), TypeError, "MultiHeadAttention: heads is missing"),
        (
            lambda: L.MultiHeadAttention(4, 2)(drawn(2, 4)),
            ValueError,
            r"MultiHeadAttention: got shape \(2, 4\); expected",
        ),
        (
            lambda: L.MultiHeadAttention(4, 2)(drawn(2, 3, 4), mask=np.ones((2, 3), bool)),
            ValueError,
            r"MultiHeadAttention: mask has shape \(2, 3\); expected one that broadcasts to \(2, 2, 3, 3\)",
        ),
        (
            lambda: L.MultiHeadAttention(4, 2)(drawn(2, 3, 4), drawn(1, 3, 4)[:0]),
            ValueError,
            "MultiHeadAttention: .*batch",
        ),
    ],
)
def test_an_attention_says_what_it_takes(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.source("CI-23", "CI-24")
def test_a_classifier_reports_under_the_name_of_its_observer():
    model = L.Classifier(Sequential(L.Linear(None, 8), F.relu, L.Linear(8, 3)))
    x, t = drawn(6, 4), np.array([0, 1, 2, 0, 1, 2])
    reporter, seen = Reporter(), {}
    reporter.add_observer("main", model)
    with reporter.scope(seen):
        loss = model(x, t)
    y = model.predictor(x)
    assert seen == {"main/loss": loss.data.item(), "main/accuracy": float(F.accuracy(y, t).data)}
    assert model(x, t).data == pytest.approx(float(F.softmax_cross_entropy(y, t).data))
    assert set(seen) == {"main/loss", "main/accuracy"}  # nobody listens any more


@pytest.mark.parametrize(
    ("init", "deviation"),
    [
        (initializers.Normal(0.3), 0.3),
        (initializers.Uniform(0.3), 0.3 / 3**0.5),
        (initializers.LeCunNormal(), 200**-0.5),
        (initializers.LeCunUniform(), 200**-0.5),
        (initializers.GlorotNormal(), (2 / 500) ** 0.5),
        (initializers.GlorotUniform(), (2 / 500) ** 0.5),
        (initializers.HeNormal(), (2 / 200) ** 0.5),
        (initializers.HeUniform(2.0), 2 * (2 / 200) ** 0.5),
        (initializers.Orthogonal(), 300**-0.5),
    ],
)
def test_initializers_draw_what_they_say(init, deviation):
    drawn = init((300, 200))
    assert drawn.dtype == np.float32
    assert drawn.std() == pytest.approx(deviation, rel=0.02) and abs(drawn.mean()) < 0.01
    assert not np.array_equal(drawn, init((300, 200)))
    with using_config("rng", np.random.default_rng(5)):
        first = init((3, 2))
        config.rng = np.random.default_rng(5)
        np.testing.assert_array_equal(first, init((3, 2)))


def test_orthogonal_rows_are_orthogonal_and_kernels_count_for_the_fan():
    w = initializers.Orthogonal(2.0, dtype=np.float64)((3, 5))
    np.testing.assert_allclose(w @ w.T, 4 * np.eye(3), atol=1e-12)
    assert initializers.fans((16, 3, 5, 5)) == (75, 400)
    with pytest.raises(TypeError, match="floating-point"):
        initializers.Zero(dtype=int)


@pytest.mark.parametrize("make", [lambda: L.Conv2D(None, 4, 3, groups=3), lambda: L.Conv1D(4, 6, 3, groups=3)])
def test_channels_that_do_not_split_into_groups_are_refused(make):
    with pytest.raises(ValueError, match="expected a multiple of groups, 3"):
        make()


def test_a_linear_that_was_loaded_says_its_size():
    layer = L.Linear(None, 3)
    assert layer.in_size is None and repr(layer) == "Linear(None, 3)"
    layer.load_state(L.Linear(2, 3).state())
    assert layer.in_size == 2 and repr(layer) == "Linear(2, 3)"


def test_one_example_is_enough_for_batch_normalization_where_it_has_more_places():
    bn = L.BatchNormalization(2)
    assert bn(np.random.default_rng(0).random((1, 2, 3, 3))).shape == (1, 2, 3, 3)
    with test_mode():
        assert bn(np.ones((1, 2))).shape == (1, 2)
    before = bn.avg_mean.copy(), bn.avg_var.copy()
    with pytest.raises(ValueError, match="two numbers per feature"):
        bn(np.ones((1, 2)))
    np.testing.assert_array_equal(before, (bn.avg_mean, bn.avg_var))


def test_an_initializer_takes_one_length():
    assert initializers.Normal()(3).shape == (3,)


def test_batch_normalization_averages_float16_in_float32() -> None:
    layer = L.BatchNormalization(1, decay=0.0)
    x = np.tile(np.array([[300.0], [301.0]], np.float16), (3000, 1))
    layer(Variable(x))
    np.testing.assert_allclose(layer.avg_mean, [300.5], rtol=1e-6)
    np.testing.assert_allclose(layer.avg_var, [0.25 * 6000 / 5999], rtol=1e-5)


def twice(layer, x, drop):
    return layer.above[0](drop(layer._along(x, None)[0]))[0]


def attended(link, x, weights=None):
    """By a single head."""
    return link.out(F.matmul(link.weights[:, 0] if weights is None else weights, link.value(x)))


def encoded(link, x, drop):
    h = link.norm1(x + drop(link.attention(x)))
    return link.norm2(h + drop(link.narrow(drop(link.activation(link.wide(h))))))


def normed_first(link, x):
    h = x + link.attention(link.norm1(x), mask=np.tri(x.shape[1], dtype=bool))
    return h + link.narrow(F.sin(link.wide(link.norm2(h))))


WINDOWS = {"stride": (2, 3), "padding": (1, 2), "dilation": (2, 1), "groups": 2}
SETTINGS = {
    "Conv1D": (
        lambda: L.Conv1D(4, 6, 3, 2, 1, dilate=2, groups=2, activation=F.sin),
        lambda: drawn(2, 4, 9),
        lambda link, x, drop: F.sin(F.conv1d(x, link.W, link.b, stride=2, padding=1, dilation=2, groups=2)),
    ),
    "Conv2D": (
        lambda: L.Conv2D(4, 6, 3, (2, 3), (1, 2), True, dilate=(2, 1), groups=2, activation="sin"),
        lambda: drawn(2, 4, 9, 8),
        lambda link, x, drop: F.sin(F.conv2d(x, link.W, **WINDOWS)),
    ),
    "ConvTranspose1D": (
        lambda: L.ConvTranspose1D(4, 6, 3, 3, 1, 2, 2, True, 2, activation=F.sin),
        lambda: drawn(2, 4, 5),
        lambda link, x, drop: F.sin(F.conv_transpose1d(x, link.W, stride=3, padding=1, dilation=2, groups=2, size=17)),
    ),
    "ConvTranspose2D": (
        lambda: L.ConvTranspose2D(4, 6, 3, (2, 3), (1, 2), (0, 2), 2, dilate=(2, 1), activation=F.sin),
        lambda: drawn(2, 4, 5, 4),
        lambda link, x, drop: F.sin(F.conv_transpose2d(x, link.W, link.b, **WINDOWS, size=(11, 10))),
    ),
    "BatchNormalization": (
        lambda: L.BatchNormalization(3, eps=0.5),
        lambda: drawn(2, 3, 4),
        lambda link, x, drop: F.batch_norm(x, link.gamma, link.beta, eps=0.5),
    ),
    "LayerNormalization": (
        lambda: L.LayerNormalization(4, eps=0.5),
        lambda: drawn(2, 3, 4),
        lambda link, x, drop: F.layer_norm(x, link.gamma, link.beta, eps=0.5),
    ),
    "GroupNormalization": (
        lambda: L.GroupNormalization(2, 4, eps=0.5),
        lambda: drawn(2, 4, 3),
        lambda link, x, drop: F.group_norm(x, 2, link.gamma, link.beta, eps=0.5),
    ),
    "InstanceNormalization": (
        lambda: L.InstanceNormalization(3, eps=0.5),
        lambda: drawn(2, 3, 4),
        lambda link, x, drop: F.instance_norm(x, link.gamma, link.beta, eps=0.5),
    ),
    "RMSNormalization": (
        lambda: L.RMSNormalization(4, eps=0.5),
        lambda: drawn(2, 3, 4),
        lambda link, x, drop: F.rms_norm(x, link.gamma, eps=0.5),
    ),
    "Embedding": (
        lambda: L.Embedding(4, 3, padding_idx=1),
        lambda: np.array([[0, 1], [1, 3]]),
        lambda link, x, drop: link.W[x] * (x != 1)[..., None],
    ),
    "RNN": (
        lambda: L.RNN(3, 4, F.sin, 2, 0.25),
        lambda: drawn(2, 5, 3),
        lambda link, x, drop: twice(link, x, drop),
    ),
    "GRU": (
        lambda: L.GRU(3, 4, True, 2, 0.25),
        lambda: drawn(2, 5, 3),
        lambda link, x, drop: twice(link, x, drop),
    ),
    "causal attention": (
        lambda: L.MultiHeadAttention(4, 2, True, True),
        lambda: drawn(2, 5, 4),
        lambda link, x, drop: link(x, mask=np.tri(5, dtype=bool)),
    ),
    "attention of a single head": (
        lambda: L.MultiHeadAttention(4, 1, nobias=True),
        lambda: drawn(2, 5, 4),
        lambda link, x, drop: attended(link, x),
    ),
    "attention that drops": (
        lambda: L.MultiHeadAttention(4, 1, dropout=0.25),
        lambda: drawn(2, 5, 4),
        lambda link, x, drop: attended(link, x, drop(link.weights)[:, 0]),
    ),
    "TransformerEncoderLayer": (
        lambda: L.TransformerEncoderLayer(4, 2, dropout=0.25, activation=F.sin),
        lambda: drawn(2, 5, 4),
        lambda link, x, drop: encoded(link, x, drop),
    ),
    "TransformerEncoderLayer, normalizing first": (
        lambda: L.TransformerEncoderLayer(4, 2, 6, activation=F.sin, norm_first=True, causal=True),
        lambda: drawn(2, 5, 4),
        lambda link, x, drop: normed_first(link, x),
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_link_follows_its_settings(name):
    make, inputs, expected = SETTINGS[name]
    link, x, rng = make(), inputs(), np.random.default_rng(5)
    for i, parameter in enumerate(link.params()):
        parameter.data = np.random.default_rng(i).normal(size=parameter.shape)
    with using_config("rng", np.random.default_rng(5)):
        y = link(x)
    y = y[0] if isinstance(y, tuple) else y
    np.testing.assert_allclose(y.data, expected(link, x, lambda x: F.dropout(x, 0.25, rng=rng)).data, 1e-5)


def test_shapes_and_first_values_follow_the_settings():
    assert [name for name, _ in L.MultiHeadAttention(4, 2, nobias=True).namedparams()] == [
        "/query/W",
        "/key/W",
        "/value/W",
        "/out/W",
    ]
    assert L.TransformerEncoderLayer(4, 2).wide.out_size == 16
    assert L.LSTM(3, 2, 0.5, layers=2).above[0].cell.W.b.data.tolist() == [0, 0, 0.5, 0.5, 0, 0, 0, 0]
    assert L.RNN(3, 2, F.relu, layers=2).above[0].cell.activation is F.relu
    assert L.GRU(3, 2, True, layers=2).above[0].cell.reset_after
    for make in (L.Conv1D, L.Conv2D, L.ConvTranspose1D, L.ConvTranspose2D):
        layer = make(4, 6, 3, groups=2, initialW=0.5, initial_bias=2.0)
        assert (layer.W.data == 0.5).all() and (layer.b.data == 2).all() and layer.in_channels == 4
    layer = L.LayerNormalization(3, 1e-5, 2.0, [1, 2, 3])
    assert layer.gamma.data.tolist() == [2, 2, 2] and layer.beta.data.tolist() == [1, 2, 3]
    assert (L.Embedding(2, 3, 0.5).W.data == 0.5).all() and (L.EltwiseParamProduct((2, 3), 0.5).W.data == 0.5).all()
    assert not L.Embedding(4, 3, padding_idx=1).W.data[1].any()
    assert L.Conv1D(1, 1, 3, pad="same", dilate=2).pad == (2,)


def test_an_attention_looks_in_keys_and_takes_values():
    link, (x, key, value) = L.MultiHeadAttention(4, 1), (drawn(2, n, 4) + n for n in (3, 5, 5))
    y = link(x, key, value + 1)
    np.testing.assert_allclose(y.data, attended(link, value + 1).data, rtol=1e-5)
    mask = np.random.default_rng(0).random((2, 3, 5)) > 0.3
    np.testing.assert_array_equal(link(x, key, mask=mask).data, link(x, key, mask=mask[:, None]).data)


def test_a_classifier_takes_its_loss_and_its_accuracy():
    model, t = L.Classifier(L.Linear(3, 2), F.mean_squared_error, lambda y, t: F.sum(y) + 1), drawn(4, 2)
    y = model.predictor(drawn(4, 3))
    assert model(drawn(4, 3), t).data == F.mean_squared_error(y, t).data
    assert model.accuracy.data == F.sum(y).data + 1


def test_initializers_follow_their_settings():
    for init in (initializers.LeCunNormal, initializers.GlorotUniform):
        first, second = [init(scale=s, dtype=np.float64, rng=np.random.default_rng(1))((5, 3)) for s in (1.0, 3.0)]
        assert first.dtype == np.float64
        np.testing.assert_allclose(second, 3 * first)
