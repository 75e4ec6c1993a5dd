"""A tape as a Python function: one line per call, with the results in reused buffers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...engine import new_order, wrap
from ...engine.modes import modes
from .call_tape import Step
from .lowering import LARGE, Lowered, Placement, is_of_floats, settled, takes_third
from .nested import flat, named
from .reached_state import Effect, Given, StatePlace
from .reads import GeneratedFunction
from .references import Ref, slots_in
from .returned import spent

# Elementwise steps on large arrays, run block by block so that intermediate results stay in the cache.

_BLOCK_BYTES = 1 << 20
"""Total size of the blocks: about the second-level cache of a core."""


class Blocks:
    """Consecutive elementwise steps on arrays of one shape and dtype.

    Attributes
    ----------
    steps : list of Step
    read, written, between : list of int
        Slots of their inputs, of their results, and of intermediates that no other step needs.
    length : int
        Number of elements in a block.
    """

    def __init__(self, low: Lowered, steps: list[Step], leaving: set[int]) -> None:
        self.steps = steps
        made = [step.outs[0][1] for step in steps]
        used = [low.slot(arg.slot) for step in steps for arg in step.args if type(arg) is Ref]
        like = low.tape.values[made[0]]
        self.read = [s for s in dict.fromkeys(used) if s not in made and low.tape.values[s].shape == like.shape]
        self.written = [slot for slot in made if slot in leaving]
        self.between = [slot for slot in made if slot not in leaving]
        columns = len(self.read) + len(self.written) + len(self.shared())
        self.size, self.dtype = like.size, like.dtype
        length = max(1, _BLOCK_BYTES // (like.itemsize * columns))
        self.length = length - length % 64 if length > 64 else length  # aligned blocks are faster

    @property
    def is_worth_it(self) -> bool:
        """Whether there are more intermediates than results, and whole arrays are too large for the cache."""
        return len(self.between) > len(self.written) and self.size > 2 * self.length

    def shared(self) -> list[list[int]]:
        """The intermediates, grouped so that each group shares one block: every next one replaces one that is dead."""
        found: list[list[int]] = []
        for i, step in enumerate(self.steps):
            later = {slot for other in self.steps[i + 1 :] for slot in other.slots}
            free = [one for one in found if one[-1] not in later]
            if (slot := step.outs[0][1]) in self.between:
                place = free[0] if free else []
                found += [] if free else [place]
                place.append(slot)
        return found


def in_blocks(low: Lowered, steps: Sequence[Step], leaving: set[int]) -> dict[int, Blocks]:
    """The steps to run in blocks, by the position of the first step.

    Parameters
    ----------
    low : Lowered
    steps : sequence of Step
    leaving : set of int
        Slots that outlive the run.
    """
    found: dict[int, Blocks] = {}
    start = 0
    while start < len(steps):
        end = start
        while end < len(steps) and _goes_on(low, steps[start], steps[end]):
            end += 1
        if end - start > 1:
            later = {low.slot(slot) for step in steps[end:] for slot in step.slots}
            blocks = Blocks(low, list(steps[start:end]), leaving | later)
            if blocks.is_worth_it:
                found[start] = blocks
        start = max(end, start + 1)
    return found


def _goes_on(low: Lowered, first: Step, step: Step) -> bool:
    """Whether a step can join the blocks that start with ``first``."""
    values = low.tape.values
    if step.kind != "call" or step.writes is not None or not step.outs:
        return False
    like, made = values[first.outs[0][1]], values[step.outs[0][1]]
    if not is_copy(step) and not (is_of_floats(step, made.dtype) and len(step.args) == step.function.nin):
        return False
    operands = [values[arg.slot] if type(arg) is Ref else arg for arg in step.args]
    return made.base is None and _is_like(made, like) and all([_fits(operand, like) for operand in operands])


def is_copy(step: Step) -> bool:
    """Whether a step copies an array."""
    return step.function is np.ndarray.copy and len(step.args) == 1 and not step.options


def _is_like(array: np.ndarray, like: np.ndarray) -> bool:
    return array.dtype is like.dtype and array.shape == like.shape and array.flags.c_contiguous


def _fits(operand: Any, like: np.ndarray) -> bool:
    """Whether an operand can be cut into blocks, or is the same for all of them."""
    if not isinstance(operand, np.ndarray):
        return type(operand) in (int, float)
    return _is_like(operand, like) or (not operand.ndim and operand.dtype is like.dtype)


class Miss(Exception):
    """A branch goes a different way from the tape."""


class Executable:
    """The program of a tape.

    Attributes
    ----------
    run : callable
        Takes the list of arrays and Variables among the arguments, and returns what the function returned.
    source : str
        The source code of ``run``.
    draws : bool
        Whether it draws random numbers.
    blocks : list of arrays
        The memory of its buffers, which a program that never runs at the same time may use, too: ``free``.
    """

    def __init__(
        self,
        low: Lowered,
        steps: list[Step],
        sources: dict[int, StatePlace],
        result: Any,
        effects: Sequence[Effect] = (),
        dry: bool = False,
        free: Sequence[np.ndarray] = (),
    ) -> None:
        self._dry, self._tape, self._low, self._steps, self._from = dry, low.tape, low, steps, sources
        escaping = named(result, effects, steps)
        low.escaping |= {low.memory[slot] for slot in escaping}
        numpys = {name: getattr(np, name) for name in ("asarray", "empty", "seterr", "errstate")}
        generated = GeneratedFunction(
            Miss=Miss, wrap=wrap, put=object.__setattr__, modes=modes, new_order=new_order, **numpys
        )
        self._bound = generated.bound
        self._wrapped: dict[int, str] = {}
        self._held: set[str] = set()
        self._tells: list[str] = []
        self._made: dict[int, list[int]] = {}
        self._placement = Placement(low, steps, escaping, free)
        self.between: set[int] = set()
        self.draws = any([step.kind == "draw" for step in steps])
        self._lines: list[str] = ["rng = modes().rng"] * self.draws
        self._sources()
        blocks, done = in_blocks(low, steps, self._placement.kept), 0
        for i, step in enumerate(steps):
            if i < done:
                continue
            if i in blocks:
                self._in_blocks(blocks[i])
                done = i + len(blocks[i].steps)
                self._release(range(i, done))
                continue
            if dry and step.kind == "update":
                self._lines.append(f"return [{', '.join(self._names_of(step.args[0]))}]")
                break
            getattr(self, f"_{step.kind}")(step, i)
            self._release([i])
        else:
            self._end(result, effects)
        if any([step.kind == "errstate" for step in steps]):
            self._lines = ["with errstate():", *[f"    {line}" for line in self._lines]]
        self.source = "def run(L):\n" + "".join([f"    {line}\n" for line in self._lines])
        self.blocks = self._placement.blocks()
        self.run: Callable[[Sequence[Any]], Any] = generated.made("compiled", self.source)

    def static(self, slot: int) -> np.ndarray | None:
        """The array that a slot uses in each run, if it is always the same."""
        return self._low.static.get(slot)

    def _end(self, result: Any, effects: Sequence[Effect]) -> None:
        if self._dry:
            self._lines.append(f"return [{', '.join([*self._names_of(effects), *self._names_of(flat(result))])}]")
            return
        text = self._result(result)
        self._publish(effects)
        self._lines += self._tells
        self._lines.append(f"return {text}")

    def _names_of(self, items: Sequence[Any]) -> list[str]:
        return [self._at(slot) for item in items if (slot := getattr(item, "slot", None)) is not None]

    # ------------------------------------------------------------------ names
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

    def _holder(self, holder: Any) -> str:
        """The name in the source of an object whose state is read or set, or of an argument."""
        name = f"a{holder.index}" if type(holder) is Given else self._bound(holder)
        if type(holder) is Given and name not in self._held:
            self._held.add(name)
            self._lines.append(f"{name} = L[{holder.index}]")
        return name

    def _sources(self) -> None:
        used = {slot for step in self._steps for slot in step.slots} | self._placement.kept
        for slot, where in self._from.items():
            if slot in used:
                copied = ".copy()" if self._dry and self._low.memory[slot] in self._low.written else ""
                self._lines.append(f"s{slot} = {where.text(self._holder)}{copied}")

    def _release(self, done: Iterable[int]) -> None:
        """Release memory after its last use: a buffer for the next result, a large array entirely."""
        for number in [number for i in done for number in self._placement.ending(i)]:
            slots = self._made.pop(number, [])
            if not self._placement.release(number) and slots and self._tape.values[number].nbytes >= LARGE:
                self._lines.append("".join([f"s{slot} = " for slot in slots]) + "None")

    # ------------------------------------------------------------------ steps
    def _guard(self, step: Step, i: int) -> None:
        self._lines.append(f"if {'not ' * step.function}{self._text(step.args[0])}: raise Miss")

    def _count(self, step: Step, i: int) -> None:
        self._lines.append(f"if {self._text(step.args[0])} != {step.function}: raise Miss")

    def _shape(self, step: Step, i: int) -> None:
        self._lines.append(f"if {self._text(step.args[0])}.shape != {step.function}: raise Miss")

    def _draw(self, step: Step, i: int) -> None:
        self._assign(step, f"rng.{step.function}({self._arguments(step)})")

    def _load(self, step: Step, i: int) -> None:
        self._lines.append(f"s{step.outs[0][1]} = {step.function.text(self._holder)}")

    def _update(self, step: Step, i: int) -> None:
        self._publish(step.args[0])
        self._lines.append(f"{self._bound(step.function)}()")

    def _tell(self, step: Step, i: int) -> None:
        """Reported at the end: until then, a guard may still fail."""
        self._tells.append(f"{self._bound(step.function)}({self._arguments(step)})")

    def _errstate(self, step: Step, i: int) -> None:
        self._lines.append(f"seterr(**{self._bound(step.function)})")

    def _call(self, step: Step, i: int) -> None:
        if self._placement.is_static_view(step):
            return
        if step.function is operator.setitem:
            target, index, value = [self._text(arg) for arg in step.args]
            self._lines.append(f"{target}[{index}] = {value}")
        elif (out := self._placement.buffer(step, i)) is not None:
            self._lines.append(f"{self._bound(step.function)}({self._arguments_with(step, out)})")
        elif step.function is operator.getitem:
            self._assign(step, f"{self._text(step.args[0])}[{self._text(step.args[1])}]")
        elif step.outs and (under := self._placement.under(step.outs[0][1])) is not None:
            texts = [self._text(arg) for arg in settled(step, self._tape.values[under].dtype)]
            self._assign(step, self._filling(step, texts, self._at(under)))
        else:
            self._assign(step, f"{self._bound(step.function)}({self._arguments(step)})")

    def _arguments(self, step: Step) -> str:
        texts = [self._text(arg) for arg in step.args]
        if [*step.options] == ["out"] and takes_third(step.function) and len(texts) == step.function.nin:
            out = step.options["out"]
            return ", ".join([*texts, self._text(out[0] if type(out) is tuple else out)])
        return ", ".join([*texts, *[f"{key}={self._text(value)}" for key, value in step.options.items()]])

    def _assign(self, step: Step, text: str) -> None:
        for _, slot in step.outs:
            self._made.setdefault(self._low.memory[slot], []).append(slot)
        if not step.outs:
            self._lines.append(text)
        elif step.outs[0][0] is None:
            slot = step.outs[0][1]
            scalar = not self._tape.values[slot].ndim and step.function is not np.asarray
            self._lines.append(f"s{slot} = asarray({text})" if scalar else f"s{slot} = {text}")
        else:
            names = ", ".join([f"s{slot}" for _, slot in step.outs])
            scalars = [f"s{slot} = asarray(s{slot})" for _, slot in step.outs if not self._tape.values[slot].ndim]
            self._lines += [f"{names}, = {text}", *scalars]

    def _in_blocks(self, blocks: Blocks) -> None:
        """A loop over blocks of large arrays that runs several steps on each block."""
        for slot in blocks.written:
            if self._low.memory[slot] in self._low.escaping:
                self._made.setdefault(self._low.memory[slot], []).append(slot)
                self._lines.append(f"s{slot} = empty({self._tape.values[slot].shape}, {self._bound(blocks.dtype)})")
            else:
                self._placement.buffer_of(slot)
        self.between |= {*blocks.between}
        whole = [*blocks.read, *blocks.written]
        self._lines += [f"f{slot} = {self._at(slot)}.reshape(-1)" for slot in whole]
        self._lines.append(f"for i in range(0, {blocks.size}, {blocks.length}):")
        names = {slot: f"b{slot}" for slot in whole}
        lines = [f"b{slot} = f{slot}[i : i + {blocks.length}]" for slot in whole]
        for place, slots in enumerate(blocks.shared()):
            names |= dict.fromkeys(slots, f"t{place}")
            lines.append(f"t{place} = {self._bound(np.empty(blocks.length, blocks.dtype))}[: {blocks.size} - i]")
        for step in blocks.steps:
            args = [names.get(self._low.slot(arg.slot)) if type(arg) is Ref else None for arg in step.args]
            texts = [name or self._text(one) for name, one in zip(args, settled(step, blocks.dtype), strict=True)]
            lines.append(self._filling(step, texts, names[step.outs[0][1]]))
        self._lines += [f"    {line}" for line in lines]
        self._lines.append("".join([f"f{slot} = b{slot} = " for slot in whole]) + "None")  # which hold large arrays

    def _filling(self, step: Step, texts: list[str], out: str) -> str:
        """The call of a step that fills a block."""
        if is_copy(step):
            return f"{self._bound(np.copyto)}({out}, {texts[0]})"
        return f"{self._bound(step.function)}({', '.join(texts)}, {'' if takes_third(step.function) else 'out='}{out})"

    def _arguments_with(self, step: Step, out: np.ndarray) -> str:
        """The arguments of a call that fills a buffer; by position if possible, which is faster."""
        name, options = self._bound(out), dict(step.options)
        texts = [self._text(arg) for arg in settled(step, out.dtype)]
        if getattr(step.function, "__name__", "") == "reduce":
            texts += [self._text(options.pop("axis", 0)), self._text(options.pop("dtype", None)), name]
        elif takes_third(step.function) or step.function in (np.dot, np.ndarray.dot):
            texts.append(name)
        else:
            options["out"] = out
        return ", ".join([*texts, *[f"{key}={self._text(value)}" for key, value in options.items()]])

    # ------------------------------------------------------------------ effects and results
    def _variable(self, slot: int, is_joined: bool = False) -> str:
        """A Variable with the content of a slot, the same one for all uses."""
        if slot not in self._wrapped:
            self._wrapped[slot] = name = f"w{slot}"
            made = f"wrap({self._at(slot)}, None)"
            self._lines.append(f"{name} = {self._bound(spent)}({made})" if is_joined else f"{name} = {made}")
        return self._wrapped[slot]

    def _publish(self, effects: Sequence[Effect]) -> None:
        stores = [store for effect in effects for store in effect.stores(self._holder, self._variable, self._at)]
        if stores:
            owners, names, values = zip(*dict.fromkeys(stores), strict=True)
            # All or nothing, like `publish`, without a tuple for each.
            self._lines.append(f"any(map(put, ({', '.join(owners)},), {names!r}, ({', '.join(values)},)))")

    def _result(self, result: Any) -> str:
        if hasattr(result, "slot"):
            value = self._variable(result.slot) if result.is_variable else self._at(result.slot)
            return result.text(value, self._bound)
        if isinstance(result, StatePlace):
            return result.text(self._holder)
        if type(result) in (list, tuple):
            items = ", ".join([self._result(item) for item in result])
            return f"[{items}]" if type(result) is list else f"({items}{',' * (len(result) == 1)})"
        if type(result) is dict:
            return "{" + ", ".join([f"{self._bound(key)}: {self._result(item)}" for key, item in result.items()]) + "}"
        return self._bound(result)
