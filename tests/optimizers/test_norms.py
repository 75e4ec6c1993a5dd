"""Norms of gradients, for clipping and for reports: they neither overflow nor underflow, whatever the dtype."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import autolab
from autolab import Link, Parameter, optimizers
from autolab.compat import chainer, dezero, torch
from autolab.recording.arrays import snapshot
from autolab.shared.norms import norm
from autolab.training.model_state import gradient_norm, layers
from autolab.views.cards.summary import _facts

SIZES = {
    np.float16: (6e-8, 1e-5, 0.3, 600.0, 6e4),
    np.float32: (1e-44, 1e-30, 0.3, 600.0, 1e19, 3e38),
    np.float64: (5e-324, 1e-200, 1e-154, 0.3, 1e154, 1e200, 1e308),
}


def exact(arrays: list[np.ndarray], order: float) -> float:
    """The norm of the numbers as fractions of the largest."""
    numbers = [abs(Fraction(float(v))) for a in arrays for v in a.ravel()]
    largest = max(numbers)
    if order == math.inf or not largest:
        return float(largest)
    total = sum([float(n / largest) ** order for n in numbers]) ** (1 / order)
    return float(largest * Fraction(total))


def cases() -> list[list[np.ndarray]]:
    return [
        [np.array([a, -b, 0], kind), np.array([[b]], kind)]
        for kind, sizes in SIZES.items()
        for a, b in itertools.combinations_with_replacement(sizes, 2)
        if max(a, b) < 3e307 or kind is not np.float64
    ]


def model_of(gradients: list[np.ndarray], kind: type = Parameter, holder: type = Link):
    model = holder()
    for i, g in enumerate(gradients):
        setattr(model, f"p{i}", kind(np.zeros_like(g)))
        getattr(model, f"p{i}").grad = g if kind is Parameter else dezero.Variable(g)
    return model


def by_hook(model: Link, limit: float) -> None:
    optimizers.GradientClipping(limit)(optimizers.SGD().setup(model))


def by_chainers_hook(model: Link, limit: float) -> None:
    chainer.optimizer_hooks.GradientClipping(limit)(chainer.optimizers.SGD().setup(model))


def by_function(model: Link, limit: float) -> None:
    autolab.nn.utils.clip_grad_norm_(model.params(), limit)


def by_dezeros_hook(model: Link, limit: float) -> None:
    dezero.optimizers.ClipGrad(limit)(list(model.params()))


def test_every_norm_and_every_clipping_is_that_of_the_exact_numbers() -> None:
    for gradients in cases():
        for order in (1, 2, 3, math.inf):
            assert norm(gradients, order) == pytest.approx(exact(gradients, order), rel=1e-12), (gradients, order)
        right = exact(gradients, 2)
        model = model_of(gradients)
        reported = [gradient_norm(layers(model)[0]), snapshot(np.concatenate([g.ravel() for g in gradients])).norm]
        np.testing.assert_allclose(reported, right, rtol=1e-12, err_msg=str(gradients))
        assert _facts("parameter", gradients[0], gradients[0])[-1] == autolab.views.draw.number(norm(gradients[:1]))
        for clip in (by_hook, by_chainers_hook, by_function, by_dezeros_hook):
            limit = min(right, 1e4) / 3 if right > 1e-300 else right / 2
            model = model_of(gradients)
            clip(model, limit)
            least = limit / (right + 1e-6) if clip in (by_function, by_dezeros_hook) else limit / right
            for g, parameter in zip(gradients, model.params(), strict=True):
                kind = np.finfo(g.dtype)
                wanted = [float(Fraction(float(v)) * Fraction(least)) for v in g.ravel()]
                found = parameter.grad.data.astype(float).ravel()
                np.testing.assert_allclose(
                    found, wanted, rtol=4 * kind.eps, atol=float(kind.smallest_subnormal), err_msg=f"{clip} {gradients}"
                )


def test_what_is_not_finite_is_clipped_as_in_pytorch() -> None:
    for value, other in ((np.inf, 0.0), (np.nan, np.nan)):
        p = Parameter(np.zeros(2))
        p.grad = np.array([value, 1.0])
        assert not np.isfinite(autolab.nn.utils.clip_grad_norm_([p], 1.0).item())
        np.testing.assert_array_equal(p.grad.data, [np.nan, other])
        t = torch.zeros(2, requires_grad=True)
        t.grad = torch.tensor([value, 1.0])
        with pytest.raises(RuntimeError, match="clip_grad_norm_: the norm of the gradients is"):
            torch.nn.utils.clip_grad_norm_([t], 1.0, error_if_nonfinite=True)
    p = Parameter(np.zeros(2, np.float16))
    p.grad = np.array([6e4, 6e4], np.float16)
    assert autolab.nn.utils.clip_grad_norm_(p, 1.0).item() == pytest.approx(6e4 * math.sqrt(2), rel=1e-3)
