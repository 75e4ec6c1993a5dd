"""Saving and loading the state of links, optimizers and trainers, without pickle.

>>> import os, tempfile
>>> from autolab import links as L, serializers
>>> model, twin = L.Linear(3, 2), L.Linear(None, 2)
>>> path = os.path.join(tempfile.mkdtemp(), "my.model")
>>> serializers.save_npz(path, model)
>>> serializers.load_npz(path, twin)
>>> bool((twin.W.data == model.W.data).all())
True
"""

from ..engine.habits import answering
from ..shared.files import FileFormatError
from .hdf5 import load_hdf5, save_hdf5
from .npz import load_npz, save_npz

__all__ = ["FileFormatError", "load_hdf5", "load_npz", "save_hdf5", "save_npz"]


__getattr__ = answering(__name__, "serializers")
