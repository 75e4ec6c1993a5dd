"""R16: what views weigh in a notebook."""

from __future__ import annotations

import base64
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import Widget

from autolab.views.graph.explorer import Explorer
from autolab.views.live.protocol import question_key

from ..looking import looks, seen
from ..programs import LAYER, layer, muladd, twenty

pytestmark = pytest.mark.goal(id="R16")

PER_OUTPUT = 200_000
PER_UPDATE = 256_000


def output_bytes(view: Explorer) -> int:
    """What the cell's output weighs."""
    data, _ = view._repr_mimebundle_()
    return len(json.dumps(data))


def state_bytes(*widgets: Widget) -> int:
    """What a notebook saves of widgets."""
    state = [widget.get_state() for widget in widgets]
    return len(json.dumps(state, default=lambda b: base64.b64encode(bytes(b)).decode()))


def chain(A: Any) -> Any:
    for _ in range(30):
        A = np.tanh(A)
    return A.sum()


@pytest.mark.parametrize(
    ("fn", "inputs", "state"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, 15_000),
        (twenty, {"x": 0.5, "y": 2.0}, 30_000),
        (layer, LAYER, 20_500),
        (chain, {"A": np.random.default_rng(0).normal(size=(100, 100))}, 200_000),
    ],
)
def test_an_output_and_its_saved_state_are_small(
    explorer: Callable[..., Explorer], fn: Any, inputs: dict[str, Any], state: int
) -> None:
    view = explorer(fn, **inputs)
    assert output_bytes(view) <= PER_OUTPUT
    assert state_bytes(view, view.layout) <= state


def test_fifty_views_and_what_they_share_are_small(explorer: Callable[..., Explorer]) -> None:
    views = [explorer(layer, **LAYER) for _ in range(50)]
    layouts = [view.layout for view in views]
    outputs = sum([output_bytes(view) for view in views])
    assert outputs + state_bytes(views[0]._front_end, *views, *layouts) <= 2_600_000


MANY = f"""
def block(x):
    {33 * "x = x * 0.999; "}
    return x

def many(x):
    for _ in range(30):
        x = block(x)
    return x
"""
FRAMES = f"""
def cell(x):
    a = x * 1.01
    return a - 0.01

def block(x):
    {16 * "x = cell(x); "}
    return x

def many(x):
    for _ in range(30):
        x = block(x)
    return x
"""


@pytest.mark.parametrize(
    ("program", "x", "whole", "move"),
    [
        (MANY, 1.0, 200_000, 80_000),
        (FRAMES, 1.0, 200_000, 80_000),
        (MANY, np.random.default_rng(0).normal(size=(30, 40)), PER_UPDATE, 120_000),
    ],
)
def test_an_update_of_a_thousand_boxes_is_small(
    explorer: Callable[..., Explorer], tmp_path: Path, program: str, x: Any, whole: int, move: int
) -> None:
    (tmp_path / "many.py").write_text(program)
    view = explorer(runpy.run_path(str(tmp_path / "many.py"))["many"], x=x)
    groups = [group.id for group in view.recording.outline.groups.values() if group.kind != "run"]
    key = question_key(["scene", 0, sorted(groups), "auto"])
    assert len(looks(view, open={"0": groups}).scene["nodes"]) > 900
    state = view.get_state()
    shown = {name: value for name, value in state.items() if not name.startswith("_")}
    assert len(json.dumps(shown, default=str)) <= whole
    assert len(json.dumps(shown["numbers"])) <= move
    assert shown["page"][key]["nodes"]["count"] == len(view.page[key]["nodes"])


def test_a_move_keeps_the_scene_and_another_program_does_not(explorer: Callable[..., Explorer]) -> None:
    view = explorer(lambda x: x * x if float(x.data) > 0 else np.exp(x), x=1.0)
    first, recording = seen(view).scene, view.recording
    view._show_result(view._session.record())
    assert seen(view).scene is first
    view._session.move("x", None, -1.0)
    view._show_result(view._session.record())
    assert seen(view).scene["key"] != first["key"]
    view._show_result(recording)
    assert seen(view).scene["key"] == first["key"]
