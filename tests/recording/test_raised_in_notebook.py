"""In a notebook's kernel: below the traceback of what nobody caught stands the picture up to there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

pytestmark = [
    pytest.mark.lab,
    pytest.mark.filterwarnings("ignore"),  # of the client's sockets
]

SETUP = """
import autolab
def program(x):
    h = x * 2
    return h.reshape(7)
"""


@pytest.fixture(scope="module")
def client() -> Iterator[BlockingKernelClient]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def outputs(client: BlockingKernelClient, code: str) -> list[tuple[str, Any]]:
    """What a cell shows: the kind of each message and its content."""
    found = []

    def hear(message: dict[str, Any]) -> None:
        if message["msg_type"] in ("error", "display_data", "execute_result", "stream"):
            found.append((message["msg_type"], message["content"]))

    client.execute_interactive(code, output_hook=hear, timeout=60)
    return found


def test_explore_opens_a_view_of_what_was_computed_up_to_the_error(client: BlockingKernelClient) -> None:
    outputs(client, SETUP)
    ((kind, shown),) = outputs(client, "view = autolab.explore(program, [1.0, 2.0]); view")
    assert kind == "execute_result" and "application/vnd.jupyter.widget-view+json" in shown["data"]
    assert "The graph ends there." in shown["data"]["text/plain"]
    told = "print(view.error['type'], view.error['ended'], view.recording['h'].value.values.tolist())"
    assert outputs(client, told)[0][1]["text"] == "ValueError True [2.0, 4.0]\n"


def test_the_picture_stands_below_the_traceback(client: BlockingKernelClient) -> None:
    outputs(client, SETUP)
    (first, error), (second, shown) = outputs(client, "autolab.record(program, [1.0, 2.0])")
    assert (first, second) == ("error", "display_data")
    assert "autolab/recording" not in "".join(error["traceback"]).replace("\x1b", "")
    assert "The graph ends there." in shown["data"]["text/plain"] and "<img" in shown["data"]["text/html"]
    assert "reshape was given h = [2, 4]." in shown["data"]["text/plain"]


def test_what_is_caught_shows_nothing_and_neither_do_other_errors(client: BlockingKernelClient) -> None:
    outputs(client, SETUP)
    outputs(client, "autolab.record(program, [1.0, 2.0])")
    caught = "try:\n    autolab.record(program, [1.0, 2.0])\nexcept ValueError:\n    print('caught')"
    shown = outputs(client, caught)  # a kernel may send the line and its end apart
    assert [(kind, content["name"]) for kind, content in shown] == [("stream", "stdout")] * len(shown)
    assert "".join([content["text"] for _, content in shown]) == "caught\n"
    assert [kind for kind, _ in outputs(client, "1 // 0")] == ["error"]
    assert [kind for kind, _ in outputs(client, "autolab.record(3)")] == ["error"]


def test_the_recording_can_be_asked_for_afterwards(client: BlockingKernelClient) -> None:
    outputs(client, SETUP)
    outputs(client, "autolab.record(program, [1.0, 2.0])")
    ((_, shown),) = outputs(client, "autolab.recording.last_recording()['h'].value.values.tolist()")
    assert shown["data"]["text/plain"] == "[2.0, 4.0]"
