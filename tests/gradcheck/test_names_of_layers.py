"""Mistakes in the backward of layers, as students write them by hand."""

from __future__ import annotations

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients


def _windows(x, width, pad=0):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    return np.lib.stride_tricks.sliding_window_view(x, (width, width), axis=(2, 3))


def _convolved(x, w, pad=0):
    return np.einsum("nchwkl,ockl->nohw", _windows(x, w.shape[2], pad), w)


def _back_to_x(g, w):
    """The gradient of the padded input."""
    return _convolved(g, w.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1], pad=w.shape[2] - 1)


def _back_to_w(g, x, pad=0):
    return np.einsum("ncklhw,nohw->ockl", _windows(x, g.shape[2], pad), g)


IMAGES, KERNEL = (2, 2, 5, 5), (3, 2, 3, 3)
CASES = {
    "gradient of the kernel reversed": (
        lambda x, w: _convolved(x, w),
        lambda g, x, w: (_back_to_x(g, w), _back_to_w(g, x)[:, :, ::-1, ::-1]),
        (IMAGES, KERNEL),
        ("rearranged", "it is reversed along axes 2 and 3"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_named(name):
    forward, backward, shapes, (kind, said) = CASES[name]
    rng = np.random.default_rng(3)
    report = check_gradients(node(forward, backward), *[rng.normal(size=shape) for shape in shapes])
    (finding,) = [finding for finding in report.findings if not finding.innocent]
    assert finding.kind == kind and said in finding.message, str(report)


@pytest.mark.parametrize("pad", [0, 1])
def test_right_ones_of_all_shapes_are_right(pad):
    rng = np.random.default_rng(4)
    function = node(
        lambda x, w: _convolved(x, w, pad),
        lambda g, x, w: (_back_to_x(g, w)[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]], _back_to_w(g, x, pad)),
    )
    for shapes in ((IMAGES, KERNEL), ((3, 3, 3, 3), (3, 3, 3, 3))):
        assert check_gradients(function, *[rng.normal(size=shape) for shape in shapes]).verdict == "right"
