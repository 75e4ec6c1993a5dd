"""Where values leave the graph: as plain numbers or arrays, which carry no gradients.

``float(x)``, ``x.item()`` and ``x.data`` are deliberate and allowed. Assigning a Variable to an element of an array is
not: the array would hold the number, and the gradient would be lost silently. NumPy calls `__float__` in both cases, so
the current instruction of the caller decides which one it is.

Recordings and checks observe the allowed cases with `watch_leaving`. Without observers this costs one truth test.
"""

from __future__ import annotations

import ast
import dis
import linecache
import math
import os
import sys
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .configuration import Block, Silence
from .errors import AS_ARRAY, INTO_ARRAY, JOINED, DetachError
from .modes import backprop_enabled, listeners, modes
from .observe import ForwardEvent
from .source import PerInstruction, by_position, caller, file_label, is_own, position, segment

if TYPE_CHECKING:
    from .variable import Variable

# ---------------------------------------------------------------------------------------------- into an array
_NUMPY = os.path.dirname(np.__file__) + os.sep
_NUMPY_SHOWS = (f"{_NUMPY}testing{os.sep}",)
_STORE = dis.opmap["STORE_SUBSCR"]
_CALLS = ("CALL", "PRECALL")
_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF")
_FILLERS = frozenset(
    {"fill", "put", "itemset", "__setitem__", "setitem", "fromiter", "float64", "double", "type"}  # of NumPy
    | {"array", "append", "extend", "insert", "fromlist"}  # of the standard library's array
)
"""C functions that put a number into an array; lists do not convert their items."""


def _fills_array(frame: FrameType) -> bool:
    """Whether the instruction of ``frame`` puts the number that it asks for into an array.

    That is an item assignment, a call of one of `_FILLERS`, or NumPy's own code, except where it prints.
    """
    code = frame.f_code
    if code.co_filename.startswith(_NUMPY):
        return not code.co_filename.startswith(_NUMPY_SHOWS) and not code.co_name.startswith("format_float")
    instruction = code.co_code[frame.f_lasti]  # as compiled, without changes by the interpreter or debuggers
    return instruction == _STORE or (dis.opname[instruction].startswith(_CALLS) and _called(frame) in _FILLERS)


def _called(frame: FrameType) -> str | None:
    """The name of what a frame is calling: the last name loaded at the start of the call expression."""
    first, last, column, end_column = position(frame.f_code, frame.f_lasti)
    if first is None or last is None or column is None or end_column is None:
        return None
    found, reach = None, (0, 0)
    for instruction in dis.get_instructions(frame.f_code):
        place = instruction.positions
        if instruction.offset >= frame.f_lasti:
            return found
        if (
            place is None
            or not instruction.opname.startswith(_LOADS)
            or (place.lineno, place.col_offset) != (first, column)
        ):
            continue
        end = place.end_lineno or 0, place.end_col_offset or 0
        if reach <= end < (last, end_column):
            found, reach = str(instruction.argval), end
    return found


def is_drawn(frame: FrameType | None) -> bool:
    """Whether matplotlib or `numpy.testing` asks for an array or a number, directly or through NumPy: they only draw or
    compare values, so no gradient is lost."""
    while frame is not None and (frame.f_code.co_filename.startswith(_NUMPY) or is_own(frame)):
        if frame.f_code.co_filename.startswith(_NUMPY_SHOWS):
            return True
        frame = frame.f_back
    package = str(frame.f_globals.get("__name__")).partition(".")[0] if frame is not None else ""
    return package in ("matplotlib", "mpl_toolkits")


