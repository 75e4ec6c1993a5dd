"""Names and small forms of PyTorch, JAX and autograd: they are there, and compute what those libraries compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, grad, nn, no_grad, optim  # type: ignore[attr-defined]
from autolab import functions as F
from autolab import links as L


def X(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


# ---------------------------------------------------------------------- import autolab.numpy as np
def test_numpy_of_autolab_joins_variables() -> None:
    program = (
        "import autolab.numpy as np\nfrom autolab import numpy, grad\nimport numpy as plain\n"
        "assert numpy is np and np.sin is plain.sin and np.linalg is plain.linalg\n"
        "g = grad(lambda x: (np.array([[x[0], 2.0], [x[1] * x[0], 0.0]]) ** 2).sum())(plain.array([3.0, 2.0]))\n"
        "assert g.data.tolist() == [30.0, 36.0]\n"
        "assert type(np.array([1, 2])) is type(np.asarray([1.5])) is plain.ndarray\n"
        "x = numpy.asarray(plain.ones(2)); assert np.asarray(x) is x\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_array_and_asarray_keep_the_gradient_and_take_a_dtype() -> None:
    np_ = autolab.numpy  # type: ignore[attr-defined]
    x = Variable([1.0, 2.0])
    assert np_.asarray(x) is x and np_.array(x) is not x and np_.array([x, x], dtype="float32").dtype == np.float32
    np_.array([x[0], np_.array([x[1], 3.0])[0]]).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [1, 1])


def test_keys_of_random_numbers() -> None:
    random = autolab.random  # type: ignore[attr-defined]
    one, other = random.split(random.PRNGKey(3))
    assert (random.normal(one, (4,)) == random.normal(one, (4,))).all()
    assert (random.normal(one, (4,)) != random.normal(other, (4,))).all()
    assert (random.normal(random.split(random.key(3))[0], (4,)) == random.normal(one, (4,))).all()
    drawn = random.uniform(one, (50,), minval=2.0, maxval=3.0), random.randint(one, (50,), 0, 5)
    assert drawn[0].min() >= 2 and drawn[0].max() < 3 and drawn[1].max() == 4
    assert random.normal(one, (2,), "float32").dtype == np.float32 and random.bernoulli(one, 0.5, (3,)).dtype == bool


# ---------------------------------------------------------------------- transforms and functions of one's own
def test_elementwise_grad_value_and_grad_with_another_result_and_jacobian_at_a_point() -> None:
    x = X(5)
    np.testing.assert_allclose(autolab.elementwise_grad(np.tanh)(x).data, 1 - np.tanh(x) ** 2)  # type: ignore[attr-defined]
    (value, other), g = autolab.value_and_grad(lambda w: ((w * w).sum(), {"w": w, "n": 3}), has_aux=True)(x)  # type: ignore[attr-defined]
    assert value.data == (x * x).sum() and not other["w"].requires_grad and other["n"] == 3
    np.testing.assert_array_equal(g.data, 2 * x)
    np.testing.assert_array_equal(autolab.jacobian(np.square, x).data, np.diag(2 * x))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(autolab.hessian(lambda v: (v * v).sum(), x).data, 2 * np.eye(5))  # type: ignore[attr-defined]
    both = autolab.jacobian(lambda a, b: a * b, (x, 2.0))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(both[0].data, 2 * np.eye(5))
    np.testing.assert_array_equal(both[1].data, x)


def test_custom_vjp() -> None:
    @autolab.custom_vjp  # type: ignore[attr-defined]
    def scaled(x: Any, y: Any) -> Any:
        return x * y

    with pytest.raises(autolab.DeclarationError, match=r"write scaled.defvjp\(fwd, bwd\) first"):
        scaled(1.0, 2.0)
    scaled.defvjp(lambda x, y: (scaled(x, y), (x, [y])), lambda kept, g: (g * kept[1][0], g * kept[0]))
    assert autolab.check_gradients(scaled, X(3), X(3)).passed
    assert grad(grad(lambda x: scaled(x, x)))(3.0).data == 2
    scaled.defvjp(lambda x, y: (scaled(x, y), (x, y)), lambda kept, g: (g * kept[0], g * kept[1]))
    report = autolab.check_gradients(scaled, X(3), X(3) + 1)
    assert "swapped" in str(report) and Path(__file__).name in str(report)


def test_autograd() -> None:
    x = Variable([1.0, 2.0])
    autograd = autolab.autograd  # type: ignore[attr-defined]
    autograd.backward([x * x, x], [np.ones(2), np.ones(2)])
    np.testing.assert_array_equal(x.grad.data, [3, 5])
    assert autograd.grad((x * x).sum(), x, retain_graph=True)[0].data.tolist() == [2, 4]
    assert autograd.Function is autolab.Function  # type: ignore[attr-defined]
    assert autograd.functional.jacobian(np.square, X(2)).shape == (2, 2)


# ---------------------------------------------------------------------- arrays of truth values and places
def test_what_is_compared_knows_methods_of_pytorch() -> None:
    y, t = Variable([[1.0, 3.0], [2.0, 0.0]]), autolab.tensor([1, 1])  # type: ignore[attr-defined]
    right = y.argmax(dim=1) == t
    assert isinstance(right, np.ndarray) and repr(right) == "array([ True, False])"
    assert right.float().mean().item() == 0.5 and (y > 1).float().sum().item() == 2
    assert y.argmax(1).eq(t).numpy().tolist() == [True, False] and y.argmax(1).cpu().numpy().dtype == np.int64
    assert np.isnan(y).int().numpy().dtype == np.int32 and autolab.argmax(y).ndim == 0  # type: ignore[attr-defined]
    assert not hasattr(right, "requires_grad") and type(Variable(2.0) > 1) is np.bool_
    with pytest.raises(AttributeError, match="no attribute 'zzz'"):
        _ = right.zzz


# ---------------------------------------------------------------------- changes in place
def test_changes_in_place_inside_no_grad() -> None:
    w = Variable([1.0, -2.0])
    before = w.data
    with no_grad():
        assert w.add_(w, alpha=2) is w
        w.sub_(np.array([1.0, 0.0])).mul_(2.0).div_(4)
        np.testing.assert_array_equal(w.data, [1, -3])
        w.clamp_(-1, max=0.5)
        np.testing.assert_array_equal(w.copy_(w).data, [0.5, -1])
        assert w.fill_(3).data.tolist() == [3, 3] and w.zero_().data.tolist() == [0, 0]
        assert w.uniform_(2, 3).data.min() >= 2 and w.normal_(0, 1e-9).data.max() < 1
    assert w.requires_grad and before.tolist() == [1, -2]
    (w * w).sum().backward()
    w.grad.mul_(0.5)
    np.testing.assert_array_equal(w.grad.data, w.data)


def test_changes_in_place_that_a_graph_would_not_know_are_refused() -> None:
    w = Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"add_: the leaf requires a gradient; .*with autolab.no_grad\(\): w.add_"):
        w.add_(1.0)
    with pytest.raises(TypeError, match="mul_: the value is computed"):
        (w * 2.0).mul_(2.0)


# ---------------------------------------------------------------------- shapes and losses, against numbers of PyTorch
def test_parts() -> None:
    x = Variable(np.arange(10.0).reshape(5, 2))
    sizes = [[part.shape[0] for part in parts] for parts in (x.chunk(3), x.split(2), x.split([1, 4]), x.chunk(7))]
    assert sizes == [[2, 2, 1], [2, 2, 1], [1, 4], [1, 1, 1, 1, 1]]
    assert [part.shape for part in x.chunk(2, dim=1)] == [(5, 1), (5, 1)] and len(x.unbind(1)) == 2
    assert x.unflatten(0, (1, 5)).shape == (1, 5, 2)


def test_cross_entropy_with_probabilities_and_smoothing() -> None:
    x, t = Variable([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), np.array([0, 2])
    one = np.eye(3)[t]
    plain = F.cross_entropy(x, t)
    assert F.cross_entropy(x, one).item() == pytest.approx(plain.item())
    smooth = F.cross_entropy(x, t, label_smoothing=0.3)
    assert smooth.item() == pytest.approx((0.7 * plain.data - 0.3 * F.log_softmax(x).data.mean()).item())
    with pytest.raises(ValueError, match="class_weight or an ignored label"):
        F.cross_entropy(x, one, class_weight=[1.0, 1.0, 1.0])


# ---------------------------------------------------------------------- layers
def test_layers_and_padding() -> None:
    x = Variable(X(2, 3, 8, 8))
    assert nn.Conv2d(3, 4, 5, padding="same", dilation=2)(x).shape == (2, 4, 8, 8)
    assert nn.Conv2d(3, 4, (3, 5), padding="valid")(x).shape == (2, 4, 6, 4)
    with pytest.raises(ValueError, match="'same' with an odd ksize and stride 1"):
        nn.Conv2d(3, 4, 2, padding="same")
    pooled = nn.AdaptiveAvgPool2d((2, None))(x)
    np.testing.assert_allclose(pooled.data, x.data.reshape(2, 3, 2, 4, 8).mean(axis=3))
    with pytest.raises(ValueError, match="expected divisors"):
        nn.AdaptiveAvgPool2d(3)(x)
    assert nn.Sequential(nn.ReLU(inplace=True), nn.Identity(), nn.Flatten())(x).shape == (2, 192)
    assert nn.softmax is F.softmax and nn.LazyLinear(4, bias=False)(x.flatten(1)).shape == (2, 4)


def test_a_model_has_the_names_of_modules(tmp_path: Path) -> None:
    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(3, 2)
            self.add_module("norm", nn.LayerNorm(2))
            self.register_buffer("scale", autolab.tensor([2.0]))  # type: ignore[attr-defined]

        def forward(self, x: Any) -> Any:
            return self.norm(self.fc(x)) * self.scale

    net = Net().to(autolab.device("cpu")).to("float64")
    assert net.fc.weight is net.fc.W and net.norm.bias is net.norm.beta and net.fc.weight.dtype == np.float64
    assert [name for name, _ in net.named_children()] == ["fc", "norm"] and net.training and not net.eval().training
    net.apply(lambda m: nn.init.constant_(m.weight, 0.5) if isinstance(m, nn.Linear) else None)
    nn.init.zeros_(net.fc.bias)
    assert (net.fc.W.data == 0.5).all() and net.cpu() is net
    with pytest.raises(AttributeError, match="Net has no parameter W or gamma"):
        _ = net.weight
    autolab.save({"model": net.state_dict(), "epoch": 3}, tmp_path / "state.pt")  # type: ignore[attr-defined]
    state = autolab.load(tmp_path / "state.pt")  # type: ignore[attr-defined]
    twin = Net().to("float64")
    twin.load_state_dict(state["model"])
    assert state["epoch"] == 3 and (twin.fc.W.data == 0.5).all()


def test_gradients_are_clipped() -> None:
    x, y = Variable([3.0, 0.0]), Variable(4.0)
    (x.sum() * 3 + y * 4).backward()
    assert nn.utils.clip_grad_norm_([x, y, Variable(1.0)], 1.0).item() == pytest.approx(np.sqrt(34))
    assert y.grad.item() == pytest.approx(4 / np.sqrt(34))
    nn.utils.clip_grad_value_([x], 0.1)
    np.testing.assert_array_equal(x.grad.data, [0.1, 0.1])


# ---------------------------------------------------------------------- optimizers and data
def test_groups_and_schedulers_of_an_optimizer() -> None:
    head, body = L.Linear(2, 2), L.Linear(2, 2)
    optimizer = optim.Adam([{"params": head.parameters()}, {"params": body.parameters(), "lr": 0.1}], lr=1.0)
    first, second = optimizer.param_groups
    assert (
        len(first) == 5
        and repr(second).startswith("{'lr': 0.1")
        and first["params"] == [head.W, head.b]
        and second["lr"] == 0.1
    )
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    scheduler.step()
    assert scheduler.get_last_lr() == [0.5, 0.05] and optimizer.lr == 0.5 and first["initial_lr"] == 1.0
    assert optimizer.param_groups[0] is first and optim.StepLR is optim.lr_scheduler.StepLR


def test_the_learning_rate_falls_on_a_plateau() -> None:
    optimizer = optim.SGD(L.Linear(2, 2), lr=1.0)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1, cooldown=1, min_lr=0.3)
    rates = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0):
        scheduler.step(loss)
        rates.append(optimizer.lr)
    assert rates == [1, 1, 1, 0.5, 0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.3]


def test_momentum_of_nesterov_and_the_spelling_of_zero_grad() -> None:
    optimizer = optim.SGD(L.Linear(2, 2), lr=0.1, momentum=0.9, nesterov=True)
    assert isinstance(optimizer, optim.NesterovAG)
    optimizer.zero_grad(set_to_none=True)


def test_a_loader_of_tensors() -> None:
    program = "from autolab.utils.data import DataLoader, TensorDataset\nimport autolab\n"
    program += "assert DataLoader is autolab.data.DataLoader is autolab.utils.data.DataLoader"
    subprocess.run([sys.executable, "-c", program], check=True)


# ---------------------------------------------------------------------- NumPy
def test_more_of_numpy(tmp_path: Path) -> None:
    x = Variable([1.0, -2.0, 3.0])
    np.savez(tmp_path / "x.npz", x=x)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npz")["x"], x.data)
    assert np.where(x > 0)[0].tolist() == np.where(np.sign(x) + 1)[0].tolist() == [0, 2]
    np.testing.assert_array_equal(np.add.reduce(x.detach()), 2)
    np.subtract.outer(x, x)[0, 1].backward()
    np.testing.assert_array_equal(x.grad.data, [1, -1, 0])
    assert np.maximum.reduce(x).requires_grad and np.add.accumulate(x.detach()).tolist() == [1, -1, 2]
    assert np.histogram(x, bins=2)[0].tolist() == [1, 2] and np.digitize(x, [0.0]).tolist() == [1, 0, 1]
    parts = np.concatenate((x[:1], [x.sum(), 0.0]))
    assert parts.shape == (3,) and grad(parts.sum(), x).data.tolist() == [2, 1, 1]
    assert [10, 20, 30][Variable(np.array(2))] == 30 and Variable(np.array([1, 2])).copy().dtype == np.int64
    with pytest.raises(TypeError, match="float64 as an index"):
        [10, 20][x[0]]  # type: ignore[call-overload]


def test_elements_of_what_requires_no_gradient_are_assigned() -> None:
    counts, w = autolab.zeros(2, 2), Variable([1.0, 2.0])  # type: ignore[attr-defined]
    y = w * counts[0]
    counts[0, 1] += 1
    counts[autolab.tensor(1)] = autolab.tensor([5, 6])  # type: ignore[attr-defined]
    np.testing.assert_array_equal(counts.data, [[0, 1], [5, 6]])
    y.sum().backward()
    np.testing.assert_array_equal(w.grad.data, [0, 0])
    with no_grad():
        w[0] = 7.0
    assert w.data.tolist() == [7, 2] and w.requires_grad
    for array, value in ((w, 1.0), (counts, w[0]), (w * 2, 1.0)):
        with pytest.raises(autolab.DetachError, match="elements cannot be assigned"):
            array[0] = value


# ---------------------------------------------------------------------- dim= and hooks
def test_with_dim_the_methods_are_those_of_pytorch() -> None:
    x = Variable([[1.0, 5.0, 5.0], [2.0, 0.0, 1.0]])
    values, places = found = x.max(dim=1)
    assert places.tolist() == [1, 0] and found.indices is places and grad(values.sum(), x).data.tolist()[0] == [0, 1, 0]
    assert x.min(dim=0, keepdim=True).values.shape == (1, 3) and (x.max(axis=1).data == values.data).all()
    assert x.sort(dim=1, descending=True).indices.tolist() == [[1, 2, 0], [0, 2, 1]]
    assert x.topk(2, dim=1, largest=False).indices.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(x.std(dim=1).data, np.std(x.data, axis=1, ddof=1))
    np.testing.assert_allclose(x.var(dim=1, unbiased=False).data, np.var(x.data, axis=1))


def test_hooks_see_and_change() -> None:
    x, seen = Variable(3.0), []
    y = x * x
    handle = y.register_hook(lambda g: seen.append(g.item()) or 10 * g)  # type: ignore[func-returns-value]
    (2 * y).backward()
    handle.remove()
    (y + 0.0).backward()
    assert seen == [2.0] and x.grad.data == 2 * 10 * 6 + 6
    with pytest.raises(TypeError, match=r"got a constant; expected a value that requires a gradient"):
        y.detach().register_hook(print)


def test_hooks_of_leaves_change_what_a_pass_adds() -> None:
    x = Variable([1.0, -2.0])
    handle = x.register_hook(lambda g: np.clip(g, -1, 1))
    for _ in range(2):
        (3 * x).sum().backward()
    handle.remove()
    (x**2).sum().backward()
    assert x.grad.data.tolist() == [2 + 2, 2 - 4]
    x.register_hook(lambda g: g.sum())
    with pytest.raises(ValueError, match=r"the hook returned shape \(\); expected \(2,\)"):
        x.sum().backward()
    assert x.grad.data.tolist() == [4, -2]


def test_where_nan_is_made() -> None:
    z = Variable([0.0])
    made = pytest.raises(RuntimeError, match="sqrt: its backward made NaN")
    with autolab.autograd.detect_anomaly(), made, np.errstate(all="ignore"):  # type: ignore[attr-defined]
        (np.sqrt(z) * 0).sum().backward()
    assert z.grad is None


def test_names_of_parameters_and_parts_of_states() -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.W, self.fc, self.bn = Parameter(np.ones(1)), nn.Linear(2, 3), nn.BatchNorm1d(3)

    net, other = Own(), Own()
    names = ["W", "fc.weight", "fc.bias", "bn.weight", "bn.bias"]
    assert [name for name, _ in net.named_parameters()] == names
    assert {*net.state_dict()} == {*names, "bn.running_mean", "bn.running_var"}
    assert [name for name, _ in net.named_modules()] == ["", "fc", "bn"]
    found = other.load_state_dict({"fc.weight": net.fc.W.data, "head.weight": 1.0}, strict=False)
    assert found.unexpected_keys == ["head.weight"] and "fc/b" in found.missing_keys
    assert (other.fc.W.data == net.fc.W.data).all()
    with pytest.raises(ValueError, match="missing"):
        other.load_state_dict({"fc.weight": net.fc.W.data})
    other.load_state_dict(net.state_dict())


def test_a_call_with_other_parameters() -> None:
    net, x = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)), X(4, 2)
    before = {name: p.data for name, p in net.named_parameters()}
    others = {name: Variable(a + 0.1) for name, a in before.items()}
    y = autolab.func.functional_call(net, others, x)  # type: ignore[attr-defined]
    y.sum().backward()
    assert all(net_p.data is before[name] for name, net_p in net.named_parameters())
    each = autolab.vmap(lambda p, row: autolab.func.functional_call(net, p, row[None]).sum(), in_dims=(None, 0))  # type: ignore[attr-defined]
    np.testing.assert_allclose(each(others, x).data, y.data[:, 0], rtol=1e-6)
    for name, p in net.named_parameters():
        p.data = others[name].data
    net.cleargrads()
    net(x).sum().backward()
    for name, p in net.named_parameters():
        np.testing.assert_allclose(p.grad.data, others[name].grad.data, rtol=1e-6)


def test_rows_that_are_unpacked_as_a_pair() -> None:
    x = Variable([[1.0, 5.0], [2.0, 0.0], [3.0, 4.0]])
    with pytest.raises(
        ValueError, match=r"3 rows cannot be unpacked into two names. .*values, places = x.max\(dim=1\)"
    ):
        _values, _places = x.max(1)
    a, b, c = x.max(1)
    assert (a.data, b.data, c.data) == (5, 2, 4) and [*zip(*x.T, strict=True)]
    assert F.max(x, dim=1).indices.tolist() == autolab.argmax(x, dim=1).tolist() == [1, 0, 1]  # type: ignore[attr-defined]
    assert (x > 2).any(dim=0).tolist() == [True, True] and F.max(x.data, dim=0).values.tolist() == [3, 5]


def test_gather_takes_the_first_rows_where_the_index_is_shorter() -> None:
    x = Variable(X(4, 3))
    y = x.gather(1, np.array([[0, 2], [1, 1]]))
    y.sum().backward()
    np.testing.assert_array_equal(y.data, [x.data[0, [0, 2]], x.data[1, [1, 1]]])
    assert x.grad.data.tolist() == [[1, 0, 1], [0, 2, 0], [0, 0, 0], [0, 0, 0]]


def test_attention_as_pytorch_calls_it() -> None:
    x, link = X(2, 4, 6), nn.MultiheadAttention(6, 2, batch_first=True)
    hidden, later = np.array([[False] * 4, [False, False, True, True]]), np.triu(np.ones((4, 4), bool), 1)
    y, weights = link(x, x, x, key_padding_mask=hidden, attn_mask=later)
    expected = L.MultiHeadAttention.forward(link, x, mask=~hidden[:, None] & ~later)
    np.testing.assert_allclose(y.data, expected.data, rtol=1e-6)
    assert weights.shape == (2, 4, 4) and not weights[1, :, 2:].any() and not (weights * later).any()
    negative = np.where(later, -np.inf, 0)
    np.testing.assert_array_equal(link(x, x, x, attn_mask=negative)[0].data, link(x, x, x, attn_mask=later)[0].data)
    assert link(x, x, x, need_weights=False)[1] is None
    assert link(x, x, x, average_attn_weights=False)[1].shape == (2, 2, 4, 4)


def test_a_spectrum_names_what_to_write() -> None:
    with pytest.raises(autolab.NoGradientError, match=r"Write real, imag = F.rfft\(x\)"):
        np.fft.rfft(Variable(X(4)))


def test_small_names() -> None:
    y = autolab.make_jaxpr(lambda x: x * x)(2.0)  # type: ignore[attr-defined]
    assert y.to_dot().startswith("digraph") and autolab.Module is L.Link  # type: ignore[attr-defined]
    with autolab.set_grad_enabled(False):  # type: ignore[attr-defined]
        assert not (Variable(1.0) * 2).requires_grad
    assert (Variable(1.0) * 2).requires_grad_(True).requires_grad
    assert autolab.randn(2, dtype=np.float32).dtype == np.float32  # type: ignore[attr-defined]
    padded = F.max_pooling_2d(Variable(np.arange(9.0).reshape(1, 1, 3, 3)), 2)
    assert padded.data.tolist() == [[[[4, 5], [7, 8]]]]


def test_forward_hooks() -> None:
    layer, seen = L.Linear(2, 2), []
    handle = layer.register_forward_hook(lambda link, inputs, y: seen.append((link, inputs, y)))
    y = layer(np.ones((1, 2)))
    assert seen[0][0] is layer and seen[0][2] is y
    handle.remove()
    layer(np.ones((1, 2)))
    assert len(seen) == 1
    layer.register_forward_hook(lambda link, inputs, y: y * 0.0)
    assert not layer(np.ones((1, 2))).data.any()


def test_inplace_is_taken() -> None:
    x = Variable([-1.0, 1.0])
    assert F.relu(x, inplace=True).data.tolist() == F.elu(x, alpha=0.0, inplace=True).data.tolist() == [0, 1]
    assert x.data.tolist() == [-1, 1] and nn.Dropout(0.5, inplace=True).ratio == 0.5


# ---------------------------------------------------------------------- more of models and data
def test_dicts_of_modules() -> None:
    layers = nn.ModuleDict({"a": nn.Linear(2, 3), "act": nn.ReLU()})
    assert layers["a"] is layers.a and [*layers] == ["a", "act"] == [*layers.keys()] and len(layers) == 2
    assert [name for name, _ in layers.items()] == ["a", "act"] and len(list(layers.parameters())) == 2


def test_one_cycle() -> None:
    optimizer = optim.SGD(L.Linear(2, 2), lr=0.1, momentum=0.9)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    rates = [optimizer.lr]
    for _ in range(9):
        scheduler.step()
        rates.append(optimizer.lr)
    np.testing.assert_allclose([rates[0], max(rates), rates[-1]], [0.04, 1, 4e-6])
    assert rates.index(max(rates)) == 2 and optimizer.momentum == pytest.approx(0.95)


def test_examples_are_split_and_drawn() -> None:
    class Points:
        def __len__(self) -> int:
            return 10

        def __getitem__(self, i: int) -> Any:
            return autolab.tensor([float(i)]), i  # type: ignore[attr-defined]

    train, rest = autolab.data.random_split(Points(), [7, 3])
    batches = [*autolab.data.DataLoader(train, batch_size=2, drop_last=True, num_workers=2)]
    assert len(batches) == 3 and len(rest) == 3 and isinstance(batches[0][0], Variable)
    found = [i for part in (train, rest) for i in part.indices.tolist()]
    assert sorted(found) == list(range(10))
    with pytest.raises(ValueError, match="expected a sum of 10, or of 1"):
        autolab.data.random_split(Points(), [7, 4])
    with pytest.raises(TypeError, match="DataLoader: got sampler"):
        autolab.data.DataLoader(train, 2, sampler=None)
    drawn = autolab.multinomial(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), 1)  # type: ignore[attr-defined]
    assert drawn.tolist() == [[1], [0]]


def test_the_row_of_padding_is_zeros_and_gets_no_gradient() -> None:
    words = nn.Embedding(4, 2, padding_idx=0)
    y = words(np.array([[1, 0]]))
    y.sum().backward()
    assert (
        not y.data[0, 1].any() and y.data[0, 0].any() and words.W.grad.data.tolist() == [[0, 0], [1, 1], [0, 0], [0, 0]]
    )


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
def test_correlate(mode: Any) -> None:
    a, v = X(6), X(4)
    np.testing.assert_allclose(np.correlate(Variable(a), v, mode).data, np.correlate(a, v, mode))
    assert autolab.check_gradients(lambda a, v: np.correlate(a, v, mode), a, v).passed


def test_truth_values_are_joined() -> None:
    x, t = Variable([1.0, -2.0, 3.0]), autolab.tensor([True, False, False])  # type: ignore[attr-defined]
    assert (~t).float().tolist() == [0, 1, 1] and ((x > 0) & ~t).tolist() == [False, False, True]
    assert (t | (x > 0)).tolist() == ((x > 0) | t).tolist() == (np.array([True, False, True]) | t).tolist()


@pytest.mark.parametrize("function", [np.nansum, np.nanmean])
def test_sums_without_nan(function: Any) -> None:
    a = X(3, 4)
    a[0, 1] = a[2, 2] = np.nan
    x = Variable(a)
    y = function(x, axis=1)
    np.testing.assert_allclose(y.data, function(a, axis=1))
    y.sum().backward()
    count = 1 if function is np.nansum else (~np.isnan(a)).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(x.grad.data, ~np.isnan(a) / count)


def test_trees_batches_and_numbers_of_other_libraries() -> None:
    from autolab.tree_util import tree_leaves, tree_map  # type: ignore[import-not-found]

    moved = tree_map(lambda w, g: w - g, {"a": [1, 2], "b": 3}, {"a": [1, 1], "b": 1})
    assert moved == {"a": [0, 1], "b": 2} and tree_leaves(moved) == [0, 1, 2]
    with pytest.raises(TypeError, match="tree_map: a structure is"):
        tree_map(lambda w, g: w, {"a": 1}, {"b": 1})
    both = autolab.utils.data.ConcatDataset([["a", "b"], ["c"]])  # type: ignore[attr-defined]
    assert [both[i] for i in (0, 2, -1)] == ["a", "c", "c"] and len(both) == 3
    with pytest.raises(IndexError):
        both[3]
    loader = autolab.data.DataLoader(both, batch_size=2, shuffle=False, collate_fn="".join)
    assert list(loader) == ["ab", "c"] and next(loader) == "ab"
    drawn = autolab.randint(3, (50,))  # type: ignore[attr-defined]
    assert drawn.shape == (50,) and {*drawn.tolist()} == {0, 1, 2}
    assert autolab.finfo(np.float16).max == 65504  # type: ignore[attr-defined]
    w = nn.init.constant_(L.Linear(2, 2).W.data, 3.0)
    assert (w == 3).all() and nn.ReLU(True)(Variable([-1.0])).data == 0


def test_schedulers_one_after_the_other() -> None:
    schedulers = autolab.optimizers.lr_scheduler

    def rates(make: Any) -> list[float]:
        optimizer = optim.SGD(L.Linear(2, 2), lr=1.0)
        scheduler, found = make(optimizer), []
        for _ in range(6):
            found.append(round(optimizer.lr, 6))
            scheduler.step()
        return found

    assert rates(lambda o: schedulers.ConstantLR(o, 0.5, 2)) == [0.5, 0.5, 1, 1, 1, 1]
    assert rates(lambda o: schedulers.PolynomialLR(o, 4)) == [1, 0.75, 0.5, 0.25, 0, 0]
    assert rates(lambda o: schedulers.CosineAnnealingWarmRestarts(o, 2, 2)) == [1, 0.5, 1, 0.853553, 0.5, 0.146447]
    with pytest.raises(ValueError, match="got 0 milestones; expected 1"):
        rates(lambda o: schedulers.SequentialLR(o, [schedulers.ConstantLR(o), schedulers.ConstantLR(o)], []))
