"""Datasets, transforms, iterators, and the data that come along."""

from __future__ import annotations

from functools import partial
from itertools import chain, islice

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab.compat import chainer, dezero, torch
from autolab.data import (
    DataLoader,
    Dataset,
    SerialIterator,
    Subset,
    TupleDataset,
    concat_examples,
    dataset,
    get_digits,
    get_iris,
    get_spiral,
    random_split,
)
from autolab.data import transforms as T


class Numbers(Dataset):
    def prepare(self):
        self.data = np.arange(10.0) if self.train else np.arange(3.0)
        self.label = None if not self.train else np.arange(10) % 2


@pytest.mark.source("DZ-42")
def test_a_dataset_transforms_single_examples():
    data = Numbers(transform=lambda x: x * 10, target_transform=lambda t: t + 5)
    assert len(data) == 10 and data[3] == (30.0, 6)
    assert Numbers(train=False)[2] == (2.0, None)
    with pytest.raises(TypeError, match="the index is slice"):
        data[1:3]
    with pytest.raises(TypeError, match="transform is an int; expected a function"):
        Numbers(transform=3)
    with pytest.raises(NotImplementedError, match="Dataset: write prepare"):
        Dataset()


@pytest.mark.source("DZ-43")
def test_transforms():
    image = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    np.testing.assert_allclose(T.Normalize(2.0, 4.0)(image), (image - 2.0) / 4.0)
    assert T.Normalize(1.0, 2.0)(np.array([3.0 + 4.0j], np.complex64)).tolist() == [1 + 2j]
    per_channel = T.Normalize([0, 1, 2], [1, 2, 4])(image.astype(np.float32))
    np.testing.assert_allclose(per_channel[2], (image[2] - 2.0) / 4.0)
    assert per_channel.dtype == np.float32
    assert T.Flatten()(image).shape == (12,) and T.AsType(np.float32)(image).dtype == np.float32
    np.testing.assert_allclose(T.Compose([T.Flatten(), T.ToFloat(), T.Normalize(0, 11)])(image)[-1], 1)
    with pytest.raises(ValueError, match="3 settings for an example of shape"):
        T.Normalize([0, 1, 2])(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="expected positive"):
        T.Normalize(0, 0)
    with pytest.raises(TypeError, match=r"transforms\[1\] is an int"):
        T.Compose([np.ravel, 3])


@pytest.mark.source("CI-21")
def test_an_endless_iterator_fills_every_batch_and_counts_epochs():
    data = TupleDataset(np.arange(5))
    it = SerialIterator(data, 2, shuffle=False)
    seen = [(it.next()[0].tolist(), it.epoch, it.is_new_epoch, it.epoch_detail) for _ in range(5)]
    assert seen == [
        ([0, 1], 0, False, 0.4),
        ([2, 3], 0, False, 0.8),
        ([4, 0], 1, True, 1.2),
        ([1, 2], 1, False, 1.6),
        ([3, 4], 2, True, 2.0),
    ]
    large = SerialIterator(data, 12, shuffle=False)
    assert large.next()[0].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]
    assert (large.epoch, large.position) == (2, 2)


@pytest.mark.source("CI-21")
def test_one_pass_ends_and_slices_without_a_copy():
    x = np.arange(5)
    batches = list(SerialIterator(TupleDataset(x), 2, repeat=False, shuffle=False))
    assert [b[0].tolist() for b in batches] == [[0, 1], [2, 3], [4]]
    assert all(np.shares_memory(b[0], x) for b in batches)


@each("size", [1, 3, 5, 7, 10, 13])
@each("repeat", [True, False])
def test_a_shuffled_pass_has_every_example_once(size, repeat):
    it = SerialIterator(TupleDataset(np.arange(10)), size, repeat=repeat, rng=np.random.default_rng(0))
    seen = np.concatenate([b[0] for b in it]) if not repeat else np.concatenate([it.next()[0] for _ in range(30)])
    for start in range(0, len(seen) - 9, 10):
        assert sorted(seen[start : start + 10]) == list(range(10))
    assert seen[:10].tolist() != list(range(10))
    if repeat:
        assert it.epoch == 30 * size // 10
        assert seen[:10].tolist() != seen[10:20].tolist()


