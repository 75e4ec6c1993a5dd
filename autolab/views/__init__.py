"""Views: pictures of recordings, Variables and reports, and the live views in a notebook; one folder for each.

`draw` holds the parts of all pictures, `live` those of every live view. The table below says which function shows
which class. Each view is imported on first use, so the first picture in a new kernel waits for no other view's code.
"""

from typing import TYPE_CHECKING

from ..engine.display import mimebundle, register, show

if TYPE_CHECKING:
    from ..engine import Variable

__all__ = ["grad_status", "mimebundle"]

_PLOTTED = {
    "bundle": "plots.layers:bundle",
    "text": "plots.layers:text",
    "svg": "plots.layers:svg",
    "live": "plots.layers:open_at",
}
"""For plots over layers or steps, with a sentence and a table; the function ``plotted`` returns these three."""

_SHOWN = {
    "views.graph.session.Session": {"program": "export.playground_link:exploration"},
    "views.derivatives.session.DerivativeSession": {"program": "export.playground_link:derivatives"},
    "views.check.session.LensSession": {"program": "export.playground_link:check"},
    "engine.display.Displayed": {"output": "live.notebook:logged"},
    "engine.display.Savable": {"file": "export.pictures:save_shown", "html": "export.pages:export_html"},
    "engine.variable.Variable": {
        "bundle": "cards.summary:variable_bundle",
        "grad_status": "draw.grad_status:of_variable",
    },
    "functions.conventions.Conventions": {"bundle": "cards.conventions:bundle"},
    "links.link.Link": {"bundle": "cards.summary:link_bundle"},
    "optimizers.optimizer.Optimizer": {"bundle": "cards.summary:optimizer_bundle"},
    "training.monitor.Monitor": {"bundle": "monitor.static:bundle", "svg": "monitor.static:svg"},
    "training.extensions.log.PlotReport": {"bundle": "monitor.static:plot_bundle", "svg": "monitor.static:report_svg"},
    "recording.model.Recording": {
        "bundle": "steps.static:bundle",
        "saved": "graph.saved_page:graph_page",
        "text": "steps.static:to_text",
        "line": "steps.static:in_a_line",
        "graphviz": "export.pictures:to_graphviz",
        "file": "export.pictures:save",
    },
    "recording.nonfinite.NonfiniteOrigin": {"text": "graph.health:told"},
    "recording.nonfinite.Nonfinite": {"text": "graph.health:all_told"},
    "recording.gradient_flow.GradientFlow": {**_PLOTTED, "plotted": "plots.layers:flow"},
    "recording.kept_memory.KeptMemory": {**_PLOTTED, "plotted": "plots.layers:memory"},
    "gradcheck.report.GradientReport": {"bundle": "check.static:bundle", "live": "check.lens:look_closely"},
    "analysis.diagnosis.report.Diagnosis": {
        "bundle": "graph.diagnosis_card:bundle",
        "live": "graph.diagnosis_card:explore_finding",
    },
    "analysis.run_comparison.RunComparison": {
        **_PLOTTED,
        "plotted": "plots.run_comparison:plotted",
        "text": "plots.run_comparison:text",
    },
    "analysis.curvature.Curvature": {
        "bundle": "plots.curvature:bundle",
        "text": "plots.curvature:text",
        "svg": "plots.curvature:curvature_svg",
    },
    "analysis.derivatives.Derivatives": {"bundle": "derivatives.static:bundle", "svg": "derivatives.static:curves_svg"},
    "analysis.line_charts.LineChart": {"bundle": "draw.plot:line_chart_bundle", "svg": "draw.plot:line_chart_svg"},
    "analysis.matrices.DerivativeMatrix": {"bundle": "plots.matrix:bundle", "svg": "plots.matrix:matrix_svg"},
    "analysis.landscape.Surface": {
        "bundle": "plots.surface:bundle",
        "live": "plots.surface_view:open_surface",
        "svg": "plots.surface:surface_svg",
    },
    "transforms.compiling.report.CompileReport": {"bundle": "cards.compiled:bundle", "text": "cards.compiled:text"},
    "views.live.widget.LiveView": {
        "bundle": "live.widget:at_rest",
        "svg": "live.widget:svg_at_rest",
        "page": "export.pages:export_html",
        "taken": "export.pictures:taken",
    },
    "views.plots.surface_view.SurfaceView": {
        "saved": "plots.saved_page:surface_page",
        "program": "export.playground_link:surface",
    },
    "views.heatmap.heatmap.Heatmap": {"svg": "heatmap.heatmap:svg_of_view", "saved": "heatmap.heatmap:heat_page"},
    "views.interact.interact.Interact": {
        "svg": "interact.interact:svg_of_view",
        "saved": "interact.saved_page:interact_page",
        "program": "export.playground_link:interaction",
    },
    "views.graph.graph_view.RecordingView": {
        "file": "export.pictures:save_view",
        "saved": "graph.saved_page:graph_page",
    },
    "views.check.lens.Lens": {"svg": "check.static:svg_of_view", "saved": "check.saved_page:lens_page"},
    "views.derivatives.explorer.DerivativeExplorer": {"saved": "derivatives.saved_page:derivative_page"},
}

for _name, _ways in _SHOWN.items():
    register(f"autolab.{_name}", {way: f"autolab.views.{view}" for way, view in _ways.items()})


def grad_status(variable: "Variable") -> str:
    """One sentence that says why a gradient has its value, or why there is none.

    Examples
    --------
    >>> import autolab
    >>> from autolab.views import grad_status
    >>> grad_status(autolab.Variable(2.0))
    'No gradient yet: no backward pass has reached it.'
    """
    return str(show(variable, "grad_status"))
