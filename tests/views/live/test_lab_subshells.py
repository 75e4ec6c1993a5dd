"""R13 in JupyterLab itself: moves arrive on threads of a subshell while a cell is running, and no mode crosses over."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel
from playwright.sync_api import Locator, expect

from ..lab import Lab, LabPage

pytestmark = [pytest.mark.browser, pytest.mark.lab, pytest.mark.goal(id="R13")]

VIEWS = """
import json, threading, time
import autolab

threads, modes = set(), {"train": set(), "test": set()}


def watched(kind):
    def double_or_triple(x):
        modes[kind].add((autolab.config.train, autolab.config.enable_backprop))
        return x * (2.0 if autolab.config.train else 3.0)

    view = autolab.explore(double_or_triple, x=1.0)
    view.on_msg(lambda *_: threads.add(threading.current_thread().name))
    display(view)
    return view


views = [watched("train")]
with autolab.test_mode():
    views.append(watched("test"))
"""
BUSY = """
own = set()
threads.clear()
with autolab.test_mode(), autolab.no_grad():
    while not all(float(view.point["x"]) == 8.0 for view in views):
        own.add((autolab.config.train, autolab.config.enable_backprop))
        time.sleep(0.02)
after = autolab.config.train, autolab.config.enable_backprop
"""
TOLD = """
print(json.dumps([sorted(threads), sorted(own), after, {kind: sorted(seen) for kind, seen in modes.items()}]))
"""


def test_moves_while_a_cell_runs_keep_the_modes_of_their_views_and_of_the_cell(
    lab: Lab, open_page: Callable[..., LabPage]
) -> None:
    view = open_page(lab.write("subshells.ipynb", VIEWS, BUSY, TOLD))
    view.run(0)
    roots = view.page.locator(".al-root")
    expect(roots).to_have_count(2)
    for root in (roots.nth(0), roots.nth(1)):  # JupyterLab sets up the subshell when it first sends something
        move(root, 1.5)
    results = [roots.nth(i).locator(".al-output .al-value .al-number") for i in range(2)]
    gradients = [roots.nth(i).locator(".al-node.al-input .al-gradient .al-number") for i in range(2)]
    expect(results[0]).to_have_text("3")
    expect(results[1]).to_have_text("4.5")
    view.page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1; }")
    view.page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-cell'); }")
    running = "() => window.jupyterapp.shell.currentWidget.content.widgets[1].model.executionState"
    view.page.wait_for_function(f"() => ({running})() === 'running'")
    for k in range(2, 9):
        for i, factor in enumerate((2, 3)):
            move(roots.nth(i), k)
            expect(results[i]).to_have_text(str(factor * k))
            expect(gradients[i]).to_have_text(str(factor))
    view.page.wait_for_function(f"() => ({running})() !== 'running'")
    threads, own, after, modes = json.loads(view.run(2))
    assert threads and all(name.startswith("subshell") for name in threads), threads
    assert own == [[False, False]], "the cell keeps its own modes"
    assert after == [True, True]
    assert modes == {"train": [[True, True]], "test": [[False, True]]}


def move(root: Locator, value: float) -> None:
    root.locator(".al-node[aria-label^='x,']").press("Enter")
    box = root.locator(".al-typing input")
    box.fill(str(value))
    box.press("Enter")


def test_a_page_that_names_a_subshell_of_the_kernel_before_is_answered() -> None:
    """Another page has restarted the kernel, as two people on one notebook do."""
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        outputs: list[str] = []
        code = "import autolab\nview = autolab.explore(lambda x: x * x, x=2.0)\nprint(view.comm.comm_id)\nview"
        client.execute_interactive(
            code, output_hook=lambda m: outputs.append(m["content"].get("text", "")), allow_stdin=True, timeout=60
        )
        comm = next(filter(None, map(str.strip, outputs)))
        assert is_answered(client, comm, "00000000-dead-4000-8000-000000000000")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def is_answered(client: BlockingKernelClient, comm: str, subshell: str) -> bool:
    """Whether a greeting on this subshell is acknowledged."""
    data = {"method": "custom", "content": {"do": "hello", "seq": 7}}
    message = client.session.msg("comm_msg", {"comm_id": comm, "data": data})
    message["header"]["subshell_id"] = subshell
    client.shell_channel.send(message)
    late = time.monotonic() + 20
    while time.monotonic() < late:
        found = client.get_iopub_msg(timeout=20)
        if found["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        if found["msg_type"] == "comm_msg":
            return bool(found["content"]["data"]["state"]["ack"] == 7)
    return False
