"""What an optimizer can update besides a link: individual parameters, and groups with settings of their own."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, ValuesView
from typing import Any

from ..engine import Parameter, Variable, a_kind
from ..links import Link


class GivenParameters(Link):
    """Parameters, or other leaves, given without their link; they are named by their index.

    ``origins`` are the links that they come from, as far as known. The buffers of these are part of the state, and a
    trainer restores them after a failed update.
    """

    def __init__(self, parameters: Iterable[Variable], origins: list[Link]) -> None:
        super().__init__()
        self.origins = origins
        for i, parameter in enumerate(parameters):
            if isinstance(parameter, Parameter):
                self.register_parameter(str(i), parameter)
            else:
                self._kinds[str(i)] = "parameter"
                self.__dict__[str(i)] = parameter

    def namedlinks(self, skipself: bool = False) -> Iterator[tuple[str, Link]]:
        """Itself, and the links inside those origins all of whose parameters were given."""
        yield from super().namedlinks(skipself)
        given = {id(parameter) for _, parameter in self._own("parameter")}
        for i, origin in enumerate(self.origins):
            if given >= {id(parameter) for parameter in origin.params()}:
                yield from ((f"/link_{i}{path.rstrip('/')}", link) for path, link in origin.namedlinks())


Groups = list[tuple[list[Any], dict[str, Any]]]


def target_and_groups(who: str, given: Any) -> tuple[Link, Groups] | None:
    """The link to set up, and the groups with their own settings; None if ``given`` is none of the below.

    Parameters
    ----------
    who : str
        The function and argument, for messages.
    given : Link, Parameter, iterable of Parameters or of pairs of name and Parameter, or list of dicts
        Any Variable that is a leaf can replace a Parameter.
        A dict holds ``params``, and settings of the optimizer for these parameters, such as ``lr``.

    Raises
    ------
    TypeError, ValueError
        If one of the parameters is something else or is given twice, or there are none.
    """
    if isinstance(given, Link):
        return given, []
    if isinstance(given, Variable):
        given = [given]
    if not isinstance(given, list | tuple | Iterator | ValuesView):
        return None
    origins = [getattr(given, "link", None)]
    entries = list(given)
    groups: Groups = []
    if entries and all([isinstance(entry, Mapping) and "params" in entry for entry in entries]):
        for entry in entries:
            origins.append(getattr(entry["params"], "link", None))
            settings = {name: value for name, value in entry.items() if name != "params"}
            groups.append((parameters_of(who, entry["params"]), settings))
    else:
        groups.append((parameters_of(who, entries), {}))
    listed = [parameter for parameters, _ in groups for parameter in parameters]
    check_once(who, listed)
    target = GivenParameters(listed, [link for link in origins if link is not None])
    return target, groups


def parameters_of(who: str, given: Any, before: Iterable[Any] = (), is_lenient: bool = False) -> list[Any]:
    """The parameters of a group, as a list; raises as `target_and_groups` does.

    ``before`` are those of other groups. If ``is_lenient``, as PyTorch is, there may be none, and leaves that require
    no gradient.
    """
    if isinstance(given, Link):
        return list(given.params())
    found = [given] if isinstance(given, Variable) else list(given)
    found = [entry[1] if isinstance(entry, tuple) and len(entry) == 2 else entry for entry in found]
    for parameter in found:
        if not isinstance(parameter, Variable):
            raise TypeError(f"{who}: got {a_kind(parameter)} among the parameters; expected Parameters")
        is_fixed = not parameter.requires_grad and not is_lenient
        if not isinstance(parameter, Parameter) and (is_fixed or parameter.creator is not None):
            what = f"{who}: got a Variable ({parameter.name or 'without a name'!s:.60})"
            raise ValueError(f"{what} that is computed or requires no gradient; expected leaves that require one")
    if not found and not is_lenient:
        listed = "links in a plain list are not found there: self.layers = ChainList(*layers)"
        raise ValueError(f"{who}: got no parameters; expected at least one ({listed})")
    check_once(who, [*before, *found])
    return found


def check_once(who: str, parameters: list[Any]) -> None:
    """Raise if one of the parameters is there twice."""
    if len({*map(id, parameters)}) < len(parameters):
        raise ValueError(f"{who}: a parameter was given twice; expected each once")


def _held(entry: Link | Parameter) -> list[Parameter]:
    return [entry] if isinstance(entry, Parameter) else list(entry.params())


def warn_of_plain_lists(who: str, target: Link) -> None:
    """Warn if parameters have a gradient but are not trained, because their links are in a plain list or dict.

    Parameters without a gradient cause no warning: they may be hidden on purpose.
    """
    asked = getattr(target, "origins", [target])
    known = {id(parameter) for link in (target, *asked) for parameter in link.params()}
    for holder in [holder for link in asked for holder in link.links()]:
        for name, value in vars(holder).items():
            listed = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
            inside = [p for entry in listed if isinstance(entry, Link | Parameter) for p in _held(entry)]
            if any([id(p) not in known and p._grad is not None for p in inside]):
                what, kind = f"{type(holder).__name__}.{name}", type(value).__name__
                warnings.warn(
                    f"{who}: the {kind} {what:.100} holds parameters that have gradients and are not trained, as "
                    f"links in a {kind} are not found; write self.{name:.60} = ChainList(*links) or Sequential(*links)",
                    RuntimeWarning,
                    stacklevel=2,
                )
