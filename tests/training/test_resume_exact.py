"""A run that is killed at step 25 of 50 and goes on gives what an uninterrupted one gives, bit for bit (R17)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from helpers.checkout import ROOT

from autolab.serializers.hdf5 import read_hdf5
from autolab.serializers.npz import read_npz

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
