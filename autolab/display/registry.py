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
    "autolab.widgets.derivative_explorer.DerivativeExplorer": "autolab.display.derivative_view:bundle_of_view",
    "autolab.analysis.matrices.DerivativeMatrix": "autolab.display.matrix_view:bundle",
    "autolab.analysis.line_charts.LineChart": "autolab.display.line_chart_view:bundle",
    "autolab.analysis.landscape.Surface": "autolab.display.surface_view:bundle",
    "autolab.analysis.derivatives.Derivatives": "autolab.display.derivative_view:bundle",
    "autolab.recording.model.Recording": "autolab.display.recording_view:bundle",
    "autolab.links.link.Link": "autolab.display.link_view:bundle",
    "autolab.optimizers.optimizer.Optimizer": "autolab.display.optimizer_view:optimizer_bundle",
    "autolab.training.extensions.plot.PlotReport": "autolab.display.monitor_view:plot_bundle",
    "autolab.training.monitor.Monitor": "autolab.display.monitor_view:bundle",
    "autolab.engine.variable.Variable": "autolab.display.variable_view:bundle",
    "autolab.functions.conventions.Conventions": "autolab.display.conventions_view:bundle",
    "autolab.gradcheck.report.GradientReport": "autolab.display.report_view:bundle",
    "autolab.widgets.lens.Lens": "autolab.display.report_view:lens_bundle",
}


def register(type_name: str, handler: str) -> None:
    """Let ``handler`` (``module:function``) draw the type with the qualified name ``type_name``, and its subclasses."""
    _HANDLERS[type_name] = handler


_LIVE: dict[str, str] = {
    "autolab.gradcheck.report.GradientReport": "autolab.widgets.lens:look_closely",
}
"""Which function opens the live view of a type, named and imported in the same way."""


def live(shown: object) -> Any:
    """Open the live view of an object; what it raises passes through."""
    module, function = _LIVE[f"{type(shown).__module__}.{type(shown).__qualname__}"].split(":")
    return getattr(import_module(module), function)(shown)


def mimebundle(shown: object) -> Bundle:
    """What a notebook shows for an object: always ``text/plain``, and ``text/html`` where there is a picture.

    It never raises: a display that fails must not hide the object, so the text then says what failed.

    Examples
    --------
    >>> import autolab
    >>> from autolab.display import mimebundle
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