def test_an_iterator_goes_on_where_another_stood():
    def make():
        return SerialIterator(TupleDataset(np.arange(10)), 3, rng=np.random.default_rng(1))

    first, second = make(), make()
    for _ in range(5):
        first.next()
    state = first.state()
    expected = [first.next()[0].tolist() for _ in range(8)]
    second.load_state(state)
    assert [second.next()[0].tolist() for _ in range(8)] == expected
    with pytest.raises(ValueError, match="nothing was loaded"):
        second.load_state({**state, "order": np.zeros(10, int)})
    for position in (-1, 10):
        with pytest.raises(ValueError, match="nothing was loaded"):
            second.load_state({**state, "position": position})
    with pytest.raises(ValueError, match="expected"):
        second.load_state({"epoch": 1})


@pytest.mark.source("DZ-44")
def test_a_loader_gives_one_pass_after_the_other():
    loader = DataLoader(Numbers(), 4, rng=np.random.default_rng(0))
    first, second = [[x.tolist() for x, t in loader] for _ in range(2)]
    assert [len(x) for x in first] == [4, 4, 2] and first != second
    assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(10))
    x, t = loader.next()
    assert x.shape == (4,) and (t == x % 2).all()
    loader.reset()
    assert len(list(loader)) == 3
    for _ in loader:
        break
    assert len(list(loader)) == 3  # a loop that was left does not shorten the next


def test_every_loop_over_a_loader_is_a_pass_of_its_own():
    loader = DataLoader(Numbers(), 4, rng=np.random.default_rng(0))
    outer = islice(loader, 5)  # which would never end
    pairs = [(a[0].tolist(), b[0].tolist()) for a in outer for b in islice(loader, 5)]
    assert len(pairs) == 9
    for k in range(3):  # whole passes, inside and outside
        assert sorted(chain(*[b for _, b in pairs[3 * k : 3 * k + 3]])) == list(range(10))
    assert sorted(chain(*[a for a, _ in pairs[::3]])) == list(range(10))

    first, second = iter(loader), iter(loader)
    turns = [next(it)[0].tolist() for _ in range(3) for it in (first, second)]
    assert sorted(chain(*turns[::2])) == sorted(chain(*turns[1::2])) == list(range(10))
    for it in (first, second):
        assert list(it) == []
    before = [loader.next()[0].tolist(), len(list(loader)), loader.next()[0].tolist(), loader.next()[0].tolist()]
    assert before.pop(1) == 3 and sorted(chain(*before)) == list(range(10))  # a loop does not disturb next
    with pytest.raises(StopIteration):
        loader.next()
    assert loader.next()[0].shape == (4,)


def test_one_pass_draws_one_order():
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)
    loader = DataLoader(Numbers(), 4, rng=rng)
    for _ in range(3):
        assert list(chain(*[x.tolist() for x, _ in loader])) == plain.permutation(10).tolist()
    assert rng.random() == plain.random()


@pytest.mark.parametrize("data", [Numbers(), TupleDataset(np.arange(10))], ids=["Dataset", "TupleDataset"])
def test_loops_over_a_dataset_may_be_nested(data):
    assert len([(a, b) for a in islice(data, 11) for b in islice(data, 11)]) == 100


class Unprepared(Dataset):
    def prepare(self):
        pass


class WithoutLength:
    def __getitem__(self, index):
        return index


def test_a_part_that_is_missing_everywhere_is_none():
    x, t = concat_examples([(1, None), (2, None)])
    assert x.tolist() == [1, 2] and t is None
    assert concat_examples([(None, 1), (2, 3)])[0].tolist() == [None, 2]


def test_what_an_iterator_loads_is_its_own():
    first, second = [SerialIterator(TupleDataset(np.arange(5)), 2) for _ in range(2)]
    state = {**first.state(), "epoch": np.array(3), "is_new_epoch": np.array(1), "position": np.array(0)}
    second.load_state(state)
    assert not np.shares_memory(first.order, second.order) and second.is_new_epoch is True
    assert (type(second.epoch), type(second.position)) == (int, int)


