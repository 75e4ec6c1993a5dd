"""A tape: the NumPy calls that a run made, and the conditions under which they can be repeated."""

from __future__ import annotations

import operator
import re
import sys
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from types import CodeType, FrameType
from typing import Any, Literal, NamedTuple
from weakref import ref

import numpy as np

from ...engine import new_order
from ...engine.undisturbed import filters, watched
from .recorded_array import Recorded, RecordedScalar, line_of, open_tape, pulled, taped, users_frame
from .references import Ref, mapped, memory, plain, recorded_in, slots_in

Line = tuple[str, int] | None

TELLING = frozenset([np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.iscomplexobj, np.isrealobj])
"""Functions that depend neither on elements nor on memory layout."""

_BLANK = (np.zeros_like, np.ones_like, np.empty_like)
"""Functions that use only the shape and the dtype of an array."""

_WRITING: dict[Any, int] = {
    operator.setitem: 0,
    np.copyto: 0,
    np.put: 0,
    np.place: 0,
    np.putmask: 0,
    np.put_along_axis: 0,
    np.fill_diagonal: 0,
    **{
        getattr(np.ndarray, name): 0
        for name in ("fill", "put", "sort", "partition", "itemset")
        if name in dir(np.ndarray)
    },
    **{getattr(np, name).at: 0 for name in ("add", "subtract", "multiply", "maximum", "minimum")},
}
"""Functions that write to an argument -> its position; all others write only through ``out=``."""


_SHAPED = re.compile(
    "argwhere|bincount|compress|extract|flatnonzero|nonzero|trim_zeros|unique.*|(union|intersect|setdiff|setxor)1d|where"
)
"""Names of functions whose result may have a shape that depends on values, as may indexing with a mask."""

_RESHAPING = re.compile(
    "(array_|[hvd]?)split|broadcast_to|delete|histogram.*|insert|pad|repeat|reshape|resize|tile|(lin|log|geom)space"
)
"""Names of functions whose result has a shape that depends on the values of the arguments after the first."""


class Refusal(NamedTuple):
    """Why a tape cannot be used, and the user's line that is the reason."""

    what: str
    frame: Line = None


@dataclass(eq=False)
class Step:
    """One entry of the tape: a call of ``function``, or something between calls.

    ``args`` and ``options`` hold a `Ref` for each array. ``outs`` are the slots of the results, by their positions in a
    tuple of results, or None for a single result. ``writes`` is the slot whose memory the call writes to.
    ``is_backward`` says that it computes gradients of the function's results. ``line`` is the user's line that made the
    call or, if a backward pass made it (``is_pulled``), the line that is differentiated; ``number`` is its position on
    the tape.
    """

    kind: Literal["call", "guard", "count", "shape", "draw", "load", "update", "errstate", "tell"]
    function: Any
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    outs: tuple[tuple[int | None, int], ...] = ()
    writes: int | None = None
    is_backward: bool = False
    line: Line = None
    is_pulled: bool = False
    number: int = -1

    @cached_property
    def slots(self) -> list[int]:
        """The slots that its arguments refer to."""
        return slots_in((self.args, self.options))


