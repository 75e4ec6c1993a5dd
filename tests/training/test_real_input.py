"""Real input from one end to the other: digits are learned, the run is killed, goes on, and its mistakes are shown."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from helpers.checkout import ROOT

from autolab.serializers.npz import read_npz

pytest.importorskip("traitlets")  # the example shows pictures

SCRIPT = ROOT / "examples" / "train_digits.py"


def command(out, epochs, seed="0"):
    words = [sys.executable, str(SCRIPT), "--out", str(out), "--epochs", str(epochs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": "1"}
    return words, {"env": environment, "text": True, "stdout": subprocess.PIPE, "cwd": out.parent}


def trained(out, epochs, seed="0"):
    words, options = command(out, epochs, seed)
    return subprocess.run(words, check=True, timeout=120, **options).stdout


def killed(out, epochs, after, seed="0"):
    """Train until a line of the report says that ``after`` epochs are over, and kill the process a little later."""
    words, options = command(out, epochs, seed)
    with subprocess.Popen(words, **options) as child:
        for line in child.stdout:
            if line.split()[0] == str(after):
                child.send_signal(signal.SIGKILL)
                break
        else:
            raise AssertionError("the run was over before it was killed")


def losses(out):
    """The log without the times."""
    log = json.loads((out / "log").read_text("utf-8"))
    return [{name: value for name, value in line.items() if name != "elapsed_time"} for line in log]


def states(out):
    """What the snapshot holds, without the times."""
    untimed = {"elapsed_time", "extensions/LogReport/text"}
    return {name: array.tobytes() for name, array in read_npz(out / "snapshot").items() if name not in untimed}


def test_a_run_that_is_killed_goes_on_to_the_same_loss_curve(tmp_path):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    trained(straight, 8, seed="1")
    killed(broken, 8, after=3, seed="2")
    killed(broken, 8, after=6, seed="3")
    said = trained(broken, 8, seed="4")
    begun = int(re.search(r"going on after epoch (\d)", said)[1])
    assert 5 <= begun < 8, "it did not begin anew"
    assert losses(broken) == losses(straight) and len(losses(straight)) == 8
    assert states(broken) == states(straight)


def test_it_learns_the_digits_and_shows_what_it_confuses(tmp_path):
    out = tmp_path / "result"
    said = trained(out, 25)
    log = json.loads((out / "log").read_text("utf-8"))
    good = [line["elapsed_time"] for line in log if line["validation/main/accuracy"] >= 0.97]
    assert good and good[0] < 20, "97 % of the digits that it has not learned from, in less than 20 seconds"
    matrix = np.array(
        [[int(n.replace(".", "0")) for n in row.split()[1:]] for row in re.findall(r"^ {3}\d .*$", said, re.M)]
    )
    assert matrix.shape == (10, 10) and matrix.sum() == 360
    right = np.trace(matrix)
    assert f"{right} of 360 are right" in said
    assert right / 360 == pytest.approx(log[-1]["validation/main/accuracy"])
    pages = {page.name: page.read_text("utf-8") for page in (out / "autolab_pages").glob("heatmap_*.html")}
    assert len(pages) == 2 and "heatmap_confusion.html" in pages
    (mistakes,) = [text for name, text in pages.items() if name != "heatmap_confusion.html"]
    named = set(re.findall(r"test (\d+): a (\d) taken for a (\d)", mistakes))
    assert len(named) == min(6, 360 - right)
    assert all(matrix[int(a), int(b)] > 0 and a != b for _, a, b in named)
    assert "gradient" in mistakes
