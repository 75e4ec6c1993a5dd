"""What users of other libraries type first works: training, seeds and pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Parameter, Variable, optimizers
from autolab import functions as F
from autolab import links as L
from autolab.authoring import ContextFunction
from autolab.engine.backward import retained

X = np.arange(6.0).reshape(2, 3)


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
    np.testing.assert_array_equal(y.grad.data, [5, 9])  # as PyTorch, whose name it is, adds them up
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
    with pytest.raises(ValueError, match=r"what it is loaded into lacks rest.1.weight; nothing was loaded"):
        net.load_state_dict(theirs | {"rest.1.weight": np.ones(2)})
    with pytest.raises(ValueError, match=r"the loaded state lacks fc1.weight; nothing was loaded"):
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
    assert np.unwrap(x.detach()).shape == X.shape
    with pytest.raises(autolab.NoGradientError, match=r"numpy.unwrap has no gradient"):
        np.unwrap(x)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: autolab.jacobian(np.tanh, 1.0), r"jacobian: wrt is 1.0; expected the position or the name"),
        (lambda: autolab.graph(np.tanh), r"write record\(..., x=...\)"),
    ],
)
def test_what_was_meant_is_named(call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call()
