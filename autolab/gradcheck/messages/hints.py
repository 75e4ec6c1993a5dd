"""Where to look for a mistake."""

SENTENCES: dict[str, str] = {
    "hint.term": "The term is {term}.",
    "hint.rule": "Your rule computes {written}; measured is {right}.",
    "hint.rule.piece": "For these elements your rule computes {written}; measured is {right}.",
    "hint.rearranged.product": "For y = a @ b it is ga = g @ b.T and gb = a.T @ g.",
    "hint.rearranged.other": "On the way back a matrix is transposed, and the kernel of a convolution is reversed.",
    "hint.wrong_sign": "Look for a minus sign that is missing, or one too many.",
    "hint.wrong_factor": "Look for a number that is forgotten or counted twice, or for a sum and a mean mixed up.",
    "hint.swapped_inputs": "Look at the order in which backward returns them.",
    "hint.rearranged": "Look for a transposition, a reshape, an order of axes or a slice.",
    "hint.wrong_shape": "The gradient of an input has the shape of that input.",
    "hint.wrong_shape.count": "Return one gradient for each input, in their order.",
    "hint.unreduced_broadcast": "An element that was broadcast acts in many places, and they all count.",
    "hint.missing_dependency": "Look where {input} enters the forward, and for a factor of 0 in backward, as 1 // 2.",
    "hint.local_error": "Look at what the forward does differently for these elements: a condition, a limit, an index.",
    "hint.upstream_ignored": "Every term must be multiplied by the upstream gradient.",
    "hint.missing_term": "Follow every path from {input} to the results: their shares add up.",
    "hint.local_error.repeated": (
        "If backward assigns at indices, as in gx[index] = g, an index that occurs twice counts once; "
        "np.add.at(gx, index, g) adds up."
    ),
    "hint.wrong_function": "Differentiate the forward once more, one step at a time.",
    "hint.wrong_function.chain": "The chain rule multiplies the derivatives of all steps, one after the other.",
    "hint.wrong_function.nan": "Look for 0 / 0, 0 * ∞ and ∞ / ∞, also in the branch that np.where does not take.",
    "hint.wrong_function.stale": "Look for a value that an earlier call has left behind.",
    "hint.low_precision": "Look for a conversion, or for a constant or an array of that dtype.",
    **{
        f"hint.{kind}.{cause}": hint
        for kind in ("wrong_sign", "missing_dependency", "wrong_function")
        for cause, hint in (
            ("dtype", "Look at what backward does with this dtype alone: a condition, a constant, a conversion."),
            ("graph", "The rule gets Variables then, and arrays otherwise: look at what it does with each."),
        )
    },
    "hint.wrong_function.nonlinear": (
        "Look at what you do to the upstream gradient: you may multiply it and add it up, but not round it or clip it."
    ),
    "hint.left_graph": "NumPy's functions stay in the graph: np.sin(x), not math.sin(x); x, not float(x) or x.data.",
    "hint.left_graph.changed": "np.where(mask, new, old) gives a new array, with its gradient.",
    "hint.left_graph.no_grad": "Compute everything that the result depends on outside no_grad().",
    "hint.inplace.shared": "Each call must keep its own data for its backward: no global, no attribute of the class.",
    "hint.inplace": "Work on a copy: others still need the original.",
    "hint.nondeterministic": "Look for random numbers, and for values that a call leaves behind for the next.",
    "hint.backward": "See {function}.backward (line {line} of {place}).",
    "hint.cell": "the cell",
    "nearby": " This shows at a point nearby ({point}), not at the given one.",
}
