"""A run that is killed at step 25 of 50 and goes on gives what an uninterrupted one gives, bit for bit (R17)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from helpers.checkout import ROOT

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, get_iris
from autolab.serializers import save_npz
from autolab.serializers.hdf5 import read_hdf5
from autolab.serializers.npz import read_npz
from autolab.shared.state_layout import text_state
from autolab.training import extensions

pytestmark = pytest.mark.goal(id="R17")

PROGRAM = """
import os, signal, sys
from pathlib import Path
import numpy as np
from autolab import Sequential, config, functions as F, links as L, optimizers, serializers, training
from autolab.data import SerialIterator, get_iris
from autolab.training import extensions

folder, killed, kind = Path(sys.argv[1]), sys.argv[2] == "killed", sys.argv[3]
save, load = getattr(serializers, f"save_{kind}"), getattr(serializers, f"load_{kind}")
config.rng = np.random.default_rng(5)
net = Sequential(L.Linear(None, 8), L.BatchNormalization(8), F.tanh, L.Dropout(0.3), L.Linear(8, 3))
optimizer = optimizers.Adam(optimizers.schedules.step(0.01, every=20)).setup(L.Classifier(net))
optimizer.add_hook(optimizers.GradientNoise(0.01))
iterator = SerialIterator(get_iris()[0], 16, rng=np.random.default_rng(3))
trainer = training.Trainer(training.StandardUpdater(iterator, optimizer), (50, "iteration"), out=folder)
trainer.extend(extensions.LogReport(trigger=(10, "iteration")))
trainer.extend(lambda trainer: save(folder / "last", trainer), name="save", trigger=(25, "iteration"), priority=-100)
if killed:
    die = lambda trainer: trainer.updater.iteration == 25 and os.kill(os.getpid(), signal.SIGKILL)
    trainer.extend(die, name="die", priority=-200)
folder.mkdir(exist_ok=True)
if (folder / "last").exists():
    load(folder / "last", trainer)
    assert trainer.updater.iteration == 25
trainer.run()
"""
READERS = {"npz": read_npz, "hdf5": read_hdf5}


def run(folder, how, kind, seed):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}
    return subprocess.run([sys.executable, "-c", PROGRAM, folder, how, kind], env=environment, timeout=100).returncode


def state(folder, kind):
    """What was saved at step 50, without the seconds."""
    arrays = READERS[kind](folder / "last")
    return {
        name: a.tobytes() for name, a in arrays.items() if name not in ("elapsed_time", "extensions/LogReport/text")
    }


@pytest.mark.parametrize("kind", READERS)
def test_killed_and_resumed_is_uninterrupted_bit_for_bit_under_two_hash_seeds(kind, tmp_path):
    if kind == "hdf5":
        pytest.importorskip("h5py")
    assert run(tmp_path / "straight", "whole", kind, "0") == 0
    assert run(tmp_path / "broken", "killed", kind, "1") == -signal.SIGKILL
    half = state(tmp_path / "broken", kind)
    assert run(tmp_path / "broken", "whole", kind, "2") == 0
    straight, broken = state(tmp_path / "straight", kind), state(tmp_path / "broken", kind)
    assert broken == straight and broken != half
    assert {name.split("/")[1] for name in straight if name.startswith("updater/")} >= {"model", "optimizer", "rng"}


def test_extensions_that_an_interrupt_left_out_are_called_after_resuming(tmp_path):
    """Evaluated, logged, and the learning rate lowered: what belongs to an epoch is not lost with the process."""

    def make(is_interrupted=False):
        def lower(trainer):
            if is_interrupted and trainer.updater.epoch == 2:
                raise KeyboardInterrupt
            trainer.updater.optimizer.lr *= 0.5

        train, test = get_iris()
        optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.Linear(4, 3, initialW=0)))
        batches = SerialIterator(train, 40, rng=np.random.default_rng(3))
        trainer = training.Trainer(training.StandardUpdater(batches, optimizer), (4, "epoch"), out=tmp_path)
        trainer.extend(lower, trigger=(1, "epoch"), priority=training.Extension.EDITOR)  # before it is logged
        trainer.extend(extensions.Evaluator(SerialIterator(test, 50, repeat=False, shuffle=False), optimizer.target))
        trainer.extend(extensions.LogReport())
        return trainer

    def told(trainer):
        log = [{**line, "elapsed_time": 0} for line in trainer.get_extension("LogReport").log]
        return log, trainer.updater.optimizer.lr

    straight, broken, resumed = make(), make(is_interrupted=True), make()
    straight.run()
    with pytest.raises(KeyboardInterrupt):
        broken.run()
    save_npz(tmp_path / "state", broken)
    extensions.resume(resumed, tmp_path / "state")
    resumed.run()
    assert told(resumed) == told(straight) and len(told(straight)[0]) == 4


def test_what_is_left_to_call_is_checked_before_anything_is_loaded():
    def make():
        optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.Linear(4, 3)))
        return training.Trainer(training.StandardUpdater(SerialIterator(get_iris()[0], 40), optimizer))

    trainer, other = make(), make().state()
    before = trainer.state()
    for text in ([], {"called": 1, "observation": {}}, {"called": [], "observation": {"loss": "x"}}):
        with pytest.raises(ValueError, match=r"Trainer.load_state: .*nothing was loaded"):
            trainer.load_state({**other, "due/text": text_state(text)})
        assert all(np.array_equal(before[name], value) for name, value in trainer.state().items())
