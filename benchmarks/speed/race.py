"""Starts the processes, lets them take turns, and collects the rows of `engine.py` and `compare.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

from speed import harness
from speed.rows import LIMIT, OURS, Row, agree, compare, row

LIBRARIES = [OURS, "torch", "dezero", "chainer", "mygrad", "autograd", "numpy", LIMIT]
TOGETHER = ["chains", "nets", "linear", "muladd", "orders", "checks", "training", "sequences"]
ALONE = ["memory", "million"]
COLD = "cold"
COLD_ROUNDS = 9
GROUPS = [*TOGETHER, *ALONE, COLD]


class WorkerError(Exception):
    """Raised if a process ended without an answer; stderr says why."""


class Worker:
    """A process with one library and one group of workloads."""

    def __init__(self, python: Path, group: str, library: str, tree: Path = harness.ROOT) -> None:
        self.name = f"{group} with {library}"
        self.process = subprocess.Popen(
            [python, "-m", "speed.worker", group, library],
            env=harness.variables(tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise WorkerError(f"{self.name}: the process ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, do: str, title: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, "title": title}) + "\n")
        self.process.stdin.flush()
        return self.hear()


class Race:
    """The turns of the libraries at one workload."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.turns: dict[str, list[dict[str, float]]] = {}
        self.counts: dict[str, dict[str, int]] = {}
        self.other_dtype: list[str] = []
        self.parts: list[str] = []

    def heat(self, workers: Mapping[str, Worker], rounds: int) -> None:
        """Compare results, then time one turn of each library per round, another library first every round."""
        checks = {name: worker.ask("check", self.title) for name, worker in workers.items()}
        results = {name: check["results"] for name, check in checks.items() if name != LIMIT}
        self.other_dtype = compare(self.title, results, checks[OURS]["rtol"])
        self.counts = {name: check["counts"] for name, check in checks.items()}
        names = list(workers)
        for _ in range(rounds):
            for name in names:
                answer = workers[name].ask("turn", self.title)
                self.turns.setdefault(name, []).append(answer["seconds"])
                self.parts = answer["parts"]
            names.append(names.pop(0))

    def microseconds(self, part: str | None = None) -> dict[str, list[float]]:
        """The time of each library's turns, or of this part of them."""
        return {
            name: [1e6 * (sum(turn.values()) if part is None else turn[part]) for turn in turns]
            for name, turns in self.turns.items()
        }

    def rows(self) -> list[Row]:
        """The whole step, then the parts of it that count, then what was counted."""
        timed = {self.title: None, **{f"{self.title}: {part}": part for part in self.parts}}
        rows = [row(title, "us", self.microseconds(part), self.other_dtype) for title, part in timed.items()]
        for count in self.counts[OURS]:
            counted = {name: [counts[count]] for name, counts in self.counts.items() if count in counts}
            rows.append(row(f"{self.title}: {count}", "", counted))
        return rows


class Runner:
    """Runs groups of workloads; keeps their rows and the libraries that took part."""

    def __init__(self, python: Path, heats: int, rounds: int, names: Sequence[str] = LIBRARIES) -> None:
        self.python, self.heats, self.rounds, self.names = python, heats, rounds, names
        self.rows: list[Row] = []
        self.versions: dict[str, str] = {}
        self.left_out: dict[str, str] = {}

    def run(self, groups: Sequence[str]) -> None:
        for group in GROUPS:
            if group in groups:
                print(f"{group} ...", file=sys.stderr)
                measure = self.together if group in TOGETHER else self.alone
                measure(group)

    def together(self, group: str) -> None:
        """Let the libraries take turns at a group, each in its own process."""
        self.rows += [r for race in self.races(group) for r in race.rows()]

    def races(self, group: str) -> list[Race]:
        """The turns at the workloads of a group.

        Every heat restarts the processes, since the time of some workloads depends on where arrays happen to be in
        memory.
        """
        races: dict[str, Race] = {}
        for _ in range(self.heats):
            with ExitStack() as stack:
                workers, titles = {}, {}
                for name in self._present():
                    worker = stack.enter_context(self.worker(group, name))
                    about = worker.hear()
                    if self._takes_part(name, about):
                        workers[name], titles[name] = worker, about["titles"]
                for title in titles[OURS]:
                    racing = {name: worker for name, worker in workers.items() if title in titles[name]}
                    races.setdefault(title, Race(title)).heat(racing, self.rounds)
        return list(races.values())

    def worker(self, group: str, name: str) -> Worker:
        return Worker(self.python, group, name)

    def alone(self, group: str) -> None:
        """Run one library after the other; if a process dies, the library has failed, unless it is AutoLab."""
        found: dict[str, list[dict[str, Any]]] = {}
        failed: list[str] = []
        for _ in range(1 + COLD_ROUNDS if group == COLD else 1):
            for name in [name for name in self._present() if name not in failed]:
                try:
                    about = self._outcome(group, name)
                except WorkerError as error:
                    if name == OURS:
                        raise
                    failed.append(name)
                    print(error, file=sys.stderr)
                else:
                    if self._takes_part(name, about) and about["rows"]:
                        found.setdefault(name, []).append(about)
        answers = {
            name: turns[-COLD_ROUNDS:] for name, turns in found.items() if name not in failed
        }  # a first compiles
        agree(group, {name: turns[-1]["result"] for name, turns in answers.items()})
        for title, (unit, _) in answers[OURS][-1]["rows"].items():
            measured = row(title, unit, {n: [turn["rows"][title][1] for turn in turns] for n, turns in answers.items()})
            measured["cells"] |= {name: {"failed": "failed"} for name in failed}
            self.rows.append(measured)

    def _outcome(self, group: str, name: str) -> dict[str, Any]:
        """The output of a process without questions, after it has ended."""
        start = perf_counter()
        with self.worker(group, name) as worker:
            found = worker.hear()
            worker.process.wait()
        if group == COLD and "rows" in found:
            found["rows"]["first gradient of a cold interpreter"] = ["ms", 1e3 * (perf_counter() - start)]
        return found

    def _present(self) -> list[str]:
        return [name for name in self.names if name not in self.left_out]

    def _takes_part(self, name: str, about: dict[str, Any]) -> bool:
        """Note the version of a library, or why it is left out."""
        if "left_out" in about:
            self.left_out[name] = about["left_out"]
            return False
        if about.get("version"):
            self.versions[name] = about["version"]
        return True
