"""What makes a check cautious and never fail: kinks, lower precision, what cannot be verified or was not checked."""

SENTENCES: dict[str, str] = {
    "not_checked": "{function} also uses {names}, whose gradient was not checked: make it an input{link}.",
    "not_checked.several": "{function} also uses {names}, whose gradients were not checked: make them inputs{link}.",
    "not_checked.still": "{names} requires no gradient, so its gradient was not checked.",
    "not_checked.still.several": "{names} require no gradient, so their gradients were not checked.",
    "not_checked.link": ", or give the link as an argument",
    "kink": (
        "{function} has a kink in {input}{where}: its slope is {low} on one side and {high} on the other, and the "
        "gradient {analytic} {judgement}."
    ),
    "kink.between": "lies between them",
    "kink.outside": "lies outside",
    "kink.nan": "is no number",
    "low_precision.native": (
        "In {dtype} the gradient of {input}{where} comes out as {first}, in float64 as {second}: that is a limit "
        "of {dtype}."
    ),
    "low_precision.zero": (
        "The gradient of {input} is zero up to rounding{where}: however far {input} moves there, the results of "
        "{function} stay the same."
    ),
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
    "cannot_verify.jump": (
        "{function} jumps in {input}{where}: its results change by {jump} however small the move, so there is no "
        "slope. The gradient {analytic} may be that of one side; check it at a point nearby."
    ),
    "cannot_verify.raises": "Near the given point {function} raises {error}, so {input}{where} cannot be measured.",
    "cannot_verify.noise": "{function} is too noisy to measure its slope in {input}{where}: {numeric} ± {error}.",
    "cannot_verify.nan": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. At a single point this may be"
        " a limit of the arithmetic, such as 0 / 0. Training that gets there meets NaN."
    ),
    "cannot_verify.beyond": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. There is an {limit} in {dtype}: "
        "the formula may be right, and the way it is computed is not, as in ∞ / ∞ or 0 / 0. Training that gets there "
        "meets NaN."
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
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. In {dtype} terms cancel here "
        "up to their last digits, so it may be right or wrong."
    ),
    "cannot_verify.still": (
        "In {dtype} nothing in the results of {function} changes with {input}{where}; the gradient {analytic} would "
        "move them by less than their rounding, so it may be right or wrong."
    ),
    "cannot_verify.result": "the result",
    "cannot_verify.result_of": "result {place}",
    "cannot_verify.range": (
        "The gradient of {input} is {analytic}{where}; the numeric one is {numeric}. On the way there is an "
        "{limit} in {dtype}, so the check cannot tell whether backward is right."
    ),
    "cannot_verify.probes": (
        "{input} has too many kinks or too much noise to be measured along random directions: only {count} of its "
        "{total} elements were measured."
    ),
    "cannot_verify.untraced": (
        "Along a random direction through all {total} elements of {input} the gradient is off, but at none of the "
        "{count} that were measured: many may be off by very little, or it is rounding."
    ),
    "cannot_verify.triangle": (
        "{function} reads one triangle of {input}, and the gradient is that of a symmetric matrix: half of what was "
        "measured, in both triangles. To check it for any matrix, make it symmetric first: {input} = (a + a.T) / 2."
    ),
    "cannot_verify.empty": "There is no element to compare.",
    "cannot_verify.loud": "{function} is too noisy to measure its slope in {input}{where}.",
}
