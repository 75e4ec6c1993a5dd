"""A function whose results are the gradients of another one; checking it checks second derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...engine import Variable, grad, using_config
from ...shared.binding import Bound
from ..measuring.subject import Subject, beside, draw_upstreams, flat, results
from ..messages import number, shown


@dataclass(frozen=True)
class FirstOrder:
    """Takes the inputs of ``bound`` and then upstream gradients, and returns the gradients of the inputs ``wrt`` and of
    ``params``.

    Attributes
    ----------
    caller : str
        The name of the tool, for errors.
    constants : tuple of arrays
        The upstream gradients, if they are not arguments.
    """

    caller: str
    bound: Bound
    wrt: tuple[str, ...]
    params: tuple[Variable, ...] = ()
    constants: tuple[np.ndarray, ...] = ()

    def __call__(self, *args: Variable) -> tuple[Variable, ...]:
        names = list(self.bound.variables)
        inputs = dict(zip(names, args, strict=False))
        upstream = self.constants or args[len(names) :]
        with using_config("enable_backprop", True):
            ys = results(self.caller, self.bound.name, self.bound.call(inputs))
            xs = [*[inputs[name] for name in self.wrt], *self.params]
            found = grad(ys, xs, beside(ys, upstream) if self.constants else upstream, create_graph=True)
        pairs = zip(found, xs, strict=True)
        return tuple([Variable(np.zeros_like(x.array), requires_grad=False) if g is None else g for g, x in pairs])


def gradient_of(caller: str, bound: Bound, rng: np.random.Generator) -> Bound:
    """A bound function whose results are the gradients of ``bound`` for a random upstream gradient."""
    checked = tuple([name for name, x in bound.variables.items() if x.requires_grad])
    drawn = draw_upstreams(results(caller, bound.name, bound.call()), rng)
    numbers = flat(drawn)
    which = f"the upstream gradient {number(float(numbers[0]))}" if numbers.size == 1 else "a random upstream gradient"
    name = f"{_name(bound)} with {which}"
    return Bound.of_variables(FirstOrder(caller, bound, checked, (), drawn), name, bound.variables)


def second_order(first: Subject, upstream: Sequence[Any]) -> Subject:
    """A subject that computes the gradients of ``first``, with its upstream gradients as additional inputs."""
    names = [f"upstream_{k}" if len(upstream) > 1 else "upstream" for k in range(len(upstream))]
    starts = {name: Variable(g) for name, g in zip(names, arrays_of(upstream), strict=True)}
    gradient = FirstOrder(first.caller, first.bound, first.inputs, first.params)
    bound = Bound.of_variables(gradient, _name(first.bound), {**first.bound.variables, **starts})
    inputs = (*first.inputs, *[name for name, start in starts.items() if start.requires_grad])
    return Subject(bound, caller=first.caller, params=first.params, inputs=inputs)


def _name(bound: Bound) -> str:
    return f"gradient of {shown(bound.name)}"


def as_tuple(value: Any) -> tuple[Any, ...]:
    """A tuple or list as a tuple, anything else as a tuple of one."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def arrays_of(values: Sequence[Any]) -> tuple[Any, ...]:
    """The arrays of Variables; anything else is returned unchanged."""
    return tuple([value.array if isinstance(value, Variable) else value for value in values])
