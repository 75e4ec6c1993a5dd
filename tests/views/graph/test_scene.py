"""Scene, readings and detail: plain data that all pictures share."""

import json
import math

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab.recording.arrays import snapshot
from autolab.recording.grouping import MOST
from autolab.recording.model import Operand
from autolab.recording.outline import Group
from autolab.views.draw.arrays import as_lists, grid, rows_of
from autolab.views.draw.colors import view_tone
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import in_cell
from autolab.views.draw.shading import Shading
from autolab.views.graph.cells_svg import LEVELS, Strip, strip
from autolab.views.graph.detail import detail
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.readings import readings
from autolab.views.graph.scene import scene

from ..cases import halves, muladd, recorded_muladd, recorded_net, recording, step

NODE = {"id", "kind", "output", "x", "y", "w", "h", "name", "text", "symbol", "cells", "group", "parent"}
NODE |= {"plan", "numbered", "shape", "strip_width", "strip_height"}


def nodes_by_text(picture):
    return {node["text"]: node for node in picture["nodes"]}


def test_the_scene_of_a_program_reads_as_it_was_written():
    picture = scene(recorded_muladd())
    nodes = nodes_by_text(picture)
    assert picture["title"] == "muladd(x, y, z)"
    assert picture["description"] == "Computation graph of muladd(x, y, z): 3 inputs, 2 steps, output w."
    assert set(nodes) == {"x", "y", "z", "x * y", "h + z"}
    assert all(set(node) - {"plate"} == NODE for node in nodes.values())
    assert (nodes["x * y"]["name"], nodes["x * y"]["symbol"], nodes["x * y"]["kind"]) == ("h", "×", "call")
    assert [node["output"] for node in nodes.values()].count(True) == 1 and nodes["h + z"]["output"]
    pairs = {(edge["from"], edge["to"]) for edge in picture["edges"]}
    h, w = nodes["x * y"]["id"], nodes["h + z"]["id"]
    assert pairs == {(nodes["x"]["id"], h), (nodes["y"]["id"], h), (h, w), (nodes["z"]["id"], w)}


def test_the_sign_of_a_step_does_not_repeat_its_call():
    def f(x):
        h = np.exp(x)
        return h * x

    signs = {text: node["symbol"] for text, node in nodes_by_text(scene(autolab.record(f, 1.0))).items()}
    assert signs == {"x": "", "np.exp(x)": "", "h * x": "×"}


def test_scene_readings_and_detail_are_json():
    for shown in (recorded_muladd(), recorded_net(), autolab.record(halves, np.array([1.0, np.nan]))):
        identity = shown.steps[-1].id
        for data in (scene(shown), readings(shown), detail(shown, identity)):
            json.dumps(data, allow_nan=False, default=bytes.hex)  # the cells of arrays are bytes


def test_the_key_changes_with_the_structure_and_not_with_the_numbers():
    first = scene(autolab.record(muladd, 1.0, 2.0, 3.0))
    assert first == scene(autolab.record(muladd, -4.0, 0.0, 1e9))
    assert first["key"] != scene(autolab.record(muladd, np.ones(3), 2.0, 3.0))["key"]
    assert first["key"] != scene(recorded_net())["key"]


def test_readings_hold_values_gradients_and_words():
    shown = recorded_muladd()
    nodes = readings(shown)["nodes"]
    h = nodes[str(shown["h"].id)]
    assert (h["value"], h["grad"], h["status"]) == ("6", "1", "")
    assert h["spoken"] == "h = x * y, value 6, gradient 1"
    assert set(nodes) == {str(node["id"]) for node in scene(shown)["nodes"]}


def test_strips_are_small_zero_centred_and_hold_infinity_as_a_sign():
    values = np.arange(400.0).reshape(20, 20) - 300
    values[0, 0] = np.nan
    values[19, 19] = np.inf
    reading = readings(recording(step(0, values, name="x")))["nodes"]["0"]
    cells = reading["value_cells"]
    assert len(cells) <= 8 and len(cells[0]) <= 12
    assert cells[0][0] == "NaN" and cells[-1][-1] == "∞"
    assert reading["value_scale"] == 500.0  # that of the view, rounded up
    assert reading["value"] == "(20, 20) …, 1 NaN, 1 inf"


