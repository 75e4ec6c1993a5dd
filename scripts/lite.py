"""Build the site on which AutoLab runs in a browser without a server, dist/lite: `make lite` runs this.

.venv/bin/python scripts/lite.py                 the pages load Pyodide and NumPy from Pyodide's distribution
.venv/bin/python scripts/lite.py --offline DIR   the site holds both: Pyodide from npm, NumPy's wheel from DIR
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import jupyterlite
from npm_packages import ROOT, fetched

from autolab.shared.files import write
from autolab.views.playground import site

SITE = ROOT / "dist" / "lite"
_PACKAGE = "node_modules/pyodide"
_SCRIPT = "pyodide.js"  # JupyterLite cannot load the module
_PLAYGROUND, _JUPYTER = "playground", "jupyter"  # folders of the site
_INDEX = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>AutoLab in the browser</title>
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif }}
main {{ max-width: 34rem; margin: 10vh auto; padding: 0 16px }}
a {{ font-weight: bold }}
</style>
</head>
<body>
<main>
<h1>AutoLab in the browser</h1>
<p>A laboratory for automatic differentiation. Nothing has to be installed: Python runs in this page.</p>
<p><a href="{playground}/index.html">The playground</a>: an editor, and the live graph of your function below it.</p>
<p><a href="{jupyter}/lab/index.html?path=notebooks/00_start.ipynb">JupyterLab with the lessons</a>: notebooks with
exercises. What you write is kept in this browser alone; download what you want to keep for good.</p>
</main>
</body>
</html>
"""


def runtime() -> Path:
    """Pyodide, from npm.

    Raises
    ------
    RuntimeError
        If it cannot be obtained.
    """
    return fetched({"pyodide": site.PYODIDE}, [f"{_PACKAGE}/{name}" for name in (*site.RUNTIME, _SCRIPT)]) / _PACKAGE


def offline_files(folder: Path) -> site.Offline:
    """Pyodide from npm, and the wheel of NumPy for it in this folder.

    Raises
    ------
    RuntimeError
        If one of the two cannot be obtained.
    """
    wheels = sorted(folder.glob("numpy-*-pyodide_*_wasm32.whl"))
    if not wheels:
        raise RuntimeError(f"no wheel of NumPy for Pyodide in {folder}")
    return site.Offline(runtime(), wheels[-1])


def build(folder: Path, offline: site.Offline | None) -> Path:
    """Write the whole site, replacing folders that an earlier build left.

    Raises
    ------
    RuntimeError
        If something that it needs cannot be obtained.
    OSError
        If something cannot be written.
    """
    lock = json.loads((runtime() / "pyodide-lock.json").read_text("utf-8"))
    if offline is None:
        pyodide, numpy = site.DISTRIBUTION, lock["packages"]["numpy"]
        numpy["file_name"] = f"{pyodide}{numpy['file_name']}"
    else:
        pyodide, wheel = f"../../{_PLAYGROUND}/pyodide/", offline.numpy
        address = f"../../{_PLAYGROUND}/{wheel.name}"
        numpy = jupyterlite.lock_entry("numpy", wheel.name.split("-")[1], address, wheel.read_bytes())
    for name in (_PLAYGROUND, _JUPYTER):
        shutil.rmtree(folder / name, ignore_errors=True)
    site.build(folder / _PLAYGROUND, offline)
    if offline is not None:
        write(folder / _PLAYGROUND / "pyodide" / _SCRIPT, (offline.pyodide / _SCRIPT).read_bytes())
    jupyterlite.build(folder / _JUPYTER, pyodide + _SCRIPT, lock["info"], numpy)
    write(folder / "index.html", _INDEX.format(playground=_PLAYGROUND, jupyter=_JUPYTER).encode())
    return folder / "index.html"


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offline", type=Path, metavar="DIR", help="the folder of NumPy's wheel for Pyodide")
    parser.add_argument("--output", type=Path, default=SITE, help="where to; dist/lite by default")
    given = parser.parse_args()
    try:
        page = build(given.output, None if given.offline is None else offline_files(given.offline))
    except (RuntimeError, OSError) as error:
        return str(error)
    print(f"Written: {page}. Any web server can serve its folder; docs/web_space.md says how.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
