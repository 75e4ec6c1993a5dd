"""What a cell of a box was made of: the cells that enter it, and the calculation with its numbers.

Forwards a value comes from cells of the operands. Backwards a gradient comes from the gradients of the results, each
times the numbers that its rule keeps. `Application` knows which; here it is put into a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...recording.application import Application, application
from ...recording.model import LEAVES, Operand, Snapshot, Step
from ...shared.numerals import MINUS
from ..draw import number, say
from ..draw.messages import listed
from ..draw.names import label, shorten
from ..graph.playback import Playback
from ..graph.rule_formulas import grouped, numbers_in, terms_text
from .worksheet import index_text

Slot = Literal["value", "gradient"]
Cells = np.ndarray
"""Indices of cells of a flattened array, in ascending order."""

MOST_CELLS = 96
"""An array with more cells is drawn in blocks, of which none is a single cell."""

_LONGEST = 150  # characters: two lines beside the player
_MOST_TERMS = 4
_NAME_COLUMNS = 24
_NOTHING = np.zeros(0, int)
_SIGNS = {"add": "+", "sub": MINUS, "mul": "×", "div": "÷"}


@dataclass
class CellOrigin:
    """Where one cell comes from: the lit ``cells`` by step and slot, the calculation as ``text``, and in ``words`` what
    enters it."""

    cells: dict[tuple[int, Slot], Cells] = field(default_factory=dict)
    text: str = ""
    words: str = ""

    def light(self, step: int | None, slot: Slot, cells: Cells) -> None:
        """Add cells of an array."""
        if step is not None and cells.size:
            before = self.cells.get((step, slot), _NOTHING)
            self.cells[step, slot] = np.union1d(before, cells)


class CellOrigins:
    """The origins of all cells of a recording."""

    def __init__(self, walk: Playback) -> None:
        self._walk, self._steps = walk, walk.steps
        self._applications: dict[int, Application | None] = {}

    def of(self, step: Step, slot: Slot) -> list[dict[str, Any]] | None:
        """For each cell of the value or the gradient of a step: its number ``is``, the sentence that ``says`` where it
        comes from, and the cells ``lit``, as ``[step, slot, cells]``. None if not all numbers are known, or in forward
        mode, for the tangents.
        """
        kept = step.value if slot == "value" else step.grad
        is_tangent = slot == "gradient" and self._walk.moved is not None
        if kept is None or not kept.is_whole or not 0 < kept.size <= MOST_CELLS or is_tangent:
            return None
        find = self._value if slot == "value" else self._gradient
        return [self._told(step, slot, k, kept, find(step, k)) for k in range(kept.size)]

    def _told(self, step: Step, slot: Slot, k: int, kept: Snapshot, found: CellOrigin) -> dict[str, Any]:
        key = "cell_gradient" if slot == "gradient" else "cell_value"
        value = kept.values.reshape(-1)[k]
        equals = f"{number(value)} = {found.text}" if found.text else number(value)
        said = say(key, cell=_indexed(step, k), number=equals)
        words = "" if found.text and len(said) + len(found.words) > _LONGEST else found.words
        lit = [[i, which, cells.tolist()] for (i, which), cells in found.cells.items()]
        finite = float(value) if math.isfinite(value) else None
        return {"is": finite, "says": f"{said}{words}.", "lit": lit}

    def _application(self, step: Step) -> Application | None:
        if step.id not in self._applications:
            call = self._steps[step.operands[0].step or 0] if step.kind == "part" else step
            found = application(call, self._steps, step if call is not step else None)
            self._applications[step.id] = found
        return self._applications[step.id]

    # ------------------------------------------------------------------ forwards
    def _value(self, step: Step, k: int) -> CellOrigin:
        if step.kind in LEAVES or step.kind == "reference":
            return self._used(step, k)
        if step.replaced:
            return CellOrigin(words=say("cell_replaced"))
        call = self._steps[step.operands[0].step or 0] if step.kind == "part" else step
        origin, lit = CellOrigin(), list[Cells | None]()
        applied = self._application(step)
        for place, use in enumerate(call.operands):
            cells = self._entering(applied, place, use, k)
            lit.append(cells)
            if cells is not None:
                origin.light(use.step, "value", cells)
        if applied is not None:
            made = _Calculation(self._steps, call, applied, lit, k)
            origin.text, origin.words = made.written()
            if made.copied is not None:
                origin.cells.clear()
                origin.light(*made.copied)
        if not origin.words and origin.cells:
            origin.words = say("cell_depends", parts=self._parts(origin.cells))
        return origin

    def _entering(self, applied: Application | None, place: int, use: Operand, k: int) -> Cells | None:
        """The cells of an operand that enter cell ``k`` of a result: by the declaration, or as far as the recorded
        derivatives tell. None if that is not known."""
        found = None if applied is None else applied.depends(place)
        if found is not None:
            return np.flatnonzero(found[k])
        shape = None if use.contribution is None else use.contribution.shape
        known = None if shape is None else _recorded(use, shape)
        return None if known is None or k >= len(known) else np.flatnonzero(known[k])

    def _used(self, step: Step, k: int) -> CellOrigin:
        """Where a given number goes: all copies of a broadcast one."""
        origin = CellOrigin()
        for user, place, use in self._users(step):
            for result in self._results(user):
                cells = self._leaving(result, place, use, k)
                origin.light(result.id, "value", _NOTHING if cells is None else cells)
        if origin.cells:
            origin.words = say("cell_used", parts=self._parts(origin.cells))
        return origin

    def _leaving(self, result: Step, place: int, use: Operand, k: int) -> Cells | None:
        """The cells of a result that cell ``k`` of an operand enters."""
        applied = self._application(result)
        found = None if applied is None else applied.depends(place)
        if found is None and use.contribution is not None:
            found = _recorded(use, use.contribution.shape)
        return None if found is None else np.flatnonzero(found[:, k])

    def _users(self, step: Step) -> Iterable[tuple[Step, int, Operand]]:
        for user in self._walk.recording.steps:
            if user.kind == "call" and not user.replaced:
                yield from [(user, place, use) for place, use in enumerate(user.operands) if use.step == step.id]

    def _results(self, call: Step) -> list[Step]:
        """The result of a call, or its parts."""
        if call.value is not None:
            return [call]
        return [s for s in self._walk.recording.steps if s.kind == "part" and s.operands[0].step == call.id]

    # ------------------------------------------------------------------ backwards
    def _gradient(self, step: Step, k: int) -> CellOrigin:
        """The shares of which a cell of a gradient is the sum."""
        origin, shares = CellOrigin(), list[tuple[str, Any]]()
        start = self._walk.starts.get(step.id)
        if start is not None and start.is_whole:
            shares.append((say("answer_given"), start.values.reshape(-1)[k]))
            origin.words = say("cell_starts")
        for user, place, use in self._users(step):
            share = use.contribution
            if share is None or not share.is_whole:
                continue
            found = self._share(user, place, use, k)
            if not found.cells and not share.values.reshape(-1)[k]:
                continue  # other cells are used there
            for (i, slot), cells in found.cells.items():
                origin.light(i, slot, cells)
            origin.text, origin.words = found.text, found.words
            name = shorten(label(user), _NAME_COLUMNS)
            shares.append((say("answer_through", name=name), share.values.reshape(-1)[k]))
        if len(shares) > 1:
            origin.text, origin.words = _joined([f"{number(value)} {way}" for way, value in shares]), ""
        return origin

    def _share(self, user: Step, place: int, use: Operand, k: int) -> CellOrigin:
        """What one share is made of."""
        origin, results = CellOrigin(), self._results(user)
        for result in results:
            leaving = self._leaving(result, place, use, k)
            origin.light(result.id, "gradient", _NOTHING if leaving is None else leaving)
        cells = origin.cells.get((results[0].id, "gradient")) if len(results) == 1 else None
        if cells is None:
            origin.words = say("cell_depends", parts=self._parts(origin.cells)) if origin.cells else ""
            return origin
        result, applied = results[0], self._application(results[0])
        factors: dict[int, Cells] = {}
        for other, found in (applied.factors(place) if applied is not None else {}).items():
            there = result.id if other == -1 else user.operands[other].step
            if there is not None:
                factors[there] = np.flatnonzero(found[k])
                origin.light(there, "value", factors[there])
        origin.text, origin.words = self._sum(result, cells, place, use, k, factors, applied)
        return origin

    def _sum(
        self,
        result: Step,
        cells: Cells,
        place: int,
        use: Operand,
        k: int,
        factors: dict[int, Cells],
        applied: Application | None,
    ) -> tuple[str, str]:
        """Upstream gradients times local derivatives, summed; and the same in words."""
        assert use.contribution is not None
        upstream = result.grad
        slopes = [_slope(use, applied, place, int(o), k) for o in cells]
        part = _part_name(result, cells, gradient=True)
        if upstream is None or not upstream.is_whole or None in slopes:
            return "", say("cell_depends", parts=part)
        pairs = list(zip(upstream.values.reshape(-1)[cells], slopes, strict=True))
        if not _is_sum(pairs, use.contribution.values.reshape(-1)[k], use.contribution):
            return "", say("cell_depends", parts=part)
        if all(slope == 1 for slope in slopes):
            text = terms_text([(g,) for g, _ in pairs], _MOST_TERMS) if len(pairs) > 1 else ""
            return text, say("cell_added" if text else "cell_handed_on", part=part)
        if place == 1:
            pairs = [(slope, g) for g, slope in pairs]
        [other] = [*factors] if len(factors) == 1 else [None]
        is_plain = (
            other is not None and other != result.id and _are_numbers_of(self._steps[other], factors[other], slopes)
        )
        if not is_plain or other is None:
            words = say("cell_times_local" if len(pairs) == 1 else "cell_times_locals", part=part)
        else:
            both = [part, _part_name(self._steps[other], factors[other])]
            words = say("cell_from", parts=_product_of(both[::-1] if place == 1 else both, len(pairs)))
        return terms_text(pairs, _MOST_TERMS), words

    def _parts(self, cells: dict[tuple[int, Slot], Cells]) -> str:
        return listed([_part_name(self._steps[i], found, slot == "gradient") for (i, slot), found in cells.items()])


# ------------------------------------------------------------------ the calculation of a value
@dataclass
class _Calculation:
    """The number of cell ``k`` as it follows from the ``lit`` cells of each operand.

    ``copied`` is the one cell that it was copied from, if it only was moved.
    """

    steps: Any
    call: Step
    applied: Application
    lit: Sequence[Cells | None]
    k: int
    copied: tuple[int | None, Slot, Cells] | None = None

    def written(self) -> tuple[str, str]:
        """The calculation with its numbers, and in words; empty if neither is known."""
        if self.applied.function.elementwise:
            return self._elementwise()
        return self._moved() or self._linear() or self._named() or ("", "")

    def _numbers(self, place: int) -> np.ndarray:
        given, cells = self.applied.inputs[place], self.lit[place]
        return np.asarray(given).reshape(-1)[cells if isinstance(given, np.ndarray) and cells is not None else slice(1)]

    def _part(self, place: int) -> str:
        use, cells = self.call.operands[place], self.lit[place]
        if use.step is None or cells is None:
            return numbers_in(use.constant or "")
        return _part_name(self.steps[use.step], cells)

    def _elementwise(self) -> tuple[str, str]:
        places = [i for i, given in enumerate(self.applied.inputs) if given is not None]
        values = [number(self._numbers(place)[0]) for place in places]
        sign, parts = _SIGNS.get(self.call.function or ""), [self._part(place) for place in places]
        if sign is not None and len(values) == 2:
            second = f"({values[1]})" if values[1].startswith(MINUS) else values[1]
            return f"{values[0]} {sign} {second}", say("cell_from", parts=f"{parts[0]} {sign} {parts[1]}")
        named = [part for part, place in zip(parts, places, strict=True) if self.call.operands[place].step is not None]
        text = f"{self.call.function}({', '.join([*values, *self._attributes()])})"
        return text, say("cell_depends_one", parts=listed(list(dict.fromkeys(named))))

    def _attributes(self) -> list[str]:
        return [f"{name}={numbers_in(text)}" for name, text in self.call.attributes]

    def _linear_places(self) -> list[int]:
        some = [i for i, cells in enumerate(self.lit) if cells is not None and cells.size]
        return [i for i in some if self.applied.is_linear(i)]

    def _moved(self) -> tuple[str, str] | None:
        """The number of another cell."""
        found = []
        for place, cells in enumerate(self.lit):
            if cells is None or not cells.size:
                continue
            slopes = self.applied.slopes(place, self.k)
            if slopes is None or self._named() is not None:
                return None
            found += [(place, at) for at in np.flatnonzero(slopes) if slopes[at] == 1]
            if np.count_nonzero(slopes) > 1 or (np.count_nonzero(slopes) == 1 and not found):
                return None
        if len(found) != 1:
            return None
        place, at = found[0]
        if np.asarray(self.applied.inputs[place]).reshape(-1)[at] != self.applied.result.reshape(-1)[self.k]:
            return None
        use, cell = self.call.operands[place], np.array([at])
        self.copied = use.step, "value", cell
        return "", say("cell_moved", part=_part_name(self.steps[use.step], cell))

    def _linear(self) -> tuple[str, str] | None:
        """A sum of products: of one operand's cells with those of another one, or with fixed numbers."""
        terms: list[tuple[Any, ...]] = []
        words: list[str] = []
        done: set[int] = set()
        for place in self._linear_places():
            slopes, cells = self.applied.slopes(place, self.k), self.lit[place]
            if slopes is None or cells is None or place in done:
                continue
            partners = self._partners(place)
            done |= {place, *partners}
            pairs = list(zip(self._numbers(place), slopes[cells], strict=True))
            if not partners and len({slope for _, slope in pairs}) == 1 and pairs[0][1] != 1:
                return self._mean(place, pairs) if len(terms) == 0 else None
            terms += [(x,) if slope == 1 and not partners else (x, slope) for x, slope in pairs]
            both = [self._part(place), *[self._part(other) for other in partners]]
            words.append(_product_of(both, len(pairs)))
        if not terms or not self._is(terms):
            return None
        key = "cell_from" if len(words) > 1 or done - {*self._linear_places()[:1]} else "cell_added"
        return terms_text(terms, _MOST_TERMS), say(key, part=words[0], parts=" + ".join(words))

    def _partners(self, place: int) -> list[int]:
        """The operands whose numbers multiply those at ``place``."""
        kept = self.applied.function.retained[self.applied.function.input_at(place)]
        places = range(len(self.lit))
        return [
            i for i in places if i != place and self.applied.function.input_at(i) in kept and self.lit[i] is not None
        ]

    def _mean(self, place: int, pairs: Sequence[tuple[Any, Any]]) -> tuple[str, str] | None:
        count, slope = len(pairs), float(pairs[0][1])
        if not self._is(pairs):
            return None
        if abs(slope * count - 1) > 1e-6:
            return terms_text(pairs, _MOST_TERMS), say("cell_from", parts=self._part(place))
        text = f"({terms_text([(x,) for x, _ in pairs], _MOST_TERMS)}) / {count}"
        return text, say("cell_mean", part=self._part(place))

    def _is(self, terms: Sequence[Sequence[Any]]) -> bool:
        """Whether the terms add up to the number."""
        kept = self.steps[self.call.id].value
        return _is_sum(terms, self.applied.result.reshape(-1)[self.k], kept) if kept is not None else False

    def _named(self) -> tuple[str, str] | None:
        """A function that is not linear, of all cells together."""
        write = _WRITTEN.get(self.call.function or "")
        cells = self.lit[0] if len(self.lit) == 1 else None
        if write is None or cells is None or not cells.size:
            return None
        own = int(np.searchsorted(cells, self.k)) if self.applied.result.size == len(self.applied.inputs[0].flat) else 0
        numbers = [number(value) for value in self._numbers(0)]
        return write(numbers, own), say("cell_depends_one", parts=self._part(0))


