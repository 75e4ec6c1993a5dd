"""The statements of the introduction to Chainer (CI): Variables, links, optimizers, files, training."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import autolab.compat.chainer as chainer
import autolab.compat.chainer.functions as F
import autolab.compat.chainer.links as L
from autolab.compat.chainer import datasets, iterators, optimizers, serializers, training
from autolab.compat.chainer.training import extensions
from autolab.data import DownloadError

f32 = np.float32


@pytest.mark.source("CI-01", "CI-02", "CI-03", "CI-05", "X3")
def test_a_polynomial_at_five():
    x = chainer.Variable(np.array([5], f32))
    z = 2 * x
    y = x**2 - z + 1
    assert repr(y) == "variable([16.])" and y.data.dtype == f32
    y.backward()
    np.testing.assert_array_equal(x.grad, [8])
    assert z.grad is None
    y.backward(retain_grad=True)
    np.testing.assert_array_equal(z.grad, [-1])


@pytest.mark.source("CI-04", "CI-06", "X1", "X2")
def test_more_than_one_element_needs_a_start_gradient():
    x = chainer.Variable(np.array([[1, 2, 3], [4, 5, 6]], f32))
    y = x**2 - 2 * x + 1
    with pytest.raises(RuntimeError, match=r"6 elements.*y\.grad"):
        y.backward()
    y.grad = np.ones((2, 3), f32)
    y.backward()
    np.testing.assert_array_equal(x.grad, [[0, 2, 4], [6, 8, 10]])
    np.testing.assert_array_equal(y.grad, np.ones((2, 3)))


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        ([1, 2], TypeError, "list"),
        (1.0, TypeError, "float"),
        (np.ones(3, f32), ValueError, r"shape \(3,\)"),
        (np.ones(2), TypeError, "float64"),
        (np.ones(2, np.int64), TypeError, "int64"),
    ],
)
def test_a_start_gradient_has_the_shape_and_dtype_of_its_variable(value, kind, said):
    x = chainer.Variable(np.zeros(2, f32))
    with pytest.raises(kind, match=rf"Variable\.grad: got .*{said}"):
        x.grad = value


@pytest.mark.source("CI-07", "CI-08", "CI-09")
def test_linear_is_a_function_of_its_parameters():
    f = L.Linear(3, 2)
    assert f.W.data.dtype == f32 and f.W.shape == (2, 3) and not f.b.data.any()
    x = chainer.Variable(np.array([[1, 2, 3], [4, 5, 6]], f32))
    y = f(x)
    np.testing.assert_allclose(y.data, x.data.dot(f.W.data.T) + f.b.data, rtol=1e-6)
    np.testing.assert_array_equal(F.linear(x, f.W, f.b).data, y.data)
    f.cleargrads()
    for expected in (1, 2):  # they add up
        y.grad = np.ones((2, 2), f32)
        y.backward()
        np.testing.assert_array_equal(f.W.grad, np.array([[5, 7, 9], [5, 7, 9]]) * expected)
        np.testing.assert_array_equal(f.b.grad, np.array([2, 2]) * expected)


@pytest.mark.source("CI-10")
@pytest.mark.parametrize("arguments", [(2,), (None, 2)])
def test_sizes_come_with_the_first_batch(arguments):
    g = L.Linear(*arguments)
    assert g.W.data is None and repr(g.W) == "variable W(None)" and g.W.grad is None
    g(np.ones((4, 3, 5), f32))
    assert g.W.shape == (2, 15)


class MLP(chainer.Chain):
    def __init__(self, n_units: int, n_out: int) -> None:
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_units)
            self.l3 = L.Linear(None, n_out)

    def __call__(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


@pytest.mark.source("CI-11", "CI-22")
def test_chains_register_inside_init_scope_alone():
    chain = MLP(5, 2)
    chain.outside = L.Linear(2, 2)
    chain.number = 3
    assert [path for path, _ in chain.namedparams()] == [f"/l{i}/{name}" for i in (1, 2, 3) for name in "Wb"]
    row = chainer.ChainList(L.Linear(4, 3), L.Linear(3, 2))
    assert row[1](row[0](np.ones((1, 4), f32))).shape == (1, 2) and len(list(row.params())) == 4
    assert type(row[0].W) is chainer.Parameter
    for copied in (row.copy(), row.copy("copy"), chain.copy("init")):
        assert {type(p) for p in copied.params()} == {chainer.Parameter}


@pytest.mark.source("CI-12", "CI-13", "CI-14", "CI-15")
def test_the_two_uses_of_an_optimizer_and_hooks_between():
    model = L.Linear(2, 1, initialW=1.0)
    optimizer = optimizers.SGD()
    assert optimizer.lr == 0.01 and optimizer.setup(model) is optimizer
    heard = []
    optimizer.add_hook(chainer.optimizer.WeightDecay(0.5))
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(100.0))
    optimizer.add_hook(lambda opt: heard.append(model.W.grad.copy()), "listens")
    optimizer.lr = 1.0
    model.cleargrads()
    F.sum(model(np.array([[1, 2]], f32))).backward()
    optimizer.update()
    np.testing.assert_allclose(heard[0], [[1.5, 2.5]])
    np.testing.assert_allclose(model.W.data, [[-0.5, -1.5]])
    optimizer.remove_hook("WeightDecay")
    optimizer.update(lambda x: F.sum(model(x)), np.array([[1, 2]], f32))
    np.testing.assert_allclose(model.W.data, [[-1.5, -3.5]])
    model.disable_update()
    optimizer.update(lambda x: F.sum(model(x)), np.array([[1, 2]], f32))
    np.testing.assert_allclose(model.W.data, [[-1.5, -3.5]])
    assert not model.update_enabled and optimizer.t == 3


def test_hooks_for_each_parameter_and_after_the_update():
    class Each:
        name, call_for_each_param = "each", True

        def __init__(self):
            self.heard = []

        def __call__(self, rule, param):
            self.heard.append((param.name, float(param.data.sum()), rule.hyperparam.lr))

    model, before, after = L.Linear(2, 1, initialW=1.0), Each(), Each()
    optimizer = optimizers.SGD(1.0).setup(model)
    optimizer.add_hook(before)
    optimizer.add_hook(after, timing="post")
    optimizer.update(lambda: F.sum(model(np.ones((1, 2), f32))))
    assert before.heard == [("W", 2.0, 1.0), ("b", 0.0, 1.0)] and after.heard == [("W", 0.0, 1.0), ("b", -1.0, 1.0)]


@pytest.mark.source("CI-17", "CI-18", "CI-19")
@pytest.mark.parametrize("kind", ["npz", "hdf5"])
def test_models_and_optimizers_come_back_from_files(tmp_path, kind):
    save, load = getattr(serializers, f"save_{kind}"), getattr(serializers, f"load_{kind}")

    def made():
        model = L.Classifier(MLP(5, 2))
        return model, optimizers.MomentumSGD(lr=0.1).setup(model)

    x, t = np.random.default_rng(0).normal(size=(8, 3)).astype(f32), np.arange(8) % 2
    (model, optimizer), (twin, other) = made(), made()
    for _ in range(2):
        optimizer.update(model, x, t)
    save(str(tmp_path / "my.model"), model)
    save(str(tmp_path / "my.state"), optimizer)
    load(str(tmp_path / "my.model"), twin)
    load(str(tmp_path / "my.state"), other)
    assert sorted([path.name for path in tmp_path.iterdir()]) == ["my.model", "my.state"] and other.t == 2
    for pair in ((model, optimizer), (twin, other)):
        pair[1].update(pair[0], x, t)
    for a, b in zip(model.params(), twin.params(), strict=True):
        np.testing.assert_array_equal(a.data, b.data)


@pytest.mark.source("CI-20")
def test_mnist_says_which_file_is_missing(monkeypatch, tmp_path):
    def nothing(address, *rest):
        raise DownloadError(f"fetch: {address} cannot be fetched")

    monkeypatch.setattr("autolab.data.mnist.fetch", nothing)
    monkeypatch.setenv("CHAINER_DATASET_ROOT", str(tmp_path))
    with pytest.raises(DownloadError, match="train-images"):
        datasets.get_mnist()
    with pytest.raises(
        AttributeError, match="get_cifar10 is not part of AutoLab's chainer facade; AutoLab downloads only"
    ):
        datasets.get_cifar10()


def test_mnist_is_read_where_chainer_has_stored_it(monkeypatch, tmp_path):
    monkeypatch.setenv("CHAINER_DATASET_ROOT", str(tmp_path))
    folder = Path(chainer.dataset.get_dataset_directory("pfnet/chainer/mnist"))
    for part, count in (("train", 3), ("test", 2)):
        np.savez(folder / f"{part}.npz", x=np.full((count, 784), 51, np.uint8), y=np.arange(count, dtype=np.uint8))
    train, test = datasets.get_mnist(ndim=3, scale=5.0)
    assert (len(train), len(test), train[0][0].shape) == (3, 2, (1, 28, 28))
    assert train[2][0].max() == train[2][0].min() == 1 and train[2][1] == 2
    chainer.dataset.set_dataset_root(str(tmp_path / "elsewhere"))
    assert chainer.dataset.get_dataset_root() == str(tmp_path / "elsewhere")
    chainer.dataset._chosen.clear()
    assert not (tmp_path / "elsewhere").exists()


def test_mnist_in_the_forms_that_chainer_has(monkeypatch, tmp_path):
    from autolab import data

    monkeypatch.setenv("CHAINER_DATASET_ROOT", str(tmp_path))

    part = data.TupleDataset(np.linspace(0, 1, 3 * 784, dtype=f32).reshape(3, 784), np.array([0, 1, 2]))
    monkeypatch.setattr("autolab.data.get_mnist", lambda: (part, part))
    train, _ = datasets.get_mnist()
    x, t = train[1]
    assert len(train) == 3 and x.shape == (784,) and x.dtype == f32 and t == 1 and t.dtype == np.int32
    assert datasets.get_mnist(withlabel=False, ndim=3)[0].shape == (3, 1, 28, 28)
    assert datasets.get_mnist(ndim=2, scale=255.0)[0][2][0].max() == 255
    assert datasets.get_mnist(withlabel=False, ndim=3, rgb_format=True)[0].shape == (3, 3, 28, 28)
    with pytest.raises(ValueError, match="ndim is 4"):
        datasets.get_mnist(ndim=4)


@pytest.mark.source("CI-21")
def test_batches_are_lists_of_examples():
    data = datasets.TupleDataset(np.arange(10).reshape(5, 2), np.arange(5))
    once = iterators.SerialIterator(data, batch_size=2, repeat=False, shuffle=False)
    batches = list(once)
    assert [len(batch) for batch in batches] == [2, 2, 1] and type(batches[0]) is list
    x, t = chainer.dataset.concat_examples(batches[0])
    np.testing.assert_array_equal(x, [[0, 1], [2, 3]])
    np.testing.assert_array_equal(t, [0, 1])
    endless = iterators.SerialIterator(data, 2)
    assert sorted([int(t) for _ in range(5) for _, t in endless.next()]) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    np.random.seed(0)
    first = iterators.SerialIterator(data, 5).next()
    np.random.seed(0)
    assert [t for _, t in iterators.SerialIterator(data, 5).next()] == [t for _, t in first]


@pytest.mark.source("CI-16", "CI-23", "CI-24", "CI-25", "CI-26", "CI-27", "CI-28")
def test_the_training_of_the_document(tmp_path, capsys):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4)).astype(f32)
    everything = datasets.TupleDataset(x, (x.sum(axis=1) > 0).astype(np.int32))
    train, test = datasets.split_dataset(everything, 40)
    np.random.seed(0)
    model = L.Classifier(MLP(10, 2))
    model.to_device("@numpy")
    optimizer = optimizers.SGD(lr=0.5).setup(model)
    modes = []

    class Watch(chainer.Link):
        def forward(self, y, t):
            modes.append(chainer.config.train)
            return F.softmax_cross_entropy(y, t)

    model.lossfun = Watch()
    updater = training.StandardUpdater(iterators.SerialIterator(train, 10), optimizer)
    trainer = training.Trainer(updater, (5, "epoch"), out=tmp_path / "result")
    batches = iterators.SerialIterator(test, 10, repeat=False, shuffle=False)
    trainer.extend(extensions.Evaluator(batches, model))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "validation/main/accuracy"]))
    trainer.extend(extensions.dump_graph("main/loss"))
    trainer.extend(extensions.snapshot(filename="at_{.updater.epoch}"), trigger=(5, "epoch"))
    trainer.extend(extensions.snapshot_object(model, "model_{.updater.iteration}"), trigger=(5, "epoch"))
    trainer.run()
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["epoch", "main/loss", "validation/main/accuracy"] and len(printed) == 6
    log = json.loads((tmp_path / "result" / "log").read_text())
    assert log[-1]["validation/main/accuracy"] > 0.8 and log[-1]["iteration"] == 20
    assert (tmp_path / "result" / "cg.dot").read_text().startswith("digraph")
    assert (tmp_path / "result" / "at_5").exists() and (tmp_path / "result" / "model_20").exists()
    assert modes.count(True) == 20 and modes.count(False) == 10
    serializers.load_npz(tmp_path / "result" / "model_20", L.Classifier(MLP(10, 2)))


def test_an_updater_whose_core_is_written_anew(tmp_path):
    class Two(training.StandardUpdater):
        def update_core(self):
            batch = self.converter(self.get_iterator("main").next(), self.device)
            for name in ("a", "b"):
                optimizer = self.get_optimizer(name)
                optimizer.update(lambda o=optimizer: F.sum(o.target(batch)))
            chainer.report({"seen": len(batch)})

    links = {"a": L.Linear(2, 1), "b": L.Linear(2, 1)}
    both = {name: optimizers.SGD().setup(link) for name, link in links.items()}
    batches = iterators.SerialIterator(np.ones((4, 2), f32), 2)
    trainer = training.Trainer(Two(batches, both), (3, "iteration"), out=tmp_path)
    trainer.run()
    assert trainer.updater.iteration == 3 and [o.t for o in both.values()] == [3, 3]
    assert trainer.observation == {"seen": 2}


def test_extensions_of_the_same_name_are_numbered_and_functions_may_bring_more(tmp_path):
    heard = []

    @training.make_extension(trigger=(1, "epoch"), initializer=lambda trainer: heard.append("begins"))
    def note(trainer):
        heard.append(trainer.updater.epoch)

    model = L.Classifier(L.Linear(2, 2))
    data = datasets.TupleDataset(np.eye(2, dtype=f32), np.arange(2))
    updater = training.StandardUpdater(iterators.SerialIterator(data, 1), optimizers.SGD().setup(model))
    trainer = training.Trainer(updater, (2, "epoch"), out=tmp_path)
    trainer.extend(note)
    trainer.extend(note)
    trainer.extend(extensions.ExponentialShift("lr", 0.5, init=0.4), trigger=(1, "epoch"))
    trainer.extend(extensions.observe_lr())
    trainer.run()
    assert heard == ["begins", "begins", 1, 1, 2, 2] and trainer.get_extension("note_1") is note
    assert updater.optimizer.lr == pytest.approx(0.1)
    with pytest.raises(ValueError, match="no extension is called 'nothing'"):
        trainer.get_extension("nothing")


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("SGD", {"lr": 0.01}),
        ("MomentumSGD", {"lr": 0.01, "momentum": 0.9}),
        ("NesterovAG", {"lr": 0.01, "momentum": 0.9}),
        ("AdaGrad", {"lr": 0.001, "eps": 1e-8}),
        ("AdaDelta", {"rho": 0.95, "eps": 1e-6}),
        ("RMSprop", {"lr": 0.01, "alpha": 0.99, "eps": 1e-8}),
        ("Adam", {"alpha": 0.001, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "eta": 1.0, "weight_decay_rate": 0.0}),
    ],
)
def test_optimizers_have_chainers_numbers_and_go_down(name, numbers):
    optimizer = getattr(optimizers, name)()
    assert optimizer.hyperparam.get_dict() == numbers
    point = chainer.Link(x=(3,))
    point.x.data[...] = [1.0, -2.0, 0.5]
    optimizer.setup(point)
    before = point.x.data.copy()
    for _ in range(3):
        optimizer.update(lambda: F.sum(point.x**2))
    assert (abs(point.x.data) < abs(before)).all() and point.x.dtype == f32


def test_first_steps_of_the_rules_that_autolab_has_not():
    def first(optimizer):
        point = chainer.Link(x=(1,))
        point.x.data[...] = 1
        optimizer.setup(point)
        found = []
        for _ in range(2):
            point.x.grad = np.full(1, 2, f32)
            optimizer.update()
            found.append(float(point.x.data[0]))
        return found

    # Chainer's decay is not multiplied by alpha: 1 - 0.5 * (0.001 + 0.1)
    assert first(optimizers.Adam(eta=0.5, weight_decay_rate=0.1))[0] == pytest.approx(0.9495, rel=1e-6)
    assert first(optimizers.AdamW(alpha=0.0, weight_decay_rate=0.1)) == pytest.approx([0.9, 0.81])
