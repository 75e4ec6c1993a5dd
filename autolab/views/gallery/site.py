"""`build`: the gallery as a folder of pages."""

from __future__ import annotations

import doctest
import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ... import functions as F
from ...engine import Primitive, Variable, grad
from ...engine.undisturbed import quietly
from ...functions.conventions import conventions
from ...shared.files import write
from .. import mimebundle
from ..derivatives.explorer import DerivativeExplorer
from ..derivatives.saved_page import curves_page
from ..derivatives.session import DerivativeSession
from ..draw.escape import Markup, element, escape, join, with_code
from ..export.pages import page_of, still_page
from ..live.bundle import module_text

# One number in a function's result as a function of one number in its input, for a page of the gallery. A function of
# one number is drawn over its declared domain. For any other, the example in its docstring provides the arguments.

_MOST = 64
"""The maximum number of elements of a result that are examined."""

_SPELLED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "getitem": (([1.0, 2.0, 4.0], 1), {}),
    "pow": ((1.5, 3.0), {}),
}
"""Calls of functions whose examples use an operator."""


@dataclass(frozen=True)
class Moving:
    """A function of one number, its starting point, a sentence about what moves and what is drawn, and whether it is
    part of a function with other arguments."""

    fn: Callable[[Variable], Any]
    x: float
    domain: tuple[float, float] | None
    told: str
    is_part: bool = False


class NothingMoves(Exception):
    """Raised if a function has no example with a number on which its result depends."""


def moving(name: str) -> Moving:
    """What is drawn for a function of `autolab.functions`; raises `NothingMoves` if there is nothing to draw."""
    function = getattr(F, name)
    declared = getattr(function, "function", None)
    if isinstance(declared, Primitive) and declared.elementwise and len(declared.inputs) == 1 and declared.domain:
        low, high = declared.domain
        return Moving(function, low + 0.7 * (high - low), declared.domain, f"F.{name}(x)")
    args, options = called(name)
    still: list[Moving] = []
    for path, base, place in _numbers(args):
        try:
            shown, slope = _moved(function, args, options, path, base, place)
        except (TypeError, ValueError):  # the number may be a size
            continue
        if slope:
            return shown
        still.append(shown)
    if not still:
        raise NothingMoves("no number of its example can be moved alone")
    return still[0]


