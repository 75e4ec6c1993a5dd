"""A process that works on questions, and a race between several of them. Needs nothing but Python."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from speed import environment
from speed.rows import OURS, Row, compare, row


class WorkerError(Exception):
    """A process ended without an answer; it has said why on stderr."""


class Worker:
    """A process with one library and one group of workloads."""

    def __init__(self, python: Path, group: str, library: str, tree: Path = environment.ROOT) -> None:
        self.name = f"{group} with {library}"
        self.process = subprocess.Popen(
            [python, "-m", "speed.worker", group, library],
            env=environment.variables(tree),
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
    """The turns that libraries took at one workload."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.turns: dict[str, list[dict[str, float]]] = {}
        self.counts: dict[str, dict[str, int]] = {}
        self.other_dtype: list[str] = []
        self.parts: list[str] = []

    def heat(self, workers: Mapping[str, Worker], rounds: int) -> None:
        """Compare results, then time one turn of each library per round, another library first every round."""
        checks = {name: worker.ask("check", self.title) for name, worker in workers.items()}
        results = {name: check["results"] for name, check in checks.items()}
        self.other_dtype = compare(self.title, results, checks[OURS]["rtol"])
        self.counts = {name: check["counts"] for name, check in checks.items()}
        names = list(workers)
        for _ in range(rounds):
            for name in names:
                answer = workers[name].ask("turn", self.title)
                self.turns.setdefault(name, []).append(answer["seconds"])
                self.parts = answer["parts"]
            names.append(names.pop(0))

    def rows(self) -> list[Row]:
        """The whole step, then the parts of it that count, then what was counted."""
        whole = {name: [1e6 * sum(turn.values()) for turn in turns] for name, turns in self.turns.items()}
        rows = [row(self.title, "us", whole, self.other_dtype)]
        for part in self.parts:
            samples = {name: [1e6 * turn[part] for turn in turns] for name, turns in self.turns.items()}
            rows.append(row(f"{self.title}: {part}", "us", samples, self.other_dtype))
        for count in self.counts[OURS]:
            counted = {name: [counts[count]] for name, counts in self.counts.items() if count in counts}
            rows.append(row(f"{self.title}: {count}", "", counted))
        return rows
