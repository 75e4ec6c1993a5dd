"""The examples run from end to end, and the benchmark's programs are recorded."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
from helpers.checkout import ROOT

import autolab


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


def test_a_gpt_agrees_with_its_twin_in_links_and_a_transposed_weight_is_found(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    said = run("examples/torch_gpt.py", "--out", str(tmp_path), "--seconds", "0")
    assert "blocks.3.fc" in said and "steps agree but for rounding" in said
    assert {path.name for path in tmp_path.iterdir()} == {"flow.html", "memory.html"}
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    torch_gpt = importlib.import_module("torch_gpt")
    model = torch_gpt.GPT(20, 16, 2, 2)
    twin, ids = torch_gpt.in_links(model), torch.arange(24).reshape(2, 12) % 20
    twin.blocks[1].proj.W.data = twin.blocks[1].proj.W.data.T.copy()
    runs = autolab.record(model, ids, ids), autolab.record(twin, ids.numpy(), ids.numpy())
    assert "proj(y)" in str(autolab.compare(*runs)) and "It was given W transposed." in str(autolab.compare(*runs))


def test_a_resnet_is_seen_layer_by_layer(tmp_path):
    pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    said = run("examples/torch_resnet.py", "--out", str(tmp_path), "--seconds", "0")
    assert "blocks.3.bn2" in said and "No gradient vanishes" in said


def test_a_jax_loop_is_seen_and_a_wrong_rule_named(tmp_path):
    pytest.importorskip("jax", reason="needs JAX: make test-bridges")
    said = run("examples/jax_loop.py", "--out", str(tmp_path))
    assert "check_gradients(softsign): wrong" in said
    assert {path.name for path in tmp_path.iterdir()} == {"loop.svg", "softsign.html"}
