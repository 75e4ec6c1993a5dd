"""For nbconvert: live views in a page that it writes are shown as pictures.

A notebook that was saved from `autolab lab` holds the state of its live views. Of an output, nbconvert takes the live
view if there is such a state; its page then asks a server on the net for a program that draws it, and stays blank where
that is not to be had. `app/lab_settings` and the settings that a wheel installs name `StaticViews` to nbconvert.
"""

from __future__ import annotations

from typing import Any

from nbconvert.preprocessors import Preprocessor

_STATE = "application/vnd.jupyter.widget-state+json"
_VIEW = "application/vnd.jupyter.widget-view+json"


class StaticViews(Preprocessor):
    """Leaves of an output with a view of AutoLab's what stands for it where there is no kernel."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Called by nbconvert with a copy of the notebook."""
        models = nb.metadata.get("widgets", {}).get(_STATE, {}).get("state", {})
        own = {name for name, model in models.items() if _is_own(model)}
        for cell in nb.cells:
            for output in cell.get("outputs", ()):
                data = output.get("data", {})
                if "text/html" in data and data.get(_VIEW, {}).get("model_id") in own:
                    del data[_VIEW]
        return nb, resources


def _is_own(model: Any) -> bool:
    return str(model.get("state", {}).get("_anywidget_id")).startswith("autolab.")
