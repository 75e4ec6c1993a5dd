"""``chainer.serializer``"""

from __future__ import annotations

from typing import Any


class AbstractSerializer:
    """Base class of serializers: ``serializer(key, value)`` saves or loads a value, ``serializer[key]`` a part."""


class Serializer(AbstractSerializer):
    """Base class of serializers that save."""

    def save(self, obj: Any) -> None:
        """Save the values of an object."""
        obj.serialize(self)


class Deserializer(AbstractSerializer):
    """Base class of serializers that load."""

    def load(self, obj: Any) -> None:
        """Load the values of an object."""
        obj.serialize(self)
