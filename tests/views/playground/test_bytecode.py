"""What the playground keeps of a first visit: bytecode that the same Python takes as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COLLECT = """
import json, sys, zipfile
from pathlib import Path
folder = Path(sys.argv[1])
with zipfile.ZipFile(folder / "own.zip", "w") as archive:
    archive.writestr("ownpackage/__init__.py", "")
    archive.writestr("ownpackage/inner.py", "value = 'from the archive'")
    archive.writestr("ownpackage/later.py", "value = 'imported by a later program'")
(folder / "ownfile.py").write_text("value = 'from a file'")
sys.dont_write_bytecode = True
sys.path[:0] = [str(folder / "own.zip"), str(folder)]
import ownpackage.inner, ownfile
from autolab.views.playground.runner import compiled
files = [file for file in compiled() if file]
found = dict(files)
ours = {path: content for path, content in found.items() if "ownfile" in path or path == "/lib/bytecode.zip"}
for path, content in ours.items():
    place = folder / Path(path).relative_to("/lib") if path.startswith("/lib/") else Path(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
print(json.dumps([sorted(ours), len(found)]))
"""
USE = """
import json, sys
sys.path[:0] = [sys.argv[1] + "/bytecode.zip", sys.argv[1] + "/own.zip", sys.argv[1]]
import ownpackage.inner, ownpackage.later, ownfile
print(json.dumps([ownpackage.inner.value, ownpackage.inner.__file__, ownfile.value, ownpackage.later.value]))
"""


def ran(code: str, folder: Path) -> list[object]:
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


def test_it_is_found_in_place_of_the_text_of_files_and_of_archives(tmp_path: Path) -> None:
    places, number = ran(COLLECT, tmp_path)
    cached = str(tmp_path / "__pycache__" / f"ownfile.{sys.implementation.cache_tag}.pyc")
    assert places == sorted(["/lib/bytecode.zip", cached])
    assert isinstance(number, int) and number > 30  # of Python's own, of NumPy, of AutoLab
    (tmp_path / "ownfile.py").write_text("value = 'another text: the page takes care that it is the same'")
    value, file, plain, later = ran(USE, tmp_path)
    assert (value, plain, later) == ("from the archive", "from a file", "imported by a later program")
    assert file == str(tmp_path / "bytecode.zip" / "ownpackage" / "inner.pyc")
