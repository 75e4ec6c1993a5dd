"""diagnose(): what is wrong with a program that runs and does not learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...engine import a_kind, folded, hidden
from ...shared.foreign import bridge
from .copied_program import Program, outer_values
from .evidence import Evidence
from .lines import assigned
from .own import OwnWorkbench
from .program_watch import up_to_loss
from .report import Diagnosis, ProgramFinding
from .rules import FOLLOWS, RULES, Rule
from .workbench import Workbench


def diagnose(
    fn: Callable[..., Any], /, *args: Any, steps: int | None = None, causal: bool = False, **inputs: Any
) -> Diagnosis:
    """Find out what is wrong with a program that runs but does not learn.

    Parameters
    ----------
    fn : callable
        A loss, which is run once with its backward pass; or a training step, which calls backward and an optimizer. In
        AutoLab, PyTorch or JAX.
    *args, **inputs
        The arguments of ``fn``: models, arrays, optimizers. Global variables and closures that it uses are found, too.
    steps : int, optional
        Run ``fn`` this many times in a row, as training does, and examine the updates.
    causal : bool
        Also check that the outputs at each position of a sequence do not depend on later inputs.

    Returns
    -------
    Diagnosis
        Its ``findings``, the most likely cause first, each with the line, the numbers that show it and a remedy; or
        "nothing found". It displays itself.

    Raises
    ------
    TypeError
        If ``fn`` is not callable, an argument cannot be copied, or ``steps`` is not an integer of at least 1.

    Notes
    -----
    Only copies are run: models, optimizers, data and random generators do not change. The exception is anything that
    can be read only once, such as a file or a generator that ``fn`` uses: the runs advance it, and a fact says so.
    Without ``steps`` the program is run and recorded at most five times, and once more for each safe rewriting that is
    tried if a number is not finite. In JAX, the arguments of the next training step are what the last one returned.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> from autolab import functions as F, links as L
    >>> net = L.Sequential(L.Linear(2, 4), F.relu, L.Linear(4, 3), F.softmax)
    >>> def loss(net, x, t):
    ...     return F.softmax_cross_entropy(net(x), t)
    >>> x, t = np.random.default_rng(0).normal(size=(6, 2)), np.array([0, 1, 2, 0, 1, 2])
    >>> autolab.diagnose(loss, net, x, t).findings[0].kind
    'double_softmax'
    """
    __tracebackhide__ = hidden()
    if not callable(fn):
        told = f"diagnose: fn is {a_kind(fn)}; expected a function that gives a loss, or a training step"
        raise TypeError(f"{told}: diagnose(lambda: {assigned(fn) or 'loss_fn(model(x), t)'})")
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 1):
        raise TypeError(f"diagnose: steps is {steps!r:.60}; expected a whole number of at least 1, or None")
    with folded():
        around = outer_values(fn)
        elsewhere = bridge(fn, [*args, *inputs.values(), *around.values()])
        bench = OwnWorkbench() if elsewhere is None else elsewhere.workbench()
        return examined(bench, Program(fn, args, inputs, bench.own_copy), steps or 0, causal)


@dataclass(frozen=True)
class Origin:
    """The program behind a diagnosis, so that it can be run again."""

    bench: Workbench
    program: Program

    def up_to_loss(self) -> tuple[Callable[..., Any], Program]:
        """The function that returns the loss, with copies of the arguments."""
        copy = self.program.copied()
        fn = up_to_loss(self.bench, copy)
        if self.bench.gives_arrays:
            bound = partial(fn, *copy.args, **copy.kwargs)
            bound.__name__ = getattr(fn, "__name__", "fn")  # type: ignore[attr-defined]
            return bound, replace(copy, args=(), kwargs={})
        return fn, copy


def examined(bench: Workbench, program: Program, steps: int, causal: bool) -> Diagnosis:
    """The diagnosis of a program by all rules."""
    with bench.repeatable(), bench.keeping_gradients(program.named):
        e = Evidence(bench, program, steps, causal)
        found = [finding for words, _, *rules in RULES for rule in rules for finding in _found(e, words, rule)]
        missing = {words: "an error in AutoLab" if words in e.failed else need(e) for words, need, *_ in RULES}
    name = getattr(program.fn, "__name__", type(program.fn).__name__)
    looked = tuple([words for words, why in missing.items() if not why])
    others = tuple([f"{words}: {why}" for words, why in missing.items() if why])
    facts = tuple(dict.fromkeys(e.facts))
    return Diagnosis(name, _ordered(found), facts, looked, others, e.recording, Origin(bench, program))


def _found(e: Evidence, words: str, rule: Rule) -> Iterator[ProgramFinding]:
    """What a rule finds; a rule that fails reports it and does not hide what the others find."""
    try:
        yield from rule(e)
    except Exception as error:
        e.failed.append(words)
        e.facts.append(
            f"Not looked at because of an error in AutoLab: {words} ({type(error).__name__}: {error!s:.120})"
        )


def _ordered(found: list[ProgramFinding]) -> tuple[ProgramFinding, ...]:
    """The findings without consequences of others and without duplicates; certain ones come first."""
    explained = set().union(*[FOLLOWS.get(finding.kind, set()) for finding in found])
    if any(f.certainty == "wrong" and f.kind not in ("raised", "does_not_overfit") for f in found):
        explained = explained | {"raised", "does_not_overfit"}
    kept: dict[tuple[str, int | None], ProgramFinding] = {}
    for finding in found:
        if finding.kind not in explained:
            kept.setdefault((finding.kind, finding.line), finding)
    return tuple(sorted(kept.values(), key=lambda finding: finding.certainty != "wrong"))
