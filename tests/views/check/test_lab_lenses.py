"""The check lens and the derivative explorer in JupyterLab itself: keys, themes, threads, saved and not trusted."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number

from ..derivatives.hands import in_menu, order, point_at, type_point
from ..lab import Lab, LabPage
from ..live.test_lab import keep

pytestmark = [pytest.mark.browser, pytest.mark.lab]
Open = Callable[..., LabPage]

CHECK = """
import numpy as np, autolab
class MulAdd(autolab.FunctionNode):
    def forward(self, inputs):
        x, y, z = inputs
        self.retain_inputs((0, 1))
        return (x * y + z,)
    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        return -g * y, g * x, g
def muladd(x, y, z):
    return np.tanh(MulAdd().apply((x, y, z))[0])
draw = np.random.default_rng(1)
lens = autolab.check_gradients(muladd, *[draw.uniform(-1.5, 1.5, (3, 4)) for _ in range(3)]).explore()
lens
"""
CURVES = """
import numpy as np, autolab
view = autolab.derivatives(np.sin, 0.5, order=2)
view
"""
SLOW = """
import threading, time, numpy as np, autolab
threads, slow = set(), False
def wave(x):
    threads.add(threading.current_thread().name)
    y = np.sin(x)
    while slow:
        time.sleep(0.02)
        y = y + 0
    return y
view = autolab.derivatives(wave, 0.5, order=1, domain=(-3, 3))
view
"""


FITS = """() => {  // no part of the view is wider than the view
  const e = document.querySelector('.al-root');
  const right = e.getBoundingClientRect().right + 1;
  const parts = [...e.querySelectorAll('.al-view > *, .al-middle > *, .al-trio, .al-plot')];
  return e.scrollWidth <= e.clientWidth + 1 && parts.every(part => part.getBoundingClientRect().right <= right);
}"""
COLORS = "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"


def themes(view: LabPage, name: str) -> None:
    """Look at it wide and narrow, light and dark."""
    for theme in ("Light", "Dark"):
        view.command("apputils:change-theme", theme=f"JupyterLab {theme}")
        is_light = str(theme == "Light").lower()
        view.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{is_light}'")
        expect(view.page.locator("#jupyterlab-splash")).to_have_count(0)
        colors = view.page.locator(".al-root").evaluate(COLORS)
        ink, ground = ([int(c) for c in color[4:-1].split(",")] for color in colors)
        assert abs(sum(ink) - sum(ground)) > 400
        for width in (1280, 700):
            view.page.set_viewport_size({"width": width, "height": 1400})
            view.page.wait_for_function(FITS)  # JupyterLab lays itself out in its own time
            keep(view, f"{name}-{width}-{theme.lower()}")
    view.command("apputils:change-theme", theme="JupyterLab Light")
    view.page.set_viewport_size({"width": 1280, "height": 900})


def test_the_lens_chooses_measures_and_keeps_its_keys(lab: Lab, open_page: Open) -> None:
    view = open_page(
        lab.write("check.ipynb", CHECK, "print(lens.look['input'], lens.look['cell'], lens.report.verdict)")
    )
    view.run(0)
    expect(view.page.locator(".al-verdict")).to_contain_text(say("lens_wrong"))
    canvas = view.page.locator(".al-trio canvas.al-canvas").first
    canvas.click(position={"x": 5, "y": 5})
    expect(view.page.locator(".al-why .al-title")).to_have_text("x[0, 0]")
    canvas.press("ArrowDown")
    canvas.press("ArrowRight")
    expect(view.page.locator(".al-why .al-title")).to_have_text("x[1, 1]")
    expect(view.page.locator(".al-why .al-chart")).to_be_visible()
    assert view.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "command"
    assert view.run(1) == "0 [1, 1] wrong"
    canvas.press("Escape")
    expect(view.page.locator(".al-why")).to_be_hidden()
    view.page.locator(".al-menu > summary").click()
    view.page.get_by_role("button", name=say("lens_again")).click()
    expect(view.page.get_by_text(say("lens_draw", seed=0))).to_be_visible()
    view.page.keyboard.press("Escape")
    themes(view, "lens")


def test_each_formula_stands_in_one_line_with_its_words(lab: Lab, open_page: Open) -> None:
    """JupyterLab's own style lets the lists in an output float."""
    view = open_page(lab.write("formulas.ipynb", CHECK.replace("-g * y", "g * x").replace("np.tanh", "").strip()))
    view.run(0)
    expect(view.page.locator(".al-formulas dt")).not_to_have_count(0)
    assert view.page.locator(".al-formulas").evaluate("e => getComputedStyle(e).display") == "grid"
    words, formulas = (view.page.locator(f".al-formulas {tag}").all() for tag in ("dt", "dd"))
    for word, formula in zip(words, formulas, strict=True):
        left, right = word.bounding_box(), formula.bounding_box()
        assert abs(left["y"] - right["y"]) < 9 and left["x"] + left["width"] <= right["x"]


