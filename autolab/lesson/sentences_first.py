"""What the exercises of 00 to 03 say.

Exercise by exercise: what a right answer shows (``<exercise>.right``), and what helps with a known mistake
(``<exercise>.<kind>``) or, where there is none, with any (``<exercise>.hint``).
"""

from __future__ import annotations

_START = {
    "start-sign.right": "The gradient of x is negative here: out falls when x grows.",
    "start-sign.up": "x is multiplied by y, and y is negative. Multiply a slightly larger x by it.",
    "start-reuse.right": "x reaches out along two paths. Each path brings a share, and the shares are added.",
    "start-reuse.product": "That is the share that comes through the product. Does x reach out along another path too?",
    "start-reuse.added": "That is the share of the last + alone. Does x reach out along another path too?",
    "start-reuse.value": "That is the value of out. The question is how fast out changes when x moves.",
    "start-reuse.hint": "Count the arrows that leave x. Each brings one share.",
    "start-number.right": "A gradient is a number. It belongs to the point where it was computed.",
    "start-number.a": (
        "A formula would hold for every point. Move a number: what do you see in the box, letters or a number?"
    ),
    "start-number.c": "A curve would show many points. The box shows one only.",
    "start-zero.right": "There both shares cancel. The gradient is there, and it is 0.",
    "start-zero.forgot": "Then the product brings nothing. What does the other path bring?",
    "start-zero.sign": "There the two shares have the same sign. They are to cancel.",
    "start-zero.hint": "Drag the blue number of y slowly and watch the gradient of x change its sign.",
    "start-slope.right": "A nudge, and what it does: that is a numeric gradient.",
    "start-slope.rise": "That is the rise alone. A slope is the rise for each unit of the nudge.",
    "start-slope.sign": "Take after minus before, not before minus after.",
    "start-slope.both": "You move y as well. Only x is to move.",
    "start-slope.hint": "How much does out rise, for each unit that x moves?",
    "start-own.right": "You made a function from its gradients. Training does something like that.",
    "start-own.swapped": "Your x has what y should have. Exchange them.",
    "start-own.constant": "Your result does not depend on y.",
    "start-own.fixed": (
        "Your result does not follow x and y. Compute one number from both, with +, - and *, and return it."
    ),
    "start-own.hint": "If x grows by 1, the result is to grow by 3. If y grows by 1, it is to fall by 1.",
}

_MULADD = {
    "muladd-predict-gx.right": "When x moves by a little, w moves y times as much.",
    "muladd-predict-gx.own": "That is x itself. When x moves, by what is the move multiplied?",
    "muladd-predict-gx.result": "That is w. The question is how fast w changes when x moves.",
    "muladd-predict-gx.hint": "x is multiplied by something. A nudge of x is multiplied by the same.",
    "muladd-predict-gz.right": "Addition passes the gradient on as it is.",
    "muladd-predict-gz.own": "That is z itself. If z grows by 1, by how much does w grow?",
    "muladd-predict-gz.nothing": "z does matter: if z grows by 1, w is not the same.",
    "muladd-predict-gz.hint": "If z grows by 1, by how much does w grow?",
    "muladd-predict-upstream.right": "A backward answers for the end of the computation: upstream times local.",
    "muladd-predict-upstream.local": (
        "That is the local derivative alone. How much does the end move when w moves by 1?"
    ),
    "muladd-predict-upstream.upstream": (
        "That is how much the end moves for each unit of w. How much does w move for each unit of x?"
    ),
    "muladd-predict-upstream.hint": (
        "A nudge of x is first made larger on its way to w, and then on its way to the end."
    ),
    "muladd-predict-twice.right": "Each backward pass adds to what is there.",
    "muladd-predict-twice.replaced": "The second pass does not replace what the first one left.",
    "muladd-predict-twice.hint": "Each pass brings the same gradient. What happens to the old one?",
    "muladd-predict-none.right": (
        "None says: no way leads from here to the result. That is not the number 0, which is a slope."
    ),
    "muladd-predict-none.zero": (
        "0 would be a slope that was computed. Here nothing was computed: no arrow leads from z to the result."
    ),
    "muladd-predict-none.error": "Nothing goes wrong. A computation may leave an input out.",
    "muladd-predict-targets.right": "x needs no gradient, so its index is not among them.",
    "muladd-predict-targets.a": "Count again: one of the three needs no gradient.",
    "muladd-predict-targets.c": "Those are the ones that need no gradient.",
    "muladd-gz.right": "The minus sign of the forward is the local derivative.",
    "muladd-gz.wrong_sign": "z enters with a minus. If z grows, does the result grow?",
    "muladd-gz.upstream_ignored": "-1 is the local derivative. A backward returns the upstream gradient times it.",
    "muladd-gz.hint": "How does x * y - z change when z grows by 1? Multiply that by the upstream gradient.",
    "muladd-own.right": "A function with a gradient of your own, right at random points and for any upstream gradient.",
    "muladd-own.upstream_ignored": "A backward returns the upstream gradient times the derivative, for each input.",
    "muladd-own.swapped_inputs": "The first gradient belongs to x, the second to y.",
    "muladd-own.wrong_factor": "x stands in x * x twice. Each of the two brings a share.",
    "muladd-own.forward": "The forward is x * x * y, element by element, and returns a tuple.",
    "muladd-own.hint": "Write x * x * y as two products, and follow the shares of each.",
}