def test_where_there_are_many_boxes_large_arrays_have_fewer_cells_and_small_ones_all():
    def strips(count, *shape):
        shown = recording(*[step(k, np.ones(shape)) for k in range(count)])
        found = readings(shown, shown.outline.groups)["nodes"].values()
        return {np.shape(reading["value_cells"]) for reading in found}

    assert strips(1, 30, 40) == {(8, 10)}
    assert strips(900, 30, 40) == {(3, 4)}
    assert strips(5000, 30, 40) == {(2, 3)}
    assert strips(900, 3, 4) == {(3, 4)}


def test_a_batch_of_eight_has_eight_rows():
    reading = readings(recording(step(0, np.arange(24.0).reshape(8, 3), name="x")))["nodes"]["0"]
    assert np.shape(reading["value_cells"]) == (8, 3)


def test_numbers_below_cells_are_written_out_as_a_whole_or_not_at_all():
    def below(*numbers):
        shown = recording(step(0, np.array(numbers), name="x"))
        text = readings(shown)["nodes"]["0"]["value"]
        assert (f">{text.replace(' …', '')}<" in to_svg(shown)) == (len(numbers) > 6), "fewer stand in their cells"
        return text

    assert below(-0.127, -0.0, 0.0) == "[−0.127, 0, 0]"
    assert below(-0.667, 0.881, 0.002) == "(3,) …"
    assert below(*[0.881] * 7) == "(7,) …" and below(-0.667, 0.881, np.inf) == "(3,) …, 1 inf"
    assert below(*[0.881] * 6, np.inf) == "(7,) …, 1 inf"


def test_nan_and_the_infinities_are_told_apart_in_cells() -> None:
    for numbered in (True, False):
        place, shading = Strip(0.0, 0.0, 72.0, 24.0, numbered), Shading("light", LEVELS)
        cells = [as_lists(grid(snapshot(np.array([v, 0.5])), 1, 2)) for v in (np.nan, np.inf, -np.inf, 1.0)]
        drawn = ["".join(strip(one, view_tone(1.0), place, shading)) for one in cells]
        assert len(set(drawn)) == 4
        signs = ("NaN", "∞", "−∞", "1")
        assert not numbered or all(f">{sign}<" in one for sign, one in zip(signs, drawn, strict=True))


def test_what_dropout_draws_is_called_a_mask():
    recorded = autolab.record(lambda x: F.dropout(x, 0.5, rng=np.random.default_rng(0)), x=np.ones(4))
    assert [node["text"] for node in scene(recorded)["nodes"] if node["kind"] == "constant"] == ["mask"]


def test_a_long_call_loses_whole_arguments():
    node = scene(recording(step(0, name="x"), step(1, of=(0,), name="y", source="F.dropout(x, ratio=0.5, rng=rng)")))
    assert node["nodes"][1]["text"] == "F.dropout(x, ratio=0.5, …)"


@pytest.mark.parametrize(
    ("value", "text", "cells"),
    [
        (2.0, "2", False),
        (np.array([2.0]), "[2]", False),
        (np.array([1.0, 2.0]), "[1, 2]", True),
        (np.zeros((0, 3)), "empty (0, 3)", True),  # its words need as much room
        (np.zeros((3, 4)), "(3, 4) …", True),
        (np.array(7), "7", False),
        (np.array([True, False]), "[True, False]", True),
        (np.full((2, 3, 4), np.nan), "(2, 3, 4) …, 24 NaN", True),
    ],
)
def test_values_of_all_kinds(value, text, cells):
    shown = recording(step(0, value, name="x"))
    assert readings(shown)["nodes"]["0"]["value"] == text
    assert scene(shown)["nodes"][0]["cells"] is cells
    assert (readings(shown)["nodes"]["0"]["value_cells"] is not None) == (cells and np.size(value) > 0)


