"""The layout: nothing overlaps, lines go around boxes, chains are straight, trees do not cross, and it is fast."""

import itertools
import math
import random
import re
import sys

import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st

from autolab.views.graph.layout.boxes import layout
from autolab.views.graph.layout.columns_and_lines import spread
from autolab.views.graph.layout.ranks import MAX_WAYPOINTS, Layered, count_crossings, ordered

GAP = (28.0, 46.0)
BOX = (100.0, 40.0)
WIDEST = st.sampled_from([math.inf, 600.0, 200.0])
TALLEST = st.sampled_from([math.inf, 400.0, 150.0])


@st.composite
def graphs(draw, most=40):
    count = draw(st.integers(1, most))
    sizes = tuple(
        (draw(st.sampled_from([20.0, 90.0, 231.0, 400.0])), draw(st.sampled_from([12.0, 40.0, 88.0])))
        for _ in range(count)
    )
    pairs = st.integers(0, count - 1).flatmap(lambda b: st.tuples(st.integers(0, max(0, b - 1)), st.just(b)))
    edges = draw(st.lists(pairs.filter(lambda pair: pair[0] < pair[1]), max_size=3 * count)) if count > 1 else []
    return sizes, tuple(edges)


def boxes(sizes, placed):
    return [(x, y, x + w, y + h) for (x, y), (w, h) in zip(placed.corners, sizes, strict=True)]


def points(path, steps=12):
    """Points along an SVG path of M, V and C commands."""
    here = (0.0, 0.0)
    for command, numbers in re.findall(r"([MVC])([^MVC]*)", path):
        values = [float(n) for n in numbers.split()]
        if command == "C":
            (x0, y0), (x1, y1, x2, y2, x3, y3) = here, values
            for i in range(1, steps + 1):
                t = i / steps
                a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
            here = (x3, y3)
        else:
            here = (here[0], values[0]) if command == "V" else (values[0], values[1])
            yield here


@given(graphs(), WIDEST, TALLEST)
def test_boxes_never_overlap(graph, widest, tallest):
    sizes, edges = graph
    drawn = boxes(sizes, layout(sizes, edges, GAP, widest=widest, tallest=tallest))
    for i, a in enumerate(drawn):
        for b in drawn[:i]:
            apart = (b[0] - a[2], a[0] - b[2]), (b[1] - a[3], a[1] - b[3])
            assert max(apart[0]) >= GAP[0] - 1 or max(apart[1]) > 0, (a, b)


@given(graphs(), WIDEST, TALLEST)
def test_everything_lies_within_the_picture(graph, widest, tallest):
    sizes, edges = graph
    placed = layout(sizes, edges, GAP, margin=7.0, widest=widest, tallest=tallest)
    for left, top, right, bottom in boxes(sizes, placed):
        assert left >= 6.9 and top >= 6.9 and right <= placed.width - 6.9 and bottom <= placed.height - 6.9
    for path in placed.paths:
        assert all(0 <= x <= placed.width and 0 <= y <= placed.height for x, y in points(path))


@given(graphs(), WIDEST, TALLEST)
def test_lines_join_their_boxes_and_go_around_the_others(graph, widest, tallest):
    sizes, edges = graph
    placed = layout(sizes, edges, GAP, widest=widest, tallest=tallest)
    drawn = boxes(sizes, placed)
    for (source, target), path in zip(edges, placed.paths, strict=True):
        line = list(points(path))
        (x0, y0), (x1, y1) = line[0], line[-1]
        assert drawn[source][0] <= x0 <= drawn[source][2] and y0 == pytest.approx(drawn[source][3], abs=0.2)
        assert drawn[target][0] <= x1 <= drawn[target][2] and y1 == pytest.approx(drawn[target][1], abs=0.2)
        for x, y in line:
            for left, top, right, bottom in drawn:
                assert not (left < x < right and top + 0.2 < y < bottom - 0.2), (source, target)


@given(graphs(), WIDEST)
def test_lines_run_downwards(graph, widest):
    sizes, edges = graph
    for path in layout(sizes, edges, GAP, widest=widest).paths:
        heights = [y for _, y in points(path)]
        assert all(a <= b + 0.2 for a, b in itertools.pairwise(heights))