@each(
    ("make", "error", "message"),
    [
        (lambda: TupleDataset(), ValueError, "got no array"),
        (lambda: random_split(range(11), [-2, 13]), ValueError, r"lengths is \[-2, 13\]; expected whole numbers"),
        (lambda: random_split(range(11), [1.5, -0.5]), ValueError, "random_split: lengths is"),
        (lambda: random_split(range(11), [5.5, 5.5]), ValueError, "random_split: lengths is"),
        (lambda: random_split(range(2), [1, 1], 42), TypeError, "random_split: rng is 42; expected a generator"),
        (lambda: Subset(range(2), np.array([True, False])), TypeError, "Subset: indices is of bool"),
        (lambda: concat_examples([{"x": 1}, {"x": 2}]), TypeError, "part 0 of the examples is a dict"),
        (lambda: TupleDataset([1], [1, 2]), ValueError, r"the lengths \[1, 2\]"),
        (lambda: TupleDataset([1], 3), TypeError, "array 1 is an int without a length"),
        (lambda: TupleDataset([[1], [1, 2]]), ValueError, "the examples of array 0 have different shapes"),
        (lambda: SerialIterator([1], 0), ValueError, "batch_size is 0"),
        (lambda: SerialIterator([1], 1.5), ValueError, r"batch_size is 1\.5"),
        (lambda: SerialIterator([1], True), ValueError, "batch_size is True"),
        (lambda: SerialIterator([1], "n" * 999), ValueError, "^.{1,140}$"),
        (lambda: DataLoader([1], 0), ValueError, "DataLoader: batch_size is 0"),
        (lambda: DataLoader([1], 1, num_workers=2, sampler=3), TypeError, "DataLoader: got sampler; expected"),
        (lambda: SerialIterator((np.zeros(2), np.zeros(2)), 1), TypeError, "dataset is a tuple of arrays"),
        (lambda: SerialIterator({1, 2}, 1), TypeError, "dataset is a set; expected examples by index"),
        (lambda: SerialIterator(WithoutLength(), 1), TypeError, "expected examples by index"),
        (lambda: SerialIterator([1], 1, rng=3), TypeError, "SerialIterator: rng is"),
        (lambda: concat_examples([]), ValueError, "concat_examples: got no example"),
        (lambda: concat_examples([(1, 2), (3,)]), ValueError, r"concat_examples: the examples have \[1, 2\] parts"),
        (lambda: Unprepared(), ValueError, "Unprepared.prepare left self.data at None"),
        (lambda: Numbers()[True], TypeError, "the index is True"),
        (lambda: T.Compose(3), TypeError, "Compose: transforms is an int; expected a list"),
        (lambda: T.Normalize(0, [1, 0]), ValueError, "expected positive"),
        (lambda: T.Normalize([0, 1])(np.float64(3)), ValueError, r"2 settings for an example of shape \(\)"),
        (lambda: T.Normalize({}), TypeError, "Normalize: mean is {}; expected a number"),
        (lambda: T.Normalize(0, "x"), TypeError, "Normalize: std is 'x'; expected a number"),
        (lambda: T.AsType("x"), TypeError, "AsType: dtype is 'x'; expected a dtype"),
        (lambda: get_digits(test=1797), ValueError, "test is 1797; expected 1 to 1796"),
        (lambda: get_digits(test="n" * 999), ValueError, "^.{1,140}$"),
        (lambda: get_digits(test=True), ValueError, "test is True"),
        (lambda: get_spiral(points=2.5), ValueError, r"points is 2\.5"),
        (lambda: get_spiral(noise=-1), ValueError, "get_spiral: noise is -1"),
        (lambda: get_spiral(rng=3), TypeError, "get_spiral: rng is"),
        (lambda: SerialIterator([], 1), ValueError, "the dataset is empty"),
        (lambda: next(SerialIterator([np.zeros(2), np.zeros(3)], 2)), ValueError, "part 0 of the examples has"),
        (lambda: get_digits(test=0), ValueError, "test is 0"),
    ],
)
def test_bad_input_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_the_data_that_come_along():
    train, test = get_digits()
    assert (len(train), len(test)) == (1437, 360)
    x, t = train[:]
    assert x.dtype == np.float32 and t.dtype == np.int64 and (x.min(), x.max()) == (0, 1)
    assert sorted(set(t)) == list(range(10))
    together = np.concatenate([x, test[:][0]])
    assert len({row.tobytes() for row in together}) == 1797  # nothing stands in both
    means = [x[t == digit].mean() for digit in (0, 1)]
    assert means == [pytest.approx(0.308, abs=0.01), pytest.approx(0.305, abs=0.01)]

    flowers, labels = get_iris()[0][:]
    assert flowers.shape == (120, 4) and sorted(set(labels)) == [0, 1, 2]

    points = get_spiral(points=20, classes=4)
    assert len(points) == 80 and np.abs(points[:][0]).max() <= 1
    np.testing.assert_array_equal(points[:][0], get_spiral(points=20, classes=4)[:][0])


