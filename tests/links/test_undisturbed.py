"""Tools that look at a function leave the running means of the links that it uses as they were; a call does not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from helpers.state import wait_for_views

import autolab
from autolab import Link, Variable, links
from autolab.compat import chainer, dezero, torch
from autolab.engine.undisturbed import blocks, undisturbed
from autolab.views.derivatives import saved_page
from autolab.views.graph.page_program import motion
from autolab.views.graph.session import Session

X = np.array([[1.0, 2.0], [3.0, 7.0], [4.0, -1.0]])
norm = links.BatchNormalization(2)
norm(X)


def normalized(x: Variable) -> Variable:
    y = norm(x)
    return (y * y * x).sum()


def scaled(s: float) -> Variable:
    return normalized(Variable(X * s))


def explored() -> None:
    session = Session(normalized, (X,))
    motion(session, session.record())
    session.move("x", 0, 2.0)
    session.record()


def checked_by_threads() -> None:
    with ThreadPoolExecutor(2) as pool:
        autolab.check_gradients(normalized, X, executor=pool)


TOOLS: dict[str, Callable[[], Any]] = {
    "explore": explored,
    "check_gradients": lambda: autolab.check_gradients(normalized, X),
    "check_gradients of order 2": lambda: autolab.check_gradients(normalized, X, order=2),
    "check_gradients elsewhere": checked_by_threads,
    "derivatives": lambda: autolab.derivatives(lambda x: normalized(x * X), x=1.0),
    "interact": lambda: autolab.interact(scaled, s=(0.5, 1.0, 2.0)),
    "surface": lambda: autolab.plots.surface(lambda x: normalized(x), X),
    "a lens": lambda: autolab.check_gradients(normalized, X).explore(),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_looking_does_not_train(tool: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where views are saved
    monkeypatch.setattr(saved_page, "_SAMPLES", (7, 5, 3))
    kept = {name: (id(buffer), buffer.copy()) for name, buffer in norm.namedbuffers()}
    TOOLS[tool]()
    wait_for_views()
    assert len(kept) == 2 and not blocks
    for name, buffer in norm.namedbuffers():
        assert id(buffer) == kept[name][0], name
        np.testing.assert_array_equal(buffer, kept[name][1], name)


@pytest.mark.parametrize("run", [lambda: norm(X), lambda: autolab.record(normalized, X)], ids=["call", "record"])
def test_an_ordinary_call_and_a_recorded_one_do(run: Callable[[], Any]) -> None:
    before = norm.avg_mean.copy()
    run()
    assert not np.array_equal(norm.avg_mean, before)


class Counting(Link):
    """Changes a buffer in place."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", np.zeros(1))

    def forward(self, x: Any) -> Any:
        self.calls[0] += 1
        if self.calls[0] > 3:
            raise ValueError("too many")
        return x


def test_buffers_that_are_changed_in_place_are_put_back_also_after_an_error() -> None:
    link = Counting()
    with pytest.raises(ValueError, match="too many"), undisturbed():
        for _ in range(5):
            link(1.0)
    assert link.calls[0] == 0 and not blocks
    link(1.0)
    assert link.calls[0] == 1


def test_a_buffer_that_cannot_be_written_to_stays() -> None:
    class Shifted(Link):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("shift", np.broadcast_to(np.array([1.0, 2.0]), (3, 2)))
            self.shift.setflags(write=False)

        def forward(self, x: Any) -> Any:
            return x + self.shift

    link = Shifted()
    assert autolab.check_gradients(lambda x: link(x) * x, X).verdict == "right"
    assert link.shift.tolist() == [[1.0, 2.0]] * 3


FACADES: dict[str, Callable[[], tuple[Any, Callable[[], np.ndarray]]]] = {
    "chainer": lambda: averages_of(chainer.links.BatchNormalization(2), "avg_mean", "avg_var"),
    "dezero": lambda: averages_of(dezero.layers.BatchNorm(), "avg_mean.data", "avg_var.data"),
    "torch": lambda: averages_of(torch.nn.BatchNorm1d(2), "running_mean", "running_var", "num_batches_tracked"),
}


def averages_of(layer: Any, *names: str) -> tuple[Any, Callable[[], np.ndarray]]:
    """A layer, and what tells its running averages, in a row."""
    return layer, lambda: np.hstack([np.ravel(attrgetter(name)(layer)) for name in names])


@pytest.mark.parametrize("facade", FACADES)
def test_looking_does_not_train_the_layers_of_a_facade(facade: str) -> None:
    layer, averages = FACADES[facade]()
    layer(torch.tensor(X))
    before = averages()
    autolab.check_gradients(lambda x: (layer(x) ** 2).sum(), X)
    np.testing.assert_array_equal(averages(), before)
    layer(torch.tensor(X))
    assert not np.array_equal(averages(), before)


def test_looking_does_not_train_by_a_compiled_function() -> None:
    @autolab.compile
    def normalized_squares(x: np.ndarray) -> Any:
        with autolab.no_grad():
            return (norm(x) ** 2).sum()

    for _ in range(3):
        normalized_squares(X)
    assert normalized_squares.programs
    before = norm.avg_mean.copy()
    with undisturbed():
        normalized_squares(X)
        assert normalized_squares.report().refusals
    np.testing.assert_array_equal(norm.avg_mean, before)
    normalized_squares(X)
    assert not np.array_equal(norm.avg_mean, before)


@pytest.mark.parametrize("make", [lambda: links.BatchNormalization(2), lambda: FACADES["torch"]()[0]])
def test_averages_that_another_thread_trains_meanwhile_stay_trained(make: Callable[[], Any]) -> None:
    """The thread of a view looks at the layer that a cell trains."""
    layer, alone = make(), make()
    x = torch.tensor(X)
    with undisturbed():
        layer(x)
        thread = threading.Thread(target=layer, args=(x,))
        thread.start()
        thread.join()
        layer(x)
    alone(x)
    for (name, buffer), (_, expected) in zip(layer.namedbuffers(), alone.namedbuffers(), strict=True):
        if "num" not in name:
            np.testing.assert_array_equal(np.asarray(buffer), np.asarray(expected), name)


def test_what_another_thread_trains_meanwhile_stays_trained() -> None:
    here, there = Counting(), Counting()
    with undisturbed():
        here(1.0)
        thread = threading.Thread(target=there, args=(1.0,))
        thread.start()
        thread.join()
    assert (here.calls[0], there.calls[0]) == (0, 1)
