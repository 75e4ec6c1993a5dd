"""Write the pages that show the saved runs of `engine.py`: `python benchmarks/readme.py`, after `engine.py --save
engine`.

These are the tables in docs/speed.md, including those of `gpu.py`, of `costs.py`, and of the limits, which `engine.py
--only nets linear sequences --save limits` measures (and with ``BENCHMARK_OF=compiled`` compiled_limits), and
history.md, which has every row since the first run in git.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from speed.harness import BENCHMARKS, RESULTS, ROOT, git
from speed.rows import LIMIT, OURS, Row, number, verdicts

from autolab.shared.files import write

SAVED = RESULTS / "engine.json"
LIMITS_SAVED = {"eager": RESULTS / "limits.json", "compiled": RESULTS / "compiled_limits.json"}
COSTS_SAVED = RESULTS / "costs.json"
GPU_SAVED = sorted(RESULTS.glob("gpu-*.json"))
PAGE = ROOT / "docs" / "speed.md"
ROWS = {
    "chain, arrays": "1000 operations on four numbers",
    "user functions": "50 functions of the user's own",
    "tiny net": "net 1-10-1, a training step",
    "MLP": "net 784-100-100-10, a training step",
    "Linear": "`x @ w + b`, 128x784 to 1000",
    "MulAdd composed": "`x * y + z`, 1000x1000",
    "MulAdd as one function": "`x * y + z` as one function",
    "tanh, order 4": "fourth derivative of tanh, 1000 points",
    "gradcheck, Linear": "gradient check of a linear map, every element",
    "MLP epoch": "the same net, an epoch of 60,000 examples",
    "convnet step": "three convolutions, batch 64, a training step",
    "attention block": "a transformer's block, 64 places of 128 numbers",
    "GRU": "a GRU of 64 units along 50 places, 32 sequences",
    "deep chain: peak": "memory of 50 layers at its peak, in arrays",
    "long chain: backward": "back through a million operations",
    "first gradient of a cold interpreter": "start of Python to the first gradient",
}
NAMES = {
    "torch": "PyTorch",
    "numpy": "NumPy by hand",
    "chainer": "Chainer",
    "dezero": "DeZero",
    "mygrad": "MyGrad",
    "autograd": "autograd",
}
REACHED, MISSED = "✓", "missed"
PARTS = {
    name: (f"<!-- {name}: made by benchmarks/readme.py -->", f"<!-- end of {name} -->")
    for name in ("speed", "limits", "costs", "gpu")
}


def section(results: Mapping[str, Any]) -> str:
    """The text between the marks in docs/speed.md: all rows, and each missed goal."""
    rows = _shown(results)
    names = _raced(rows, NAMES)
    lines = [["", "AutoLab", *[f"of {NAMES[name]}" for name in names], "goal"]]
    lines += [["---", *["---:"] * (1 + len(names)), "---"]]
    lines += [_line(row, text, names) for text, row in rows.items()]
    return "\n\n".join([_about(results), _table(lines), _explained(rows)])


def document(results: Mapping[str, Any]) -> str:
    """docs/speed.md, with the tables of ``results`` and of the saved runs on GPUs between the marks."""
    page, gpus = PAGE.read_text("utf-8"), [gpu_section(load(path)) for path in GPU_SAVED]
    made = {
        "speed": section(results),
        "limits": limits_section({name: load(path) for name, path in LIMITS_SAVED.items()}),
        "costs": costs_section(load(COSTS_SAVED)),
        "gpu": "\n\n".join(gpus),
    }
    for name, text in made.items():
        start, end = PARTS[name]
        before, rest = page.split(start)
        page = f"{before}{start}\n{text}\n{end}{rest.split(end)[1]}"
    return page


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


def _shown(results: Mapping[str, Any]) -> dict[str, Row]:
    """The rows of the tables, by their titles there; a run may omit groups."""
    measured = {row["title"]: row for row in results["rows"]}
    return {text: measured[title] for title, text in ROWS.items() if title in measured}


def _raced(rows: Mapping[str, Row], names: Iterable[str]) -> list[str]:
    """The libraries among ``names`` that took part."""
    present = {name for row in rows.values() for name in row["cells"]}
    return [name for name in names if name in present]


def _table(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines])


def _about(results: Mapping[str, Any]) -> str:
    """What ran, on which machine, and how busy it was."""
    before, after = results["load"]
    machine = ", ".join([f"Python {text}" if key == "python" else text for key, text in results["machine"].items()])
    versions = ", ".join([f"{NAMES.get(name, name)} {version}" for name, version in results["versions"].items()])
    absent = "".join([f"Left out: {NAMES[name]} ({why}).\n" for name, why in results.get("left_out", {}).items()])
    return (
        f"AutoLab {results['commit']} beside {versions}\n"
        f"on {machine}; one core, one BLAS thread, load of the machine {before} before and {after} after.\n"
        "Medians, and AutoLab's share of the other's figure in the same round: 0.5 is half of it.\n"
        f"{absent}`~`: part of the other's work is in another dtype. `make bench` measures again."
    )


def _line(row: Row, text: str, names: Sequence[str]) -> list[str]:
    cells = row["cells"]
    shares = [_share(cells.get(name, {})) for name in names]
    return [text, f"{number(cells[OURS]['median'])} {_unit(row)}", *shares, ", ".join(_goals(row))]


def _share(cell: Mapping[str, Any]) -> str:
    return number(cell["ratio"]) + ("~" if cell.get("other_dtype") else "") if "ratio" in cell else ""


def _unit(row: Row) -> str:
    return {"us": "µs"}.get(row["unit"], row["unit"])


def _goals(row: Row) -> list[str]:
    said = []
    for name, (reached, goal) in verdicts(row).items():
        whose = f"{goal:g} {_unit(row)}" if name == OURS else f"{goal:g} of {NAMES[name]}"
        said.append(f"{whose} {REACHED if reached <= goal else MISSED}")
    return said


def _explained(rows: Mapping[str, Row]) -> str:
    """The number of missed goals, and for each the share of that library's time that NumPy by hand takes."""
    judged = [(text, row, name, *pair) for text, row in rows.items() for name, pair in verdicts(row).items()]
    said = [f"- {text}: {_short_of(row, *goal)}." for text, row, *goal in judged if goal[1] > goal[2]]
    if not said:
        return f"All {len(judged)} goals are reached."
    return f"**{len(said)} of {len(judged)} goals are missed:**\n\n" + "\n".join(said)


