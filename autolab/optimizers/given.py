"""What an optimizer may be given to work on besides a link: parameters by themselves, and groups with own settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, ValuesView
from typing import Any

from ..engine.errors import a_kind
from ..engine.parameter import Parameter
from ..engine.variable import Variable
from ..links import Link


class GivenParameters(Link):
    """Parameters, or other leaves, without the link that they belong to, by their numbers."""

    def __init__(self, parameters: Iterable[Variable]) -> None:
        super().__init__()
        for i, parameter in enumerate(parameters):
            if isinstance(parameter, Parameter):
                self.register_parameter(str(i), parameter)
            else:
                self._kinds[str(i)] = "parameter"
                self.__dict__[str(i)] = parameter


Groups = list[tuple[list[Variable], dict[str, Any]]]


def target_and_groups(who: str, given: Any) -> tuple[Link, Groups] | None:
    """The link to set up and the groups with settings of their own; None where no parameters were given.

    Parameters
    ----------
    who : str
        Whose argument it is, for messages.
    given : Link, Parameter, iterable of Parameters or of pairs of name and Parameter, or list of dicts
        Any Variable that is a leaf may stand for a Parameter.
        A dict holds ``params`` and settings of the optimizer for these alone, such as ``lr``.

    Raises
    ------
    TypeError, ValueError
        If among parameters there is something else, there are none, or one comes twice.
    """
    if isinstance(given, Link):
        return given, []
    if isinstance(given, Variable):
        given = [given]
    if not isinstance(given, list | tuple | Iterator | ValuesView):
        return None
    entries = list(given)
    groups: Groups = []
    if entries and all([isinstance(entry, Mapping) and "params" in entry for entry in entries]):
        for entry in entries:
            settings = {name: value for name, value in entry.items() if name != "params"}
            groups.append((_parameters(who, entry["params"]), settings))
    else:
        groups.append((_parameters(who, entries), {}))
    listed = [parameter for parameters, _ in groups for parameter in parameters]
    if len(set(map(id, listed))) < len(listed):
        raise ValueError(f"{who}: a parameter was given twice; expected each once")
    return GivenParameters(listed), [group for group in groups if group[1]]


def _parameters(who: str, given: Any) -> list[Variable]:
    if isinstance(given, Link):
        return list(given.params())
    found = [given] if isinstance(given, Variable) else list(given)
    found = [entry[1] if isinstance(entry, tuple) and len(entry) == 2 else entry for entry in found]
    for parameter in found:
        if not isinstance(parameter, Variable):
            raise TypeError(f"{who}: got {a_kind(parameter)} among the parameters; expected Parameters")
        if not isinstance(parameter, Parameter) and (not parameter.requires_grad or parameter.creator is not None):
            what = f"{who}: got a Variable ({parameter.name or 'without a name'!s:.60})"
            raise ValueError(f"{what} that is computed or requires no gradient; expected leaves that require one")
    if not found:
        listed = "links in a plain list are not found there: self.layers = ChainList(*layers)"
        raise ValueError(f"{who}: got no parameters; expected at least one ({listed})")
    return found