def as_array(frame: FrameType) -> str:
    """The message if ``frame`` asks for an array; names the SciPy function if AutoLab has it as well."""
    if _called(frame) == "dot":
        return "array.dot(Variable): a method of an array takes no Variable; X @ W and np.dot(X, W) keep the gradient"
    if frame.f_code.co_qualname == "AxisConcatenator.__getitem__":  # NumPy offers no way to override it
        return f"np.c_, np.r_: {JOINED}"
    own, above = sys.modules[f"{__name__.partition('.')[0]}.functions"], frame
    while (module := str(above.f_globals.get("__name__"))).startswith(("scipy.", "numpy")) and above.f_back:
        name, asked = above.f_code.co_name, module.partition("._")[0]
        if asked.startswith("scipy.") and name in own.__all__:
            place = "autolab.scipy.special" if asked == "scipy.special" else "autolab"  # their softmaxes differ
            return f"{asked}.{name}: a plain array would drop the gradient; instead: {place}.{name}(x)"
        above = above.f_back
    return AS_ARRAY


_into_array = PerInstruction(_fills_array)
_CAN_TELL = sys.implementation.name == "cpython"


def number_of(variable: Variable, number: Any) -> Any:
    """The result of ``float`` and ``int`` for a Variable that requires a gradient, called two frames up.

    Raises
    ------
    DetachError
        If the number would go into an array. For an array of floats NumPy raises a ValueError with this error as its
        cause.
    """
    frame = sys._getframe(2)
    if _CAN_TELL and _into_array(frame) and not is_drawn(frame):
        raise DetachError(f"Variable: {INTO_ARRAY}")
    return left(variable, number, frame) if listeners else number


# ---------------------------------------------------------------------------------------------- and on purpose
How = Literal["left", "changed", "no_grad"]


class Exit(NamedTuple):
    """A place in the user's code where values left the graph.

    ``how``: a value ``left`` as a number or an array, an array was ``changed`` outside the graph, or a step was
    computed under ``no_grad``.
    ``line`` is the line in ``file``, a notebook cell or a module; ``source`` is the expression as written, or the line.
    """

    file: str
    line: int
    source: str
    how: How = "left"


class ExitEvent:
    """A ``variable`` that requires a gradient gave out its ``value``: a number, or the array itself.

    A hook may replace the value.
    """

    def __init__(self, variable: Variable, value: Any, exit: Exit) -> None:
        self.variable, self.value, self.exit = variable, value, exit


class watch_leaving(Block):
    """Call ``hook(event)`` for every value that the user's code takes out of the graph inside a ``with`` block.

    Values that are only printed or compared are no events, nor are those that AutoLab's own code takes.

    Parameters
    ----------
    hook : callable
        Takes an `ExitEvent`.

    Examples
    --------
    >>> import math
    >>> from autolab import Variable
    >>> x = Variable(0.0)
    >>> with watch_leaving(lambda event: print(event.value)):
    ...     y = x * math.cos(x)
    0.0
    """

    name = "exits"

    def __init__(self, hook: Callable[[ExitEvent], None]) -> None:
        self.hook = hook

    def value(self) -> tuple[Callable[[ExitEvent], None], ...]:
        return (*modes().exits, self.hook)


def left(variable: Variable, value: Any, frame: FrameType | None = None) -> Any:
    """Notify this context's listeners that the caller's caller, or ``frame``, takes a value; returns that value."""
    hooks = modes().exits
    users = _users(frame or sys._getframe(2)) if hooks else None
    exit = None if users is None else _exit(users)
    if exit is None:
        return value
    event = ExitEvent(variable, value, exit)
    with _silence:  # values that a hook takes are no events
        for hook in hooks:
            hook(event)
    return event.value


_silence = Silence("exits")


def untracked(event: ForwardEvent) -> Exit | None:
    """The user's line of a step computed under ``no_grad`` from values that require a gradient; otherwise None."""
    is_untracked = not backprop_enabled() and any([getattr(x, "node", None) is not None for x in event.inputs])
    frame = _users(caller()) if is_untracked and event.outputs[0].dtype.kind == "f" else None
    exit = None if frame is None else _exit(frame)
    return None if exit is None else exit._replace(how="no_grad")


