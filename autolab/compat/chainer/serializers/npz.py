"""``chainer.serializers.npz``"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from .... import serializers as _serializers
from ....engine import get_array_module, is_array, to_cpu
from ....shared.files import write
from ..serializer import Deserializer, Serializer


class DictionarySerializer(Serializer):
    """Stores values under their paths.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> taken = chainer.serializers.DictionarySerializer()
    >>> taken.save(chainer.links.Linear(3, 2))
    >>> sorted(taken.target)
    ['W', 'b']
    """

    def __init__(self, target: dict[str, Any] | None = None, path: str = "") -> None:
        self.target, self.path = {} if target is None else target, path

    def __getitem__(self, key: str) -> DictionarySerializer:
        return DictionarySerializer(self.target, f"{self.path}{key.strip('/')}/")

    def __call__(self, key: str, value: Any) -> Any:
        self.target[self.path + key.lstrip("/")] = np.asarray(to_cpu(value) if is_array(value) else value)
        return value


class NpzDeserializer(Deserializer):
    """Returns the values stored under their paths in an npz file or a dictionary."""

    def __init__(self, npz: Any, path: str = "", strict: bool = True, ignore_names: Any = None) -> None:
        self.npz, self.strict = npz, strict
        self.path = f"{path.rstrip('/')}/" if path else ""
        names = [ignore_names] if isinstance(ignore_names, str) or callable(ignore_names) else ignore_names or []
        self.ignore_names = list(names)

    def __getitem__(self, key: str) -> NpzDeserializer:
        return NpzDeserializer(self.npz, f"{self.path}{key.strip('/')}/", self.strict, self.ignore_names)

    def _is_ignored(self, name: str) -> bool:
        return any([rule(name) if callable(rule) else rule == name for rule in self.ignore_names])

    def __call__(self, key: str, value: Any) -> Any:
        name = self.path + key.lstrip("/")
        if self._is_ignored(name) or (name not in self.npz and not self.strict):
            return value
        if name not in self.npz:
            raise KeyError(f"NpzDeserializer: there is no {name!r:.100} in the file")
        saved = self.npz[name]
        if saved.dtype.kind == "O" and saved.ndim == 0 and saved.item() is None:
            return None
        if value is None:
            return saved
        if not is_array(value):
            return type(np.asarray(value).item())(saved)
        if value.shape != saved.shape:
            raise ValueError(f"NpzDeserializer: {name!r:.100} has shape {saved.shape}; expected {value.shape}")
        value[...] = get_array_module(value).asarray(saved)
        return value


class Serialized:
    """Adapts an object that only has `serialize`, such as a user's iterator, to AutoLab's serializers."""

    def __init__(self, obj: Any) -> None:
        self._obj = obj

    def state(self) -> dict[str, Any]:
        """The values that it serializes, by name."""
        taken = DictionarySerializer()
        taken.save(self._obj)
        return taken.target

    def planned(self, state: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
        """The assignments that restore the values."""
        return [(self, "_given", {**state})]

    _given = property(fset=lambda self, state: NpzDeserializer(state).load(self._obj))


def _has_state(obj: Any) -> bool:
    return callable(getattr(type(obj), "load_state", None))


def save_npz(file: Any, obj: Any, compression: bool = True) -> None:
    """Save an object to a file with exactly this name, or to an open file.

    Examples
    --------
    >>> from autolab.compat import chainer
    >>> model = chainer.links.Linear(3, 2)
    >>> with chainer.utils.tempdir() as folder:
    ...     chainer.serializers.save_npz(f"{folder}/my.model", model)
    ...     chainer.serializers.load_npz(f"{folder}/my.model", chainer.links.Linear(3, 2))
    """
    if hasattr(file, "write"):
        with TemporaryDirectory() as folder:
            save_npz(f"{folder}/state", obj, compression)
            file.write(Path(folder, "state").read_bytes())
    elif _has_state(obj):
        _serializers.save_npz(file, obj, compression)
    else:
        taken = DictionarySerializer()
        taken.save(obj)
        buffer = io.BytesIO()
        (np.savez_compressed if compression else np.savez)(buffer, **taken.target)
        write(Path(file), buffer.getvalue())


def load_npz(file: Any, obj: Any, path: str = "", strict: bool = True, ignore_names: Any = None) -> None:
    """Load an object from a file, given by its name or open.

    Parameters
    ----------
    path : str
        The path of the object within the file.
    strict : bool
        Whether a missing value is an error.
    ignore_names : str, callable or list of them, optional
        The names of values not to load.
    """
    if not path and strict and not ignore_names and _has_state(obj):
        if hasattr(file, "read"):
            with TemporaryDirectory() as folder:
                Path(folder, "state").write_bytes(file.read())
                _serializers.load_npz(f"{folder}/state", obj)
        else:
            _serializers.load_npz(file, obj)
        return
    with np.load(file, allow_pickle=False) as npz:
        NpzDeserializer(npz, path, strict, ignore_names).load(obj)
