"""Graphs for Graphviz, and as files; `dot` may be missing, slow or broken."""

import os
import shutil
import xml.etree.ElementTree as ElementTree

import pytest

from autolab.display import dot

from .cases import recorded_chain, recorded_muladd

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz' program dot is not installed")


def test_the_graph_has_a_box_per_step_and_a_line_per_use():
    source = recorded_muladd().to_graphviz().source
    assert source.count(" -> ") == 4 and source.count("label=") == 6
    assert "h = x * y\nvalue 6\ngradient 1" in source


def test_a_long_program_is_drawn_in_part():
    source = recorded_chain(5000).to_graphviz().source
    assert source.count("\tstep") < 600 and "steps (number" in source


def test_svg_and_dot_files_need_no_program(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    recorded_muladd().save(tmp_path / "g.svg", look="dark")
    recorded_muladd().save(str(tmp_path / "g.dot"))
    assert ElementTree.parse(tmp_path / "g.svg").getroot().get("role") == "img"
    assert (tmp_path / "g.dot").read_text("utf-8").startswith("digraph")


@needs_dot
@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")])
def test_pictures_by_dot(tmp_path, suffix, start):
    recorded_muladd().save(tmp_path / f"g{suffix}")
    assert (tmp_path / f"g{suffix}").read_bytes().startswith(start)


def test_a_missing_dot_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"g\.png: writing png needs the program 'dot' of Graphviz.*\.svg"):
        recorded_muladd().save(tmp_path / "g.png")
    assert not (tmp_path / "g.png").exists()


@pytest.mark.parametrize(
    ("script", "words"), [("exec sleep 20", "did not finish"), ("echo no >&2; exit 1", "error: no")]
)
def test_a_slow_or_broken_dot_is_a_sentence(tmp_path, monkeypatch, script, words):
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(dot, "DOT_SECONDS", 0.3)
    with pytest.raises(RuntimeError, match=words):
        recorded_muladd().save(tmp_path / "g.pdf")


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"got the suffix '\.gif' .* expected one of \.svg, \.dot, \.png, \.pdf"):
        recorded_muladd().save(tmp_path / "g.gif")
