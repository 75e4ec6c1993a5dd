"""Views: pictures of recordings, Variables and reports, and the live views in a notebook; one folder for each.

`draw` holds what all pictures are made of, `live` what every live view is. Here stands which function shows which
class. Each view is loaded on its first use, so that the first picture of a new kernel waits for no other view's code.
"""

from typing import TYPE_CHECKING

from ..engine.display import mimebundle, register, show

if TYPE_CHECKING:
    from ..engine.variable import Variable

__all__ = ["grad_status", "mimebundle"]

_SHOWN = {
    "engine.display.Savable": {"file": "export.pictures:save_shown"},
    "engine.variable.Variable": {
        "bundle": "cards.summary:variable_bundle",
        "grad_status": "draw.grad_status:of_variable",
    },
    "functions.conventions.Conventions": {"bundle": "cards.conventions:bundle"},
    "links.link.Link": {"bundle": "cards.summary:link_bundle"},
    "optimizers.optimizer.Optimizer": {"bundle": "cards.summary:optimizer_bundle"},
    "training.monitor.Monitor": {
        "bundle": "monitor.static:bundle",
        "svg": "monitor.static:svg",
        "file": "export.pictures:save_shown",
    },
    "training.extensions.plot.PlotReport": {"bundle": "monitor.static:plot_bundle", "svg": "monitor.static:report_svg"},
    "recording.model.Recording": {
        "bundle": "steps.static:bundle",
        "text": "steps.static:to_text",
        "line": "steps.static:in_a_line",
        "graphviz": "export.pictures:to_graphviz",
        "file": "export.pictures:save",
    },
    "recording.nonfinite.NonfiniteOrigin": {"text": "graph.health:told"},
    "recording.nonfinite.Nonfinite": {"text": "graph.health:all_told"},
    "recording.gradient_flow.GradientFlow": {
        "bundle": "plots.layers:flow_bundle",
        "text": "plots.layers:flow_text",
        "svg": "plots.layers:flow_svg",
        "live": "plots.layers:open_at",
    },
    "recording.kept_memory.KeptMemory": {
        "bundle": "plots.layers:memory_bundle",
        "text": "plots.layers:memory_text",
        "svg": "plots.layers:memory_svg",
        "live": "plots.layers:open_at",
    },
    "gradcheck.reporting.report.GradientReport": {"bundle": "check.static:bundle", "live": "check.lens:look_closely"},
    "analysis.diagnosis.report.Diagnosis": {
        "bundle": "graph.diagnosis_card:bundle",
        "live": "graph.diagnosis_card:explore_finding",
    },
    "analysis.run_comparison.RunComparison": {
        "bundle": "plots.run_comparison:bundle",
        "text": "plots.run_comparison:text",
        "svg": "plots.run_comparison:svg",
        "live": "plots.layers:open_at",
    },
    "analysis.derivatives.Derivatives": {"bundle": "derivatives.static:bundle"},
    "analysis.line_charts.LineChart": {"bundle": "draw.plot:line_chart_bundle", "svg": "draw.plot:line_chart_svg"},
    "analysis.matrices.DerivativeMatrix": {"bundle": "plots.matrix:bundle", "svg": "plots.matrix:matrix_svg"},
    "analysis.landscape.Surface": {
        "bundle": "plots.surface:bundle",
        "live": "plots.surface_view:open_surface",
        "svg": "plots.surface:surface_svg",
    },
    "transforms.compiling.report.CompileReport": {"bundle": "cards.compiled:bundle", "text": "cards.compiled:text"},
    "views.live.widget.LiveView": {
        "page": "export.pages:export_html",
        "file": "export.pictures:save_shown",
        "taken": "export.pictures:taken_shown",
    },
    "views.plots.surface_view.SurfaceView": {"svg": "plots.surface_view:svg_of_view"},
    "views.heatmap.heatmap.Heatmap": {"svg": "heatmap.heatmap:svg_of_view"},
    "views.monitor.view.MonitorView": {"bundle": "monitor.static:bundle_of_view", "svg": "monitor.static:svg_of_view"},
    "views.interact.interact.Interact": {"svg": "interact.interact:svg_of_view"},
    "views.graph.explorer.Explorer": {"file": "export.pictures:save_view", "taken": "export.pictures:taken"},
    "views.graph.graph_view.GraphView": {"file": "export.pictures:save_view", "taken": "export.pictures:taken"},
    "views.check.lens.Lens": {"bundle": "check.static:lens_bundle", "svg": "check.static:svg_of_view"},
    "views.derivatives.explorer.DerivativeExplorer": {
        "bundle": "derivatives.static:bundle_of_view",
        "svg": "derivatives.static:svg_of_view",
    },
}

for _name, _ways in _SHOWN.items():
    register(f"autolab.{_name}", {way: f"autolab.views.{view}" for way, view in _ways.items()})


def grad_status(variable: "Variable") -> str:
    """Why a gradient is what it is, or is not there, in one sentence.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views import grad_status
    >>> grad_status(autolab.Variable(2.0))
    'No gradient yet: no backward pass has reached it.'
    """
    return str(show(variable, "grad_status"))
