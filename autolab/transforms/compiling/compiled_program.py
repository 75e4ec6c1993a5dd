"""A program for one kind of call: how it is run, checked against the function itself, and differentiated."""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import cached_property
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import Variable
from ...engine.modes import modes
from ...engine.store import exclusive, guards, last, publish
from .call_tape import Refusal
from .executable import Executable, Miss
from .lowering import Lowered
from .nested import named, outs, variables_in
from .reached_state import Given, Out, StatePlace
from .reads import GeneratedFunction, Reads
from .returned import joined
from .traced_run import Traced

if TYPE_CHECKING:
    from .call_kinds import Signature
    from .compiled import Compiled

# Which arrays share memory: a program that writes to one is correct only if that is the same as when it was traced.


class Sharing:
    """The places that a program writes to, each paired with all other inputs."""

    def __init__(self, low: Lowered, sources: dict[int, StatePlace | None], values: list[np.ndarray]) -> None:
        self._pairs = [
            (where, other, np.may_share_memory(values[slot], values[also]))
            for slot, where in sources.items()
            if where is not None and low.memory[slot] in low.written
            for also, other in sources.items()
            if other is not None and also != slot
        ]
        were_apart = not any([is_so for _, _, is_so in self._pairs])
        owning = {where for slot, where in sources.items() if values[slot].base is None}
        self._are_apart = self._question(owning) if self._pairs and were_apart else None

    def is_alike(self, leaves: list[Any]) -> bool:
        """Whether the same arrays share memory as when the function was traced."""
        if not self._pairs or (self._are_apart is not None and self._are_apart(leaves)):
            return True
        return all([np.may_share_memory(a.now(leaves), b.now(leaves)) is so for a, b, so in self._pairs])

    def _question(self, owning: set[StatePlace | None]) -> Any:
        """A generated test that each array owns its memory: faster than checking each pair."""
        generated = GeneratedFunction(ndarray=np.ndarray)

        def held(holder: Any) -> str:
            return f"L[{holder.index}]" if type(holder) is Given else generated.bound(holder)

        places = list(dict.fromkeys([place for a, b, _ in self._pairs for place in (a, b)]))
        questions = [
            f"(o{i} := {place.text(held)}).base is None"
            if place in owning
            else f"type(o{i} := {place.text(held)}.base) is ndarray and o{i}.base is None"
            for i, place in enumerate(places)
        ]
        ids = ", ".join([f"id(o{i})" for i in range(len(places))])
        text = f"def are_apart(L):\n    return {' and '.join(questions)} and len({{{ids}}}) == {len(places)}"
        return generated.made("sharing", text)


