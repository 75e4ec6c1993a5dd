"""What the functions of networks do where a formula leaves a choice: kinks, ties, chance, extreme numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, grad, record
from autolab import functions as F

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (F.relu, 0.0),
        (F.leaky_relu, 0.2),
        (lambda x: F.leaky_relu(x, slope=0.5), 0.5),
        (F.elu, 1.0),
        (lambda x: F.elu(x, alpha=3.0), 3.0),
        (F.gelu, 0.5),
        (F.silu, 0.5),
        (F.softplus, 0.5),
        (lambda x: F.mean_absolute_error(x, 0.0), 0.0),
    ],
)
def test_slope_at_zero(function, slope: float) -> None:
    for zero in (0.0, -0.0):
        x = Variable(zero)
        assert grad(function(x), x).item() == slope


def test_celu_is_as_wide_as_its_alpha() -> None:
    x = Variable([-2.0, 0.5])
    y = F.celu(x, alpha=3.0)
    np.testing.assert_allclose(y.data, [3 * np.expm1(-2 / 3), 0.5], rtol=1e-15)
    np.testing.assert_allclose(grad(F.sum(y), x).data, [np.exp(-2 / 3), 1], rtol=1e-15)


@pytest.mark.parametrize("function", [F.elu, F.gelu, F.silu, F.softplus, F.log_softmax, F.softmax])
def test_great_numbers_do_not_overflow(function) -> None:
    x = Variable([-800.0, -40.0, 40.0, 800.0])
    y = function(x)
    g = grad(y, x, np.ones(4), create_graph=True)
    h = grad(g, x, np.ones(4))
    assert np.isfinite([y.data, g.data, h.data]).all()


NORMALIZING = {
    "layer_norm": lambda x, eps: F.layer_norm(x, eps=eps),
    "batch_norm": lambda x, eps: F.batch_norm(F.transpose(x), np.ones(2), np.zeros(2), axis=0, eps=eps),
    "group_norm": lambda x, eps: F.group_norm(x, 1, eps=eps),
    "rms_norm": lambda x, eps: F.rms_norm(x, eps=eps),
}


@pytest.mark.parametrize("size", [2.0**700, 2.0**-700])
@pytest.mark.parametrize("name", NORMALIZING)
def test_normalization_squares_no_number_beyond_the_floats(name: str, size: float) -> None:
    numbers, g = np.array([[1.0, 3.0, 4.0], [2.0, -1.0, 5.0]]), np.array([[1.0, 2.0, 5.0], [0.5, -1.0, 2.0]])
    near, far = Variable(numbers), Variable(numbers * size)
    y, z = [NORMALIZING[name](x, 0.0) for x in (near, far)]
    np.testing.assert_allclose(z.data, y.data, rtol=1e-15)
    g = g.reshape(y.shape)
    np.testing.assert_allclose(grad(z, far, g).data * size, grad(y, near, g).data, rtol=1e-13)
    assert (NORMALIZING[name](Variable(np.zeros((2, 3))), 1e-5).data == 0).all()


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("length", [2, 3, 16])
def test_the_gradient_of_a_normalization_has_the_digits_that_the_conventions_say(name: str, length: int) -> None:
    rng = np.random.default_rng(length)
    numbers, gamma, g = rng.normal(size=(2000, length)), rng.normal(size=length), rng.normal(size=(2000, length))
    numbers, gamma, g = [a.astype(np.float32) for a in (numbers, gamma, g)]

    def gradient(dtype: type) -> np.ndarray:
        x = Variable(numbers.astype(dtype))
        return grad(getattr(F, name)(x, gamma=gamma.astype(dtype)), x, g.astype(dtype)).data

    wide = numbers.astype(float)
    spread = np.sqrt(((wide - wide.mean(1, keepdims=True) * (name == "layer_norm")) ** 2).mean(1, keepdims=True) + 1e-5)
    allowed = np.abs(g * gamma).max(1, keepdims=True) / spread * np.finfo(np.float32).eps * 4
    further = np.maximum(np.abs(wide).max(1, keepdims=True) / spread, 1)
    assert (np.abs(gradient(np.float32) - gradient(np.float64)) <= allowed * further).all()


@pytest.mark.parametrize("away", [1.0, -1.0])
def test_huber_where_its_pieces_meet(away: float) -> None:
    x = Variable([away])
    g = grad(F.huber(x, [0.0]), x, create_graph=True)
    assert g.data == [away] and grad(g, x).data == [1.0]


# ---------------------------------------------------------------------- dropout
def test_dropout_draws_once_for_all_orders() -> None:
    x = Variable(np.full((20, 30), 2.0))
    y = F.dropout(x, ratio=0.25, rng=np.random.default_rng(0))
    kept = y.data != 0
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_array_equal(y.data[kept], 2 / 0.75)
    z = F.sum(y**3)
    g = grad(z, x, create_graph=True)
    h = grad(F.sum(g), x)
    np.testing.assert_allclose(g.data, np.where(kept, 3 * 2**2 / 0.75**3, 0))
    np.testing.assert_allclose(h.data, np.where(kept, 6 * 2 / 0.75**3, 0))


def test_dropout_draws_from_the_generator_of_the_config() -> None:
    x = Variable(np.ones(100))
    with autolab.using_config("rng", np.random.default_rng(7)):
        first, second = F.dropout(x).data, F.dropout(x).data
    with autolab.using_config("rng", np.random.default_rng(7)):
        again = F.dropout(x).data
    assert (first == again).all() and (first != second).any()


def test_dropout_that_drops_nothing_is_its_input() -> None:
    x, rng = Variable(np.ones(3)), np.random.default_rng(0)
    state = rng.bit_generator.state
    assert F.dropout(x, ratio=0, rng=rng) is x
    with autolab.test_mode():
        assert F.dropout(x, rng=rng) is x
    assert rng.bit_generator.state == state


def test_dropout_has_its_name_in_a_recording() -> None:
    (call,) = [step for step in record(lambda x: F.dropout(x), np.ones(3)).steps if step.kind == "call"]
    assert call.function == "dropout" and call.operands[0].parameter == "x"


# ---------------------------------------------------------------------- layers
def test_linear_keeps_its_inputs_and_nothing_else() -> None:
    x, w, b = [Variable(np.ones(shape)) for shape in ((5, 4), (3, 4), (3,))]
    y = F.linear(x, w, b)
    kept = [edge.saved for edge in y.node.edges]
    assert kept[0] is w.data and kept[1] is x.data and kept[2] is None


def test_batch_norm_of_a_feature_that_does_not_vary() -> None:
    x = Variable([[1.0, 5.0], [1.0, 7.0]])
    y = F.batch_norm(x, [1.0, 1.0], [0.5, 0.0])
    g = grad(y, x, np.array([[1.0, 2.0], [3.0, 4.0]]))
    np.testing.assert_array_equal(y.data[:, 0], 0.5)
    assert np.isfinite(g.data).all()


def test_batch_norm_with_statistics_given_treats_each_example_alone() -> None:
    x = np.arange(8.0).reshape(4, 2)
    mean, var = np.array([1.0, 2.0]), np.array([4.0, 9.0])
    whole = F.batch_norm(x, [1.0, 2.0], [0.0, 1.0], mean, var)
    single = F.batch_norm(x[2:3], [1.0, 2.0], [0.0, 1.0], mean, var)
    np.testing.assert_array_equal(whole[2:3], single)
    np.testing.assert_allclose(single, (x[2:3] - mean) / np.sqrt(var + 1e-5) * [1, 2] + [0, 1])


def test_max_pool_shares_ties_and_keeps_nan() -> None:
    x = Variable([[[[1.0, 3.0, NAN, 2.0], [3.0, 3.0, 0.0, 1.0]]]])
    y = F.max_pool2d(x, kernel=2)
    np.testing.assert_array_equal(y.data, [[[[3.0, NAN]]]])
    g = grad(y, x, np.ones(y.shape))
    np.testing.assert_allclose(g.data, [[[[0, 1 / 3, 1, 0], [1 / 3, 1 / 3, 0, 0]]]])


def test_padding_of_integers_is_never_the_greatest() -> None:
    y = F.max_pool2d(np.array([[[[-3, -2], [-5, -4]]]]), kernel=2, stride=1, padding=1)
    np.testing.assert_array_equal(y, [[[[-3, -2, -2], [-3, -2, -2], [-5, -4, -4]]]])


def test_a_convolution_and_its_transpose_are_adjoint() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 3, 7, 6)), rng.normal(size=(4, 3, 3, 2))
    y = F.conv2d(x, w, stride=(2, 3), padding=1)
    g = rng.normal(size=y.shape)
    back = F.conv_transpose2d(g, w, stride=(2, 3), padding=1, size=(7, 6))
    np.testing.assert_allclose((y * g).sum(), (x * back).sum())


# ---------------------------------------------------------------------- losses
def test_cross_entropies_of_extreme_scores() -> None:
    x = Variable([[0.0, -2000.0], [3000.0, 0.0]])
    loss = F.softmax_cross_entropy(x, [1, 1])
    assert loss.item() == 2500.0
    np.testing.assert_array_equal(grad(loss, x).data, [[0.5, -0.5], [0.5, -0.5]])
    s = Variable([-2000.0, 3000.0])
    loss = F.sigmoid_cross_entropy(s, [1, 0])
    assert loss.item() == 2500.0
    np.testing.assert_array_equal(grad(loss, s).data, [-0.5, 0.5])


def test_targets_that_do_not_count_have_no_gradient() -> None:
    x = Variable([[1.0, 2.0, -INF], [0.0, 1.0, 2.0]])
    loss = F.softmax_cross_entropy(x, [2, 0], ignore_label=2)
    expected = np.log(np.exp([0.0, 1.0, 2.0]).sum())
    np.testing.assert_allclose(loss.data, expected)
    g = grad(loss, x)
    np.testing.assert_array_equal(g.data[0], 0.0)
    nothing = F.softmax_cross_entropy(x, [2, 2], ignore_label=2)
    assert nothing.item() == 0.0 and not grad(nothing, x).data.any()


def test_class_weights_give_a_weighted_mean() -> None:
    x, t, weights = np.random.default_rng(0).normal(size=(4, 3)), np.array([0, 2, 2, 1]), np.array([1.0, 3.0, 0.5])
    losses = -F.log_softmax(x)[np.arange(4), t]
    expected = np.average(losses, weights=weights[t])
    np.testing.assert_allclose(F.softmax_cross_entropy(x, t, class_weight=weights), expected)


def test_kl_divergence_where_p_is_zero() -> None:
    p, q = np.array([0.0, 0.0, 1.0]), Variable([0.0, 0.5, 0.5])
    loss = F.kl_divergence(p, q)
    np.testing.assert_allclose(loss.data, np.log(2))
    np.testing.assert_array_equal(grad(loss, q).data, [0.0, 0.0, -2.0])
    p = Variable(p)
    with np.errstate(all="ignore"):
        g = grad(F.kl_divergence(p, q), p)
    np.testing.assert_allclose(g.data, [NAN, -INF, np.log(2) + 1])


@pytest.mark.source("T-002-28")
@pytest.mark.parametrize("loss", [F.mean_squared_error, F.mean_absolute_error, F.huber, F.sigmoid_cross_entropy])
def test_a_row_and_a_column_are_no_pair(loss) -> None:
    with pytest.raises(ValueError, match=r"x has shape \(3,\), t has shape \(3, 1\): expected the same shape"):
        loss(Variable(np.zeros(3)), np.zeros((3, 1)))


@pytest.mark.source("DZ-41")
def test_gradient_of_softmax_cross_entropy() -> None:
    x, t = Variable(np.random.default_rng(0).normal(size=(4, 3))), np.array([0, 2, 2, 1])
    g = grad(F.softmax_cross_entropy(x, t), x)
    np.testing.assert_allclose(g.data, (F.softmax(x.data) - np.eye(3)[t]) / 4, atol=1e-16)


def test_integer_targets_may_be_a_variable_and_have_no_gradient() -> None:
    x, t = Variable(np.ones((2, 3))), Variable(np.array([0, 1]))
    loss = F.softmax_cross_entropy(x, t)
    assert [g is None for g in grad(loss, (x, t))] == [False, True]


def test_accuracy_is_a_constant() -> None:
    x = Variable(np.array([[0.1, 0.9], [0.8, 0.2], [0.5, 0.5]], np.float32))
    y = F.accuracy(x, [1, 1, 0])
    assert y.dtype == np.float32 and not y.requires_grad
    np.testing.assert_allclose(y.data, 2 / 3, rtol=1e-6)


def test_ones_of_classes_are_of_the_dtype_that_is_asked_for() -> None:
    assert [F.one_hot([0, 2], dtype=dtype).dtype for dtype in (np.float64, int, bool)] == [np.float64, int, bool]


# ---------------------------------------------------------------------- where the documents disagree
@pytest.mark.source("X4")
@pytest.mark.parametrize("stacks", [(), (3,), (2, 3), (1, 0), (2, 1, 3)])
@pytest.mark.parametrize("size", [0, 4])
def test_linear_of_stacks_is_that_of_their_rows(stacks: tuple[int, ...], size: int) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(*stacks, size)), rng.normal(size=(5, size))
    for given in (x, np.asfortranarray(x), np.flip(x)):
        v = Variable(given)
        y = F.linear(v, w)
        np.testing.assert_allclose(y.data, np.matmul(given, w.T), atol=1e-15)
        np.testing.assert_allclose(grad(F.sum(y), v).data, np.broadcast_to(w.sum(axis=0), given.shape), atol=1e-15)


def test_the_weight_of_linear_is_out_by_in() -> None:
    x, w = np.ones((5, 3)), np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(F.linear(x, w), x @ w.T)
    with pytest.raises(ValueError, match="linear"):
        F.linear(x, w.T)


@pytest.mark.source("X5")
def test_the_mean_squared_error_is_a_mean_over_elements() -> None:
    x, t = Variable(np.full((2, 3), 2.0)), np.zeros((2, 3))
    loss = F.mean_squared_error(x, t)
    assert loss.item() == 4.0  # 24 over 6 elements; over 2 rows it would be 12
    np.testing.assert_allclose(grad(loss, x).data, np.full((2, 3), 4 / 6))


def test_cross_entropy_with_smoothing_weighs_and_ignores() -> None:
    """As PyTorch: an ignored target adds nothing, and the mean is divided by the weights of the others."""
    x, t, w = np.random.default_rng(0).normal(size=(4, 3)), np.array([0, 2, 1, 2]), np.array([0.5, 2.0, 1.0])
    logs = x - np.log(np.exp(x).sum(1, keepdims=True))
    losses = -((0.8 * np.eye(3)[t] + 0.2 / 3) * w * logs).sum(1)
    settings: dict[str, Any] = {"class_weight": w, "ignore_label": 1, "label_smoothing": 0.2}
    kept = t != 1
    np.testing.assert_allclose(F.cross_entropy(x, t, **settings).data, losses[kept].sum() / w[t[kept]].sum())
    np.testing.assert_allclose(F.cross_entropy(x, t, **settings, reduction="none").data, losses * kept)
    np.testing.assert_allclose(
        F.cross_entropy(x, t, label_smoothing=0.2, class_weight=w).data, losses.sum() / w[t].sum()
    )
    assert F.cross_entropy(Variable(x), np.full(4, 1), **settings).data == 0
    with pytest.raises(ValueError, match=r"cross_entropy: class_weight has shape \(2,\); expected \(3,\)"):
        F.cross_entropy(x, t, w[:2], label_smoothing=0.1)


def test_what_pytorch_broadcasts_and_casts() -> None:
    x, mask = Variable(np.arange(6.0).reshape(2, 3)), np.array([True, False, True])
    np.testing.assert_array_equal(x.masked_select(mask).data, [0, 2, 3, 5])  # not whole columns
    assert Variable(np.array([True, False])).masked_fill(np.array([False, True]), 1).dtype == bool
    np.testing.assert_array_equal(x.add(x, alpha=2).data, 3 * x.data)
    np.testing.assert_array_equal(x.sub(1, alpha=2).data, x.data - 2)
    np.testing.assert_array_equal(Variable([7.0, -7.0, -6.0]).div(2, rounding_mode="trunc").data, [3, -3, -3])
    np.testing.assert_array_equal(Variable([7.0, -7.0]).div(2, rounding_mode="floor").data, [3, -4])
    np.testing.assert_array_equal(x.addmm(x, np.eye(3), alpha=3, beta=2).data, 5 * x.data)
    np.testing.assert_array_equal(x.nansum(dim=1).data, [3, 12])
    np.testing.assert_allclose(F.logit(F.sigmoid(x)).data, x.data)
    np.testing.assert_allclose(F.logit(np.array([0.0, 1.0]), eps=0.25), [-np.log(3), np.log(3)])
    np.testing.assert_array_equal(np.isnan(F.logit(np.array([-1.0, 0.5, 2.0]))), [True, False, True])


def test_order_is_that_of_pytorch_for_every_dtype() -> None:
    """`topk`, descending `sort`, `max` and `median` along ``dim``: numbers below 0, unsigned ones, NaN, booleans."""
    numbers: dict[str, list[Any]] = {
        "uint8": [3, 0, 255, 7],
        "int8": [-128, 5, 127, 0],
        "bool": [False, True, True, False],
        "float32": [2.0, np.nan, -np.inf, 1.0],
    }
    largest = {"uint8": [2, 3, 0, 1], "int8": [2, 1, 3, 0], "bool": [1, 2, 0, 3], "float32": [1, 0, 3, 2]}
    for dtype, given in numbers.items():
        x = Variable(np.array(given, dtype), requires_grad=False)
        values, places = x.sort(dim=0, descending=True)
        np.testing.assert_array_equal(places, largest[dtype], dtype)
        np.testing.assert_array_equal(values.data, np.array(given, dtype)[places])
        np.testing.assert_array_equal(autolab.topk(x, 2)[1], places[:2])
        np.testing.assert_array_equal(autolab.argsort(x, descending=True), places)
        assert x.max(dim=0)[1] == places[0] and x.median(dim=0, keepdim=True)[0].shape == (1,)
    assert Variable([3.0, 1.0, 2.0, 4.0]).median(dim=0)[1] == 2  # the lower of the two in the middle
    assert Variable(np.ones((1, 2))).squeeze(dim=1).shape == (1, 2)
    with pytest.raises(IndexError, match=r"max: axis 0 of shape \(0,\) is empty"):
        Variable(np.ones(0)).max(dim=0)
    with pytest.raises(TypeError, match=r"max: dim is \(0, 1\); expected one axis"):
        Variable(np.ones((2, 2))).max(dim=(0, 1))


def test_the_triplet_loss_of_pytorch_keeps_distances_from_0() -> None:
    """`nn` and the facade add 1e-6 to the differences, as PyTorch does; `triplet` takes the distances as they are."""
    a, b, c = np.random.default_rng(0).normal(size=(3, 4, 5))
    near, far, other = [np.sqrt(((x - y + 1e-6) ** 2).sum(-1)) for x, y in ((a, b), (a, c), (b, c))]
    found = autolab.nn.functional.triplet_margin_loss(a, b, c, reduction="none")
    np.testing.assert_allclose(found, np.maximum(near - far + 1, 0), rtol=1e-13)
    swapped = autolab.nn.functional.triplet_margin_loss(a, b, c, swap=True, reduction="none")
    np.testing.assert_allclose(swapped, np.maximum(near - np.minimum(far, other) + 1, 0), rtol=1e-13)
    with pytest.raises(ValueError, match="triplet_margin_loss: margin is 0; expected a number above 0"):
        F.triplet_margin_loss(a, b, c, margin=0)
