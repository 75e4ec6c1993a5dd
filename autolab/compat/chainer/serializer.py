"""``chainer.serializer``"""

from __future__ import annotations

from typing import Any


class AbstractSerializer:
    """What objects are saved to and loaded from: values by name, and parts by name."""

    def __getitem__(self, key: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __getitem__(self, key)")

    def __call__(self, key: str, value: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}: write __call__(self, key, value)")


class Serializer(AbstractSerializer):
    """Takes values."""

    def save(self, obj: Any) -> None:
        """Take the values of an object."""
        obj.serialize(self)


class Deserializer(AbstractSerializer):
    """Gives values."""

    def load(self, obj: Any) -> None:
        """Give an object its values."""
        obj.serialize(self)
