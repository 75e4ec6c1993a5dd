"""Records that travel as columns arrive as they were, whatever they hold."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from autolab.views.draw.numbers import in_cell
from autolab.views.live.bundle import module_text
from autolab.views.live.columns import FEWEST, packed, shaded

from ..bare_page import ADDRESS

ROUNDS = 40


def texts(rng: np.random.Generator, count: int) -> list[str]:
    """Sentences that are alike, now and then with what could be mistaken for a repetition."""
    odd = ["", " ", "a  b", " x", "\U0001d53d x", "x\ty", "one two three"]
    return [
        str(rng.choice(odd)) if rng.random() < 0.02 else f"x is {rng.integers(9)}, all of it {'too ' * rng.integers(2)}"
        for _ in range(count)
    ]


def cells(rng: np.random.Generator, count: int) -> list[Any]:
    """Rows of shades in several sizes, with missing ones, and boxes without any."""
    shapes = [(1, 1), (2, 4), (6, 12), (3, 1)][: rng.integers(1, 5)]
    missing = rng.random() < 0.5

    def one() -> Any:
        if missing and rng.random() < 0.3:
            return None
        rows = rng.integers(-127, 128, shapes[rng.integers(len(shapes))]).tolist()
        return [[None if missing and v > 100 else v for v in row] for row in rows]

    return [one() for _ in range(count)]


def records(seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    count = FEWEST + int(rng.integers(30))
    plain = rng.random() < 0.5  # no odd texts
    columns = {
        "same": ["no"] * count,
        "few": rng.choice(["a", "b c"], count).tolist(),
        "text": [f"x is {rng.integers(9)}, all of it" for _ in range(count)] if plain else texts(rng, count),
        "cells": cells(rng, count),
        "none": [None] * count,
        "number": rng.normal(size=count).tolist(),
        "mixed": [None if rng.random() < 0.2 else str(k) for k in range(count)],
        "whole": rng.integers(0, 5, count).tolist(),
        "even": [int(rng.integers(-3, 3)) * (k // 9) + k for k in range(count)],
        "climbing": list(range(-7, 3 * count - 7, 3)),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.browser
def test_the_page_makes_the_records_again(browser: Browser) -> None:
    page = browser.new_page()
    text = module_text("brain.js")
    page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/javascript"))
    page.goto(ADDRESS)
    kinds = set()
    for seed in range(ROUNDS):
        given = records(seed)
        sent = packed(given)
        kinds |= {name for column in sent["$columns"].values() if isinstance(column, dict) for name in column}
        made = page.evaluate(
            "async (sent) => JSON.stringify((await import('./brain.js')).unpacked({ sent }).sent)", sent
        )
        assert json.loads(made) == given
    assert kinds == {"of", "at", "after", "cells", "sizes", "from", "steps", "times"}
    page.close()


def test_cells_become_shades() -> None:
    reading = {"value_cells": [[1.0, -5e-324, "NaN"]], "value_scale": 1.0}
    assert shaded(reading)["value_cells"] == [[127, -1, None]]  # only what is exactly zero has the shade of zero
    smallest = {"grad_cells": [[5e-324, -5e-324]], "grad_scale": 5e-324}
    assert shaded(smallest)["grad_cells"] == [[127, -127]]
    zero = {"value_cells": [[0.0, "−∞"]], "value_scale": 0.0}
    assert shaded(zero) == {"value_cells": [[0, None]], "value_scale": None}


@pytest.mark.browser
def test_numbers_in_cells_read_the_same_on_a_page_as_in_a_picture(browser: Browser) -> None:
    rng = np.random.default_rng(0)
    values = (rng.normal(size=300) * 10.0 ** rng.integers(-9, 9, 300)).tolist()
    values += [0.0, 0.5, -1.0, 9.9996, 99.96, 1e6, 0.1 + 0.2, -0.005]
    page = browser.new_page()
    text = module_text("dom.js")
    page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/javascript"))
    page.goto(ADDRESS)
    found = page.evaluate(
        "async (all) => (({ inCell }) => all.map((value) => inCell(value)))(await import('./dom.js'))", values
    )
    assert [row for row in zip(values, found, map(in_cell, values), strict=True) if row[1] != row[2]] == []
    page.close()
