"""Saving and loading in both formats, files as other programs write them, and what a refusal must leave as it was."""

from __future__ import annotations

import time
import tracemalloc
import warnings

import numpy as np
import pytest

from autolab.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autolab.serializers.hdf5 import read_hdf5
from autolab.serializers.npz import read_npz
from autolab.shared.files import FileFormatError

h5py = pytest.importorskip("h5py")
W, B = np.ones((2, 3), np.float32), np.zeros(2, np.float32)
SECRET = b"sentinel: this must never be read"


def written(kind, path, **arrays):
    """A file as another program writes it, without AutoLab's checksums."""
    if kind == "npz":
        np.savez(path.with_suffix(".npz"), **arrays)
        path.with_suffix(".npz").rename(path)
    else:
        with h5py.File(path, "w") as stored:
            for name, array in arrays.items():
                stored[name] = array


LOAD = {"npz": load_npz, "hdf5": load_hdf5}
SAVE = {"npz": save_npz, "hdf5": save_hdf5}
READ = {"npz": read_npz, "hdf5": read_hdf5}
both = pytest.mark.parametrize("kind", LOAD)


def unchanged(kind, path, target, message):
    before = {name: np.copy(value) for name, value in target.state().items() if value is not None}
    with warnings.catch_warnings(), pytest.raises(FileFormatError, match=message) as caught:
        warnings.simplefilter("error")
        LOAD[kind](path, target)
    assert len(str(caught.value)) <= 300 and str(caught.value).isprintable()
    after = {name: value for name, value in target.state().items() if value is not None}
    assert before.keys() == after.keys() and all([np.array_equal(before[n], after[n]) for n in before])


def refused(load, path, layer):
    """Load; it must raise the one error soon and with little memory, and the layer stays as it was."""
    before = layer.W.data.copy()
    tracemalloc.start()
    start = time.process_time()
    try:
        with pytest.raises(FileFormatError) as caught:
            load(path, layer)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 20 and peak < 64 << 20
    message = str(caught.value)
    assert "othing was loaded" in message and SECRET.decode() not in message
    np.testing.assert_array_equal(layer.W.data, before)
