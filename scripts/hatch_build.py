"""What a wheel has beside the package: an extension of JupyterLab with the front ends of the views."""

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Writes the extension while the wheel is built; no dependency of the package is installed then."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        bundle = _bundle(Path(self.root) / "autolab" / "views" / "live" / "bundle.py")
        self._folder = tempfile.TemporaryDirectory()
        for name, text in bundle.extension_files(self.metadata.version).items():
            file = Path(self._folder.name) / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            build_data["shared_data"][str(file)] = f"share/jupyter/labextensions/{bundle.EXTENSION}/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._folder.cleanup()


def _bundle(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location("bundle", file)
    assert spec is not None and spec.loader is not None
    bundle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bundle)
    return bundle
