"""Functions that go another way where they are looked at closely: casts, masks, ``out=``, errstate, warnings.

Each takes one Variable of two numbers, from about -3 to 300, and returns one number; as losses they have a surface, and
of ``x`` spread to two numbers they have curves. What is done with ``x.data`` has no gradient.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F

Loss = Callable[[Variable], Variable]
KINDS = [int, np.uint8, np.int8, np.int16, np.int32, np.uint16, np.uint32, np.int64, bool, np.float32]


def _cast(kind: Any) -> list[Loss]:
    return [
        lambda x: F.sum(x * x.data.astype(kind)),
        lambda x: F.sum(F.where(x.data.astype(kind) == 2, x * x, 3 * x)),
        lambda x: F.sum(x) + 2.0 * (x.data * 0.75).astype(kind).sum(),
        lambda x: F.sum(x * np.concatenate([x.data[:1], x.data[1:]], dtype=kind, casting="unsafe")),
    ]


def raising(x: Variable) -> Variable:
    with np.errstate(all="raise"):
        try:
            return F.sum(F.log(x - 1))
        except FloatingPointError:
            return F.sum(x * 3)


def raising_overflow(x: Variable) -> Variable:
    try:
        with np.errstate(over="raise"):
            return F.sum(F.exp(x * x))
    except FloatingPointError:
        return F.sum(x * 1355.7)


def warned(x: Variable) -> Variable:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return F.sum(F.sqrt(x - 1))
        except RuntimeWarning:
            return F.sum(x * x)


def warned_by_text(x: Variable) -> Variable:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="divide by zero|invalid", category=RuntimeWarning)
        try:
            return F.sum(x) + np.log(x.data - 1).sum()
        except RuntimeWarning:
            return F.sum(-x)


def recorded(x: Variable) -> Variable:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        y = F.sum(F.log(x * x - 1))
    return F.sum(x) if found else y


def called(x: Variable) -> Variable:
    heard: list[str] = []
    with np.errstate(all="call", call=lambda kind, flag: heard.append(kind)):
        y = np.sqrt(x.data - 0.5).sum()
    return F.sum(x) * (7 if heard else 1) + (0 if heard else y)


def silenced(x: Variable) -> Variable:
    with np.errstate(all="ignore"):
        return F.sum(F.log(x * x - 0.25))


def cleaned(x: Variable) -> Variable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return F.sum(x * np.nan_to_num(np.log(x.data)))


def seterr(x: Variable) -> Variable:
    before = np.seterr(invalid="raise")
    try:
        return F.sum(x * np.sqrt(x.data))
    except FloatingPointError:
        return F.sum(x - 100)
    finally:
        np.seterr(**before)


def _into(x: Variable, mask: Any) -> Any:
    y = np.zeros_like(x.data)
    np.multiply(x.data, 10.0, where=mask, out=y)
    return y


def _copied(x: Variable) -> Any:
    y = np.zeros_like(x.data)
    np.copyto(y, x.data, where=x.data > 0)
    return y


def _put(x: Variable) -> Any:
    y = np.zeros(2)
    y[:] = x.data
    return y


MASKS: list[Loss] = [
    lambda x: F.sum(x) * np.var(x.data, where=x.data > 0),
    lambda x: F.sum(x * x) * np.mean(x.data, where=x.data < 1),
    lambda x: F.sum(x) * np.std(x.data, where=x.data > 0.5, ddof=1),
    lambda x: F.sum(x * x) + np.sum(x.data, where=x.data > 0),
    lambda x: F.sum(x * x) * np.prod(x.data, where=x.data > 0, initial=2.0),
    lambda x: F.sum(x * x) + np.max(x.data, where=x.data > 0, initial=-1.0),
    lambda x: F.sum(x) * np.any(x.data > 2, where=x.data < 200),
    lambda x: F.sum(x) * np.all(x.data > 2, where=x.data < 200),
    lambda x: F.sum(x * _into(x, x.data > 0)),
    lambda x: F.sum(x * _into(x, np.array([True, False]))),
    lambda x: F.sum(x * _copied(x)),
    lambda x: F.sum(x * _put(x)),
    lambda x: F.sum(x * np.add(x.data, 1, out=np.zeros_like(x.data))),
    lambda x: F.sum(x * np.add(x.data, 1, out=np.zeros(2))),
    lambda x: F.sum(x * np.clip(x.data, 0, 1, out=x.data * 0)),
    lambda x: F.sum(x[x.data > 0]),
    lambda x: F.sum(x) * np.count_nonzero(x.data > 1),
    lambda x: F.sum(x * np.add.reduce(x.data, where=x.data > 0)),
    lambda x: F.sum(x) * np.average(x.data, weights=np.abs(x.data) + 1),
    lambda x: F.sum(x * np.divide(1.0, x.data, out=np.ones_like(x.data), where=x.data != 0)),
]
PLACES: list[Loss] = [
    lambda x: F.sum(x * np.take(np.array([3.0, 5.0, 450.0]), np.floor(x.data).astype(int), mode="clip")),
    lambda x: F.sum(x * np.take(np.array([3.0, 5.0, 630.0]), np.floor(x.data).astype(int), mode="wrap")),
    lambda x: F.sum(x * np.choose(np.clip(np.floor(x.data), 0, 1).astype(int), [2.0, 7.0])),
    lambda x: F.sum(x * np.diff(x.data, prepend=x.data[0])),
    lambda x: F.sum(x) * np.isclose(x.data, x.data[::-1], atol=1.0).sum(),
    lambda x: F.sum(x) * float(np.array_equal(x.data, np.sort(x.data))),
    lambda x: F.sum(x * np.floor_divide(x.data, np.inf)),
    lambda x: F.sum(x * (x.data // 0.7)),
    lambda x: F.sum(x * (x.data % 0.7)),
    lambda x: F.sum(x * np.signbit(x.data).astype(int)),
    lambda x: F.sum(x * np.round(x.data).astype(int)),
    lambda x: F.sum(x * np.frombuffer(x.data.tobytes(), float)),
    lambda x: F.sum(x * x.data.view(np.int64).astype(float)),
    lambda x: F.sum(x) * np.linalg.norm(x.data * 1e160),
    lambda x: F.sum(x * np.unravel_index(np.argmax(x.data), (2,))[0]),
]
NOTICED: list[Loss] = [
    raising, raising_overflow, warned, warned_by_text, recorded, called, silenced, cleaned, seterr,
]  # fmt: skip
LOSSES: list[Loss] = [*[loss for kind in KINDS for loss in _cast(kind)], *MASKS, *PLACES, *NOTICED]
