"""A site that holds several versions: this one at the top, and each older one in a folder with its name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

LIST = "versions.js"


def join(site: Path, version: str, older: Path | None = None) -> None:
    """Copy the sites in the folder ``older`` into ``site``, and write a list of all versions for each of them.

    The list is a script, which a page may load from the disk too; it may not read a file of JSON there.
    """
    found = [folder for folder in older.iterdir() if (folder / "index.html").is_file()] if older else []
    names = sorted({folder.name for folder in found} - {version}, key=_order, reverse=True)
    for name in names:
        shutil.copytree(found[0].parent / name, site / name, dirs_exist_ok=True)
    for own in (version, *names):
        top = "" if own == version else "../"
        rows = [
            {"version": name, "address": f"{top}{'' if name == version else f'{name}/'}index.html", "own": name == own}
            for name in (version, *names)
        ]
        folder = site if own == version else site / own
        (folder / LIST).write_text(f"var siteVersions = {json.dumps(rows)};\n", "utf-8")


def _order(version: str) -> list[tuple[int, str]]:
    """0.10 comes after 0.9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in version.split(".")]
