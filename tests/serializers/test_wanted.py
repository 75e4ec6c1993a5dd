"""What is loaded is what is wanted: kinds, ranges, checksums; and what a message may show of a file."""

from __future__ import annotations

import gzip
import json
import os
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

from autolab import links as L
from autolab import optimizers, training
from autolab.data import SerialIterator, TupleDataset, get_iris, read_idx
from autolab.files import FileFormatError, reading, visible
from autolab.generators import generator_state, generator_store
from autolab.serializers import load_hdf5, load_npz, save_hdf5, save_npz
from autolab.serializers.hdf5 import read_hdf5
from autolab.serializers.npz import read_npz
from autolab.training import extensions

h5py = pytest.importorskip("h5py")
W, B = np.ones((2, 3), np.float32), np.zeros(2, np.float32)


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


class Counted(L.Linear):
    def __init__(self):
        super().__init__(3, 2)
        self.register_buffer("count", np.zeros(2, np.int16))
        self.register_buffer("seen", np.zeros(2, bool))


@both
@pytest.mark.parametrize(
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
        ({"x": W}, "has no x"),
        ({"W": None}, "W is missing"),
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
        ({"x/m": W}, "has no x/m"),
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
        return unchanged("hdf5", tmp_path / "file", layer, "packed in an unknown way")
    load_hdf5(tmp_path / "file", layer)
    np.testing.assert_array_equal(layer.W.data, numbers)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f4", ">i8"])
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
    assert not np.shares_memory(first.state()["W/m"], second.state()["W/m"])


def test_what_is_marked_as_empty_holds_nothing(tmp_path):
    written("npz", tmp_path / "file", **{"autolab:empty/W": W, "b": B})
    unchanged("npz", tmp_path / "file", L.Linear(None, 2), "'W' is marked as empty and is not")


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


def test_a_dataset_of_another_file_is_found(tmp_path):
    one, two = L.Linear(3, 2), L.Linear(3, 2)
    save_hdf5(tmp_path / "one", one)
    save_hdf5(tmp_path / "two", two)
    with h5py.File(tmp_path / "one", "a") as stored, h5py.File(tmp_path / "two", "r") as source:
        del stored["W"]
        source.copy("W", stored)
    unchanged("hdf5", tmp_path / "one", L.Linear(3, 2), "its checksum is another one")
    save_hdf5(tmp_path / "lazy", L.Linear(None, 2))
    with h5py.File(tmp_path / "lazy", "a") as stored:
        del stored["W"].attrs["autolab:empty"]
    unchanged("hdf5", tmp_path / "lazy", L.Linear(None, 2), "checksum")


# ---------------------------------------------------------------------------------------------------- messages
NAMES = ["\x1b[2J\x1b[31mred", "a\nb\r\nc", "‮gnp.x", "\x00x", "W" * 60_000, "ü" * 900, "\x9b31m", "\udcff"]


@both
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_from_a_file_is_escaped_and_cut(kind, name, tmp_path):
    path = tmp_path / "file"
    if kind == "npz":
        member = zipfile.ZipInfo("x")
        member.filename = f"{name}.npy"
        member.orig_filename = member.filename
        try:
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(member, b"\x93NUMPY junk")
        except UnicodeEncodeError:
            pytest.skip("zip has no such name")
    else:
        try:
            written(kind, path, **{name: W})
        except (ValueError, UnicodeEncodeError):
            pytest.skip("HDF5 has no such name")
    for target in (L.Linear(3, 2), optimizers.SGD().setup(L.Linear(3, 2))):
        unchanged(kind, path, target, r".")
    with pytest.raises(FileFormatError) as caught:
        READ[kind](path)
        raise FileFormatError("this name may be read")  # and is printed nowhere
    assert str(caught.value).isprintable() and len(str(caught.value)) <= 300


def test_what_is_shown_of_a_text_has_a_limit():
    shown = visible("\x1b" * 100, 20)
    assert len(shown) == 20 and shown.endswith("…") and visible("n" * 20, 20) == "n" * 20


@both
def test_a_long_or_hostile_path_is_escaped_and_cut(kind, tmp_path):
    folder = tmp_path / ("f" * 200) / ("g" * 200)
    folder.mkdir(parents=True)
    path = folder / "model\x1b[2J\n"
    path.write_bytes(b"hello")
    unchanged(kind, path, L.Linear(3, 2), r"model\\x1b\[2J\\n: it is damaged")


@both
def test_an_error_of_the_system_stays_itself(kind, tmp_path):
    (tmp_path / "folder").mkdir()
    for path, error in [("missing", FileNotFoundError), ("folder", IsADirectoryError), ("a/b", FileNotFoundError)]:
        with pytest.raises(error):
            LOAD[kind](tmp_path / path, L.Linear(3, 2))
        with pytest.raises(error):
            read_idx(tmp_path / path)
    with pytest.raises(PermissionError), reading("file"):
        raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    "error",
    [
        *(OSError("no number"), OSError(22, "Invalid argument"), KeyError("x"), MemoryError(), RecursionError("deep")),
        *(struct.error("x"), EOFError(), zipfile.BadZipFile("x"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")),
        *(OverflowError("x"), AttributeError("x"), AssertionError("x"), SyntaxError("x"), UserWarning("x")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_damaged_file_raises_is_one_class(error):
    with pytest.raises(FileFormatError, match=r"file: it is damaged.*Nothing was loaded"), reading("file"):
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_is_no_damage(error):
    with pytest.raises(error), reading("file"):
        raise error


@both
@pytest.mark.parametrize("name", ["..", ".", "a\\b", "n" * 1001])
def test_a_name_that_could_not_be_loaded_is_not_saved(kind, name, tmp_path):
    link = L.Linear(3, 2)
    link.register_buffer(name, np.zeros(2))
    with pytest.raises(ValueError, match=f"save_{kind}: the name .* is not one of a parameter"):
        SAVE[kind](tmp_path / "file", link)
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------------------------------------------- snapshots
def trainer(folder, rng=None):
    optimizer = optimizers.SGD(0.1).setup(L.Classifier(L.MLP((3,))))
    iterator = SerialIterator(get_iris()[0], 60, rng=rng or np.random.default_rng(0))
    made = training.Trainer(training.StandardUpdater(iterator, optimizer), (1, "epoch"), out=folder)
    made.extend(extensions.LogReport(filename=None))
    return made


TEXTS = ["", "{", "[]", "3", '{"log": 3, "sums": 4, "heard": "x"}', '{"log": [], "sums": {"a": 1}, "heard": 1}']
TEXTS += ["[" * 100_000, '{"log": [1], "sums": {}, "heard": 1}', '{"log": [], "sums": {}, "heard": 1e999}', "\udcff"]


@both
@pytest.mark.parametrize("name", ["updater/rng", "updater/iterator/rng", "extensions/LogReport/text"])
def test_a_text_in_a_snapshot_that_is_none_is_refused(kind, name, tmp_path):
    first = trainer(tmp_path)
    first.run()
    SAVE[kind](tmp_path / "good", first)
    stored = READ[kind](tmp_path / "good")
    for text in TEXTS:
        bad = np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8)
        written(kind, tmp_path / "bad", **{**stored, name: bad})
        second = trainer(tmp_path)
        unchanged(kind, tmp_path / "bad", second, "nothing was loaded")
        assert second.updater.iteration == 0
    LOAD[kind](tmp_path / "good", second)
    assert second.updater.iteration == first.updater.iteration


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (np.random.MT19937, lambda state: state["state"].update(pos=10**9)),
        (np.random.MT19937, lambda state: state["state"].update(pos=-1)),
        (np.random.MT19937, lambda state: state["state"].update(pos=1.5)),
        (np.random.MT19937, lambda state: state["state"].update(key=[1] * 2000, pos=2000)),
        (np.random.Philox, lambda state: state.update(buffer_pos=10**9)),
        (np.random.Philox, lambda state: state.update(buffer=[1] * 9, buffer_pos=9)),
        (np.random.PCG64, lambda state: state["state"].update(state=-1)),
        (np.random.PCG64, lambda state: state["state"].update(inc=1 << 200)),
        (np.random.PCG64, lambda state: state.update(bit_generator="MT19937")),
    ],
)
def test_a_generator_is_not_sent_out_of_its_table(kind, change):
    rng = np.random.Generator(kind(1))
    state = json.loads(bytes(generator_state(rng)))
    generator_store(rng, np.frombuffer(json.dumps(state).encode(), np.uint8))
    change(state)
    with pytest.raises(ValueError, match="nothing was loaded"):
        generator_store(rng, np.frombuffer(json.dumps(state).encode(), np.uint8))


class Own:
    """Something with a state that says nothing about what it takes."""

    def __init__(self, size):
        self.numbers = np.arange(float(size))

    def state(self):
        return {"numbers": self.numbers, "name": np.frombuffer(b"own", np.uint8)}

    def load_state(self, state):
        self.numbers = dict(state)["numbers"] * 2


class Keeping(training.Extension):
    trigger = (1, "epoch")
    best = np.zeros(0)

    def __call__(self, trainer):
        self.best = np.ones((3, 4))

    def state(self):
        return {"deep/best": self.best}

    def planned(self, state):
        return [(self, "best", state["deep/best"])]


@both
def test_what_says_nothing_about_its_state_takes_what_there_is(kind, tmp_path):
    first, second = Own(5), Own(3)
    SAVE[kind](tmp_path / "file", first)
    LOAD[kind](tmp_path / "file", second)
    assert second.numbers.tolist() == [0, 2, 4, 6, 8]
    one, two = trainer(tmp_path), trainer(tmp_path)
    for made in (one, two):
        made.extend(Keeping())
    one.run()
    SAVE[kind](tmp_path / "snapshot", one)
    LOAD[kind](tmp_path / "snapshot", two)
    np.testing.assert_array_equal(two.get_extension("Keeping").best, np.ones((3, 4)))


def test_what_an_extension_of_old_saved_is_left_out(tmp_path):
    save_npz(tmp_path / "file", trainer(tmp_path))
    bare = trainer(tmp_path)
    bare._entries.clear()
    load_npz(tmp_path / "file", bare)


def test_an_iterator_takes_the_order_of_its_own_examples(tmp_path):
    save_npz(tmp_path / "file", SerialIterator(TupleDataset(np.arange(5)), 2))
    load_npz(tmp_path / "file", SerialIterator(TupleDataset(np.arange(5)), 2))
    unchanged("npz", tmp_path / "file", SerialIterator(TupleDataset(np.arange(6)), 2), r"'order' has shape \(5,\)")


NOTEBOOKS = [
    b"",
    b"{",
    b"[]",
    b"\xff",
    b'{"cells": 3}',
    b"[" * 100_000,
    b'{"nbformat": 4, "nbformat_minor": 5, "cells": [3]}',
]


@pytest.mark.parametrize("content", NOTEBOOKS, ids=range(len(NOTEBOOKS)))
def test_a_damaged_notebook_is_one_class_of_error(content, tmp_path):
    pytest.importorskip("nbclient")
    from autolab.lesson_page import save_notebook

    (tmp_path / "book.ipynb").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"book\.ipynb: it is damaged, or of another kind"):
        save_notebook(tmp_path / "book.ipynb", tmp_path / "page.html")
    assert os.listdir(tmp_path) == ["book.ipynb"]


# ---------------------------------------------------------------------------------------------------- IDX
@pytest.mark.parametrize(
    "content",
    [
        bytes([0, 0, 8, 65]) + struct.pack(">65I", *[1] * 65) + b"x",
        bytes([0, 0, 8, 255]) + b"\0" * 1020,
        gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]), mtime=0)[:-8] + bytes(8),
        gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 3, 1, 2, 3]), mtime=0) + b"more",
        b"\x1f\x8b\x08\xff" + b"n" * 100,
    ],
)
def test_a_damaged_idx_file_is_one_class_of_error(content, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FileFormatError, match="Nothing was loaded"):
        read_idx(tmp_path / "file")


def test_the_limit_of_an_idx_file_can_be_set(tmp_path):
    numbers = np.arange(6, dtype=">f4").tobytes()
    (tmp_path / "file").write_bytes(bytes([0, 0, 13, 2]) + struct.pack(">2I", 2, 3) + numbers)
    np.testing.assert_array_equal(read_idx(tmp_path / "file", max_bytes=24), np.arange(6.0).reshape(2, 3))
    with pytest.raises(FileFormatError, match="limit 23"):
        read_idx(tmp_path / "file", max_bytes=23)
    assert os.listdir(tmp_path) == ["file"]