def test_long_names_fit_into_their_boxes():
    long = step(1, of=(0, 0), name="n" * 300, source="漢" * 300)
    node = scene(recording(step(0, name="x"), long))["nodes"][1]
    assert node["w"] < 600 and len(node["name"]) <= 16 and len(node["text"]) <= 34


def test_a_value_used_twice_in_one_step_has_two_lines():
    picture = scene(recording(step(0, name="x"), step(1, of=(0, 0))))
    assert len(picture["edges"]) == 2 and len({edge["path"] for edge in picture["edges"]}) == 2


def test_a_function_with_two_results_is_one_box_with_parts_below():
    shown = autolab.record(halves, 3.0)
    kinds = [node["kind"] for node in scene(shown)["nodes"]]
    assert kinds == ["input", "call", "part", "part", "call"]
    call = readings(shown)["nodes"][str(shown.steps[1].id)]
    assert (call["value"], call["grad"], call["status"]) == ("", None, say("call_of_parts"))


# --- more than can be drawn ---------------------------------------------------------------------------------------


def straight(count, **fields):
    """A program without scopes: one long chain."""
    return recording(step(0, name="x"), *(step(i, of=(i - 1,)) for i in range(1, count)), **fields)


def drawn(shown):
    return shown.outline.shown(shown.outline.at_first())


def test_a_long_program_is_drawn_at_both_ends_and_says_so():
    shown = straight(3 * MOST)
    items = drawn(shown)
    (run,) = [item for item in items if isinstance(item, Group)]
    assert len(items) <= MOST
    assert sum(len(item.steps) if isinstance(item, Group) else 1 for item in items) == len(shown.steps)
    node = next(node for node in scene(shown)["nodes"] if node["kind"] == "run")
    assert node["text"] == f"… {len(run.steps)} steps" and node["id"] < 0
    reading = readings(shown)["nodes"][str(node["id"])]
    assert f"{len(run.steps)} steps" in reading["status"] and str(len(shown.steps)) in reading["status"]
    assert detail(shown, node["id"])["status"] == reading["status"]


def test_lines_lead_into_and_out_of_a_run():
    steps = [step(0, name="x"), *(step(i, of=(i - 1,)) for i in range(1, 399)), step(399, of=(0, 200, 398))]
    steps[150] = step(150, of=(5, 149))
    picture = scene(recording(*steps))
    run = next(node["id"] for node in picture["nodes"] if node["kind"] == "run")
    touching = {(edge["from"], edge["to"]) for edge in picture["edges"] if run in (edge["from"], edge["to"])}
    assert touching == {(5, run), (59, run), (run, 340), (run, 399)}


def test_up_to_the_limit_every_step_is_drawn():
    shown = straight(MOST)
    assert len(drawn(shown)) == len(shown.steps)


def test_an_output_in_the_middle_of_a_long_program_is_drawn():
    shown = straight(400, outputs=(200, 399))
    outputs = [node["id"] for node in scene(shown)["nodes"] if node["output"]]
    assert outputs == [200, 399]
    assert len([item for item in drawn(shown) if isinstance(item, Group)]) == 2


# --- detail -------------------------------------------------------------------------------------------------------


def test_detail_tells_where_a_value_comes_from_and_how_its_gradient_goes_on():
    shown = recorded_muladd()
    data = detail(shown, shown["h"].id)
    facts = dict(data["facts"])
    assert data["title"] == "h = x * y"
    assert (facts["value"], facts["gradient"], facts["shape"], facts["dtype"]) == ("6", "1", "()", "float64")
    assert data["source"]["statement"] == "h = x * y" and data["source"]["line"] > 1
    assert [rule["text"] for rule in data["rules"]] == [
        "gradient of x = upstream × y",
        "gradient of y = upstream × x",
    ]
    assert data["rules"][0]["filled"] == "1 × 3 = 3"
    assert [np.frombuffer(entry["cells"], np.float32).tolist() for entry in data["arrays"]] == [[6.0], [1.0]]


