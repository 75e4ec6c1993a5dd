"""A tape as a function of Python: one line for each call, with the results in buffers that are used again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine.modes import modes
from ...engine.tracebacks import PACKAGE
from ...engine.variable import wrap
from .buffers import Buffers, offset
from .lowering import Lowered, is_elementwise
from .references import Ref, resolved, slots_in
from .returned import spent
from .state import Effect, Given, StatePlace
from .tape import Step

FILE = PACKAGE + "transforms/compiling/<compiled>"
"""Where warnings come from: they are told of the user's line, as those of AutoLab's own files."""

_LARGE = 1 << 16
_WARNING = (np.maximum, np.minimum)
"""Functions that warn of a third argument without a name."""

_WITH_OUT = (np.dot, np.concatenate, np.cumsum, np.clip)


class Miss(Exception):
    """A branch goes another way than in the tape."""


class Executable:
    """The program of a tape.

    Attributes
    ----------
    run : callable
        Takes the list of the arguments that are arrays or Variables, and gives what the function gave.
    source : str
        Its text.
    draws : bool
        Whether it draws random numbers.
    """

    def __init__(
        self,
        low: Lowered,
        steps: list[Step],
        sources: dict[int, StatePlace],
        result: Any,
        effects: Sequence[Effect] = (),
        dry: bool = False,
    ) -> None:
        self._dry, self._tape, self._low, self._steps, self._from = dry, low.tape, low, steps, sources
        escaping = named(result, effects, steps)
        low.escaping |= {low.memory[slot] for slot in escaping}
        self._names: dict[str, Any] = {
            "Miss": Miss,
            "wrap": wrap,
            "put": object.__setattr__,
            "modes": modes,
            "asarray": np.asarray,
            "seterr": np.seterr,
            "errstate": np.errstate,
        }
        self._known: dict[int, str] = {}
        self._wrapped: dict[int, str] = {}
        self._held: set[str] = set()
        self._tells: list[str] = []
        self._made: dict[int, list[int]] = {}
        self._buffers = Buffers()
        self._last = self._last_uses(escaping)
        self.draws = any([step.kind == "draw" for step in steps])
        self._lines: list[str] = ["rng = modes().rng"] * self.draws
        self._sources()
        for i, step in enumerate(steps):
            if dry and step.kind == "update":
                self._lines.append(f"return [{', '.join(self._told(step.args[0]))}]")
                break
            getattr(self, f"_{step.kind}")(step, i)
            self._release(i)
        else:
            self._end(result, effects)
        if any([step.kind == "errstate" for step in steps]):
            self._lines = ["with errstate():", *[f"    {line}" for line in self._lines]]
        self.source = "def run(L):\n" + "".join([f"    {line}\n" for line in self._lines])
        exec(compile(self.source, FILE, "exec"), self._names)
        self.run: Callable[[Sequence[Any]], Any] = self._names["run"]

    def static(self, slot: int) -> np.ndarray | None:
        """The array that a slot lies in at every run, if it is always the same one."""
        return self._low.static.get(slot)

    def _end(self, result: Any, effects: Sequence[Effect]) -> None:
        if self._dry:
            self._lines.append(f"return [{', '.join([*self._told(effects), *self._told(_results(result))])}]")
            return
        text = self._result(result)
        self._publish(effects)
        self._lines += self._tells
        self._lines.append(f"return {text}")

    def _told(self, items: Sequence[Any]) -> list[str]:
        return [self._at(slot) for item in items if (slot := getattr(item, "slot", None)) is not None]

    # ------------------------------------------------------------------ names
    def _bound(self, value: Any) -> str:
        """The name of an object in the program."""
        if id(value) not in self._known:
            self._known[id(value)] = name = f"k{len(self._known)}"
            self._names[name] = value
        return self._known[id(value)]

    def _text(self, value: Any) -> str:
        if type(value) is Ref:
            return self._at(value.slot)
        if not slots_in(value):
            return repr(value) if value is None or type(value) in (bool, int) else self._bound(value)
        if type(value) is slice:
            return f"slice({self._text(value.start)}, {self._text(value.stop)}, {self._text(value.step)})"
        if type(value) is dict:
            return "{" + ", ".join([f"{key!r}: {self._text(item)}" for key, item in value.items()]) + "}"
        items = ", ".join([self._text(item) for item in value])
        return f"[{items}]" if type(value) is list else f"({items},)"

    def _at(self, slot: int) -> str:
        slot = self._low.slot(slot)
        static = self._low.static.get(slot)
        return self._bound(static) if static is not None else f"s{slot}"

    def place(self, where: StatePlace) -> str:
        """The text of where an array is looked up or put."""
        return where.text(self._holder)

    def _holder(self, holder: Any) -> str:
        """The name of an object whose state is read or set, or of an argument."""
        name = f"a{holder.index}" if type(holder) is Given else self._bound(holder)
        if type(holder) is Given and name not in self._held:
            self._held.add(name)
            self._lines.append(f"{name} = L[{holder.index}]")
        return name

    def _sources(self) -> None:
        used = {slot for step in self._steps for slot in slots_in((step.args, step.options))} | self._kept
        for slot, where in self._from.items():
            if slot in used:
                copied = ".copy()" if self._dry and self._low.memory[slot] in self._low.written else ""
                self._lines.append(f"s{slot} = {self.place(where)}{copied}")

    # ------------------------------------------------------------------ how long a memory is used
    def _last_uses(self, escaping: set[int]) -> dict[int, list[int]]:
        """The number of a step -> the memories that nobody needs after it."""
        low = self._low
        self._kept = {low.slot(slot) for slot in escaping}
        last: dict[int, int] = {}
        for i, step in enumerate(self._steps):
            for slot in [*slots_in((step.args, step.options)), *[slot for _, slot in step.outs]]:
                last[low.memory[low.slot(slot)]] = i
        kept = {low.memory[slot] for slot in self._kept}
        found: dict[int, list[int]] = {}
        for number, i in last.items():
            if number not in kept:
                found.setdefault(i, []).append(number)
        return found

    def _release(self, i: int) -> None:
        """Let go of memory after its last use: of a buffer for the next result, of a large array altogether."""
        for number in self._last.get(i, ()):
            slots = self._made.pop(number, [])
            if not self._buffers.release(number) and slots and self._tape.values[number].nbytes >= _LARGE:
                self._lines.append("".join([f"s{slot} = " for slot in slots]) + "None")

    # ------------------------------------------------------------------ steps
    def _guard(self, step: Step, i: int) -> None:
        self._lines.append(f"if {'not ' * step.function}{self._text(step.args[0])}: raise Miss")

    def _shape(self, step: Step, i: int) -> None:
        self._lines.append(f"if {self._text(step.args[0])}.shape != {step.function}: raise Miss")

    def _draw(self, step: Step, i: int) -> None:
        self._assign(step, f"rng.{step.function}", self._arguments(step))

    def _load(self, step: Step, i: int) -> None:
        self._lines.append(f"s{step.outs[0][1]} = {self.place(step.function)}")

    def _update(self, step: Step, i: int) -> None:
        self._publish(step.args[0])
        self._lines.append(f"{self._bound(step.function)}()")

    def _tell(self, step: Step, i: int) -> None:
        """Told at the end: until then the run may turn out to go another way."""
        self._tells.append(f"{self._bound(step.function)}({self._arguments(step)})")

    def _errstate(self, step: Step, i: int) -> None:
        self._lines.append(f"seterr(**{self._bound(step.function)})")

    def _call(self, step: Step, i: int) -> None:
        if self._is_static_view(step):
            return
        if step.function is operator.setitem:
            target, index, value = [self._text(arg) for arg in step.args]
            self._lines.append(f"{target}[{index}] = {value}")
        elif (out := self._out(step, i)) is not None:
            self._lines.append(f"{self._bound(step.function)}({self._arguments_with(step, out)})")
        elif step.function is operator.getitem:
            self._assign(step, "", f"{self._text(step.args[0])}[{self._text(step.args[1])}]")
        else:
            self._assign(step, self._bound(step.function), self._arguments(step))

    def _arguments(self, step: Step) -> str:
        texts = [self._text(arg) for arg in step.args]
        if [*step.options] == ["out"] and _takes_third(step.function) and len(texts) == step.function.nin:
            out = step.options["out"]
            return ", ".join([*texts, self._text(out[0] if type(out) is tuple else out)])
        return ", ".join([*texts, *[f"{key}={self._text(value)}" for key, value in step.options.items()]])

    def _assign(self, step: Step, function: str, arguments: str) -> None:
        text = f"{function}({arguments})"
        for _, slot in step.outs:
            self._made.setdefault(self._low.memory[slot], []).append(slot)
        if not step.outs:
            self._lines.append(text)
        elif step.outs[0][0] is None:
            slot = step.outs[0][1]
            scalar = not self._tape.values[slot].ndim and step.function is not np.asarray
            self._lines.append(
                f"s{slot} = asarray{text if not function else '(' + text + ')'}" if scalar else f"s{slot} = {text}"
            )
        else:
            names = ", ".join([f"s{slot}" for _, slot in step.outs])
            scalars = [f"s{slot} = asarray(s{slot})" for _, slot in step.outs if not self._tape.values[slot].ndim]
            self._lines += [f"{names}, = {text}", *scalars]

    def _is_static_view(self, step: Step) -> bool:
        """Whether a step looks at a buffer or a constant in another way: that is done once and for all."""
        low = self._low
        base = low.viewed(step)
        slots = slots_in((step.args, step.options))
        if base is None or any([low.slot(slot) not in low.static for slot in slots]):
            return False
        args, options = resolved((step.args, step.options), lambda slot: low.static[low.slot(slot)])
        found = step.function(*args, **options)
        slot = step.outs[0][1]
        value, base = self._tape.values[slot], low.slot(base)
        if not isinstance(found, np.ndarray) or (found.shape, found.strides) != (value.shape, value.strides):
            return False
        if found.size and offset(found, low.static[base]) != offset(value, self._tape.values[base]):
            return False
        low.static[slot] = found
        return True

    def _out(self, step: Step, i: int) -> np.ndarray | None:
        """The buffer for a step's result, where its function takes one."""
        low = self._low
        if not _takes_out(step) or low.memory[slot := step.outs[0][1]] in low.escaping:
            return None
        value, number = self._tape.values[slot], low.memory[slot]
        if value.base is not None or value.size * value.itemsize != value.nbytes or not value.size:
            return None
        if is_elementwise(step):
            for arg in step.args:
                if type(arg) is Ref and self._dies_as(arg.slot, value, i):
                    self._buffers.hand_over(low.memory[low.slot(arg.slot)])
                    break
        low.static[slot] = out = self._buffers.array(number, value)
        return out

    def _dies_as(self, slot: int, value: np.ndarray, i: int) -> bool:
        """Whether an operand is needed here for the last time, and lies in its buffer as the result will."""
        slot = self._low.slot(slot)
        static = self._low.static.get(slot)
        if static is None or self._low.memory[slot] not in self._last.get(i, ()):
            return False
        like = (static.shape, static.strides, static.dtype) == (value.shape, value.strides, value.dtype)
        return like and static.nbytes == value.nbytes and self._buffers.has(self._low.memory[slot])

    def _arguments_with(self, step: Step, out: np.ndarray) -> str:
        """The arguments of a call that fills a buffer; by position where that is possible, which is faster."""
        name, options = self._bound(out), dict(step.options)
        texts = [self._text(arg) for arg in _settled(step, out)]
        if getattr(step.function, "__name__", "") == "reduce":
            texts += [self._text(options.pop("axis", 0)), self._text(options.pop("dtype", None)), name]
        elif _takes_third(step.function) or step.function is np.dot:
            texts.append(name)
        else:
            options["out"] = out
        return ", ".join([*texts, *[f"{key}={self._text(value)}" for key, value in options.items()]])

    # ------------------------------------------------------------------ what is left behind
    def _variable(self, slot: int, is_joined: bool = False) -> str:
        """A Variable of what is in a slot, the same one for all that ask."""
        if slot not in self._wrapped:
            self._wrapped[slot] = name = f"w{slot}"
            made = f"wrap({self._at(slot)}, None)"
            self._lines.append(f"{name} = {self._bound(spent)}({made})" if is_joined else f"{name} = {made}")
        return self._wrapped[slot]

    def _publish(self, effects: Sequence[Effect]) -> None:
        stores = [store for effect in effects for store in effect.stores(self._holder, self._variable, self._at)]
        if stores:
            owners, names, values = zip(*dict.fromkeys(stores), strict=True)
            # All or nothing, as `publish` does it, without a tuple for each.
            self._lines.append(f"any(map(put, ({', '.join(owners)},), {names!r}, ({', '.join(values)},)))")

    def _result(self, result: Any) -> str:
        if hasattr(result, "slot"):
            return result.text(
                self._variable(result.slot) if result.is_variable else self._at(result.slot), self._bound
            )
        if isinstance(result, StatePlace):
            return self.place(result)
        if type(result) in (list, tuple):
            items = ", ".join([self._result(item) for item in result])
            return f"[{items}]" if type(result) is list else f"({items}{',' * (len(result) == 1)})"
        if type(result) is dict:
            return "{" + ", ".join([f"{self._bound(key)}: {self._result(item)}" for key, item in result.items()]) + "}"
        return self._bound(result)


