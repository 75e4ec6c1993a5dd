"""The statements on Chainer's checks (CK), and `chainer.testing`."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autolab.compat.chainer as chainer
import autolab.compat.chainer.functions as F
from autolab.compat import torch
from autolab.compat.chainer import gradient_check, testing
from autolab.compat.chainer.testing import _cases, attr, condition

f32 = np.float32


@pytest.mark.source("CK-01", "CK-02")
def test_numerical_grad_moves_arrays_under_a_closure_and_restores_them():
    x, weights = np.array([1.0, 2.0]), np.array([1.0, -2.0])
    before, seen = x.copy(), []

    def f():
        seen.append(x.copy())
        return (x**2,)

    (gx,) = gradient_check.numerical_grad(f, (x,), (weights,), eps=1e-3)
    np.testing.assert_allclose(gx, [2, -8], atol=1e-6)
    np.testing.assert_array_equal(x, before)
    assert any([not np.array_equal(each, before) for each in seen])


def test_numerical_grad_takes_numbers_and_leaves_results_out():
    x = np.array([1.0, 2.0])
    (gx,) = gradient_check.numerical_grad(lambda: (x**2, x), (x,), (1,))
    np.testing.assert_allclose(gx, [2, 4], atol=1e-6)
    (gx,) = gradient_check.numerical_grad(lambda: (x**2, x), (x,), (None, np.ones(2)))
    np.testing.assert_allclose(gx, [1, 1], atol=1e-6)
    with pytest.raises(TypeError, match="'epsilon'"):
        gradient_check.numerical_grad(lambda: (x,), (x,), (1,), epsilon=1)


@pytest.mark.parametrize("kink", [0.0, 4e-4, -7e-4])
def test_numerical_grad_finds_kinks_where_it_is_asked_to(kink: float) -> None:
    x = np.array([1.0, kink], np.float32)
    before = x.copy()

    def grad(f: Any, **options: Any) -> Any:
        return gradient_check.numerical_grad(
            lambda: (f(x), x[0]), (x,), (1, None), detect_nondifferentiable=True, **options
        )

    with pytest.raises(gradient_check.NondifferentiableError, match=r"a kink or a jump at inputs\[0\]\[1\]"):
        grad(np.abs)
    np.testing.assert_array_equal(x, before)
    grad(np.abs, diff_atol=1.0)
    for smooth in (np.exp, lambda x: x**2, lambda x: 1000 + np.sin(3 * x), lambda x: 0 * x):
        grad(lambda x, smooth=smooth: smooth(x.astype(np.float64)))


@pytest.mark.source("CK-03")
def test_integers_are_refused():
    x = np.array([1, 2])
    with pytest.raises(TypeError, match="float"):
        gradient_check.numerical_grad(lambda: (x * 1.0,), (x,), (np.ones(2),))


@pytest.mark.source("CK-04")
def test_assert_allclose_has_chainers_tolerances():
    x = np.ones(3)
    testing.assert_allclose(x, chainer.Variable(x + 9e-5))
    for other in (x + 1.2e-4, np.array([1, 1, np.nan]), np.ones(2)):
        with pytest.raises(AssertionError):
            testing.assert_allclose(x, other)


class TestReLU(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(0)
        x = rng.uniform(0.1, 1, (3, 2)) * rng.choice([-1, 1], (3, 2))  # away from the kink: T-000-6
        self.x, self.gy = x.astype(f32), rng.uniform(-1, 1, (3, 2)).astype(f32)

    @pytest.mark.source("CK-05", "CK-08", "X2")
    def test_backward_cpu(self):
        x = chainer.Variable(self.x)
        y = F.relu(x)
        y.grad = self.gy
        y.backward()

        def f():
            return (F.relu(x).data,)

        (gx,) = gradient_check.numerical_grad(f, (x.data,), (y.grad,))
        testing.assert_allclose(gx, x.grad, atol=1e-3)
        assert y.grad is self.gy

    def test_check_backward(self):
        gradient_check.check_backward(F.relu, self.x, self.gy, eps=1e-2)


@pytest.mark.source("CK-06", "CK-07")
def test_a_wrong_backward_is_found_and_a_right_one_is_not_accused():
    class Cube(chainer.FunctionNode):
        factor = 3

        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 3,)

        def backward(self, indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            return (self.factor * grad_outputs[0] * x * x,)

    x = np.random.default_rng(0).uniform(1, 2, (3, 2))
    one = np.ones((3, 2))

    def cube(v):
        return Cube().apply((v,))[0]

    gradient_check.check_backward(cube, x, one)
    gradient_check.check_backward(cube, (x,), (one,), dtype=np.float64)
    gradient_check.check_double_backward(cube, x, one, one)
    Cube.factor = 2
    with pytest.raises(AssertionError, match="wrong"):
        gradient_check.check_backward(cube, x, one)


@pytest.mark.source("CK-06")
def test_the_parameters_of_a_link_are_checked_too():
    layer = chainer.links.Linear(3, 2)
    x, gy = np.random.default_rng(0).normal(size=(2, 4, 3)).astype(f32)[0], np.ones((4, 2), f32)
    gradient_check.check_backward(layer, x, gy, (layer.W, layer.b), eps=1e-2)


# ---------------------------------------------------------------------- chainer.testing
@testing.parameterize(*testing.product({"a": [1, 2], "function": [lambda: 5]}))
@testing.parameterize({"b": 3}, {"b": 4})
class TestParameterized(unittest.TestCase):
    def test_it(self):
        assert self.function() == 5
        assert self.a in (1, 2) and self.b in (3, 4)


def test_parameters_of_two_decorators_are_combined():
    cases = {name: case for name, case in globals().items() if name.startswith("TestParameterized_")}
    assert {(case.a, case.b) for case in cases.values()} == {(1, 3), (1, 4), (2, 3), (2, 4)}
    assert TestParameterized.__test__ is False


def test_tests_that_run_several_times():
    runs = []

    class Case:
        @condition.retry(3)
        def once(self):
            runs.append(1)
            assert len(runs) == 2

        @condition.repeat(3)
        def always(self):
            runs.append(1)
            assert len(runs) < 2

    Case().once()
    assert len(runs) == 2
    runs.clear()
    with pytest.raises(AssertionError):
        Case().always()


def test_marks_leave_out_what_is_not_here():
    @attr.multi_gpu(2)
    def needs_two():
        raise AssertionError

    for mark in (attr.cudnn, attr.ideep, attr.chainerx):
        with pytest.raises(unittest.SkipTest):
            mark(lambda: None)()
    with pytest.raises(unittest.SkipTest, match="2 GPUs"):
        needs_two()
    with pytest.raises(unittest.SkipTest, match="no-such-package"):
        testing.with_requires("no-such-package>=1")(lambda: None)()


@testing.unary_math_function_unittest(F.sin)
class TestSin(unittest.TestCase):
    pass


class Squared(testing.FunctionTestCase):
    slope, value, drawn, kinks = 2.0, 1.0, 0, ()

    def generate_inputs(self):
        self.drawn += 1
        return (np.random.uniform(-1, 1, (2, 3)).astype(f32),)

    def forward(self, inputs, device):
        case = self

        class Square(chainer.FunctionNode):
            def forward(self, arrays):
                self.retain_inputs((0,))
                return (arrays[0] ** 2,)

            def backward(self, indexes, gys):
                return (case.slope * gys[0] * self.get_retained_inputs()[0],)

        assert str(device) == "@numpy"
        return Square().apply(inputs)

    def forward_expected(self, inputs):
        return (self.value * inputs[0] ** 2,)


class LinearLink(testing.LinkTestCase):
    param_names, value = ("inner.W", "inner.b"), 1.0

    def generate_params(self):
        return np.random.randn(2, 3).astype(f32), np.random.randn(2).astype(f32)

    def generate_inputs(self):
        return (np.random.randn(4, 3).astype(f32),)

    def create_link(self, initializers):
        W, b = initializers
        self.b = b
        return chainer.Chain(inner=chainer.links.Linear(3, 2, initialW=W, initial_bias=b))

    def forward(self, link, inputs, device):
        return (link.inner(*inputs),)

    def forward_expected(self, link, inputs):
        return (self.value * inputs[0] @ link.inner.W.array.T + self.b,)


def outcome(case: type, **settings: Any) -> dict[str, bool]:
    """Which tests of a case pass."""
    found = {}
    for name in unittest.defaultTestLoader.getTestCaseNames(case):
        result = unittest.TestResult()
        test = type(case.__name__, (case,), settings)(name)
        test.run(result)
        found[name.removeprefix("test_")] = result.wasSuccessful()
        assert not result.errors, result.errors
    return found


def test_cases_of_functions_find_a_wrong_value_and_a_wrong_slope() -> None:
    right = {"forward": True, "backward": True, "double_backward": True}
    assert outcome(Squared) == right
    assert outcome(Squared, value=1.1) == {**right, "forward": False}
    assert outcome(Squared, slope=3.0) == {**right, "backward": False}
    assert outcome(Squared, value=1.1, skip_forward_test=True) == right
    assert outcome(Squared, value=1.1, before_test=lambda self, name: self.skipTest(name)) == right
    loose = lambda self: self.check_forward_options.update(rtol=0.2)  # noqa: E731
    assert outcome(Squared, value=1.1, setUp=loose) == right


def test_cases_of_links_check_parameters_as_well() -> None:
    assert outcome(LinearLink) == {"forward": True, "backward": True}
    assert outcome(LinearLink, value=1.1) == {"forward": False, "backward": True}

    class Half(chainer.FunctionNode):
        def forward(self, arrays):
            return (arrays[0].copy(),)

        def backward(self, indexes, gys):
            return (gys[0] * 0.5,)

    def forward(self: Any, link: Any, inputs: Any, device: Any) -> Any:
        (b,) = Half().apply((link.inner.b,))
        return (F.matmul(inputs[0], link.inner.W, transb=True) + F.broadcast_to(b, (4, 2)),)

    assert outcome(LinearLink, forward=forward) == {"forward": True, "backward": False}


def test_inputs_near_a_kink_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cases, "_MOST_DRAWS", 5)
    values = iter([0.0, 1e-4, 0.5] * 3)

    def generate_inputs(self: Any) -> Any:
        return (np.array([next(values)], f32),)

    def case(**settings: Any) -> type:
        body = {"forward": lambda self, xs, device: (F.relu(xs[0]),), "generate_inputs": generate_inputs}
        return type("Case", (testing.FunctionTestCase,), {**body, "forward_expected": lambda self, xs: xs, **settings})

    assert outcome(case(dodge_nondifferentiable=True, skip_forward_test=True))["backward"]
    always = case(dodge_nondifferentiable=True, generate_inputs=lambda self: (np.zeros(1, f32),))
    assert outcome(always) == {"forward": True, "backward": False, "double_backward": False}


@testing.inject_backend_tests(None, [{"use_cuda": True}, {}])
class TestBackend(unittest.TestCase):
    def test_is_main_memory(self, backend_config):
        assert backend_config.xp is np and str(backend_config.device) == "@numpy"


def test_a_trainer_that_only_counts() -> None:
    trainer = chainer.testing.get_trainer_with_mock_updater((7, "iteration"), iter_per_epoch=3)
    seen = []
    trainer.extend(lambda t: seen.append((t.updater.iteration, t.updater.is_new_epoch)), trigger=(1, "epoch"))
    trainer.run()
    assert seen == [(3, True), (6, True)] and trainer.updater.epoch_detail == 7 / 3


@pytest.mark.parametrize(
    ("library", "name", "there"),
    [
        (chainer.testing, "LinkInitializersTestCase", "testing.LinkTestCase"),
        (chainer.functions, "n_step_lstm", "links.NStepLSTM"),
        (chainer.functions, "tree_lstm", "split_axis separates the gates"),
        (chainer.links, "DilatedConvolution2D", "links.Convolution2D has dilate"),
        (chainer.optimizers, "SMORMS3", "update_one"),
        (chainer.training.updaters, "ParallelUpdater", "several GPUs"),
        (torch.utils, "checkpoint", "autolab.checkpoint"),
        (torch, "autocast", "model.half"),
    ],
)
def test_what_is_not_there_names_what_is(library: Any, name: str, there: str) -> None:
    with pytest.raises(AttributeError, match=rf"{name} is not part of .*{there}"):
        getattr(library, name)


def test_weights_are_dropped_for_each_example() -> None:
    x, W, b = np.ones((3, 4), np.float32), np.arange(8, dtype=np.float32).reshape(2, 4), np.ones(2, np.float32)
    mask = np.random.default_rng(0).random((3, 2, 4)) > 0.5
    y = F.simplified_dropconnect(x, W, b, mask=mask)
    np.testing.assert_allclose(y.array, np.einsum("boi,bi->bo", W * mask * 2, x) + b)
    many = F.simplified_dropconnect(np.ones((2000, 4), np.float32), W, ratio=0.25).array
    np.testing.assert_allclose(many.mean(axis=0), W.sum(axis=1), rtol=0.1)
    with chainer.using_config("train", False):
        np.testing.assert_allclose(F.simplified_dropconnect(x, W, b).array, x @ W.T + b)


@pytest.mark.parametrize(
    "how", [{}, {"stride": 2, "pad": 1, "outsize": (10, 10)}, {"nobias": True, "dilate": 2}, {"groups": 3}]
)
def test_a_link_of_deconvolution_gives_what_the_function_gives(how: dict[str, Any]) -> None:
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 5)).astype(f32)
    link = chainer.links.Deconvolution2D(3, 6, 3, **how)
    how = {name: value for name, value in how.items() if name != "nobias"}
    np.testing.assert_array_equal(link(x).array, F.deconvolution_2d(x, link.W, link.b, **how).array)
    late = chainer.links.Deconvolution2D(6, 3)
    assert late(x).shape == (2, 6, 7, 7) and late.W.shape == (3, 6, 3, 3)


def test_shifts_go_where_their_formulas_say() -> None:
    shifts = chainer.training.extensions
    optimizer = chainer.optimizers.SGD(1.0)
    for shift, expected in (
        (shifts.LinearShift("lr", (1.0, 0.0), (1, 3), optimizer), [1.0, 1.0, 0.5, 0.0, 0.0]),
        (shifts.ExponentialShift("lr", 0.5, init=2.0, target=0.4, optimizer=optimizer), [2.0, 1.0, 0.5, 0.4, 0.4]),
        (shifts.StepShift("lr", 0.1, 2, init=1.0, optimizer=optimizer), pytest.approx([1.0, 1.0, 0.1, 0.1, 0.01])),
    ):
        shift.initialize(None)
        found = [optimizer.lr]
        for _ in range(4):
            shift(None)
            found.append(optimizer.lr)
        assert found == expected
    with pytest.raises(ValueError, match="rate is -1"):
        shifts.ExponentialShift("lr", -1, optimizer=optimizer).initialize(None)


def test_a_shift_goes_on_where_another_was() -> None:
    def values(calls: int, state: Any = None) -> tuple[list[float], Any]:
        optimizer = chainer.optimizers.SGD(1.0 if state is None else 0.5)  # as a file has it
        shift = chainer.training.extensions.PolynomialShift("lr", 1.0, 8, optimizer=optimizer)
        for one, name, value in [] if state is None else shift.planned(state):
            setattr(one, name, value)
        shift.initialize(None)
        found = []
        for _ in range(calls):
            shift(None)
            found.append(optimizer.lr)
        return found, shift.state()

    first, state = values(4)
    assert first + values(3, state)[0] == values(7)[0]


def test_parts_of_datasets() -> None:
    datasets = chainer.datasets
    part = datasets.SubDataset([10, 20, 30, 40], 1, 3, order=[3, 2, 1, 0])
    assert part[:] == [30, 20] and part[-1] == 20
    assert [one[:] for one in datasets.split_dataset([1, 2, 3], 1)] == [[1], [2, 3]]
    first, *_ = datasets.get_cross_validation_datasets([1, 2, 3], 3)
    assert [one[:] for one in first] == [[2, 3], [1]]
    for wrong in (-1, 4):
        with pytest.raises(ValueError, match="do not fit 3 examples"):
            datasets.split_dataset([1, 2, 3], wrong)


# ---------------------------------------------------------------------- debug mode, graphs, snapshots
@pytest.mark.parametrize(
    ("function", "x", "said"),
    [
        (F.log, -1.0, "forward computation of log"),
        (lambda x: x / x, 0.0, "forward computation of div"),
        (lambda x: F.sqrt(x) * 0, 0.0, "backward computation of sqrt"),
    ],
)
def test_debug_mode_finds_where_a_nan_is_computed(function: Any, x: float, said: str) -> None:
    def run() -> None:
        with np.errstate(all="ignore"):
            function(chainer.Variable(np.array([x], f32))).backward()

    run()
    for mode in (chainer.using_config("debug", True), chainer.DebugMode(True)):
        with mode, pytest.raises(RuntimeError, match=f"^NaN is detected on {said}$"):
            run()
        run()
    chainer.set_debug(True)
    with pytest.raises(RuntimeError, match="NaN"), chainer.using_config("train", False):
        run()
    with chainer.DebugMode(False):
        run()
    with pytest.raises(RuntimeError, match="NaN"):
        run()
    del chainer.config.debug
    run()
    assert not chainer.is_debug()


def test_debug_mode_looks_at_results_of_arrays_as_well() -> None:
    with np.errstate(all="ignore"), chainer.DebugMode(True):
        for given in (np.array([-1.0]), chainer.Variable(np.array([-1.0]), requires_grad=False)):
            with pytest.raises(RuntimeError, match="NaN is detected on forward computation of log"):
                F.log(given)


def test_a_graph_of_several_results_is_one_graph() -> None:
    x = chainer.Variable(np.ones((2, 3), f32), name="x")
    h = F.relu(x)
    h.name = "h"
    text = chainer.computational_graph.build_computational_graph((F.sum(h), F.exp(h)), remove_variable=False).dump()
    assert [text.count(f'label="{name}') for name in ("x: (2, 3) float32", "h: ", "ReLU", "Sum", "Exp")] == [1] * 5
    assert text.count(" -> ") == 6 and (x.rank, h.rank, F.exp(h).rank) == (0, 1, 2)
    alone = chainer.Variable(np.ones(2), requires_grad=False)
    assert '"(2,) float64"' in chainer.computational_graph.build_computational_graph([alone]).dump()


def two_models(steps: int, out: Any) -> tuple[Any, Any, Any]:
    models = {name: chainer.links.Linear(2, 1) for name in ("gen", "dis")}
    optimizers = {name: chainer.optimizers.Adam().setup(model) for name, model in models.items()}

    class Both(chainer.training.StandardUpdater):
        def update_core(self) -> None:
            x = chainer.dataset.concat_examples(self.get_iterator("main").next())
            for name, optimizer in self.get_all_optimizers().items():
                optimizer.update(lambda x, model=models[name]: F.sum(model(x) ** 2), x)

    batches = chainer.iterators.SerialIterator(np.eye(2, dtype=f32), 1)
    updater = Both(iterator=batches, optimizer=optimizers)
    return chainer.training.Trainer(updater, (steps, "iteration"), out=out), models, optimizers


def test_a_snapshot_has_every_model_and_goes_on(tmp_path) -> None:
    trainer, models, optimizers = two_models(3, tmp_path)
    trainer.extend(chainer.training.extensions.snapshot(), trigger=(3, "iteration"))
    trainer.run()
    file = tmp_path / "snapshot_iter_3"
    alone = chainer.links.Linear(2, 1)
    chainer.serializers.load_npz(file, alone, path="updater/model:dis/")
    np.testing.assert_array_equal(alone.W.array, models["dis"].W.array)
    with pytest.raises(KeyError, match="updater/model:main/W"):
        chainer.serializers.load_npz(file, alone, path="updater/model:main/")
    chainer.serializers.load_npz(file, alone, path="updater/model:main/", strict=False)
    np.testing.assert_array_equal(alone.W.array, models["dis"].W.array)
    again, loaded, others = two_models(5, tmp_path)
    again.extend(chainer.training.extensions.snapshot(), trigger=(3, "iteration"))
    chainer.serializers.load_npz(file, again)
    assert again.updater.iteration == 3 and others["gen"].t == optimizers["gen"].t == 3
    for name, model in models.items():
        np.testing.assert_array_equal(loaded[name].W.array, model.W.array)
    again.run()
    assert again.updater.iteration == 5


def test_a_snapshot_has_what_an_iterator_of_ones_own_serializes(tmp_path) -> None:
    class Counting(chainer.dataset.Iterator):
        epoch, is_new_epoch, epoch_detail, i = 0, False, 0.0, 0

        def __next__(self) -> Any:
            self.i += 1
            return [np.full(2, self.i, f32)]

        def serialize(self, serializer: Any) -> None:
            self.i = serializer("i", self.i)

    def trainer(steps: int) -> tuple[Any, Any]:
        model, batches = chainer.links.Linear(2, 1), Counting()
        optimizer = chainer.optimizers.SGD().setup(model)
        updater = chainer.training.StandardUpdater(batches, optimizer, loss_func=lambda x: F.sum(model(x)))
        return chainer.training.Trainer(updater, (steps, "iteration"), tmp_path), batches

    first, _ = trainer(3)
    first.extend(chainer.training.extensions.snapshot(filename="state"), trigger=(3, "iteration"))
    first.run()
    again, batches = trainer(3)
    chainer.serializers.load_npz(tmp_path / "state", again)
    assert batches.i == 3 and again.updater.iteration == 3


RULES: list[tuple[Any, dict[str, float]]] = [
    (chainer.optimizers.SGD, {"lr": 0.3}),
    (chainer.optimizers.MomentumSGD, {"lr": 0.3, "momentum": 0.5}),
    (chainer.optimizers.NesterovAG, {"lr": 0.3, "momentum": 0.5}),
    (chainer.optimizers.AdaGrad, {"lr": 0.3, "eps": 0.1}),
    (chainer.optimizers.AdaDelta, {"rho": 0.5, "eps": 0.1}),
    (chainer.optimizers.RMSprop, {"lr": 0.3, "alpha": 0.5, "eps": 0.1}),
    (chainer.optimizers.Adam, {"alpha": 0.3, "beta1": 0.5, "beta2": 0.5, "eps": 0.1, "eta": 0.5}),
    (chainer.optimizers.AdamW, {"weight_decay_rate": 0.3}),
]


def test_a_number_of_one_parameter_acts_as_if_an_optimizer_had_it_for_all() -> None:
    def moved(kind: Any, **numbers: float) -> tuple[Any, Any]:
        model = chainer.links.Linear(2, 2, initialW=0.5, initial_bias=0.5)
        return model, kind(**numbers).setup(model)

    def steps(model: Any, optimizer: Any) -> None:
        for i in range(3):
            for p in model.params():
                p.grad = np.full(p.shape, 0.5 + i, np.float32)
            optimizer.update()

    for kind, numbers in RULES:
        for name, value in numbers.items():
            (model, optimizer), (usual, other) = moved(kind), moved(kind)
            all_of_it, third = moved(kind, **{name: value})
            rule = model.W.update_rule
            assert getattr(rule.hyperparam, name) == getattr(optimizer, name)
            setattr(rule.hyperparam, name, value)
            assert rule.hyperparam.get_dict() == {**optimizer.hyperparam.get_dict(), name: value}
            for pair in ((model, optimizer), (usual, other), (all_of_it, third)):
                steps(*pair)
            where = f"{kind.__name__} {name}"
            np.testing.assert_array_equal(model.W.array, all_of_it.W.array, err_msg=where)
            np.testing.assert_array_equal(model.b.array, usual.b.array, err_msg=where)
            assert (model.W.array != usual.W.array).all(), where
            if name not in ("eta", "weight_decay_rate"):
                with pytest.raises(ValueError, match="is -1"):
                    setattr(rule.hyperparam, name, -1)
            assert getattr(rule.hyperparam, name) == value
    model, optimizer = moved(chainer.optimizers.SGD)
    optimizer.hyperparam.lr = 0.25
    model.W.update_rule.hyperparam.lr = 0.1
    optimizer.lr = 0.5
    assert (model.W.update_rule.hyperparam.lr, model.b.update_rule.hyperparam.lr) == (0.1, 0.5)


def test_hooks_of_one_parameter_are_called_around_its_updates() -> None:
    heard: list[Any] = []

    def before(rule: Any, param: Any) -> None:
        heard.append(("before", rule.t, param.array[0, 0]))
        param.grad = param.grad * 2

    def after(rule: Any, param: Any) -> None:
        heard.append(("after", rule.t, param.array[0, 0]))

    model = chainer.links.Linear(2, 1, initialW=1.0, initial_bias=1.0)
    optimizer = chainer.optimizers.SGD(0.25).setup(model)
    model.W.update_rule.add_hook(before)
    model.W.update_rule.add_hook(after, timing="post")
    optimizer.update(lambda: chainer.functions.sum(model(np.ones((1, 2), np.float32))))
    assert heard == [("before", 0, 1.0), ("after", 1, 0.5)] and model.b.array == 0.75
    with pytest.raises(KeyError, match="already a hook 'before'"):
        model.W.update_rule.add_hook(before)
    model.W.update_rule.remove_hook("before")
    model.W.update_rule.add_hook(lambda rule, param: 1 / 0, "fails")
    held = model.W.grad
    with pytest.raises(ZeroDivisionError):
        model.W.update()
    assert model.W.grad is held and model.W.array[0, 0] == 0.5


def test_kinks_are_refused_where_it_is_asked_and_nothing_else_is():
    rng = np.random.default_rng(0)
    smooth = (F.exp, F.sin, lambda x: F.softmax(x, axis=0), lambda x: 1000.0 + x * x * 1e-3, lambda x: x * 0.0)
    kinks = (F.absolute, F.relu, lambda x: F.maximum(x, 2 * x), lambda x: F.absolute(x) + F.exp(x))
    for dtype in (np.float32, np.float64):
        x, g = np.array([0.0, 1.0, -0.5], dtype), rng.normal(size=3).astype(dtype)
        for check, more, bend in (
            (gradient_check.check_backward, (), lambda f: f),
            (gradient_check.check_double_backward, (g,), lambda f: lambda v: f(v) * v),
        ):
            for f in smooth:
                check(f, x, g, *more, eps=1e-2, atol=1e-2, rtol=1e-1, detect_nondifferentiable=True)
            for f in kinks:
                with pytest.raises((gradient_check.NondifferentiableError, AssertionError)):
                    check(bend(f), x, g, *more, eps=1e-2, detect_nondifferentiable=True)
    weight = chainer.Parameter(np.zeros(2))
    with pytest.raises(gradient_check.NondifferentiableError, match="kink"):
        x = np.ones(2)
        gradient_check.check_backward(
            lambda x: x * F.absolute(weight), x, x, weight, detect_nondifferentiable=True, atol=9
        )
    np.testing.assert_array_equal(weight.data, 0)


def test_converters_get_devices_and_links_and_variables_say_theirs():
    @chainer.dataset.converter()
    def convert(batch, device):
        return batch, device

    from autolab.compat.chainer.dataset import convert as module

    assert convert([1], -1) == ([1], chainer.get_device("@numpy"))
    assert convert([1], device=None) == ([1], None)
    assert isinstance(convert, chainer.dataset.Converter)
    assert isinstance(module.concat_examples, chainer.dataset.Converter)
    assert module.concat_examples is chainer.dataset.concat_examples
    layer = chainer.links.Linear(None, 2)
    for thing in (layer, layer.W, layer.to_device(-1), chainer.Variable(np.ones(2)).to_device("@numpy")):
        assert thing.device == chainer.get_device("@numpy")


def test_chainerx_is_what_it_is_without_its_extension():
    from autolab import compat

    compat.install("chainer")
    try:
        import chainerx

        assert chainerx.is_available() is False and not isinstance(np.ones(2), chainerx.ndarray)
        with pytest.raises(AttributeError, match="not available"):
            _ = chainerx.array
    finally:
        compat.uninstall("chainer")
    with pytest.raises(ModuleNotFoundError):
        import chainerx


def test_configurations_of_tests_are_those_of_the_cpu():
    from autolab.compat.chainer.testing.backend import BackendConfig, inject_backend_tests

    config = BackendConfig({"use_ideep": "auto", "cudnn_deterministic": True})
    assert config.xp is np and config.cudnn_deterministic and not config.use_cuda and config.use_ideep == "auto"
    for wrong in ({"use_cuda": True}, {"use_chainerx": True}, {"use_ideep": "always"}):
        with pytest.raises(NotImplementedError, match=f"{next(iter(wrong))}.* is not part of"):
            BackendConfig(wrong)
    with pytest.raises(ValueError, match="'gpu'; expected use_cuda"):
        BackendConfig({"gpu": 0})
    seen = []

    @inject_backend_tests(None, [{}, {"use_cuda": True}, {"use_ideep": "never"}])
    class Case:
        def test_one(self, config: BackendConfig) -> None:
            seen.append(config.use_ideep)

    Case().test_one()
    assert seen == ["never", "never"]


def test_gradients_begin_with_ones_and_a_trigger_knows_a_resumed_training():
    x, y = chainer.Variable(np.ones((2, 2)) * 2), chainer.Variable(np.ones((2, 2)) * 3)
    asked = []

    class Product(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (inputs[0] * inputs[1],)

        def backward(self, indexes, gy):
            asked.append(tuple(indexes))
            others = self.get_retained_inputs()[::-1]
            return tuple([gy[0] * others[i] for i in indexes])

    (gx,) = chainer.grad(Product().apply((x, y)), [x])
    assert asked == [(0,)] and (gx.array == 3).all()
    later = SimpleNamespace(updater=SimpleNamespace(iteration=7))
    triggers = [chainer.training.triggers.OnceTrigger(call_on_resume=resumes) for resumes in (False, True)]
    assert [[bool(trigger(later)) for _ in range(2)] for trigger in triggers] == [[False, False], [True, False]]
