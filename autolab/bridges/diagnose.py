"""How a bridge answers the questions of `diagnose`: by recorded runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..analysis.diagnosis.copied_program import Program
from ..analysis.diagnosis.workbench import BUDGET, Changes, Workbench
from ..recording.model import Recording
from .run import BridgeRun


class BridgeWorkbench(Workbench):
    """The workbench of another library. Its runs number steps differently from recordings: the first run has the
    mapping.
    """

    runs: ClassVar[type[BridgeRun]]
    _numbers: tuple[int, ...] = ()

    def record(self, fn: Callable[..., Any], program: Program, changes: Changes) -> Recording:
        bound = self.runs.kind.bind("record", fn, program.args, program.kwargs)
        replaced = {self._numbers[step]: change for step, change in changes.items()}
        run = self.runs(bound, budget=BUDGET, replaced=replaced)
        recording = run.record()
        self._numbers = self._numbers or run.numbers
        return recording
