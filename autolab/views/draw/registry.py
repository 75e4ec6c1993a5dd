"""Which function draws which type. Types know nothing about display: they are found by their qualified name.

A handler takes the object and returns a bundle of MIME types. It is named as ``module:function`` and imported when the
first such object is shown, so that nothing here pulls in the recorder, the gradient check or Pillow.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .messages import say

Bundle = dict[str, Any]

_HANDLERS: dict[str, str] = {
    "autolab.views.derivatives.explorer.DerivativeExplorer": "autolab.views.derivatives.static:bundle_of_view",
    "autolab.analysis.matrices.DerivativeMatrix": "autolab.views.plots.matrix:bundle",
    "autolab.analysis.line_charts.LineChart": "autolab.views.draw.plot:line_chart_bundle",
    "autolab.analysis.landscape.Surface": "autolab.views.plots.surface:bundle",
    "autolab.analysis.derivatives.Derivatives": "autolab.views.derivatives.static:bundle",
    "autolab.recording.model.Recording": "autolab.views.steps.static:bundle",
    "autolab.links.link.Link": "autolab.views.cards.summary:link_bundle",
    "autolab.optimizers.optimizer.Optimizer": "autolab.views.cards.summary:optimizer_bundle",
    "autolab.training.extensions.plot.PlotReport": "autolab.views.monitor.static:plot_bundle",
    "autolab.training.monitor.Monitor": "autolab.views.monitor.static:bundle",
    "autolab.engine.variable.Variable": "autolab.views.cards.summary:variable_bundle",
    "autolab.functions.conventions.Conventions": "autolab.views.cards.conventions:bundle",
    "autolab.gradcheck.report.GradientReport": "autolab.views.check.static:bundle",
    "autolab.views.check.lens.Lens": "autolab.views.check.static:lens_bundle",
}


def register(type_name: str, handler: str) -> None:
    """Let ``handler`` (``module:function``) draw the type with the qualified name ``type_name``, and its subclasses."""
    _HANDLERS[type_name] = handler


_LIVE: dict[str, str] = {
    "autolab.gradcheck.report.GradientReport": "autolab.views.check.lens:look_closely",
    "autolab.analysis.landscape.Surface": "autolab.views.plots.surface_view:open_surface",
}
"""Which function opens the live view of a type, named and imported in the same way."""


def live(shown: object, **options: Any) -> Any:
    """Open the live view of an object, which gets the options; what it raises passes through."""
    module, function = _LIVE[f"{type(shown).__module__}.{type(shown).__qualname__}"].split(":")
    return getattr(import_module(module), function)(shown, **options)


def mimebundle(shown: object) -> Bundle:
    """What a notebook shows for an object: always ``text/plain``, and ``text/html`` where there is a picture.

    It never raises: a display that fails must not hide the object, so the text then says what failed.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views import mimebundle
    >>> sorted(mimebundle(autolab.record(lambda x: x * x, 3.0)))
    ['text/html', 'text/plain']
    >>> mimebundle(7)
    {'text/plain': '7'}
    """
    try:
        return _handler(type(shown))(shown)
    except Exception as error:
        return {"text/plain": f"{_plain(shown)}\n{say('only_text', reason=type(error).__name__)}"}


def _handler(kind: type) -> Callable[[Any], Bundle]:
    for base in kind.__mro__:
        name = _HANDLERS.get(f"{base.__module__}.{base.__qualname__}")
        if name is not None:
            module, function = name.split(":")
            handler: Callable[[Any], Bundle] = getattr(import_module(module), function)
            return handler
    return lambda shown: {"text/plain": _plain(shown)}


def _plain(shown: object) -> str:
    try:
        return repr(shown)
    except Exception:
        return object.__repr__(shown)
