"""Of gradients, links and conventions."""

SENTENCES: dict[str, str] = {
    # Gradient of a step of a recording, by `Step.status`.
    "ok": "It has a gradient.",
    "zero": "The gradient is exactly zero.",
    "nonfinite": "The gradient contains NaN or infinite numbers.",
    "not_reached": "No gradient: no differentiable step leads from here to the output.",
    "ended": "No gradient: the run ended before a backward pass could give it one.",
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
    "not_retained": ("No gradient here: no backward pass has reached it, or it was not kept (retain_grad() keeps it)."),
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
    # The table of conventions.
    "conventions.title": "Conventions",
    "conventions.introduction": (
        "At some points a function has no derivative, or its formula has no number to give: the tip of a kink, two "
        "equal greatest elements, a division by 0. There a library has to choose. This is what AutoLab chooses, and "
        "why. A gradient is that of the sum of the values. The last column tells what PyTorch 2.13, JAX 0.10 and "
        "TensorFlow 2.21 give in float64. Where a NaN of your own came from, autolab.recording.find_nonfinite tells."
    ),
    "conventions.precision": "Dtypes and digits",
    "conventions.integers": (
        "A function that NumPy has treats integers as NumPy does: sums, products and negatives of small integers wrap "
        "around, and `exp` of uint8 is in float16. Every other function whose values are real numbers (activations, "
        "softmax and its kin, losses, normalization, average pooling, `linear`, convolutions) takes integers and "
        "booleans as real numbers: in the floating-point dtype that the inputs have in common, in float64 if all are "
        "integers. What chooses or moves elements keeps their dtype."
    ),
    "conventions.half": (
        "In float16 everything that sums, multiplies or has several steps is computed in float32 and rounded once, "
        "forward and backward: a mean of 70,000 numbers neither overflows nor stands still. Functions of matrices that "
        "LAPACK computes (`inv`, `solve`, `det`, `svd` ...) refuse float16."
    ),
    "conventions.digits": (
        "Values and first derivatives differ from the exact ones by at most 4 units in the last place times the "
        "condition: what comes of changing the inputs by as much. The tests compare with multiple precision over the "
        "whole range of float16, float32 and float64. Not so:"
    ),
    "conventions.not_so": (
        "- The derivative of `tanh` is computed from the value, 1 - y**2: its error is one unit beside 1, and it is 0 "
        "where the value is 1. Another formula would cost as much as the function itself in every backward.\n"
        "- Numbers below the least normal one (2.2e-308; 1.2e-38 in float32; 6.1e-5 in float16) have fewer digits, and "
        "so has what is computed from them: gradients of that size may be 0, and those of `hypot` and `pow` have the "
        "digits of the value, also where it overflows. `silu`, `gelu` and `mish` lose digits there.\n"
        "- `norm` of another order than 1, 2 and infinity takes powers: 16 units.\n"
        "- `norm`, `var`, `std` and `mean_squared_error` square their inputs: above 1e154 (1e19 in float32) the result "
        "is infinite, below 1e-162 it is 0, as in NumPy. `hypot` scales its inputs and has no such limit.\n"
        "- Long sums are NumPy's, added in pairs: their error grows with the logarithm of the length.\n"
        "- `inv`, `solve`, `det`, `slogdet`, `cholesky`, `eigh` and `svd` are LAPACK's: exact for a matrix near the "
        "given one, which says little of a single element.\n"
        "- Second and higher derivatives are measured at a few points each, where formulas cancel."
    ),
    "conventions.point": "point",
    "conventions.computed": "computed",
    "conventions.value": "value",
    "conventions.gradients": "gradients",
    "conventions.because": "because",
    "conventions.refused": "refused",
    "conventions.elsewhere": "elsewhere",
}
