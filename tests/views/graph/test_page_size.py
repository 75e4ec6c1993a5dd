"""What a saved page holds is written so that it zips well, and shows the same."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
from helpers import network

import autolab
from autolab.recording.model import Recording
from autolab.views.graph.readings import readings
from autolab.views.graph.saved_page import AMOUNTS, amounts_for, explorer_page
from autolab.views.live.saved_page import as_json


def layers(x: Any, w: Any) -> Any:
    for _ in range(3):
        x = np.tanh(x @ w)
    return x


def recorded() -> Recording:
    rng = np.random.default_rng(0)
    return autolab.record(
        layers, rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=(4, 4)).astype(np.float32)
    )


def test_boxes_with_the_same_numbers_stand_side_by_side() -> None:
    r = recorded()
    page = explorer_page(r, AMOUNTS[0])
    boxes = list(page["boxes"][0]["nodes"])
    asked = [json.loads(key)[1] for key in page["answers"] if key.startswith('["detail",')]
    passes = [group for group in r.outline.groups.values() if group.kind == "pass"]
    assert len(passes) == 3 and asked == list(map(int, boxes))
    for group in passes:
        assert abs(boxes.index(str(group.id)) - boxes.index(str(group.results[-1]))) <= 2


def test_the_cells_of_boxes_are_short_numbers_and_the_same_colours() -> None:
    r = recorded()
    held = explorer_page(r, AMOUNTS[0])["boxes"][0]["nodes"]
    for box, whole in readings(r)["nodes"].items():
        cells, exact = np.ravel(held[str(box)]["grad_cells"]), np.ravel(whole["grad_cells"])
        assert np.abs(cells - exact).max() <= 1e-5 * np.abs(exact).max()
        assert all([len(repr(float(number))) <= 13 for number in cells])


def test_while_a_page_is_made_its_answers_are_not_all_in_memory() -> None:
    r = network.recorded()
    as_json(explorer_page(r, amounts_for(r)[0]))  # imports what it needs
    tracemalloc.start()
    try:
        text = as_json(explorer_page(r, amounts_for(r)[0]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4.8 * len(text), "all of them together take six times as much as their text"
