"""Of pictures of a graph, live or still."""

SENTENCES: dict[str, str] = {
    # Pictures.
    "hidden": "{count} steps (number {first} to {last}) are not drawn one by one: the graph has {total}.",
    "closed_view": "This view was closed, and a closed view keeps nothing. Run its cell again.",
    "closed": "{what} with {inside}, drawn as one box.",
    "is_function": "A call",
    "is_loop": "A loop",
    "is_pass": "One pass of a loop",
    "is_link": "A part",
    "is_statement": "One line of code",
    "is_stack": "A stack",
    "last_of_results": "Its value and gradient are those of the last of {count} results.",
    "too_many_boxes": "That would draw {count} boxes; {most} is the most. Close something first.",
    "covers": "Each cell covers up to {rows} × {columns} elements and shows the one of greatest magnitude.",
    "flattened": "The array of shape {shape} is shown as {rows} rows of {columns}, from {first} to {last}.",
    "reduced": "The recording keeps only reduced copies of {count}.",
    "pool": "Memory of the GPU: {used} in use of the {total} that the pool holds; {peak} at most during the run.",
    "first_rows": "These are the first {shown} of {total}.",
    "empty": "The array is empty.",
    "all_zero": "All elements are zero.",
    "by_asinh": "colours by asinh",
    "nan_count": "{count} NaN",
    "inf_count": "{count} inf",
    "nan_sign": "{count} NaN (×)",
    "inf_sign": "{count} infinite (+, −)",
    "too_large": "The picture would be larger than {limit} kB; this is the text.",
    "no_typst": (
        "{path}: writing {kind} needs the package 'typst': pip install 'jupyter-autolab[pictures]'. Or save as .svg."
    ),
    "no_ffmpeg": (
        "{path}: writing .mp4 needs the program ffmpeg, which was not found: pip install imageio-ffmpeg brings it. "
        "Or save as .gif."
    ),
    "long_film": "{path}: the walk has {count} moments; a film shows 1 to {most}.",
    "unknown_direction": "scene: got the direction {wanted}; expected one of {expected}",
    "unknown_suffix": "save: got the suffix {suffix!r} in {path}, expected one of {expected}",
    # Where a run was ended by an error, and what if a value were another one.
    "raised_forward": "{place} raised {type}{message}. The graph ends there.",
    "raised_backward": "{place}: {rule} raised {type}{message}. All values are there, the gradients end there.",
    "raised_rule": "the gradient rule of {function}",
    "raised_rules": "the backward pass",
    "raised_nowhere": "The run",
    "raised_called": "called in line {line}",
    "raised_given": "{function} was given {given}.",
    "cut_off": "cut off by {type}",
    "replaced": (
        "What if: {given}, put in place of what was computed. What follows is computed from that; no gradient goes "
        "through it to what it would have been computed from."
    ),
    "replaced_step": "Its value replaces the computed one, so it passes no gradient on.",
    "line_raised": "raised {type}",
    "line_unreached": "not reached",
    "unreached_one": "Line {lines} was not reached.",
    "unreached": "Lines {lines} were not reached.",
    # The view as a file.
    "take": "Save as…",
    "take_png": "Picture (PNG)",
    "take_svg": "Picture (SVG)",
    "take_pdf": "Sheet (PDF)",
    "take_html": "Page to step through (HTML)",
    "take_page": "Page (HTML)",
    # The flow through a graph, and what is wrong with it.
    "scale_view": "a scale for values, one for gradients; dotted: exactly 0",
    "scale_view_moves": "a scale for values, one for tangents; dotted: exactly 0",
    "scale_own": "each array to its own largest number, written above it; dotted: exactly 0",
    "plan_bars": ("Bars: typical size (rms) of the value, {value}, and of the gradient, {gradient}; logarithmic."),
    "flow_value": "value (norm)",
    "flow_gradient": "gradient (norm)",
    "flow_ratio": "gradient / value (norms)",
    "flow_time": "time (both passes)",
    "flow_bytes": "bytes",
    "health_nan": "NaN is in the value or the gradient of {count}.",
    "health_infinite": "Infinite numbers are in the value or the gradient of {count}.",
    "health_vanishing": (
        "The gradient vanishes at {count}: its norm is less than a thousandth of that at {reference}. "
        "The smallest is {size}, at {worst}."
    ),
    "health_exploding": (
        "The gradient explodes at {count}: its norm is more than a thousand times that at {reference}. "
        "The largest is {size}, at {worst}."
    ),
    "health_dead": (
        "Dead units at {count}: at {worst}, {size} of {total} are 0 for every example, so no gradient gets through."
    ),
    "health_saturated": (
        "Saturated at {count}: at {worst}, {size} of {total} numbers are next to a bound, where the slope is almost 0."
    ),
    "health_clamped": "Held at a bound at {count}: at {worst}, {size} of {total} numbers, whose gradient is 0 there.",
    "health_none": "No NaN, no infinities, no vanishing or exploding gradients, no dead or saturated units.",
    "nan_given": "The first NaN was given: it is in {what}.",
    "nan_written": "The first NaN is a number written in {what}{place}.",
    "nan_computed": "The first NaN came up in the {phase} pass, at {what}{place}.",
    "nan_added": "The first NaN came up in the backward pass, where the shares of the gradient of {what} are added.",
    "nan_because": "It was computed from an infinity that came up at {what}{place}.",
    "nan_reached": "From there it reached {values} and {gradients}.",
    "nan_nothing": "From there it reached nothing else.",
    "origin_none": "All values and gradients are finite.",
    "origin_given": "{what} was given: it is in {source}.",
    "origin_written": "{what} is a number written in {source}{place}.",
    "origin_computed": "{what} came up in the {phase} pass: {function} made it at {source}{place}.",
    "origin_added": "{what} came up in the backward pass, where the shares of the gradient of {source} are added.",
    # Live views.
    "find_reach": "Finds steps in closed groups and out of sight; the browser's own search finds only what is drawn.",
    "rest": "Drag {what}, or click a box to see where its gradient comes from.",
    "rest_plan": "Click a block to open it; Escape closes it. At any other box a click shows its gradient.",
    "rest_none": "Drag {what}. There is no gradient here: click a box to see why.",
    "rest_number": "a blue number",
    "rest_cell": "a cell of an input up or down",
    "rest_fixed": "Click a box to see where its gradient comes from.",
    "rest_neither": "There is no gradient here: click a box to see why.",
    "live_stale": "Not computed for these inputs. The graph shows the last point that could be computed.",
    "live_refused": "The marked box needs a number, such as -0.5 or 2e-3.",
    "live_ended": "The graph shows what was computed up to there.",
    "what_if": "What if it were",
    "what_if_each": "What if each element were",
    "what_if_undo": "As computed",
    "live_silent": "The kernel does not answer: it is busy or not running. If it is not running, run the cell again.",
    "still": "This page was saved. You can look at any step, but not move the inputs: nothing computes here.",
    "graph_still": (
        "The steps that made this value. They are not run again, so you cannot move the inputs: "
        "explore(fn, x=...) runs a function and lets you."
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
    "values_missing": "The graph keeps {kept} of its {count} values; record() keeps all of them.",
    "no_gradient": "Nothing is differentiated here: the result depends on no value that could have a gradient.",
    "steps_elsewhere": (
        "Some values were computed before the function ran, or in another thread: their steps are not shown."
    ),
    "values_changed": (
        "The values do not belong together: an array was changed in place after it was used, as by x.data[...] = v."
    ),
    "box_not_kept": "not kept",
    "value_not_kept": "It has a gradient; its value was not kept.",
    "order_from": "{term} came from {parts}.",
    "order_gathers": "{term} gathers {count} equal terms: from {parts}.",
    "order_origin": "{term}, where {factor} was differentiated",
    "order_origin_whole": "{term}, which was differentiated",
    "orders_rest": "Point at a term to see what it came from and what became of it.",
    "orders_point": "Point at a term to see what it came from and what became of it; drag the blue point.",
    "orders_not_read": "This program has no readable formulas: the graphs are shown as computed.",
    "orders_end": "{name} does not depend on {wrt}: all further derivatives are zero.",
    "page_no_picture": "This page holds no picture with that group open. explore() in a notebook draws it.",
    "page_no_walk": "This page is without the walk, which has {count} moments: explore() in a notebook plays it.",
    "page_moves": "Drag {what}: this page computes the values and gradients itself.",
    "page_moved": "Computed in this page. The walk and the formulas were those of the saved numbers, so they are gone.",
    "page_playground": "Open this code in the playground, where all of it can be changed",
    "page_elsewhere": "The function takes another branch there, or rounding decides; that needs Python.",
    "page_apart": "The inputs cannot be moved: this browser's results differ from Python's.",
    "moves_no_function": "This page was saved without its function, so the inputs cannot be moved.",
    "moves_other_view": (
        "The inputs cannot be moved on a saved page: derivatives, tangents and replaced steps need Python."
    ),
    "moves_device": "The inputs cannot be moved on a saved page: they are on a GPU.",
    "moves_needs": "This page was saved. Moving the inputs needs Python: {what}.",
    "moves_changes": "the function does not do the same each time",
    "moves_writes": "the function changes {name} when it runs",
    "moves_too_large": "too many numbers",
    "page_others_closed": "Other groups were closed to show that: this page holds only some pictures of the graph.",
    "live_saved": "A saved picture: no kernel answers. Run the cell to move its inputs.",
    "live_gone": "The kernel is gone. Run the cells with the names that this picture uses, and then its own cell.",
    "since_reached": "Changed since these numbers were computed: {names}.",
    "since_given": "Changed in the notebook: {names}. This view goes on with its own copy; run the cell to take it.",
    "since_redefined": "{name} has been redefined. This view still shows the function as it was; run the cell again.",
    "since_mode": "The notebook is in {mode} mode now; this view is not.",
    "live_computing": "computing…",
    "live_old": "The graph still shows the previous point.",
    "live_stopping": "stopping at the function's next step, or when the current operation ends",
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
    # Heatmaps of arrays.
    "heat_still": "This page was saved. Point at a cell to read its number.",
    "heat_stale": "The heatmaps are those that were drawn before.",
    "heat_covers": (
        "Each cell covers up to {rows} × {columns} of {total} elements and shows the one of greatest magnitude."
    ),
    "heat_planes": "The planes {first} to {last} lie side by side.",
    "heat_alike": "The colours start at zero, so numbers this close together look alike.",
    "heat_zeros": "{share} of the elements are exactly 0.",
    "heat_false": "{share} of the elements are False.",
    "heat_sampled": "The histogram counts 1 of {stride} elements.",
    "heat_counts_blocks": "The histogram counts the largest element of each block that was kept, not every element.",
    "attention_example": "Example",
    "attention_examples": "Shown here: {shown} of {of} examples.",
    "attention_head": "head {head}",
    "attention_heads": "Shown here: {shown} of {of} heads.",
    "attention_looks": "“{row}” looks at “{column}”",
    "attention_positions": "position {row} looks at position {column}",
    "attention_rows": "Each row is a token that looks, each column a token that it looks at.",
    "heat_since": "Cells have run since these numbers were read.",
    "heat_rest": "Point at a cell to read its number; drag over cells to enlarge them.",
    # What a function makes of numbers that can be moved.
    "interact_draw": "Draw again",
    "interact_rest": "Move a slider, or type a number: the picture follows.",
    "interact_stale": "Not computed for these inputs. The picture shows what the function returned before.",
    "interact_still": "This page was saved. It shows what the function gave for these inputs; nothing computes here.",
    "interact_still_places": (
        "Move a slider. This page holds what the function returns for {count} combinations of its inputs, and shows "
        "the nearest one."
    ),
    # What autolab.compile made of a function.
    "compile.programs": "Compiled for {kinds} of call.",
    "compile.program": "Program {number}",
    "compile.seconds": "Its fastest run took {took}; the function as it is written took {before}.",
    "compile.backward": "backward of {line}",
    "compile.left": "Steps that are left: {left} of {total}.",
    "compile.buffers": "{results} lie in {held} of {size} in all, which every run uses again.",
    "compile.refused": "Some calls run as they are written: {why}.",
    "compile.buffer": "into buffer {number}",
    "compile.block": "in blocks, with the steps around it",
    "compile.new array": "into a new array",
    "compile.in place": "in place",
    "compile.view": "a view, no copy",
    "compile.check": "checked in each run",
    "compile.update": "runs as it is written",
    "compile.same": "left out: it gives the same as step {number}",
    "compile.constant": "left out: it gives the same in every run",
    "compile.dropped": "left out: nothing needs it",
}