_EXPADD = {
    "expadd-predict-gx.right": "It is the value of e at this point.",
    "expadd-predict-gx.nothing": "That is the rule of powers. exp is no power of x: its derivative is exp.",
    "expadd-predict-gx.result": "That is z. The question is how fast z changes when x moves.",
    "expadd-predict-gx.hint": "What is the value of e at this point?",
    "expadd-gx.right": "The local derivative of exp is exp. Computed on Variables, this gradient has gradients too.",
    "expadd-gx.upstream_ignored": "A backward returns the upstream gradient times the derivative.",
    "expadd-gx.second_order": (
        "The numbers are right, but this gradient has no right gradient of its own: .data gives arrays, which do not "
        "remember x. Use the Variables and F.exp."
    ),
    "expadd-gx.hint": "What is the derivative of exp(x)? Multiply it by the upstream gradient.",
    "expadd-central.right": "The error of such a slope falls with the square of the step, until rounding takes over.",
    "expadd-central.half_way": "From left to right it is two steps, one to each side.",
    "expadd-central.sign": "Take right minus left, not left minus right.",
    "expadd-central.rise": (
        "That is the difference of the results. A slope is this difference for each unit of the way."
    ),
    "expadd-central.brackets": "Python divides by 2 and then multiplies by h. Put brackets round 2 * h.",
    "expadd-central.one_sided": "That moves to one side only. It is close, and less exact than it can be.",
    "expadd-central.hint": "Divide the difference of the results by the whole way from left to right.",
    "expadd-predict-step.right": "Neither large nor tiny.",
    "expadd-predict-step.a": "In a step of 0.1 the curve bends. The bend becomes an error.",
    "expadd-predict-step.c": (
        "Then both results agree in nearly all of their digits. How many are left in the difference?"
    ),
    "expadd-predict-fail.right": "The step is too small for float32. The gradient is right.",
    "expadd-predict-fail.a": "The derivative of exp is exp, without doubt. What about the step?",
    "expadd-own.right": "Two inputs, two gradients, right for any upstream gradient.",
    "expadd-own.upstream_ignored": "A backward returns the upstream gradient times the derivative, for each input.",
    "expadd-own.forward": "The forward is x * exp(y), element by element, and returns a tuple.",
    "expadd-own.swapped_inputs": "The first gradient belongs to x, the second to y.",
    "expadd-own.hint": "It is a product. For each factor: hold the other one still.",
}

_LINEAR = {
    "linear-predict-shape.right": "A gradient has the shape of what it belongs to: one number for each number.",
    "linear-predict-shape.a": "That is the shape of x.",
    "linear-predict-shape.c": "That is W turned round. A gradient has the shape of what it belongs to.",
    "linear-predict-bias.right": "One bias serves every example. Each example brings a share, and they add up.",
    "linear-predict-bias.one": "That is the share of one example. The same bias is added for every example.",
    "linear-predict-bias.mean": "Shares are added, not averaged.",
    "linear-predict-bias.hint": "How many results move if b[0] moves?",
    "linear-gx.right": "For each example: its upstream gradient, spread back through the weights.",
    "linear-gx.hint": "gx has the shape of x. Which product of gy (5, 3) and W (3, 4) has it?",
    "linear-gx.no_upstream": "The upstream gradient is missing.",
    "linear-gW.right": "Each weight gathers, over all examples, its input times its upstream gradient.",
    "linear-gW.turned": "The numbers are right and lie turned round. Compare the shape with that of W.",
    "linear-gW.hint": "gW has the shape of W. Which product of gy (5, 3) and x (5, 4), one of them turned, has it?",
    "linear-gb.right": "The forward copies b to every example. The backward adds the copies' shares.",
    "linear-gb.copies": "These are the shares, one for each example. b is there once.",
    "linear-gb.mean": "You averaged over the examples. Every share counts whole.",
    "linear-gb.other_axis": "You added along the wrong axis: one number for each example. b has one for each output.",
    "linear-gb.all": "You added everything up. b has one number for each output.",
    "linear-gb.hint": "Along which axis was b copied?",
    "linear-own.right": (
        "All three gradients agree with the numeric ones, for unequal sizes and a random upstream gradient."
    ),
    "linear-own.wrong_shape": (
        "Write the shape of each factor above it: only one order fits. For b, add up along one axis."
    ),
    "linear-own.unreduced_broadcast": "The forward copies b to every example. b is there once: add the copies' shares.",
    "linear-own.wrong_factor": "Over the batch the shares add up. There is no mean in the forward.",
    "linear-own.hint": "You have written the three products above. On Variables they are written in the same way.",
    "linear-own-link.right": "Your W is a parameter: the link knows it, and an optimizer will find it.",
    "linear-own-link.unregistered": (
        "The link knows no parameter called W. Is it a Parameter, and is it assigned to self.W?"
    ),
    "linear-own-link.start": "Your W does not start with zeros.",
    "linear-own-link.detached": (
        "No gradient reaches W: multiply by the parameter itself. Its .data is an array, which remembers nothing."
    ),
    "linear-own-link.hint": "In __init__: self.W is a Parameter of the given shape. In forward: return W times x.",
}

FIRST = {**_START, **_MULADD, **_EXPADD, **_LINEAR}