def test_lines_for_which_there_is_no_room_are_single_curves_beside_the_boxes(monkeypatch):
    monkeypatch.setattr("autolab.views.graph.layout.ranks.MAX_WAYPOINTS", 5)
    layout.cache_clear()
    chain = tuple((i, i + 1) for i in range(19))
    placed = layout((BOX,) * 20, (*chain, (0, 19)))
    layout.cache_clear()
    assert placed.paths[-1].count("C") == 1
    assert max(x for x, _ in points(placed.paths[-1])) > max(x for x, _ in points(placed.paths[0])) + 20


def test_the_number_of_waypoints_is_bounded():
    count = 300
    edges = tuple((i, i + 1) for i in range(count - 1)) + tuple((i, count - 1) for i in range(count - 2))
    graph = Layered((BOX,) * count, edges)
    assert len(graph.rank) <= count + MAX_WAYPOINTS and 0 < len(graph.curves) < count


def test_it_is_the_same_every_time():
    edges = tuple((i // 2, i) for i in range(1, 60))
    first = layout((BOX,) * 60, edges)
    layout.cache_clear()
    assert layout((BOX,) * 60, edges) == first


@pytest.mark.parametrize("edge", [(1, 0), (1, 1), (0, 2), (-1, 1)])
def test_an_edge_that_points_upwards_is_refused(edge):
    with pytest.raises(ValueError, match=r"layout: got the edge .* expected 0 <= from < to < 2"):
        layout((BOX, BOX), (edge,))


def test_the_empty_picture_is_its_margin():
    assert (layout((), (), margin=5.0).width, layout((), (), margin=5.0).height) == (10.0, 10.0)


def test_a_chain_is_straight_although_its_boxes_differ():
    sizes = tuple((width, 40.0) for width in (100.0, 300.0, 20.0, 222.0))
    placed = layout(sizes, ((0, 1), (1, 2), (2, 3)))
    centres = {x + w / 2 for (x, _), (w, _) in zip(placed.corners, sizes, strict=True)}
    assert max(centres) - min(centres) <= 1


def layers(count):
    """A net: every layer multiplies by a weight, adds a bias, and squashes."""
    edges, last, total = [], 0, 1
    for _ in range(count):
        weight, product, bias, shifted, squashed = range(total, total + 5)
        edges += [(last, product), (weight, product), (product, shifted), (bias, shifted), (shifted, squashed)]
        last, total = squashed, total + 5
    return total, tuple(edges)


def test_a_net_is_a_column_and_not_a_diagonal():
    total, edges = layers(30)
    assert layout((BOX,) * total, edges).width < 3 * BOX[0]


def test_what_is_too_high_goes_on_at_the_top_where_few_lines_turn():
    chain = (*[(100.0, 40.0)] * 9,)
    edges = (*itertools.pairwise(range(9)), (2, 4), (2, 5))
    plain, placed = (layout(chain, edges, GAP, tallest=tallest) for tallest in (math.inf, 450.0))
    tops = [round(y) for _, y in placed.corners]
    assert plain.height == 9 * 40 + 8 * 46 and placed.height < 0.65 * plain.height and placed.width > 2 * plain.width
    first = next(k for k in range(1, 9) if tops[k] < tops[k - 1])
    assert first not in (3, 4) and tops[:first] == sorted(tops[:first]) and tops[first:] == sorted(tops[first:])
    assert placed.corners[first][0] > placed.corners[first - 1][0] + 100


def test_a_value_used_again_and_again_is_one_trunk():
    edges = tuple([(0, i) for i in range(2, 12)] + [(i, i + 1) for i in range(1, 11)])
    placed = layout((BOX,) * 12, edges)
    starts = {path.split("V")[0] for path in placed.paths[:10]}
    assert len(starts) <= 2


def test_lines_arrive_in_the_order_in_which_they_come():
    placed = layout((BOX,) * 5, ((0, 4), (1, 4), (2, 4), (3, 4)))
    starts = [float(path[1:].split(" ")[0]) for path in placed.paths]
    arrivals = [list(points(path))[-1][0] for path in placed.paths]
    assert sorted(range(4), key=starts.__getitem__) == sorted(range(4), key=arrivals.__getitem__)
    assert len(set(arrivals)) == 4


def test_many_boxes_beside_each_other_are_rows_and_their_lines_run_together():
    heads = range(1, 17)
    edges = (*[(0, head) for head in heads], *[(head, 17) for head in heads])
    placed = layout((BOX,) * 18, edges, GAP, widest=500.0)
    rows = [list(row) for _, row in itertools.groupby(placed.corners[1:17], key=lambda corner: corner[1])]
    assert [len(row) for row in rows] == [4, 4, 4, 4]
    columns = [[x for x, _ in column] for column in zip(*rows, strict=True)]
    assert max([max(column) - min(column) for column in columns]) < 6, "they stand below each other"
    assert placed.width < 600 < 1500 < layout((BOX,) * 18, edges, GAP).width
    last = {path.split("C")[-1] for path in placed.paths[16:28]}  # of the three upper rows
    assert len(last) == 1, "one line for all of them"


def test_weights_in_rows_run_together_to_each_of_their_users():
    users = range(6, 14)
    edges = [(weight, user) for user in users for weight in range(6)] + [(user, user + 1) for user in users[:-1]]
    assert layout((BOX,) * 14, tuple(edges), GAP, widest=400.0).width < 500


def test_lines_that_leave_a_frame_for_the_same_box_run_together():
    chain = [(i, i + 1) for i in range(11)]
    placed = layout((BOX,) * 12 + ((0.0, 0.0),), (*chain, *[(i, 12) for i in range(12)]), GAP, ends=(0, 1))
    assert placed.width < 150


def test_operands_stand_in_the_order_in_which_they_are_written():
    placed = layout((BOX,) * 3, ((1, 2), (0, 2)))
    assert placed.corners[1][0] < placed.corners[0][0]


def crossings(count, edges):
    graph = Layered((BOX,) * count, edges)
    return count_crossings(ordered(graph), graph.below)


def test_crossings_are_counted():
    assert count_crossings([[0, 1], [2, 3]], [[3], [2], [], []]) == 1
    assert count_crossings([[0, 1], [2, 3]], [[2, 3], [2, 3], [], []]) == 1
    assert count_crossings([[0, 1], [2, 3]], [[2], [3], [], []]) == 0


@each("seed", range(20))
def test_trees_do_not_cross(seed):
    chance = random.Random(seed)
    up = [chance.randrange(i + 1, 40) for i in range(39)]  # each value is used once, later
    assert crossings(40, tuple(enumerate(up))) == 0


def test_nets_do_not_cross():
    assert crossings(*layers(20)) == 0


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(0.1, 10.0)), min_size=1, max_size=30))
def test_spreading_keeps_the_distances_and_moves_only_what_must_move(wanted):
    wishes, weights = [w for w, _ in wanted], [w for _, w in wanted]
    offsets = [10.0 * i for i in range(len(wishes))]
    places = spread(wishes, offsets, weights)
    assert all(b - a >= 10.0 - 1e-6 for a, b in itertools.pairwise(places))
    balance = sum(w * (wish - place) for w, wish, place in zip(weights, wishes, places, strict=True))
    assert balance == pytest.approx(0.0, abs=1e-6)
    if all(b - a >= 10.0 for a, b in itertools.pairwise(wishes)):
        assert places == pytest.approx(wishes)


