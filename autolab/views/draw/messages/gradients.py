"""Of gradients and of the check lens, of links and conventions."""

SENTENCES: dict[str, str] = {
    # Gradient of a step of a recording, by `Step.status`.
    "ok": "It has a gradient.",
    "zero": "The gradient is exactly zero.",
    "nonfinite": "The gradient contains NaN or infinite numbers.",
    "keep_result": "To learn why, give the result a name, as in `loss = f(x)`, call `loss.backward()`, and ask again.",
    "not_reached": "No gradient: no differentiable step leads from here to the output.",
    "ended": "No gradient: the run ended before a backward pass could give it one.",
    "constant": "No gradient: it is a constant.",
    "integer": "No gradient: integers and booleans have none.",
    "call_of_parts": "The gradients are at its results.",
    "zero_at": "The gradient is exactly zero: {function} passes nothing on{why}.",
    "zero_at_dead": ", as its input is negative or 0 where its result matters",
    "zero_at_flat": ", as it is saturated: its slope there is 0 but for rounding",
    "zero_at_factor": ", as the other factor is 0, or too small to count, where its result matters",
    "zero_at_step": ", as it is flat: its derivative is 0",
    "zero_started": "The gradient is exactly zero: the backward pass started with zeros.",
    "zero_sum": "The gradient is exactly zero: its shares are not zero, but they cancel.",
    "nonfinite_at": "The gradient contains NaN or infinite numbers: the first came up in the backward of {function}.",
    "nonfinite_born": (
        "The gradient contains NaN or infinite numbers: the first was produced by {function}, in the {phase} pass, "
        "at {source}{place}."
    ),
    "nonfinite_started": "The gradient contains NaN or infinite numbers: the backward pass started with them.",
    "nonfinite_sum": "The gradient contains NaN or infinite numbers: its shares do not, but their sum does.",
    # What left the graph; of one step, and of the whole recording.
    "left": "{place}: {source} left the graph. What is computed from that adds nothing to {whose}.",
    "left_changed": "{place}: {source} changed an array without the graph. The change is not counted in {whose}.",
    "left_no_grad": "{place}: {source} was computed under no_grad. What is computed from it adds nothing to {whose}.",
    "left_more": "The same is true of {count} more.",
    "this_gradient": "this gradient",
    "no_gradients": "any gradient",
    "gradient_of_one": "the gradient of {names}",
    "gradients_of": "the gradients of {names}",
    # Gradient of a Variable that stands alone.
    "given": "The gradient was set by hand: a backward pass that starts here begins with it.",
    "stale": "The gradient is stale: the value has been changed since it was computed.",
    "accumulated": "The gradient is the sum of {count} backward passes: it was not cleared in between (cleargrad()).",
    "accumulated_stale": (
        "The gradient is the sum of {count} backward passes, not cleared in between, and the value has changed since."
    ),
    "cleared": "No gradient now: it was cleared after a backward pass.",
    "cleared_before": "An earlier gradient was cleared.",
    "start": "No gradient is kept here: the last backward pass started here, with {upstream}.",
    "start_array": "an array that it was given",
    "passed": "No gradient here: the last backward pass went through, but was not asked to keep it (retain_grad=True).",
    "not_passed_on": "No gradient: the functions between it and {output} passed none on to it.",
    "not_input": (
        "No gradient: the last backward pass, from {output}, did not reach it. That value does not depend on it, or "
        ".data, detach(), np.asarray or no_grad cut the link."
    ),
    "detached": (
        "No gradient: the last backward pass, from {output}, did not reach it. Its numbers are used there, but as a "
        "plain array (.data, detach() or np.asarray), which has no gradient."
    ),
    "not_computed": "No gradient yet: no backward pass has reached it.",
    "not_kept": (
        "No gradient here: a backward pass keeps none for a value in between, unless it is asked to "
        "(backward(retain_grad=True), or retain_grad() before it)."
    ),
    "not_retained": "No gradient here: no backward pass has reached it, or it was not kept (retain_grad() keeps it).",
    "not_required": (
        "No gradient: none is required. "
        "It was made with requires_grad=False, under no_grad(), by grad(), or from such values."
    ),
    "no_size": "No size yet: it comes with the first input.",
    # Links and optimizers.
    "link_total": "{params} in {arrays}, {size}.",
    "link_strips": "Only the first {shown} arrays have pictures; look at a part of the model to see its own.",
    "link_empty": "It has no parameters.",
    "link_pending": "{count} without a size yet: the first call gives it.",
    "optimizer_ready": "It has made {updates}.",
    "optimizer_without_target": "It has no model yet: call setup(model).",
    # The table of conventions.
    "conventions.title": "Conventions at kinks and poles",
    "conventions.introduction": (
        "At some points a function has no derivative, or its formula has no number to give: the tip of a kink, two "
        "equal largest elements, a division by 0. There a library has to choose. These tables say what AutoLab "
        "chooses, and why. Gradients are those of the sum of the values. The last column says what PyTorch 2.13, JAX "
        "0.10 and TensorFlow 2.21 give in float64. To find where a NaN of your own came from, call "
        "`autolab.recording.find_nonfinite`."
    ),
    "conventions.precision": "Dtypes and digits",
    "conventions.integers": (
        "A function that NumPy has treats integers as NumPy does: sums, products and negatives of small integers wrap "
        "around, and `exp` of uint8 is in float16. Every other function whose values are real numbers (activations, "
        "the softmax family, losses, normalization, average pooling, `linear`, convolutions) takes integers and "
        "booleans as real numbers: in the floating-point dtype that the inputs have in common, in float64 if all are "
        "integers. Functions that only choose or move elements keep their dtype."
    ),
    "conventions.half": (
        "In float16 everything that sums, multiplies or has several steps is computed in float32 and rounded once, "
        "forward and backward: a mean of 70,000 numbers neither overflows nor gets stuck. Functions of matrices that "
        "LAPACK computes (`inv`, `solve`, `det`, `svd` ...) refuse float16."
    ),
    "conventions.digits": (
        "Values and first derivatives differ from the exact ones by at most 4 units in the last place times the "
        "condition: what comes of changing the inputs by as much. The tests compare with multiple precision over the "
        "whole range of float16, float32 and float64. The exceptions:"
    ),
    "conventions.not_so": (
        "- The derivative of `tanh` is computed from the value, 1 - y**2: its error is one unit beside 1, and it is 0 "
        "where the value is 1. Another formula would cost as much as the function itself in every backward.\n"
        "- Numbers below the smallest normal one (2.2e-308; 1.2e-38 in float32; 6.1e-5 in float16) have fewer digits, and "
        "so has what is computed from them: gradients of that size may be 0, and those of `hypot` and `pow` have the "
        "digits of the value, also where it overflows. `silu`, `gelu` and `mish` lose digits there.\n"
        "- `norm` of another order than 1, 2 and infinity takes powers: 16 units. Gradients of `normalize`: 8.\n"
        "- The gradients of `layer_norm`, `batch_norm`, `group_norm`, `instance_norm` and `rms_norm` are differences "
        "of terms: 4 units of the largest `g * gamma / sqrt(var + eps)` in the row, and as many times more as its "
        "largest `x` exceeds its spread. On a GPU the squares of numbers above 1e154 (1e19 in float32) are infinite "
        "there, and the result is 0; in NumPy such numbers are scaled first.\n"
        "- `norm`, `var`, `std` and `mean_squared_error` square their inputs: above 1e154 (1e19 in float32) the result "
        "is infinite, below 1e-162 it is 0, as in NumPy. `hypot` scales its inputs and has no such limit.\n"
        "- Long sums are NumPy's, added in pairs: their error grows with the logarithm of the length.\n"
        "- `inv`, `solve`, `det`, `slogdet`, `cholesky`, `eigh` and `svd` are LAPACK's: exact for a matrix near the "
        "given one, which says little about a single element.\n"
        "- Second and higher derivatives are measured at a few points each, where formulas cancel."
    ),
    "conventions.point": "point",
    "conventions.computed": "computed",
    "conventions.value": "value",
    "conventions.gradients": "gradients",
    "conventions.because": "because",
    "conventions.refused": "refused",
    "conventions.elsewhere": "elsewhere",
    # The check lens, and the charts of a check.
    "lens_right": "Right",
    "lens_wrong": "Wrong",
    "lens_cannot tell": "Cannot tell",
    "lens_right_says": "Every gradient agrees with its numeric derivative.",
    "lens_right_input": "The gradient of {input} agrees with its numeric derivative.",
    "lens_cannot tell_says": "Nothing is proved wrong, but not everything could be checked.",
    "lens_analytic": "analytic",
    "lens_numeric": "numeric",
    "lens_error": "error",
    "lens_analytic_says": "what backward computed",
    "lens_numeric_says": "measured by moving the input",
    "lens_error_says": "how far apart; in colour if wrong",
    "lens_tolerance": "allowed",
    "lens_value": "value of the input",
    "lens_none": "backward gave no gradient",
    "lens_partly": "{count} of {total} elements were measured one by one; the grey cells hold none of them.",
    "lens_partly_right": "All of them were checked together, along random directions, and agree.",
    "lens_partly_wrong": "Some of these are wrong; how many of the others are wrong too is not known.",
    "lens_partly_halved": (
        "Random directions through all of them disagree. So does each of the ever smaller blocks that are tinted, down "
        "to the marked element; others may be wrong too."
    ),
    "lens_partly_untraced": "Along a random direction through all of them the gradient is slightly off: see below.",
    "lens_partly_cannot tell": "Along random directions through all of them the check could not tell.",
    "lens_uncompared": "not compared: see below",
    "lens_not_here": "not measured by the check",
    "lens_too_far": "more than {times} times what is allowed",
    "lens_beyond": "beyond what is allowed",
    "lens_untold": "cannot tell",
    "lens_within": "within what is allowed",
    "lens_element": "{name}{index}",
    "lens_direction": "all of {name}, in random direction {seed}",
    "lens_step": "step h",
    "lens_steps": "Error over step h",
    "lens_taylor": "Taylor remainder",
    "lens_line_error": "|numeric \u2212 analytic|",
    "lens_line_rounding": "rounding (slope \u22121)",
    "lens_line_square": "falls with h\u00b2 (slope 2)",
    "lens_line_remainder": "what the gradient leaves unexplained",
    "lens_line_first": "slope 1: wrong",
    "lens_line_second": "slope 2: right",
    "lens_line_noise": "rounding",
    "lens_steps_agree": "At h = {step} they differ by only {error}: gradient and numeric derivative agree.",
    "lens_steps_apart": (
        "However small the step, the two stay about {error} apart: the finite difference is not to blame."
    ),
    "lens_steps_close": (
        "The smaller the step, the closer the two come, until rounding takes over: at h = {step} they differ by "
        "only {error}."
    ),
    "lens_steps_open": "However small the step, the two stay about {error} apart; that alone proves no mistake here.",
    "lens_steps_small": "At h = {step} the two differ by only {error}, but that is more than rounding explains.",
    "lens_steps_exact": "At h = {step} the two are equal to the last digit.",
    "lens_steps_noise": "Rounding in the function hides the effect of the step size.",
    "lens_steps_unknown": "The function could not be evaluated around this point.",
    "lens_taylor_right": "The remainder falls with h to the power {order}: right.",
    "lens_taylor_wrong": "The remainder falls only with h to the power {order}: wrong.",
    "lens_taylor_kink": (
        "The remainder falls only with h to the power {order}: at a kink, where the slopes to both sides differ, it "
        "does so for every gradient."
    ),
    "lens_taylor_open": "The remainder falls with h to the power {order}; here that alone says nothing.",
    "lens_taylor_hidden": "The remainder falls with h to the power {order}: the error does not show in it.",
    "lens_taylor_between": "The remainder falls with h to the power {order}: that is between right (2) and wrong (1).",
    "lens_taylor_none": "There is no remainder: the gradient explains every change.",
    "lens_taylor_noise": "Too little changes, or there is too much rounding, to tell.",
    "lens_moved_on": (
        "The function now gives the gradient {now} here, not {then}: something that it uses has changed. Check again."
    ),
    "lens_drawn": "The gradients are for a random upstream gradient.",
    "lens_draw": "random upstream gradient: draw {seed}",
    "lens_draw_given": "random upstream gradient: as checked",
    "lens_again": "Check with another draw",
    "lens_order": "Order",
    "lens_colors": "Colours",
    "lens_along": "Move all of it in a random direction",
    "lens_inputs": "Input",
    "lens_why": "Why",
    "lens_back": "Back",
    "lens_graph": "Graph of the function",
    "lens_backward": "The backward of {function} \u00b7 {file}",
    "lens_stale": "This could not be computed. What is shown is what was known before.",
    "lens_stopped_asked": "The measurement was stopped. Choose an element to measure again.",
    "lens_stopped_seconds": "The measurement took longer than {seconds:g} seconds, so it was stopped.",
    "lens_formula_written": "your rule computes",
    "lens_formula_written_piece": "there your rule computes",
    "lens_formula_right": "measured is",
    "lens_formula_term": "the missing term",
    "lens_not_saved": "This page holds no measurements along this element. It has those of the worst of each input.",
    "lens_still": "This page was saved: second order, and checking again, take a kernel.",
    "lens_still_orders": "This page was saved: checking again takes a kernel.",
    "lens_rest": "Click a cell to see why.",
}
