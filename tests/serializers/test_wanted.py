"""What is loaded is what is wanted: kinds, ranges, checksums."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from helpers.each import each
from helpers.saved import LOAD, READ, SAVE, B, W, both, h5py, unchanged, written

from autolab import links as L
from autolab import optimizers
from autolab.serializers import load_hdf5, save_hdf5
from autolab.shared.files import FileFormatError


class Counted(L.Linear):
    def __init__(self):
        super().__init__(3, 2)
        self.register_buffer("count", np.zeros(2, np.int16))
        self.register_buffer("seen", np.zeros(2, bool))


@both
@each(
    ("change", "message"),
    [
        ({"W": W > 0}, "'W' is of bool; expected float32"),
        ({"W": W.astype(np.float64) * 1e300}, "'W' has numbers that are too large for float32"),
        ({"b": np.array([1 << 40, 0])}, None),  # rounded, as float32 always does
        ({"count": np.array([1 << 20, 0])}, "'count' has numbers that are too large for int16"),
        ({"count": np.array([1.5, 0.0])}, "'count' is of float64; expected int16"),
        ({"count": np.array([True, False])}, "'count' is of bool; expected int16"),
        ({"seen": np.array([1, 0])}, "'seen' is of int64; expected bool"),
        ({"W": W.T}, r"'W' has shape \(3, 2\); expected \(2, 3\)"),
        ({"W": W[0]}, r"'W' has shape \(3,\); expected \(2, 3\)"),
        ({"x": W}, "lacks x"),
        ({"W": None}, "lacks W"),
    ],
)
def test_only_what_fits_is_loaded(kind, change, message, tmp_path):
    good = {"W": W, "b": B, "count": np.array([3, 4], np.int16), "seen": np.array([True, False])}
    arrays = {name: array for name, array in {**good, **change}.items() if array is not None}
    written(kind, tmp_path / "file", **arrays)
    if message is None:
        LOAD[kind](tmp_path / "file", Counted())
    else:
        unchanged(kind, tmp_path / "file", Counted(), message)


@both
def test_what_fits_no_number_is_no_state_of_an_optimizer(kind, tmp_path):
    model = L.Linear(3, 2)
    optimizer = optimizers.Adam().setup(model)
    good = {"t": np.int64(3), "W/m": W, "W/v": W, "W/t": np.int64(3)}
    for change, message in [
        ({"W/m": W > 0}, "'W/m' is of bool"),
        ({"W/m": W[0]}, "'W/m' has shape"),
        ({"t": np.float64(3.5)}, "'t' is of float64; expected int64"),
        ({"t": B}, "'t' has shape"),
        ({"hyperparameters/lr": B}, "'hyperparameters/lr' has shape"),
        ({"x/m": W}, "lacks x/m"),
        ({"W/m/n": W[0]}, "'W/m/n' has shape"),
    ]:
        if kind == "hdf5" and "W/m/n" in change:
            continue  # there W/m cannot be both an array and a group
        written(kind, tmp_path / "file", **{**good, **change})
        unchanged(kind, tmp_path / "file", optimizer, message)


@both
def test_files_of_before_and_of_other_programs_load(kind, tmp_path):
    written(kind, tmp_path / "file", W=W, b=B)
    layer = L.Linear(3, 2)
    LOAD[kind](tmp_path / "file", layer)
    np.testing.assert_array_equal(layer.W.data, W)
    assert set(READ[kind](tmp_path / "file")) == {"W", "b"}


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "fletcher32": True}, {"compression": "lzf"}])
def test_hdf5_in_pieces_and_packed_in_the_usual_ways_loads(options, tmp_path):
    numbers = np.arange(600, dtype=">f8").reshape(20, 30)
    packed = {"compression": "gzip", **options}
    with h5py.File(tmp_path / "file", "w") as stored:
        stored.create_dataset("W", data=numbers, chunks=(7, 9), **packed)
        stored.create_dataset("b", data=np.zeros(20, np.float16), maxshape=(None,))
    layer = L.Linear(30, 20)
    if packed["compression"] == "lzf":
        return unchanged("hdf5", tmp_path / "file", layer, "packed by an unknown filter")
    load_hdf5(tmp_path / "file", layer)
    np.testing.assert_array_equal(layer.W.data, numbers)


@each("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f4", ">i8"])
@both
def test_every_kind_of_number_comes_back(kind, dtype, tmp_path):
    link = L.Linear(3, 2)
    link.register_buffer("a", np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype))
    link.register_buffer("scalar", np.array(1, dtype))
    link.register_buffer("nothing", np.zeros((0, 3), dtype))
    link.register_buffer("columns", np.asfortranarray(np.arange(6).reshape(2, 3).astype(dtype)))
    SAVE[kind](tmp_path / "file", link)
    stored = READ[kind](tmp_path / "file")
    for name, array in link.namedbuffers():
        assert stored[name[1:]].dtype == array.dtype
        np.testing.assert_array_equal(stored[name[1:]], array, strict=True)


@both
def test_loading_takes_the_memory_of_what_is_loaded(kind, tmp_path):
    for target in (L.Linear(1000, 2000), optimizers.Adam().setup(L.Linear(1000, 1000))):
        if isinstance(target, optimizers.Adam):
            for parameter in target.target.params():
                parameter.grad = np.ones_like(parameter.data)
            target.update()
        SAVE[kind](tmp_path / "file", target)
        LOAD[kind](tmp_path / "file", target)  # what comes once is no part of what is measured
        tracemalloc.start()
        LOAD[kind](tmp_path / "file", target)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert 8_000_000 <= peak < 10_500_000


def test_a_state_of_another_link_is_copied():
    one, two = L.Linear(3, 2), L.Linear(3, 2)
    two.load_state(one.state())
    assert not np.shares_memory(one.W.data, two.W.data)
    lazy = L.Linear(None, 2)
    lazy.load_state(one.state())
    assert not np.shares_memory(one.W.data, lazy.W.data)
    first, second = [optimizers.Adam().setup(link) for link in (one, two)]
    one.W.grad = np.ones_like(one.W.data)
    first.update()
    second.load_state(first.state())
    assert not np.shares_memory(first.state()["W/exp_avg"], second.state()["W/exp_avg"])


def test_what_is_marked_as_empty_holds_nothing(tmp_path):
    written("npz", tmp_path / "file", **{"autolab:empty/W": W, "b": B})
    unchanged("npz", tmp_path / "file", L.Linear(None, 2), "'W' is marked as empty but is not")


def flipped(path, find, change=1):
    content = bytearray(path.read_bytes())
    content[content.index(find) + len(find) // 2] ^= change
    path.write_bytes(content)


@pytest.mark.parametrize("compression", [0, 4])
def test_a_flipped_bit_in_hdf5_is_found(compression, tmp_path):
    layer = L.Linear(3, 2)
    layer.W.data = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    save_hdf5(tmp_path / "file", layer, compression=compression)
    if not compression:
        flipped(tmp_path / "file", layer.W.data.tobytes())
        unchanged("hdf5", tmp_path / "file", L.Linear(3, 2), "checksum")
    for mark in (b"autolab:crc32",):
        save_hdf5(tmp_path / "file", layer, compression=compression)
        flipped(tmp_path / "file", mark)
        unchanged("hdf5", tmp_path / "file", L.Linear(3, 2), "checksum")


@pytest.mark.parametrize("value", [np.zeros(3, "<u4"), "text", 3.0], ids=["several", "text", "a float"])
def test_a_checksum_that_is_none_is_never_read(value, tmp_path):
    """It may be of any size, or lead anywhere."""
    save_hdf5(tmp_path / "file", L.Linear(3, 2))
    with h5py.File(tmp_path / "file", "a") as stored:
        stored["W"].attrs["autolab:crc32"] = value
    unchanged("hdf5", tmp_path / "file", L.Linear(3, 2), "its checksum does not match")


@both
def test_a_flipped_bit_in_a_large_array_is_found(kind, tmp_path):
    """It is read in pieces, and its checksum is compared long after its header was read."""
    layer = L.Linear(60, 50)
    SAVE[kind](tmp_path / "file", layer, compression=0)
    flipped(tmp_path / "file", layer.W.data.tobytes())
    unchanged(kind, tmp_path / "file", L.Linear(60, 50), "is damaged.*(CRC|checksum)")
    with pytest.raises(FileFormatError, match="is damaged"):
        READ[kind](tmp_path / "file")


def test_a_dataset_of_another_file_is_found(tmp_path):
    one, two = L.Linear(3, 2), L.Linear(3, 2)
    save_hdf5(tmp_path / "one", one)
    save_hdf5(tmp_path / "two", two)
    with h5py.File(tmp_path / "one", "a") as stored, h5py.File(tmp_path / "two", "r") as source:
        del stored["W"]
        source.copy("W", stored)
    unchanged("hdf5", tmp_path / "one", L.Linear(3, 2), "its checksum does not match")
    save_hdf5(tmp_path / "lazy", L.Linear(None, 2))
    with h5py.File(tmp_path / "lazy", "a") as stored:
        del stored["W"].attrs["autolab:empty"]
    unchanged("hdf5", tmp_path / "lazy", L.Linear(None, 2), "checksum")