@cache
def _folders() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The folders of the standard library and of installed packages; computed when the first value leaves."""
    import sysconfig  # saves two milliseconds when importing autolab

    paths = sysconfig.get_paths()
    pythons = {paths[key] + os.sep for key in ("stdlib", "platstdlib")}
    return (*pythons, "<frozen "), tuple({paths[key] + os.sep for key in ("purelib", "platlib")})


def _users(frame: FrameType | None) -> FrameType | None:
    """The user's frame that took a value, directly or through a library; None if AutoLab did."""
    library = None
    pythons, installed = _folders()
    while frame is not None and not is_own(frame):
        file = frame.f_code.co_filename
        if file.startswith(installed):
            library = frame
        elif not file.startswith(pythons):
            return frame
        frame = frame.f_back
    return library


_ASKED = frozenset({"shape", "dtype", "ndim", "size", "nbytes", "any", "all", "argmax", "argmin", "argsort"})
_SHOWN = frozenset({"print", "repr", "str", "format", "display", "len", "isinstance", "type", "id", "bool"})
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "isnan", "isfinite", "isclose", "allclose"})
_CUTS = frozenset({"unchain", "unchain_backward"})
_CHANGES = frozenset({"fill", "sort", "put", "partition"})
_NUMBERS = frozenset({"float", "int", "round", "abs", "min", "max", "sum", *dir(math)})


def _end(node: Any) -> Any:
    """The largest enclosing expression that is still a number: by arithmetic, indexing, methods or math functions."""
    above = node.parent
    if isinstance(above, ast.Attribute) and above.attr not in _ASKED:
        call = above.parent  # type: ignore[attr-defined]  # every node of `source` has one
        return _end(call) if isinstance(call, ast.Call) and call.func is above else node
    is_part = isinstance(above, ast.BinOp | ast.UnaryOp | ast.Subscript) and not _is_text(above)
    is_number = isinstance(above, ast.Call) and node is not above.func and _name(above.func) in _NUMBERS
    return _end(above) if is_part or is_number else node


def _name(function: Any) -> str:
    """The name f of ``f`` and ``math.f``; methods of other objects have none."""
    of_math = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") in ("math", "np", "numpy")
    return function.attr if of_math else getattr(function, "id", "")


def _is_harmless(node: Any) -> bool:
    """Whether nothing is computed from the value of an expression: it is compared, printed, discarded, or asked for its
    shape."""
    node = _end(node)
    above = node.parent
    if isinstance(above, ast.Attribute):
        return above.attr in _ASKED or above.attr == "format"
    if isinstance(above, ast.Call) and node is not above.func:
        return _name(above.func) in _SHOWN | _LIKE or getattr(above.func, "attr", "") == "format"
    if isinstance(above, ast.If | ast.While | ast.IfExp | ast.Assert):
        return node is above.test
    is_lost = isinstance(above, ast.Expr) and getattr(getattr(node, "func", None), "attr", "") not in _CUTS
    return _is_text(node) or _is_text(above) or is_lost or isinstance(above, ast.Compare | ast.FormattedValue)


def _is_text(node: Any) -> bool:
    """Whether it is ``"..." % values``."""
    return isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)


def _is_change(node: Any) -> bool:
    """Whether an array is changed in place: ``y.data[0] = 5``, ``y.data -= 1``, ``y.data.fill(0)``."""
    while isinstance(node.parent, ast.Subscript | ast.Attribute) and node is node.parent.value:
        node = node.parent  # type: ignore[attr-defined]
    is_call = isinstance(node.parent, ast.Call) and node is node.parent.func
    return getattr(node, "attr", "") in _CHANGES if is_call else isinstance(getattr(node, "ctx", None), ast.Store)


def _look(frame: FrameType) -> Exit | None:
    """The exit at the current instruction; None if it is harmless."""
    file, found = file_label(frame.f_code.co_filename), by_position(frame)
    if found is None:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
        return Exit(file, frame.f_lineno, line.strip())
    is_change = isinstance(found.node, ast.Attribute) and _is_change(found.node)
    if not is_change and _is_harmless(found.node):
        return None
    node = found.statement if is_change else found.node
    return Exit(file, node.lineno, " ".join(segment(found.lines, node).split()), "changed" if is_change else "left")


_exit = PerInstruction(_look)
