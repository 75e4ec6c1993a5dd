"""What one program of the table is: its call, and what a right diagnosis of it says.

A program is a function that makes ``fn, *args``, written as people write it. Guilty lines end with ``# <-``. What
follows the arrow is the statement that is right there, or, as ``old => new``, what is to be replaced in it; with all
of that done the program is healthy::

    @mistake("double_softmax")
    def softmax_before_cross_entropy():
        ...
        def loss_fn(model, x, t):
            return F.cross_entropy(model(x).softmax(1), t)  # <- return F.cross_entropy(model(x), t)
        return loss_fn, model, x, t
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ARROW = "# <-"
FOLDER = Path(__file__).parent
Make = Callable[[], tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    """A program; ``kinds`` is empty for a healthy one.

    ``steps`` and ``causal`` are handed to ``diagnose``. ``fails`` is what the error says that the program ends with.
    ``outside`` says that the guilty line is not run by ``fn``, so that None is a right line too. ``learns`` says that
    the loss of the program with the right lines falls when it is trained.
    """

    make: Make
    kinds: tuple[str, ...] = ()
    steps: int | None = None
    causal: bool = False
    fails: str = ""
    outside: bool = False
    learns: bool = True

    @property
    def name(self) -> str:
        return self.make.__name__

    @property
    def file(self) -> Path:
        return Path(self.make.__code__.co_filename)

    @property
    def library(self) -> str:
        """torch, autolab or jax."""
        return self.file.name.partition("_")[0]

    @property
    def is_aside(self) -> bool:
        """A variant that was put aside while the rules were written."""
        return self.file.stem.endswith("_aside")

    @property
    def lines(self) -> dict[int, str]:
        """The guilty lines by their numbers, with the statements that are right there."""
        text, first = inspect.getsourcelines(self.make)
        found = {first + i: line.partition(ARROW)[2].strip() for i, line in enumerate(text) if ARROW in line}
        assert found or not self.kinds, f"{self.name}: no line is marked"
        return found

    @property
    def options(self) -> dict[str, Any]:
        return ({"steps": self.steps} if self.steps else {}) | ({"causal": True} if self.causal else {})

    @property
    def can_be_mended(self) -> bool:
        return bool(self.kinds) and any(self.lines.values())


def mistake(*kinds: str, **options: Any) -> Callable[[Make], Case]:
    """A program with a mistake, for which any of these kinds is right."""
    return lambda make: Case(make, kinds, **options)


def healthy(make: Make | None = None, **options: Any) -> Any:
    """A program in which nothing is to be found."""
    return Case(make) if make else lambda make: Case(make, **options)


def load(path: Path) -> ModuleType:
    """The module of a file of the table."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = module_from_spec(spec)  # some libraries look for the module of a class
    spec.loader.exec_module(module)
    return module


def cases(pattern: str, folder: Path = FOLDER) -> list[Case]:
    """All programs of the files that fit."""
    return [c for path in sorted(folder.glob(pattern)) for c in vars(load(path)).values() if isinstance(c, Case)]


def _put_right(line: str, right: str) -> str:
    old, arrow, new = right.partition(" =>")
    if not arrow:
        return f"{line[: len(line) - len(line.lstrip())]}{right}\n"
    assert line.count(old) == 1, f"{old} is not once in {line}"
    return f"{line.replace(old, new.lstrip())}\n"


def mended(case: Case, folder: Path) -> Case:
    """The same program with the right lines, in a file of its own."""
    text = case.file.read_text().splitlines(keepends=True)
    for number, right in case.lines.items():
        if right:
            text[number - 1] = _put_right(text[number - 1].partition(ARROW)[0], right)
    path = folder / f"{case.file.stem}_{case.name}.py"
    path.write_text("".join(text))
    return replace(vars(load(path))[case.name], kinds=(), fails="")
