"""Where values live, as the views show it: badges, transfers as marked lines, time by events, the memory pool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers import strict_module
from helpers.strict_array import Traffic

import autolab
from autolab import Variable, grad, to_cpu, to_gpu
from autolab import functions as F
from autolab.views.graph.detail import detail
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.scene import scene


@pytest.fixture
def traffic() -> Iterator[Traffic]:
    with strict_module.installed() as seen:
        yield seen


def loss(x: Variable, w: Variable) -> Variable:
    h = to_gpu(x) @ w
    return F.sum(to_cpu(F.tanh(h)))


def _recorded() -> autolab.Recording:
    return autolab.record(loss, np.linspace(0, 1, 6).reshape(2, 3), to_gpu(np.ones((3, 4))))


def test_gradients_go_back_where_the_value_came_from(traffic: Traffic) -> None:
    x = Variable(np.linspace(0, 1, 6).reshape(2, 3))
    w = Variable(to_gpu(np.ones((3, 4))))
    gx, gw = grad(loss(x, w), (x, w), create_graph=True)
    assert gx.device == "cpu" and gw.device == "cuda:0"
    here = Variable(x.data), Variable(w.data.get())
    plain = F.sum(F.tanh(here[0] @ here[1]))
    fx, fw = grad(plain, here, create_graph=True)
    np.testing.assert_allclose(gx.data, fx.data)
    np.testing.assert_allclose(gw.data.get(), fw.data)
    second = grad(F.sum(gx * gx), x)
    assert second.device == "cpu"
    np.testing.assert_allclose(second.data, grad(F.sum(fx * fx), here[0]).data)
    assert to_gpu(w) is w and to_cpu(x) is x
    loss(x, w).backward()
    assert x.grad.device == "cpu" and w.grad.device == "cuda:0"


def test_boxes_say_where_their_value_is_and_lines_where_it_is_copied(traffic: Traffic) -> None:
    picture = scene(_recorded())
    assert [node["device"] for node in picture["nodes"]] == ["cpu", "cuda:0", *["cuda:0"] * 3, "cpu", "cpu"]
    by_ends = {(e["from"], e["to"]): e["transfer"] for e in picture["edges"]}
    assert {ends: words for ends, words in by_ends.items() if words} == {
        (0, 2): "cpu → cuda:0",
        (4, 5): "cuda:0 → cpu",
    }
    svg = str(to_svg(_recorded()))
    assert len(re.findall(r'class="transfer"', svg)) == 2 and "cpu → cuda:0" in svg
    assert len(re.findall(r'class="plate device"', svg)) == len(picture["nodes"])


def test_a_closed_group_shows_the_device_of_its_result(traffic: Traffic) -> None:
    def scoped(x: Variable) -> Variable:
        with autolab.named_scope("up"):
            h = F.tanh(to_gpu(x) * 2)
        return F.sum(h)

    recording = autolab.record(scoped, np.ones((2, 3)))
    picture = scene(recording, expanded=())
    (group,) = [node for node in picture["nodes"] if node["group"]]
    assert group["device"] == "cuda:0" and [e["transfer"] for e in picture["edges"]] == ["cpu → cuda:0", None]


def test_nothing_is_said_while_all_is_in_main_memory() -> None:
    recording = autolab.record(lambda x: F.sum(x * x), np.ones(3))
    picture = scene(recording)
    assert {node.get("device") for node in picture["nodes"]} == {None} and recording.pool is None
    assert {edge["transfer"] for edge in picture["edges"]} == {None}
    svg = str(to_svg(recording))
    assert 'class="transfer"' not in svg and 'class="plate device"' not in svg and "Memory of the GPU" not in svg


def test_the_same_program_on_another_device_is_another_picture(traffic: Traffic) -> None:
    def f(x: Variable) -> Variable:
        return F.sum(x * x)

    here, there = scene(autolab.record(f, np.ones(3))), scene(autolab.record(f, to_gpu(np.ones(3))))
    assert here["key"] != there["key"]


def test_times_come_from_events_on_the_device(traffic: Traffic) -> None:
    """The stand-in's clock counts its events: from one to the next is a second."""
    recording = _recorded()
    by_name: dict[str | None, Any] = {step.function: step for step in recording.steps}
    assert by_name["matmul"].seconds == by_name["tanh"].seconds == 1.0
    assert by_name["sum"].seconds < 0.5
    ones = {back.of: back.seconds for back in recording.backward}
    assert ones[by_name["tanh"].id] == 1.0 and ones[by_name["sum"].id] < 0.5


def test_the_pool_is_in_the_recording(traffic: Traffic) -> None:
    recording = _recorded()
    assert recording.pool is not None
    assert (recording.pool.used, recording.pool.peak, recording.pool.total) == (3 << 20, 3 << 20, 8 << 20)
    assert recording.to_json()["pool"] == {"used": 3 << 20, "peak": 3 << 20, "total": 8 << 20}
    shown = recording._repr_mimebundle_()
    for text in shown.values():
        assert "Memory of the GPU: 3.1 MB in use of the 8.4 MB" in text


def test_a_step_on_the_gpu_says_how_full_its_memory_is(traffic: Traffic) -> None:
    recording = _recorded()
    facts = [dict(detail(recording, step.id)["facts"]).get("GPU memory") for step in recording.steps]
    assert facts == [None, *["3.1 MB of 8.4 MB"] * 4, None, None]


def test_a_transfer_is_a_step_with_a_sentence_and_no_code_of_ours(traffic: Traffic) -> None:
    (up,) = [step for step in _recorded().steps if step.function == "to_gpu"]
    assert up.backward_code is None and up.operands[0].contribution.device == "cpu"
