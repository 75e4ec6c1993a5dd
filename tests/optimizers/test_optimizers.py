"""Every update rule against its formula, step by step; hooks; and updates that happen whole or not at all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.each import each
from helpers.interrupts import every_point

from autolab import Link, Parameter, optimizers
from autolab import functions as F
from autolab import links as L
from autolab.optimizers import schedules

START = np.array([1.0, -2.0, 0.5])


class Bowl(Link):
    def __init__(self, start=START):
        super().__init__()
        self.x = Parameter(start.copy())
        self.unused = Parameter(np.ones(2))

    def forward(self):
        return F.sum(self.x**4 + self.x)


def gradient(x):
    return 4 * x**3 + 1


def momentum(x, lr=0.01, mu=0.9):
    v = np.zeros_like(x)
    while True:
        v = mu * v - lr * gradient(x)
        x = x + v
        yield x


def nesterov(x, lr=0.01, mu=0.9):
    v = np.zeros_like(x)
    while True:
        g, before = gradient(x), v
        v = mu * v - lr * g
        x = x + mu * mu * before - (1 + mu) * lr * g
        yield x


def adagrad(x, lr=0.1, eps=1e-8):
    h = 0
    while True:
        g = gradient(x)
        h = h + g * g
        x = x - lr * g / (np.sqrt(h) + eps)
        yield x


def rmsprop(x, lr=0.01, alpha=0.99, eps=1e-8):
    h = 0
    while True:
        g = gradient(x)
        h = alpha * h + (1 - alpha) * g * g
        x = x - lr * g / (np.sqrt(h) + eps)
        yield x


def adam(x, lr=0.01, b1=0.9, b2=0.999, eps=1e-8, decay=0.0):
    m = v = t = 0
    while True:
        t, g = t + 1, gradient(x)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        x = x - lr * (m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps) + decay * x)
        yield x


def sgd(x, lr=0.01):
    while True:
        x = x - lr * gradient(x)
        yield x


def adadelta(x, rho=0.95, eps=1e-6):
    h = d = 0
    while True:
        g = gradient(x)
        h = rho * h + (1 - rho) * g * g
        step = np.sqrt((d + eps) / (h + eps)) * g
        d = rho * d + (1 - rho) * step * step
        x = x - step
        yield x


RULES = {
    "SGD": (optimizers.SGD, sgd),
    "MomentumSGD": (optimizers.MomentumSGD, momentum),
    "NesterovAG": (optimizers.NesterovAG, nesterov),
    "AdaGrad": (lambda: optimizers.AdaGrad(lr=0.1), adagrad),
    "AdaDelta": (optimizers.AdaDelta, adadelta),
    "RMSprop": (optimizers.RMSprop, rmsprop),
    "Adam": (lambda: optimizers.Adam(lr=0.01), adam),
    "AdamW": (lambda: optimizers.AdamW(lr=0.01, weight_decay=0.1), lambda x: adam(x, decay=0.1)),
}


OTHERWISE = {
    "SGD with its settings": (lambda: optimizers.SGD(lr=0.02), lambda x: sgd(x, 0.02)),
    "MomentumSGD with its settings": (
        lambda: optimizers.MomentumSGD(0.02, momentum=0.5),
        lambda x: momentum(x, 0.02, 0.5),
    ),
    "NesterovAG with its settings": (
        lambda: optimizers.NesterovAG(0.02, momentum=0.5),
        lambda x: nesterov(x, 0.02, 0.5),
    ),
    "AdaGrad with its settings": (lambda: optimizers.AdaGrad(0.2, eps=0.1), lambda x: adagrad(x, 0.2, 0.1)),
    "AdaDelta with its settings": (lambda: optimizers.AdaDelta(rho=0.8, eps=0.1), lambda x: adadelta(x, 0.8, 0.1)),
    "RMSprop with its settings": (
        lambda: optimizers.RMSprop(0.02, alpha=0.8, eps=0.1),
        lambda x: rmsprop(x, 0.02, 0.8, 0.1),
    ),
    "Adam with its settings": (
        lambda: optimizers.Adam(0.02, beta1=0.8, beta2=0.9, eps=0.1),
        lambda x: adam(x, 0.02, 0.8, 0.9, 0.1),
    ),
    "AdamW with its settings": (
        lambda: optimizers.AdamW(0.02, beta1=0.8, beta2=0.9, eps=0.1, weight_decay=0.2),
        lambda x: adam(x, 0.02, 0.8, 0.9, 0.1, 0.2),
    ),
}
"""The same rules, where no setting has its default: a setting that is not used would go unseen."""


@pytest.mark.source("CI-12", "CI-15", "DZ-38", "DZ-39")
@each("name", [*RULES, *OTHERWISE])
def test_a_rule_follows_its_reference(name):
    make, reference = {**RULES, **OTHERWISE}[name]
    bowl = Bowl()
    optimizer = make()
    assert optimizer.setup(bowl) is optimizer
    for step, expected in zip(range(1, 21), reference(START), strict=False):
        optimizer.update(bowl)
        np.testing.assert_allclose(bowl.x.data, expected, rtol=1e-12, err_msg=f"step {step}")
    assert optimizer.t == 20
    np.testing.assert_array_equal(bowl.unused.data, 1)  # it has no gradient, so it stays


@pytest.mark.source("DZ-38")
def test_a_rule_of_ones_own_is_an_update_one():
    class Signs(optimizers.Optimizer):
        def update_one(self, w, g, state):
            state["steps"] = state.get("steps", 0) + 1
            return w - self.rate * np.sign(g)

    bowl = Bowl()
    optimizer = Signs(lr=0.5).setup(bowl)
    for _ in range(2):
        bowl.x.grad = np.array([1.0, -3.0, 0.0])
        optimizer.update()
    np.testing.assert_array_equal(bowl.x.data, START + np.array([-1.0, 1.0, 0.0]))
    assert optimizer.state()["x/steps"] == 2
    np.testing.assert_array_equal(bowl.unused.data, 1)


@pytest.mark.parametrize("name", RULES)
def test_float32_stays_float32_and_old_arrays_stay_as_they_were(name):
    bowl = Bowl(START.astype(np.float32))
    optimizer = RULES[name][0]().setup(bowl)
    before, copy = bowl.x.data, bowl.x.data.copy()
    for _ in range(3):
        optimizer.update(bowl)
    assert bowl.x.dtype == np.float32
    states = [value for key, value in optimizer.state().items() if hasattr(value, "dtype")]
    assert {value.dtype for value in states} <= {np.dtype(np.float32)}
    np.testing.assert_array_equal(before, copy)


@pytest.mark.source("CI-14")
def test_update_without_arguments_uses_the_gradients_at_hand():
    bowl = Bowl()
    optimizer = optimizers.SGD(lr=0.5).setup(bowl)
    bowl.x.grad = np.array([1.0, 2.0, 3.0])
    assert optimizer.update() is None
    np.testing.assert_array_equal(bowl.x.data, START - [0.5, 1.0, 1.5])


@pytest.mark.source("CI-13")
def test_hooks_come_after_the_gradients_and_before_the_update():
    bowl = Bowl()
    optimizer = optimizers.SGD(lr=1.0).setup(bowl)
    optimizer.add_hook(optimizers.WeightDecay(0.5))
    optimizer.add_hook(lambda opt: [setattr(p, "grad", p.grad.data * 2) for p in opt], name="double")
    bowl.x.grad = np.ones(3)
    optimizer.update()
    np.testing.assert_allclose(bowl.x.data, START - 2 * (1 + 0.5 * START))
    with pytest.raises(KeyError, match="already a hook 'double'"):
        optimizer.add_hook(print, name="double")
    optimizer.remove_hook("double")
    bowl.x.grad = np.zeros(3)
    before = bowl.x.data
    optimizer.update()
    np.testing.assert_allclose(bowl.x.data, before * 0.5)


def test_lasso_clipping_and_noise():
    bowl = Bowl()
    optimizer = optimizers.SGD().setup(bowl)
    bowl.x.grad = np.array([3.0, 4.0, 0.0])
    optimizers.GradientClipping(10)(optimizer)
    np.testing.assert_array_equal(bowl.x.grad.data, [3, 4, 0])
    optimizers.GradientClipping(2.5)(optimizer)
    np.testing.assert_allclose(bowl.x.grad.data, [1.5, 2, 0])
    optimizers.Lasso(0.1)(optimizer)
    np.testing.assert_allclose(bowl.x.grad.data, [1.6, 1.9, 0.1])
    bowl.x.data, bowl.x.grad = np.zeros(10_000), np.zeros(10_000)
    optimizers.GradientNoise(4.0, rng=np.random.default_rng(0))(optimizer)
    np.testing.assert_allclose(bowl.x.grad.data, 2 * np.random.default_rng(0).standard_normal(10_000))
    assert bowl.x.grad.data.std() == pytest.approx(2.0, rel=0.02)
    optimizer.t = 99
    bowl.x.grad = np.zeros(10_000)
    optimizers.GradientNoise(4.0, rng=np.random.default_rng(0))(optimizer)
    assert bowl.x.grad.data.std() == pytest.approx(2.0 * 100**-0.275, rel=0.02)


def test_a_schedule_sets_the_rate_of_each_update():
    bowl = Bowl()
    optimizer = optimizers.SGD(lr=schedules.step(1.0, every=2)).setup(bowl)
    moved = []
    for _ in range(4):
        before = bowl.x.data
        bowl.x.grad = np.ones(3)
        optimizer.update()
        moved.append(float((before - bowl.x.data)[0]))
    np.testing.assert_allclose(moved, [1, 1, 0.1, 0.1])
    assert schedules.cosine(1.0, 10, final=0.1)(10) == pytest.approx(0.1)
    assert schedules.warmup(10, then=schedules.exponential(1.0, 0.5))(1) == pytest.approx(0.1)


@pytest.mark.source("CI-18")
@pytest.mark.parametrize("name", RULES)
def test_a_loaded_optimizer_goes_on_bit_for_bit(name):
    def pair():
        bowl = Bowl()
        return bowl, RULES[name][0]().setup(bowl)

    straight, optimizer = pair()
    for _ in range(10):
        optimizer.update(straight)
    first, early = pair()
    for _ in range(5):
        early.update(first)
    second, late = pair()
    second.load_state(first.state())
    late.load_state(early.state())
    assert late.t == 5
    for _ in range(5):
        late.update(second)
    assert second.x.data.tobytes() == straight.x.data.tobytes()


@pytest.mark.parametrize("name", RULES)
def test_the_state_of_another_kind_of_optimizer_is_refused(name):
    bowl = Bowl()
    other = RULES[name][0]().setup(bowl)
    other.update(bowl)
    for kind in [kind for kind, _ in RULES.values() if set(kind().hyperparameters) != set(other.hyperparameters)]:
        optimizer = kind().setup(bowl)
        with pytest.raises(ValueError, match=r"nothing was loaded"):
            optimizer.load_state(other.state())
        assert optimizer.t == 0


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda o: optimizers.SGD(lr=-1), ValueError, "SGD: lr is -1; expected a number of at least 0"),
        (lambda o: optimizers.Adam(beta1=2), ValueError, "Adam: beta1 is 2; expected .* below 1"),
        (lambda o: optimizers.SGD().update(), RuntimeError, r"SGD.update: call setup\(model\) first"),
        (lambda o: o.setup(3), TypeError, "MomentumSGD.setup: got an int; expected a Link"),
        (lambda o: o.add_hook(3), TypeError, "expected a callable"),
        (lambda o: o.load_state({}), ValueError, "'t' is missing; nothing was loaded"),
        (lambda o: o.load_state({"t": 1, "y/v": 1}), ValueError, "has no parameter for y/v"),
        (lambda o: o.load_state({"t": 1, "x/v": np.ones(5)}), ValueError, "'x/v' has shape"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(act, error, message):
    bowl = Bowl()
    optimizer = optimizers.MomentumSGD().setup(bowl)
    optimizer.update(bowl)
    before = {k: np.array(v) for k, v in optimizer.state().items()}
    with pytest.raises(error, match=message):
        act(optimizer)
    after = optimizer.state()
    assert before.keys() == after.keys()
    for key, value in before.items():
        np.testing.assert_array_equal(value, after[key])


def snapshot(model, optimizer):
    grads = {f"grad/{name}": None if p.grad is None else p.grad.data for name, p in model.namedparams()}
    return {**model.state(), **optimizer.state(), **grads}


def same(a, b):
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


@pytest.mark.goal(id="R7")
@pytest.mark.parametrize("name", ["SGD", "MomentumSGD", "Adam"])
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.full)])
def test_an_interrupted_update_happened_whole_or_not_at_all(name, step):
    made = {}

    def make():
        model = L.MLP((3, 2))
        model.load_state(weights)
        optimizer = RULES[name][0]().setup(model)
        optimizer.add_hook(optimizers.WeightDecay(0.1))
        for _ in range(2):
            for parameter in model.params():
                parameter.grad = np.ones(parameter.shape, np.float32)
            optimizer.update()
        for parameter in model.params():
            parameter.grad = np.full(parameter.shape, 0.5, np.float32)
        made.update(model=model, optimizer=optimizer)
        return optimizer.update

    source = L.MLP((3, 2))
    source(np.ones((1, 4), np.float32))
    weights = source.state()
    update = make()
    before = snapshot(made["model"], made["optimizer"])
    update()
    after = snapshot(made["model"], made["optimizer"])
    assert not same(before, after)

    outcomes = set()
    for at in every_point(make, step):
        now = snapshot(made["model"], made["optimizer"])
        whole, nothing = same(now, after), same(now, before)
        assert whole or nothing, f"torn at opcode {at}"
        outcomes.add(whole)
        made["optimizer"].update()  # and it goes on
    assert False in outcomes


def test_a_hook_that_raises_leaves_the_gradients_as_they_were():
    bowl = Bowl()
    optimizer = optimizers.SGD().setup(bowl)
    optimizer.add_hook(optimizers.WeightDecay(1.0))
    optimizer.add_hook(lambda opt: math.sqrt(-1), name="bad")
    bowl.x.grad = np.ones(3)
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        optimizer.update()
    np.testing.assert_array_equal(bowl.x.grad.data, 1)
    np.testing.assert_array_equal(bowl.x.data, START)


def test_a_hook_may_take_a_gradient_away():
    layer = L.Linear(2, 3)
    before = layer.W.data.copy(), layer.b.data.copy()
    optimizer = optimizers.Adam().setup(layer)

    def freeze_weights(optimizer):
        layer.W.grad = None

    optimizer.add_hook(freeze_weights)
    optimizer.update(lambda: F.sum(layer(np.ones((1, 2), np.float32))))
    np.testing.assert_array_equal(layer.W.data, before[0])
    assert (layer.b.data != before[1]).all() and optimizer.t == 1


_NAMES = ("SGD", "MomentumSGD", "NesterovAG", "AdaGrad", "AdaDelta", "RMSprop", "Adam", "AdamW")


def test_cosine_ends_at_its_final_rate_and_stays_there():
    rates = [schedules.cosine(1.0, updates=2, final=0.2)(t) for t in range(5)]
    np.testing.assert_allclose(rates, [1.0, 0.6, 0.2, 0.2, 0.2], rtol=1e-12)


S = optimizers.lr_scheduler


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda o: S.StepLR(o, 3, 0.5), [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25]),
        (lambda o: S.MultiStepLR(o, [2, 5], 0.5), [1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25]),
        (
            lambda o: S.LambdaLR(o, [lambda epoch: 1 / (epoch + 1)]),
            [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8],
        ),
        (lambda o: S.LinearLR(o, 0.25, 0.5, 4), [0.25, 0.3125, 0.375, 0.4375, 0.5, 0.5, 0.5, 0.5]),
        (lambda o: S.ConstantLR(o, 0.5, 2), [0.5, 0.5, 1, 1, 1, 1, 1, 1]),
        (lambda o: S.PolynomialLR(o, 4, 2.0), [1, 0.5625, 0.25, 0.0625, 0, 0, 0, 0]),
        (lambda o: S.CosineAnnealingLR(o, 4, 0.2), [1, 0.882843, 0.6, 0.317157, 0.2, 0.317157, 0.6, 0.882843]),
        (
            lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2, 0.2),
            [1, 0.6, 1, 0.882843, 0.6, 0.317157, 1, 0.969552],
        ),
        (
            lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.StepLR(o, 2, 0.5)], [3]),
            [0.1, 0.1, 1, 1, 1, 0.5, 0.5, 0.25],
        ),
    ],
)
def test_a_scheduler_follows_its_settings(make, expected):
    """The rates are those that PyTorch gives. A scheduler goes on from the state of another one in mid-course."""
    optimizer = optimizers.SGD(Bowl(), lr=1.0)
    scheduler, twin, found = make(optimizer), None, []
    for i in range(8):
        found.append(optimizer.param_groups[0]["lr"])
        if i == 4:
            twin = make(optimizers.SGD(Bowl(), lr=1.0))
            twin.load_state_dict(scheduler.state_dict())
            twin.optimizer.param_groups[0]["lr"] = found[-1]
        for one in filter(None, (scheduler, twin)):
            one.step()
        assert twin is None or twin.get_last_lr() == scheduler.get_last_lr()
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", ["MomentumSGD", "Adam"])
def test_one_cycle_follows_its_settings(kind):
    """Rates and momenta are those that PyTorch gives."""
    optimizer, settings = getattr(optimizers, kind)(Bowl()), {"pct_start": 0.5, "div_factor": 4, "final_div_factor": 10}
    scheduler = S.OneCycleLR(optimizer, 2.0, None, 2, 3, base_momentum=0.2, max_momentum=0.6, **settings)
    name, found = "beta1" if kind == "Adam" else "momentum", []
    for _ in range(6):
        found.append([optimizer.param_groups[0][key] for key in ("lr", name)])
        scheduler.step()
    expected = [[0.5, 0.6], [1.25, 0.4], [2, 0.2], [1.5125, 0.3], [0.5375, 0.5], [0.05, 0.6]]
    np.testing.assert_allclose(found, expected)
    before = optimizer.param_groups[0][name]
    S.OneCycleLR(optimizer, 2.0, 6, cycle_momentum=False)
    assert optimizer.param_groups[0][name] == before


@pytest.mark.parametrize(
    ("settings", "losses", "expected"),
    [
        (
            {"mode": "max", "patience": 0},
            [1, 2, 2.1, 2.1, 2.1, 3, 3, 3],
            [1, 1, 0.5, 0.25, 0.125, 0.125, 0.0625, 0.03125],
        ),
        (
            {"mode": "max", "patience": 1, "cooldown": 2},
            [1, 2, 2.1, 2.1, 2.1, 3, 3, 3, 3],
            [1] * 3 + [0.5] * 4 + [0.25] * 2,
        ),
        ({"patience": 0, "cooldown": 1}, [4, 3.9, 3.5, 3.4, 3.3, 3, 2.9], [1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.125]),
    ],
)
def test_a_plateau_is_what_the_settings_say(settings, losses, expected):
    """The rates are those that PyTorch gives."""
    optimizer, found = optimizers.SGD(Bowl(), lr=1.0), []
    scheduler = S.ReduceLROnPlateau(optimizer, factor=0.5, threshold=0.1, **settings)
    for loss in losses:
        scheduler.step(loss)
        found.append(optimizer.param_groups[0]["lr"])
    assert found == expected


def test_rates_by_schedules_follow_their_settings():
    found = [
        [s(t) for t in range(4)] for s in (schedules.step(1.0, 2, 0.5), schedules.warmup(2, schedules.step(1.0, 3)))
    ]
    assert found[0] == [1, 1, 0.5, 0.5] and found[1] == pytest.approx([0.5, 1, 1, 0.1])


@pytest.mark.parametrize("name", ["beta1", "beta2"])
def test_an_average_that_would_stay_0_is_refused(name):
    with pytest.raises(ValueError, match=f"Adam: {name} is 1; expected"):
        optimizers.Adam(**{name: 1})


@each("rule", [getattr(optimizers, name) for name in _NAMES], ids=_NAMES)
@each("size", [1e-4, 300.0])
def test_float16_moves_as_float32_does(rule, size):
    """In float16 the squares of 1e-4 and the 1e-8 that Adam adds are 0, and the square of 300 is infinite."""
    moved = []
    for dtype in (np.float16, np.float32):
        link = Bowl(np.zeros(3, dtype))  # where a small step is not lost beside a large number
        optimizer = rule().setup(link)
        for _ in range(3):
            link.x.grad = np.array([size, -size, 0], dtype)
            optimizer.update()
        assert link.x.dtype == dtype
        moved.append(link.x.data.astype(float))
    assert (moved[0][:2] != 0).all()
    np.testing.assert_allclose(*moved, rtol=1e-2, atol=2e-7)


def test_clipping_by_a_factor_that_float16_does_not_have():
    link = Bowl(START.astype(np.float16))
    optimizer = optimizers.SGD(lr=1.0).setup(link)
    optimizer.add_hook(optimizers.GradientClipping(1e-3))
    link.x.grad = np.full(3, 60_000, np.float16)
    optimizer.update()
    np.testing.assert_allclose(link.x.grad.data.astype(float), 1e-3 / math.sqrt(3), rtol=1e-3)
