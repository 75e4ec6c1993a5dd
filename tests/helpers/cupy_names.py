"""What CuPy has: its names, and what its functions and methods may be given.

`cupy_names.json` was read off CuPy's own package, which can be imported without a driver. To read that of another
version, where it is installed: ``PYTHONPATH=tests python -m helpers.cupy_names``.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("cupy_names.json")

UFUNC = "ufunc"
"""Stands for the parameters of a universal function: they are the same for all."""

SPACES = ("", "fft", "linalg", "random", "cuda", "cuda.runtime", "lib.stride_tricks")
CLASSES = ("ndarray", "random.Generator", "cuda.Device", "cuda.Event", "cuda.Stream", "cuda.Graph", "cuda.MemoryPool")

Names = dict[str, str | None]


# ---------------------------------------------------------------------- asked
def names(owner: str) -> Names:
    """The public names of a module or class of CuPy's, with the parameters of its functions.

    ``"a axis= * out="``: an equals sign marks what may be left out; None for what is no function, or does not say.
    """
    found: Names = _kept()["names"][owner]
    return found


def source() -> str:
    """The CuPy that the list was read off."""
    return str(_kept()["source"])


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return kept


@cache
def signature(owner: str, name: str) -> inspect.Signature | None:
    """What a function of CuPy's may be given; None where it has not said."""
    words = names(owner)[name]
    return None if words is None or words == UFUNC else inspect.Signature(_parameters(words.split()))


def _parameters(words: list[str]) -> list[inspect.Parameter]:
    p, found, kind = inspect.Parameter, list[inspect.Parameter](), inspect.Parameter.POSITIONAL_OR_KEYWORD
    for word in words:
        name = word.strip("*=")
        if name:
            own = kind if word[0] != "*" else p.VAR_KEYWORD if word.startswith("**") else p.VAR_POSITIONAL
            found.append(p(name, own, default=None if word.endswith("=") else p.empty))
        if word[0] == "*":
            kind = p.KEYWORD_ONLY
    return found


def checked(owner: str, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by the names that CuPy has for them.

    Raises
    ------
    TypeError
        If CuPy's function does not take them.
    """
    known = signature(owner, name)
    try:
        return dict(known.bind(*args, **options).arguments) if known else {}
    except TypeError as error:
        raise TypeError(f"{'.'.join(['cupy', owner, name]).replace('..', '.')}(): {error}") from None


# ---------------------------------------------------------------------- read
def read(cupy: Any) -> dict[str, Any]:
    """All that is kept of a CuPy; classes first, as `cupy.random` has its own only after somebody asked for it."""
    owners = {owner: _members(attrgetter(owner)(cupy) if owner else cupy) for owner in CLASSES + SPACES}
    return {"source": f"CuPy {cupy.__version__}", "names": owners}


def _members(owner: Any) -> Names:
    found = {name: getattr(owner, name) for name in sorted(dir(owner)) if name[0] != "_"}
    counts = inspect.ismodule(owner) and owner.__name__.endswith("runtime")  # hundreds of CUDA's numbers
    return {name: _told(value) for name, value in found.items() if not (counts and isinstance(value, int))}


def _told(function: Any) -> str | None:
    """The parameters that a function tells."""
    if type(function).__name__ == UFUNC:
        return UFUNC
    if not callable(function) or isinstance(function, type):
        return None
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return _documented(function)
    words = list[str]()
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any([word.startswith("*") for word in words]):
            words.append("*")
        sign = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        words.append(f"{sign}{p.name}{'' if p.default is p.empty else '='}")
    told = " ".join([word for word in words if word != "self"])
    return (_documented(function) or told) if "**" in told else told


def _documented(function: Any) -> str | None:
    """The parameters that the first line of the documentation names, as compiled functions have it."""
    head = re.match(r"[\w.]+\((.*)\)( -> .*)?$", (function.__doc__ or "").partition("\n")[0])
    if head is None:
        return None
    parts = [part.partition("=") for part in re.split(r",\s*", head[1]) if part]
    return " ".join([name.split()[-1] + sign for name, sign, _ in parts if name.split()[-1] != "self"])


if __name__ == "__main__":
    import cupy  # for its names alone: no driver is needed

    FILE.write_text(json.dumps(read(cupy), indent=0, sort_keys=True) + "\n", "utf-8")
    print(f"{FILE.name}: {source()}")
