"""The part of `autolab.diagnose` for JAX, whose functions are pure: parameters are an argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

from ...analysis.diagnosis.copied_program import Program
from ...analysis.diagnosis.workbench import LiveParameter
from ..diagnose import BridgeWorkbench
from ..needed import UnsupportedError
from .inputs import array_of, exchanged, is_float
from .record import JaxRun


class JaxWorkbench(BridgeWorkbench):
    """The operations of `autolab.diagnose` on a program that uses JAX. Gradients are those of the recording."""

    runs = JaxRun
    has_gradients = False

    def own_copy(self, value: Any, memo: dict[int, Any]) -> Any:
        """Arrays never change, but a jitted training step may take over their memory (donation); it has no copy."""
        if isinstance(value, jax.Array):
            return jax.numpy.array(value) if self.rounds else value
        return value if type(value).__module__.startswith("jaxlib") else None

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        """The arrays of floats in the first dict, list or object, or in the first argument if there is none."""
        trees = {name: value for name, value in named.items() if not _is_array(value) and _floats(value, name)}
        first = next(iter(trees or named), None)
        found = [] if first is None else _floats(named[first], first)
        return [LiveParameter(str(first), "", a, True, partial(array_of, a), lambda: None, label) for label, a in found]

    def values_in(self, result: Any) -> list[Any]:
        found = [a for a in jax.tree_util.tree_leaves(result) if hasattr(a, "dtype") and is_float(a)]
        return sorted(found, key=lambda a: a.ndim > 0)

    def differentiate(self, loss: Any) -> None:
        """Nothing to do: the recording has the gradients."""

    def array(self, value: Any) -> np.ndarray | None:
        return array_of(value) if _is_array(value) else None

    def changed(self, program: Program, name: str, array: np.ndarray) -> Program:
        bound = inspect.signature(program.fn).bind(*program.args, **program.kwargs)
        bound.arguments[name] = jax.numpy.asarray(array, program.named[name].dtype)
        return replace(program, args=bound.args, kwargs=bound.kwargs)

    def with_parameters(self, copy: Program, values: Mapping[str, np.ndarray]) -> Program:
        found = [p for p in self.parameters(copy.named) if p.name in values]
        new = {id(p.tensor): jax.numpy.asarray(values[p.name], p.tensor.dtype) for p in found}
        args, kwargs = jax.tree_util.tree_map(lambda leaf: new.get(id(leaf), leaf), (copy.args, copy.kwargs))
        return replace(copy, args=args, kwargs=kwargs)

    @contextmanager
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> Iterator[None]:
        yield

    # ------------------------------------------------------------------ a training step
    def until_loss(self, fn: Callable[..., Any], reach: Callable[[Any], Any]) -> Callable[..., Any]:
        """The step without ``jit``, up to its call of the function that `jax.grad` or `jax.value_and_grad` returns."""
        if not self.rounds:
            return fn

        def run(*args: Any, **kwargs: Any) -> Any:
            with _until_grad(reach):
                inspect.unwrap(fn)(*args, **kwargs)
            raise UnsupportedError("record: the training step does not call jax.grad or jax.value_and_grad itself")

        return run

    def advanced(self, program: Program, result: Any) -> tuple[Program, Any]:
        """Pass results on as arguments: pytrees replace arguments of the same structure, shapes and dtypes; a single
        array replaces only the first argument, because data may have its shape, too.
        """
        bound = inspect.signature(program.fn).bind(*program.args, **program.kwargs)
        given, fed, rest = bound.arguments, dict[str, Any](), list[Any]()
        is_one = any(_form(value) == _form(result) for value in given.values())
        for item in [result] if is_one else _items(result):
            free = [name for name in given if name not in fed]
            fits = [name for name in free if _form(given[name]) == _form(item)]
            if _is_array(item):
                fits = fits if fits[:1] == free[:1] and _is_array(given[free[0]]) else []
            fed |= dict.fromkeys(fits[:1], item)
            rest += [] if fits else [item]
        loss = self.loss_in([item for item in rest if _is_array(item) and item.ndim == 0])
        if not fed or loss is None:
            missing = "a loss, one number" if fed else f"anything like its arguments {', '.join(given)}"
            name = getattr(program.fn, "__name__", type(program.fn).__name__)
            raise TypeError(
                f"diagnose: with steps, a training step returns new parameters and the loss; {name} does not return "
                f"{missing}"
            )
        bound.arguments.update(fed)
        return replace(program, args=bound.args, kwargs=bound.kwargs), loss


@contextmanager
def _until_grad(reach: Callable[[Any], Any]) -> Iterator[None]:
    """A context in which the first gradient of a loss is not computed; ``reach(loss)`` is called instead."""
    own = jax.grad, jax.value_and_grad

    def restore() -> None:
        jax.grad, jax.value_and_grad = own

    def first(fn: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, **options: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            restore()  # a loss may contain derivatives of its own
            result = fn(*args, **kwargs)
            return reach(result[0] if has_aux else result)

        return call

    jax.grad = jax.value_and_grad = first
    try:
        yield
    finally:
        restore()


def _items(result: Any) -> list[Any]:
    """The items that a training step returns."""
    if type(result) is dict:
        return list(result.values())
    return list(result) if type(result) in (tuple, list) else [result]


def _form(tree: Any) -> Any:
    leaves, structure = jax.tree_util.tree_flatten(tree)
    return structure, [(np.shape(leaf), getattr(leaf, "dtype", type(leaf))) for leaf in leaves]


def _is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray)


def _floats(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The arrays of floats in a pytree, with the names that a recording gives them."""
    found: list[tuple[str, Any]] = []
    exchanged(tree, lambda label, value: found.append((label, value)), name)
    return [(label, a) for label, a in found if hasattr(a, "dtype") and is_float(a)]
