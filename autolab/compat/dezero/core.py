"""``dezero.core``: Variable, Function, modes and arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from ... import functions as F
from ...authoring import SimpleFunction
from ...engine import Array, config
from ...engine.configuration import no_grad as no_grad
from ...engine.configuration import test_mode as test_mode
from ...engine.configuration import using_config as using_config
from ...engine.multi_output import MultiOutputNode as WholeNode
from ...engine.variable import Variable as Engine
from ..table import fill, made_by
from ._adapters import function, variable  # noqa: F401  # for table.txt
from ._creators import applied, generation_of, traced  # noqa: F401  # for table.txt
from ._variable import Parameter as Parameter
from ._variable import Variable as Variable
from ._variable import Whole, dressed

Config = config
"""The modes of this thread: ``Config.enable_backprop`` and ``Config.train``."""


_ABSENT = np.zeros(0)
"""What stands for an input that is None: ``forward`` is given None, and ``backward`` a Variable without an array."""


class Function(SimpleFunction):
    """A function with ``forward(self, x0, ...)`` on arrays and ``backward(self, gy0, ...)`` on Variables.

    Subclass it and call a new object each time. In `backward`, `inputs` holds the input Variables and `outputs`
    functions that return the results: ``self.outputs[0]()``. Several results are a list.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Function, Variable
    >>> class Square(Function):
    ...     def forward(self, x):
    ...         return x**2
    ...
    ...     def backward(self, gy):
    ...         (x,) = self.inputs
    ...         return 2 * x * gy
    >>> x = Variable(np.array(3.0))
    >>> y = Square()(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(9.0), variable(6.0))
    """

    _given: tuple[Any, ...] = ()
    _whole_results: tuple[int, ...] = ()
    _returned: Sequence[Any] = ()
    _generation: int | None = None

    def __call__(self, *inputs: Any) -> Any:
        self._given = tuple([Variable(x, requires_grad=False) if isinstance(x, np.ndarray) else x for x in inputs])
        found = super().__call__(*[_ABSENT if x is None else x for x in inputs])
        results = [found] if isinstance(found, Engine) else list(found)
        for i, y in enumerate(results):
            y.__class__ = Whole if i in self._whole_results else Variable
        self._returned = [ref(y) for y in results]
        return results[0] if isinstance(found, Engine) else results

    @property
    def inputs(self) -> Any:
        """The input Variables: the same objects, as long as their arrays are still those that `forward` used."""

        def one(given: Any, x: Any) -> Any:
            if given is None:
                return Variable(None)
            return given if getattr(given, "_data", None) is x._data else dressed(x)

        return tuple([one(given, x) for given, x in zip(self._given, super().inputs, strict=True)])

    @property
    def outputs(self) -> Any:
        """Weak references to the results. In `backward`, a result that no longer exists is returned all the same."""

        def one(mine: Any, kept: Any) -> Any:
            y = mine()
            return dressed(kept()) if y is None else y

        return [partial(one, *pair) for pair in zip(self._returned, super().outputs, strict=True)]

    @property
    def generation(self) -> int:
        """The number of functions before it on the longest path from a leaf."""
        return generation_of(self)

    def _upstream(self, node: WholeNode, g: Any) -> list[Any]:
        return [dressed(gy) for gy in super()._upstream(node, g)]

    def _forward(self, arrays: tuple[Array, ...]) -> list[Engine]:
        pairs = zip(self._given, arrays, strict=True)
        seen = [None if given is None else x.astype(np.int64) if type(given) is Whole else x for given, x in pairs]
        found = super()._forward(tuple(seen))
        if Whole in map(type, self._given):
            self._whole_results = tuple([i for i, y in enumerate(found) if y.dtype == np.int64])
        for i in self._whole_results:  # the engine differentiates floats
            found[i]._data = found[i]._data.astype(np.float64)
        return found


@traced
def pow(x: Any, c: Any) -> Any:
    """``x ** c`` with a number ``c``."""
    y = variable(F.pow(x, c))
    if type(x) is Whole and isinstance(c, int) and c >= 0:
        y.__class__ = Whole
    return y


def setup_variable() -> None:
    """Does nothing: Variables already have their operators."""


__getattr__ = fill(__name__)
for _name, _operator in made_by("dezero.Variable.operators", __name__):
    setattr(Variable, _name, _operator)