def test_shares_of_a_single_example_are_rounded_as_others_are():
    assert [len(part) for part in random_split(range(1), [0.8, 0.2])] == [1, 0]


class Labelled:
    """As a column of pandas: ``[i]`` looks for a label, and the places are those of ``iloc``."""

    def __init__(self, values, labels):
        self._values, self._labels = np.asarray(values), list(labels)
        self.iloc, self.shape, self.dtype = self._values, self._values.shape, self._values.dtype

    def __len__(self):
        return len(self._values)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Labelled(self._values[index], self._labels[index])
        places = [self._labels.index(i) for i in np.atleast_1d(index)]
        return self._values[places] if np.ndim(index) else self._values[places[0]]

    def to_numpy(self):
        return self._values


def column():
    return Labelled([10.0, 11.0, 12.0, 13.0], [2, 0, 3, 1])


class Prepared(Dataset):
    def prepare(self):
        self.data, self.label = column(), column()


COLUMNS = {
    "TupleDataset": lambda c: [row[0] for row in TupleDataset(c, np.arange(4))],
    "TupleDataset: two places": lambda c: [*TupleDataset(c)[[0, 1]][0], *TupleDataset(c)[2:][0]],
    "Dataset": lambda c: [x for x, _ in Prepared()],
    "Subset": lambda c: list(Subset(c, [0, 1, 2, 3])),
    "Subset: places in a column": lambda c: list(Subset(c, Labelled([0, 1, 2, 3], [3, 1, 0, 2]))),
    "random_split": lambda c: sorted(chain(*random_split(c, [0.5, 0.5]))),
    "ConcatDataset": lambda c: list(dataset.ConcatDataset([c, c]))[:4],
    "SerialIterator": lambda c: [x for (b,) in SerialIterator(c, 2, repeat=False, shuffle=False) for x in b],
    "DataLoader": lambda c: [x for (b,) in DataLoader(c, 3, shuffle=False) for x in b],
    "DataLoader: collate_fn": lambda c: [x for b in DataLoader(c, 3, shuffle=False, collate_fn=list) for x in b],
    "DataLoader of TupleDataset": lambda c: [x for b, _ in DataLoader(TupleDataset(c, c), 2, shuffle=False) for x in b],
    "chainer: TupleDataset": lambda c: [x for x, _ in chainer.datasets.TupleDataset(c, c)],
    "chainer: DictDataset": lambda c: [row["x"] for row in chainer.datasets.DictDataset(x=c)],
    "chainer: SubDataset": lambda c: list(chainer.datasets.SubDataset(c, 0, 4)),
    "chainer: ConcatenatedDataset": lambda c: list(chainer.datasets.ConcatenatedDataset(c)),
    "chainer: TransformDataset": lambda c: list(chainer.datasets.TransformDataset(c, float)),
    "chainer: SerialIterator": lambda c: [*chain(*chainer.iterators.SerialIterator(c, 2, repeat=False, shuffle=False))],
    "torch: TensorDataset": lambda c: [x for (x,) in torch.utils.data.TensorDataset(c)],
    "torch: DataLoader": lambda c: [float(x) for b in torch.utils.data.DataLoader(c, 3) for x in b],
    "torch: Subset": lambda c: list(torch.utils.data.Subset(c, [0, 1, 2, 3])),
}


def test_a_column_of_pandas_is_taken_by_place():
    for name, taken in COLUMNS.items():
        assert [float(x) for x in taken(column())] == [10.0, 11.0, 12.0, 13.0], name


def outside(i):
    return [*range(i), 99, *range(4 - i)]


class Refusing(Dataset):
    def prepare(self):
        self.data = np.arange(5)

    def __getitem__(self, index):
        return self.data[99 if index == 2 else index]


class Examples(chainer.dataset.DatasetMixin):
    def __len__(self):
        return 5

    def get_example(self, i):
        return [0, 1][i]


