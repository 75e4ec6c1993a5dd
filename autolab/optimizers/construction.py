"""Constructing optimizers as in PyTorch: from parameters, and groups of parameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ..engine import in_own_words
from .given import target_and_groups
from .param_groups import FREE, ParameterGroup, set_all


class TakesParameters(type):
    """Lets every optimizer be constructed as in PyTorch: ``Adam(model.parameters(), lr=0.001, weight_decay=0.01)``."""

    def __call__(cls, *args: Any, **settings: Any) -> Any:
        first = args[0] if args else settings.get("params")
        given = target_and_groups(f"{cls.__name__}: params", first)
        if given is None:
            return cls._with_settings(args, cls._own_words(settings))
        settings.pop("params", None)
        settings, (target, groups) = cls._own_words(settings), given
        made = cls._with_settings(args[1:], {**settings, **cls._own_words(groups[0][1] if groups else {})})
        made._made_with = args[1:], settings
        return made.setup(target)._split(groups)

    @property
    def __signature__(cls) -> inspect.Signature:
        """The settings alone, for help and completion; the other arguments are PyTorch's spelling."""
        _, *settings = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(settings)

    def _own_words(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        return in_own_words(cls.__name__, inspect.signature(cls.__init__).parameters, settings)  # type: ignore[misc]

    def _with_settings(cls, args: tuple[Any, ...], settings: dict[str, Any]) -> Any:
        """An optimizer; settings that every optimizer has, or that PyTorch's have, are assigned afterwards."""
        parameters = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
        own = {*parameters} if not any([p.kind is p.VAR_KEYWORD for p in parameters.values()]) else {*settings}
        later: Any = {"weight_decay", *cls.options, *cls.fixed, *FREE} - own  # type: ignore[attr-defined]
        made = super().__call__(*args, **{name: value for name, value in settings.items() if name not in later})
        made._made_with = args, settings
        set_all(ParameterGroup(made, []), [(name, value) for name, value in settings.items() if name in later])
        return made
