"""Of the checks beside `check_gradients`: those with given tolerances, and the Taylor-remainder test."""

SENTENCES: dict[str, str] = {
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
}
