"""Chain, ChainList, Sequential: links composed of links."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from reprlib import recursive_repr
from typing import Any

from ..engine import a_kind
from .link import Link, OfInstances
from .registry import kind_of


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


class Steps(Editable, Link):
    """Steps in order; those that are links or parameters are registered, usually as ``0``, ``1``, ``2`` ...

    A step that is assigned to its name, as ``setattr(steps, "0", link)``, replaces the one before it; links that are
    assigned to other attributes are no steps.
    """

    def __init__(self, steps: Iterable[Any] = ()) -> None:
        super().__init__()
        self._items: list[Any] = []
        self._names: list[str] = []
        self.extend(steps)

    def _add(self, step: Any, name: str | None = None) -> None:
        step = self._taken(step)
        self._names.append(self._next_name() if name is None else name)
        self._items.append(step)
        if kind := kind_of(step):
            self._register(self._names[-1], kind, step)

    def _taken(self, step: Any) -> Any:
        """The step as it is kept, or an error if it cannot be one."""
        if not isinstance(step, Link):
            raise TypeError(f"{type(self).__name__}: got {a_kind(step)}; expected a Link")
        return step

    def _register(self, name: str, kind: Any, value: Any) -> None:
        super()._register(name, kind, value)
        if name in self._names and value is not None:
            both = zip(self._names, self._items, strict=True)
            self._items = [value if own == name and kind_of(step) else step for own, step in both]

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        both = zip(self._names, self._items, strict=True)
        kept = [(own, step) for own, step in both if own != name or not kind_of(step)]
        self._names, self._items = [own for own, _ in kept], [step for _, step in kept]

    def _next_name(self) -> str:
        return str(len(self._items))

    def _of(self, steps: Any) -> Any:
        return type(self)(steps)

    def _replace_all(self, steps: list[Any]) -> None:
        steps = [self._taken(step) for step in steps]
        as_before = len(steps) == len(self._names) and not all([name.isdigit() for name in self._names])
        names: list[Any] = [*self._names] if as_before else [None] * len(steps)
        for name in self._kinds.keys() & {*self._names}:
            delattr(self, name)
        self._items, self._names = [], []
        for step, name in zip(steps, names, strict=True):
            self._add(step, name)

    def _copied(self, memo: dict[int, Any], mode: Any) -> Any:
        twin = super()._copied(memo, mode)
        both = zip(self._names, self._items, strict=True)
        twin.__dict__["_items"] = [twin.__dict__[name] if kind_of(step) else step for name, step in both]
        twin.__dict__["_names"] = [*self._names]
        return twin


class _GivenSteps(Steps):
    """Steps given as arguments, or as one list."""

    def __init__(self, *steps: Any) -> None:
        super().__init__(steps[0] if len(steps) == 1 and isinstance(steps[0], list) else steps)

    def _of(self, steps: Any) -> Any:
        return type(self)(*steps)


class ChainList(_GivenSteps):
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


class Sequential(_GivenSteps):
    """A sequence of links and functions, each applied to the result of the previous one.

    Examples
    --------
    >>> from autolab import Sequential, Variable, links as L, functions as F
    >>> model = Sequential(L.Linear(2, 3), F.relu, L.Linear(3, 1))
    >>> model(Variable([[1.0, 2.0]])).shape
    (1, 1)
    """

    add = Editable.append

    def __init__(self, *steps: Any) -> None:
        named = steps[0] if len(steps) == 1 and isinstance(steps[0], OrderedDict) else None
        super().__init__(*(steps if named is None else ()))
        for name, step in (named or {}).items():
            self._add(step, name)

    def _taken(self, step: Any) -> Any:
        if not callable(step):
            raise TypeError(f"{type(self).__name__}: got {a_kind(step)}; expected a Link or a function")
        return step

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
        shown = [repr(one) if isinstance(one, Link) else getattr(one, "__name__", repr(one)) for one in self._items]
        names = [i if name.isdigit() else name for i, name in enumerate(self._names)]
        lines = [f"({name}): {step}" for name, step in zip(names, shown, strict=True)]
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {body}\n)" if lines else f"{type(self).__name__}()"
