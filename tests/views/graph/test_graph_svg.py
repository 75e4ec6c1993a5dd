"""The static pictures: well-formed, complete, self-contained, and with words for those who cannot see them."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from autolab import Variable, graph
from autolab.recording.arrays import snapshot
from autolab.views.draw.colors import Tone
from autolab.views.draw.heatmap_svg import Panel, heatmaps
from autolab.views.graph.graph_svg import to_svg

from ..cases import recorded_chain, recorded_muladd, recorded_net, recording, step

SVG = "{http://www.w3.org/2000/svg}"


def texts(document):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(document).iter(f"{SVG}text")]


def test_every_step_shows_expression_value_and_gradient():
    assert texts(to_svg(recorded_muladd()))[1:] == [
        *("x", "input", "value", "2", "gradient", "3"),
        *("y", "input", "value", "3", "gradient", "2"),
        *("z", "input", "value", "4", "gradient", "1"),
        *("h = x * y", "×", "value", "6", "gradient", "1"),
        *("w = h + z", "+", "output", "value", "10", "gradient", "1"),
    ]


def test_a_value_that_was_not_kept_hides_no_gradient():
    x, y = Variable(2.0, name="x"), Variable(3.0, name="y")
    z = x * y + 1
    z.backward(retain_grad=True)
    drawn = graph(z)
    texts = [text for text in re.findall(r"<text[^>]*>([^<]*)<", to_svg(drawn)) if text != "×"]
    assert texts[texts.index("x * y") :][:5] == ["x * y", "value", "not kept", "gradient", "1"]
    assert "x * y\ngradient 1" in drawn.to_graphviz().source


def test_a_missing_gradient_is_a_word():
    assert texts(to_svg(recording(step(0, 0.0, name="x"))))[-2:] == ["gradient", "none"]


def test_a_picture_says_what_it_shows():
    root = ElementTree.fromstring(to_svg(recorded_muladd()))
    by_id = {node.get("id"): node for node in root.iter() if node.get("id")}
    title, description = (by_id[name] for name in root.get("aria-labelledby").split())
    assert title.text == "muladd(x, y, z)"
    assert "h = x * y, value 6, gradient 1." in description.text and root.get("role") == "img"


def test_ids_are_unique_also_in_one_page():
    shown = recorded_net()
    pictures = [to_svg(shown), to_svg(shown), heatmaps([Panel("a", snapshot(np.eye(3)))] * 2)]
    ids = [name for picture in pictures for name in re.findall(r' id="([^"]+)"', picture)]
    assert len(ids) == len(set(ids)) > 6
    for picture in pictures:
        here = set(re.findall(r' id="([^"]+)"', picture))
        assert set(re.findall(r"url\(#([^)]+)\)", picture)) <= here
        assert set(re.findall(r"#(autolab[\w-]*)", picture)) <= here


@pytest.mark.parametrize("look", ["light", "dark", "auto"])
def test_pictures_stand_alone_and_are_opaque(look):
    for picture in (to_svg(recorded_net(), look), heatmaps([Panel("a", snapshot(np.eye(20)))], look)):
        root = ElementTree.fromstring(picture)
        card = next(root.iter(f"{SVG}rect"))
        assert card.get("class") == "card" and card.get("width") == root.get("width")
        assert not {node.tag for node in root.iter()} & {f"{SVG}script", f"{SVG}foreignObject", f"{SVG}use"}
        references = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)|@import', picture)
        assert all(a.startswith("data:image/png") or b.startswith("#") for a, b in references)
        assert ("prefers-color-scheme" in picture) == (look == "auto")


def test_no_box_is_wider_than_its_words_need_and_no_word_wider_than_its_box():
    for node in ElementTree.fromstring(to_svg(recorded_net())).iter(f"{SVG}g"):
        box = node.find(f"{SVG}rect")
        if box is None or "box" not in box.get("class", ""):
            continue
        for words in node.iter(f"{SVG}text"):
            if words.get("class") in ("sign", "tag"):
                continue
            width = {"small": 6.7, "small gradient": 6.7}.get(words.get("class"), 9.7) * len("".join(words.itertext()))
            assert float(words.get("x")) + width <= float(box.get("width")) + 1


def test_strips_show_signs_for_what_is_no_number():
    picture = to_svg(recording(step(0, np.array([1.0, np.nan, -1.0, *np.zeros(4)]), name="x")))
    root = ElementTree.fromstring(picture)
    classes = [node.get("class") for node in root.iter(f"{SVG}path")]
    assert classes.count("cross") == 1
    assert sorted(name for name in classes if name and name.startswith("k")) == ["k0", "k10", "k20"]


def test_a_long_program_stays_a_picture_of_moderate_size():
    assert to_svg(recorded_chain(5000)).count('class="box') <= 300


# --- heatmaps -----------------------------------------------------------------------------------------------------


def test_small_heatmaps_hold_their_numbers():
    values = np.array([[1.0, -2.5], [np.nan, np.inf]])
    found = texts(heatmaps([Panel("error", snapshot(values), mark=(0, 1))]))
    assert found == [
        "error  (2, 2)",
        "1",
        "−2.5",
        "NaN",
        "∞",
        "−5",
        "−0.5",
        "0",
        "0.5",
        "5",
        "colours compressed, so small numbers show",
        "1 NaN, 1 inf",
    ]


def png_of(picture):
    data = re.search(r'href="data:image/png;base64,([^"]+)"', picture)[1]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def test_large_heatmaps_are_pictures_with_a_caption():
    values = np.zeros((100, 200))
    values[50, 100] = 3.0
    picture = heatmaps([Panel("value", snapshot(values))])
    image = np.asarray(png_of(picture)).reshape(-1, 3)
    assert len(np.unique(image, axis=0)) == 2
    assert "Each cell covers up to 2 × 4 elements" in " ".join(texts(picture))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_a_sign_in_large_heatmaps(value):
    values = np.zeros((10, 10))
    values[3, 4] = value
    image = np.asarray(png_of(heatmaps([Panel("value", snapshot(values))], "light")))
    high, wide = image.shape[0] // 10, image.shape[1] // 10
    cell = image[3 * high : 4 * high, 4 * wide : 5 * wide].reshape(-1, 3)
    assert {tuple(pixel) for pixel in cell.tolist()} == {(255, 255, 255), (17, 24, 39)}


def test_the_three_signs_differ():
    cells = []
    for value in (np.nan, np.inf, -np.inf):
        values = np.zeros((10, 10))
        values[0, 0] = value
        cells.append(png_of(heatmaps([Panel("value", snapshot(values))])).tobytes())
    assert len(set(cells)) == 3


@pytest.mark.parametrize(
    "values", [np.array(3.0), np.arange(5.0), np.zeros((0, 3)), np.zeros((2, 2)), np.ones((2, 3, 4))]
)
def test_heatmaps_of_all_shapes(values):
    ElementTree.fromstring(heatmaps([Panel("a", snapshot(values))]))


def test_an_array_of_zeros_has_no_scale():
    found = texts(heatmaps([Panel("a", snapshot(np.zeros((2, 2))))]))
    assert found[-1] == "All elements are zero." and "−0" not in found


def cells_of(root):
    return [rect for rect in root.iter(f"{SVG}rect") if rect.get("class", "").startswith("k")]


def test_a_shared_scale_gives_equal_numbers_equal_colours():
    picture = heatmaps(
        [Panel(name, snapshot(np.array(x)), tone=Tone(4.0)) for name, x in (("a", [1.0, 2.0]), ("b", [4.0, 2.0]))]
    )
    cells = [cell.get("class") for cell in cells_of(ElementTree.fromstring(picture))]
    assert cells[1] == cells[3] != cells[0]


def test_the_marked_element_is_ringed_also_where_cells_cover_many():
    values = np.zeros((100, 100))
    root = ElementTree.fromstring(heatmaps([Panel("a", snapshot(values), mark=(99, 0))]))
    (ring,) = [node for node in root.iter(f"{SVG}rect") if node.get("class") == "ring"]
    image = next(root.iter(f"{SVG}image"))
    bottom = float(image.get("y")) + float(image.get("height"))
    assert float(ring.get("x")) == -1 and float(ring.get("y")) + float(ring.get("height")) == pytest.approx(bottom + 1)


@pytest.mark.parametrize(("mark", "row", "column"), [((0, 0, 0), 0, 0), ((1, 2, 3), 5, 3), ((0, 1, 2), 1, 2)])
def test_the_marked_element_is_found_in_flattened_arrays(mark, row, column):
    root = ElementTree.fromstring(heatmaps([Panel("a", snapshot(np.ones((2, 3, 4))), mark=mark)]))
    (ring,) = [node for node in root.iter(f"{SVG}rect") if node.get("class") == "ring"]
    cell = cells_of(root)[4 * row + column]
    assert float(ring.get("x")) + 1 == float(cell.get("x")) and float(ring.get("y")) + 1 == float(cell.get("y"))
