"""How objects show themselves: HTML and text, always bounded, never raising."""

import base64
import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import autolab
from autolab.engine import display
from autolab.views import mimebundle
from autolab.views.check import static as report_view
from autolab.views.draw.escape import LIMIT, Markup

from ..cases import halves, recorded_chain, recorded_muladd, recorded_net, recording, step


def size(bundle):
    return sum(len(text.encode()) for text in bundle.values())


def test_a_recording_is_its_live_graph_at_rest_and_as_text_its_tape_and_what_was_sent_back():
    bundle = recorded_muladd()._repr_mimebundle_()
    told = "Computation graph of muladd(x, y, z): 3 inputs, 2 steps, output w."
    title, picture, said = re.fullmatch(r"<p>(.*?)</p><img (.*)/><p>(.*?)</p>", bundle["text/html"]).groups()
    assert title == "<strong><code>muladd(x, y, z)</code></strong>" and said == told
    assert picture.startswith(f'alt="{told} x, input, value 2')
    drawn = base64.b64decode(re.search(r"base64,([^\"]+)", picture)[1]).decode()
    assert ">muladd(x, y, z)</text>" not in drawn and ">h</tspan>" in drawn  # the title stands above it
    assert bundle["text/plain"].splitlines() == [
        "Computation graph of muladd(x, y, z): 3 inputs, 2 steps, output w.",
        "  x           value 2    gradient 3",
        "  y           value 3    gradient 2",
        "  z           value 4    gradient 1",
        "  h = x * y   value 6    gradient 1",
        "  w = h + z   value 10   gradient 1",
        "Backward:",
        "  1. Backward starts at w with the upstream gradient 1.",
        "  2. w sends to h: upstream 1 times local derivative 1 is 1.",
        "  3. w sends to z: upstream 1 times local derivative 1 is 1.",
        "  4. h sends to x: upstream 1 times local derivative 3 is 3.",
        "  5. h sends to y: upstream 1 times local derivative 2 is 2.",
    ]


def test_a_recording_says_what_was_reduced_and_what_the_recorder_noted():
    text = mimebundle(recording(step(0, name="x"), reduced=2, notes=("no_gradient",)))["text/plain"]
    said = "Nothing is differentiated here: the result depends on no value that could have a gradient."
    assert text.endswith(f"The recording keeps only reduced copies of 2 arrays.\n{said}")


def test_a_variable_shows_a_card():
    x = autolab.Variable(np.array([[1.0, -2.0]]), name="x")
    autolab.functions.sum(x * x).backward()
    bundle = x._repr_mimebundle_()
    assert bundle["text/plain"] == (
        "variable([[ 1. -2.]])\nx: shape (1, 2), float64, cpu, 2 elements, 16 bytes, minimum −2, maximum 1. "
        "It has a gradient: [[2, −4]]."
    )
    assert "<code>[[1, −2]]</code>" in bundle["text/html"] and "<code>[[2, −4]]</code>" in bundle["text/html"]
    assert 'alt="value: array of shape (1, 2), from −2 to 1. gradient: array of shape (1, 2)' in bundle["text/html"]


@pytest.mark.parametrize(
    "value", [3.0, [1.0, 2.0], np.zeros((0, 3)), np.array(1), np.array([np.nan, np.inf]), np.zeros((2, 3, 4, 5))]
)
def test_variables_of_all_kinds(value):
    bundle = mimebundle(autolab.Variable(value))
    assert set(bundle) == {"text/html", "text/plain"} and size(bundle) < 30_000


