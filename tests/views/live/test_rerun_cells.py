"""R6 in a notebook's kernel: a cell that ends in a view and is run again leaves nothing of the view before, although
IPython's ``Out``, ``_``, ``__``, ``___`` and ``_3`` hold it for good; and modes belong to cells and their tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from autolab.views.draw.messages import say

pytestmark = [
    pytest.mark.lab,
    pytest.mark.filterwarnings("ignore"),  # of the client's sockets
]

SETUP = """
import asyncio, gc, json, weakref
import numpy as np
import autolab
from autolab import functions as F, links as L
from autolab.training.extensions import LiveMonitor
from ipywidgets.widgets.widget import _instances

class Inputs(np.ndarray):
    pass

def inputs():
    data = np.linspace(0.5, 2.0, 6).reshape(2, 3).view(Inputs)
    arrays.append(weakref.ref(data))
    return data

def program(x):
    return F.sum(F.tanh(x) * x)

def kept(view):
    "What dies with a view, and the view itself."
    held = [vars(view)[name] for name in ("_session", "_board") if name in vars(view)]
    held += [vars(view)["_reader"].recording] if "_reader" in vars(view) else []
    sessions.extend(map(weakref.ref, held))
    return view

def living(refs):
    return sum(ref() is not None for ref in refs)

def told():
    views = [one for one in Out.values() if hasattr(one, "closed")]
    own = [one for one in _instances.values() if type(one).__module__.startswith("autolab") and hasattr(one, "closed")]
    return len(views), sum(view.closed for view in views), living(arrays), living(sessions), len(own)

def close_all():
    for view in [*_instances.values()]:
        if hasattr(view, "closed"):
            view.close()

