"""Build the site on which AutoLab runs in a browser without a server, dist/lite: `make lite` runs this.

.venv/bin/python scripts/lite.py                 the page loads Pyodide and NumPy from Pyodide's distribution
.venv/bin/python scripts/lite.py --offline DIR   the site holds both: Pyodide from npm, NumPy's wheel from DIR
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from npm_packages import ROOT, fetched

from autolab.views.playground.site import PYODIDE, RUNTIME, Offline, build

SITE = ROOT / "dist" / "lite"
_PACKAGE = "node_modules/pyodide"


def offline_files(folder: Path) -> Offline:
    """Pyodide from npm, and the wheel of NumPy for it in this folder.

    Raises
    ------
    RuntimeError
        If one of the two cannot be had.
    """
    wheels = sorted(folder.glob("numpy-*-pyodide_*_wasm32.whl"))
    if not wheels:
        raise RuntimeError(f"no wheel of NumPy for Pyodide in {folder}")
    packages = fetched({"pyodide": PYODIDE}, [f"{_PACKAGE}/{name}" for name in RUNTIME])
    return Offline(packages / _PACKAGE, wheels[-1])


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offline", type=Path, metavar="DIR", help="the folder of NumPy's wheel for Pyodide")
    parser.add_argument("--output", type=Path, default=SITE, help="where to; dist/lite by default")
    given = parser.parse_args()
    try:
        page = build(given.output, None if given.offline is None else offline_files(given.offline))
    except (RuntimeError, OSError) as error:
        return str(error)
    print(f"Written: {page}. Any web server can serve its folder; docs/playground.md says how.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