def _product_of(parts: Sequence[str], count: int) -> str:
    """Rows and columns that are multiplied pair by pair, or two numbers."""
    return (f" {say('cell_times')} " if count > 1 else " × ").join(parts)


def _cut(texts: Sequence[str], sign: str) -> str:
    more = [f"… {say('terms', count=len(texts))}"] if len(texts) > _MOST_TERMS else []
    return sign.join([*texts[:_MOST_TERMS], *more])


def _exp(text: str) -> str:
    return f"exp({text})"


def _sum_of_exp(texts: Sequence[str]) -> str:
    return _cut([_exp(text) for text in texts], " + ")


_WRITTEN: dict[str, Callable[[Sequence[str], int], str]] = {
    "max": lambda texts, _: f"max({_cut(texts, ', ')})",
    "min": lambda texts, _: f"min({_cut(texts, ', ')})",
    "prod": lambda texts, _: _cut([f"({text})" if text.startswith(MINUS) else text for text in texts], " × "),
    "softmax": lambda texts, own: f"{_exp(texts[own])} / ({_sum_of_exp(texts)})",
    "log_softmax": lambda texts, own: f"{texts[own]} {MINUS} log({_sum_of_exp(texts)})",
    "logsumexp": lambda texts, _: f"log({_sum_of_exp(texts)})",
}
"""How the functions are written that are neither elementwise nor sums of products, from the numbers that enter them and
the index of the one in the same place."""


