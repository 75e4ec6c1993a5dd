"""What a mask hides does not spoil anything, whatever stands there: NaN, infinities, huge numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F

_rng = np.random.default_rng(0)
Q, K, V = (_rng.normal(size=(2, 4, 3)) for _ in range(3))
SEEN = np.array([True, False, True, False])
MASKS: dict[str, Any] = {
    "booleans for each key": SEEN,
    "booleans for each pair": np.broadcast_to(SEEN, (4, 4)),
    "for each batch": np.broadcast_to(SEEN, (2, 1, 4)),
    "minus infinity": np.where(SEEN, 0.5, -np.inf),
    "a Variable": Variable(np.where(SEEN, 0.5, -np.inf)),
}


def _attended(keys: np.ndarray, values: np.ndarray, mask: Any) -> list[np.ndarray]:
    q, k, v = Variable(Q), Variable(keys), Variable(values)
    y = F.attention(q, k, v, mask=mask)
    (y * y).sum().backward()
    return [a.data for a in (y, q.grad, k.grad, v.grad)]


def test_hidden_keys_and_values_do_not_matter() -> None:
    for (name, mask), junk in product(MASKS.items(), (np.nan, np.inf, 1e300)):
        keys, values = K.copy(), V.copy()
        keys[:, ~SEEN], values[:, ~SEEN] = junk, junk
        with np.errstate(all="raise"):
            found = _attended(keys, values, mask)
        for part, right in zip(found, _attended(K, V, mask), strict=True):
            np.testing.assert_allclose(part, right, rtol=1e-12, atol=1e-14, err_msg=f"{name}, {junk}")


def test_rows_that_are_chosen_by_where_or_ignored_do_not_matter() -> None:
    labels = np.array([0, -100, 2, -100])
    logits = _rng.normal(size=(4, 3))
    spoilt = logits.copy()
    spoilt[labels < 0] = np.nan
    losses: list[Callable[[Any], Any]] = [
        lambda x: F.softmax_cross_entropy(x, labels, ignore_label=-100),
        lambda x: F.sum(x[labels >= 0] ** 2),
        lambda x: F.sum(np.where((labels >= 0)[:, None], x, 0.0) ** 2),
        lambda x: np.nansum(x),
        lambda x: np.nanmean(x),
    ]
    for i, loss in enumerate(losses):
        x = Variable(spoilt)
        y = loss(x)
        y.backward()
        assert np.isfinite(y.data), i
        assert np.isfinite(x.grad.data[labels >= 0]).all(), i
        assert not x.grad.data[labels < 0].any(), (i, x.grad)


def test_a_link_hides_keys() -> None:
    attention = autolab.links.MultiHeadAttention(4, 2)
    x = _rng.normal(size=(2, 5, 4))
    found = []
    for junk in (0.0, np.nan):
        keys = x.copy()
        keys[:, -1] = junk
        query = Variable(x)
        y = attention(query, keys, mask=np.array([True] * 4 + [False]))
        attention.cleargrads()
        y.sum().backward()
        found.append((y.data, query.grad.data))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b)
