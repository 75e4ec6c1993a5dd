"""A full disk is an error that says so, whatever is saved; the old files stay."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from helpers.checkout import ROOT

FULL = """
import json, os, resource, sys
import numpy as np
import autolab
from autolab import links as L, optimizers, serializers, training
from autolab.data import SerialIterator, get_iris

folder, limited = sys.argv[1], sys.argv[2] == "limit"
model, view = L.Linear(400, 400), autolab.record(lambda x: sum([x * x for _ in range(60)]), np.ones((5, 5)))
def train(path):
    optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    updater = training.StandardUpdater(SerialIterator(get_iris()[0], 60), optimizer)
    trainer = training.Trainer(updater, (1, "epoch"), out=os.path.dirname(path))
    keys = [f"{'k' * 200}{i}" for i in range(100)]
    trainer.extend(lambda t: t.observation.update({key: 1.0 for key in keys}), name="tell", priority=300)
    trainer.extend(training.extensions.LogReport(filename=os.path.basename(path)))
    trainer.run()
ways = {
    "npz": lambda path: serializers.save_npz(path, model),
    "h5": lambda path: serializers.save_hdf5(path, model),
    "h5 unpacked": lambda path: serializers.save_hdf5(path, model, compression=0),
    "html": lambda path: autolab.export_html(view, path + ".html"),
    "svg": lambda path: view.save(path + ".svg"),
    "png": lambda path: view.save(path + ".png"),
    "json": train,
}
answers = {}
for kind, way in ways.items():
    path = os.path.join(folder, kind)
    way(path)  # there is room
(file,) = [open(os.path.join(folder, "filler"), "wb", buffering=0)]
sizes = {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder) if name != "filler"}
if limited:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
else:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
for kind, way in ways.items():
    try:
        way(os.path.join(folder, kind))
        answers[kind] = "written"
    except OSError as error:
        answers[kind] = f"{error.strerror}: {os.path.basename(error.filename).partition('.')[0]}"
whole = all([open(os.path.join(folder, name), "rb").read() == content for name, content in sizes.items()])
print(json.dumps({"answers": answers, "whole": whole, "names": sorted(os.listdir(folder)), "before": sorted(sizes)}))
"""


@pytest.fixture
def full(tmp_path):
    """A folder on a small disk of its own, where that may be had; else no file may be larger than some bytes."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", tmp_path], stderr=subprocess.DEVNULL)
    if made.returncode:
        yield tmp_path, "limit"
        return
    try:
        yield tmp_path, "disk"
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_full_disk_is_an_error_that_says_it_and_the_old_files_stay(full):
    for module in ("h5py", "typst"):
        pytest.importorskip(module)
    folder, how = full
    command = [sys.executable, "-c", FULL, folder, how]
    answer = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert answer.returncode == 0, answer.stderr  # the process is alive
    said = json.loads(answer.stdout)
    reason = "No space left on device" if how == "disk" else "File too large"
    assert said["answers"] == {kind: f"{reason}: {kind}" for kind in said["answers"]} and len(said["answers"]) == 7
    assert said["whole"] and said["names"] == sorted([*said["before"], "filler"])
