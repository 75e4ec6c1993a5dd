"""Recordings as files: a PNG and a PDF look like the SVG that a browser shows."""

import io
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

import autolab
from autolab.views.export import pictures

from ..cases import named, recorded_chain, recorded_muladd, recorded_net
from ..payloads import PAYLOADS

typst = pytest.importorskip("typst")


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def coarse(image, cell=8):
    """Means over squares, so that a rounder edge or another hinting of a letter makes no difference."""
    rows, columns = (n // cell * cell for n in image.shape[:2])
    return image[:rows, :columns].reshape(rows // cell, cell, columns // cell, cell, 3).mean(axis=(1, 3))


def test_svg_and_dot_files_need_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "typst", None)
    recorded_muladd().save(tmp_path / "g.svg", look="dark")
    recorded_muladd().save(str(tmp_path / "g.dot"))
    assert ElementTree.parse(tmp_path / "g.svg").getroot().get("role") == "img"
    assert (tmp_path / "g.dot").read_text("utf-8").startswith("digraph")


@pytest.mark.browser
@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_png_looks_like_the_svg(tmp_path, browser, look):
    for kind in ("svg", "png"):
        recorded_net().save(tmp_path / f"g.{kind}", look)
    found = pixels((tmp_path / "g.png").read_bytes())
    page = browser.new_page(device_scale_factor=2)
    page.goto((tmp_path / "g.svg").as_uri())
    shown = pixels(page.locator("svg").screenshot(omit_background=True))
    page.close()
    assert np.abs(np.subtract(found.shape, shown.shape)).max() <= 2
    rows, columns = np.minimum(found.shape, shown.shape)[:2]
    apart = np.abs(coarse(found[:rows, :columns]) - coarse(shown[:rows, :columns])).max(axis=2)
    assert apart.mean() < 3 and (apart > 60).mean() < 0.002


def test_a_pdf_holds_the_same_picture(tmp_path):
    recorded_net().save(tmp_path / "g.pdf")
    recorded_net().save(tmp_path / "g.PNG")
    sheet = b'#set page(width: auto, height: auto, margin: 0pt)\n#image("g.pdf", format: "pdf")'
    (tmp_path / "sheet.typ").write_bytes(sheet)
    again = pixels(typst.compile(str(tmp_path / "sheet.typ"), format="png", ppi=192.0))
    found = pixels((tmp_path / "g.PNG").read_bytes())
    rows, columns = np.minimum(found.shape, again.shape)[:2]
    assert np.abs(coarse(again[:rows, :columns]) - coarse(found[:rows, :columns])).mean() < 1
    assert b"/Subtype/Image" not in (tmp_path / "g.pdf").read_bytes().replace(b" ", b"")  # lines and letters


def test_a_huge_graph_becomes_a_png_of_bounded_size(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "MAX_PIXELS", 500_000)
    recorded_chain(600).save(tmp_path / "g.png")
    with Image.open(tmp_path / "g.png") as image:
        assert 250_000 < image.width * image.height <= 510_000


def test_without_typst_a_sentence_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(
        RuntimeError, match=r"g\.png: writing png needs .*jupyter-autolab\[pictures\]'\. Or save as \.svg"
    ):
        recorded_muladd().save(tmp_path / "g.png")
    assert not (tmp_path / "g.png").exists()


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"got the suffix '\.bmp' .* one of \.svg, \.png, \.pdf, \.dot"):
        recorded_muladd().save(tmp_path / "g.bmp")


def test_names_are_data_in_every_file(tmp_path):
    """Drawn as they are, and never read as typst's own markup, which could ask for files."""
    for k, name in enumerate([*PAYLOADS, '#read("g.tex")', "#import sys: *", '"); #panic("x")']):
        named(name).save(tmp_path / f"{k}.{('png', 'pdf')[k % 2]}")
    sizes = [path.stat().st_size for path in tmp_path.iterdir()]
    assert min(sizes) > 50 and max(sizes) < 200_000


def test_a_large_array_makes_a_small_file(tmp_path):
    recording = autolab.record(lambda A: A * 2, np.random.default_rng(0).normal(size=(1000, 1000)))
    for kind in ("svg", "png", "pdf"):
        recording.save(tmp_path / f"g.{kind}")
        assert (tmp_path / f"g.{kind}").stat().st_size < 200_000
