"""Thousands of damaged files: each is refused with the one class of error, or holds what was saved (R9)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

pytest.importorskip("h5py")


@pytest.mark.parametrize("kind", ["npz", "hdf5", "idx"])
@pytest.mark.parametrize(("first", "count"), [(0, 102), pytest.param(102, 3000, marks=pytest.mark.full)])
def test_a_damaged_file_is_refused_or_holds_what_was_saved(kind, first, count, tmp_path):
    """In a process of its own: one that dies has failed, and has said at which seed."""
    program = Path(__file__).with_name("damaged.py")
    command = [sys.executable, program, kind, tmp_path, str(first), str(count)]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stderr[-2000:]
    *wrong, counts = run.stdout.splitlines()
    refused, loaded = [int(word) for word in counts.split() if word.isdigit()]
    print(kind, counts)
    assert wrong == [] and refused + loaded == count and refused > count / 2 and loaded > 0
