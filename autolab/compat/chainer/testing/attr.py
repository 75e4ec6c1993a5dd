"""``chainer.testing.attr``: marks of tests. Those that need a GPU, iDeep or ChainerX are skipped."""

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
    """Mark a test as slow."""
    return test


def multi_gpu(gpu_num: int) -> Callable[[Any], Any]:
    """Mark a test that needs several GPUs."""
    return skip(f"needs {gpu_num} GPUs")
