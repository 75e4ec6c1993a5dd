"""What a beginner does wrong with links, optimizers and training is refused in words that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autolab import Chain, optimizers, training
from autolab import functions as F
from autolab import links as L
from autolab.data import SerialIterator, TupleDataset
from autolab.training import extensions

X = np.random.default_rng(0).random((6, 4), np.float32)
T = np.array([0, 1, 2, 0, 1, 2])
PAIRS = TupleDataset(X, T)


def model(*sizes: int) -> L.Classifier:
    made = L.Classifier(L.MLP(sizes or (5, 3)))
    made(X, T)
    return made


def sgd(target: Any = None) -> optimizers.Optimizer:
    return optimizers.SGD().setup(target or model())


def trainer(stop: Any = (2, "epoch")) -> training.Trainer:
    return training.Trainer(training.StandardUpdater(SerialIterator(PAIRS, 2), sgd()), stop)


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
    ("return forgotten", lambda: sgd().update(lambda: None), TypeError, "lossfun returned a NoneType"),
    ("the model as rate", lambda: optimizers.SGD(model()), TypeError, r"lr is a Classifier; .* SGD\(\).setup\(model\)"),
    (
        "another optimizer's state",
        lambda: sgd().load_state(adam_state()),
        ValueError,
        "another kind .* beta1, beta2, eps",
    ),
    ("wider state", lambda: model().load_state(model(7, 3).state()), ValueError, r"\(5, 4\); nothing was loaded"),
    ("deeper state", lambda: model().load_state(model(5, 5, 3).state()), ValueError, "has no predictor/l2/W"),
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
    ("no warmup", lambda: optimizers.schedules.warmup(0, 0.1), ValueError, "warmup: updates is 0; expected a number"),
]


class Unready(Chain):
    def __init__(self) -> None:
        self.l1 = L.Linear(2, 3)


@pytest.mark.parametrize(("act", "error", "says"), [row[1:] for row in MISUSES], ids=[row[0] for row in MISUSES])
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
