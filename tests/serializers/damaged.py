"""Seeded damage to good files, and what loading them gives: `python damaged.py KIND FOLDER FIRST COUNT`."""

from __future__ import annotations

import gzip
import random
import struct
import sys
import warnings
from pathlib import Path

import numpy as np

from autolab import links as L
from autolab import optimizers
from autolab.data import read_idx
from autolab.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autolab.shared.files import FileFormatError


class Model(L.MLP):
    """A network with a buffer of whole numbers, and its optimizer: all kinds of entries in a few."""

    def __init__(self, seed):
        super().__init__((4, 3))
        self.register_buffer("seen", np.arange(seed, seed + 5))
        self(np.random.default_rng(seed).normal(size=(2, 5)).astype(np.float32))
        for parameter in self.params():
            parameter.data = np.random.default_rng(seed).normal(size=parameter.shape).astype(np.float32)


def idx(seed):
    numbers = np.random.default_rng(seed).integers(0, 256, 6 * 7 * 8, np.uint8)
    return bytes([0, 0, 8, 3]) + struct.pack(">3I", 6, 7, 8) + numbers.tobytes()


def damaged(rng, good, other):
    """A file with some bits turned over, an end cut off, or a piece of something else in it."""
    content = bytearray(good)
    way = rng.randrange(6)
    at, length = rng.randrange(len(content)), rng.choice([1, 2, 8, 64, 512])
    if way <= 1:
        for _ in range(rng.choice([1, 1, 2, 8])):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif way == 2:
        del content[at:]
    elif way == 3:  # the beginning of another good file
        end = rng.randrange(len(content) * 2 // 3)
        content[:end] = other[:end]
    elif way == 4:
        content[at : at + length] = rng.choice([bytes(length), b"\xff" * length, rng.randbytes(length)])
    else:
        content[at:at] = content[at : at + length] if rng.random() < 0.5 else rng.randbytes(length)
    return bytes(content)


class Saved:
    """A format of models: good files, and loading as a state that can be compared."""

    def __init__(self, save, load, **options):
        self.save, self.load, self.options = save, load, options

    def good(self, folder, seed):
        self.save(folder / "good", Model(seed), **self.options)
        return (folder / "good").read_bytes()

    def loaded(self, path):
        model = Model(7)
        before = state(model)
        try:
            self.load(path, model)
        except BaseException:
            assert state(model) == before, "something was loaded"
            raise
        return state(model)


class Optimized(Saved):
    """The same with an optimizer, whose entries have no names and sizes beforehand."""

    def make(self, seed, steps):
        model = Model(seed)
        optimizer = optimizers.Adam(0.1).setup(model)
        for _ in range(steps):
            for parameter in model.params():
                parameter.grad = np.ones_like(parameter.data)
            optimizer.update()
        return optimizer

    def good(self, folder, seed):
        self.save(folder / "good", self.make(seed, seed), **self.options)
        return (folder / "good").read_bytes()

    def loaded(self, path):
        optimizer = self.make(7, 0)
        before = state(optimizer)
        try:
            self.load(path, optimizer)
        except BaseException:
            assert state(optimizer) == before, "something was loaded"
            raise
        return state(optimizer)


class Idx:
    """IDX, packed with gzip: the plain format has no checksum."""

    def good(self, folder, seed):
        return gzip.compress(idx(seed), mtime=0)

    def loaded(self, path):
        array = read_idx(path)
        return {"": (array.dtype.str, array.shape, array.tobytes())}


class PlainIdx(Idx):
    """Nothing finds a pixel that has changed: what is loaded is not looked at, only how it is refused."""

    def good(self, folder, seed):
        return idx(seed)

    def loaded(self, path):
        read_idx(path)
        return {}


KINDS = {
    "npz": [Saved(save_npz, load_npz), Saved(save_npz, load_npz, compression=False), Optimized(save_npz, load_npz)],
    "hdf5": [Saved(save_hdf5, load_hdf5), Saved(save_hdf5, load_hdf5, compression=0), Optimized(save_hdf5, load_hdf5)],
    "idx": [Idx(), Idx(), PlainIdx()],
}


def state(target):
    return {name: (np.asarray(a).dtype.str, np.shape(a), np.asarray(a).tobytes()) for name, a in target.state().items()}


def main(kind, folder, first, count):
    """Print the number of files refused and loaded; for any other outcome a line with its seed."""
    warnings.simplefilter("error")
    forms = [(form, form.good(folder, 1), form.good(folder, 2)) for form in KINDS[kind]]
    wanted = []
    for form, good, _ in forms:
        (folder / "file").write_bytes(good)
        wanted.append(form.loaded(folder / "file"))
    refused = loaded = 0
    for seed in range(first, first + count):
        form, good, other = forms[seed % len(forms)]
        (folder / "file").write_bytes(damaged(random.Random(f"{kind} {seed}"), good, other))
        try:
            same = form.loaded(folder / "file") == wanted[seed % len(forms)]
        except FileFormatError as error:
            refused += 1
            if len(str(error)) > 300 or not str(error).isprintable():
                print(f"seed {seed}: the message is {str(error)!r}")
        except Exception as error:
            print(f"seed {seed}: {type(error).__name__}: {error!r:.200}")
        else:
            loaded += 1
            if not same:
                print(f"seed {seed}: other numbers were loaded")
        print(f"\r{seed}", end="", file=sys.stderr)
    print(f"{refused} refused, {loaded} loaded as they were")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
