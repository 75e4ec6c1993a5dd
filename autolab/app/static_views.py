"""For nbconvert: shows live views as pictures in the pages that it writes.

A notebook that was saved from `autolab lab` contains the state of its live views. If an output has such a state,
nbconvert selects the live view; its page then fetches a program that draws it from a server on the internet, and stays
blank offline. The file ``nbconvert_base/conf.json``, which a wheel adds to the templates of nbconvert, registers
`StaticViews` for all of them; ``StaticViews.enabled = False`` in the settings of nbconvert turns it off.
"""

from __future__ import annotations

from typing import Any

from nbconvert.preprocessors import Preprocessor

_STATE = "application/vnd.jupyter.widget-state+json"
_VIEW = "application/vnd.jupyter.widget-view+json"


class StaticViews(Preprocessor):
    """Removes AutoLab's live views from outputs, so that their version for pages without a kernel is shown."""

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
