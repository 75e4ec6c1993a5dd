"""The documents' pictures load at once, and the live graph's one moves. `scripts/screenshots.py` makes them."""

from __future__ import annotations

import re

import pytest
from helpers.checkout import ROOT
from PIL import Image

IMAGES = ROOT / "docs" / "images"


@pytest.mark.parametrize("name", ["live-graph.gif", "live-graph-dark.gif"])
def test_the_live_graph_moves(name: str):
    assert (IMAGES / name).stat().st_size <= 600_000
    with Image.open(IMAGES / name) as film:
        assert film.n_frames >= 15 and film.info.get("loop") == 0
        pictures = set()
        for k in range(film.n_frames):
            film.seek(k)
            pictures.add(film.convert("RGB").tobytes())
    assert len(pictures) >= 15


def test_every_picture_is_shown():
    shown = "".join([(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tour.md")])
    lessons = (ROOT / "notebooks" / "README.md").read_text("utf-8")
    assert [image.name for image in IMAGES.glob("*.*") if f"images/{image.name}" not in shown] == []
    assert [image.name for image in (IMAGES / "lessons").iterdir() if f"lessons/{image.name}" not in lessons] == []
    assert len(re.findall('<img [^>]*alt="[^"]+"', shown)) == shown.count("<img ") > 0
