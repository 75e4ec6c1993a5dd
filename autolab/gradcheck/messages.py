"""Every sentence that a gradient check says, and which findings are innocent.

This catalogue is the check's own: `views.draw.messages` is that of the views, and nothing here may import views. A
sentence says what the evidence shows, never the finished formula.
"""

from __future__ import annotations

from typing import Literal

from ..numerals import precise

Verdict = Literal["right", "wrong", "cannot tell"]

Kind = Literal[
    "wrong_sign",
    "wrong_factor",
    "swapped_inputs",
    "rearranged",
    "wrong_shape",
    "unreduced_broadcast",
    "missing_dependency",
    "local_error",
    "upstream_ignored",
    "missing_term",
    "wrong_function",
    "left_graph",
    "inplace",
    "nondeterministic",
    "kink",
    "low_precision",
    "cannot_verify",
]

INNOCENT: frozenset[Kind] = frozenset({"kink", "low_precision", "cannot_verify"})
"""Findings that explain a verdict and never make a check fail."""

SENTENCES: dict[str, str] = {
    # contracts
    "nondeterministic.forward": (
        "{function} gives different results for the same inputs, so no numeric gradient can be trusted. If it "
        "draws random numbers, let every call draw the same ones."
    ),
    "nondeterministic.backward": (
        "The backward of {function} gives different gradients for the same inputs and the same upstream gradient, "
        "although the forward does not change: {first} and {second} for {input}."
    ),
    "inplace.input": "{function} changes its input {input} in place.",
    "inplace.input_backward": "The backward of {function} changes its input {input} in place.",
    "inplace.upstream": "The backward of {function} changes the upstream gradient in place.",
    "inplace.output": "The backward of {function} changes a result of the forward in place.",
    "inplace.later_call": "A later call of {function} changes the result of an earlier one: both share an array.",
    "inplace.later_gradient": (
        "A later call of {function} changes the gradient of an earlier one: {first} becomes {second} for {input}."
    ),
    "inplace.kept": "{error}",
    "inplace.by_backward": "The backward of {function} changes what it needs again: {error}",
    "inplace.lasting": (
        "The backward of {function} changes {kept} in place, which outlives the call: with the same inputs it gives "
        "another gradient of {input} every time ({first}, then {second})."
    ),
    "inplace.again": (
        "A second backward on the same graph gives another gradient for {input} ({first}, then {second}): the "
        "first one changed something that it needs."
    ),
    "wrong_shape": "{error}",
    # gradients
    "upstream_ignored": ("The gradient of {input} does not follow the upstream gradient: {why}."),
    "upstream_ignored.zero": "for an upstream gradient of zeros it is {value} and not 0",
    "upstream_ignored.same": "two different upstream gradients give the same result",
    "wrong_function.nonlinear": (
        "The gradient of {input} is not linear in the upstream gradient: for minus the sum of two upstream gradients "
        "it is {together}{where}, and minus the sum of their gradients is {separate}."
    ),
    "swapped_inputs": (
        "The gradients of {input} and {other} are swapped: {input} gets what belongs to {other}, and the reverse."
    ),
    "swapped_inputs.rotated": "The gradients of {everyone} are rotated: {gets}.",
    "missing_dependency": (
        "{function} depends on {input}, but its gradient is {given}; numerically it is {numeric}{where}."
    ),
    "wrong_sign": "The gradient of {input} has the wrong sign: {analytic} instead of {numeric}{where}.",
    "wrong_factor": (
        "The gradient of {input} is {factor} times what it should be: {analytic} instead of {numeric}{where}."
    ),
    "local_error": (
        "The gradient of {input} is wrong at {count} of {all}{region}; the worst is {analytic} instead "
        "of {numeric}{where}. The others agree."
    ),
    "rearranged": (
        "The gradient of {input} has the right numbers in wrong places: {how}. It is {analytic} instead of "
        "{numeric}{where}."
    ),
    "rearranged.transposed": "rows and columns are exchanged",
    "rearranged.axes": "its axes are in the order {order}",
    "rearranged.flipped": "it is reversed along {axes}",
    "rearranged.shifted": "it is shifted along axis {axis} by {by}",
    "rearranged.offset": (
        "the upstream gradient is read from place {first} along axis {axis}, and the part of this input begins at its "
        "offset {right}"
    ),
    "rearranged.upstream": "the upstream gradient is used in another order ({how})",
    "rearranged.product": (
        "The gradient of {input} multiplies the right matrices, but in the wrong order, or one of them is not "
        "transposed. It is {analytic} instead of {numeric}{where}."
    ),
    "rearranged.jacobian": "it is the product with the Jacobian and not with its transpose",
    "unreduced_broadcast": (
        "{input} was broadcast, and its gradient must add up all copies: {how}. It is {analytic} instead of "
        "{numeric}{where}."
    ),
    "unreduced_broadcast.slice": "only place {place} along axis {axis} of the result counts",
    "missing_term": (
        "One part of the gradient of {input} is at fault: {how}. It is {analytic} instead of {numeric}{where}."
    ),
    "missing_term.slice": "only place {place} along axis {axis} of the result counts",
    "missing_term.result": "what comes through result {result} is missing",
    "missing_term.sign": "what comes through result {result} has the wrong sign",
    "missing_term.row_missing": "the sum over axis {axis}, which all elements of a row share, is missing",
    "missing_term.row_sign": "the sum over axis {axis}, which all elements of a row share, has the wrong sign",
    "missing_term.diagonal": "each element counts for one result only, and other results depend on it too",
    "missing_term.path": "what comes through {function} is missing",
    "missing_term.path_sign": "what comes through {function} has the wrong sign",
    "local_error.sign": ", those with {input} {sign}",
    "local_error.above": ", those with {size} of {bound} or more (right up to {right})",
    "local_error.below": ", those with {size} of {bound} or less (right from {right} on)",
    "local_error.place": ", those in {place}",
    "local_error.left_out": ", those in {place}, whose gradient is left out (it is 0)",
    "local_error.zero": ", those where it should be 0",
    "wrong_function": (
        "The gradient of {input} disagrees at {count} of {all}; the worst is {analytic} instead of {numeric}{where}."
    ),
    "wrong_function.chain": (
        "A factor of the gradient of {input} is missing: {how}. It is {analytic} instead of {numeric}{where}."
    ),
    "wrong_function.step": "what comes back through {function} is not multiplied by the derivative of {function}",
    "wrong_function.inner": "what comes back through {function} is not multiplied by the inner derivative",
    "wrong_function.stale": (
        "The gradient of {input} does not follow {input}: it is still {analytic}{where}, as at the given point, and "
        "not {numeric}."
    ),
    "wrong_function.scalar": "The gradient of {input} is {analytic}; numerically it is {numeric}.",
    "wrong_function.nan": (
        "The gradient of {input} is {analytic}{where}, although the function is smooth there: numerically it is "
        "{numeric}."
    ),
    "left_graph": (
        "{what}. What becomes of that is not counted in the gradient of {input}: it is {analytic} instead of "
        "{numeric}{where}."
    ),
    "left_graph.more": " That is not all that is wrong with it.",
    "left_graph.place": "Line {line}",
    "left_graph.elsewhere": "{file}, line {line}",
    "left_graph.left": "{place}: `{source}` left the graph",
    "left_graph.changed": "{place}: `{source}` changed an array without the graph",
    "left_graph.no_grad": "{place}: `{source}` was computed under no_grad",
    "all": "{total} elements",
    "all.measured": "the {total} elements that were measured",
    # where to look
    "hint.term": "The term is {term}.",
    "hint.rule": "Your rule computes {written}; measured is {right}.",
    "hint.rearranged.product": "For y = a @ b it is ga = g @ b.T and gb = a.T @ g.",
    "hint.swapped_inputs.rotated": "Look at the order in which backward returns them.",
    "hint.wrong_sign": "Look for a minus sign that is missing, or one too many.",
    "hint.wrong_factor": "Look for a number that is forgotten or counted twice, or for a sum and a mean mixed up.",
    "hint.swapped_inputs": "Look at the order in which backward returns them.",
    "hint.rearranged": "Look for a transposition, an order of axes or a slice.",
    "hint.wrong_shape": "The gradient of an input has the shape of that input.",
    "hint.wrong_shape.count": "Return one gradient for each input, in their order.",
    "hint.unreduced_broadcast": "An element that was broadcast acts in many places, and they all count.",
    "hint.missing_dependency": "Look where {input} enters the forward.",
    "hint.local_error": "Look at what the forward does differently for these elements: a condition, a limit, an index.",
    "hint.upstream_ignored": "Every term must be multiplied by the upstream gradient.",
    "hint.missing_term": "Follow every way on which {input} reaches the results: the ways add up.",
    "hint.wrong_function": "Differentiate the forward once more, one step at a time.",
    "hint.wrong_function.chain": "The chain rule multiplies the derivatives of all steps, one after the other.",
    "hint.wrong_function.stale": "Look for a value that an earlier call has left behind.",
    "hint.wrong_function.nonlinear": (
        "Look at what is done to the upstream gradient: it may be multiplied and summed, not rounded or cut off."
    ),
    "hint.left_graph": "NumPy's functions stay in the graph: np.sin(x), not math.sin(x); x, not float(x) or x.data.",
    "hint.left_graph.changed": "np.where(mask, new, old) gives a new array, with its gradient.",
    "hint.left_graph.no_grad": "What belongs to the result is computed outside no_grad().",
    "hint.inplace.shared": "What a call keeps for its backward must be its own: no global, no attribute of the class.",
    "hint.inplace": "Work on copies: what others still need must stay as it is.",
    "hint.nondeterministic": "Look for random numbers, and for values that a call leaves behind for the next.",
    "hint.backward": "See {function}.backward (line {line} of {place}).",
    "hint.cell": "the cell",
    "nearby": " This shows at a point nearby ({point}), not at the given one.",
    # the innocent ones
    "kink": (
        "{function} has a kink in {input}{where}: its slope is {low} on one side and {high} on the other, and the "
        "gradient {analytic} {judgement}."
    ),
    "kink.between": "lies between them",
    "kink.outside": "lies outside",
    "low_precision.native": (
        "In {dtype} the gradient of {input}{where} comes out as {first}, in float64 as {second}: that is a limit "
        "of {dtype}."
    ),
    "low_precision.rounded": "The gradient of {input} is rounded to float32 on its way.",
    "low_precision.forward": (
        "{function} computes in {dtype} inside, although its inputs are float64: its results are good to about "
        "{digits} digits only. Keep float64 throughout, or give it {dtype} inputs."
    ),
    "low_precision.backward": (
        "The gradient of {input} is computed in {dtype} on its way, although the input is float64: it is good to about "
        "{digits} digits only, and {analytic} instead of {numeric}{where}. Keep float64 throughout."
    ),
    "low_precision.lifted": "The inputs were taken to float64 for the comparison.",
    "low_precision.not_lifted": "{function} does not run in float64, so the comparison is as coarse as {dtype}.",
    "cannot_verify.domain": (
        "The slope of {function} in {input}{where} cannot be measured: it is infinite there, jumps, or the "
        "function is not defined on both sides."
    ),
    "cannot_verify.raises": "Near the given point {function} raises {error}, so {input}{where} cannot be measured.",
    "cannot_verify.noise": "{function} is too noisy to measure its slope in {input}{where}: {numeric} ± {error}.",
    "cannot_verify.nan": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. At a single point this may be"
        " a limit of the arithmetic."
    ),
    "cannot_verify.infinite": (
        "Not all results of {function} are finite here, and the gradient of {input} is {analytic}{where}; there is"
        " nothing to measure it against."
    ),
    "cannot_verify.stairs": (
        "In {dtype} {result} of {function} has no digits for the slope in {input}{where}: small steps leave it "
        "the same, and at a step of {step} it jumps by {jump}, as rounding makes it. The gradient {analytic} may be "
        "right or wrong."
    ),
    "cannot_verify.steep_stairs": (
        "In {dtype} {result} of {function} has too few digits for the slope in {input}{where}: besides its steady "
        "moves it jumps by {jump} at a step of {step}, as rounding makes it. The gradient {analytic} may be right or "
        "wrong."
    ),
    "cannot_verify.underflow": (
        "In {dtype} {result} of {function} underflows: it stays {value} until {input}{where} has moved by {step}. The "
        "gradient {analytic} may be right or wrong."
    ),
    "cannot_verify.rounding": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. In {dtype} terms cancel here but "
        "for their last digits, so it may be right or wrong."
    ),
    "cannot_verify.still": (
        "In {dtype} nothing in the results of {function} changes with {input}{where}; the gradient {analytic} would "
        "move them by less than their rounding, so it may be right or wrong."
    ),
    "cannot_verify.result": "the result",
    "cannot_verify.result_of": "result {place}",
    "cannot_verify.range": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. On the way to it there is an "
        "{limit} in {dtype}, so nothing can be said about backward."
    ),
    "cannot_verify.probes": (
        "{input} has too many kinks or too much noise to be measured along random directions: only {count} of its "
        "{total} elements were measured."
    ),
    "cannot_verify.untraced": (
        "Along a random direction through all {total} elements of {input} the gradient is off, but at none of the "
        "{count} that were measured: many may be off by very little, or it is rounding."
    ),
    "cannot_verify.empty": "There is no element to compare.",
    "cannot_verify.loud": "{function} is too noisy to measure its slope in {input}{where}.",
    # checks with given tolerances
    "mismatch.title": "{caller}({function}): {verdict}",
    "mismatch.unmeasured": (
        "The gradient of {input}{where} is {analytic}. It cannot be measured: there a result is not finite."
    ),
    "mismatch.element": (
        "The gradient of {input}{where} is {analytic}; numerically it is {numeric}, and they may be {allowed} apart."
    ),
    "mismatch.entry": (
        "The derivative of {result}{result_where} by {input}{where} is {analytic}; numerically it is {numeric}, and "
        "they may be {allowed} apart."
    ),
    "mismatch.direction": (
        "Along a random direction through all elements of {input} the gradient gives the slope {analytic}; numerically "
        "it is {numeric}, and they may be {allowed} apart."
    ),
    "mismatch.count": "{count} of {total} disagree.",
    "mismatch.probed": "Random directions led to this element; how many others disagree is not known.",
    "mismatch.doubtful": (
        "That is no proof of a mistake: differences with other steps than {eps} find none. The function curves, rounds "
        "or bends too much within such a step, or cannot be measured here. Choose another eps (for check_backward also "
        "dtype=np.float64), or use check_gradients, which chooses its steps itself."
    ),
    "mismatch.forward": "gives different results for the same inputs, so no numeric gradient can be trusted",
    "mismatch.backward": "gives different gradients of {input} for the same inputs and the same upstream gradient",
    # the Taylor-remainder test
    "taylor.right": (
        "taylor_test({function}): right. What the gradient leaves of a change falls with the step to the power {order}."
    ),
    "taylor.wrong": (
        "taylor_test({function}): wrong. What the gradient leaves of a change falls only with the step to the power "
        "{order}; with a right gradient it is 2."
    ),
    "taylor.kink": (
        "taylor_test({function}): cannot tell. The function has a kink here: its slopes to both sides differ, and what "
        "any gradient leaves of a change falls only with the step to the power {order}."
    ),
    "taylor.hidden": (
        "taylor_test({function}): cannot tell. What the gradient leaves of a change falls with the step to the power "
        "{order} only, but rounding, underflow or overflow hides the slope here."
    ),
    "taylor.between": (
        "taylor_test({function}): cannot tell. What the gradient leaves of a change falls with the step to the power "
        "{order}; with a right gradient it is 2, with a wrong one 1."
    ),
    "taylor.none": "taylor_test({function}): right. The gradient explains every change; the function is linear here.",
    "taylor.noise": "taylor_test({function}): cannot tell. There is too little change, or too much noise.",
    # report
    "title": "check_gradients({function}): {verdict}",
    "worst": "{analytic} against {numeric} numerically{where}",
    "coverage": "{count} of {total} elements measured, and random directions through all",
    "cost": "{evaluations} evaluations in {seconds}",
}


def say(key: str, **values: object) -> str:
    """The sentence ``key`` with ``values`` filled in.

    Examples
    --------
    >>> say("worst", analytic="2", numeric="3", where=" at [0, 1]")
    '2 against 3 numerically at [0, 1]'
    """
    return SENTENCES[key].format(**values)


number = precise
"""A number for a sentence."""


def apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart.

    Examples
    --------
    >>> apart(1.0, 2.0), apart(1.0, 1.00000012), apart(float("inf"), 3.0)
    (('1', '2'), ('1', '1.0000001'), ('∞', '3'))
    """
    for digits in range(6, 18):
        texts = number(first, digits), number(second, digits)
        if texts[0] != texts[1]:
            return texts
    return number(first), number(second)


def where(index: tuple[int, ...]) -> str:
    """`` at [1, 2]``; nothing for a 0-d array.

    Examples
    --------
    >>> where((1, 2)), where(())
    (' at [1, 2]', '')
    """
    return f" at {list(index)}" if index else ""


def shown(name: str, limit: int = 60) -> str:
    """A user's name as printable text on one line.

    Examples
    --------
    >>> shown("a\\nb"), shown("w_1")
    ('a\\\\nb', 'w_1')
    """
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= limit else text[: limit - 1] + "…"
