"""``chainer.testing.attr``: marks of tests. What needs a GPU, iDeep or ChainerX is left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import skip, skipUnless

from ....engine.backend import gpu_status

__all__ = ["chainerx", "cudnn", "gpu", "ideep", "multi_gpu", "slow"]

gpu = skipUnless(gpu_status().state == "ok", "needs a GPU")
cudnn = skip("cuDNN is not asked for here")
ideep = skip("there is no iDeep")
chainerx = skip("there is no ChainerX")


def slow(test: Any) -> Any:
    """A test that takes long."""
    return test


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """A test that needs several GPUs."""
    return skip(f"needs {gpu_num} GPUs")