def called(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of the first call in the docstring's example; raises `NothingMoves` if there is no call."""
    if name in _SPELLED:
        return _SPELLED[name]
    function = getattr(F, name)
    found: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def observed(*args: Any, **options: Any) -> Any:
        found.append((args, options))
        return function(*args, **options)

    source = "\n".join([one.source for one in doctest.DocTestParser().get_examples(function.__doc__ or "")])
    setattr(F, name, observed)
    try:
        with redirect_stdout(StringIO()):
            exec(source, {})  # a docstring of AutoLab
    except Exception:  # an example that raises on purpose
        pass
    finally:
        setattr(F, name, function)
    if not found:
        raise NothingMoves("its example does not call it by name")
    return found[0]


def _array(value: Any) -> np.ndarray | None:
    """The movable numbers of an argument; None if it is not an array, or an array of indices."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        array = np.asarray(value.data if isinstance(value, Variable) else value)
    except (TypeError, ValueError):
        return None
    is_number = array.dtype.kind == "f" or (array.dtype.kind == "i" and not isinstance(value, np.ndarray))
    return array.astype(np.float64) if is_number and array.size else None


def _numbers(args: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], np.ndarray, tuple[int, ...]]]:
    """The arrays of numbers in arguments, including those inside lists: the path, the array and indices into it, those
    of zeros last."""
    for i, part in enumerate(args):
        if (base := _array(part)) is not None:
            for k in np.argsort(base.ravel() == 0, kind="stable")[:_MOST]:
                yield (*path, i), base, tuple([int(j) for j in np.unravel_index(k, base.shape)])
        elif isinstance(part, tuple | list):
            yield from _numbers(part, (*path, i))


def _with(value: Any, path: tuple[int, ...], new: Any) -> Any:
    """``value`` with another array at the end of the path."""
    if not path:
        return new
    return [_with(part, path[1:], new) if i == path[0] else part for i, part in enumerate(value)]


def _moved(
    function: Any, args: Any, options: dict[str, Any], path: tuple[int, ...], base: np.ndarray, place: tuple[int, ...]
) -> tuple[Moving, float]:
    """What depends on one number of the argument at ``path``, and how strongly."""
    one = np.zeros_like(base)
    one[place] = 1.0

    def results(t: Variable) -> list[Variable]:
        made = function(*_with(args, path, base * (1 - one) + t * one), **_fresh(options))
        flat = [part.reshape(-1) for part in (made if isinstance(made, tuple | list) else (made,)) if _moves(part)]
        return [part[k] for part in flat for k in range(min(part.shape[0], _MOST))]

    start = float(base[place])
    number, count, slope = _most_moved(results, start)
    argument = [*inspect.signature(function).parameters][path[0]]
    where = f"{argument}{''.join([f'[{i}]' for i in path[1:]])}" + (f"{[*place]}" if base.size > 1 else "")
    what = f"element {number} of the result" if count > 1 else "the result"
    told = f"{what} as {where} moves; everything else is as in the example"
    return Moving(lambda t: results(t)[number], start, (start - 2.0, start + 2.0), told, True), slope


def _fresh(options: dict[str, Any]) -> dict[str, Any]:
    """The options with a new generator that gives the same random numbers at each call."""
    return {
        key: np.random.default_rng(0) if isinstance(value, np.random.Generator) else value
        for key, value in options.items()
    }


def _moves(part: Any) -> bool:
    return isinstance(part, Variable) and part.dtype.kind == "f" and part.node is not None


def _most_moved(results: Callable[[Variable], list[Variable]], start: float) -> tuple[int, int, float]:
    """The index of the result that depends most strongly on the number, the number of results, and the slope's size."""
    t = Variable(start)
    with quietly():
        gradients = [grad(y, t) for y in results(t)]
    if not gradients:
        raise NothingMoves("its result is a constant to every derivative")
    sizes = [0.0 if g is None else abs(float(g.data)) for g in gradients]
    slopes = np.nan_to_num(sizes, posinf=0.0)
    return int(slopes.argmax()), len(sizes), float(slopes.max())


_TITLE = "Functions of AutoLab"


def build(
    folder: str | os.PathLike[str],
    names: Sequence[str] | None = None,
    tell: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> Path:
    """Write a page for each function, and an index.

    A page says what the function computes and what AutoLab does where it has no derivative, and shows its value, its
    gradient and its second derivative along one input, at a movable point. It needs no kernel and no network.

    Parameters
    ----------
    folder : path
        The target folder, which is created if needed. Files of an earlier gallery are replaced.
    names : sequence of str, optional
        Functions of `autolab.functions`; by default all.
    tell : callable, optional
        Called after each page with the number of pages written, that of all, and the function's name.

    Returns
    -------
    Path
        The index page.

    Raises
    ------
    ValueError
        If there is no function of one of the names.

    Examples
    --------
    >>> build("gallery", ["tanh", "softmax"]).name
    'index.html'
    """
    chosen = list(F.__all__ if names is None else names)
    unknown = [name for name in chosen if name not in F.__all__]
    if unknown:
        raise ValueError(f"gallery: there is no function {unknown[0]!r:.60}; see autolab.functions")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for done, name in enumerate(chosen, 1):
        write(target / f"{name}.html", function_page(name))
        tell(done, len(chosen), name)
    write(target / "index.html", index_page(chosen))
    return target / "index.html"


def function_page(name: str) -> str:
    """The page of a function."""
    try:
        shown = moving(name)
    except NothingMoves as why:
        return still_page(name, join([_about(name), _paragraph(f"There is no curve here: {why}.")]))
    before = join([_about(name), _paragraph(f"The curves are those of {shown.told}.")])
    return moving_page(name, shown, before)


def moving_page(name: str, shown: Moving, before: Markup | None = None) -> str:
    """The page of a function's curves; ``before`` goes above them and never changes."""
    return page_of("derivatives", name, _data(name, shown), "auto", before=before)


def _data(name: str, shown: Moving) -> str:
    """The initial data of the view: the curves of the function and of its first two derivatives."""

    def fn(x):  # type: ignore[no-untyped-def]
        return shown.fn(x)

    fn.__name__ = name
    with np.errstate(all="ignore"):  # the curves end where a function is undefined
        # Ctrl-C while a view waits stops its curves only; `curves_page` waits instead.
        view = DerivativeExplorer(DerivativeSession(fn, shown.x, 2, shown.domain), patience=0)
        try:
            data = json.loads(curves_page(view).data())
        finally:
            view.close()
    for one in data["answers"]['["formulas"]'][1] if shown.is_part else ():  # they are about arrays without a name
        one |= {"simplified": None, "computed": None}
    return json.dumps(data)


def index_page(names: Sequence[str]) -> str:
    """The searchable list of all functions."""
    links = {name: element("a", element("code", escape(name)), href=f"{name}.html") for name in sorted(names)}
    lines = [element("li", link, escape(" "), with_code(summary(name))) for name, link in links.items()]
    field = element("label", escape("Search: "), element("input", type="search"))
    body = [
        element("h2", escape(_TITLE)),
        _paragraph("Each page shows a function with its gradient and its second derivative. Move the point."),
        element("p", field, escape(" "), element("output")),
        element("ul", *lines),
    ]
    return still_page(_TITLE, join(body), module_text("search.js"))


def _about(name: str) -> Markup:
    """The link back, the signature, what is computed, and the conventions."""
    function = getattr(F, name)
    parts = [
        element("p", element("a", escape("All functions"), href="index.html")),
        element("h2", element("code", escape(f"{name}{_signature(function)}", 300))),
        element("p", with_code(summary(name))),
    ]
    rows = conventions(name)
    if rows:
        parts.append(Markup(mimebundle(rows)["text/html"]))
    return join(parts)


def summary(name: str) -> str:
    """The first paragraph of the docstring."""
    return " ".join((inspect.getdoc(getattr(F, name)) or "").partition("\n\n")[0].split())


def _signature(function: Callable[..., object]) -> inspect.Signature:
    """The signature without types."""
    found = inspect.signature(function)
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found.parameters.values()]
    return found.replace(parameters=plain, return_annotation=inspect.Signature.empty)


def _paragraph(text: str) -> Markup:
    return element("p", escape(text, 600))
