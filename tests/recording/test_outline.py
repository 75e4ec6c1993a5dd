"""The outline: a recording's steps as a tree of groups, each of which can stand as one box."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import record
from autolab.recording import Recording
from autolab.recording.grouping import outline
from autolab.recording.outline import ALL_OPEN, PARTLY_OPEN, PASSES_OPEN, Group, Outline

W = autolab.Parameter(np.full((3, 3), 0.5), name="W")


def cell(x, h):
    a = x @ W
    return np.tanh(a + h)


def rnn(x, h, times: int):
    for _t in range(times):
        h = cell(x, h)
    return (h * h).sum()


def loop(x, times: int):
    for _ in range(times):
        x = x * 0.999
        x = x + 0.001
    return x


def recorded_rnn(times: int) -> Recording:
    return record(rnn, np.ones((1, 3)), np.zeros((1, 3)), times)


def text(tree: Outline, items=None) -> list:
    """Names of steps, and pairs of a label and what is in it."""
    return [
        (i.scope.label if i.scope else "run", text(tree, i.items)) if isinstance(i, Group) else i.name or i.source
        for i in (tree.items if items is None else items)
    ]


def test_steps_stand_under_the_calls_and_loops_they_were_made_in() -> None:
    inside = ("cell(x, h)", ["a", "a + h", "np.tanh(a + h)"])
    assert text(recorded_rnn(2).outline) == [
        "x",
        "h",
        ("for _t in range(times)", ["W", ("_t = 0", [inside]), ("_t = 1", [inside])]),
        "h * h",
        "(h * h).sum()",
    ]


@pytest.mark.parametrize("r", [recorded_rnn(30), record(loop, 1.0, 500)], ids=["rnn", "long loop"])
def test_whatever_is_open_every_step_is_shown_once_and_operands_come_first(r: Recording) -> None:
    tree = r.outline
    for expanded in ((), tree.at_first(), frozenset(tree.groups), frozenset(list(tree.groups)[::2])):
        items = tree.shown(expanded)
        steps = [s.id for i in items for s in (i.steps if isinstance(i, Group) else (i,))]
        assert sorted(steps) == [s.id for s in r.steps]
        place = {item.id: k for k, item in enumerate(items)}
        assert tree.holders(expanded) == {s.id: tree.holder(s.id, expanded) for s in r.steps}
        for step in r.steps:
            for operand in step.operands:
                if operand.step is not None:
                    source, target = (place[tree.holder(i, expanded)] for i in (operand.step, step.id))
                    assert source <= target


def test_results_are_what_others_use() -> None:
    r = recorded_rnn(3)
    for group in r.outline.groups.values():
        inside = {s.id for s in group.steps}
        used = {o.step for s in r.steps if s.id not in inside for o in s.operands} | set(r.outputs)
        assert set(group.results) == inside & used


def test_a_small_program_is_open_and_a_large_one_in_part() -> None:
    tiny, small, large = recorded_rnn(2).outline, recorded_rnn(10).outline, recorded_rnn(20).outline
    assert tiny.at_first() == {group.id for group in tiny.groups.values() if group.scope}
    assert tiny.size(tiny.at_first()) <= PASSES_OPEN < small.size(small.groups) <= ALL_OPEN
    passes = [group for group in small.groups.values() if group.kind == "pass"]
    assert [group.scope.label for group in passes if group.id in small.at_first()] == ["_t = 0"] and len(passes) == 10
    assert large.is_plan and not small.is_plan
    beside = record(lambda x: sum([np.tanh(x * k) for k in range(8)]), 1.0).outline
    assert {group.id for group in beside.groups.values() if group.kind == "pass"} <= beside.at_first()
    assert large.at_first() == frozenset() and [item.kind for item in large.items][2] == "loop"


def net(x, W, b, V, c, t):
    a = x @ W + b
    h = np.tanh(a)
    y = h @ V + c
    return (y - t) ** 2


def test_the_steps_of_one_statement_are_a_group_where_there_are_many() -> None:
    shapes = [(3, 4), (4, 5), 5, (5, 2), 2, (3, 2)]
    r = record(net, *[np.ones(shape) for shape in shapes])
    tree = r.outline
    assert tree.at_first() == frozenset() and tree.size(()) == 10
    shown = [item.id if isinstance(item, Group) else r.steps[item.id].name for item in tree.items]
    made = {group.id: (group.kind, [step.function for step in group.steps]) for group in tree.groups.values()}
    assert [made.get(one, one) for one in shown] == [
        *["x", "W", "b", "V", "c", "t"],
        *[("statement", ["matmul", "add"]), "h", ("statement", ["matmul", "add"]), ("statement", ["sub", "pow"])],
    ]
    few = record(lambda x, W, b: np.tanh(x @ W + b), *[np.ones(shape) for shape in shapes[:3]]).outline
    assert not few.groups


def test_a_statement_of_which_more_than_its_value_is_used_stays_open() -> None:
    def program(x, W):
        a, b = x @ W + 1.0, x * 2.0
        for _ in range(1):
            a = np.sin(a)
        c = np.cos(np.exp(a)) + np.tanh(a) + np.sin(a)
        d, e = np.sqrt(c + 9), c * c
        return d * e + b.sum()

    r = record(program, np.ones((2, 2)), np.ones((2, 2)))
    groups = [g for g in r.outline.groups.values() if g.kind == "statement"]
    assert [g.steps[0].statement.split(" =")[0] for g in groups] == ["c", "return d * e + b.sum()"]


def test_what_a_statement_brings_along_comes_before_its_calls() -> None:
    links = [autolab.Parameter(np.ones((2, 2))) for _ in range(6)]

    def program(x):
        a = x @ links[0] + links[1]
        b = a @ links[2] * links[3]
        return (b @ links[4] - links[5]).sum()

    tree = record(program, np.ones((2, 2))).outline
    kinds = [item.kind for item in tree.items]
    assert kinds == ["input", "leaf", "leaf", "statement", "leaf", "leaf", "statement", "leaf", "leaf", "statement"]


def test_every_step_of_ten_thousand_is_reached_by_opening_few_boxes_at_a_time() -> None:
    tree = record(loop, 1.0, 5000).outline
    assert tree.size(tree.at_first()) <= PARTLY_OPEN
    assert max(len(group.items) for group in tree.groups.values()) <= 61
    assert max(len(tree.around(step)) for step in range(10_001)) <= 6


def test_a_step_is_held_by_the_outermost_closed_group() -> None:
    tree = recorded_rnn(2).outline
    (outer, *_), step = [i.id for i in tree.items if isinstance(i, Group)], 3
    around = tree.around(step)
    assert around[0] == outer
    assert tree.holder(step, ()) == outer
    assert tree.holder(step, around[:1]) == around[1]
    assert tree.holder(step, around) == step


def test_ids_do_not_depend_on_the_numbers() -> None:
    one, two = record(loop, 1.0, 100).outline, record(loop, -5.0, 100).outline
    assert text(one) == text(two) and list(one.groups) == list(two.groups)


def test_an_outline_with_another_limit_makes_runs_of_what_is_beside_each_other() -> None:
    space: dict = {}
    exec("def program(x):\n    return " + "+".join(["x"] * 200), space)
    r = record(space["program"], 1.0)
    assert len(outline(r).items) == 200
    items = outline(r, most=0).items
    assert [i.kind for i in items if isinstance(i, Group)] == ["run"] and len(items) == 121


def test_what_repeats_stays_closed_in_a_plan() -> None:
    def program(x):
        for _ in range(12):
            x = x * 0.5
        for _ in range(40):
            x = x * 0.9
            x = x + 0.1
        return x

    tree = record(program, 1.0).outline
    assert tree.size(tree.at_first()) == 3
