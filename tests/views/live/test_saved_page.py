"""What a saved page holds: as much as fits."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from autolab.views.live.saved_page import MAX_BYTES, SavedPage, as_json

SIZES = {"small": 10, "middle": MAX_BYTES // 2, "large": MAX_BYTES + 1}


@pytest.mark.parametrize(
    ("names", "written", "made"),
    [("large middle small", "middle", "large middle"), ("large large", "large", "large large")],
)
def test_the_largest_that_fits_is_written(names: str, written: str, made: str) -> None:
    tried = []

    def contents() -> Iterator[dict[str, str]]:
        for name in names.split():
            tried.append(name)
            yield {"name": name, "text": "x" * SIZES[name]}

    assert json.loads(SavedPage("t", "v", contents()).data())["name"] == written
    assert tried == made.split()


def test_bytes_stand_apart_once_each_with_every_place() -> None:
    saved = json.loads(as_json({"a": [b"12", {"b": memoryview(b"12")}], "c": b"3", "<": "</script>"}))
    assert saved["a"] == [None, {"b": None}] and saved["c"] is None
    assert saved["places"] == [[["a", 0], 0], [["a", 1, "b"], 0], [["c"], 1]]
    assert saved["buffers"] == ["MTI=", "Mw=="] and "<" not in as_json({"<": "</script>"})
