"""Of the check lens."""

SENTENCES: dict[str, str] = {
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
    "lens_partly_wrong": "Some of these are wrong; how many of the others are wrong too is not known.",
    "lens_partly_halved": (
        "Random directions through all of them disagree. So does each of the ever smaller blocks that are tinted, down "
        "to the marked element; others may be wrong too."
    ),
    "lens_partly_untraced": "Along a random direction through all of them the gradient is off by little: see above.",
    "lens_partly_cannot tell": "Along random directions through all of them nothing could be told.",
    "lens_uncompared": "not compared: see above",
    "lens_not_here": "not measured by the check",
    "lens_too_far": "more than {times} times what is allowed",
    "lens_beyond": "beyond what is allowed",
    "lens_untold": "not to be told",
    "lens_within": "within what is allowed",
    "lens_element": "{name}{index}",
    "lens_moving": "Moving {what}",
    "lens_direction": "all of {name}, in random direction {seed}",
    "lens_step": "step h",
    "lens_at_step": "numeric at this h",
    "lens_steps": "error over step h",
    "lens_taylor": "Taylor remainder over step h",
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
    "lens_steps_open": "However small the step, both stay about {error} apart; that alone proves nothing wrong here.",
    "lens_steps_small": "At h = {step} both differ by only {error}, but that is more than rounding explains.",
    "lens_steps_exact": "At h = {step} both are equal to the last digit.",
    "lens_steps_noise": "The rounding of the function hides what the step size would show.",
    "lens_steps_unknown": "The function could not be evaluated around this point.",
    "lens_taylor_right": "The remainder falls with h to the power {order}: right.",
    "lens_taylor_wrong": "The remainder falls only with h to the power {order}: wrong.",
    "lens_taylor_kink": (
        "The remainder falls only with h to the power {order}: at a kink, where the slopes to both sides differ, it "
        "does so for every gradient."
    ),
    "lens_taylor_open": "The remainder falls with h to the power {order}; that alone tells nothing here.",
    "lens_taylor_hidden": "The remainder falls with h to the power {order}: the error does not show in it.",
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
    "lens_colors": "Colours",
    "lens_moves": "Move",
    "lens_one": "this element",
    "lens_all": "all, at random",
    "lens_directions": "direction",
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
        "This page was saved. Elements, step sizes and the directions that it holds can be chosen; second order, and "
        "checking again, take a kernel."
    ),
    "lens_still_orders": (
        "This page was saved. Both orders, elements, step sizes and the directions that it holds can be chosen; "
        "checking again takes a kernel."
    ),
    "lens_still_bare": "This page was saved. It shows what the check found; checking again takes a kernel.",
    "lens_keys": "Choose a cell, or use the arrow keys. The dashed cell of each input is the worst.",
}
