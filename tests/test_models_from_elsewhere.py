"""Hooks, states, calls and data of PyTorch and JAX: they are there, and do what they do in those libraries."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, grad, nn, optim  # type: ignore[attr-defined]
from autolab import functions as F
from autolab import links as L
from autolab.engine.store import gradient_hooks


def X(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


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


def test_hooks_are_called_in_order_for_all_uses_of_a_value() -> None:
    """Before or after it is used, one of several results, retained, in passes of all kinds: as in PyTorch."""
    x = Variable([1.0, 2.0])
    for first, later, keeps in itertools.product((False, True), repeat=3):
        y, seen = x * 3, []
        used = y * 1 if first else 0
        see = lambda g: seen.append(g.tolist())  # noqa: B023, E731
        for hook in (see, lambda g: 2 * g, see):
            y.register_hook(hook)
        if keeps:
            y.retain_grad()
        total = (used + (2 * y if later or not first else 0)).sum()
        n = first + 2 * (later or not first)
        x.cleargrad()
        total.backward()
        assert seen == [[n, n], [2 * n, 2 * n]] and x.grad.data.tolist() == [6 * n, 6 * n]
        assert y.grad.data.tolist() == [2 * n, 2 * n] if keeps else y.grad is None
        (again,) = autolab.grad([total], [x], create_graph=True)
        assert again.data.tolist() == [6 * n, 6 * n]
    matrix = Variable(np.diag([1.0, 4.0]))
    values, vectors = np.linalg.eigh(matrix)  # a function with several results
    values.register_hook(lambda g: 5 * g).remove()
    values.register_hook(lambda g: 3 * g)
    (values.sum() + vectors[0, 0] * 0).backward()
    np.testing.assert_allclose(matrix.grad.data, 3 * np.eye(2))
    del values, vectors, y, total, used
    assert not gradient_hooks


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
    made = pytest.raises(RuntimeError, match="sqrt: its backward produced NaN")
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
    assert found.unexpected_keys == ["head.weight"] and "fc.bias" in found.missing_keys
    assert (other.fc.W.data == net.fc.W.data).all()
    with pytest.raises(ValueError, match=r"the loaded state lacks W, bn\.bias, bn\.running_mean"):
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


@pytest.mark.parametrize("name", ["0.weight", "1/W"])
def test_functional_call_replaces_a_shared_parameter_in_all_its_places(name: str) -> None:
    layers = [L.Linear(1, 1, nobias=True) for _ in range(2)]
    layers[1].W = layers[0].W
    net, kept = L.Sequential(*layers), layers[0].W
    w = Variable([[3.0]])
    y = autolab.func.functional_call(net, {name: w}, np.array([[1.0]]))  # type: ignore[attr-defined]
    assert y.item() == 9 and grad(y, w).item() == 6
    assert net[0].W is net[1].W is kept
    with pytest.raises(ValueError, match=r"^functional_call: there is no parameter '2.weight'; expected 0/W, 1/W$"):
        autolab.func.functional_call(net, {"2.weight": w}, np.array([[1.0]]))  # type: ignore[attr-defined]


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


@pytest.mark.parametrize("averaged", [True, False])
def test_gradients_flow_through_the_weights_of_attention(averaged: bool) -> None:
    x, link = X(2, 3, 4).astype(np.float64), L.MultiheadAttention(4, 2).double()
    alone = Variable(x)

    def sharpness(x: Any) -> Any:
        return (link(x, x, x, average_attn_weights=averaged)[1] ** 2).sum()

    sharpness(alone).backward()
    assert alone.grad.data.any() and link.query.W.grad.data.any() and link.value.W.grad is None
    assert autolab.check_gradients(sharpness, x).passed
    assert type(link.weights) is np.ndarray


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

    first, second = autolab.datasets.split_dataset_random(Points(), 4, seed=0)  # type: ignore[attr-defined]
    again, _ = autolab.datasets.split_dataset_random(Points(), 4, seed=0)  # type: ignore[attr-defined]
    assert [i for _, i in first] == [i for _, i in again]
    assert len(first) == 4 and sorted([i for part in (first, second) for _, i in part]) == list(range(10))
    train, rest = autolab.data.random_split(Points(), [7, 3])
    batches = [*autolab.data.DataLoader(train, batch_size=2, drop_last=True, num_workers=2)]
    assert len(batches) == 3 and len(rest) == 3 and isinstance(batches[0][0], Variable)
    found = [i for part in (train, rest) for i in part.indices.tolist()]
    assert sorted(found) == list(range(10))
    with pytest.raises(ValueError, match="a sum of 10, or shares with a sum of 1"):
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
    single = a.astype(np.float32)
    assert function(Variable(single), axis=1).dtype == function(single, axis=1).dtype


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


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda o: optim.StepLR(o, 0), "StepLR: step_size is 0; expected a number of at least 1"),
        (lambda o: optim.CosineAnnealingLR(o, 0), "CosineAnnealingLR: T_max is 0; "),
        (lambda o: optim.CosineAnnealingWarmRestarts(o, 0), "CosineAnnealingWarmRestarts: T_0 is 0; "),
        (lambda o: optim.CosineAnnealingWarmRestarts(o, 2, 0), "CosineAnnealingWarmRestarts: T_mult is 0; "),
        (lambda o: optim.LinearLR(o, total_iters=0), "LinearLR: total_iters is 0; "),
        (lambda o: optim.PolynomialLR(o, 0), "PolynomialLR: total_iters is 0; "),
        (lambda o: optim.ReduceLROnPlateau(o, factor=10), "ReduceLROnPlateau: factor is 10; .* below 1"),
    ],
)
def test_schedulers_refuse_lengths_without_an_epoch(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        make(optim.SGD([Parameter([1.0])]))


def test_a_scheduler_needs_a_learning_rate_that_is_a_number() -> None:
    optimizer = optim.SGD([Parameter([1.0])], lr=optim.schedules.cosine(0.1, 10))
    with pytest.raises(TypeError, match=r"^StepLR: the optimizer's lr is a schedule; expected a number"):
        optim.StepLR(optimizer, 2)


def test_one_cycle_may_begin_at_its_largest_rate() -> None:
    optimizer = optim.SGD([Parameter([1.0])])
    optim.OneCycleLR(optimizer, max_lr=0.5, total_steps=10, pct_start=0.1)
    assert optimizer.lr == 0.5


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


def test_products_of_pytorchs_functional_come_with_the_value() -> None:
    functional, x, v = autolab.autograd.functional, np.array([1.0, 2.0]), np.array([1.0, 10.0])  # type: ignore[attr-defined]
    for product in (functional.hvp, functional.vhp):
        value, found = product(lambda x: (x**3).sum(), x, v)
        assert value.data == 9 and found.data.tolist() == [6, 120]
    value, found = functional.vjp(lambda x: x**2, x, v)
    assert value.data.tolist() == [1, 4] and found.data.tolist() == [2, 40]
    counts = (np.array([[1, 3, 3], [0, 3, 1]]) == Variable([[3.0]])).sum(dim=1)  # type: ignore[attr-defined]
    assert (counts >= 2).long().tolist() == [1, 0]
