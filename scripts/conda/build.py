"""Build the conda package from the source archive and run the tests of the recipe: `make release-check` does this.

With ``--channel conda-forge``, everything that the recipe requires comes from there. Without it, nothing is downloaded:
this Python and the packages that pip has installed are packed as a channel in a folder. Then rattler-build builds,
installs and tests as usual, but it is not checked whether conda-forge has these packages under these names.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler.index import index_fs
from rattler_build import FileEntry, Package, Stage0Recipe, assemble_package

RECIPE = Path(__file__).with_name("recipe.yaml")
PYPI_NAMES = {"python-graphviz": "graphviz"}  # on conda-forge, graphviz is the program
CONDA_NAMES = {name: conda for conda, name in PYPI_NAMES.items()}
PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"


def pack_python(channel: Path, work: Path) -> None:
    """Make a package of the running Python, without what pip has installed."""
    base, stage = Path(sys.base_prefix), work / "python"
    unused = shutil.ignore_patterns("site-packages", "test", "idlelib", "ensurepip", "config-*", "__pycache__")
    shutil.copytree(base / "lib" / PYTHON, stage / "lib" / PYTHON, ignore=unused)
    for library in (base / "lib").glob(f"lib{PYTHON}*"):
        shutil.copy2(library, stage / "lib")
    (stage / "bin").mkdir()
    shutil.copy2(base / "bin" / PYTHON, stage / "bin")
    for name in ("python", "python3"):
        (stage / "bin" / name).symlink_to(PYTHON)
    version = ".".join(map(str, sys.version_info[:3]))
    assemble_package(
        "python", version, "noarch", "0", channel, files_dir=stage, compression_level=1, detect_prefix=False
    )


def pack(name: str, channel: Path) -> list[str]:
    """Make a package of an installed distribution. Returns the names of its requirements."""
    found = distribution(name)
    needed = [Requirement(text) for text in found.requires or ()]
    names = [canonicalize_name(one.name) for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    files = [
        FileEntry.from_paths(found.locate_file(file), f"site-packages/{file}")
        for file in found.files or ()
        if ".." not in file.parts and file.suffix != ".pyc"
    ]
    assemble_package(
        CONDA_NAMES.get(name, name),
        found.version,
        "noarch",
        "0",
        channel,
        files=files,
        depends=["python", *(CONDA_NAMES.get(one, one) for one in names)],
        noarch="python",
        compression_level=1,
        detect_prefix=False,
    )
    return names


def local_channel(work: Path, asked: set[str]) -> str:
    """Pack Python, the packages that the recipe requires, and their requirements. Returns the channel's address."""
    channel = work / "channel"
    (channel / "noarch").mkdir(parents=True)
    pack_python(channel / "noarch", work)
    waiting, packed = [PYPI_NAMES.get(name, name) for name in asked - {"python"}], set[str]()
    while waiting:
        if (name := waiting.pop()) not in packed:
            packed.add(name)
            waiting += pack(name, channel / "noarch")
    asyncio.run(index_fs(channel))
    return channel.as_uri()


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, help="a folder for the package and all that is made on the way")
    parser.add_argument("--channel", help="where the packages come from; without, they are packed here")
    given = parser.parse_args()
    [variant] = Stage0Recipe.from_file(RECIPE).render()
    needs = variant.recipe.to_dict()["requirements"]
    asked = {one.split()[0] for part in needs.values() for one in part}
    channel = given.channel or local_channel(given.work.resolve(), asked)
    built = variant.run_build(output_dir=given.work / "built", channels=[channel])
    for file in built.packages:
        tests = Package.from_file(file).run_tests(channel=[channel])
        if not tests or not all(tests):
            failed = [line for test in tests if not test for line in test.output]
            return "\n".join(failed or ["The recipe has no tests."])
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, {len(tests)} tests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
