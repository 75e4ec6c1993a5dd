"""For the examples in docstrings: what one of them saves goes into a folder of its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

# What needs a library that may be missing: the modules that JupyterLab's server and nbconvert load,
# and the bridges' examples.
_NEEDS = {
    "jupyter_server": "autolab/app/kernel_connection.py",
    "nbconvert": "autolab/app/static_views.py",
    "torch": "autolab/bridges/torch",
    "jax": "autolab/bridges/jax",
}
collect_ignore = [path for library, path in _NEEDS.items() if not find_spec(library)]
collect_ignore_glob = ["autolab/lessons/*"]  # folders of files with the same names, without examples


@pytest.fixture(autouse=True)
def own_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        folder: Path = tmp_path_factory.mktemp("example")
        request.getfixturevalue("monkeypatch").chdir(folder)
