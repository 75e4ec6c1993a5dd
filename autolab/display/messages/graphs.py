"""Of pictures of a graph, live or still, and of the walk through it."""

SENTENCES: dict[str, str] = {
    # Pictures.
    "hidden": "{count} steps (number {first} to {last}) are not drawn one by one: the graph has {total}.",
    "closed_view": "This view was closed, and a closed view keeps nothing. Run the cell that made it again.",
    "closed": "{what} with {inside}, drawn as one box.",
    "is_function": "A call",
    "is_loop": "A loop",
    "is_pass": "One pass of a loop",
    "is_link": "A part",
    "last_of_results": "Its value and gradient are those of the last of {count} results.",
    "too_many_boxes": "That would draw {count} boxes; {most} is the most. Close something first.",
    "covers": "Each cell covers up to {rows} × {columns} elements and shows the one of greatest magnitude.",
    "flattened": "The array of shape {shape} is shown as {rows} rows of {columns}, from {first} to {last}.",
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
    "slide_one_order": (
        "Only order {order} is drawn: the graphs of all {count} orders together would be too small to read."
    ),
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
    "find_reach": (
        "Finds steps in closed groups and out of sight too. The search of the browser finds only what is drawn."
    ),
    "live_stale": "Not computed for these inputs. The graph below shows the last point that could be computed.",
    "live_silent": "The kernel does not answer: it is busy or not running. If it is not running, run the cell again.",
    "still": "This page was saved. Choose any step and look at it; the inputs stand still, as nothing computes here.",
    "graph_still": (
        "The steps that made this value. They are not run again, and branches not taken are not there, so the inputs "
        "stand still: explore(fn, x=...) runs a function and lets you move them."
    ),
    "live_frame": "Live view",
    "page_left_out": "Not on this page: this output runs a program, or is of a kind that a page does not show.",
    "page_no_output": "This cell sent an output that no notebook can hold. The cells below have not run.",
    "page_kernel_died": "The kernel died in this cell. Neither the rest of it nor the cells below have run.",
    "needs_script": "This page draws with JavaScript, which is switched off in this browser.",
    "open_fused": "Open {function}",
    "close_fused": "Close {function}",
    "opened": "{use}: {function} and its steps agree. The values differ by at most {value}{gradients}.",
    "opened_apart": "{use}: {function} and its steps do not agree. The values differ by up to {value}{gradients}.",
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
    "heat_counts_blocks": "The histogram counts the greatest of each block that was kept, not every element.",
    "heat_since": "Cells have run since these numbers were read.",
    "heat_keys": "Arrow keys choose a cell. Enter enlarges around it, Backspace goes back. Or drag over the cells.",
    # What a function makes of numbers that can be moved.
    "interact_draw": "Draw again",
    "interact_stale": "Not computed for these inputs. Below is what the function returned before.",
    "interact_still": (
        "This page was saved. It shows what the function returned for the inputs below; nothing computes here."
    ),
}
