"""Texts and positions in a snapshot: refused where they are none, and loaded where nothing is said about them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.saved import LOAD, READ, SAVE, both, unchanged, written

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, TupleDataset, get_iris
from autolab.serializers import load_npz, save_npz
from autolab.shared.state_layout import generator_state, generator_store
from autolab.training import extensions


def trainer(folder, rng=None):
    optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    iterator = SerialIterator(get_iris()[0], 60, rng=rng or np.random.default_rng(0))
    made = training.Trainer(training.StandardUpdater(iterator, optimizer), (1, "epoch"), out=folder)
    made.extend(extensions.LogReport(filename=None))
    return made


TEXTS = ["", "{", "[]", "3", '{"log": 3, "sums": 4, "heard": "x"}', '{"log": [], "sums": {"a": 1}, "heard": 1}']
TEXTS += ["[" * 100_000, '{"log": [1], "sums": {}, "heard": 1}', '{"log": [], "sums": {}, "heard": 1e999}', "\udcff"]


@both
@pytest.mark.parametrize("name", ["updater/rng", "updater/iterator/rng", "extensions/LogReport/text"])
def test_a_text_in_a_snapshot_that_is_none_is_refused(kind, name, tmp_path):
    first = trainer(tmp_path)
    first.run()
    SAVE[kind](tmp_path / "good", first)
    stored = READ[kind](tmp_path / "good")
    for text in TEXTS:
        bad = np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
        written(kind, tmp_path / "bad", **{**stored, name: bad})
        second = trainer(tmp_path)
        unchanged(kind, tmp_path / "bad", second, "nothing was loaded")
        assert second.updater.iteration == 0
    LOAD[kind](tmp_path / "good", second)
    assert second.updater.iteration == first.updater.iteration


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (np.random.MT19937, lambda state: state["state"].update(pos=10**9)),
        (np.random.MT19937, lambda state: state["state"].update(pos=-1)),
        (np.random.MT19937, lambda state: state["state"].update(pos=1.5)),
        (np.random.MT19937, lambda state: state["state"].update(key=[1] * 2000, pos=2000)),
        (np.random.MT19937, lambda state: state["state"].update(key=[1] * 2000, pos=5)),
        (np.random.Philox, lambda state: state.update(buffer_pos=10**9)),
        (np.random.Philox, lambda state: state.update(buffer=[1] * 9, buffer_pos=9)),
        (np.random.PCG64, lambda state: state["state"].update(state=-1)),
        (np.random.PCG64, lambda state: state["state"].update(inc=1 << 200)),
        (np.random.PCG64, lambda state: state.update(bit_generator="MT19937")),
    ],
)
def test_a_generator_is_not_sent_out_of_its_table(kind, change):
    rng = np.random.Generator(kind(1))
    state = json.loads(bytes(generator_state(rng)))
    generator_store(rng, np.frombuffer(json.dumps(state).encode(), np.uint8))
    change(state)
    with pytest.raises(ValueError, match="nothing was loaded"):
        generator_store(rng, np.frombuffer(json.dumps(state).encode(), np.uint8))


@pytest.mark.parametrize("place", [0, 624])
def test_a_generator_may_stand_at_either_end_of_its_table(place):
    rng = np.random.Generator(np.random.MT19937(1))
    state = json.loads(bytes(generator_state(rng)))
    state["state"]["pos"] = place
    found = generator_store(rng, np.frombuffer(json.dumps(state).encode(), np.uint8))
    assert found[2]["state"]["pos"] == place


class Own:
    """Something with a state that says nothing about what it takes."""

    def __init__(self, size):
        self.numbers = np.arange(float(size))

    def state(self):
        return {"numbers": self.numbers, "name": np.frombuffer(b"own", np.uint8)}

    def load_state(self, state):
        self.numbers = dict(state)["numbers"] * 2


class Keeping(training.Extension):
    trigger = (1, "epoch")
    best = np.zeros(0)

    def __call__(self, trainer):
        self.best = np.ones((3, 4))

    def state(self):
        return {"deep/best": self.best}

    def planned(self, state):
        return [(self, "best", state["deep/best"])]


@both
def test_what_says_nothing_about_its_state_takes_what_there_is(kind, tmp_path):
    first, second = Own(5), Own(3)
    SAVE[kind](tmp_path / "file", first)
    LOAD[kind](tmp_path / "file", second)
    assert second.numbers.tolist() == [0, 2, 4, 6, 8]
    one, two = trainer(tmp_path), trainer(tmp_path)
    for made in (one, two):
        made.extend(Keeping())
    one.run()
    SAVE[kind](tmp_path / "snapshot", one)
    LOAD[kind](tmp_path / "snapshot", two)
    np.testing.assert_array_equal(two.get_extension("Keeping").best, np.ones((3, 4)))


def test_what_an_extension_of_old_saved_is_left_out(tmp_path):
    save_npz(tmp_path / "file", trainer(tmp_path))
    bare = trainer(tmp_path)
    bare._entries.clear()
    load_npz(tmp_path / "file", bare)


def test_an_iterator_takes_the_order_of_its_own_examples(tmp_path):
    save_npz(tmp_path / "file", SerialIterator(TupleDataset(np.arange(5)), 2))
    load_npz(tmp_path / "file", SerialIterator(TupleDataset(np.arange(5)), 2))
    unchanged("npz", tmp_path / "file", SerialIterator(TupleDataset(np.arange(6)), 2), r"'order' has shape \(5,\)")
