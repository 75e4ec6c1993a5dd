"""Constructing optimizers as in PyTorch: from parameters, and groups of parameters."""

from __future__ import annotations

import inspect
from typing import Any

from ..engine import in_own_words
from .given import target_and_groups
from .hooks import WeightDecay


class TakesParameters(type):
    """Lets every optimizer be constructed as in PyTorch: ``Adam(model.parameters(), lr=0.001, weight_decay=0.01)``."""

    def __call__(cls, *args: Any, **settings: Any) -> Any:
        parameters = inspect.signature(cls.__init__).parameters  # type: ignore[misc]
        settings = in_own_words(cls.__name__, parameters, settings)
        if "momentum" in settings and "with_momentum" in vars(cls):
            kind = vars(cls)["with_nesterov" if settings.pop("nesterov", False) else "with_momentum"]
            return kind(*args, **settings)
        takes = "weight_decay" in parameters or any([p.kind is p.VAR_KEYWORD for p in parameters.values()])
        decay = 0 if takes else settings.pop("weight_decay", 0)
        made = cls._made(*args, **settings)
        if decay:
            made.add_hook(WeightDecay(decay))
        return made

    @property
    def __signature__(cls) -> inspect.Signature:
        """The settings alone, for help and completion; the other arguments are PyTorch's spelling."""
        _, *settings = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(settings)

    def _made(cls, *args: Any, **settings: Any) -> Any:
        first = args[0] if args else settings.get("params")
        given = target_and_groups(f"{cls.__name__}: params", first)
        if given is None:
            return super().__call__(*args, **settings)
        settings.pop("params", None)
        made = super().__call__(*args[1:], **settings)
        made.setup(given[0])
        for parameters, own in given[1]:
            made._group(parameters, super().__call__(*args[1:], **settings | own))
        return made