def _takes_third(function: Any) -> bool:
    """Whether a function takes the array for its result by position, which is faster."""
    return isinstance(function, np.ufunc) and function.nout == 1 and function not in _WARNING


def _takes_out(step: Step) -> bool:
    function = step.function
    if "out" in step.options or "where" in step.options or len(step.outs) != 1 or step.outs[0][0] is not None:
        return False
    if isinstance(function, np.ufunc):
        return function.nout == 1 and len(step.args) == function.nin
    owner = getattr(function, "__self__", None)
    return (isinstance(owner, np.ufunc) and function.__name__ in ("reduce", "accumulate")) or function in _WITH_OUT


def _settled(step: Step, out: np.ndarray) -> list[Any]:
    """The arguments, with Python's numbers as arrays of the result's dtype, where they would become that anyway."""
    if not is_elementwise(step) or out.dtype.kind != "f":
        return list(step.args)
    if (
        f"{out.dtype.char * step.function.nin}->{out.dtype.char}" not in step.function.types
        or step.function is np.ldexp
    ):
        return list(step.args)
    return [np.asarray(arg, out.dtype) if type(arg) in (int, float) else arg for arg in step.args]


def named(result: Any, effects: Sequence[Effect], steps: Sequence[Step]) -> set[int]:
    """The slots of what a run leaves behind."""
    updates = [effect for step in steps if step.kind == "update" for effect in step.args[0]]
    told = [*_results(result), *updates, *effects]
    heard = {slot for step in steps if step.kind == "tell" for slot in slots_in(step.args)}
    return heard | {slot for item in told if (slot := getattr(item, "slot", None)) is not None}


def _results(result: Any) -> list[Any]:
    if type(result) in (list, tuple):
        return [item for part in result for item in _results(part)]
    if type(result) is dict:
        return _results(list(result.values()))
    return [result]
