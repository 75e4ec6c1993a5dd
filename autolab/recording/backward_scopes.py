"""Groups in the graphs of y', y'' ...: steps that come from the same call, loop or link are together there, too.

A step of a derivative belongs to the step whose rule computed it (``Step.of``), and so to that step's scope: the
backward of a call is a group of its own. The values of lower order that it uses stay in their own groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce

from .drafts import Draft
from .model import LEAVES, Recording, Scope, Step
from .step import enclosing, innermost_around

POWERS = ("", "", "²", "³", "⁴")

CodePosition = tuple[tuple[int, ...], int]
"""The orders of a step, of the step whose rule computed it, and so on down to a step of the function; and its scope."""


def grouped(graph: Recording, drafts: Sequence[Draft], forward: Sequence[Scope]) -> Recording:
    """The graph of a derivative with its scopes; ``forward`` are those of the function.

    If the groups could not be boxes, because two of them use each other's values, the graph is returned unchanged.
    """
    if not forward:
        return graph
    groups = _Groups(forward)
    scopes = {step.id: groups.at(_position_of(step, drafts)) for step in graph.steps if step.kind not in LEAVES}
    for leaf, users in _users(graph.steps).items():
        scopes[leaf] = groups.common([scopes.get(user) for user in users])
    steps = tuple([replace(step, scope=scopes.get(step.id)) for step in graph.steps])
    found = replace(graph, steps=steps, scopes=groups.scopes(steps))
    return found if _is_in_order(found) else graph


def _position_of(step: Step, drafts: Sequence[Draft]) -> CodePosition | None:
    """Where a step belongs; None if it belongs directly to the function, or if that is not known."""
    draft, orders = drafts[step.id], [step.order]
    while draft.order:
        if draft.of is None:
            return None
        draft = drafts[draft.of]
        orders.append(draft.order)
    return None if draft.scope is None else (tuple(orders), draft.scope)


def _users(steps: Sequence[Step]) -> dict[int, list[int]]:
    """For each leaf or constant, the steps that use it."""
    users: dict[int, list[int]] = {step.id: [] for step in steps if step.kind in LEAVES[1:]}
    for step in steps:
        for operand in step.operands:
            if operand.step in users:
                users[operand.step].append(step.id)
    return users


class _Groups:
    """The scopes of one graph, created when needed."""

    def __init__(self, forward: Sequence[Scope]) -> None:
        self._forward = forward
        self._found: dict[CodePosition, Scope] = {}

    def at(self, place: CodePosition | None) -> int | None:
        """The scope of a position, created after those around it."""
        if place is None:
            return None
        orders, innermost = place
        for scope in [self._forward[i] for i in enclosing(self._forward, innermost)][::-1]:
            if (orders, scope.id) not in self._found:
                parent = None if scope.parent is None else self._found[orders, scope.parent].id
                self._found[orders, scope.id] = _copy(scope, len(self._found), parent, len(orders) - 1)
        return self._found[place].id

    def common(self, scopes: Sequence[int | None]) -> int | None:
        """The innermost scope around all of these."""
        found = list(self._found.values())
        return reduce(partial(innermost_around, found), scopes) if scopes else None

    def scopes(self, steps: Sequence[Step]) -> tuple[Scope, ...]:
        """All scopes, with the steps directly in each."""
        inside: dict[int | None, list[int]] = {}
        for step in steps:
            inside.setdefault(step.scope, []).append(step.id)
        return tuple([replace(scope, steps=tuple(inside.get(scope.id, ()))) for scope in self._found.values()])


def _copy(scope: Scope, identity: int, parent: int | None, hops: int) -> Scope:
    """A copy of a scope of the function, for the function itself or for its backward."""
    if not hops:
        return replace(scope, id=identity, parent=parent)
    written = scope.label if scope.name is None else f"{scope.name} = {scope.label}"
    label = f"backward{POWERS[hops]} of {written}"
    return replace(scope, id=identity, parent=parent, label=label, name=None)


def _is_in_order(graph: Recording) -> bool:
    """Whether every value comes before the steps that use it, even if groups are closed."""
    outline = graph.outline
    places: dict[int, int] = {}
    for items in (outline.items, *[group.items for group in outline.groups.values()]):
        places |= {item.id: i for i, item in enumerate(items)}
    for step in graph.steps:
        for operand in step.operands:
            if operand.step is None:
                continue
            source, target = [[*outline.around(i), i] for i in (operand.step, step.id)]
            first = next(k for k, (a, b) in enumerate(zip(source, target, strict=False)) if a != b)
            if places[source[first]] > places[target[first]]:
                return False
    return True
