"""Starts the processes, lets them take turns, and gathers rows. Needs nothing but Python."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any

from speed import environment
from speed.race import Race, Worker, WorkerError
from speed.rows import OURS, Row, agree, row

LIBRARIES = [OURS, "torch", "dezero", "chainer", "mygrad", "autograd", "numpy"]
TOGETHER = ["chains", "nets", "linear", "muladd", "orders", "checks", "training", "sequences"]
ALONE = ["memory", "million"]
COLD = "cold"
COLD_ROUNDS = 9
GROUPS = [*TOGETHER, *ALONE, COLD]


class Runner:
    """Runs groups of workloads and keeps their rows, and which libraries took part."""

    def __init__(self, python: Path, heats: int, rounds: int, libraries: Sequence[str] = LIBRARIES) -> None:
        self.python, self.heats, self.rounds, self.libraries = python, heats, rounds, libraries
        self.rows: list[Row] = []
        self.versions: dict[str, str] = {}
        self.left_out: dict[str, str] = {}

    def run(self, groups: list[str]) -> None:
        for group in TOGETHER:
            if group in groups:
                print(f"{group} ...", file=sys.stderr)
                self.together(group)
        for group in ALONE:
            if group in groups:
                print(f"{group} ...", file=sys.stderr)
                self.alone(group)
        if COLD in groups:
            print(f"{COLD} ...", file=sys.stderr)
            self.cold()

    def together(self, group: str) -> None:
        """Let the libraries take turns at a group, each in a process of its own.

        Every heat starts the processes anew: where arrays happen to lie in memory changes the time of some workloads.
        """
        races: dict[str, Race] = {}
        for _ in range(self.heats):
            with ExitStack() as stack:
                workers, titles = {}, {}
                for name in self._present():
                    worker = stack.enter_context(Worker(self.python, group, name))
                    about = worker.hear()
                    if self._takes_part(name, about):
                        workers[name], titles[name] = worker, about["titles"]
                for title in titles[OURS]:
                    racing = {name: worker for name, worker in workers.items() if title in titles[name]}
                    races.setdefault(title, Race(title)).heat(racing, self.rounds)
        self.rows += [r for race in races.values() for r in race.rows()]

    def alone(self, group: str) -> None:
        """Let one library after the other work; where a process dies, the library has failed, unless it is AutoLab."""
        answers, failed = {}, []
        for name in self._present():
            if name == "numpy":
                continue
            try:
                with Worker(self.python, group, name) as worker:
                    about = worker.hear()
            except WorkerError as error:
                if name == OURS:
                    raise
                failed.append(name)
                print(error, file=sys.stderr)
                continue
            if self._takes_part(name, about):
                answers[name] = about
        agree(group, {name: found["result"] for name, found in answers.items()})
        for title, (unit, _) in answers[OURS]["rows"].items():
            measured = row(title, unit, {name: [found["rows"][title][1]] for name, found in answers.items()})
            measured["cells"] |= {name: {"failed": "failed"} for name in failed}
            self.rows.append(measured)

    def cold(self) -> None:
        """Start an interpreter per library and round, and wait for its first gradient."""
        beyond: dict[str, list[float]] = {}
        process: dict[str, list[float]] = {}
        results = {}
        for turn in range(COLD_ROUNDS + 1):
            for name in self._present():
                start = perf_counter()
                answer = self._first_gradient(name)
                seconds = perf_counter() - start
                if not self._takes_part(name, answer):
                    continue
                if turn:  # the first one compiles
                    process.setdefault(name, []).append(1e3 * seconds)
                    beyond.setdefault(name, []).append(1e3 * answer["seconds"])
                results[name] = answer["result"]
        agree(COLD, results)
        self.rows.append(row("import and first gradient beyond NumPy", "ms", beyond))
        self.rows.append(row("first gradient of a cold interpreter", "ms", process))

    def _first_gradient(self, name: str) -> dict[str, Any]:
        command: list[str | Path] = [self.python, "-m", "speed.cold_start", name]
        done = subprocess.run(command, env=environment.variables(), capture_output=True, text=True)
        if done.returncode:
            raise WorkerError(f"cold with {name}: {done.stderr.strip()}")
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def _present(self) -> list[str]:
        return [name for name in self.libraries if name not in self.left_out]

    def _takes_part(self, name: str, about: dict[str, Any]) -> bool:
        """Note the version of a library, or why it is left out."""
        if "left_out" in about:
            self.left_out[name] = about["left_out"]
            return False
        if "version" in about and name != OURS:
            self.versions[name] = about["version"]
        return True
