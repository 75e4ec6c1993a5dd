"""Scopes: the calls, loops and named blocks of the user's code that each step of a recording belongs to."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.garbage import collector_off, garbage

import autolab
from autolab import functions as F
from autolab import record
from autolab.recording import Recording


def tree(r: Recording) -> list[tuple[str, list[int]]]:
    """The path of every scope that has steps, with those steps."""

    def path(scope: int) -> str:
        s = r.scopes[scope]
        return s.label if s.parent is None else f"{path(s.parent)} > {s.label}"

    return [(path(s.id), list(s.steps)) for s in r.scopes if s.steps]


def double(v):
    return v * 2.0


def test_nested_calls_read_as_written_and_know_what_they_are_called_from() -> None:
    def inner(a):
        b = a * 3.0
        return b + 1.0

    def outer(a):
        return inner(a * 2.0)

    def program(x):
        h = outer(x)
        return h + x

    r = record(program, 1.0)
    assert tree(r) == [("outer(x)", [1]), ("outer(x) > inner(a * 2.0)", [2, 3])]
    assert [(s.kind, s.name, s.parent) for s in r.scopes] == [("function", "h", None), ("function", None, 0)]
    assert [step.scope for step in r.steps] == [None, 0, 1, 1, None]
    lines = r.source.splitlines()
    assert lines[r.scopes[0].line - r.first_line].strip() == "h = outer(x)"
    assert r.scopes[0].file == "test_scopes.py"


def test_every_round_of_a_loop_is_a_scope_of_its_own() -> None:
    def program(x):
        for t in range(2):
            x = double(x)
            if t == 1:
                x = x + 1.0
        return x * x

    r = record(program, 1.0)
    loop = "for t in range(2)"
    assert tree(r) == [
        (f"{loop} > t = 0 > double(x)", [1]),
        (f"{loop} > t = 1", [3]),
        (f"{loop} > t = 1 > double(x)", [2]),
    ]
    assert [s.kind for s in r.scopes] == ["loop", "pass", "function", "pass", "function"]


def test_nested_loops_are_told_apart_by_their_targets() -> None:
    def program(x):
        for i in range(2):
            for name in ("a", "b"):
                x = x * i if name == "a" else np.sin(x)
        return x

    head = "for i in range(2)"
    assert [path for path, _ in tree(record(program, 1.0))] == [
        f"{head} > i = {i} > for name in ('a', 'b') > name = {name!r}" for i in range(2) for name in ("a", "b")
    ]


LOOPS = {
    "while": "k = 0\n    while k < 3:\n        x = x * 2.0\n        k += 1",
    "while with a call of NumPy": "k = 0\n    while k < 3:\n        x = np.sin(x)\n        k += 1",
    "while with its test": "while float((x * 1.0).data) < 8.0:\n        x = x * 2.0",
    "without a name": "for _ in range(3):\n        x = x * 2.0",
    "the same object again": "w = x * 1.0\n    for v in [w, w, w]:\n        x = x * v\n        x = x + v",
    "a target that the body changes": "for i in range(3):\n        x = x * 2.0\n        i += 1\n        x = x + 1.0",
    "a comprehension": "parts = [x * k for k in (1.0, 2.0, 3.0)]\n    x = parts[0]",
}


@pytest.mark.parametrize("name", LOOPS)
def test_rounds_are_counted(name: str, tmp_path: object) -> None:
    path = tmp_path / "written.py"
    path.write_text(f"import numpy as np\ndef program(x):\n    {LOOPS[name]}\n    return x\n")
    space: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    r = record(space["program"], 1.0)
    (loop,) = [s.id for s in r.scopes if s.kind == "loop"]
    rounds = [s for s in r.scopes if s.kind == "pass" and s.parent == loop]
    assert 3 <= len(rounds) <= 4, [s.label for s in rounds]  # the last test of a while stands in a round of its own
    assert len({s.label for s in rounds}) == len(rounds)


def test_a_sum_of_a_list_is_not_many_rounds() -> None:
    def program(x):
        for _ in range(2):
            x = sum([x, x, x])
        return sum(x * v for v in (1.0, 2.0))

    r = record(program, 1.0)
    assert [len(s.steps) for s in r.scopes if s.kind == "pass"] == [3, 3]
    assert len([s for s in r.steps if s.kind == "call" and s.scope is None]) == 4


def test_a_recursive_function_nests() -> None:
    def power(x, n):
        return x * 1.0 if n == 0 else x * power(x, n - 1)

    r = record(lambda x: power(x, 3), 2.0)
    depth = {None: 0}
    for scope in r.scopes:
        depth[scope.id] = depth[scope.parent] + 1
    assert [depth[step.scope] for step in r.steps[1:]] == [4, 3, 2, 1]


def test_named_blocks_nest_with_loops_and_calls() -> None:
    def program(x):
        with autolab.named_scope("encoder"):
            x = double(x)
            for k in range(2):
                with autolab.named_scope("layer"):
                    x = x + k
        return x

    r = record(program, 1.0)
    assert tree(r) == [("encoder > double(x)", [1])] + [
        (f"encoder > for k in range(2) > k = {k} > layer", [2 + k]) for k in range(2)
    ]
    assert [s.kind for s in r.scopes if s.label in ("encoder", "layer")] == ["link"] * 3


def test_a_block_opened_by_a_stack_or_by_a_decorating_function_is_found() -> None:
    import contextlib

    def program(x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(autolab.named_scope("stacked"))
            x = x * 2.0
        return x

    assert tree(record(program, 1.0)) == [("stacked", [1])]


def test_a_scope_refuses_what_is_no_name() -> None:
    with pytest.raises(TypeError, match="scope: label is an int; expected a string"):
        autolab.named_scope(3)


def test_leaves_stand_in_the_innermost_scope_around_all_their_uses() -> None:
    shared, own = autolab.Parameter(2.0, name="shared"), autolab.Parameter(3.0, name="own")

    def layer(v):
        return v * shared

    def last(v):
        return layer(v) * own

    r = record(lambda x: last(layer(x)), 1.0)
    labels = {s.name: None if s.scope is None else r.scopes[s.scope].label for s in r.steps if s.kind == "leaf"}
    assert labels == {"shared": None, "own": "last(layer(x))"}


def test_several_results_of_one_call_stand_together() -> None:
    from helpers.nodes import SinCos

    def both(v):
        return SinCos().apply((v,))

    def program(x):
        s, c = both(x)
        return s * c

    r = record(program, 1.0)
    assert tree(r) == [("both(x)", [1, 2, 3])] and r.scopes[0].name == "s, c"


def test_no_frame_is_kept_alive_whatever_happens() -> None:
    class Held:
        pass

    seen = []

    def inner(v):
        held = Held()
        seen.append(weakref.ref(held))
        return v * 2.0

    def failing(x):
        inner(x)
        raise ValueError("stop")

    with collector_off():
        record(lambda x: inner(x) + 1.0, 1.0)
        assert garbage() == []
        with pytest.raises(ValueError, match="stop"):
            record(failing, 1.0)
    gc.collect()
    assert [ref() for ref in seen] == [None, None]


def test_scopes_are_json_and_the_same_in_every_run() -> None:
    def program(x):
        for t in range(3):
            x = double(x) + t
        return x

    one, two = record(program, 1.0), record(program, 2.0)
    assert one.scopes == two.scopes
    assert one.to_json()["scopes"][0]["label"] == "for t in range(3)"


def test_taking_the_next_element_begins_the_round_that_uses_it() -> None:
    def program(xs):
        h = 0.0
        for x in xs:
            h = h + x
        for t, row in enumerate(xs):
            for y in row:
                h = h * y + t
        return h.sum()

    r = record(program, np.ones((2, 2)))
    first = [(path, [r.steps[i].function for i in ids]) for path, ids in tree(r)[:2]]
    assert first == [(f"for x in xs > pass {n}", ["getitem", "add"]) for n in (1, 2)]
    paths = [path for path, _ in tree(r)[2:]]
    outer = "for (t, row) in enumerate(xs)"
    assert [path for path in paths if path.count(">") == 1] == [f"{outer} > t = {t}" for t in (0, 1)]
    assert len([path for path in paths if path.endswith(("pass 1", "pass 2"))]) == 4
    assert r["x"].source == "next of xs" and "row" not in [step.name for step in r.steps]


def test_a_comprehension_over_an_array_is_one_loop() -> None:
    r = record(lambda xs: sum([x * 2.0 for x in xs]), np.ones(3))
    assert [path for path, _ in tree(r)] == [f"for x in xs > pass {n}" for n in (1, 2, 3)]
    assert {len(ids) for _, ids in tree(r)} == {2}


def test_a_deep_recursion_costs_each_step_a_look_at_the_new_frames_only() -> None:
    """Were the whole stack walked at every step, a deep one would take many times as long as a shallow one."""

    def dig(x, n, times: int):
        if n:
            return dig(x, n - 1, times)
        for _ in range(times):
            x = F.sin(x)
        return x

    def lines(depth: int) -> int:
        """How many lines ran that find the scopes of a step."""
        count = 0

        def trace(frame: Any, event: str, arg: Any) -> Any:
            nonlocal count
            if Path(frame.f_code.co_filename).name != "scopes.py":
                return None
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            record(lambda x: dig(x, depth, 60), 1.0)
        finally:
            sys.settrace(before)
        return count

    assert lines(800) < lines(1) + 100 * 800
