"""The catalogue: every sentence that a view shows, in one place and in one voice.

A sentence must be true in every situation in which its key is used; tests look keys up here instead of repeating
words.
"""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    # Gradient of a step of a recording, by `Step.status`.
    "ok": "It has a gradient.",
    "zero": "The gradient is exactly zero.",
    "nonfinite": "The gradient contains NaN or infinite numbers.",
    "not_reached": "No gradient: no differentiable step leads from here to the output.",
    "constant": "No gradient: it is a constant.",
    "integer": "No gradient: whole numbers and truth values have none.",
    "call_of_parts": "The gradients are at its results.",
    "zero_at": "The gradient is exactly zero: {function} passes nothing on{why}.",
    "zero_at_dead": ", as its input is negative or 0 where its result matters",
    "zero_at_flat": ", as it is saturated: its slope there is 0 but for rounding",
    "zero_at_factor": ", as the other factor is 0, or too small to count, where its result matters",
    "zero_at_step": ", as it is flat: its derivative is 0",
    "zero_started": "The gradient is exactly zero: the backward pass started with zeros.",
    "zero_sum": "The gradient is exactly zero: its shares are not, but their sum is.",
    "nonfinite_at": "The gradient contains NaN or infinite numbers: the first came up in the backward of {function}.",
    "nonfinite_born": (
        "The gradient contains NaN or infinite numbers: the first was produced by {function}, in the {phase} pass, "
        "at {source}{place}."
    ),
    "nonfinite_started": "The gradient contains NaN or infinite numbers: the backward pass started with them.",
    "nonfinite_sum": "The gradient contains NaN or infinite numbers: its shares do not, but their sum does.",
    # Gradient of a Variable that stands alone.
    "given": "The gradient was set by hand: a backward pass that starts here begins with it.",
    "stale": "The gradient is stale: the value has been changed since it was computed.",
    "accumulated": "The gradient is the sum of {count} backward passes: it was not cleared in between (cleargrad()).",
    "accumulated_stale": (
        "The gradient is the sum of {count} backward passes, not cleared in between, and the value has changed since."
    ),
    "cleared": "No gradient now: it was cleared after a backward pass.",
    "start": "No gradient is kept here: the last backward pass started here, with 1.",
    "passed": (
        "No gradient here: the last backward pass went through, but was not asked to keep it (retain_grad=True)."
    ),
    "not_passed_on": "No gradient: the functions between it and {output} passed none on to it.",
    "not_input": (
        "No gradient: the last backward pass, from {output}, did not reach it. That value does not depend on it, or "
        ".data, np.asarray or no_grad cut the link."
    ),
    "detached": (
        "No gradient: the last backward pass, from {output}, did not reach it. Its numbers are used there, but as a "
        "plain array (.data or np.asarray), which has no gradient."
    ),
    "not_computed": "No gradient yet: no backward pass has reached it.",
    "not_kept": (
        "No gradient here: no backward pass has reached it, or it was not kept (backward(retain_grad=True) keeps it)."
    ),
    "not_required": (
        "No gradient: none is required. It was made with requires_grad=False, under no_grad(), or from such values."
    ),
    "no_size": "No size yet: it comes with the first input.",
    # Links and optimizers.
    "link_total": "{params} in {arrays}, {size}.",
    "link_strips": "Only the first {shown} arrays have pictures; look at a part of the model to see its own.",
    "link_empty": "It has no parameters.",
    "link_pending": "{count} without a size yet: the first call gives it.",
    "optimizer_ready": "It has made {updates}.",
    "optimizer_without_target": "It has no model yet: call setup(model).",
    # Charts.
    "chart_some": "{shown} of {total} lines are drawn, spread evenly.",
    "chart_infinite": "{count} at which a number is infinite cannot be drawn.",
    "chart_nan": "{count} at which a number is NaN cannot be drawn.",
    "chart_mean": "Each point is the mean of up to {each} updates.",
    "chart_not_positive": "{count} at 0 or below cannot stand on a logarithmic scale.",
    "chart_alt": "Line chart: {title}.",
    "chart_alt_line": "{name}: first {first}, last {last}, between {low} and {high}.",
    # A function with its derivatives.
    "curve_tangent": "tangent",
    "curve_taylor": "Taylor polynomial of order {order}",
    "curve_slope_above": "{name} rises",
    "curve_slope_below": "{name} falls",
    "curve_slope_zero": "{name} is level",
    "curve_bend_above": "{name} bends upwards",
    "curve_bend_below": "{name} bends downwards",
    "curve_bend_zero": "{name} does not bend",
    "curve_pole": "{name} goes to infinity at {places}.",
    "curve_jump": "{name} jumps at {places}.",
    "curve_hole": "{name} is undefined at {places}.",
    "curve_edge": "{name} ends at {places}.",
    "curve_kink": "{name} has a kink at {places}.",
    "curve_more": "{shown} and {count} more",
    "curve_at_kink": "{name} has a kink here: no slope exists. {next} and what follows are what AutoLab chooses.",
    "curve_outside": "Here {name} is outside the picture.",
    "curve_undefined": "{name} is undefined here.",
    "curve_raised": "Where {name} raises an error it counts as undefined: {error}",
    "curve_alt": "Curves of {name} and its derivatives from x = {low} to {high}. {values}.",
    "curve_growth": "How the graph grows",
    "curve_computed": "steps that are computed",
    "curve_written": "steps if nothing were shared",
    "curve_graphs": "The graphs, order by order",
    "curve_graph_left": "The graph of {name} is too large to stand here; the live view shows it.",
    "curve_drag": "Drag the point, or move it with the arrow keys.",
    "curve_code": "The live graph of this point:",
    "curve_order": "Order",
    "curve_old": "The picture shows the point before.",
    "curve_stale": "This could not be computed. The picture shows the last point that could be.",
    "curve_stopped_asked": "The computation was stopped. Move the point to compute again.",
    "curve_stopped_seconds": "The computation took longer than {seconds:g} seconds, so it was stopped.",
    "curve_graphs_some": "The graphs, order by order, up to that of {name}",
    "curve_still": (
        "This page was saved. The point can be moved over {count} places that were computed before; the graphs, and "
        "how they grow, are those at x = {x}."
    ),
    "growth_reused": "{values} reused",
    "growth_unshared": "{count} if nothing were shared",
    "undefined": "undefined",
    # Jacobians and Hessians.
    "matrix_jacobian_title": "Jacobian of {name}",
    "matrix_hessian_title": "Hessian of {name}",
    "matrix_jacobian": "First derivatives of {name}, {rows} and {columns}: how each result changes with each input.",
    "matrix_hessian": "Second derivatives of {name}, {rows} and {columns}: how each slope changes with each input.",
    "matrix_undefined": "{count} of it are not finite numbers.",
    "matrix_uneven": (
        "It is not its own mirror image: the backward of a function is wrong, or second derivatives jump here."
    ),
    "matrix_eigenvalues": "Eigenvalues",
    "matrix_some": "{shown} of {count} eigenvalues: the least and the greatest",
    "matrix_signs": "Of its eigenvalues {above} are above zero, {below} below, and {zero} zero.",
    "matrix_minimum": "The gradient is zero and {name} bends upwards in every direction: a minimum.",
    "matrix_maximum": "The gradient is zero and {name} bends downwards in every direction: a maximum.",
    "matrix_saddle": "The gradient is zero, and {name} bends upwards one way and downwards another: a saddle.",
    "matrix_flat": "The gradient is zero, but some direction does not bend: second derivatives cannot tell what it is.",
    "matrix_minimum_moving": "{name} bends upwards in every direction; the gradient is not zero here.",
    "matrix_maximum_moving": "{name} bends downwards in every direction; the gradient is not zero here.",
    "matrix_saddle_moving": "{name} bends upwards one way and downwards another; the gradient is not zero here.",
    "matrix_flat_moving": "In some direction {name} does not bend; the gradient is not zero here.",
    # Loss surfaces.
    "surface_title": "loss over {first} and {second}",
    "surface_alt": "The loss over {first} (across) and {second} (up).",
    "surface_least": "Of the points computed, it is least at {place}: {least}; the greatest is {most}.",
    "surface_undefined": "It is not a finite number at {count}.",
    "surface_way": "The way of {count} leads from a loss of {first} to {last}.",
    "surface_captured": "The plane shows {percent} % of the way's squared length: its points lie beside the plane.",
    "surface_random": "The directions are random: another seed shows another plane.",
    # The monitor of a training.
    "monitor_update": "update {iteration}",
    "monitor_epoch": "epoch {epoch}",
    "monitor_rate": "{rate} updates a second",
    "monitor_spent": "{percent} % of the time is the monitor's",
    "monitor_nothing": "Nothing yet: the first update brings the first numbers.",
    "monitor_running": "training",
    "monitor_stopping": "stopping after this update",
    "monitor_gradient": "norm of the gradient, by layer",
    "monitor_moved": "relative size of the update, by layer",
    "monitor_silent": "silent units, % of the layer",
    "monitor_moved_note": "The norm of the update, divided by the norm of the parameters before it.",
    "monitor_silent_note": "Silent: every gradient of the unit's own weights was exactly 0 over the whole batch.",
    "monitor_silent_now": "{silent} of {total} units of {layer} are silent.",
    "monitor_state": "After update {iteration}",
    "monitor_latest": "the latest",
    "monitor_gone": "Its gradient was not there after update {iteration}.",
    "monitor_stop": "Stop",
    "monitor_follow": "Follow",
    "monitor_saved": "From a saved notebook: to go on, run the cells again.",
    "monitor_value": "parameter",
    "monitor_gradient_of": "gradient",
    "monitor_past": "past states",
    # Pictures.
    "hidden": "{count} steps (number {first} to {last}) are not drawn one by one: the graph has {total}.",
    "closed": "{what} with {inside}, drawn as one box.",
    "is_function": "A call",
    "is_loop": "A loop",
    "is_pass": "One pass of a loop",
    "is_link": "A part",
    "last_of_results": "Its value and gradient are those of the last of {count} results.",
    "too_many_boxes": "That would draw {count} boxes; {most} is the most. Close something first.",
    "covers": "Each cell covers up to {rows} × {columns} elements and shows the one of greatest magnitude.",
    "flattened": "The array of shape {shape} is shown as {rows} rows of {columns}.",
    "reduced": "The recording keeps only reduced copies of {count}.",
    "pool": "Memory of the GPU: {used} in use of the {total} that the pool holds; {peak} at most during the run.",
    "first_rows": "These are the first {shown} of {total}.",
    "empty": "The array is empty.",
    "all_zero": "All elements are zero.",
    "nan_count": "{count} NaN",
    "inf_count": "{count} infinite",
    "nan_sign": "{count} NaN (×)",
    "inf_sign": "{count} infinite (+, −)",
    "only_text": "The picture could not be drawn ({reason}); this is the text.",
    "too_large": "The picture would be larger than {limit} kB; this is the text.",
    "no_typst": (
        "{path}: writing {kind} needs the package 'typst': pip install 'jupyter-autolab[pictures]'. Or save as .svg."
    ),
    "unknown_suffix": "save: got the suffix {suffix!r} in {path}, expected one of {expected}",
    # The whole view as one picture.
    "take": "Save as…",
    "take_png": "Picture (PNG)",
    "take_svg": "Picture (SVG)",
    "take_pdf": "Sheet (PDF)",
    "take_html": "Page that still steps (HTML)",
    "slide_cells": "Cells, each array on its own scale:",
    # The flow through a graph, and what is wrong with it.
    "flow_value": "value (norm)",
    "flow_gradient": "gradient (norm)",
    "flow_ratio": "gradient / value (norms)",
    "flow_time": "time (both passes)",
    "flow_bytes": "bytes",
    "health_nan": "NaN stands in the value or the gradient of {count}.",
    "health_infinite": "Infinite numbers stand in the value or the gradient of {count}.",
    "health_vanishing": (
        "The gradient vanishes at {count}: its norm is less than a thousandth of that at {reference}. "
        "The smallest is {size}, at {worst}."
    ),
    "health_exploding": (
        "The gradient explodes at {count}: its norm is more than a thousand times that at {reference}. "
        "The largest is {size}, at {worst}."
    ),
    "health_dead": (
        "Dead units at {count}: at {worst}, {size} of {total} are 0 for every sample, so no gradient passes them."
    ),
    "health_none": "No NaN, no infinities, no vanishing or exploding gradients, no dead units.",
    "nan_given": "The first NaN was given: it stands in {what}.",
    "nan_written": "The first NaN is a number that is written in {what}{place}.",
    "nan_computed": "The first NaN was born in the {phase} pass, at {what}{place}.",
    "nan_added": "The first NaN was born in the backward pass, where the shares of the gradient of {what} are added.",
    "nan_because": "It was made of an infinity that came up at {what}{place}.",
    "nan_reached": "From there it reached {values} and {gradients}.",
    "nan_nothing": "From there it reached nothing else.",
    # Live views.
    "live_stale": "Not computed for these inputs. The graph below shows the last point that could be computed.",
    "live_silent": "The kernel does not answer: it is busy or not running. If it is not running, run the cell again.",
    "still": "This page was saved. Choose any step and look at it; the inputs stand still, as nothing computes here.",
    "graph_still": (
        "The steps that made this value. They are not run again, and branches not taken are not there, so the inputs "
        "stand still: explore(fn, x=...) runs a function and lets you move them."
    ),
    "needs_script": "This page draws with JavaScript, which is switched off in this browser.",
    "open_fused": "Open {function}",
    "close_fused": "Close {function}",
    "opened": "{function} and its steps agree: the values differ by at most {value}{gradients}.",
    "opened_apart": "{function} and its steps do not agree: the values differ by up to {value}{gradients}.",
    "opened_gradients": ", the gradients by at most {inputs}",
    "values_missing": "The graph keeps the values of {kept} of its {count} steps; record() keeps all of them.",
    "value_not_kept": "It has a gradient; its value was not kept.",
    "orders_end": "{name} does not depend on {wrt}: all further derivatives are zero.",
    "page_no_picture": "This page does not hold the picture in which that is open. explore() in a notebook draws it.",
    "page_others_closed": "Other groups were closed to show that: this page holds only some pictures of the graph.",
    "live_saved": "A saved picture: no kernel answers. Run the cell to move its inputs.",
    "since_reached": "Changed since these numbers were computed: {names}.",
    "since_given": "Changed in the notebook: {names}. This view goes on with its own copy; run the cell to take it.",
    "since_redefined": "{name} has been redefined. This view still shows the function as it was; run the cell again.",
    "since_mode": "The notebook is in {mode} mode now; this view is not.",
    "live_computing": "computing…",
    "live_old": "The graph shows the point before.",
    "live_stopping": "stopping: at the function's next step, or when the operation that it is in has ended",
    "stopped": "Stopped",
    "stopped_asked": "The computation was stopped. Move an input to compute again.",
    "stopped_seconds": (
        "The computation took longer than {seconds:g} seconds. explore(..., options={{'seconds': 300}}) allows more."
    ),
    # The check lens, and the charts of a check.
    "lens_right": "Right",
    "lens_wrong": "Wrong",
    "lens_cannot tell": "Cannot tell",
    "lens_right_says": "Every gradient agrees with its numeric derivative.",
    "lens_cannot tell_says": "Nothing is proved wrong, but not everything could be checked.",
    "lens_analytic": "analytic",
    "lens_numeric": "numeric",
    "lens_error": "error",
    "lens_analytic_says": "what backward computed",
    "lens_numeric_says": "measured by moving the input",
    "lens_error_says": "how far apart; its own scale",
    "lens_tolerance": "allowed",
    "lens_difference": "difference",
    "lens_none": "backward gave no gradient",
    "lens_as_zero": "none (counts as 0)",
    "lens_partly": "{count} of {total} elements were measured one by one; the grey cells hold none of them.",
    "lens_partly_right": "All of them were checked together, along random directions, and agree.",
    "lens_partly_wrong": "Random directions through all of them disagree, and led to the one that is marked.",
    "lens_partly_cannot tell": "Along random directions through all of them nothing could be told.",
    "lens_uncompared": "not compared: see above",
    "lens_not_here": "not measured by the check",
    "lens_too_far": "more than {times} times what is allowed",
    "lens_beyond": "beyond what is allowed",
    "lens_within": "within what is allowed",
    "lens_element": "{name}{index}",
    "lens_moving": "Moving {what}",
    "lens_direction": "all of {name}, in random direction {seed}",
    "lens_step": "step h",
    "lens_at_step": "numeric at this h",
    "lens_steps": "error over the step size",
    "lens_taylor": "Taylor remainder over the step size",
    "lens_line_error": "|numeric \u2212 analytic|",
    "lens_line_rounding": "rounding (slope \u22121)",
    "lens_line_square": "falls with h\u00b2 (slope 2)",
    "lens_line_remainder": "what the gradient leaves unexplained",
    "lens_line_first": "slope 1: wrong",
    "lens_line_second": "slope 2: right",
    "lens_line_noise": "rounding",
    "lens_steps_agree": "At h = {step} both differ by only {error}: gradient and numeric derivative agree.",
    "lens_steps_apart": (
        "However small the step, both stay about {error} apart: that is no error of the finite difference."
    ),
    "lens_steps_close": (
        "The smaller the step, the closer both come, until rounding hides the rest: at h = {step} they differ by "
        "only {error}."
    ),
    "lens_steps_exact": "At h = {step} both are equal to the last digit.",
    "lens_steps_noise": "The rounding of the function hides what the step size would show.",
    "lens_steps_unknown": "The function could not be evaluated around this point.",
    "lens_taylor_right": "The remainder falls with h to the power {order}: right.",
    "lens_taylor_wrong": (
        "The remainder falls only with h to the power {order}: wrong, unless the function has a kink here."
    ),
    "lens_taylor_between": "The remainder falls with h to the power {order}: that is between right (2) and wrong (1).",
    "lens_taylor_none": "There is no remainder: the gradient explains every change.",
    "lens_taylor_noise": "Too little changes, or there is too much rounding, to tell.",
    "lens_moved_on": (
        "The function now gives the gradient {now} here, not {then}: something that it uses has changed. Check again."
    ),
    "lens_draw": "random upstream gradient: draw {seed}",
    "lens_draw_given": "random upstream gradient: as checked",
    "lens_again": "Check with another draw",
    "lens_order": "Order",
    "lens_moves": "Move",
    "lens_one": "this element",
    "lens_all": "all, at random",
    "lens_other": "Another direction",
    "lens_worst": "Go to the worst",
    "lens_chosen": "The chosen element",
    "lens_where": "Where it comes from",
    "lens_backward": "The backward of {function}",
    "lens_stale": "This could not be computed. What is shown is what was known before.",
    "lens_old": "The curves are those of what was chosen before.",
    "lens_stopped_asked": "The measurement was stopped. Choose an element to measure again.",
    "lens_stopped_seconds": "The measurement took longer than {seconds:g} seconds, so it was stopped.",
    "lens_verdict": "The verdict",
    "lens_show": "Show",
    "lens_not_saved": "This page holds no measurements along this element. It has those of the worst of each input.",
    "lens_still": (
        "This page was saved. Elements, step sizes and {count} directions of each input can be chosen; checking again "
        "takes a kernel."
    ),
    "lens_keys": "Choose a cell, or use the arrow keys. The dashed cell of each input is the worst.",
    # Inputs of live views.
    "upstream_of": "upstream gradient of {name}",
    "output": "the output",
    "setting_dtype": "dtype",
    "setting_mode": "mode",
    "setting_device": "device",
    "absent": "none",
    # The walk through a recording, forward and then backward.
    "not_yet": "not yet",
    "walk_forward": "Forward",
    "walk_backward": "Backward",
    "walk_given": "The inputs are given",
    "walk_starts": "The backward pass starts at the output",
    "walk_sends": "{source} sends its share to {target}",
    "walk_place": "step {k} of {count}",
    "walk_rest": "Press Play to watch both passes",
    "walk_rest_forward": "Press Play to watch the steps",
    "value_lost": "The graph did not keep this value: no gradient rule needs it.",
    "walk_not_kept": "not kept by the graph",
    "spoken_given": "The inputs are given: {values}.",
    "spoken_forward": "Forward: {heading} is {value}.",
    "spoken_start": "Backward starts at {name} with the upstream gradient {value}.",
    "spoken_product": "{source} sends to {target}: upstream {upstream} times local derivative {local} is {share}.",
    "spoken_share": "{source} sends to {target}: upstream {upstream} becomes {share}.",
    "spoken_first": "It is the first of {count} shares of {target}.",
    "spoken_sum": "With this share, number {arrived} of {count}, the gradient of {target} is {total}.",
    "loss": "{loss} is the output {name}.",
    "loss_sum": "{loss} is the sum of the upstream gradient times the output, element by element.",
    "term_upstream": "upstream gradient",
    "term_local": "local derivative",
    "term_product": "product",
    "term_share": "share for {name}",
    "term_gradient": "gradient of {name}",
    "term_before": "gradient of {name} so far",
    "term_after": "gradient of {name} now",
    "term_sum": "sum over {axes}",
    "summed": "{rule}, summed over {axes}",
    "term_start": "given at the start",
    "axis": "axis {axes}",
    "axes": "axes {axes}",
    "all_axes": "all elements",
    "first_share": "This is share 1 of {count}. The others are added when they arrive.",
    "later_share": "This is share {arrived} of {count}: it is added to what is there.",
    "this_use": "{use} is this one use of {name}, as the input {parameter} of the function.",
    "reduced_why": "{name} was repeated in the forward pass, from {small} to {large}: its gradient is the sum.",
    "repeated": "{name} of shape {small} is repeated to {large}.",
    "cast": "The gradient becomes {dtype}, the kind of {name}.",
    "not_linear": "Careful: this rule does not give upstream × local derivative. A gradient rule must be linear in g.",
    "own_backward": "This function computes its gradients in its own code:",
    "rule_of": "as declared in {function} for {parameter}: ",
    "follow": "Choose a cell to follow its numbers.",
    "terms": "({count} terms)",
    "walk_rule": "The rule's code",
    # Read aloud.
    "graph": "Computation graph of {title}: {inputs}, {steps}, {outputs}.",
    "gradient_of": "gradient of {name} = {rule}",
    "upstream": "upstream",
    # Heatmaps of arrays.
    "heat_still": "This page was saved. It shows what the heatmaps showed; point at a cell to read it.",
    "heat_stale": "The heatmaps below were drawn before.",
    "heat_covers": (
        "Each cell covers up to {rows} × {columns} of {total} elements and shows the one of greatest magnitude."
    ),
    "heat_zeros": "{share} of the elements are exactly 0.",
    "heat_false": "{share} of the elements are False.",
    "heat_sampled": "The histogram counts 1 of {stride} elements.",
    "heat_since": "Cells have run since these numbers were read.",
    "heat_keys": "Arrow keys choose a cell. Enter enlarges around it, Backspace goes back. Or drag over the cells.",
    # What a function makes of numbers that can be moved.
    "interact_draw": "Draw again",
    "interact_stale": "Not computed for these inputs. Below is what the function returned before.",
    "interact_still": (
        "This page was saved. It shows what the function returned for the inputs below; nothing computes here."
    ),
    # The table of conventions.
    "conventions.title": "Conventions",
    "conventions.introduction": (
        "At some points a function has no derivative, or its formula has no number to give: the tip of a kink, two "
        "equal greatest elements, a division by 0. There a library has to choose. This is what AutoLab chooses, and "
        "why. A gradient is that of the sum of the values. The last column tells what PyTorch 2.13, JAX 0.10 and "
        "TensorFlow 2.21 give in float64. Where a NaN of your own came from, autolab.recording.find_nonfinite tells."
    ),
    "conventions.point": "point",
    "conventions.computed": "computed",
    "conventions.value": "value",
    "conventions.gradients": "gradients",
    "conventions.because": "because",
    "conventions.refused": "refused",
    "conventions.elsewhere": "elsewhere",
}

SHORT: dict[str, str] = {
    "not_reached": "none",
    "constant": "constant",
    "integer": "integer",
    "call_of_parts": "below",
}


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("zero")
    'The gradient is exactly zero.'
    """
    return SENTENCES[key].format(**values)


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun.

    Examples
    --------
    >>> plural(1, "step"), plural(0, "input"), plural(2, "pass", "passes")
    ('1 step', '0 inputs', '2 passes')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {nouns or noun + 's'}"
