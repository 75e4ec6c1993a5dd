"""Names and small forms of PyTorch, JAX and autograd: they are there, and compute what those libraries compute."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable, grad, nn, no_grad, optim  # type: ignore[attr-defined]
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
    assert np_.array(x, ndmin=2).shape == (1, 2) and np_.array([x[0]], ndmin=1).shape == (1,)
    np_.array([x[0], np_.array([x[1], 3.0], ndmin=2)[0, 0]]).sum().backward()
    np.testing.assert_array_equal(x.grad.data, [1, 1])


def test_numpy_of_autolab_hides_no_function_of_numpy() -> None:
    own = vars(autolab.numpy).keys() & set(np.__all__)  # type: ignore[attr-defined]
    assert own == {"array", "asarray", "c_", "r_"}
    with pytest.raises(autolab.NoGradientError, match=r"numpy.unwrap has no gradient"):
        autolab.numpy.unwrap(Variable([1.0, 9.0]))  # type: ignore[attr-defined]


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


def test_custom_rules_of_functions_of_structures() -> None:
    @autolab.custom_vjp  # type: ignore[attr-defined]
    def scaled(p: Any, x: Any = 2.0) -> Any:
        return p["w"] * p["b"][0] * x

    def bwd(kept: Any, g: Any) -> Any:
        p, x = kept
        return {"w": g * p["b"][0] * x, "b": [g * 100.0, 0.0]}, np.zeros_like(x)

    scaled.defvjp(lambda p, x: (scaled(p, x), (p, x)), bwd)
    point = {"w": 2.0, "b": [3.0, 1]}
    found = grad(lambda p: scaled(p, x=5.0))(point)
    assert (found["w"].data, found["b"][0].data, found["b"][1].data) == (15, 100, 0)
    assert grad(scaled)(point)["w"].data == 6
    second = grad(lambda b: grad(lambda w: scaled({"w": w, "b": [b, 1.0]}))(1.0))(3.0)
    assert second.data == 2
    scaled.defvjp(lambda p, x: (scaled(p, x), None), lambda kept, g: (None, g))
    assert grad(scaled)(point)["w"].data == 0
    scaled.defvjp(lambda p, x: (scaled(p, x), None), lambda kept, g: (g, g))
    with pytest.raises(TypeError, match=r"scaled: the gradient of argument 0 is a Variable; expected a dict"):
        grad(scaled)(point)

    @autolab.custom_jvp  # type: ignore[attr-defined]
    def total(p: Any) -> Any:
        return 2 * p["a"] + p["b"]

    @total.defjvp
    def total_jvp(primals: Any, tangents: Any) -> Any:
        return total(*primals), 7 * tangents[0]["a"]

    found = grad(total)({"a": 1.0, "b": 2.0})
    assert (found["a"].data, found["b"].data) == (7, 0)


def test_arguments_of_custom_rules_that_have_no_gradient() -> None:
    @partial(autolab.custom_vjp, nondiff_argnums=(0,))  # type: ignore[attr-defined]
    def iterated(f: Any, a: Any, x: Any) -> Any:
        return autolab.lax.while_loop(lambda x: abs(f(a, x) - x) > 1e-12, lambda x: f(a, x), x)  # type: ignore[attr-defined]

    def fwd(f: Any, a: Any, x: Any) -> Any:
        found = iterated(f, a, x)
        return found, (a, found)

    def bwd(f: Any, kept: Any, g: Any) -> Any:
        a, found = kept
        by_x = autolab.vjp(lambda x: f(a, x), found)[1]  # type: ignore[attr-defined]
        total = iterated(lambda packed, u: packed[1] + by_x(u)[0], (a, g), g)
        return autolab.vjp(lambda a: f(a, found), a)[1](total)[0], np.zeros_like(found)  # type: ignore[attr-defined]

    iterated.defvjp(fwd, bwd)

    def root(a: Any) -> Any:
        return iterated(lambda a, x: 0.5 * (x + a / x), a, a)

    np.testing.assert_allclose(grad(root)(2.0).data, 0.5 / np.sqrt(2))

    @partial(autolab.custom_jvp, nondiff_argnums=(0,))  # type: ignore[attr-defined]
    def applied(f: Any, x: Any, *, scale: Any = None) -> Any:
        return f(x)

    applied.defjvp(lambda f, primals, tangents: (applied(f, *primals), 2 * tangents[0]))
    assert grad(lambda x: applied(np.square, x))(3.0).data == 2
    with pytest.raises(
        TypeError, match=r"applied: got \['scale'\] by keyword only; expected arguments with a position"
    ):
        applied(np.square, 3.0, scale=2.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: x.at[0].multiply(2.0), r"IndexUpdates has no 'multiply'; instead: x.at\[i\].set\(x\[i\] \* v\)"),
        (lambda x: autolab.lax.max(x, 0.0), "no attribute 'max'; instead: np.maximum, np.minimum"),  # type: ignore[attr-defined]
        (lambda x: autolab.random.gumbel(0), r"instead: numpy.random.default_rng\(key\).gumbel"),  # type: ignore[attr-defined]
        (lambda x: autolab.random.randint(autolab.random.key(0), size=2), r"^randint\(\) got an unexpected"),  # type: ignore[attr-defined]
        (lambda x: F.gelu(x, approximate=True), r"instead: F.gelu is exact; autolab.nn.functional.gelu\(x, 'tanh'\)"),
    ],
)
def test_names_and_keywords_of_jax_that_are_not_there(call: Any, message: str) -> None:
    with pytest.raises((AttributeError, TypeError), match=message):
        call(Variable([1.0, 2.0]))


def test_names_and_keywords_of_jax_that_change_nothing() -> None:
    assert autolab.jit(lambda x: x * 2, donate_argnums=0, inline=True)(3.0) == 6  # type: ignore[attr-defined]
    assert grad(lambda x: x * x, holomorphic=False)(3.0).data == 6  # type: ignore[call-overload]
    assert autolab.remat is autolab.checkpoint and autolab.Array is Variable  # type: ignore[attr-defined]
    drawn = autolab.random.randint(autolab.random.key(0), (2,), 0, 5, dtype=np.int32)  # type: ignore[attr-defined]
    assert drawn.dtype == np.int32


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


def test_changes_in_place_of_a_leaf_that_a_graph_would_not_know_are_refused() -> None:
    w = Variable([1.0, 2.0])
    with pytest.raises(TypeError, match=r"add_: the leaf requires a gradient; .*with autolab.no_grad\(\): w.add_"):
        w.add_(1.0)


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
    assert F.cross_entropy(x, one, class_weight=[2.0, 2.0, 2.0]).item() == pytest.approx(2 * plain.item())


# ---------------------------------------------------------------------- layers
def test_layers_and_padding() -> None:
    x = Variable(X(2, 3, 8, 8))
    assert nn.Conv2d(3, 4, 5, padding="same", dilation=2)(x).shape == (2, 4, 8, 8)
    assert nn.Conv2d(3, 4, (3, 5), padding="valid")(x).shape == (2, 4, 6, 4)
    with pytest.raises(ValueError, match="'same' with an odd kernel and stride 1"):
        nn.Conv2d(3, 4, 2, padding="same")
    pooled = nn.AdaptiveAvgPool2d((2, None))(x)
    np.testing.assert_allclose(pooled.data, x.data.reshape(2, 3, 2, 4, 8).mean(axis=3))
    overlapping = nn.AdaptiveAvgPool2d(3)(x)  # as in PyTorch: rows 0 to 2, 2 to 5 and 5 to 7
    np.testing.assert_allclose(overlapping.data[:, :, 1, 0], x.data[:, :, 2:6, :3].mean(axis=(2, 3)), rtol=1e-6)
    with pytest.raises(ValueError, match="expected sizes above 0"):
        nn.AdaptiveAvgPool2d(0)(x)
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


def test_a_checkpoint_holds_lists_numbers_and_words_beside_the_arrays(tmp_path: Path) -> None:
    groups = [{"lr": 0.1, "betas": (0.9, 0.999), "params": [0, 1], "nesterov": False, "name": None}]
    state = {"opt": {"state": {0: {"m": np.arange(3.0)}}, "param_groups": groups}, "name": "π", "epoch": 3}
    autolab.save(state, tmp_path / "checkpoint.pt")  # type: ignore[attr-defined]
    found = autolab.load(tmp_path / "checkpoint.pt")  # type: ignore[attr-defined]
    np.testing.assert_array_equal(found["opt"]["state"][0].pop("m"), np.arange(3.0))
    del state["opt"]["state"][0]["m"]  # type: ignore[index]
    assert found == state


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
    assert len(first) == len([*first]) and repr(second).startswith("{'params': [") and "'lr': 0.1" in repr(second)
    assert first["params"] == [head.W, head.b] and second["lr"] == 0.1 and optimizer.lr == 1.0
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    scheduler.step()
    assert scheduler.get_last_lr() == [0.5, 0.05] and optimizer.lr == 0.5 and first["initial_lr"] == 1.0
    assert optimizer.param_groups[0] is first and optim.StepLR is optim.lr_scheduler.StepLR


def rates_of(optimizer: Any, *schedulers: Any, epochs: int = 5) -> list[float]:
    found = [optimizer.lr]
    for _ in range(epochs):
        for scheduler in schedulers:
            scheduler.step()
        found.append(optimizer.lr)
    return found


def test_the_factors_of_two_schedulers_are_multiplied() -> None:
    optimizer = optim.SGD(L.Linear(2, 2), lr=1.0)
    first, second = optim.lr_scheduler.LinearLR(optimizer, 0.25, total_iters=3), optim.ExponentialLR(optimizer, 0.5)
    assert rates_of(optimizer, first, second) == pytest.approx([0.25, 0.25, 0.1875, 0.125, 0.0625, 0.03125])
    assert first.get_last_lr() == pytest.approx([0.0625]) and second.get_last_lr() == [optimizer.lr]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda o: optim.StepLR(o, 2, 0.5), [1, 1, 0.5, 0.25, 0.125, 0.125]),
        (lambda o: optim.ExponentialLR(o, 0.5), [1, 0.5, 0.25, 0.0625, 0.03125, 0.015625]),
        (lambda o: optim.LambdaLR(o, lambda epoch: 0.5**epoch), [1, 0.5, 0.25, 0.125, 0.0625, 0.03125]),
    ],
)
def test_a_learning_rate_that_was_changed_by_hand_stays_changed_but_for_a_function_of_the_epoch(make, expected) -> None:
    optimizer = optim.SGD(L.Linear(2, 2), lr=1.0)
    scheduler = make(optimizer)
    found = rates_of(optimizer, scheduler, epochs=2)
    optimizer.param_groups[0]["lr"] *= 0.5
    assert found + rates_of(optimizer, scheduler, epochs=3)[1:] == pytest.approx(expected)


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
    assert optimizer.nesterov and optimizer.param_groups[0]["momentum"] == 0.9
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
    with pytest.raises(autolab.DetachError, match=r"Write x = x\.copy"):
        w[0] = 1.0


@pytest.mark.parametrize("view", [lambda h: h[0], lambda h: h.T, lambda h: h.reshape(4), lambda h: h[None]])
def test_a_view_is_not_written_as_what_it_is_a_view_of_would_keep_its_numbers(view: Any) -> None:
    for h in (Variable(np.ones((2, 2))) * 2, autolab.zeros(2, 2)):  # type: ignore[attr-defined]
        row = view(h)
        with pytest.raises(ValueError, match=r"view of another.*row = row\.copy\(\)"):
            row[0] = 5.0
        row = row.copy()
        row[0] = 5.0
        assert h.data[0, 0] != 5.0 == row.data.flat[0]


def _assigned(x: Any) -> Any:
    out = autolab.zeros(3, 2)  # type: ignore[attr-defined]
    for t in range(3):
        out[t] = np.tanh(x[t])
    before = out * 1
    out[1, 0] = 2.0
    out[:, 1] *= 3
    out[[0, 0], [0, 0]] = x[:2, 1]  # the last that comes to a place stays
    out[2] = x[:1] * 2
    return (out**2).sum() + before.sum()


def _joined(x: Any) -> Any:
    y = np.tanh(x)
    out = np.stack([np.stack([x[1, 1], 3 * y[0, 1]]), np.stack([2.0, 3 * y[1, 1]]), x[0] * 2])
    return (out**2).sum() + y.sum()


def test_assigned_elements_have_their_gradients() -> None:
    x0 = np.random.default_rng(0).normal(size=(3, 2))
    for one, other in ((_assigned, _joined), (autolab.transforms.grad(_assigned), autolab.transforms.grad(_joined))):
        np.testing.assert_allclose(one(x0).data, other(x0).data)
    np.testing.assert_allclose(
        autolab.transforms.hessian(_assigned)(x0).data, autolab.transforms.hessian(_joined)(x0).data
    )
    names = [step.name for step in autolab.record(_assigned, x0).steps]
    assert {"out[t]", "out[2]"} <= {*names}, names


def test_numbers_are_put_and_added_at_places_along_an_axis() -> None:
    torch: Any = autolab
    x, v = Variable(X(2, 3)), Variable(2 + X(2, 3))
    index = np.array([[1, 1], [0, 1]])
    put, added, rows = x.data.copy(), x.data.copy(), x.data.copy()
    put[[[0, 0], [1, 1]], index] = v.data[:, :2]
    np.add.at(added, ([[0, 0], [1, 1]], index), v.data[:, :2])
    np.add.at(rows, (slice(None), [2, 0, 2]), v.data)
    for y, expected, dx, dv in (
        (x.scatter(1, torch.tensor(index), v), put, [[1, 0, 1], [0, 0, 1]], [[0, 1, 0], [1, 1, 0]]),
        (x.scatter_add(1, index, v), added, np.ones((2, 3)), [[1, 1, 0], [1, 1, 0]]),
        (torch.index_add(x, dim=-1, index=torch.tensor([2, 0, 2]), source=v), rows, np.ones((2, 3)), np.ones((2, 3))),
    ):
        np.testing.assert_allclose(y.data, expected)
        for g, ones in zip(autolab.grad(y.sum(), [x, v]), (dx, dv), strict=True):
            np.testing.assert_array_equal(g.data, ones)
    marked = torch.scatter(torch.zeros(2, 3), dim=1, index=np.array([[1], [2]]), src=7.0)
    np.testing.assert_array_equal(marked.data, [[0, 7, 0], [0, 0, 7]])


def test_more_methods_and_names_of_pytorch() -> None:
    torch: Any = autolab
    data = X(2, 3)
    x: Any = Variable(data)
    for theirs, ours in (
        (x.mul(2).add(1).sub(data).div(4).neg(), -(data * 2 + 1 - data) / 4),
        (x.repeat_interleave(2, dim=0), np.repeat(data, 2, axis=0)),
        (torch.repeat_interleave(x, 2, dim=1), np.repeat(data, 2, axis=1)),
        (x.exp().rsqrt(), np.exp(-data / 2)),
        (x.clamp_min(0.5), np.maximum(data, 0.5)),
        (torch.split(x, [1, 2], dim=1)[1], data[:, 1:]),
        (torch.split(x, 2, dim=-1)[1], data[:, 2:]),
        (torch.split(x, [1], 1)[1], data[:, 1:]),
        (torch.linalg.norm(x, dim=1, keepdim=True), np.linalg.norm(data, axis=1, keepdims=True)),
        (x.narrow(-1, 1, 2), data[:, 1:3]),
        (x.select(1, 2), data[:, 2]),
        (x.masked_select(x > 0), data[data > 0]),
        (x.mv(data[0]), data @ data[0]),
        (torch.addmm(np.ones((2, 2)), x, data.T), 1 + data @ data.T),
        (torch.triu(x, diagonal=1), np.triu(data, 1)),
        (torch.linspace(0, 1, steps=3), [0, 0.5, 1]),
        (torch.as_tensor(data[0]), data[0]),
        (torch.inverse(data[:, :2]), np.linalg.inv(data[:, :2])),
        (torch.hstack([x, x]), np.hstack([data, data])),
        (x.new_ones(2, 2), np.ones((2, 2))),
        (x.atan(), np.arctan(data)),
        (torch.lerp(x, data + 1, 0.5), data + 0.5),
        (x.view_as(data.T), data.reshape(3, 2)),
        (x[:1].expand_as(x), np.tile(data[0], (2, 1))),
        (x.where(x > 0, -x), np.abs(data)),
        (x[None].flatten(0, 1), data),
        (nn.Flatten(1, 2)(x[None, :, None]), data.reshape(1, 2, 3)),
        (nn.PReLU()(x), np.where(data > 0, data, data / 4)),
        (nn.CosineSimilarity()(x, 2 * x), [1, 1]),
        (nn.LayerNorm((2, 3), eps=0.0)(x), (data - data.mean()) / data.std()),
    ):
        np.testing.assert_allclose(theirs.data, ours)
    assert x.type_as(torch.ones(1).half()).dtype == x.type("float16").dtype == np.float16
    assert x.element_size() * x.nelement() == data.nbytes
    assert x.equal(data.copy()) and not x.equal(data + 1)
    with no_grad(), torch.enable_grad():
        assert torch.is_grad_enabled()
    assert torch.is_tensor(x) and not torch.is_tensor(data) and torch.numel(x) == 6


def test_numbers_of_a_value_without_a_graph_can_be_assigned() -> None:
    w, g = Variable([1.0, 2.0]), autolab.zeros(2)  # type: ignore[attr-defined]
    (w * w).sum().backward()
    w.data = w.data - 0.5 * w.grad
    np.testing.assert_array_equal(w.data, 0)
    w.data = g
    assert type(w.data) is np.ndarray
    with pytest.raises(TypeError, match=r"Variable\.data: got a Variable"):
        w.data = w * 2


def test_a_batch_of_an_iterator_and_what_a_state_is_loaded_with(tmp_path: Path) -> None:
    batch = next(autolab.data.SerialIterator(autolab.data.TupleDataset(np.ones((4, 2)), np.arange(4)), 2))
    assert autolab.data.concat_examples(batch, device=-1) is batch  # type: ignore[call-arg]
    autolab.save(nn.Linear(2, 1).state_dict(), tmp_path / "a.npz")  # type: ignore[attr-defined]
    assert "weight" in autolab.load(tmp_path / "a.npz", map_location="cpu", weights_only=True)  # type: ignore[attr-defined]


def test_reports_and_matrices_are_saved_and_steps_are_walked(tmp_path: Path) -> None:
    autolab.check_gradients(np.tanh, 1.0).save(tmp_path / "check.html")
    autolab.plots.show_hessian(lambda x: x * x, 1.0).save(tmp_path / "hessian.svg")
    assert "<svg" in (tmp_path / "hessian.svg").read_text() and "tanh" in (tmp_path / "check.html").read_text()
    recording = autolab.record(lambda y: y + 1, 2.0)
    assert [*recording] == [*recording.steps] and recording["y"] is recording.steps[0]


def test_vjp_as_jax_and_torch_call_it() -> None:
    value, pull = autolab.vjp(lambda x, y: x * y, X(3), 2.0)  # type: ignore[attr-defined]
    assert value.shape == (3,) and [g.shape for g in pull(np.ones(3))] == [(3,), ()]
    (g,) = autolab.func.vjp(lambda x: (x * x).sum(), X(3))[1](1.0)  # type: ignore[attr-defined]
    np.testing.assert_allclose(g.data, 2 * X(3))


def test_numerical_gradients_of_a_function_as_in_dezero() -> None:
    x = Variable(X(3))
    np.testing.assert_allclose(autolab.numerical_grad(lambda x: (x**2).sum(), x), 2 * X(3), rtol=1e-6)
    np.testing.assert_allclose(autolab.numerical_grad(lambda: x**2, x), 2 * X(3), rtol=1e-6)
    a, b = autolab.numerical_grad(lambda a, b: a * b, (X(2), np.array([3, 4])))
    np.testing.assert_allclose(a, [3, 4])
    np.testing.assert_allclose(b, X(2))
    np.testing.assert_array_equal(x.data, X(3))


def test_a_graph_ends_where_it_is_unchained() -> None:
    x: Any = Variable(2.0)
    h = x * x
    h.unchain()
    (h * h).backward()
    assert h.grad.data == 8 and x.grad is None


def test_whole_channels_are_dropped() -> None:
    y = nn.Dropout2d(0.5)(Variable(np.ones((20, 4, 2, 2)))).data
    assert {*y.mean(axis=(2, 3)).ravel()} == {0.0, 2.0} and not y.std(axis=(2, 3)).any()


def test_check_grads_raises() -> None:
    @autolab.elementwise(x=lambda g, y: -g * y)
    def wrong(xp: Any, x: Any) -> Any:
        return xp.exp(x)

    autolab.check_grads(np.tanh, (X(3),), order=2, modes=["rev"])  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="wrong"):
        autolab.check_grads(wrong, X(3))  # type: ignore[attr-defined]


def test_weights_of_classes_may_be_a_variable() -> None:
    scores, t, weights = X(4, 3), np.array([0, 1, 2, 1]), autolab.tensor([1.0, 2.0, 3.0])  # type: ignore[attr-defined]
    loss = nn.CrossEntropyLoss(weight=weights)(Variable(scores), t)
    assert loss.data == F.softmax_cross_entropy(scores, t, class_weight=weights.data)


def test_a_chart_of_numbers_alone() -> None:
    for chart in (autolab.plots.line_chart([3.0, 1.0], title="loss"), autolab.plots.line_chart([0, 1], [3.0, 1.0])):
        assert chart.x.tolist() == [0, 1] and [line.tolist() for line in chart.lines.values()] == [[3, 1]]


def test_a_module_that_is_added_to_a_sequential_computes() -> None:
    model: Any = L.Sequential()
    model.add_module("first", nn.Linear(3, 4))
    assert len(model) == 1 and model(Variable(X(2, 3))).shape == (2, 4)


def test_who_says_requires_grad_of_a_computed_value_sees_its_gradient() -> None:
    x = Variable(X(3))
    y = (x * 2).requires_grad_(True)
    (y * y).sum().backward()
    np.testing.assert_allclose(y.grad.data, 4 * X(3))
    assert (x * 2).requires_grad and x.grad is not None


def test_jacobians_by_argnums() -> None:
    x, y = X(3), X(2)
    jx, jy = autolab.jacobian(lambda x, y: x[:2] * y, argnums=(0, 1))(x, y)  # type: ignore[attr-defined]
    np.testing.assert_allclose(jy.data, np.diag(x[:2]))
    hessian = autolab.hessian(lambda x, y: (x[:2] * y**2).sum(), argnums=1)(x, y)  # type: ignore[attr-defined]
    np.testing.assert_allclose(hessian.data, np.diag(2 * x[:2]))
    assert jx.shape == (2, 3) and np.linalg.matrix_rank(jx) == 2


def test_a_path_of_rows_over_a_surface_of_numbers() -> None:
    bowl = autolab.plots.surface(lambda a, b: a**2 + b**2, (0.0, 0.0), path=np.array([[1.0, 1.0], [0.5, 0.2]]))
    np.testing.assert_allclose(bowl.path_values, [2, 0.29])


COMPOSED: list[Any] = [
    lambda x: (np.extract([[True, False], [False, True]], x) ** 2).sum(),
    lambda x: np.polyval([2.0, 1.0, 3.0], x).sum(),
    lambda x: np.polyval(x[0], x[1, 0]),
    lambda x: np.linalg.cond(x),
    lambda x: x.diag().sum() + x.rot90()[0, 0] + x.amax(),
]


@pytest.mark.parametrize("function", COMPOSED)
def test_further_functions_of_numpy_have_gradients(function: Any) -> None:
    report = autolab.check_gradients(function, np.array([[0.5, 2.5], [1.5, 0.25]]))
    assert report.passed and report.ok, report  # type: ignore[attr-defined]


def test_what_pytorchs_users_ask_of_a_layer() -> None:
    torch: Any = autolab
    nn: Any = torch.nn

    class Net(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.in_features = 3
            self.register_buffer("pe", torch.zeros(1, 4, 2))

    net, conv = Net(), nn.Conv2d(2, 6, 3, padding=1, groups=2)
    assert net.in_features == 3 and nn.Linear(3, 5).out_features == 5
    assert (conv.in_channels, conv.out_channels, conv.kernel_size, conv.padding) == (2, 6, (3, 3), 1)
    assert net.pe[:, :2].requires_grad_(False).shape == (1, 2, 2) and net.pe.clone().norm() == 0
    kept = {name: value.clone() for name, value in net.state_dict().items()}
    assert not kept["pe"].requires_grad and not net.load_state_dict(kept).missing_keys
    x = Variable([[1.0, 2.0, 5.0], [3.0, 4.0, 0.0]])
    np.testing.assert_allclose(x.std(-1, keepdim=True).data, x.data.std(-1, keepdims=True, ddof=1))  # type: ignore[call-arg]
    w = autolab.Parameter(np.ones(2))
    optimizer: Any = autolab.optimizers.Adam().setup([w])
    optimizer.alpha = 0.5
    w.grad = np.ones(2)
    optimizer.update()
    np.testing.assert_allclose(w.data, 0.5, rtol=1e-6)


def test_axes_and_orders_are_given_as_in_pytorch() -> None:
    x = Variable(X(2, 3, 4))
    for y in (x.permute(2, 0, 1), x.permute((2, 0, 1)), x.permute(dims=[2, 0, 1])):
        np.testing.assert_array_equal(y.data, x.data.transpose(2, 0, 1))
    with pytest.raises(ValueError, match=r"axes=\(1, 0\): expected each axis once"):
        x.permute(1, 0)  # which of NumPy's swap two
    for places in (x.argsort(dim=1, descending=True), x.argsort(1, descending=True)):
        np.testing.assert_array_equal(places, np.argsort(-x.data, axis=1, kind="stable"))
    np.testing.assert_array_equal(x.argsort(), np.argsort(x.data))
    for layer in (nn.MaxPool2d(2, ceil_mode=True), nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False)):
        assert layer(x.reshape(1, 2, 3, 4)).shape == (1, 2, 2, 2)
    with pytest.raises(TypeError, match=r"ceil_mode.*nn\.functional\.max_pool2d\(x, kernel, ceil_mode=True\)"):
        F.max_pool2d(x.reshape(1, 2, 3, 4), 2, ceil_mode=True)
    averages = np.zeros(3), np.ones(3)
    nn.functional.batch_norm(x, *averages, training=True, momentum=0.5)
    np.testing.assert_allclose(averages[0], x.data.mean(axis=(0, 2)) / 2)


def test_parts_of_a_model_are_named_and_found_as_in_the_facade() -> None:
    from autolab.compat import torch

    for kind in (nn, torch.nn):
        shared = kind.Linear(2, 2)
        model = kind.Sequential(kind.Linear(3, 2), shared, kind.Sequential(shared, kind.BatchNorm1d(2)))
        names = [name for name, _ in model.named_parameters("net")]
        assert names == [
            f"net.{name}" for name in ("0.weight", "0.bias", "1.weight", "1.bias", "2.1.weight", "2.1.bias")
        ]
        assert len(dict(model.named_parameters(remove_duplicate=False))) == 8
        assert not list(model.named_parameters(recurse=False))
        assert {name for name, _ in model.named_buffers()} >= {"2.1.running_mean", "2.1.running_var"}
        assert [name for name, _ in model.named_modules()] == ["", "0", "1", "2", "2.1"]
        assert model.get_parameter("1.weight") is model[1].weight and model.get_submodule("2.0") is shared
        with pytest.raises(AttributeError, match="no link '7'; there are 0, 1"):
            model.get_submodule("7")
