"""The examples run from end to end, and the benchmark's programs are recorded."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.checkout import ROOT


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(ROOT / script), *arguments]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_a_torch_net_is_seen_and_a_wrong_function_named(tmp_path):
    pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    said = run("examples/torch_net.py", "--out", str(tmp_path))
    assert "hidden.weight" in said and "h = torch.tanh(self.hidden(x))" in said
    assert "check_gradients(Swish): wrong" in said and "sigmoid" in said
    assert {path.name for path in tmp_path.iterdir()} == {"net.svg", "swish.html"}


def test_a_jax_loop_is_seen_and_a_wrong_rule_named(tmp_path):
    pytest.importorskip("jax", reason="needs JAX: make test-bridges")
    said = run("examples/jax_loop.py", "--out", str(tmp_path))
    assert "check_gradients(softsign): wrong" in said
    assert {path.name for path in tmp_path.iterdir()} == {"loop.svg", "softsign.html"}
