"""``python -m autolab.compat dezero script.py ...``: run a script with a facade in place of a library."""

from __future__ import annotations

import io
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from .absent import facades
from .aliases import install

USAGE = "usage: python -m autolab.compat LIBRARY SCRIPT [ARGUMENT ...]"


def main(arguments: list[str]) -> None:
    """Install a facade and run a script as ``python SCRIPT ARGUMENT ...`` would."""
    if arguments in (["-h"], ["--help"]):
        print(f"{USAGE}\n\nRun SCRIPT, where LIBRARY is AutoLab's facade: {', '.join(facades())}.")
        return
    if len(arguments) < 2:
        _refuse(f"{USAGE}\nLIBRARY is one of: {', '.join(facades())}")
    library, script = arguments[0], str(Path(arguments[1]).absolute())
    try:
        install(library)
        with io.open_code(script) as file:
            source = file.read()
    except (ValueError, OSError) as error:
        _refuse(f"autolab.compat: {error}")
    sys.argv = arguments[1:]
    sys.path[0] = str(Path(script).resolve().parent)
    run(script, source)


def run(script: str, source: bytes) -> None:
    """Run a script as the main module. After an exception, show the script's frames only; the status is 1."""
    module = ModuleType("__main__")
    module.__file__ = script
    module.__loader__ = SourceFileLoader("__main__", script)
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = module
    try:
        exec(compile(source, script, "exec", dont_inherit=True), module.__dict__)
    except Exception as error:
        trace = error.__traceback__.tb_next if error.__traceback__ else None  # without this frame
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def _refuse(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
