"""``chainer.serializers``

Links, optimizers and trainers are saved by AutoLab's serializers. Other objects have ``serialize(self, serializer)``,
which calls ``serializer(key, value)`` for each of its values and uses the result: a `DictionarySerializer` stores the
values, a `NpzDeserializer` returns the stored ones.
"""

from ....serializers import load_hdf5 as load_hdf5
from ....serializers import save_hdf5 as save_hdf5
from ...absent import gather

__getattr__ = gather(__name__)