class Wrong(autolab.FunctionNode):
    """A square whose gradient lacks its factor 2."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (inputs[0] * inputs[0],)

    def backward(self, target_input_indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (grad_outputs[0] * x,)


def wrong_report():
    return autolab.check_gradients(lambda x: Wrong().apply((x,))[0], np.arange(1.0, 7.0).reshape(2, 3))


def test_a_gradient_report_shows_verdict_numbers_and_heatmaps():
    report = wrong_report()
    bundle = report._repr_mimebundle_()
    assert bundle["text/plain"] == str(report) and report.verdict == "wrong"
    assert bundle["text/html"].count("<img") == 2  # the heatmaps, and the error over the step
    for part in ("<b>", "Wrong", "x: analytic: array of shape (2, 3)", "x: numeric:", "x: error:"):
        assert part in bundle["text/html"]


def test_both_gradients_share_a_scale_and_the_worst_element_is_marked(monkeypatch):
    shown = []
    monkeypatch.setattr(report_view, "heatmaps", lambda panels: shown.extend(panels) or Markup("<svg></svg>"))
    report = wrong_report()
    mimebundle(report)
    analytic, numeric, error = shown
    assert analytic.tone.scale == numeric.tone.scale == pytest.approx(np.abs(report["x"].numeric).max())
    assert error.tone.scale == pytest.approx(max(report["x"].error.max(), report["x"].tolerance.max()))
    assert {panel.mark for panel in shown} == {report["x"].worst}


# --- bounds and failures --------------------------------------------------------------------------------------------


def wide(count):
    """A program with ``count`` arrays, so that strips take much room."""
    rng = np.random.default_rng(0)
    inputs = [step(i, rng.normal(size=(6, 12)), rng.normal(size=(6, 12)), name=f"x{i}") for i in range(count)]
    return recording(*inputs, step(count, rng.normal(size=(6, 12)), rng.normal(size=(6, 12)), of=tuple(range(count))))


@pytest.mark.parametrize(
    "make",
    [
        lambda: recorded_chain(20_000),
        lambda: wide(250),
        lambda: autolab.record(halves, np.zeros((3000, 300))),
        lambda: autolab.Variable(np.random.default_rng(0).normal(size=(2000, 2000)), name="x" * 10_000),
    ],
)
def test_outputs_are_bounded(make):
    bundle = mimebundle(make())
    assert size(bundle) <= LIMIT == 200_000
    assert "<img" in bundle["text/html"]


def test_fifty_views_take_less_than_five_megabytes():
    assert 50 * size(mimebundle(recorded_net())) <= 5_000_000


def test_a_picture_that_fits_in_no_way_leaves_the_text(monkeypatch):
    monkeypatch.setattr("autolab.views.draw.escape.LIMIT", 300)
    bundle = mimebundle(recorded_muladd())
    assert set(bundle) == {"text/plain"} and bundle["text/plain"].endswith("this is the text.")


class Broken:
    """An object whose display and whose text fail."""

    def __repr__(self):
        raise RuntimeError("no text")


def test_a_display_never_raises():
    assert "Broken object at" in mimebundle(Broken())["text/plain"]


def test_a_failing_handler_leaves_the_text_and_the_reason(monkeypatch):
    monkeypatch.setattr(display, "_VIEWS", {"builtins.int": {"bundle": "autolab.views.nowhere:bundle"}})
    failed = "The picture could not be drawn (ModuleNotFoundError); this is the text."
    assert mimebundle(3) == {"text/plain": f"3\n{failed}"}


def test_what_has_its_text_from_its_picture_says_once_that_it_failed(monkeypatch):
    chart = autolab.plots.line_chart([1.0, 2.0], {"loss": [1.0, 2.0]})
    monkeypatch.setitem(display._VIEWS, "autolab.analysis.line_charts.LineChart", {"bundle": "math:sqrt"})
    text = mimebundle(chart)["text/plain"]
    assert "LineChart object at" in text and text.count("could not be drawn (TypeError)") == 1


def test_objects_without_a_picture_are_text():
    assert mimebundle([1, 2]) == {"text/plain": "[1, 2]"}


def test_subclasses_show_as_what_they_are():
    class Weight(autolab.Variable):
        """A Variable of a kind of its own."""

    assert "<code>Weight</code>" in mimebundle(Weight(1.0))["text/html"]


def test_types_are_registered_by_name(monkeypatch):
    monkeypatch.setattr(display, "_VIEWS", dict(display._VIEWS))
    display.register("builtins.list", {"bundle": "tests_display_handler:bundle"})
    monkeypatch.setitem(
        sys.modules, "tests_display_handler", type("m", (), {"bundle": staticmethod(lambda o: {"a/b": "c"})})
    )
    assert mimebundle([]) == {"a/b": "c"}


def test_importing_the_display_loads_nothing_heavy():
    heavy = {"PIL", "graphviz", "IPython", "ipywidgets", "executing"}
    program = f"import sys, autolab.views; print(*({heavy} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []


def test_the_numbers_of_a_view_are_those_of_the_recording_and_not_of_the_variable():
    x = autolab.Variable(np.array([1.0, 2.0]), name="x")
    shown = autolab.record(lambda x: x * 2, x)
    before = mimebundle(shown)["text/plain"]
    x.data[:] = 99.0
    assert mimebundle(shown)["text/plain"] == before


def test_a_large_array_is_not_copied():
    x = autolab.Variable(np.ones((1500, 1500)))
    mimebundle(x)
    tracemalloc.start()
    mimebundle(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.data.nbytes / 3