# ------------------------------------------------------------------ helpers
def _recorded(use: Operand, shape: tuple[int, ...]) -> np.ndarray | None:
    """Which cells of an operand enter which of the result, by the derivatives that were recorded."""
    size = math.prod(shape)
    if use.jacobian is not None and use.jacobian.is_whole:
        return np.asarray(use.jacobian.values.reshape(-1, size) != 0)
    if use.local is not None:
        cells = np.broadcast_to(np.arange(size).reshape(shape), use.local.shape).reshape(-1)
        return np.asarray(cells[:, None] == np.arange(size))
    return None


def _slope(use: Operand, applied: Application | None, place: int, cell: int, k: int) -> Any:
    """The derivative of a cell of the result with respect to cell ``k`` of an operand; None if it is not known."""
    if use.local is not None and use.local.is_whole:
        return use.local.values.reshape(-1)[cell]
    if use.jacobian is not None and use.jacobian.is_whole and use.contribution is not None:
        return use.jacobian.values.reshape(-1, use.contribution.size)[cell, k]
    found = None if applied is None else applied.slopes(place, cell)
    return None if found is None else found[k]


def _is_sum(terms: Sequence[Sequence[Any]], result: Any, kept: Snapshot) -> bool:
    """Whether products add up to a number, as far as its precision allows."""
    products = [math.prod([float(factor) for factor in factors]) for factors in terms]
    slack = 64 * (kept.precision or 1e-16) * (sum([abs(one) for one in products]) + abs(float(result)))
    apart = abs(sum(products) - float(result))
    return apart <= slack


