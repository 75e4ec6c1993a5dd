"""Steps between the elements of large arrays are done block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.bits import bits

import autolab
from autolab import Variable
from autolab import functions as F


def formula(x: Any, y: Any) -> Any:
    z = F.exp(x * y + 2) / (y * y + 1)
    return F.sum(z * F.tanh(x)), z


@pytest.mark.parametrize("size", [300_001, 300])
def test_what_lies_between_large_arrays_stays_in_blocks(size: int) -> None:
    compiled = autolab.compile(formula)
    for _ in range(3):
        told = []
        for function in (compiled, formula):
            x, y = [Variable(np.linspace(-1, 1, size, dtype="f4")) for _ in range(2)]
            loss, z = function(x, y)
            (loss + F.sum(z)).backward()
            told.append([bits(one) for one in (loss, z, x.grad, y.grad)])
        assert told[0] == told[1]
    (table,) = compiled.report().programs
    assert not compiled.refusals and bool(table.count["block"]) == (size > 1000)


def test_what_is_left_behind_may_lie_over_what_it_was_made_of() -> None:
    compiled = autolab.compile(lambda x, y: (x * y + y, np.sqrt(x + 2)))
    inputs = [(np.full(50_000, float(i)), np.linspace(0, 1, 50_000)) for i in range(3)]
    found = [compiled(*given) for given in inputs]
    for (first, second), (x, y) in zip(found, inputs, strict=True):
        assert bits(first) == bits(x * y + y) and bits(second) == bits(np.sqrt(x + 2))
    (table,) = compiled.report().programs
    assert table.count == {"new array": 4}
