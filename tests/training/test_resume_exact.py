"""Training that is killed goes on to the same numbers, in a new process, under another hash seed (R17)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from helpers.checkout import ROOT

SCRIPT = ROOT / "examples" / "train_digits.py"
EPOCHS = 6


def start(out, hash_seed, epochs=EPOCHS):
    command = [sys.executable, SCRIPT, "--out", out, "--epochs", str(epochs)]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(out, hash_seed):
    with start(out, hash_seed) as child:
        said = child.stdout.read()
    assert child.returncode == 0, said
    lines = json.loads((out / "log").read_text())
    with np.load(out / "snapshot.npz") as stored:
        arrays = {
            name: stored[name].tobytes() for name in stored.files if "time" not in name and "LogReport" not in name
        }
    return [{k: v for k, v in line.items() if k != "elapsed_time"} for line in lines], arrays


@pytest.mark.source("CI-16")
def test_a_killed_run_goes_on_to_the_same_loss_curve(tmp_path):
    straight = finish(tmp_path / "straight", "1")
    assert len(straight[0]) == EPOCHS and straight[0][-1]["validation/main/accuracy"] > 0.9
    killed = tmp_path / "killed"
    with start(killed, "2") as child:
        until = time.monotonic() + 60
        while not (killed / "log").exists() or len(json.loads((killed / "log").read_text())) < EPOCHS // 2:
            assert time.monotonic() < until and child.poll() is None
            time.sleep(0.002)
        child.send_signal(signal.SIGKILL)
    assert len(json.loads((killed / "log").read_text())) < EPOCHS
    assert finish(killed, "3") == straight

    page = (killed / "mistakes.html").read_text("utf-8")
    assert f"{round(360 * straight[0][-1]['validation/main/accuracy'])} of 360 are right." in page
    assert "that was taken for a" in page and page.count("data:image/svg+xml") >= 1
