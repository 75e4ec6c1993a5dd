"""``chainer.serializers``

Links, optimizers and trainers are saved by AutoLab's serializers. Other objects have ``serialize(self, serializer)``,
which calls ``serializer(key, value)`` for each of its values and uses what comes back: a `DictionarySerializer` takes
the values, a `NpzDeserializer` gives them.
"""

from ....serializers import load_hdf5, save_hdf5
from ... import missing
from . import npz
from .npz import DictionarySerializer, NpzDeserializer, load_npz, save_npz

__all__ = ["DictionarySerializer", "NpzDeserializer", "load_hdf5", "load_npz", "npz", "save_hdf5", "save_npz"]

__getattr__ = missing(__name__)
