"""Check whether this Python's environment is intact and meets AutoLab's requirements; `scripts/environment` calls it.

    .venv/bin/python scripts/installed.py lab,test

The exit status is 0 if all is well, `LACKS` if packages are missing, and anything else if the environment is damaged:
an installation was interrupted, or a part of it was deleted. Nothing but Python's library and pip is needed.
"""

from __future__ import annotations

import csv
import os
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

LACKS = 3
DAMAGED = 4


def damage() -> Iterator[str]:
    """What is broken in this environment: it is not one, lacks pip, or files of a package are missing or empty."""
    if not os.path.samefile(sys.prefix, ".venv"):
        yield f"it belongs to {sys.prefix}"
        return
    if "include-system-site-packages" not in Path(".venv/pyvenv.cfg").read_text("utf-8", errors="replace"):
        yield "its configuration is cut off"  # the system's packages would be visible in it
    infos = []
    for folder in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}):
        infos += [entry for entry in Path(folder).iterdir() if entry.name.endswith(".dist-info")]
    if not any(info.name.startswith("pip-") for info in infos):
        yield "pip is missing"
    for info in infos:
        record = info / "RECORD"
        if not (record.is_file() and (info / "METADATA").is_file()):
            yield f"{info.stem} is half installed"
        elif lost := next(_lost(info.parent, record.read_text("utf-8")), None):
            yield f"{info.stem} has lost {lost}"


def _lost(folder: Path, record: str) -> Iterator[str]:
    """Files that pip installed and that are now missing or empty; pip records their names and sizes."""
    for path, _, size in csv.reader(record.splitlines()):
        if path.endswith(".pyc"):
            continue  # Python creates these again
        try:
            length = os.stat(os.path.join(folder, path)).st_size
        except OSError:
            yield path
        else:
            if size and int(size) and not length:
                yield path


def lacks(extras: str) -> Iterator[str]:
    """The requirements of AutoLab with these extras, direct and indirect, that are not met."""
    from pip._vendor.packaging.requirements import Requirement

    waiting, seen = [Requirement(f"jupyter-autolab[{extras}]")], set()
    while waiting:
        wanted = waiting.pop()
        if str(wanted) in seen:
            continue
        seen.add(str(wanted))
        try:
            found = metadata.distribution(wanted.name)
        except metadata.PackageNotFoundError:
            yield f"{wanted.name} is missing"
            continue
        if not wanted.specifier.contains(found.version, prereleases=True):
            yield f"{wanted} is wanted, {found.version} is there"
        lines = [line for line in found.requires or () if wanted.extras or "extra ==" not in line]  # reading is slow
        for requirement in map(Requirement, lines):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *wanted.extras)):
                waiting.append(requirement)


def main(extras: str) -> int:
    """Say what is wrong first, if anything is; the answer is the exit status."""
    for look, status in ((damage(), DAMAGED), (lacks(extras), LACKS)):
        if found := next(look, None):
            print(found)
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