def _are_numbers_of(step: Step, cells: Cells, slopes: Sequence[Any]) -> bool:
    """Whether factors are just the numbers of some cells."""
    if step.value is None or not step.value.is_whole:
        return False
    numbers = step.value.values.reshape(-1)[cells]
    return {float(x) for x in slopes} <= {float(x) for x in numbers}


def _joined(texts: Sequence[str]) -> str:
    """A sum of terms with their signs."""
    return _cut(texts, " + ").replace(f"+ {MINUS}", f"{MINUS} ")


def _indexed(step: Step, k: int) -> str:
    """``x[0, 2]``: the name of one cell."""
    shape = _shape(step)
    whole = label(step)
    name = shorten(whole, _NAME_COLUMNS)
    bracketed = grouped(name) if name == whole else f"({name})"
    return index_text(bracketed if shape else name, tuple([int(i) for i in np.unravel_index(k, shape)]))


def _part_name(step: Step, cells: Cells, gradient: bool = False) -> str:
    """A part of an array, or of its gradient, in words: ``row 0 of X``, ``the gradient of b[1]``."""
    shape, name = _shape(step), shorten(label(step), _NAME_COLUMNS)
    if len(cells) == 1:
        one = _indexed(step, int(cells[0]))
        return say("cell_part_gradient", name=one) if gradient else one
    if gradient:
        name = say("cell_part_gradient", name=name)
    if len(cells) == math.prod(shape):
        return say("cell_all", name=name)
    index = np.unravel_index(cells, shape)
    fixed = [int(at[0]) if (at == at[0]).all() else None for at in index]
    if math.prod([n for n, at in zip(shape, fixed, strict=True) if at is None]) != len(cells):
        return say("cell_some", count=len(cells), name=name)
    if len(shape) == 2:
        row, column = fixed
        return say("cell_row", row=row, name=name) if row is not None else say("cell_column", column=column, name=name)
    slices = ", ".join([":" if at is None else str(at) for at in fixed])
    return f"{name}, [{slices}]" if gradient else f"{grouped(name)}[{slices}]"


def _shape(step: Step) -> tuple[int, ...]:
    kept = step.value or step.grad
    return () if kept is None else kept.shape
