"""For the examples in docstrings: what one of them saves goes into a folder of its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

# The one module that JupyterLab's server loads and that needs it; it has no examples.
collect_ignore = [] if find_spec("jupyter_server") else ["autolab/server.py"]
collect_ignore_glob = ["autolab/lessons/*"]  # folders of files with the same names, without examples


@pytest.fixture(autouse=True)
def own_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        folder: Path = tmp_path_factory.mktemp("example")
        request.getfixturevalue("monkeypatch").chdir(folder)
