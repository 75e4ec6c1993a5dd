"""What users of other libraries type first works: their keywords, and their names of modules."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, grad, optimizers
from autolab import functions as F
from autolab import links as L

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
    "glu": (lambda v: F.glu(v, dim=0), lambda v: F.glu(v, axis=0)),
    "cross": (lambda v: F.cross(v, v + 1, dim=1), lambda v: F.cross(v, v + 1, axis=1)),
    "quantile": (
        lambda v: F.quantile(v, 0.3, dim=1, keepdim=True),
        lambda v: F.quantile(v, 0.3, axis=1, keepdims=True),
    ),
    "p": (
        lambda v: F.dropout(v, p=0.25, rng=np.random.default_rng(0)),
        lambda v: F.dropout(v, 0.25, rng=np.random.default_rng(0)),
    ),
}


@each("name", SAME_CALLS)
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
    assert type(optimizer) is optimizers.SGD  # with PyTorch's momentum
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
        "assert nn is same is autolab.nn and nn.__spec__.name == 'autolab.links.nn'\n"
        "assert issubclass(nn.Linear, nn.linear.Linear)\n"
        "from autolab.autograd.functional import jacobian\n"
        "assert jacobian is autolab.transforms.jacobian\n"
        "from autolab.nn.utils.rnn import pad_sequence as pad\n"
        "assert pad is autolab.links.utils.rnn.pad_sequence is nn.utils.rnn.pad_sequence\n"
        "assert sys.modules['autolab.nn.linear'] is autolab.links.linear\n"
        "assert F.relu is autolab.functions.relu is nn.functional.relu is nn.relu and optim is autolab.optimizers\n"
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
    assert not (x * 2.0).zero_().data.any()


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


FLOATS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("array", "asarray", "tensor", "as_tensor", "asanyarray"), ([0.5, 2.0],)),
    **dict.fromkeys(("arange", "linspace", "logspace", "geomspace"), (1.0, 2.0, 3)),
    **dict.fromkeys(("rand", "randn"), (2,)),
    "from_numpy": (np.ones(2),),
}


@each("name", FLOATS)
def test_floats_require_a_gradient(name: str) -> None:
    x = getattr(autolab, name)(*FLOATS[name])
    F.sum(x**2).backward()
    np.testing.assert_array_equal(x.grad.data, 2 * x.data)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "eye", "identity"])
def test_what_fills_an_array_requires_a_gradient_where_it_is_told_to(name: str) -> None:
    made = getattr(autolab, name)(2)
    assert isinstance(made, Variable) and not made.requires_grad
    with pytest.raises(RuntimeError, match=r"zeros\(n\) does with requires_grad=True"):
        F.sum(made**2).backward()
    assert getattr(autolab, name)(2, requires_grad=True).requires_grad


def test_an_array_is_a_copy_and_stays_in_its_graph() -> None:
    numbers = np.array([1.0, 2.0])
    x, shared = autolab.array(numbers), autolab.asarray(numbers)
    numbers[0] = 5.0
    assert x.data.tolist() == [1, 2] and shared.data.tolist() == [5, 2] and autolab.asarray(x) is x
    for make in (autolab.array, autolab.asarray, autolab.tensor):
        x.cleargrad()
        make([x, 3 * x]).sum().backward()
        np.testing.assert_array_equal(x.grad.data, [4, 4])
    assert autolab.array(x).creator is not None and autolab.tensor(x).creator is None
    assert not autolab.array([x, x], requires_grad=False).requires_grad
    assert autolab.array([1.0], ndmin=2).shape == (1, 1) and autolab.array([1, 0]).dtype.kind == "i"
    assert type(autolab.numpy.array([1.0])) is type(autolab.numpy.asarray([1.0])) is np.ndarray


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