def test_the_point_of_the_curves_moves_and_the_order_changes(lab: Lab, open_page: Open) -> None:
    view = open_page(lab.write("curves.ipynb", CURVES, "print(round(view.data.x, 6), view.data.order)"))
    view.run(0)
    plot = view.page.locator(".al-plot").first
    plot.press("ArrowRight")
    plot.press("PageUp")
    order(view.page, 3).check()
    expect(view.page.locator(".al-plot")).to_have_count(4)
    expect(view.page.locator(".al-busy")).to_have_text("")
    x, shown = view.run(1).split()
    assert shown == "3" and float(x) > 0.5
    expect(view.page.locator(".al-x").first).to_have_text(f"x = {number(float(x))}")
    in_menu(view.page, say("curve_graphs"))
    expect(view.page.locator(".al-derivative-graphs .al-picture")).to_have_count(4)
    in_menu(view.page, say("curve_graphs"))
    assert view.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "command"
    themes(view, "derivatives")


def test_a_slow_function_is_stopped_while_a_cell_is_running(lab: Lab, open_page: Open) -> None:
    told = "print(sorted(threads), view.data.x)"
    view = open_page(lab.write("slowcurve.ipynb", SLOW, "slow = True", lab.until("curve_enough"), told))
    view.run(0)
    type_point(view.page, "0.7")
    expect(view.page.locator(".al-x").first).to_have_text("x = 0.7")
    view.run(1)
    view.page.wait_for_timeout(500)
    view.page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 2; }")
    view.page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-cell'); }")
    type_point(view.page, "1.5")
    expect(view.page.locator(".al-busy")).to_contain_text(say("curve_old"))
    view.page.get_by_role("button", name="Stop").click()
    expect(view.page.get_by_role("alert")).to_contain_text(say("curve_stopped_asked"))
    assert point_at(view.page) == 0.7
    running = "() => window.jupyterapp.shell.currentWidget.content.widgets[2].model.executionState"
    assert view.page.evaluate(running) == "running"
    (lab.folder / "curve_enough").touch()
    view.page.wait_for_function(f"() => ({running})() !== 'running'")
    assert view.run(3) == "['MainThread', 'autolab-view'] 0.7"


@pytest.mark.parametrize(("name", "program"), [("check", CHECK), ("curves", CURVES)], ids=["check", "curves"])
def test_saved_views_draw_when_trusted_and_show_the_static_form_when_not(
    lab: Lab, open_page: Open, name: str, program: str
) -> None:
    path = lab.write(f"saved_{name}.ipynb", program)
    view = open_page(path)
    view.run(0)
    view.page.locator(".al-root").wait_for()
    view.page.wait_for_timeout(500)
    number_shown = view.page.locator(".al-numbers span, .al-stack output").first.text_content() or ""
    view.save(path)

    lab.trust(path)
    view.reopen(path)
    expect(view.page.locator(".al-root .al-function")).to_be_visible()
    expect(view.page.locator(".al-numbers span, .al-stack output").first).to_have_text(number_shown)
    keep(view, f"{name}-reopened")

    notebook = json.loads(path.read_text())
    notebook["cells"][0]["source"] += "# edited elsewhere"
    path.write_text(json.dumps(notebook))
    view.reopen(path)
    picture = view.page.locator(".jp-OutputArea-output img").first
    expect(picture).to_be_visible()
    assert len(picture.get_attribute("alt") or "") > 20
    assert view.page.locator(".al-root").count() == 0
    keep(view, f"{name}-untrusted")