class CallTape:
    """What a run of a function did with arrays.

    Attributes
    ----------
    steps : list of Step
    values : list of arrays
        The array in each slot. A slot is assigned once; writes to its memory are visible through its views.
    sources : dict
        Slot -> where its array comes from in each run: an argument, a parameter, a gradient.
    constants : dict
        Slot -> a NumPy array that was used together with recorded arrays.
    depends : list of bool
        Whether the content of a slot depends on a source or on a random draw.
    refusal : Refusal or None
    ran : set
        The user's code that ran.
    asked : list of Variable
        Variables whose name or creator the user's code asked for.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.values: list[np.ndarray] = []
        self.sources: dict[int, Any] = {}
        self.constants: dict[int, np.ndarray] = {}
        self.depends: list[bool] = []
        self.refusal: Refusal | None = None
        self.ran: set[CodeType] = set()
        self.asked: list[Any] = []
        self.is_final = False
        self.is_backward = False
        self.made: list[ref[Recorded]] = []
        self._lines: list[tuple[int, Line]] = [(0, None)]
        self._setting, self._filters = np.geterr(), filters()
        self._slots: dict[int, int] = {}
        self._chosen: set[tuple[Any, ...]] = (
            set()
        )  # shapes of arrays and masks, of which the shape of the choice is known
        self._before: list[tuple[np.ndarray, bytes]] = []

    # ------------------------------------------------------------------ inputs
    def source(self, array: np.ndarray, where: Any) -> Recorded:
        """Record an array that is looked up again in each run."""
        slot = self._slot(array, True)
        self.sources[slot] = where
        return self.recorded(array, slot)

    def load(self, array: np.ndarray, where: Any) -> Recorded:
        """The same in the middle of a run: an array that an update has replaced."""
        slot = self._slot(array, True)
        self.steps.append(Step("load", where, outs=((None, slot),)))
        return self.recorded(array, slot)

    def update(self, optimizer: Any, effects: Any) -> None:
        """An update that is run as it is, once ``effects`` are published; from here on nothing can be undone."""
        self.steps.append(Step("update", optimizer, (effects,)))
        self.is_final = True

    def constant(self, array: np.ndarray) -> Recorded:
        """Record an array that is the same in each run."""
        return self.recorded(array, self._constant(array))

    # ------------------------------------------------------------------ events
    def call(self, function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Make a call and record it."""
        try:
            found = function(*plain(tuple(args)), **plain(options))
        except Exception as error:
            if open_tape.get() is self:
                self.refuse(f"{getattr(function, '__name__', function)} raises {type(error).__name__} in it")
            raise
        if open_tape.get() is not self or function in TELLING:
            return found
        self._watch()
        return self._noted("call", function, args, options, found)

    def tells_apart(self, value: Any) -> None:
        """The name of a value is asked for, or what made it."""
        self.asked.append(value)

    def before_draw(self, name: str) -> None:
        """A generator is about to draw."""

    def draw(self, method: str, found: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
        """Record a draw from ``config.rng``; updates make their own draws in each run."""
        if open_tape.get() is not self:
            return found
        return self._noted("draw", method, args, options, found)

    def tell(self, function: Any, values: dict[str, Any], others: tuple[Any, ...]) -> None:
        """Record a call that only reports values and returns nothing."""
        values = {name: getattr(value, "_data", value) for name, value in values.items()}
        self.steps.append(Step("tell", function, (mapped(values, self._ref), *others)))
        with taped(None):
            function(plain(values), *others)

    def branch(self, array: Recorded, answer: bool) -> None:
        """From here on the tape is valid only if the truth value of ``array`` is the same as now."""
        if self.depends[array._slot]:
            self._guard("guard", answer, array, "it branches on a value")

    def count(self, array: Recorded, number: int) -> None:
        """From here on the tape is valid only if an integer is the same as now."""
        if self.depends[array._slot]:
            self._guard("count", number, array, "it counts by a value")

    def asks(self, array: Recorded, name: str) -> None:
        """Refuse a question whose answer may differ between arrays of one kind."""
        if array._slot not in self.constants:
            self.refuse(f"it asks for the {name} of an array")

    def _guard(self, kind: Any, told: Any, array: Recorded, what: str) -> None:
        if self.is_final:
            self.refuse(f"{what} after an update")
        if self.is_backward:
            self.refuse(f"{what} in its backward pass")
        self.steps.append(Step(kind, told, (Ref(array._slot),)))

    def leaves(self, array: Recorded, how: str) -> np.ndarray:
        """The value, for a use that is not recorded; the tape is then refused."""
        if self.depends[array._slot]:
            self.refuse(f"a number leaves the arrays through {how}")
        return array._value

    def refuse(self, what: str, line: Line = None) -> None:
        """Note why no program can do this, and the user's line, by default the current one; the first reason counts."""
        if self.refusal is None:
            self.refusal = Refusal(what, line or line_of(users_frame(sys._getframe(1))))

    def _watch(self) -> None:
        """Record the handling of floating-point errors; refuse if the function may react to one."""
        if (setting := np.geterr()) != self._setting:
            self._setting = setting
            self.steps.append(Step("errstate", setting, is_backward=self.is_backward))
            if (what := watched(self._filters)) is not None:
                self.refuse(f"it uses {what}")
        elif filters() != self._filters and watched(self._filters) is not None:
            self.refuse("it changes the filters of warnings")

    # ------------------------------------------------------------------ recording
    def _noted(self, kind: Any, function: Any, args: Sequence[Any], options: dict[str, Any], found: Any) -> Any:
        given = recorded_in((args, options))
        noted, settings = mapped(tuple(args), self._ref), mapped(options, self._ref)
        depends = kind == "draw" or (function not in _BLANK and any([self.depends[one._slot] for one in given]))
        writes = self._written(function, args, options)
        same = next((item for item in given if item._value is found), None)
        if same is not None and writes is None and function is not operator.getitem:
            return self.recorded(same._value, same._slot) if same._is_scalar else same  # ``np.asarray`` of an array
        parts = list(found) if isinstance(found, tuple | list) else [found]
        if same is None and found is not None and not all([isinstance(p, np.ndarray | np.generic) for p in parts]):
            if depends:
                self.refuse(f"{getattr(function, '__name__', function)} returns {type(found).__name__}, no array")
            return found
        if writes is not None:
            self._chosen.clear()
            self._spread(writes, depends)
            if writes in self.constants:
                self.refuse("it writes into an array that was there")
            if writes in self.sources or writes in self.constants:
                self.is_final = True
        is_new, whole = same is None and found is not None, not isinstance(found, tuple | list)
        made: list[Any] = [self._made(part, depends) for part in parts] if is_new else [same]
        outs = tuple([(None if whole else i, one._slot) for i, one in enumerate(made)]) if is_new else ()
        line, is_pulled = self._line(sys._getframe(2))
        self.steps.append(Step(kind, function, noted, settings, outs, writes, self.is_backward, line, is_pulled))
        if depends and outs and self._is_shaped(function, args, options):
            for one in made:
                self._guard("shape", one.shape, one, "the shape of a result depends on values")
        return made[0] if whole else type(found)(made) if type(found) in (tuple, list) else type(found)(*made)

    def _line(self, frame: FrameType) -> tuple[Line, bool]:
        """The user's line that a call belongs to, and whether a backward pass makes the call. Its line is then that of
        the last call before its node was made, which their shared counter tells."""
        node = pulled(frame)
        if node is not None:
            line = self._lines[bisect(self._lines, node.order, key=itemgetter(0)) - 1][1]
        else:
            line = None if self.is_backward else line_of(users_frame(frame))
        self._lines.append((new_order(), line))
        return line, node is not None

    def _made(self, part: Any, depends: bool) -> Recorded:
        array = np.asarray(part)
        return self.recorded(array, self._slot(array, depends), isinstance(part, np.generic))

    def recorded(self, array: np.ndarray, slot: int, is_scalar: bool = False) -> Recorded:
        """A new recorded array, or scalar, for the content of a slot."""
        made = (RecordedScalar if is_scalar else Recorded)(array, self, slot)
        self.made.append(ref(made))
        return made

    def _written(self, function: Any, args: Sequence[Any], options: dict[str, Any]) -> int | None:
        place = _WRITING.get(function)
        target = options.get("out") if place is None else args[place]
        target = target[0] if isinstance(target, tuple) else target
        if isinstance(function, np.ufunc) and target is None and len(args) > function.nin:
            target = args[function.nin]
        written: Any = target
        if isinstance(written, Recorded):
            return int(written._slot)
        if isinstance(written, np.ndarray):
            self.refuse("it writes a computed value into an existing NumPy array")
        return None

    def _is_shaped(self, function: Any, args: Sequence[Any], options: dict[str, Any]) -> bool:
        """Whether the shape of a result may depend on values, and is not yet known to be the same in each run."""
        if function is operator.getitem:
            index = args[1] if type(args[1]) is tuple else (args[1],)
            masks = tuple([one._slot for one in index if isinstance(one, Recorded) and one._value.dtype == bool])
            if masks and (args[0].shape, masks) in self._chosen:
                return False  # by the same masks, such as in the backward pass
            self._chosen.add((args[0].shape, masks))
            return bool(masks) or any(map(_is_slice, index))
        name = getattr(function, "__name__", "")
        if _RESHAPING.fullmatch(name) is not None:
            return any([self.depends[one._slot] for one in recorded_in((*args[1:], options))])
        return _SHAPED.fullmatch(name) is not None and not (name == "where" and len(args) > 1)

    def _spread(self, slot: int, depends: bool) -> None:
        """Slots that share memory with one that is written to depend on what is written."""
        if depends and not self.depends[slot]:
            own = memory(self.values[slot])
            self.depends = [is_so or memory(v) is own for is_so, v in zip(self.depends, self.values, strict=True)]

    def _ref(self, item: Any) -> Any:
        if isinstance(item, Recorded):
            return Ref(item._slot)
        return Ref(self._constant(item)) if isinstance(item, np.ndarray) else item

    def _constant(self, array: np.ndarray) -> int:
        if id(array) not in self._slots:
            self._slots[id(array)] = slot = self._slot(array, False)
            self.constants[slot] = array
            if array.flags.writeable:
                self._before.append((array, array.tobytes()))
        return self._slots[id(array)]

    def _slot(self, array: np.ndarray, depends: bool) -> int:
        self.values.append(array)
        self.depends.append(depends)
        return len(self.values) - 1

    def check_constants(self) -> None:
        """Refuse if the function has changed a NumPy array that it used together with recorded ones."""
        if any([array.tobytes() != before for array, before in self._before]):
            self.refuse("a NumPy array changes while it runs")


def _is_slice(index: Any) -> bool:
    return type(index) is slice and bool(recorded_in(index))