class CompiledProgram:
    """A traced function for one kind of call.

    Attributes
    ----------
    traced : Traced
    forward : Executable
    around : Reads
        What the function can read around it.
    train, is_nested
        Of the calls: see `Signature`.
    beside : list of StatePlace
        Where it looks up data, apart from that whose gradients it computes.
    backward : Executable or None
        Computes the gradients of the function's results, if they may be needed.
    calls : int
        Number of runs.
    seconds : float
        Duration of the shortest run.
    """

    def __init__(self, key: Hashable, traced: Traced, around: Reads, signature: Signature, takes: Any) -> None:
        self.key, self.traced, self.calls = key, traced, 0
        self.takes, self.seconds = takes, math.inf
        self.around, self.train, self.is_nested = around, signature.train, signature.is_nested
        assert traced.state is not None
        self._own_places = [effect.place for effect in traced.effects] if traced.pulled else []
        self._is_adding = any([effect.place.kind == "grad" for effect in traced.effects])
        self._guard = around.guard(traced.state.tests)
        self._held = signature.objects  # their ids are in the key
        self._reached = {id(one): one for one in traced.found.reached() if _may_be(one, signature.leaves)}
        self._met = self._meets(signature.leaves)
        self._were_apart = not any(self._met)
        self._busy, self._pulling = Lock(), Lock()
        self._low = Lowered(traced.tape, named([traced.spec, list(traced.pulled)], traced.effects, traced.tape.steps))
        self.forward, self.backward = self._forward(), self._backward()
        self.beside = self._read_beside()
        self._sharing = Sharing(self._low, traced.tape.sources, traced.tape.values)

    def fits(self, leaves: list[Any]) -> bool:
        """Whether everything is as it was when the function was traced, for arguments of the same kind."""
        if not self._guard():
            return False
        if not self._reached:
            return True
        are_apart = self._reached.keys().isdisjoint(map(id, leaves))
        return are_apart if self._were_apart else not are_apart and self._meets(leaves) == self._met

    def _meets(self, leaves: list[Any]) -> list[int | None]:
        """The arguments that the function also reaches in another way: it may compare them, and gradients are sums."""
        return [id(leaf) if id(leaf) in self._reached else None for leaf in leaves]

    def _forward(self, dry: bool = False) -> Executable:
        traced, low = self.traced, self._low.copy()
        steps = [step for step in low.steps if not step.is_backward]
        saved = [] if dry else [Out(slot, False) for slot in self._saved]
        result = [traced.spec, saved] if traced.pulled else traced.spec
        free = self.forward.blocks if dry else ()
        return Executable(low, steps, traced.tape.sources, result, traced.effects, dry, free)

    @cached_property
    def _dry(self) -> Executable:
        """The program up to the first update, for the comparison with the function itself."""
        return self._forward(dry=True)

    @cached_property
    def _saved(self) -> list[int]:
        """The slots that forward saves for backward."""
        low, traced = self._low, self.traced
        steps = [step for step in low.steps if step.is_backward]
        made = {slot for step in steps for _, slot in step.outs} | set(traced.starts)
        used = {low.slot(slot) for step in steps for slot in step.slots}
        used |= {low.slot(out.slot) for out in traced.pulled}
        return sorted([slot for slot in used - made if slot not in low.static])

    @cached_property
    def upstream(self) -> list[set[int]]:
        """For each gradient, the positions of the upstream gradients that it depends on: none for constant zeros."""
        low, traced = self._low, self.traced
        found: dict[int, set[int]] = {low.memory[low.slot(slot)]: {i} for i, slot in enumerate(traced.starts)}
        for step in [step for step in low.steps if step.is_backward]:
            used = [found.get(low.memory[low.slot(slot)], set()) for slot in step.slots]
            for slot in [*[slot for _, slot in step.outs], *([] if step.writes is None else [step.writes])]:
                found.setdefault(low.memory[low.slot(slot)], set()).update(*used)
        return [found.get(low.memory[low.slot(out.slot)], set()) for out in traced.pulled]

    def _read_beside(self) -> list[StatePlace]:
        """The places of data without a gradient that the results are computed from as well."""
        low, named_so = self._low, set(map(id, self.traced.inputs))
        used = {slot for step in low.steps for slot in step.slots}
        places = [place for slot, place in self.traced.tape.sources.items() if place is not None and slot in used]
        places = [place for place in places if place.kind in ("data", "attribute") and id(place.holder) not in named_so]
        own = {(id(place.holder), place.name) for place in self._own_places}
        return [place for place in places if (id(place.holder), place.name) not in own]

    def kept(self) -> list[tuple[Any, str, Any]]:
        """What is now in the attributes that a call with a differentiable result sets, for `publish`."""
        return [(place.holder, place.name, getattr(place.holder, place.name)) for place in self._own_places]

    def _backward(self) -> Executable | None:
        traced = self.traced
        if not traced.pulled:
            return None
        steps = [step for step in self._low.steps if step.is_backward]
        sources = {slot: StatePlace(Given(i), "self") for i, slot in enumerate([*traced.starts, *self._saved])}
        return Executable(self._low.copy(), steps, sources, list(traced.pulled))

    def __call__(self, owner: Compiled, leaves: list[Any], args: Any, options: Any) -> Any:
        if not self._sharing.is_alike(leaves) or not self._busy.acquire(False):
            return owner.function(*args, **options)
        try:
            every = owner.check_every
            if every is not None and self.calls % every == 0:
                self.calls += 1
                with exclusive():  # else another thread's gradients look like a difference
                    return self._checked(owner, leaves, args, options)
            self.calls += 1
            before = modes().rng.bit_generator.state if self.forward.draws else None
            kept = self.kept() if self._own_places else []
            start = perf_counter()
            try:
                found = self._run_adding(leaves) if self._is_adding else self.forward.run(leaves)
                seconds = perf_counter() - start
                if seconds < self.seconds:
                    self.seconds = seconds
            except Miss:
                pass
            except Exception:
                if self.traced.tape.is_final:
                    raise
            else:
                if self.backward is None:
                    return found
                return joined(self, owner.function, leaves, args, options, found, kept)
            if before is not None:
                modes().rng.bit_generator.state = before
        finally:
            self._busy.release()
        return owner.function(*args, **options)

    def _run_adding(self, leaves: list[Any]) -> Any:
        """Run a program that adds to gradients, see `guards`: another thread may have stored some since the test."""
        _ = last.held
        if guards:
            with guards[0]:
                if not self.fits(leaves):
                    raise Miss
                return self.forward.run(leaves)
        return self.forward.run(leaves)

    def pull(self, starts: list[Any], saved: list[Any]) -> list[np.ndarray]:
        """The gradients, from those of the results and what forward has saved."""
        assert self.backward is not None
        values = self.traced.tape.values
        laid = [_laid_like(values[slot], g) for slot, g in zip(self.traced.starts, starts, strict=True)]
        with self._pulling:
            found: list[np.ndarray] = self.backward.run([*laid, *saved])
        return found

    def _alone(self, leaves: list[Any]) -> list[Any]:
        """The results of the program, up to the first update; with their gradients, if they may be differentiated."""
        if self.backward is None:
            found: list[Any] = self._dry.run(leaves)
            return found
        kept = self.kept()
        result, saved = self.forward.run(leaves)
        stored = [np.array(effect.place.now(leaves)) for effect in self.traced.effects]
        publish(kept)
        spec = self.traced.spec
        starts = [np.ones_like(y._data) for y in variables_in(spec, result)]
        return [*stored, *outs(spec, result), *self.pull(starts, saved)]

    def _checked(self, owner: Compiled, leaves: list[Any], args: Any, options: Any) -> Any:
        """Call the function itself, and compare a dry run of the program with it."""
        before = modes().rng.bit_generator.state if self.forward.draws else None
        try:
            found = self._alone(leaves)
        except Exception:
            found = None
        if before is not None:
            modes().rng.bit_generator.state = before
        result, expected = self.traced.observed(owner.function, leaves, args, options)
        if found is not None and (expected is None or not _equal(found, expected)):
            owner.refuse(self.key, self.takes, Refusal("its program and the function itself give different bits"))
        return result


def _may_be(one: Any, leaves: list[Any]) -> bool:
    """Whether an object that a function reaches may be an argument as well: a Variable only if its array is similar."""
    alike = [leaf for leaf in leaves if type(leaf) is type(one)]
    if not isinstance(one, Variable) or type(one._data) is not np.ndarray:
        return bool(alike)
    kind = one.shape, one._data.strides, one.dtype
    return any([(leaf.shape, leaf._data.strides, leaf.dtype) == kind for leaf in alike])


def _laid_like(traced: np.ndarray, g: np.ndarray) -> np.ndarray:
    """An upstream gradient in the memory layout of the traced one, whose strides the program may contain."""
    if (g.strides, g.dtype) == (traced.strides, traced.dtype):
        return g
    laid = np.empty_like(traced)
    laid[...] = g
    return laid


def _equal(found: list[Any], expected: list[Any]) -> bool:
    return len(found) == len(expected) and all(
        [
            a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
            for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True)
        ]
    )
