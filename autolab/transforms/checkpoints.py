"""checkpoint: retain nothing inside a function for the backward pass, and recompute it when backward needs it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine import Array, Node, Variable, config, grad, publish, using_config, wrap
from ..engine.observe import ForwardEvent, observe
from ..engine.undisturbed import note, undisturbed
from ..shared.norms import is_close
from ..shared.structure import filled, leaves, rebuilt
from .applied import reaches, same
from .gradients import named


def checkpoint(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Gradient checkpointing: the steps of ``fn`` retain nothing for the backward pass, which runs ``fn`` again.

    This costs the time of one more forward pass, and saves all memory but that of the inputs and results of ``fn``.
    Parameters and other Variables that ``fn`` uses from outside get their gradients as usual. Random numbers from
    ``config.rng``, or from the ``rng`` of links in ``fn`` if it is a link, are the same in both runs, and so are masks
    of dropout. Running statistics of links are updated by the first run only.

    Parameters
    ----------
    fn : callable
        Takes and returns Variables or nested structures of them; for example a link. It must be deterministic.

    Returns
    -------
    callable
        Takes the arguments of ``fn``.

    Raises
    ------
    TypeError
        If ``fn`` does not return Variables.
    ValueError
        If ``fn`` uses a computed value from outside: only leaves, such as parameters, may come from there.
    RuntimeError
        In the backward pass, if a parameter of ``fn`` has been given new data since the call, or the second run gives
        different results, for example because it draws from its own generator; in a differentiable backward pass, also
        if an argument was computed from a leaf that ``fn`` uses as well.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> from autolab.transforms import checkpoint
    >>> x = Variable([1.0, 2.0])
    >>> y = checkpoint(lambda x: F.sum(F.exp(F.sin(x))))(x)
    >>> y.backward()
    >>> x.grad
    variable([ 1.25338077 -1.03311687])
    """

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        run = _CheckpointedRun(fn, args, kwargs)
        results = run.forward_once()
        if any([x.creator is not None for x in run.outside]):
            raise ValueError(
                "checkpoint: the function uses a computed value from outside; expected it among the arguments, so that "
                "its gradient is counted once"
            )
        return filled(run.structure, iter(_Checkpoint(run, results).apply((*run.given, *run.outside))))

    return named(checkpointed, "checkpoint", fn)


class _CheckpointedRun:
    """A function with its arguments and the states of the random generators before its first run."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.fn, self._arguments = fn, (args, kwargs)
        self.given = [leaf for _, leaf in leaves(self._arguments) if isinstance(leaf, Variable)]
        self.structure: Any = None
        """That of the results."""
        self.outside: list[Variable] = []
        """The Variables from outside that the function uses and that require a gradient."""
        self._rng = copy.deepcopy(config.rng)
        links = [link for _, link in getattr(fn, "namedlinks", tuple)()]
        own = [rng.bit_generator for x in links if isinstance(rng := vars(x).get("rng"), np.random.Generator)]
        self._own = [(bits, "state", bits.state) for bits in own]
        self._train = config.train

    def forward_once(self) -> tuple[Variable, ...]:
        """Run the function, collect what it uses from outside, and discard the graph; returns the results."""
        made: set[Node] = set()
        found: dict[Node, Variable] = {}
        fresh = self.fresh(self.given)
        own = {x.node for x in fresh}

        def meet(values: Iterable[Any]) -> None:
            for x in values:
                if isinstance(x, Variable) and x.node is not None and x.node not in made and x.node not in own:
                    found.setdefault(x.node, x)

        def note(event: Any) -> None:
            if isinstance(event, ForwardEvent):
                meet(event.inputs)
                made.update([y.node for y in event.outputs if y.node is not None])

        with observe(note), using_config("enable_backprop", True):
            results = self._results(fresh)
        meet(results)
        self.outside = list(found.values())
        return results

    def again(self, inputs: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """Run the function again, with the same random numbers and mode; returns the results."""
        now = [(bits, "state", bits.state) for bits, _, _ in self._own]
        with using_config("rng", copy.deepcopy(self._rng)), using_config("train", self._train), undisturbed():
            note(self, lambda: partial(publish, now))  # at the end
            publish(self._own)
            return self._results(inputs)

    def fresh(self, given: Iterable[Variable]) -> tuple[Variable, ...]:
        """New leaves with the same arrays."""
        return tuple([wrap(x._data, Node.leaf() if x.dtype.kind == "f" else None) for x in given])

    def _results(self, inputs: Iterable[Variable]) -> tuple[Variable, ...]:
        each = iter(inputs)
        args, kwargs = rebuilt(self._arguments, lambda leaf: next(each) if isinstance(leaf, Variable) else leaf)
        y = self.fn(*args, **kwargs)
        self.structure = rebuilt(y, lambda _: "*")
        results = tuple([leaf for _, leaf in leaves(y)])
        for one in results:
            if not isinstance(one, Variable):
                raise TypeError(f"checkpoint: the function returned a {type(one).__name__}; expected Variables")
        return results


class _Checkpoint(FunctionNode):
    """The run as a single step of the graph."""

    def __init__(self, run: _CheckpointedRun, results: tuple[Variable, ...]) -> None:
        self._checkpointed, self._first = run, [y._data for y in results]
        self._samples = [_sample(y._data) for y in results]

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        results, self._first = self._first, []
        self.retain_inputs(tuple(range(len(inputs))))
        return tuple(results)

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        run = self._checkpointed
        kept = self.get_retained_inputs()
        create_graph = any([x.requires_grad for x in kept])  # only then do they come with a graph
        inputs, outside = kept[: len(run.given)], kept[len(run.given) :]
        if any([x._data is not then._data for x, then in zip(run.outside, outside, strict=True)]):
            raise RuntimeError(
                "checkpoint: a value that the function uses from outside has changed since the call, so it cannot be "
                "repeated; call backward before the update"
            )
        if create_graph and run.outside and reaches(inputs, {x.node for x in run.outside}):
            raise RuntimeError(
                "checkpoint: an argument was computed from a value that the function uses from outside; for gradients "
                "of higher order pass that value as an argument, too"
            )
        with using_config("enable_backprop", True):
            inputs = tuple(map(same, inputs)) if create_graph else run.fresh(inputs)
            outputs = run.again(inputs)
            if not all([is_close(_sample(y._data), then) for y, then in zip(outputs, self._samples, strict=True)]):
                raise RuntimeError(
                    "checkpoint: the function gave different results when backward ran it again; expected the same: it "
                    "may draw random numbers only from config.rng, and keep no state between calls"
                )
            reached = [(y, g) for y, g in zip(outputs, grad_outputs, strict=True) if g is not None and y.requires_grad]
            found = grad([y for y, _ in reached], [*inputs, *run.outside], [g for _, g in reached], create_graph)
        return tuple([found[i] for i in target_input_indexes])


def _sample(y: Array) -> Array:
    """Some elements of a result, to detect a different one: to keep all of them would cost memory."""
    flat = y.reshape(-1)
    return flat[:: max(1, flat.size // 256)].copy()
