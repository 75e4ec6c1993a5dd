"""``chainer.configuration``: AutoLab's modes, and Chainer's settings, which are stored but mostly have no effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...engine import configuration as _configuration
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ..table import made_by

_MODES = ("enable_backprop", "train")


def _on_event(event: ForwardEvent | BackwardEvent) -> None:
    if isinstance(event, ForwardEvent):
        refuse_nan(event.outputs, "forward", event.function.name)
    else:
        refuse_nan(event.gradients, "backward", event.node.function.name)


def refuse_nan(values: Iterable[Any], way: str, function: str) -> None:
    """Raise a RuntimeError if one of a function's results contains a NaN."""
    for value in values:
        data = getattr(value, "_data", value)
        if getattr(data, "dtype", None) in _FLOATS and (data != data).any():
            raise RuntimeError(f"NaN is detected on {way} computation of {function}")


_FLOATS = (np.float16, np.float32, np.float64)
_debugging = observe(_on_event)


def _watch_for_nan(is_on: Any) -> None:
    _debugging.__exit__(None, None, None)  # which does nothing outside the mode
    if is_on:
        _debugging.__enter__()


_own: ContextVar[dict[str, Any] | None] = ContextVar("autolab_chainer_config", default=None)


class GlobalConfig:
    """The settings of all threads that have not set their own. Any name may be set.

    ``train`` and ``enable_backprop`` are AutoLab's own; ``type_check`` says whether `check_type_forward` is called;
    ``dtype`` is that of new parameters. With ``debug``, a thread raises a RuntimeError when a NaN is computed.
    """

    def __init__(self) -> None:
        vars(self).update(made_by("chainer.config", __name__))

    def __getattr__(self, name: str) -> Any:
        if name in _MODES:
            return getattr(_configuration.global_config, name)
        raise AttributeError(f"config: {name!r:.60} was never set")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MODES:
            setattr(_configuration.global_config, name, value)
        else:
            super().__setattr__(name, value)


class LocalConfig:
    """The settings of this thread; those it has not set come from `global_config`.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> chainer.config.train
    True
    >>> chainer.config.my_own = 3
    >>> chainer.config.my_own
    3
    >>> del chainer.config.my_own
    """

    def __getattr__(self, name: str) -> Any:
        if name in _MODES:
            return getattr(_configuration.config, name)
        own = _own.get() or {}
        return own[name] if name in own else getattr(global_config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MODES:
            setattr(_configuration.config, name, value)
        else:
            _own.set({**(_own.get() or {}), name: value})
            if name == "debug":
                _watch_for_nan(value)

    def __delattr__(self, name: str) -> None:
        if name in _MODES:
            delattr(_configuration.config, name)
            return
        own = dict(_own.get() or {})
        if name not in own:
            raise AttributeError(f"config: {name!r:.60} is not set in this thread")
        del own[name]
        _own.set(own)
        if name == "debug":
            _watch_for_nan(False)


global_config = GlobalConfig()
config = LocalConfig()


def using_config(name: str, value: Any, config: LocalConfig | GlobalConfig = config) -> AbstractContextManager[None]:
    """Change a setting of this thread inside a ``with`` block; the previous value is restored even after an exception.

    Parameters
    ----------
    name : str
    value
    config : LocalConfig or GlobalConfig

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> with chainer.using_config("train", False):
    ...     chainer.config.train
    False
    """
    if config is not global_config and name in _MODES:
        return _configuration.using_config(name, value)
    return _using(name, value, config)


@contextmanager
def _using(name: str, value: Any, config: LocalConfig | GlobalConfig) -> Iterator[None]:
    if config is global_config:
        before = {name: getattr(config, name)} if hasattr(config, name) else {}
    else:
        before = _own.get() or {}
    setattr(config, name, value)
    try:
        yield
    finally:
        if name in before:
            setattr(config, name, before[name])
        else:
            delattr(config, name)
