"""``chainer.testing.parameterized``: one test class for each set of parameters."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import isfunction
from typing import Any


def product(parameter: Mapping[str, Iterable[Any]] | Sequence[Iterable[Any]]) -> list[Any]:
    """All combinations, as dictionaries; for a list of lists, as tuples.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    if isinstance(parameter, Mapping):
        return [dict(zip(parameter, values, strict=True)) for values in itertools.product(*parameter.values())]
    return list(itertools.product(*parameter))


def parameterize(*params: Mapping[str, Any]) -> Callable[[type], type]:
    """A class decorator that adds a subclass for each set of attributes to the class's module.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.testing.parameterize({"a": 1}, {"a": 2}) is not None
    True
    """

    def decorate(base: type) -> Any:
        module, made = sys.modules[base.__module__], []
        for case in vars(base).get("_cases", [base]):  # the subclasses of a decorator below this one
            vars(module).pop(case.__name__, None)
            for i, param in enumerate(params):
                own = {name: staticmethod(v) if isfunction(v) else v for name, v in param.items()}
                made.append(type(f"{case.__name__}_{i}", (case,), {**own, "__module__": base.__module__}))
                made[-1].__test__ = True  # type: ignore[attr-defined]
        vars(module).update({case.__name__: case for case in made})
        base.__test__, base._cases = False, made  # type: ignore[attr-defined]
        return base

    return decorate