arrays, sessions = [], []
gc.disable()
"""
VIEWS = {
    "explore": "kept(autolab.explore(program, inputs()))",
    "graph": "kept(program(autolab.Variable(inputs(), name='x')).explore())",
    "lens": "kept(autolab.check_gradients(program, inputs()).explore())",
    "derivatives": "kept(autolab.derivatives(lambda x, data=inputs(): F.sum(x * data), 0.5, domain=(-1.0, 1.0)))",
    "heatmap": "kept(autolab.heatmap(inputs()))",
    "interact": "kept(autolab.interact(lambda k, data=inputs(): {'kx': data * k}, k=(0.0, 1.0)))",
    "two": "view = kept(autolab.explore(program, inputs())); display(view); kept(autolab.heatmap(inputs()))",
}
CELL = "40302918"
"""The ids of cells are eight hexadecimal digits: one of 43 has no letter."""


class Notebook:
    """A kernel, and cells that JupyterLab would name."""

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel(kernel_name="python3")

    def run(self, code: str, cell: str | None = None) -> str:
        """What a cell prints or shows, as text."""
        content = {
            "code": dedent(code),
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": True,  # as from somebody who reads what comes
        }
        metadata = {} if cell is None else {"cellId": cell}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        text = ""
        while True:
            answer = self.client.get_iopub_msg(timeout=60)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, said = answer["msg_type"], answer["content"]
            assert kind != "error", said["evalue"]
            if kind == "status" and said["execution_state"] == "idle":
                return text
            text += said.get("text", "") + said.get("data", {}).get("text/plain", "") * (kind != "comm_open")

    def told(self, code: str) -> Any:
        return json.loads(self.run(f"print(json.dumps({code}))"))

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def kernel() -> Iterator[Notebook]:
    """One kernel for all: starting it takes longer than what the tests do."""
    book = Notebook()
    yield book
    book.close()


@pytest.fixture
def book(kernel: Notebook) -> Iterator[Notebook]:
    kernel.run(SETUP)
    yield kernel
    kernel.run("close_all()")
    kernel.run("%reset -f")


@pytest.mark.parametrize("kind", VIEWS)
def test_a_cell_that_is_run_again_leaves_nothing_of_the_view_before(book: Notebook, kind: str) -> None:
    book.run(VIEWS[kind], CELL)
    views, closed, *once = book.told("told()")
    assert (views, closed) == (1, 0) and once[1] > 0
    for _ in range(3):
        book.run(VIEWS[kind], CELL)
    assert book.told("told()") == [4, 3, *once]
    assert book.run("print(_.closed, __.closed, ___.closed)") == "False True True\n"
    assert say("closed_view") in book.run("__")
    logged = "[len(str(one.bundle)) for k in sorted(Out) for one in get_ipython().history_manager.outputs[k]]"
    assert max(book.told(logged)[:-2]) < 1000, "IPython's log of outputs holds the pictures of closed views"
    book.run("close_all()")
    assert book.told("told()[2:]") == [0, 0, 0]


def test_a_view_is_closed_by_its_cell_alone_and_by_nothing_that_python_forgets(book: Notebook) -> None:
    """A page shows it, whoever still holds it in Python."""
    explore = "view = kept(autolab.explore(program, inputs()))"
    book.run(explore, "a")
    book.run("view", "b")
    book.run("view", "b")  # this cell shows it, and made none
    book.run("view = 1", "a")  # this run makes no other one
    book.run("Out.clear(); del view, _, __, ___")
    assert book.told("told()[3:]") == [2, 1]  # session and recording
    book.run(explore, "a")
    assert book.told("told()[3:]") == [2, 1], "the new one"
    book.run("%reset_selective -f view|^_+$|^Out$")
    book.run(explore, "a")
    assert book.told("told()[3:]") == [2, 1]


def test_a_run_that_shows_an_older_view_again_keeps_it(book: Notebook) -> None:
    book.run("old = kept(autolab.explore(program, inputs())); old", "a")
    book.run("new = kept(autolab.explore(program, inputs())); old", "a")
    assert book.told("[old.closed, new.closed]") == [False, False]
    book.run("last = kept(autolab.explore(program, inputs())); last", "a")
    assert book.told("[old.closed, new.closed, last.closed]") == [True, True, False]


@pytest.mark.parametrize("kind", VIEWS)
def test_where_cells_have_no_ids_the_last_views_of_a_text_stay(book: Notebook, kind: str) -> None:
    """Two cells may have the same text, and both be shown."""
    for _ in range(2):
        book.run(VIEWS[kind])
    assert book.told("told()[:2]") == [2, 0]
    for _ in range(5):
        book.run(VIEWS[kind])
    views, closed, _, _, own = book.told("told()")
    assert (views, closed, own) == (7, 4, 3 * (1 + (kind == "two")))
    book.run(f"{VIEWS[kind]}  # another text")
    assert book.told("told()[:2]") == [8, 4]


STATIC = {
    "report": "autolab.check_gradients(program, inputs())",
    "recording": "autolab.record(program, inputs())",
    "graph": "autolab.graph(program(autolab.Variable(inputs())))",
    "matrix": "autolab.jacobian(lambda x: x * x, np.ones(3))",
    "Variable": "autolab.Variable(inputs())",
    "link": "L.MLP((3, 2))",
    "surface": "autolab.plots.surface(lambda x, y: x * y, (0.0, 0.0))",
    "several": "display(L.MLP((3, 2))); autolab.record(program, inputs())",
}


@pytest.mark.parametrize("cell", ["a", None])
@pytest.mark.parametrize("kind", STATIC)
def test_ipythons_log_holds_the_pictures_of_a_cell_once(book: Notebook, kind: str, cell: str | None) -> None:
    for _ in range(4):
        book.run(STATIC[kind], cell)
    found = book.told(
        "[sorted(one.bundle) for k in sorted(Out) for one in get_ipython().history_manager.outputs[k]][-4:]"
    )
    assert found == [["text/plain"]] * 3 + [["text/html", "text/plain"]]


def test_a_monitor_goes_on_in_its_cell_beside_a_new_view(book: Notebook) -> None:
    book.run("model = L.Linear(3, 2); x = np.ones((1, 3), np.float32); monitor = LiveMonitor(model)")
    train = "monitor.update(loss=F.sum(model(x))); kept(autolab.explore(program, inputs()))"
    for _ in range(3):
        book.run(train, "a")
    assert book.told("[monitor._view.closed, monitor.iteration]") == [False, 3]
    assert book.told("told()") == [3, 2, 0, 2, 2]


def test_modes_are_those_of_a_cell_and_of_its_tasks(book: Notebook) -> None:
    book.run("""
        def modes():
            return [autolab.config.train, (autolab.Variable(2.0) * 2).requires_grad]

        async def looked(seen):
            while len(seen) < 1000 and not over:
                await asyncio.sleep(0.001)
                seen.append(modes())

        over, outside, inside = [], [], []
        first = asyncio.create_task(looked(outside))
        with autolab.no_grad():
            second = asyncio.create_task(looked(inside))
    """)
    own = """
        with autolab.no_grad(), autolab.test_mode():
            before, own = len(outside), []
            while len(outside) < before + 5:
                await asyncio.sleep(0)
                own.append(modes())
    """
    book.run(own)
    book.run("over.append(1); await first; await second")
    seen = book.told("[[list(one) for one in {*map(tuple, some)}] for some in (outside, inside, own, [modes()])]")
    assert seen == [[[True, True]], [[True, False]], [[False, False]], [[True, True]]]
    book.run("autolab.config.train = False")
    assert book.told("modes()") == [False, True]
    assert book.run("await asyncio.sleep(0); print(modes())") == "[False, True]\n"
    book.run("del autolab.config.train, second")  # the task holds the modes in which it was started
    assert book.told("[len(autolab.engine.modes.overrides), *modes()]") == [0, True, True]
