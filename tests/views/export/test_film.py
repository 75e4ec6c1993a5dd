"""A walk as a film: what it shows at each moment is what the live graph shows, and every program can play it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

import autolab
from autolab.views.export import film
from autolab.views.export.film import WIDTH, _along, _Film, _points
from autolab.views.graph.playback import Playback

from ..bare_page import Wire, node
from ..cases import named
from ..programs import LAYER, layer, muladd

POINT = {"x": 2.0, "y": 3.0, "z": 4.0}


def made(recording: Any) -> Any:
    return _Film(Playback(recording), "light", "auto", None)


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_a_walk_is_saved_as_a_gif_that_plays_it_to_its_end(tmp_path: Path, look: Any) -> None:
    recording = autolab.record(muladd, **POINT)
    path = tmp_path / "walk.gif"
    recording.save(path, look)
    assert path.stat().st_size < 2_000_000
    with Image.open(path) as played:
        assert played.width == WIDTH and played.info["loop"] == 0
        seconds, grounds = 0.0, set()
        for k in range(played.n_frames):
            played.seek(k)
            seconds += played.info["duration"] / 1000
            grounds.add(played.convert("RGB").getpixel((2, played.height - 2)))
    moments = len(made(recording).frames)
    assert played.n_frames > 3 * moments  # numbers travel
    assert 1.4 * moments < seconds < 2.5 * moments + 5
    assert grounds == {(255, 255, 255) if look == "light" else (21, 24, 29)}


@pytest.mark.browser
def test_the_film_shows_the_numbers_that_the_live_graph_shows_at_each_moment(page: Page, open_view: Any) -> None:
    def shared(x: Any, y: Any) -> Any:
        h = x * y
        out = h * x + x
        return out

    wire: Wire = open_view(shared, x=2.0, y=3.0)
    whole = made(wire.widget.recording)
    names = [step.name for step in wire.widget.recording.steps if step.name]
    step_on = page.get_by_role("button", name="One step on", exact=True)
    for told in whole.frames:
        step_on.click()
        wire.settle()
        nodes = whole._known(told)["nodes"]
        for name in names:
            box, reading = node(page, wire, name), nodes[str(wire.widget.recording[name].id)]
            for which, seen in (("value", "value"), ("grad", "gradient")):
                text = box.locator(f".al-{seen} .al-number").text_content()
                assert text == (reading[which] or reading[f"{which}_note"]), (told["k"], name, which)
        assert page.locator(".al-sentence").text_content() == told["spoken"]


def test_a_share_is_multiplied_runs_to_its_input_and_is_added(tmp_path: Path) -> None:
    def twice(x: Any, y: Any) -> Any:
        h = x * y
        return h + x

    shown = made(autolab.record(twice, x=2.0, y=3.0))
    last = next(told for told in shown.frames if told["growing"] == {} and told["edge"] and "2 of 2" in told["spoken"])
    labels = [[label.text for label in labels] for labels, _ in shown._moving(last)]
    assert labels[0] == ["1 × 3 = 3"] and labels[-1] == ["1 + 3 = 4"] and ["3"] in labels[1:-1]
    added = [svg for svg, _ in shown.pictures() if ">1 + 3 = 4<" in svg]
    assert added and all([">1 of 2 shares<" in svg for svg in added]), "what runs has not arrived"
    ends = [labels[0] for labels, _ in shown._moving(last) if labels[0].text == "3"]
    target = shown.boxes[last["edge"]["from"]]
    assert ends[-1].y == pytest.approx(target["y"] + target["h"], abs=1)  # backward: from the call to its input


def test_numbers_stay_on_their_line() -> None:
    points = _points("M0 0V10C0 20 30 20 30 30V40")
    assert _along(points, 0.0) == (0.0, 0.0) and _along(points, 1.0) == (30.0, 40.0)
    assert _along(points, 0.5) == pytest.approx((15.0, 20.0), abs=0.5)


def test_no_number_is_shown_before_its_time() -> None:
    recording = autolab.record(layer, **LAYER)
    shown = made(recording)
    first, _ = next(shown.pictures())
    assert "not yet" in first
    (loss,) = [step for step in recording.steps if step.id in recording.outputs]
    text = made(recording).readings["nodes"][str(loss.id)]["value"]
    assert f">{text}<" not in first and f">{text}<" in shown._draw(None)


def test_shares_within_a_box_of_several_steps_have_no_line_to_run_along() -> None:
    def net(x: Any, w: Any, b: Any, v: Any, c: Any, t: Any) -> Any:
        h = np.tanh(x @ w + b)
        y = h @ v + c
        loss = ((y - t) ** 2).mean()
        return loss

    one = np.ones((2, 2))
    shown = made(autolab.record(net, one, one, one, one, one, one))
    within = [told for told in shown.frames if told["edge"] and told["edge"]["from"] == told["edge"]["to"]]
    assert within and all(["way" not in "".join(shown._lit(told)) for told in within])
    assert len(list(shown.pictures())) > len(shown.frames)


def test_ffmpeg_writes_a_film_that_ends(tmp_path: Path) -> None:
    if film.ffmpeg() is None:
        pytest.skip("needs ffmpeg or imageio-ffmpeg")
    autolab.record(lambda x: x * x, 3.0).save(tmp_path / "walk.mp4")
    written = (tmp_path / "walk.mp4").read_bytes()
    assert written[4:8] == b"ftyp" and b"avc1" in written and b"moov" in written


def test_what_users_name_is_only_text(tmp_path: Path) -> None:
    hostile = "</text><script>alert(1)</script>"
    svg = made(named(hostile))._draw(None)
    assert "<script" not in svg and "&lt;script" in svg


def test_a_film_that_cannot_be_written_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = autolab.record(muladd, **POINT)
    monkeypatch.setattr(film, "ffmpeg", lambda: None)
    with pytest.raises(
        RuntimeError, match=r"walk\.mp4: writing \.mp4 needs the program ffmpeg, .* pip install imageio-ffmpeg"
    ):
        recording.save(tmp_path / "walk.mp4")

    def long(x: Any) -> Any:
        for _ in range(300):
            x = np.sin(x)
        return x

    with pytest.raises(ValueError, match=re.escape("the walk has 602 moments; a film shows 1 to 400")):
        autolab.record(long, x=1.0).save(tmp_path / "walk.gif")
    assert list(tmp_path.iterdir()) == []


def test_views_save_films_as_well(explorer: Any, tmp_path: Path) -> None:
    explorer(muladd, **POINT).save(tmp_path / "walk.gif")
    assert (tmp_path / "walk.gif").read_bytes().startswith(b"GIF89a")
