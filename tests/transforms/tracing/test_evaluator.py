"""The table of functions in the page's evaluator: Python's numbers, within what rounding explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.chromium import page_with
from helpers.function_table import ROWS
from playwright.sync_api import Page

from autolab.transforms.tracing import Untraceable, replay, trace
from autolab.transforms.tracing.program import PORTABLE, to_json, why_not
from autolab.views.live.bundle import module_text

from .test_every_traced_function import call

NEEDS_PYTHON = {
    "arithmetic with int64": {"f1_score", "precision", "recall"},
    "eigh": {"eigh"},
    "int": {"lstsq"},
    "pinv": {"lstsq", "pinv"},
    "qr": {"qr"},
    "rfft": {"rfft"},
    "svd": {"det", "matrix_norm", "svd"},
    "the dtype complex128": {"fft", "ifft", "irfft"},
    "the dtype complex64": {"fft", "ifft", "irfft"},
    "random numbers": {"dropout"},
}
"""What keeps which function, or its derivatives, from being computed in a page."""

COMPARE = """([program, points, expected]) => {
  const evaluator = makeEvaluator(program);
  const gaps = [];
  points.forEach((inputs, k) => {
    const at = inputs.map((values) => values.map(Number));
    const { outputs, fits } = evaluator.run(at);
    if (!fits || !expected[k]) return;
    const disturbed = Array.from({ length: 8 }, () => evaluator.run(at, "all").outputs);
    outputs.forEach((found, o) => {
      const python = expected[k][o].map(Number);
      const spread = Math.max(0, ...disturbed.flatMap((run) => [...run[o]].map((x, i) => Math.abs(x - found[i]) || 0)));
      found.forEach((x, i) => {
        const same = x === python[i] || (Number.isNaN(x) && Number.isNaN(python[i]));
        if (!same && !(Math.abs(x - python[i]) <= 10 * spread)) gaps.push([o, i, x, python[i], spread]);
      });
    });
  });
  return gaps;
}"""


@pytest.fixture(scope="module")
def bare(browser: Any) -> Any:
    with page_with(browser, module_text("evaluator.js"), "makeEvaluator", "operations") as page:
        yield page


def numbers(array: Any) -> list[Any]:
    text = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return [text.get(str(x), x) for x in np.asarray(array, np.float64).reshape(-1).tolist()]


@pytest.mark.browser
def test_the_evaluator_knows_the_portable_operations(bare: Page) -> None:
    assert set(bare.evaluate("operations()")) == PORTABLE


@pytest.mark.browser
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1e30, 1e-30])
def test_a_product_ends_where_the_numbers_of_its_dtype_do(bare: Page, dtype: Any, size: float) -> None:
    x = np.array([size, size, 1 / size, 1 / size], dtype)
    with np.errstate(all="ignore"):
        program = trace(lambda x: [np.prod(x), np.cumprod(x)], [np.ones(4, dtype)])
        expected = [numbers(np.prod(x)), numbers(np.cumprod(x))]
    assert (abs(float(expected[0][0]) - 1) < 1e-9) is (dtype is np.float64)
    assert bare.evaluate(COMPARE, [to_json(program), [[numbers(x)]], [expected]]) == []


@pytest.mark.browser
@pytest.mark.parametrize("share", [120, pytest.param(1, marks=pytest.mark.full)])
def test_a_page_computes_what_python_does(bare: Page, share: int) -> None:
    refused: dict[str, set[str]] = {}
    for row in ROWS:
        for case in row.cases[::share]:
            for dtype in (np.float64, np.float32) if share == 1 else (np.float64,):
                points = [call(row, case, dtype, seed) for seed in range(3 if share == 1 else 2)]
                run, here = points[0]
                with np.errstate(all="ignore"):
                    try:
                        program = trace(run, here)
                        why = why_not(program)
                    except Untraceable as error:
                        why = str(error)
                    if why:
                        refused.setdefault(why, set()).add(row.name)
                        continue
                    stacked = [np.stack(arrays) for arrays in zip(*[inputs for _, inputs in points], strict=True)]
                    found, fits = replay(program, stacked or [np.zeros(len(points))])
                expected = [[numbers(a[k]) for a in found] if fits[k] else None for k in range(len(points))]
                given = [[numbers(x) for x in inputs] for _, inputs in points]
                gaps = bare.evaluate(COMPARE, [to_json(program), given, expected])
                slight = [g for g in gaps if dtype is np.float32 and abs(g[2] - g[3]) <= 1e-6]
                assert len(gaps) == len(slight), (row.name, case.label, dtype, gaps[:3])
    assert refused == NEEDS_PYTHON if share == 1 else refused.keys() <= NEEDS_PYTHON.keys()
