"""The gallery: a page for each function, an index that is searched, and points that move, offline."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import expect

from autolab import functions as F
from autolab.app.cli import main
from autolab.functions.conventions import conventions
from autolab.views.gallery.site import NothingMoves, build, moving

SLICE = ["tanh", "relu", "softmax", "concatenate", "accuracy", "add", "embedding"]
STILL = {"accuracy", "block", "f1_score", "one_hot", "precision", "r2_score", "recall"}


def test_every_function_moves_but_those_without_a_derivative():
    still = set()
    for name in F.__all__:
        try:
            assert moving(name).told
        except NothingMoves:
            still.add(name)
    assert still == STILL


def test_a_function_is_as_it_was_after_its_example():
    before = {name: getattr(F, name) for name in F.__all__}
    moving("softmax")
    assert {name: getattr(F, name) for name in F.__all__} == before


def test_ctrl_c_ends_it(tmp_path, monkeypatch):
    """It does not only stop the curves of one page."""
    wait, waits = threading.Condition.wait_for, []

    def interrupted(condition, predicate, timeout=None):
        if timeout:
            waits.append(timeout)
            if len(waits) == 1:
                raise KeyboardInterrupt
        return wait(condition, predicate, timeout)

    monkeypatch.setattr(threading.Condition, "wait_for", interrupted)
    assert main(["gallery", "tanh", "-o", str(tmp_path)]) == 130
    assert waits and not list(tmp_path.iterdir())


def looked_at(browser, folder, names):
    """Open the index, search it, and move the point on each page. Nothing is fetched."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((folder / "index.html").as_uri())
    expect(page.locator("output")).to_have_text(f"{len(names)} of {len(names)} functions")
    page.locator("input").fill("TANH")
    expect(page.locator("li:visible").first).to_contain_text("tanh")
    found = page.locator("li:visible").all_inner_texts()
    assert 0 < len(found) < len(names) and all(["tanh" in text.lower() for text in found])
    page.locator("input").fill("")
    for name in names:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator("h1")).to_have_text(name)
        assert page.locator("table").count() >= bool(conventions(name)), name
        if name not in STILL:
            slider = page.locator("main :is(input[type=range], .al-plot[role=slider])").first
            before = page.locator("main").inner_text()
            slider.press("ArrowRight")
            expect(page.locator("main")).not_to_have_text(before)
            slider.press("End")
        page.get_by_role("link", name="All functions").click()
    assert problems == []
    context.close()


@pytest.mark.browser
def test_points_move_and_the_index_is_searched(browser, tmp_path):
    build(tmp_path, SLICE)
    looked_at(browser, tmp_path, SLICE)


@pytest.mark.browser
@pytest.mark.full
def test_every_page_moves(browser, tmp_path):
    build(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.html")} == {*F.__all__, "index"}
    looked_at(browser, tmp_path, F.__all__)


def test_the_command_writes_some_or_says_what_is_wrong(tmp_path, capsys):
    assert main(["gallery", "tanh", "-o", str(tmp_path / "some")]) == 0
    assert {path.name for path in (tmp_path / "some").iterdir()} == {"index.html", "tanh.html"}
    assert capsys.readouterr().out.startswith("   1 of 1: tanh\nWritten: ")
    assert main(["gallery", "tahn", "-o", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err == "autolab gallery: gallery: there is no function 'tahn'; see autolab.functions\n"
    assert not (tmp_path / "none").exists()
