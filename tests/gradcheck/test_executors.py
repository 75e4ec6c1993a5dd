"""executor=: the same numbers from threads, processes and a Dask cluster."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import autolab
from autolab import check_gradients
from autolab import functions as F
from autolab.gradcheck import gradcheck, gradgradcheck
from autolab.gradcheck.measuring.executors import spread


def layer(x, w):
    return np.tanh(x @ w)


INPUTS = np.random.default_rng(0).normal(size=(4, 3)), np.random.default_rng(1).normal(size=(3, 5))


def assert_same(first, second):
    assert (first.verdict, first.evaluations) == (second.verdict, second.evaluations)
    assert [str(finding) for finding in first.findings] == [str(finding) for finding in second.findings]
    for a, b in zip(first.inputs, second.inputs, strict=True):
        np.testing.assert_array_equal(a.numeric, b.numeric)
        np.testing.assert_array_equal(a.tolerance, b.tolerance)


def check_everything(executor):
    assert_same(check_gradients(layer, *INPUTS, executor=executor), check_gradients(layer, *INPUTS))
    assert gradcheck(layer, INPUTS, executor=executor)
    assert gradgradcheck(layer, INPUTS, executor=executor)
    with pytest.raises(AssertionError) as caught:
        gradcheck(layer, INPUTS, atol=1e-16, rtol=1e-16, eps=1e-2, executor=executor)
    with pytest.raises(AssertionError) as alone:
        gradcheck(layer, INPUTS, atol=1e-16, rtol=1e-16, eps=1e-2)
    assert caught.value.mismatches == alone.value.mismatches


def test_threads():
    with ThreadPoolExecutor(3) as executor:
        check_everything(executor)


def test_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        check_everything(executor)


def test_dask():
    """In-process workers of a Dask cluster; the same interface reaches another machine's."""
    distributed = pytest.importorskip("distributed", reason="the [cluster] extra is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        check_everything(client.get_executor())


def test_the_work_is_done_by_the_workers():
    seen = set()

    def f(x):
        seen.add(threading.current_thread().name)
        return np.sin(x)

    with ThreadPoolExecutor(2, thread_name_prefix="worker") as executor:
        assert check_gradients(f, np.linspace(0.1, 1, 40), executor=executor).passed
    assert any(name.startswith("worker") for name in seen)


def test_workers_run_in_the_caller_s_mode():
    modes = set()

    def f(x):
        modes.add(autolab.config.train)
        return F.sum(x * x)

    with ThreadPoolExecutor(2) as executor, autolab.test_mode():
        assert check_gradients(f, np.ones(8), executor=executor).passed
        assert gradcheck(f, np.ones(8), executor=executor)
    assert modes == {False}


def test_what_a_worker_raises_arrives_and_the_rest_is_dropped():
    done = []

    def part(items):
        if 0 in items:
            raise KeyError("mine")
        time.sleep(0.02)
        done.append(items)

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyError, match="mine"):
        spread(executor, part, range(100))
    assert len(done) < 8  # of 16 parts; leaving the executor waits for those that are not dropped


def test_parts_come_back_in_order():
    with ThreadPoolExecutor(3) as executor:
        assert [k for part in spread(executor, list, range(1000)) for k in part] == list(range(1000))
    assert spread(None, list, range(5)) == [[0, 1, 2, 3, 4]]


def test_what_is_no_executor_is_refused():
    with pytest.raises(TypeError, match="check_gradients: executor is an int; expected a concurrent"):
        check_gradients(layer, *INPUTS, executor=2)
