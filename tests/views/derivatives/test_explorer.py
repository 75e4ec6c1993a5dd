"""The derivative explorer without a browser: in plain Python, in a saved page, and at its end."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
from helpers.each import each
from helpers.reached import KINDS

import autolab
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import CurvePoint, DerivativeSession
from autolab.views.live.bundle import module_text


def test_plain_python_saves_a_page_and_says_where(tmp_path: Path) -> None:
    program = (
        "import autolab\nimport numpy as np\n"
        "def wave(x):\n    return np.sin(x)\n"
        "view = autolab.derivatives(wave, 0.5, order=3)\n"
        "print(view.data.order)\n"
    )
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-W", "error", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    path = tmp_path / "autolab_pages" / "derivatives_wave.html"
    assert str(path) in done.stdout and done.stdout.endswith("3\n")
    assert "wave\\u2033(0.5)" in path.read_text(encoding="utf-8")


def test_a_notebook_without_the_live_view_shows_the_static_picture() -> None:
    view = DerivativeExplorer(DerivativeSession(np.tanh, 0.5, 1))
    data, _ = view._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data and "<img" in data["text/html"]
    view.close()


def test_making_the_session_calls_the_function_once() -> None:
    calls = []

    def fn(x: autolab.Variable) -> autolab.Variable:
        calls.append(float(x.data))
        return np.tanh(x)

    session = DerivativeSession(fn, 0.5, 3)
    assert calls == [0.5] and session.seen.data.domain == (-4.0, 4.0)
    assert session.seen.data.values == DerivativeExplorer(session).data.values


@each("kind", KINDS)
def test_a_point_is_on_the_curves_whatever_was_changed(kind: str) -> None:
    fn, change, _ = KINDS[kind]()
    session = DerivativeSession(fn, 1.0, 1, (-4.0, 4.0))

    def gap(x: float) -> float:
        session.seen = session.compute(CurvePoint(x, 1))
        curves, (value, slope) = session.seen.data.curves, session.seen.data.values
        assert np.interp(x, curves.x, curves.y[1]) == slope
        return abs(np.interp(x, curves.x, curves.y[0]) - value)

    assert gap(1.5) < 1e-12
    study = session.seen.study
    assert gap(2.0) < 1e-12 and session.seen.study is study  # nothing was sampled again
    change()
    assert gap(3.0) < 1e-12 and session.seen.data.values == (15.0, 5.0)


def test_curves_of_random_numbers_are_not_sampled_again_at_every_move() -> None:
    session = DerivativeSession(lambda x: x * autolab.config.rng.normal(), 1.0, 1, (-4.0, 4.0))
    seen = [session.compute(CurvePoint(x, 1)) for x in (1.0, 2.0)]
    session.seen = seen[-1]
    assert session.compute(CurvePoint(3.0, 1)).study is session.seen.study


def test_a_closed_view_is_freed() -> None:
    view = DerivativeExplorer(DerivativeSession(np.tanh, 0.5, 1))
    alive = weakref.ref(view)
    view.close()
    view.close()
    del view
    gc.collect()
    assert alive() is None


def test_the_mode_is_that_in_which_the_view_was_opened() -> None:
    modes = []

    def fn(x: autolab.Variable) -> autolab.Variable:
        modes.append(autolab.config.train)
        return x * x

    with autolab.test_mode():
        view = DerivativeExplorer(DerivativeSession(fn, 1.0, 1))
    modes.clear()
    view._on_message(view, {"do": "move", "key": "x", "value": 2.0, "seq": 1}, [])
    assert set(modes) == {False}
    view.close()


def test_its_front_end_has_no_door_for_markup() -> None:
    text = module_text("derivatives.js")
    for door in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "Function(", "document.write", "https://"):
        assert door not in text


def test_the_graphs_are_answered_where_no_other_view_was_opened() -> None:
    program = (
        "import autolab, numpy as np, threading\n"
        "from autolab.views.derivatives.explorer import DerivativeExplorer\n"
        "from autolab.views.derivatives.session import DerivativeSession\n"
        "view = DerivativeExplorer(DerivativeSession(np.sin, 0.5), threading.TIMEOUT_MAX)\n"
        "look = {'do': 'look', 'look': {'graphs': True}, 'questions': [['program']], 'seq': 1}\n"
        "view._on_message(None, look, [])\n"
        "print(view.error, len(view.page['[\"program\"]']['graphs']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "None 3\n"
