"""examples/data_parallel.py: processes that share the work of a batch train the network that one process trains."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
from helpers.checkout import ROOT

from autolab import links as L


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))  # the workers import it by its name
    import data_parallel

    yield data_parallel


def test_the_mean_of_the_parts_gradients_is_the_gradient_of_the_batch(example: ModuleType) -> None:
    rng = np.random.default_rng(0)
    x, t = rng.random((7, 1, 8, 8), "f4"), rng.integers(0, 10, 7)
    model = L.Classifier(example.ConvNet(), accfun=None)
    count, loss, whole = example.gradient(model, x, t)
    parts = [example.gradient(model, x[i:j], t[i:j]) for i, j in ((0, 4), (4, 6), (6, 7))]
    assert [count, *[part[0] for part in parts]] == [7, 4, 2, 1]
    found, gradients = example.average(parts)
    assert found == pytest.approx(loss, rel=1e-6)
    for g, expected in zip(gradients, whole, strict=True):
        assert (g.shape, g.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(g, expected, atol=1e-6 * float(np.abs(expected).max()))


@pytest.mark.parametrize("dask", [False, True])
def test_two_workers_train_as_one_does(example: ModuleType, dask: bool) -> None:
    if dask:
        pytest.importorskip("distributed", reason="the [cluster] extra is not installed")
    with example.pool(2, dask) as executor:
        alone, one, _ = example.train(executor, 1, 3, 25)
        together, two, _ = example.train(executor, 2, 3, 25)
    assert together == pytest.approx(alone, rel=1e-5) and alone[-1] < alone[0]
    for a, b in zip(one.params(), two.params(), strict=True):
        np.testing.assert_allclose(a.data, b.data, atol=1e-4)