def test_what_is_only_a_share_of_a_gradient_is_called_one():
    def fn(x, y):
        h = x * x + x * y  # three shares for x, which box and pane call 2 + 2 + 3 = 7
        return h, y + h

    shown = autolab.record(fn, 2.0, 3.0)
    texts = [rule["text"] for step in shown.steps for rule in detail(shown, step.id)["rules"]]
    assert texts == [
        *["share for x = upstream × x"] * 2,
        "share for x = upstream × y",
        "share for y = upstream × x",
        "gradient of x * x = upstream",
        "gradient of x * y = upstream",
        "share for y = upstream",
        "share for h = upstream",  # an output as well: its gradient begins with what it was given
    ]
    given = [operand.contribution for step in shown.steps for operand in step.operands if operand.step == 0]
    assert sum(float(one.values) for one in given) == float(shown["x"].grad.values)


def test_rules_are_told_in_the_readers_names():
    operands = (
        Operand("x", 0, rule="(g - g * (y * y)) / b_shape"),
        Operand("b", 1, rule="F.sum_to(g * x, shape=b_shape)"),
        Operand("c", None, constant="2.0", rule="g"),
    )
    first = step(0, source="u + v")
    shown = recording(first, step(1, name="bias"), step(2, of=(0, 1), operands=operands, name="t"))
    rules = detail(shown, 2)["rules"]
    assert [rule["parameter"] for rule in rules] == ["x", "b"]
    assert rules[0]["text"] == "gradient of u + v = (upstream − upstream × (t × t)) / shape of bias"
    assert rules[1]["text"] == "gradient of bias = F.sum_to(upstream × (u + v), shape=shape of bias)"


def test_detail_arrays_are_bounded_and_keep_what_is_not_finite():
    values = np.zeros((1000, 700))
    values[0, 0], values[999, 699], values[500, 300] = np.nan, -np.inf, -7.5
    data = detail(recording(step(0, values, name="x")), 0)
    (entry,) = data["arrays"]
    cells = np.frombuffer(entry["cells"], np.float32).reshape(entry["rows"], entry["cols"])
    assert cells.shape <= (256, 256) and entry["shape"] == [1000, 700]
    assert (
        math.isnan(cells[0, 0]) and cells[-1, -1] == -np.inf and cells.min(where=np.isfinite(cells), initial=0) == -7.5
    )
    assert (entry["nan"], entry["inf"], entry["scale"]) == (1, 1, 7.5)
    assert entry["block"][0] * entry["rows"] >= 1000 and str(entry["block"][0]) in entry["caption"]


def test_arrays_with_many_axes_are_flattened_to_rows_and_it_is_said():
    data = detail(recording(step(0, np.zeros((2, 3, 4)), name="x")), 0)
    assert (data["arrays"][0]["rows"], data["arrays"][0]["cols"]) == (6, 4)
    assert "(2, 3, 4) is shown as 6 rows of 4, from [0, 0, :] to [1, 2, :]." in data["arrays"][0]["caption"]


def test_a_value_beyond_single_precision_becomes_infinite_without_a_warning():
    data = detail(recording(step(0, 1e300, name="x")), 0)
    assert np.frombuffer(data["arrays"][0]["cells"], np.float32)[0] == np.inf


def test_detail_of_an_unknown_node_is_an_error():
    with pytest.raises(KeyError, match="got node 99"):
        detail(recorded_muladd(), 99)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (6, 5), (7, 2), (2, 7), (2, 2, 3), (1,), (0, 3)])
def test_small_arrays_have_numbers_in_their_cells_where_the_picture_has_room(shape: tuple[int, ...]) -> None:
    x = np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)
    recording = autolab.record(lambda x: x * x, x=x)
    small = max(rows_of(shape)) <= 6 and x.size > 1
    assert {node["numbered"] for node in scene(recording)["nodes"]} == {small}
    drawn = to_svg(recording)
    assert all([(f">{in_cell(v)}<" in drawn) == small for v in x.ravel()]) or not small
    wide = autolab.record(lambda *given: sum(given[1:], given[0]).sum(), *[np.ones((2, 6))] * 5)
    assert not any([node["numbered"] for node in scene(wide)["nodes"]]), "five of them side by side"
