"""The allocator keeps freed blocks in any process that imports AutoLab, unless somebody has set it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autolab.engine.memory import keep_blocks

IS_GLIBC = hasattr(os, "confstr") and "CS_GNU_LIBC_VERSION" in os.confstr_names

PROGRAM = """
import resource
import numpy as np
import autolab
from autolab.engine.memory import keep_blocks

def some():
    return [np.ones(1_000_000) for _ in range(6)]

for _ in range(3):
    some()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    some()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before, keep_blocks(), sep="; ")
"""


def faults(**variables: str) -> tuple[int, str]:
    """How many pages a plain process asks for anew in 10 times 6 arrays of 8 MB, and what it says of its allocator."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MALLOC_", "AUTOLAB_", "__DASK_"))}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env={**clean, **variables}, capture_output=True, text=True, check=True)
    count, said = done.stdout.strip().split("; ", 1)
    return int(count), said


@pytest.mark.skipif(not IS_GLIBC, reason="only glibc's allocator is told")
def test_a_plain_process_keeps_its_blocks() -> None:
    count, said = faults()
    assert count < 2_000 and said.startswith("keeps freed blocks")


@pytest.mark.skipif(not IS_GLIBC, reason="only glibc's allocator is told")
def test_a_worker_of_dask_keeps_its_blocks_too() -> None:
    distributed = pytest.importorskip("distributed", reason="the [cluster] extra is not installed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        said, trim, has_parent = client.submit(
            lambda: (keep_blocks(), os.environ.get("MALLOC_TRIM_THRESHOLD_"), "__DASK_PARENT_PID" in os.environ)
        ).result()
    assert trim is not None
    assert said.startswith("keeps freed blocks" if has_parent else "set by MALLOC_TRIM")  # an older Dask does not tell
    assert faults(MALLOC_TRIM_THRESHOLD_=trim)[1] == "set by MALLOC_TRIM_THRESHOLD_"  # by somebody else


@pytest.mark.skipif(not IS_GLIBC, reason="only glibc's allocator is told")
@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"AUTOLAB_ALLOCATOR": "system"}, "as it is: AUTOLAB_ALLOCATOR=system"),
        ({"MALLOC_MMAP_THRESHOLD_": "131072"}, "set by MALLOC_MMAP_THRESHOLD_"),
    ],
)
def test_what_somebody_has_set_goes_before(variables: dict[str, str], words: str) -> None:
    count, said = faults(**variables)
    assert count > 10_000 and said == words


def test_elsewhere_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "confstr", lambda name: None, raising=False)
    for name in [*os.environ]:
        if name.startswith(("MALLOC_", "AUTOLAB_ALLOCATOR")):
            monkeypatch.delenv(name)
    assert keep_blocks.__wrapped__() == "as it is: not glibc's"
