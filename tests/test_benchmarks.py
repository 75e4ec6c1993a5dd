"""The benchmarks run: every workload once, tiny, with AutoLab, compared with NumPy by hand where that is written."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers.checkout import ROOT, tracked_files

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture(autouse=True)
def speed_on_path(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def load(name):
    return import_module(f"speed.{name}")


def make_works(library_name):
    library = load("libraries").LIBRARIES[library_name]()
    return [work for group in load("workloads").GROUPS.values() for work in group(library, True)]


def test_every_workload_gives_what_numpy_by_hand_gives():
    fingerprint, turn, compare = load("worker").fingerprint, load("worker").turn, load("rows").compare
    by_hand = {work.title: work for work in make_works("numpy")}
    works = make_works("autolab")
    for work in works:
        results = {"autolab": [fingerprint(a) for a in work.results()]}
        assert all(np.isfinite(r["norm"]) for r in results["autolab"]), work.title
        if work.title in by_hand:
            results["numpy"] = [fingerprint(a) for a in by_hand[work.title].results()]
        assert compare(work.title, results, work.rtol) == []
        assert all(seconds >= 0 for seconds in turn(work, 1).values())
    assert len(works) >= 12
    assert len(by_hand) >= 6


@pytest.mark.parametrize(("name", "result"), [("memory", None), ("million", [1.0000001**1000])])
def test_workloads_in_a_process_of_their_own(name, result):
    outcome = load("alone").ALONE[name](load("libraries").AutoLab(), True)
    garbage = [value for title, (_, value) in outcome["rows"].items() if "garbage" in title]
    assert garbage == [0]
    assert result is None or outcome["result"] == pytest.approx(result)


def test_first_gradient():
    assert load("worker").first_gradient(load("libraries").AutoLab()) == [12, 8, 4]


def test_nodes_of_higher_orders_are_counted():
    counts = {work.title: work.counts() for work in make_works("autolab")}
    assert counts["tanh, order 1"]["nodes"] < counts["tanh, order 2"]["nodes"] < counts["tanh, order 4"]["nodes"]


def test_another_result_is_refused():
    rows, fingerprint = load("rows"), load("worker").fingerprint
    right, wrong = np.arange(6.0), np.arange(6.0)
    wrong[3] *= 1.01
    with pytest.raises(rows.DifferentResultsError, match="result 0 of torch differs"):
        rows.compare("w", {"autolab": [fingerprint(right)], "torch": [fingerprint(wrong)]}, 1e-4)
    with pytest.raises(rows.DifferentResultsError, match="torch"):
        rows.compare("w", {"autolab": [fingerprint(right)], "torch": [fingerprint(right.reshape(2, 3))]}, 1e-4)
    with pytest.raises(rows.DifferentResultsError, match="torch"):
        rows.agree("w", {"autolab": [1.0], "torch": [1.01]})
    same = {"autolab": [fingerprint(right)], "torch": [fingerprint(right.astype("f4"))]}
    assert rows.compare("w", same, 1e-4) == ["torch"]


def test_the_runner_knows_what_the_processes_know():
    runner, groups = load("race"), {*load("workloads").GROUPS, *load("alone").ALONE}
    assert set(runner.LIBRARIES) == set(load("libraries").LIBRARIES)
    assert set(runner.GROUPS) - {runner.COLD} == groups


def test_the_page_shows_the_saved_results():
    summary = import_module("readme")
    results = summary.load(summary.SAVED)
    made = summary.document(results)
    assert made == summary.PAGE.read_text("utf-8"), "run python benchmarks/readme.py"
    for cell in [cell for row in results["rows"] for cell in row["cells"].values() if "ratio" in cell]:
        cell["ratio"] *= 2
    assert summary.document(results) != made


def test_the_page_says_which_goals_of_a_gpu_were_missed_and_which_rows_have_no_figure():
    summary = import_module("readme")
    about = {"machine": dict.fromkeys(["gpu", "cupy", "torch", "python", "date"], "0"), "options": {"rounds": 7}}
    blank = {"name": "sum", "seconds": None, "ratio": None, "to": "", "least": None, "most": None, "holds": None}
    missed = blank | {"seconds": 2e-5, "ratio": 1.3034, "to": "x CuPy alone", "most": 1.3, "holds": False}
    lines = summary.gpu_section(about | {"figures": [missed, blank | {"error": "MemoryError: too large"}]}).splitlines()
    assert lines[-2:] == ["| sum | 20.0 µs | 1.303 of CuPy alone | at most 1.3 missed |", "| sum |  |  | too large |"]


def test_a_missed_goal_is_said_with_what_numpy_takes():
    summary = import_module("readme")
    cells = {
        "autolab": {"median": 3.0},
        "torch": {"median": 4.0, "ratio": 0.75},
        "numpy": {"median": 2.0, "ratio": 1.5},
    }
    rows = [{"title": title, "unit": "us", "cells": cells} for title in summary.ROWS]
    about = {"commit": "c", "versions": {"torch": "1"}, "machine": {"cpu": "m"}, "load": [0.1, 0.2], "rows": rows}
    text = summary.section(about)
    assert "| net 1-10-1, a training step | 3.00 µs | 0.75 | 1.50 |" in text and "0.25 of PyTorch missed" in text
    assert "the goal is 0.25 of PyTorch; AutoLab takes 0.75, and NumPy by hand, without a graph, 0.50." in text
    assert text.count("\n| ") == 2 + len(summary.ROWS)
    before, missed = text.split(" goals are missed:**")
    count = missed.count("\n- ")
    assert f"**{count} of " in before
    rows[:] = [{"title": "deep chain: peak", "unit": "arrays", "cells": {"autolab": {"median": 30.0}}}]
    assert "the goal is 28.5 arrays; AutoLab takes 30.0." in summary.section(about)


def test_products_alone_are_a_limit_in_the_same_run():
    race = load("race").Runner(Path(sys.executable), 1, 2, ["autolab", "numpy", "limit"])
    race.together("linear")
    (row,) = race.rows
    summary, about = import_module("readme"), {"commit": "c", "load": [0.1, 0.2], "rows": race.rows}
    cells = row["cells"]
    shares = [cells["limit"]["ratio"]] * 2 + [cells["numpy"]["median"] / cells["limit"]["median"]]
    assert min(shares) > 0
    last = summary.limits_section({"eager": about, "compiled": about}).splitlines()[-1]
    assert last.split(" | ")[2:5] == [load("rows").number(share) for share in shares]


def test_the_limit_has_the_products_of_the_workload():
    works = {work.title: work for work in make_works("limit")}
    assert set(works) == {"Linear", "MLP", "GRU"} and all(work.results() == [] for work in works.values())
    sizes = [6, 5, 4, 3]  # of the tiny MLP, at a batch of 4: a product fewer than three a layer, as x has no gradient
    expected = [4 * n * m for n, m in pairwise(sizes) for _ in range(3)][1:]
    (problem,) = [load("workloads").mlp(4, *sizes)]
    assert sorted(n * k * m for n, k, m in problem.products) == sorted(expected)


def test_the_costs_of_a_short_function_are_measured():
    costs = import_module("costs")
    found = costs.costs(lambda: (costs.lines(3), (0.5,)), 1)
    assert all(found[view] > 0 and found[f"{view}_mb"] > 0 for view in costs.VIEWS)
    assert costs.exponents({10: {**found}, 20: {**found, "plain_ms": 2 * found["plain_ms"]}})["record"] == 1


def test_no_missed_goal_is_said_as_well():
    summary = import_module("readme")
    cells = {"autolab": {"median": 3.0}, "torch": {"median": 30.0, "ratio": 0.1}}
    rows = [{"title": "tanh, order 4", "unit": "us", "cells": cells}]
    about = {"commit": "c", "versions": {"torch": "1"}, "machine": {"cpu": "m"}, "load": [0.1, 0.2], "rows": rows}
    text = summary.section(about)
    assert "| fourth derivative of tanh, 1000 points | 3.00 µs | 0.10 | 0.65 of PyTorch ✓ |" in text
    assert "All 1 goals are reached" in text and "missed" not in text


def test_every_goal_names_a_row():
    goals = load("rows")
    library = load("libraries").AutoLab()
    titles = {work.title for work in make_works("autolab")}
    for workload in load("alone").ALONE.values():
        titles |= set(workload(library, True)["rows"])
    assert set(goals.GOALS) - titles == {"first gradient of a cold interpreter"}


def test_processes_take_turns_and_the_table_says_what_was_reached(monkeypatch):
    runner, rows = load("race"), load("rows")
    monkeypatch.setattr(runner, "LIBRARIES", ["autolab", "numpy"])
    race = runner.Runner(Path(sys.executable), heats=1, rounds=2)
    race.together("linear")
    (row,) = race.rows
    assert row["cells"]["numpy"]["ratio"] > 0
    assert "≤ 1.05 of numpy" in rows.table(race.rows, ["autolab", "numpy"])


def test_an_epoch_is_the_epoch_that_numpy_takes():
    training = load("networks")
    task = training.mlp_task(200, 6, (5, 4, 3))
    train, weights = training.TRAINERS["autolab"](task)
    w1, b1, w2, b2, w3, b3 = expected = [a.astype(float) for a in task.weights]
    for x, t in task.batches(task.x, task.t):
        h1 = np.maximum(x @ w1.T + b1, 0)
        h2 = np.maximum(h1 @ w2.T + b2, 0)
        e = np.exp(h2 @ w3.T + b3)
        g3 = (e / e.sum(axis=1, keepdims=True) - np.eye(3)[t]) / len(t)
        g2 = (g3 @ w3) * (h2 > 0)
        g1 = (g2 @ w2) * (h1 > 0)
        gradients = g1.T @ x, g1.sum(0), g2.T @ h1, g2.sum(0), g3.T @ h2, g3.sum(0)
        for w, g in zip(expected, gradients, strict=True):
            w -= training.RATE * g
    train(task.x, task.t)
    moved = [np.abs(a - b).max() for a, b in zip(expected, task.weights, strict=True)]
    assert min(moved) > 1e-4
    for a, b in zip(weights(), expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_only_chainer_may_be_missing_from_the_environment(monkeypatch, tmp_path, capsys):
    harness = load("harness")
    monkeypatch.setattr(harness, "ENVIRONMENT", tmp_path)
    monkeypatch.setattr(harness.venv, "create", lambda *_, **__: None)
    without_chainer = lambda python, *what: harness.CHAINER not in what  # noqa: E731
    monkeypatch.setattr(harness, "_install", without_chainer)
    harness.prepare()
    assert "the races go on without it" in capsys.readouterr().err
    monkeypatch.setattr(harness, "_install", lambda *_: pytest.fail("it is there already"))
    harness.prepare()
    (tmp_path / "made-from.txt").unlink()
    monkeypatch.setattr(harness, "_install", lambda python, *what: harness.CHAINER in what)
    with pytest.raises(harness.SetupError, match="requirements"):
        harness.prepare()
    assert not (tmp_path / "made-from.txt").exists()


@pytest.mark.skipif(find_spec("chainer") is not None, reason="chainer is installed here")
def test_a_library_that_is_not_there_is_left_out_and_named(monkeypatch):
    runner, summary = load("race"), import_module("readme")
    monkeypatch.setattr(runner, "COLD_ROUNDS", 1)
    for group in (["cold"], ["linear"]):
        race = runner.Runner(Path(sys.executable), 1, 1, ["autolab", "chainer", "numpy"])
        race.run(group)
        assert race.left_out == {"chainer": "No module named 'chainer'"}
        assert all(set(row["cells"]) == {"autolab", "numpy"} for row in race.rows)
    about = {"commit": "c", "versions": {}, "machine": {"cpu": "m"}, "load": [0.1, 0.2], "left_out": race.left_out}
    assert "Left out: Chainer (No module named 'chainer')." in summary.section({**about, "rows": race.rows})


def python_with_chainer():
    """That of the environment which the benchmarks made, if they did."""
    folder = BENCHMARKS.parent / ".bench-venv"
    return folder / "bin" / "python" if [*folder.glob("lib/*/site-packages/chainer")] else None


@pytest.mark.skipif(python_with_chainer() is None, reason="needs .bench-venv, which benchmarks/engine.py makes")
@pytest.mark.parametrize(("group", "count"), [("orders", 8), ("nets", 2), ("training", 2)])
def test_chainer_computes_the_same(group, count):
    race = load("race").Runner(python_with_chainer(), 1, 1, ["autolab", "chainer"])
    race.together(group)
    assert race.left_out == {} and race.versions == {"chainer": "7.8.1"}
    assert len(race.rows) == count and all("chainer" in row["cells"] for row in race.rows)


def test_the_lenses_are_measured():
    kernel = import_module("kernel")
    found = kernel.lenses(36, (20, 30), (60, 70))
    assert set(found) == set(kernel.LENSES)
    assert found["right_accused"] == found["wrong_missed"] == 0
    assert found["wrong_checked"] == 36 and found["heatmap_bytes"] == 4 * 60 * 70


def test_what_programs_and_documents_import_from_autolab_exists():
    """Also programs inside of strings, which nothing but a run by hand would try."""
    found = re.compile(r"^\s*from (autolab[\w.]*) import ([\w, ]+)$", re.MULTILINE)
    paths = [path for path in tracked_files() if path.parts[0] in PROGRAMS and path.suffix in (".py", ".md")]
    lines = [line for path in paths for line in found.findall((ROOT / path).read_text("utf-8"))]
    asked = {(module, name.split()[0]) for module, names in lines for name in names.split(",")}
    missing = [(module, name) for module, name in sorted(asked) if not exists(module, name)]
    assert len(asked) > 40 and not missing


PROGRAMS = ("benchmarks", "docs", "examples", "scripts")


def exists(module, name):
    try:
        found = import_module(module)
    except ImportError as error:
        return "needs" in str(error)  # PyTorch or JAX, which this environment lacks
    return hasattr(found, name) or (hasattr(found, "__path__") and find_spec(f"{module}.{name}") is not None)
