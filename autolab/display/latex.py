"""A recording as formulas: a line for every value that has a name, and for its gradient.

What the program computes in one expression stands in one formula; a value that has no name, but is used twice or is
long, gets one (``v`` with the number of the step). So the text grows with the program and no faster.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import reduce

from ..recording.model import LEAVES, Operand, Recording, Snapshot, Step
from . import latex_terms as terms
from .latex_rules import gradient, is_elementwise, summed, vjp
from .latex_terms import Term, number, symbol

_LONG = 60
_SHORT = 2000
_LINES = 24


def to_latex(recording: Recording) -> str:
    r"""The steps and the gradients of a recording as an ``aligned`` block of LaTeX.

    Examples
    --------
    >>> import autolab
    >>> def f(x, y):
    ...     h = x * y
    ...     w = h + 1
    ...     return w
    >>> print(autolab.record(f, 2.0, 3.0).to_latex())
    \begin{aligned}
    h &= x \, y \\
    w &= h + 1 \\
    \frac{\partial w}{\partial h} &= 1 \\
    \frac{\partial w}{\partial y} &= \frac{\partial w}{\partial h} \, x \\
    \frac{\partial w}{\partial x} &= \frac{\partial w}{\partial h} \, y
    \end{aligned}
    """
    return "\\begin{aligned}\n" + " \\\\\n".join(_Formulas(recording).lines()) + "\n\\end{aligned}"


def short_latex(recording: Recording) -> str | None:
    """The formulas as a notebook typesets them; None where they would be long."""
    if len(recording.steps) > _LINES:
        return None
    text = to_latex(recording)
    return f"$\\displaystyle {text}$" if len(text) <= _SHORT else None


def _given(step: Step) -> Term:
    """What stands in the place of a value that was replaced: its number, or a word for an array."""
    value = step.value
    if value is None or value.size > 1:
        return Term(r"\text{given}", array=True)
    return number(repr(value.values.reshape(-1)[0].item()))


class _Formulas:
    """The terms of one recording, by step."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.steps = {step.id: step for step in recording.steps}
        self.used = Counter([o.step for step in recording.steps for o in step.operands])
        self.values: dict[int, Term] = {}
        self.gradients: dict[int, Term] = {}
        self.own: set[int] = set()
        self.users: dict[int, list[Step]] = defaultdict(list)
        for step in recording.steps:
            for source in dict.fromkeys([o.step for o in step.operands if o.step is not None]):
                self.users[source].append(step)
        self.seen: Counter[str] = Counter()
        names = Counter([symbol(step.name) for step in recording.steps if step.name])
        self.again = {name for name, count in names.items() if count > 1}
        outputs = [self.steps[i] for i in recording.outputs]
        self.is_scalar = len(outputs) == 1 and outputs[0].value is not None and outputs[0].value.size == 1

    def lines(self) -> Iterator[str]:
        """The formulas, forward and then backward."""
        for step in self.recording.steps:
            yield from self._forward(step)
        for step in reversed(self.recording.steps):
            yield from self._backward(step)

    # ------------------------------------------------------------------ forward
    def _forward(self, step: Step) -> Iterator[str]:
        if step.kind in LEAVES:
            self.values[step.id] = self._leaf(step)
            return
        if step.value is None and self._parts(step):
            return  # its results are the next steps
        found = self._expression(step)
        is_shared = self.used[step.id] > 1 or step.id in self.recording.outputs
        if step.name or step.replaced or is_shared or len(found.text) > _LONG:
            self.values[step.id] = self._symbol(step)
            yield f"{self.values[step.id].text} &= {found.text}"
        else:
            self.values[step.id] = found

    def _leaf(self, step: Step) -> Term:
        value = step.value
        if step.name is None and value is not None and not value.shape and step.kind == "constant":
            return number(repr(value.values.item()))
        return self._symbol(step)

    def _symbol(self, step: Step) -> Term:
        """The name of a value; a name that is given again and again is counted, a value without one gets one."""
        self.own.add(step.id)
        name = symbol(step.name) if step.name else f"v_{{{step.id}}}"
        array = _is_array(step.value)
        if name not in self.again:
            return Term(name, array=array)
        self.seen[name] += 1
        return Term(f"{name}^{{({self.seen[name]})}}", terms.POWER, array)

    def _expression(self, step: Step) -> Term:
        if step.replaced:
            return _given(step)
        if step.kind != "part":
            found = terms.call(step.function or "", [self._operand(o) for o in step.operands], step.attributes)
            return Term(found.text, found.level, _is_array(step.value))
        whole = self.steps[step.operands[0].step or 0]
        index = [s.id for s in self._parts(whole)].index(step.id)
        call = terms.call(whole.function or "", [self._operand(o) for o in whole.operands])
        return Term(rf"\left[{call.text}\right]_{{{index}}}", array=_is_array(step.value))

    def _parts(self, whole: Step) -> list[Step]:
        return [s for s in self.users[whole.id] if s.kind == "part"]

    def _operand(self, operand: Operand) -> Term:
        return number(operand.constant or "") if operand.step is None else self.values[operand.step]

    # ------------------------------------------------------------------ backward
    def _backward(self, step: Step) -> Iterator[str]:
        if step.grad is None or (step.value is None and step.kind != "call"):
            return
        shares = self._shares(step)
        if not shares:
            return  # the rules are not part of this recording
        found = reduce(terms.plus, shares)
        if step.id not in self.own or (found.text == "1" and step.id in self.recording.outputs):
            self.gradients[step.id] = found
            return
        partial = Term(self._partial(self.values[step.id]), array=_is_array(step.grad))
        self.gradients[step.id] = partial
        if partial.text != found.text:
            yield f"{partial.text} &= {found.text}"

    def _partial(self, value: Term) -> str:
        if self.is_scalar:
            return rf"\frac{{\partial {self.values[self.recording.outputs[0]].text}}}{{\partial {value.text}}}"
        return rf"\overline{{{value.text}}}"

    def _shares(self, step: Step) -> list[Term]:
        """What its uses send to a step, and what an output starts from."""
        shares = [
            self._share(user, operand)
            for user in self.users[step.id]
            for operand in user.operands
            if operand.step == step.id and operand.contribution is not None
        ]
        if step.id in self.recording.outputs:
            shares.insert(0, self._start(step, alone=not shares))
        return shares

    def _start(self, step: Step, alone: bool) -> Term:
        """The upstream gradient of an output: ones where the recording shows that, else a name for what was given."""
        grad, array = step.grad, _is_array(step.grad)
        if alone and grad is not None and grad.minimum == grad.maximum == 1 and not grad.nan_count + grad.inf_count:
            return Term(r"\mathbf{1}" if array else "1", array=array, ones=True)
        return Term(f"g_{{{self.values[step.id].text}}}", array=array)

    def _share(self, user: Step, operand: Operand) -> Term:
        """What one use sends: its rule with the terms of this program in it."""
        kept = operand.contribution
        shape = () if kept is None else kept.shape
        name = operand.parameter
        if user.value is None:
            upstream = [self.gradients[part.id] for part in self._parts(user) if part.id in self.gradients]
            return vjp(user.function or "", name, upstream, _is_array(kept))
        upstream = [self.gradients[user.id]]
        values = {o.parameter: self._operand(o) for o in user.operands}
        values = {"y": self.values[user.id], **values, "g": upstream[0]}
        found = gradient(operand.rule, values, shape) if operand.rule is not None else None
        if found is None or operand.rule is None:
            return vjp(user.function or "", name, upstream, _is_array(kept))
        return summed(found, shape) if shape != user.value.shape and is_elementwise(operand.rule) else found


def _is_array(kept: Snapshot | None) -> bool:
    return kept is not None and kept.size != 1
