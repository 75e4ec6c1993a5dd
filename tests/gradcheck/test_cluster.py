"""A cluster of Dask with processes of its own: workers that die, are slow, or are told to stop.

`make test-cluster` runs these.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT

from autolab import check_gradients
from autolab import functions as F
from autolab import links as L
from autolab.gradcheck.measuring.executors import spread

dask = pytest.importorskip("dask", reason="the [cluster] extra is not installed")
distributed = pytest.importorskip("distributed", reason="the [cluster] extra is not installed")
pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]  # Dask's own, about what it leaves open


def opened() -> Any:
    return distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")


@pytest.fixture
def executor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    """Of a new cluster each time, as workers may still be dying."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))  # the workers start with this path
    settings = {"allowed-failures": 1, "worker-saturation": 1.0}  # what waits at a worker that dies is blamed as well
    with (
        dask.config.set({f"distributed.scheduler.{name}": value for name, value in settings.items()}),
        opened() as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=60)
        yield client.get_executor(pure=False)


class DiesOnce:
    """A function that kills the first worker that calls it, and is the given one from then on."""

    def __init__(self, flag: Path, function: Any) -> None:
        self.flag, self.function, self.home = flag, function, os.getpid()

    def __call__(self, *args: Any) -> Any:
        if os.getpid() != self.home and not self.flag.exists():
            self.flag.touch()
            os._exit(3)
        return self.function(*args)


def dies(*args: Any) -> Any:
    os._exit(3)


def slow_on_one_worker(items: Any) -> tuple[list[int], Any]:
    name = distributed.get_worker().name
    time.sleep(0.5 if name == 0 else 0.02)
    return list(items), name


def fails_or_notes(folder: Path, items: Any) -> None:
    if 0 in items:
        raise KeyError("mine")
    while not (folder / "told").exists():
        time.sleep(0.1)
    time.sleep(0.3)
    (folder / str(items[0])).touch()


def test_what_a_dead_worker_had_is_done_by_another(executor: Executor, tmp_path: Path) -> None:
    function, x = DiesOnce(tmp_path / "died", F.sin), np.linspace(0.1, 1, 40)
    found = check_gradients(function, x, executor=executor)
    assert function.flag.exists() and found.verdict == "right"
    np.testing.assert_array_equal(found.inputs[0].numeric, check_gradients(F.sin, x).inputs[0].numeric)


def test_what_kills_every_worker_is_an_error_that_names_the_last(executor: Executor) -> None:
    with pytest.raises(distributed.KilledWorker, match=r"last worker that attempt to run the task was tcp://127"):
        spread(executor, dies, range(4))


def test_a_slow_worker_changes_nothing_and_does_less(executor: Executor) -> None:
    found = spread(executor, slow_on_one_worker, range(160))
    assert [k for part, _ in found for k in part] == list(range(160))
    names = [name for _, name in found]
    assert 0 < names.count(0) < names.count(1)


def test_an_error_cancels_what_waits(executor: Executor, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="mine"):
        spread(executor, partial(fails_or_notes, tmp_path), range(160))
    time.sleep(1.5)  # in which the workers hear of it: what they do goes on, and nothing else begins
    (tmp_path / "told").touch()
    assert spread(executor, list, range(4)) == [[0], [1], [2], [3]]
    assert len([*tmp_path.iterdir()]) < 6  # of 15


def test_a_cluster_that_is_closed_says_so() -> None:
    with opened() as cluster, distributed.Client(cluster) as client:
        closing = threading.Timer(0.7, cluster.close)
        closing.start()
        with pytest.raises(CancelledError, match=r"of 16 parts were done .* cluster closed\?"):
            spread(client.get_executor(), slow_on_one_worker, range(1600))
        closing.join()


def test_training_goes_on_where_a_worker_dies(executor: Executor, tmp_path: Path, monkeypatch: Any) -> None:
    import data_parallel

    rng = np.random.default_rng(0)
    x, t = rng.random((20, 1, 8, 8), "f4"), rng.integers(0, 10, 20)
    model = L.Classifier(data_parallel.ConvNet(), accfun=None)
    _, loss, whole = data_parallel.gradient(model, x, t)
    monkeypatch.setattr(data_parallel, "gradient", DiesOnce(tmp_path / "died", data_parallel.gradient))
    found = data_parallel.update(executor, 2, model, Kept(), x, t)
    assert (tmp_path / "died").exists() and found == pytest.approx(loss, rel=1e-6)
    for parameter, g in zip(model.params(), whole, strict=True):
        np.testing.assert_allclose(parameter.grad.data, g, atol=1e-6 * float(np.abs(g).max()))


class Kept:
    """An optimizer that leaves the parameters as they are."""

    def update(self) -> None:
        pass


def wrong_at_7(case: tuple[str, int]) -> str | None:
    return "off" if case[1] == 7 else None


def dies_at_123(case: tuple[str, int]) -> str | None:
    return dies() if case[1] == 123 else None


def test_a_sweep_tells_how_far_it_is_and_which_cases_killed_workers(executor: Executor, tmp_path: Path) -> None:
    from many_checks import cases, check, sweep

    told: list[int] = []
    assert sweep(executor, cases(230), told.append, DiesOnce(tmp_path / "died", check)) == []
    assert (tmp_path / "died").exists() and sorted(told) == [30, 50, 50, 50, 50]
    assert sweep(executor, cases(60), told.append, wrong_at_7) == [(("log1p", 7), "off")]
    with pytest.raises(distributed.KilledWorker) as caught:
        sweep(executor, cases(200), told.append, dies_at_123)
    assert "the cases ('tan', 100) to ('softsign', 149);" in caught.value.__notes__[0]
