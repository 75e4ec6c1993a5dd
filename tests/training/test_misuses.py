"""What a beginner does wrong with links, optimizers and training is refused in words that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Chain, initializers, optimizers, training
from autolab import functions as F
from autolab import links as L
from autolab.data import DataLoader, SerialIterator, TupleDataset, get_iris, get_spiral, transforms
from autolab.training import extensions

X = np.random.default_rng(0).random((6, 4), np.float32)
T = np.array([0, 1, 2, 0, 1, 2])
PAIRS = TupleDataset(X, T)
ONE_PASS = SerialIterator(PAIRS, 2, repeat=False)


def model(*sizes: int) -> L.Classifier:
    made = L.Classifier(L.MLP(sizes or (5, 3)))
    made(X, T)
    return made


def sgd(target: Any = None) -> optimizers.Optimizer:
    return optimizers.SGD().setup(target or model())


def trainer(stop: Any = (2, "epoch")) -> training.Trainer:
    return training.Trainer(training.StandardUpdater(SerialIterator(PAIRS, 2), sgd()), stop)


def over_the_end() -> training.Trainer:
    updater = training.StandardUpdater(SerialIterator(PAIRS, 2, repeat=False), sgd())
    return training.Trainer(updater, (2, "epoch"))


def follow(schedule: Callable[[int], Any]) -> Any:
    target = model()
    return optimizers.SGD(schedule).setup(target).update(target, X, T)


def adam_state() -> dict[str, Any]:
    optimizer = optimizers.Adam().setup(model())
    optimizer.update(optimizer.target, X, T)
    return optimizer.state()


MISUSES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("another width", lambda: L.Linear(3, 2)(X), ValueError, r"x has shape \(6, 4\), w has shape \(2, 3\)"),
    ("a number for a layer", lambda: L.Linear(None, 2)(3.0), ValueError, "Linear: x is a number; expected an array"),
    ("labels as floats", lambda: model()(X, T.astype(float)), TypeError, "expected integers, the numbers of the right"),
    ("labels one-hot", lambda: model()(X, np.eye(3)[T]), TypeError, "expected integers, the numbers of the right"),
    ("labels as a column", lambda: model()(X, T[:, None]), ValueError, r"expected t of shape \(6,\)"),
    ("labels from 1", lambda: model()(X, T + 1), ValueError, "t holds 3, but the classes go from 0 to 2"),
    ("labels below 0", lambda: model()(X, T - 1), ValueError, "t holds -1, but the classes go from 0 to 2"),
    ("one size", lambda: L.MLP(10), TypeError, r"MLP: sizes is 10; expected .* such as \(100, 10\)"),
    ("no size", lambda: L.MLP(()), ValueError, "MLP: sizes is empty; expected"),
    ("setup forgotten", lambda: optimizers.SGD().update(), RuntimeError, r"SGD.update: call setup\(model\) first"),
    ("backward forgotten", lambda: sgd().update(), RuntimeError, r"no parameter has a gradient; call loss.backward"),
    ("a loss for a function", lambda: sgd().update(F.sum(X)), TypeError, "lossfun is a .*; expected a function"),
    (
        "a loss without graph",
        lambda: sgd().update(lambda: 1.0),
        TypeError,
        "lossfun returned a float; expected the loss",
    ),
    ("return forgotten", lambda: sgd().update(lambda: None), TypeError, "lossfun returned None"),
    (
        "another optimizer's state",
        lambda: sgd().load_state(adam_state()),
        ValueError,
        "another kind .* beta1, beta2, eps",
    ),
    ("wider state", lambda: model().load_state(model(7, 3).state()), ValueError, r"\(5, 4\); nothing was loaded"),
    ("deeper state", lambda: model().load_state(model(5, 5, 3).state()), ValueError, "lacks predictor/l2/W"),
    ("no super().__init__()", lambda: Unready(), AttributeError, r"call super\(\).__init__\(\) in Unready.__init__"),
    ("a dataset", lambda: training.StandardUpdater(PAIRS, sgd()), TypeError, "iterator is a TupleDataset; .* SerialIt"),
    ("a dataset to test", lambda: extensions.Evaluator(PAIRS, model()), TypeError, "iterator is a TupleDataset"),
    (
        "arrays",
        lambda: SerialIterator((X, T), 2),
        TypeError,
        r"is a tuple of arrays; expected .* TupleDataset\(\*arrays",
    ),
    ("stop after a number", lambda: trainer(20), TypeError, r"Trainer: stop_trigger is 20; expected a pair"),
    ("a class", lambda: trainer().extend(extensions.LogReport), TypeError, r"the class LogReport; .* LogReport\(\)"),
    ("one column", lambda: extensions.PrintReport("epoch"), TypeError, r"entries is 'epoch'; .* such as \['epoch'\]"),
    ("no updates", lambda: optimizers.schedules.cosine(0.1, 0), ValueError, "cosine: updates is 0; expected a number"),
    ("every none", lambda: optimizers.schedules.step(0.1, 0), ValueError, "step: every is 0; expected a number"),
    (
        "a rate in words",
        lambda: optimizers.schedules.exponential("a", 0.9),
        ValueError,
        "exponential: rate is 'a'; exp",
    ),
    (
        "a rate below 0",
        lambda: optimizers.schedules.cosine(-0.1, 5),
        ValueError,
        "cosine: rate is -0.1; expected a num",
    ),
    ("a schedule of nothing", lambda: follow(lambda t: None), ValueError, r"SGD: lr\(0\) is None; expected a number"),
    (
        "a schedule that is lost",
        lambda: follow(lambda t: float("nan")),
        ValueError,
        r"SGD: lr\(0\) is nan; expected a n",
    ),
    ("an average of nothing", lambda: optimizers.Adam(beta1=1.0), ValueError, "Adam: beta1 is 1.0; .* and below 1"),
    (
        "a hook's class",
        lambda: sgd().add_hook(optimizers.WeightDecay),
        TypeError,
        r"class WeightDecay; .* WeightDecay\(",
    ),
    ("no such hook", lambda: sgd().remove_hook("clip"), KeyError, "no hook is called 'clip'; there are: none"),
    (
        "a seed for noise",
        lambda: optimizers.GradientNoise(0.1, 0),
        TypeError,
        "GradientNoise: rng is 0; expected a generator",
    ),
    ("a seed for weights", lambda: initializers.HeNormal(rng=0), TypeError, "HeNormal: rng is 0; expected a generator"),
    ("a seed for dropout", lambda: L.Dropout(0.5, rng=0), TypeError, "Dropout: rng is 0; expected a generator"),
    (
        "a seed for an order",
        lambda: SerialIterator(PAIRS, 2, rng=0),
        TypeError,
        "SerialIterator: rng is 0; expected a generator",
    ),
    (
        "a seed for a loader",
        lambda: DataLoader(PAIRS, 2, rng=1),
        TypeError,
        "DataLoader: rng is 1; expected a generator",
    ),
    ("a seed for a spiral", lambda: get_spiral(rng=1), TypeError, "get_spiral: rng is 1; expected a generator"),
    ("a scale below 0", lambda: initializers.Uniform(-1.0), ValueError, "Uniform: scale is -1.0; expected a number"),
    (
        "weights turned round",
        lambda: L.Linear(3, 2, initialW=np.ones((3, 2))),
        ValueError,
        r"shape \(3, 2\); .* \(2, 3\)",
    ),
    ("one example", lambda: L.BatchNormalization(4)(X[:1]), ValueError, r"shape \(1, 4\); .* two numbers per feature"),
    (
        "a line of numbers",
        lambda: L.BatchNormalization(None)(X[0]),
        ValueError,
        r"shape \(4,\); expected \(batch, feat",
    ),
    ("an image alone", lambda: L.Conv2D(None, 2, 3)(np.ones((3, 8, 8))), ValueError, "expected .* height, width"),
    ("words", lambda: L.Linear(None, 2)(np.array([["a"]])), TypeError, "Linear: x: got an array of <U1; expected real"),
    ("numbers for a dataset", lambda: TupleDataset(5), TypeError, "TupleDataset: array 0 is an int without a length"),
    ("a ragged dataset", lambda: TupleDataset([[1], [1, 2]]), ValueError, "array 0 have different shapes"),
    (
        "a generator of examples",
        lambda: DataLoader(iter(PAIRS), 2),
        TypeError,
        "DataLoader: dataset is .*; expected exam",
    ),
    ("no example", lambda: DataLoader(TupleDataset([]), 2), ValueError, "DataLoader: the dataset is empty"),
    ("a mean in words", lambda: transforms.Normalize("a"), TypeError, "Normalize: mean is 'a'; expected a number"),
    ("a dtype that is none", lambda: transforms.AsType("foo"), TypeError, "AsType: dtype is 'foo'; expected a dtype"),
    (
        "no transforms",
        lambda: transforms.Compose(None),
        TypeError,
        "Compose: transforms is None; expected a list",
    ),
    (
        "an optimizer to run",
        lambda: training.Trainer(sgd()),
        TypeError,
        "Trainer: updater is an SGD; expected an updater",
    ),
    (
        "a function to test",
        lambda: extensions.Evaluator(ONE_PASS, F.relu),
        TypeError,
        "target is a function; expected a L",
    ),
    (
        "another axis",
        lambda: extensions.PlotReport(["main/loss"], "loss"),
        ValueError,
        "x_key is 'loss'; expected one of",
    ),
    (
        "a file of what",
        lambda: extensions.snapshot("a_{loss}"),
        ValueError,
        r"filename is 'a_\{loss\}'; .* \{iteration",
    ),
    ("data for one pass", lambda: over_the_end().run(), RuntimeError, "no batches left; create it with repeat=True"),
    (
        "half an iteration",
        lambda: trainer((0.5, "iteration")),
        ValueError,
        "is 0.5; expected a whole number of iterations",
    ),
    (
        "one name",
        lambda: extensions.LogReport("main/loss"),
        TypeError,
        r"keys is 'main/loss'; .* such as \['main/loss'\]",
    ),
    ("a share to test", lambda: get_iris(test=0.2), ValueError, "get_iris: test is 0.2; expected a whole number"),
    ("all to test", lambda: get_iris(test=150), ValueError, "get_iris: test is 150; expected 1 to 149"),
    ("no arms", lambda: get_spiral(classes=0), ValueError, "get_spiral: classes is 0; expected a whole number"),
    ("less than no noise", lambda: get_spiral(noise=-1), ValueError, "get_spiral: noise is -1; expected a number"),
    ("no warmup", lambda: optimizers.schedules.warmup(0, 0.1), ValueError, "warmup: updates is 0; expected a number"),
]


class Unready(Chain):
    def __init__(self) -> None:
        self.l1 = L.Linear(2, 3)


@each(("act", "error", "says"), [row[1:] for row in MISUSES], ids=[row[0] for row in MISUSES])
def test_a_misuse_is_told(act: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        act()
    assert len(str(caught.value)) <= 300


def test_an_update_without_gradients_counts_nothing() -> None:
    optimizer = sgd()
    before = {name: value.copy() for name, value in optimizer.target.state().items()}
    with pytest.raises(RuntimeError, match="no parameter has a gradient"):
        optimizer.update()
    assert optimizer.t == 0
    for name, value in optimizer.target.state().items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("x", [np.ones((3, 8), "U1"), np.ones((3, 2, 8, 8), "U1"), np.float32(1)])
@pytest.mark.parametrize(
    "make", [lambda: L.Conv2D(None, 2, 3), lambda: L.Linear(None, 2), lambda: L.BatchNormalization(None)]
)
def test_a_link_without_a_size_takes_none_from_what_it_refuses(make: Callable[[], Any], x: Any) -> None:
    link = make()
    with pytest.raises((TypeError, ValueError)):
        link(x)
    assert all(p.name == "b" or not p.is_initialized for p in link.params())


def test_a_run_that_has_no_batch_left_keeps_what_it_learned() -> None:
    trainer = over_the_end()
    with pytest.raises(RuntimeError, match="no batches left"):
        trainer.run()
    assert trainer.updater.iteration == 3 and trainer.updater.epoch == 1
