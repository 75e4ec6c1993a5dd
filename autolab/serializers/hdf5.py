"""HDF5, with h5py: the same state in the format that other programs read."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..files import FileFormatError, replacing
from .entries import EMPTY, MAX_BYTES, Entry, Stateful, check, check_target, flattened, refused, restored

_EMPTY_MARK = "autolab:empty"


def save_hdf5(file: str | os.PathLike[str], target: Stateful, compression: int = 4) -> None:
    """Save the state of a link, an optimizer or a trainer under exactly this name.

    Parameters
    ----------
    file : path
    target : Link, Optimizer or Trainer
    compression : int
        From 0, none, to 9.

    Raises
    ------
    ModuleNotFoundError
        If h5py is not installed.
    ValueError
        If ``compression`` is none of these numbers.
    OSError
        If the file cannot be written; the old one is as it was.

    Examples
    --------
    >>> import tempfile
    >>> from autolab import links as L, serializers
    >>> saved, loaded = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     serializers.save_hdf5(f"{folder}/my.model", saved)
    ...     serializers.load_hdf5(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    h5py = _h5py("save_hdf5")
    if compression not in range(10):
        raise ValueError(f"save_hdf5: compression is {compression!r:.60}; expected a whole number from 0 to 9")
    arrays = flattened("save_hdf5", target)
    with replacing(file) as temporary, h5py.File(temporary, "w") as stored:
        for name, array in arrays.items():
            options = {"compression": "gzip", "compression_opts": compression} if compression and array.ndim else {}
            dataset = stored.create_dataset(name.removeprefix(EMPTY), data=array, **options)
            if name.startswith(EMPTY):
                dataset.attrs[_EMPTY_MARK] = True


def load_hdf5(file: str | os.PathLike[str], target: Stateful, max_bytes: int = MAX_BYTES) -> None:
    """Load what `save_hdf5` saved: all of it or, on an error, nothing.

    Links, external storage and virtual datasets are refused: they would read other files of the machine.

    Parameters
    ----------
    file : path
    target : Link, Optimizer or Trainer
        Of the same structure; parameters without a size get theirs.
    max_bytes : int
        How much memory the arrays may take.

    Raises
    ------
    ModuleNotFoundError
        If h5py is not installed.
    FileFormatError
        If the file is damaged, too large, or holds something else than arrays of numbers.
    ValueError
        If it does not fit ``target``.

    Examples
    --------
    >>> import tempfile
    >>> from autolab import links as L, serializers
    >>> saved, loaded = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     serializers.save_hdf5(f"{folder}/my.model", saved)
    ...     serializers.load_hdf5(f"{folder}/my.model", loaded)
    >>> bool((saved.W.data == loaded.W.data).all())
    True
    """
    check_target("load_hdf5", target)
    target.load_state(restored(read_hdf5(file, max_bytes)))


def read_hdf5(file: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> dict[str, np.ndarray]:
    """The arrays in a file by name, after all of its names, kinds and sizes were checked."""
    h5py = _h5py("load_hdf5")
    if not os.path.exists(file):
        raise FileNotFoundError(f"load_hdf5: there is no file {os.fspath(file)!r:.200}")
    try:
        with h5py.File(file, "r") as stored:
            datasets = _datasets(h5py, file, stored)
            check(file, [Entry(name, dataset.shape, dataset.dtype) for name, dataset in datasets.items()], max_bytes)
            return {(EMPTY if _EMPTY_MARK in d.attrs else "") + name: d[()] for name, d in datasets.items()}
    except FileFormatError:
        raise
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        raise refused(file, f"it is no HDF5 file, or is damaged ({error!s:.100})") from None


def _datasets(h5py: Any, file: Any, stored: Any) -> dict[str, Any]:
    """All datasets by path; whatever leads out of the file, or twice to one place, is refused."""
    found: dict[str, Any] = {}
    groups, seen = [("", stored)], {_address(h5py, stored)}
    while groups:
        prefix, group = groups.pop()
        for name in group:
            path = f"{prefix}{name}"
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise refused(file, f"{path!r:.100} is a link")
            item = group[name]
            address = _address(h5py, item)
            if address in seen:
                raise refused(file, f"{path!r:.100} stands in it twice")
            seen.add(address)
            if isinstance(item, h5py.Group):
                groups.append((f"{path}/", item))
            else:
                found[path] = _plain(h5py, file, path, item)
    return found


def _plain(h5py: Any, file: Any, path: str, item: Any) -> Any:
    """``item`` if it is a dataset whose numbers stand in the file itself."""
    if not isinstance(item, h5py.Dataset) or item.shape is None:
        raise refused(file, f"{path!r:.100} is no array")
    if item.is_virtual or item.external:
        raise refused(file, f"{path!r:.100} takes its numbers from another file")
    return item


def _address(h5py: Any, item: Any) -> int:
    return int(h5py.h5o.get_info(item.id).addr)


def _h5py(function: str) -> Any:
    try:
        import h5py
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{function}: h5py is not installed; python -m pip install h5py, or use npz files instead"
        ) from None
    return h5py
