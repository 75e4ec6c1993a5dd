"""Saving that is killed at any moment leaves the old file or the new one, whole (R8)."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from autolab import links as L
from autolab import serializers
from autolab.shared import files

pytestmark = pytest.mark.goal(id="R8")

PROGRAM = """
import sys, numpy as np
from autolab import Parameter, Link, serializers
class Model(Link):
    def __init__(self):
        super().__init__()
        for i in range(8):
            setattr(self, f"w{i}", Parameter(np.zeros((200, 200))))
model, save = Model(), getattr(serializers, "save_" + sys.argv[1])
step = 0
while True:
    step += 1
    for p in model.params():
        p.data = np.full((200, 200), float(step)) + np.arange(200)
    save(sys.argv[2], model)
    print(step, flush=True)
"""
READERS = {"npz": serializers.npz.read_npz, "hdf5": serializers.hdf5.read_hdf5}


def whole(kind, path):
    """The step whose numbers the file holds; all of its arrays must be of the same."""
    arrays = READERS[kind](path)
    steps = {float(a[0, 0]) for a in arrays.values()}
    assert len(arrays) == 8 and len(steps) == 1
    assert all((a == a[0, 0] + np.arange(200)).all() for a in arrays.values())
    return steps.pop()


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.full)])
def test_a_killed_save_loses_nothing(kind, kills, tmp_path):
    path, rng, written = tmp_path / "model", random.Random(0), 0.0
    for _ in range(kills):
        command = [sys.executable, "-c", PROGRAM, kind, path]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()  # at least one whole save
            time.sleep(rng.uniform(0.0, 0.03))
            child.send_signal(signal.SIGKILL)
            said = child.stdout.read().split()
        written = whole(kind, path)
        assert written >= float(said[-1] if said else 1)
    model = L.Linear(2, 2)
    getattr(serializers, f"save_{kind}")(path, model)
    assert [p.name for p in tmp_path.iterdir()] == ["model"]  # what the killed ones left is swept


@pytest.mark.parametrize("kind", READERS)
def test_a_full_disk_is_an_error_and_the_old_file_stays(kind, tmp_path, monkeypatch):
    path, save = tmp_path / "model", getattr(serializers, f"save_{kind}")
    layer = L.Linear(3, 2)
    save(path, layer)
    before = path.read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)  # where a disk that is full is noticed at last
    with pytest.raises(OSError, match="No space left"):
        save(path, layer)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("kind", READERS)
def test_a_missing_folder_raises(kind, tmp_path):
    with pytest.raises(FileNotFoundError):
        getattr(serializers, f"save_{kind}")(tmp_path / "missing" / "model", L.Linear(2, 2))


def test_an_error_while_writing_leaves_nothing_behind(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), files.replacing(path) as temporary:
        temporary.write(b"new")
        raise ZeroDivisionError
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["file"]


def test_permissions_stay(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    files.write(path, "new")
    assert path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o640