def test_a_place_outside_the_data_does_not_end_a_loop():
    """Python takes an IndexError of ``__getitem__`` for the end, and a loop would silently see fewer examples."""
    ten, number = TupleDataset(np.arange(10)), np.arange(10)
    made = {
        "Subset": lambda i: Subset(ten, outside(i)),
        "Subset of a Subset": lambda i: Subset(Subset(ten, range(10)), outside(i)),
        "ConcatDataset": lambda i: dataset.ConcatDataset([Subset(number, outside(i)), number]),
        "Dataset": lambda i: Refusing(),
        "chainer: DatasetMixin": lambda i: Examples(),
        "chainer: TupleDataset": lambda i: chainer.datasets.TupleDataset(number[:5], Subset(ten, outside(i))),
        "chainer: TransformDataset": lambda i: chainer.datasets.TransformDataset(number, lambda x: number[x + 5]),
        "chainer: SubDataset": lambda i: chainer.datasets.SubDataset(Subset(ten, outside(i)), 0, 5),
        "torch: Subset": lambda i: torch.utils.data.Subset(ten, outside(i)),
        "torch: ConcatDataset": lambda i: torch.utils.data.ConcatDataset([torch.utils.data.Subset(ten, outside(i))]),
    }
    ways = {
        "list": list,
        "max": max,
        "zip": lambda d: [*zip(d, range(99), strict=False)],
        "*": tuple,
    }
    for name, make in made.items():
        for i in range(5):
            for way, loop in ways.items():
                with pytest.raises(IndexError):
                    loop(make(i))
                    pytest.fail(f"{name}, {way}: the loop ended")
    with pytest.raises(IndexError):
        list(DataLoader(Subset(ten, outside(1)), 1, shuffle=False))
    assert [x for (x,) in Subset(ten, [3, 9, 5])] == [3, 9, 5] and len(list(Numbers())) == 10


class Lines(Prepared):
    """Reads its examples from a file that has too few of them."""

    def prepare(self):
        self.data, self._lines = np.arange(5), iter("abc")

    def __getitem__(self, index):
        return len(next(self._lines)), index


class FewLines(Examples):
    def __init__(self):
        self._lines = iter("abc")

    def get_example(self, i):
        return next(self._lines)


def test_an_example_that_raises_stop_iteration_does_not_end_a_loop():
    """``next`` of an iterator without a next element would silently end the loop over the batches."""
    made = {
        "SerialIterator": lambda d: SerialIterator(d(Lines), 1, repeat=False, shuffle=False),
        "SerialIterator, endless": lambda d: SerialIterator(d(Lines), 4),
        "DataLoader": lambda d: DataLoader(d(Lines)),
        "DataLoader: collate_fn": lambda d: DataLoader(d(Lines), 2, collate_fn=list),
        "Dataset": lambda d: d(Lines),
        "Subset": lambda d: DataLoader(Subset(d(Lines), [3, 2, 1, 0]), 2),
        "ConcatDataset": lambda d: DataLoader(dataset.ConcatDataset([d(Lines)]), 2),
        "dezero: DataLoader": lambda d: dezero.DataLoader(d(Lines), 2, shuffle=False),
        "chainer: SerialIterator": lambda d: chainer.iterators.SerialIterator(d(FewLines), 2, False, shuffle=False),
        "chainer: shuffled": lambda d: chainer.iterators.SerialIterator(d(FewLines), 2, repeat=False),
        "torch: DataLoader": lambda d: torch.utils.data.DataLoader(d(Lines), 2),
    }
    for name, make in made.items():
        for way, take in {"for": iter, "next": lambda loop: iter(partial(next, loop), None)}.items():
            if way == "next" and not hasattr(make(lambda kind: kind()), "__next__"):
                continue
            with pytest.raises(RuntimeError, match="StopIteration"):
                for _ in islice(take(make(lambda kind: kind())), 9):
                    pass
                pytest.fail(f"{name}, {way}: the loop ended")


def test_a_dataset_written_as_for_pytorch_prepares_nothing():
    class Rows(autolab.utils.data.Dataset):
        def __init__(self, rows):
            super().__init__()
            self.rows = rows

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, index):
            return self.rows[index], 2 * self.rows[index]

    assert [(x.tolist(), t.tolist()) for x, t in DataLoader(Rows([1.0, 2.0]), shuffle=False)] == [
        ([1], [2]),
        ([2], [4]),
    ]
    assert len(Rows([3, 4])) == 2 and list(Rows([3])) == [(3, 6)]
