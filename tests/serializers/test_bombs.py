"""Files that unpack to much cost little: 64 MB at most beyond what is wanted, and one class of error (R9)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.checkout import ROOT

pytest.importorskip("h5py")


@pytest.mark.skipif(
    not os.path.exists("/proc/self/clear_refs"), reason="this system does not say how much memory was used"
)
@pytest.mark.parametrize("size", [1 << 27, pytest.param(1 << 30, marks=pytest.mark.full)])
def test_a_bomb_costs_little_memory(size, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, Path(__file__).with_name("bombs.py")]
    subprocess.run([*command, "build", tmp_path, str(size)], check=True, env=environment)
    run = subprocess.run([*command, "load", tmp_path, str(size)], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    for row in rows:
        print(f"{row['name']:32} {row['bytes'] / 1e6:6.1f} MB {row['seconds']:6.3f} s  {row['said']:.100}")
    assert len(rows) == 22
    assert [row for row in rows if "othing was loaded" not in row["said"]] == []
    assert {row["name"]: row["bytes"] for row in rows if row["bytes"] > 64_000_000} == {}