def test_the_work_grows_with_the_boxes_and_not_with_their_square():
    """Counted in calls, which no busy machine changes; benchmarks/browser.py times it."""

    def calls(depth):
        total, edges = layers(depth)
        layout.cache_clear()
        counter = itertools.count()
        sys.setprofile(lambda *_: next(counter))
        try:
            layout((BOX,) * total, edges)
        finally:
            sys.setprofile(None)
        return next(counter)

    assert calls(200) < 6 * calls(50)  # four times the boxes


def test_lines_past_the_boxes_are_inside_the_picture():
    """x is used by the first sum and by the last: a line passes beside the boxes between them."""
    box = (100.0, 40.0)
    placed = layout((box,) * 4, ((0, 1), (1, 2), (2, 3), (0, 3), (0, 2)), margin=10.0)
    across = [float(x) for path in placed.paths for x in re.findall(r"[MC ](-?[\d.]+) ", path)]
    assert max(across) > max(left + w for (left, _), (w, _) in zip(placed.corners, [box] * 4, strict=True))
    assert min(across) >= 10 and max(across) <= placed.width - 10


def test_a_result_of_three_leaves_stands_in_the_middle_below_them():
    placed = layout((BOX,) * 4, ((0, 3), (1, 3), (2, 3)), GAP)
    assert placed.corners[3][0] == placed.corners[1][0]
