"""``chainer.serializer``"""

from __future__ import annotations

from typing import Any


class AbstractSerializer:
    """What objects are saved to and loaded from: ``serializer(key, value)``, and ``serializer[key]`` for a part."""


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
