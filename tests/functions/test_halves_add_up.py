"""Gradients in float16 add up in float32: from 2,048 on, 1 more would be nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from autolab import Variable, grad
from autolab import functions as F
from autolab.engine.observe import observe

N = 2_500
USES: dict[str, Callable[[Any], Any]] = {
    "copies": lambda w: F.concatenate([w * 1 for _ in range(N)]),
    "one function": lambda w: F.concatenate([w] * N),
    "a chain": lambda w: reduce(lambda total, _: total + w, range(N), np.zeros(1, np.float16)),
    "slices": lambda w: F.concatenate([w[0:1] for _ in range(N)]),
    "elements": lambda w: F.stack([w[0] for _ in range(N)]),
    "broadcast": lambda w: F.broadcast_to(w, (N,)),
    "an index": lambda w: w[np.zeros(N, int)],
}


def test_the_gradients_of_many_uses_of_a_half_add_up() -> None:
    for (name, use), between, graph in product(USES.items(), (False, True), (False, True)):
        w = Variable(np.zeros(1, np.float16))
        y = F.sum(use(w + 0 if between else w))
        (g,) = grad([y], [w], create_graph=graph)
        assert (g.dtype, g.data.item()) == (np.float16, N), (name, between, graph)
        with observe(lambda event: None):
            y.backward(create_graph=graph)
        assert (w.grad.dtype, w.grad.data.item()) == (np.float16, N), (name, between, graph)
        w.cleargrad()  # a stored gradient with a graph makes a reference cycle


def test_they_have_derivatives_of_their_own() -> None:
    x = Variable(np.full(3, 2, np.float16))
    (g,) = grad([F.sum(x * x * x + x[0] * x[1] * x[2])], [x], create_graph=True)
    (h,) = grad([F.sum(g)], [x])
    assert h.dtype == np.float16
    np.testing.assert_array_equal(h.data, 6 * x.data + 12)
