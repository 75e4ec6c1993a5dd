"""What is wrong with a backward: what the evidence shows, never the finished formula."""

SENTENCES: dict[str, str] = {
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
    "wrong_function.nonlinear": "The gradient of {input} is not linear in the upstream gradient: {how}.",
    "wrong_function.nonlinear.sum": (
        "for minus the sum of two upstream gradients it is {given}{where}, and minus the sum of their gradients is "
        "{made}"
    ),
    "wrong_function.nonlinear.ones": (
        "for an upstream gradient of ones it is {given}{where}, and the gradients for two others, whose difference "
        "that is, make {made}"
    ),
    "wrong_function.nonlinear.large": (
        "for 1024 times an upstream gradient it is 1024 times {given}{where}, and for that gradient itself {made}"
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
        "The gradient of {input} is wrong at {places}{region}; the worst is {analytic} instead "
        "of {numeric}{where}. {others}"
    ),
    "local_error.others": "The others agree.",
    "local_error.others.unsure": "Of the others some cannot be measured; the rest agree.",
    "rearranged": (
        "The gradient of {input} has the right numbers in wrong places: {how}. It is {analytic} instead of "
        "{numeric}{where}."
    ),
    "rearranged.transposed": "rows and columns are exchanged",
    "rearranged.axes": "its axes are in the order {order}",
    "rearranged.flipped": "it is reversed along {axes}",
    "rearranged.shifted": "it is shifted along axis {axis} by {by}",
    "rearranged.reordered": "all of them are there, but in another order",
    "rearranged.offset": (
        "the upstream gradient is read from place {first} along axis {axis}, and the part of this input begins at its "
        "offset {right}"
    ),
    "rearranged.cut_off": (
        "it is shifted by {by} along {axes}, and what is pushed out is lost, as where padding is cut off on one side"
    ),
    "rearranged.other": (
        "The gradient of {input} uses {other} in the wrong order ({how}). It is {analytic} instead of {numeric}{where}."
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
    "unreduced_broadcast.axis": "it adds up along {axes}, and the copies lie along {right}",
    **{
        f"{kind}.{key}": text
        for kind in ("unreduced_broadcast", "missing_term")
        for key, text in (
            ("slice", "only place {place} along axis {axis} of the result counts"),
            ("slices", "only places {place} along axis {axis} of the result count"),
            ("without", "place {place} along axis {axis} of the result is left out"),
            ("element", "only place {place} of the result counts"),
        )
    },
    "missing_term": (
        "One part of the gradient of {input} is wrong: {how}. It is {analytic} instead of {numeric}{where}."
    ),
    "missing_term.result": "what comes through result {result} is missing",
    "missing_term.sign": "what comes through result {result} has the wrong sign",
    "missing_term.row_missing": "the sum over axis {axis}, which all elements of a row share, is missing",
    "missing_term.row_sign": "the sum over axis {axis}, which all elements of a row share, has the wrong sign",
    "missing_term.diagonal": "each element counts for one result only, and other results depend on it too",
    "missing_term.path": "what comes through {function} is missing",
    "missing_term.path_factor": "what comes through {function} is {factor} times what it should be",
    "missing_term.path_sign": "what comes through {function} has the wrong sign",
    "local_error.repeated": (
        "The gradient of {input} is wrong at {places}, {how}. It is {analytic} instead of {numeric}{where}."
    ),
    "local_error.one_place": "those that are used in several places: they get the share of the {which} one only",
    "local_error.sign": ", those with {input} {sign}",
    "local_error.above": ", those with {size} of {bound} or more (right up to {right})",
    "local_error.below": ", those with {size} of {bound} or less (right from {right} on)",
    "local_error.place": ", those in {place}",
    "local_error.left_out": ", those in {place}, whose gradient is left out (it is 0)",
    "local_error.forgotten": ", those whose gradient is left out (it is 0)",
    "local_error.zero": ", those where it should be 0",
    "wrong_function": (
        "The gradient of {input} disagrees at {places}; the worst is {analytic} instead of {numeric}{where}."
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
    "wrong_sign.elsewhere": (
        "{here} the gradient of {input} has the wrong sign: it is {given}{where}, and {there} {expected}."
    ),
    "missing_dependency.elsewhere": "{here} the gradient of {input} is {given}{where}, and {there} {expected}.",
    "wrong_function.elsewhere": (
        "{here} the gradient of {input} is {given}{where}, and {there} {expected}: no rounding explains that."
    ),
    "elsewhere.dtype": "In {dtype}",
    "elsewhere.dtype.there": "in float64",
    "elsewhere.graph": "With create_graph=True",
    "elsewhere.graph.there": "without it",
    "left_graph": (
        "{what}. What is computed from that is not counted in the gradient of {input}: it is {analytic} instead of "
        "{numeric}{where}."
    ),
    "left_graph.more": " That is not its only mistake.",
    "left_graph.place": "Line {line}",
    "left_graph.elsewhere": "{file}, line {line}",
    "left_graph.left": "{place}: `{source}` left the graph",
    "left_graph.changed": "{place}: `{source}` changed an array without the graph",
    "left_graph.no_grad": "{place}: `{source}` was computed under no_grad",
    "places.both": "both elements",
    "places.all": "all {total} elements",
    "places.both.measured": "both elements that were measured",
    "places.some": "{count} of {total} elements",
    "places.all.measured": "all {total} elements that were measured",
    "places.some.measured": "{count} of the {total} elements that were measured",
}