def _short_of(row: Row, name: str, reached: float, goal: float) -> str:
    cells = row["cells"]
    if name == OURS:
        return f"the goal is {goal:g} {_unit(row)}; AutoLab takes {number(reached)}"
    digits = 2 if round(reached, 2) != goal else 3  # enough to show that the goal is missed
    text = f"the goal is {goal:g} of {NAMES[name]}; AutoLab takes {reached:.{digits}f}"
    if "numpy" in cells and name != "numpy":
        share = cells["numpy"]["median"] / cells[name]["median"]
        text += f", and NumPy by hand, without a graph, {share:.2f}"
    return text


# ------------------------------------------------------------------------------------------------------ the limits
def limits_section(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """How many times as long as its matrix products alone each row takes, for everyone who computes it."""
    eager = runs["eager"]
    measured = {way: {row["title"]: row["cells"] for row in run["rows"]} for way, run in runs.items()}
    lines = [["", "products alone", "AutoLab", "compiled", "NumPy by hand", "PyTorch"], ["---", *["---:"] * 5]]
    for title, cells in measured["eager"].items():
        if LIMIT in cells:
            least = cells[LIMIT]["median"]
            others = [number(cells[name]["median"] / least) if name in cells else "" for name in ("numpy", "torch")]
            ours = [number(run[title][LIMIT]["ratio"]) for run in measured.values()]
            lines.append([ROWS[title], f"{number(least)} µs", *ours, *others])
    before, after = eager["load"]
    return f"AutoLab {eager['commit']}, load of the machine {before} before and {after} after.\n\n{_table(lines)}"


# ------------------------------------------------------------------------------------------------ the costs of views
def costs_section(results: Mapping[str, Any]) -> str:
    """The time and the memory of each view, by the length of the function."""
    runs = {f"{int(length):,} lines": row for length, row in results["lines"].items()} | {"the GPT": results["gpt"]}
    heads = [f"{name}, {what}" for name in runs for what in ("times the plain run", "MB")]
    lines = [["", *heads, "exponent of the time"], ["---", *["---:"] * (1 + len(heads))]]
    for view, text in COSTS.items():
        figures = [number(row[view + part]) if view in row else "" for row in runs.values() for part in ("", "_mb")]
        lines.append([text, *figures, f"{results['exponents'][view]:.2f}"])
    plain = ", ".join([f"{name} {number(row['plain_ms'])} ms" for name, row in runs.items()])
    arrays = [["", "arrays at the peak"], ["---", "---:"]]
    arrays += [
        [f"`{call}`".replace(", a result of that size`", "`, a result of that size"), number(peak)]
        for call, peak in results["arrays"].items()
    ]
    about = f"AutoLab {results['commit']}, load {results['load']}. The plain run: {plain}."
    return f"{about}\n\n{_table(lines)}\n\n{_table(arrays)}"


COSTS = {
    "record": "`record`",
    "picture": "`record`, and its picture",
    "page": "`export_html`",
    "explore": "`explore`",
    "check_gradients": "`check_gradients`",
}


# ------------------------------------------------------------------------------------------------------- on a GPU
def gpu_section(results: Mapping[str, Any]) -> str:
    """The text between the marks for the run on a GPU."""
    machine, lines = results["machine"], [["", "time", "ratio", "goal"], ["---", "---:", "---:", "---"]]
    lines += [_gpu_line(figure) for figure in results["figures"] if not figure["name"].startswith("copy")]
    about = f"{machine['gpu']}, CuPy {machine['cupy']}, PyTorch {machine['torch']}, Python {machine['python']}, "
    return f"{about}{machine['date'][:10]}: medians of {results['options']['rounds']} rounds.\n\n{_table(lines)}"


def _gpu_line(figure: Mapping[str, Any]) -> list[str]:
    if figure["seconds"] is None:
        return [figure["name"], "", "", figure["error"].partition(": ")[2]]
    least, most, reached = figure["least"], figure["most"], figure["holds"]
    goal = "" if reached is None else f"{'at least' if most is None else 'at most'} {least or most:g} "
    digits = 2 if reached is not False else 3  # enough to show that the goal is missed
    ratio = "" if figure["ratio"] is None else f"{figure['ratio']:.{digits}f} {figure['to'].replace('x ', 'of ', 1)}"
    verdict = {None: "", True: REACHED, False: MISSED}[reached]
    return [figure["name"], f"{number(figure['seconds'] * 1e6)} µs", ratio, goal + verdict]


# --------------------------------------------------------------------------------------------------- history.md
HISTORY = """# Each row of the saved runs

Times of two runs cannot be compared, ratios within a run can: the table holds AutoLab's share of PyTorch's time, \
or of that of NumPy by hand where PyTorch took no part, and figures of its own where it raced against nobody.
"""
RIVALS = {"torch": "", "numpy": " of NumPy"}
OLD_MARK = " [blocks kept]"  # rows of runs before `import autolab` told the allocator to keep freed blocks


def runs() -> list[dict[str, Any]]:
    """The saved runs, oldest first; the last one is that of the working tree."""
    name = SAVED.relative_to(ROOT).as_posix()
    commits = git("log", "--reverse", "--format=%h", "--", name).split()
    found = [json.loads(git("show", f"{commit}:{name}")) for commit in commits]
    now = load(SAVED)
    return found if found and found[-1] == now else [*found, now]


def history(found: Sequence[Mapping[str, Any]]) -> str:
    """history.md, for these runs."""
    names = list(dict.fromkeys([_name(row) for run in reversed(found) for row in run["rows"]]))
    measured = [{_name(row): row for row in run["rows"]} for run in found]  # for equal names, that with kept blocks
    heads = [f"{run['commit']}<br>{run.get('date', '')[:10]}" for run in found]
    lines = [["", *heads], ["---", *["---:"] * len(heads)]]
    lines += [[name, *[_figure(rows.get(name)) for rows in measured]] for name in names]
    return f"{HISTORY}\n{_table(lines)}\n\nMade by `python benchmarks/readme.py`.\n"


def _name(row: Mapping[str, Any]) -> str:
    return str(row["title"]).removesuffix(OLD_MARK)


def _figure(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    for rival, of in RIVALS.items():
        if "ratio" in row["cells"].get(rival, {}):
            return number(row["cells"][rival]["ratio"]) + of
    return f"{number(row['cells'][OURS]['median'])} {row['unit']}".strip()


if __name__ == "__main__":
    for path, text in {PAGE: document(load(SAVED)), BENCHMARKS / "history.md": history(runs())}.items():
        write(path, text)
