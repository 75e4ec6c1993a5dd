"""Chain, ChainList, Sequential: links composed of links."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from reprlib import recursive_repr
from typing import Any

from ..engine import a_kind
from .link import Link, OfInstances


class Chain(Link):
    """A link composed of named links; those given to the constructor become attributes.

    Examples
    --------
    >>> from autolab import Chain, links as L, functions as F
    >>> class MLP(Chain):
    ...     def __init__(self, hidden, out):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.l1 = L.Linear(None, hidden)
    ...             self.l2 = L.Linear(None, out)
    ...
    ...     def forward(self, x):
    ...         return self.l2(F.relu(self.l1(x)))
    >>> [name for name, _ in MLP(5, 3).namedparams()]
    ['/l1/W', '/l1/b', '/l2/W', '/l2/b']
    """

    def __init__(self, **links: Link) -> None:
        super().__init__()
        for name, link in links.items():
            if not isinstance(link, Link):
                raise TypeError(f"{type(self).__name__}: {name!r:.60} is {a_kind(link)}; expected a Link")
            setattr(self, name, link)


class Editable:
    """A sequence of steps with the methods of a list; `_replace_all` replaces all of them, or none on an error."""

    _items: Any

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __getitem__(self: Any, index: Any) -> Any:
        """The step at ``index``; for a slice, a sequence that shares these steps."""
        found = self._items[index]
        return self._of(found) if isinstance(index, slice) else found

    def __setitem__(self: Any, index: Any, step: Any) -> None:
        steps = [*self]
        steps[index] = step
        self._replace_all(steps)

    def __delitem__(self: Any, index: Any) -> None:
        steps = [*self]
        del steps[index]
        self._replace_all(steps)

    def insert(self: Any, index: int, step: Any) -> None:
        """Insert a step before the one at ``index``."""
        steps = [*self]
        steps.insert(index, step)
        self._replace_all(steps)

    def __add__(self: Any, others: Any) -> Any:
        return self._of([*self, *others]) if isinstance(others, Editable) else NotImplemented

    def __mul__(self: Any, times: int) -> Any:
        return self._of([*self] * times)

    def append(self: Any, step: Any) -> Any:
        """Append a step; returns the sequence itself."""
        self._add(step)
        return self

    def extend(self: Any, steps: Iterable[Any]) -> Any:
        """Append several steps; returns the sequence itself."""
        for step in [*steps]:
            self._add(step)
        return self

    __iadd__, pop = MutableSequence.__iadd__, MutableSequence.pop
    remove, clear, index, count = MutableSequence.remove, MutableSequence.clear, Sequence.index, Sequence.count


class _LinkSequence(Editable, Link):
    """Steps given as arguments, or as one list; paths name the links among them ``0``, ``1``, ``2`` ..."""

    def __init__(self, *steps: Any) -> None:
        super().__init__()
        self._items: list[Any] = []
        for step in steps[0] if len(steps) == 1 and isinstance(steps[0], list) else steps:
            self._add(step)

    def _add(self, step: Any) -> None:
        self._check(step)
        if isinstance(step, Link):
            self._register(self._next_name(), "link", step)
        self._items.append(step)

    def _check(self, step: Any) -> None:
        if not isinstance(step, Link):
            raise TypeError(f"{type(self).__name__}: got {a_kind(step)}; expected a Link")

    def _of(self, steps: Any) -> Any:
        return type(self)(*steps)

    def _next_name(self) -> str:
        return str(len(self._items))

    def _replace_all(self, steps: list[Any]) -> None:
        for step in steps:
            self._check(step)
        for name in [name for name, _ in self._own("link") if name.isdigit()]:  # links assigned to attributes stay
            delattr(self, name)
        self._items = []
        for step in steps:
            self._add(step)

    def _copied(self, memo: dict[int, Any], mode: Any) -> Any:
        twin = super()._copied(memo, mode)
        copies = {id(link): copy for (_, link), (_, copy) in zip(self._own("link"), twin._own("link"), strict=True)}
        twin.__dict__["_items"] = [copies.get(id(item), item) for item in self._items]
        return twin


class ChainList(_LinkSequence):
    """A list of links: ``chain[i]``, ``len(chain)``, iteration, and the other methods of a list.

    Examples
    --------
    >>> from autolab import ChainList, links as L
    >>> chain = ChainList(L.Linear(4, 3), L.Linear(3, 2))
    >>> len(chain), [name for name, _ in chain.namedparams()]
    (2, ['/0/W', '/0/b', '/1/W', '/1/b'])
    """

    add_link = Editable.append

    def __getitem__(self, index: Any) -> Any:
        """The link at ``index``; for a slice, a list."""
        return self._items[index]


class Sequential(_LinkSequence):
    """A sequence of links and functions, each applied to the result of the previous one.

    Examples
    --------
    >>> from autolab import Sequential, Variable, links as L, functions as F
    >>> model = Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    >>> model(Variable([[1.0, 2.0]])).shape
    (1, 1)
    """

    add = Editable.append
    _step_names: tuple[str, ...] = ()

    def __init__(self, *steps: Any) -> None:
        if len(steps) != 1 or not isinstance(steps[0], OrderedDict):
            return super().__init__(*steps)
        super().__init__()
        self._step_names = tuple(steps[0])
        self.extend(steps[0].values())

    def _next_name(self) -> str:
        n = len(self._items)
        return self._step_names[n] if n < len(self._step_names) else str(n)

    def _replace_all(self, steps: list[Any]) -> None:
        for step in steps:
            self._check(step)
        for name in self._kinds.keys() & {*self._step_names}:
            delattr(self, name)
        if len(steps) != len(self._items):
            self._step_names = ()
        super()._replace_all(steps)

    def _check(self, step: Callable[..., Any]) -> None:
        if not callable(step):
            raise TypeError(f"{type(self).__name__}: got {a_kind(step)}; expected a Link or a function")

    def forward(self, *args: Any) -> Any:
        """Apply the steps in order. The first takes the arguments; a tuple is passed on as several arguments."""
        for step in self._items:
            result = step(*args)
            args = result if isinstance(result, tuple) else (result,)
        return args if len(args) != 1 else args[0]

    def _of(self, steps: Any) -> Any:
        return Sequential(*steps)

    @OfInstances
    def __signature__(self) -> inspect.Signature:
        """The arguments of the first step, which are those of a call."""
        try:
            first = list(inspect.signature(self._items[0]).parameters.values())
        except (IndexError, ValueError):  # no steps, or a built-in function without a signature
            return super().__signature__
        return inspect.Signature([p for p in first if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)])

    @recursive_repr("...")
    def __repr__(self) -> str:
        lines = [
            f"({i}): {step!r}" if isinstance(step, Link) else f"({i}): {getattr(step, '__name__', repr(step))}"
            for i, step in enumerate(self._items)
        ]
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {body}\n)" if lines else f"{type(self).__name__}()"
