"""Write docs/compat.md from the facades and the names of their originals: ``python scripts/compat.py``."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from autolab import compat
from autolab.shared.files import write

ROOT = Path(__file__).parents[1]

_BEGINNING = """# Code written for other libraries

`autolab.compat` offers AutoLab's own functions under the names of other libraries. There is one engine, so `record`,
`explore` and `check_gradients` work on such code as on any other.

```python
from autolab import compat

compat.install("dezero")  # until compat.uninstall("dezero")

import dezero.functions as F
```

`python -m autolab.compat dezero script.py` runs a script as it is. A missing name gives an error:
`dezero.functions.foo is not part of AutoLab's dezero facade`. Without `install`, the same modules are
`autolab.compat.dezero` and those in it.

## What their own tests say

The published tests of the originals were run against the facades when these were written, by hand, from outside the
repository; some names have been left out since, such as DeZero's ResNet. AutoLab's own tests check each statement of
the sources that the facades follow. In the tables below, the names in the second column are there; those in the third
give an error that names them, and for some also says what there is instead.

| facade | what was run | passed |
| --- | --- | --- |
| `dezero` | the tests in DeZero's repository | 140 of 141 |
| `chainer` | Chainer's tests of functions, links, optimizers, gradient checks, serializers and training, \
without those that need a GPU, MPI or names that NumPy has removed | 1,258 of 1,528 (82.3 %) |
| `torch` | 49 programs beside PyTorch 2.13, of which 47 run | 866 of 869 results are equal |
| `chainer` | the examples in the docstrings of Chainer 7.8.1, 2026-11 | 82 of 126; 32 others use names \
that are not there |
| `torch` | the examples in the docstrings of PyTorch 2.13 that run on a CPU, 2026-11 | 261 of 540; 258 use names \
that are not there, and 21 are refused, such as complex numbers and `out=` |
"""


def markdown() -> str:
    """docs/compat.md."""
    parts = [_BEGINNING + _lines_of_torch()]
    for library in compat.facades():
        its = {module: names for module, names in compat.originals().items() if module.partition(".")[0] == library}
        parts += [f"## `{library}`\n", *_told(library), "| module | there | not there |", "| --- | --- | --- |"]
        parts += [f"| `{module}` | {_list(there)} | {_list(absent)} |" for module, there, absent in _rows(its)]
        parts += ["", *_remedies(its), ""]
    return "\n".join(parts)


def _lines_of_torch() -> str:
    """The row about the lines that `make test-bridges` runs; their marks say how many are not equal."""
    text = (ROOT / "tests" / "bridges" / "torch_one_liners.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    refused, alone = sum("  #! " in line for line in lines), sum(line.endswith("  #+") for line in lines)
    return (
        f"| `torch` | {len(lines):,} lines beside PyTorch 2.13, with values, types, shapes and gradients "
        f"(`make test-bridges`) | {len(lines) - refused - alone:,} equal, {refused} refused by name, {alone} that "
        "PyTorch alone refuses |\n"
    )


def _told(library: str) -> Iterator[str]:
    """The facade's description of itself, without its example."""
    paragraphs = (import_module(f"autolab.compat.{library}").__doc__ or "").strip().split("\n\n")
    for paragraph in paragraphs:
        if ">>>" not in paragraph:
            yield paragraph.replace("``", "`") + "\n"


def _rows(its: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, list[str], list[str]]]:
    for module, names in its.items():
        there = [name for name in names if is_there(module, name)]
        yield module, there, [name for name in names if name not in there]


def _remedies(its: dict[str, tuple[str, ...]]) -> list[str]:
    """What the errors for missing names say in addition, one row for each sentence of a module."""
    rows: list[str] = []
    for module in its:
        names: dict[str, list[str]] = {}
        for name, said in compat.remedies(module).items():
            names.setdefault(said, []).append(name)
        rows += [f"| `{module}` | {_list(absent)} | {said} |" for said, absent in names.items()]
    return ["| module | not there | the error adds |", "| --- | --- | --- |", *rows] if rows else []


def is_there(module: str, name: str) -> bool:
    """Whether a facade's module exports a name."""
    try:
        return name in import_module(f"autolab.compat.{module}").__all__
    except ModuleNotFoundError:
        return False


def _list(names: list[str]) -> str:
    return ", ".join([f"`{name}`" for name in names])


if __name__ == "__main__":
    write(ROOT / "docs" / "compat.md", markdown())
