"""Outputs in notebooks that were saved: exported by nbconvert, and opened in JupyterLab without trust."""

import io
import json
import re
import sys

import numpy as np
import pytest
from helpers.lab_process import lab_process

import autolab
from autolab.analysis import Study, show_hessian, show_jacobian, surface
from autolab.views import mimebundle

from .cases import recorded_muladd, recorded_net
from .payloads import PAYLOADS
from .test_hostile_names import Watch, bundles


def notebook(found):
    """A notebook with one cell per bundle, as if it had been run elsewhere."""
    from nbformat.v4 import new_code_cell, new_notebook, new_output

    outputs = [new_output("execute_result", data=bundle, execution_count=1) for bundle in found]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(
        metadata=kernel, cells=[new_code_cell("shown", outputs=[output], execution_count=1) for output in outputs]
    )


def exported(found, sanitize):
    from nbconvert import HTMLExporter

    return HTMLExporter(sanitize_html=sanitize).from_notebook_node(notebook(found))[0]


TOLD = "Computation graph of muladd(x, y, z): 3 inputs, 2 steps, output w."


@pytest.mark.lab
@pytest.mark.parametrize("sanitize", [False, True])
def test_exported_notebooks_keep_the_words(sanitize):
    page = exported([mimebundle(recorded_muladd())], sanitize)
    assert "<code>muladd(x, y, z)</code>" in page and "h = x * y, value 6, gradient 1" in page
    assert TOLD in page
    assert bool(re.search(r'<img[^>]*src="data:image/svg\+xml', page)) or sanitize


def lenses():
    """Static displays of the lenses, each with words that have to be there however the notebook is shown."""
    report = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=[3.0, -1.0])
    yield report, ("check_gradients", "right", "analytic", "allowed")
    yield Study(np.sin, 0.5, 2).data, ("sin′(0.5)", "0.878", "sin rises here: its slope is 0.878.")
    yield show_hessian(lambda x, y: x * x - 2 * y * y, 1.0, 1.0), ("Second derivatives of y", "eigenvalues")
    yield show_jacobian(lambda x: x * x, np.ones(2)), ("First derivatives of y",)
    yield surface(lambda x, y: x * x + y * y, (1.0, 2.0), steps=5), ("The loss over x",)
    view = autolab.Variable(np.eye(3), name="W")
    yield view, ("W", "No gradient yet")


@pytest.mark.lab
@pytest.mark.parametrize("sanitize", [False, True])
def test_exported_lenses_keep_their_words(sanitize):
    for shown, words in lenses():
        page = exported([mimebundle(shown)], sanitize)
        text = re.sub(r"<[^>]*>|&[^;]*;", " ", page)
        for word in words:
            assert word in text or (not sanitize and word in page), (type(shown).__name__, word)


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.parametrize(("sanitize", "every"), [(False, 4), (True, 4), pytest.param(False, 1, marks=pytest.mark.full)])
def test_exported_notebooks_run_nothing(browser, tmp_path, sanitize, every):
    """All names in such outputs, but for the exporter: test_trusted_outputs_run_nothing."""
    path = tmp_path / "exported.html"
    path.write_text(exported([bundle for name in PAYLOADS[::every] for bundle in bundles(name)], sanitize), "utf-8")
    watch = Watch(browser)
    watch.open(path)
    assert (watch.calls, watch.requests) == ([], [])
    watch.context.close()


OUTPUT = ".jp-OutputArea-output"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab on a folder with notebooks that nobody trusts; its theme is that of the browser."""
    folder = tmp_path_factory.mktemp("lab")
    settings = folder / ".jupyter/lab/user-settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"adaptive-theme": true}', "utf-8")
    shown = {
        "good.ipynb": [mimebundle(recorded_muladd()), mimebundle(recorded_net())],
        "hostile.ipynb": [bundle for name in PAYLOADS[::2] for bundle in bundles(name)[:2]],
    }
    for name, found in shown.items():
        (folder / name).write_text(json.dumps(notebook(found)), "utf-8")
    command = [sys.executable, "-m", "autolab.app.cli", "lab", "good.ipynb", "--port", "0", "--browser", "none"]
    with lab_process(command, home=folder, cwd=folder) as process:
        yield process.wait_for_address(60)
        process.interrupt(30)


def open_notebook(page, address, name):
    page.goto(address.replace("good.ipynb", name))
    page.locator(OUTPUT).first.wait_for(state="attached", timeout=60_000)


def shade_of(picture):
    """Whether the middle of a picture's upper edge is light or dark."""
    from PIL import Image

    image = Image.open(io.BytesIO(picture.screenshot())).convert("L")
    return "light" if image.getpixel((image.width // 2, 5)) > 127 else "dark"


@pytest.mark.lab
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_untrusted_notebook_shows_the_picture(browser, lab, theme):
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme=theme)
    page = context.new_page()
    open_notebook(page, lab, "good.ipynb")
    picture = page.locator(f"{OUTPUT} img").first
    picture.wait_for(timeout=30_000)
    assert picture.evaluate("image => image.naturalWidth > 300")
    assert "h = x * y, value 6, gradient 1." in picture.get_attribute("alt")
    assert shade_of(picture) == theme
    assert page.locator(f"{OUTPUT} p").all_inner_texts()[:2] == ["muladd(x, y, z)", TOLD]
    context.close()


@pytest.mark.lab
@pytest.mark.browser
def test_hostile_names_do_nothing_in_jupyterlab(browser, lab):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    calls, requests = [], []
    context.expose_function("fired", lambda n: calls.append(n))
    page.on("request", lambda request: requests.append(request.url) if "evil.test" in request.url else None)
    open_notebook(page, lab, "hostile.ipynb")
    page.wait_for_function(f"document.querySelectorAll('{OUTPUT}').length > 20")
    for _ in range(20):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(50)
    assert page.locator(f"{OUTPUT} mjx-container").count() == 0
    assert (calls, requests) == ([], [])
    context.close()
