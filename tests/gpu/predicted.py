"""The least time of some kernels on a GPU, from what NVIDIA's compilers make of them: bytes over bandwidth.

make predict-gpu > benchmarks/results/kernels_predicted.md
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import test_cuda_compiles
from helpers import cuda

BANDWIDTH = {"80": ("A100 80 GB", 2.0e12), "90": ("H100 SXM", 3.35e12)}
"""Bytes in a second, from NVIDIA's data sheets."""

ELEMENTS = 10_000_000
SHOWN = ("muladd_fwd", "muladd_bwd", "muladd_twice", "autolab_tanh_backward", "autolab_gelu", "autolab_gelu_backward")
SHOWN += ("autolab_mul_backward", "autolab_softplus", "autolab_softplus_backward")


def main() -> None:
    """Print the table."""
    sources = [*test_cuda_compiles.written(), *test_cuda_compiles.declared()]
    sources = [one for one in sources if one[3] in SHOWN and "float16" not in one[0] and "float64" not in one[0]]
    print("# Kernels on a GPU: predicted, not measured\n")
    print(f"float32, {ELEMENTS:,} elements. The compilers (nvcc 12.9, no GPU) show how many bytes an element moves;")
    print(
        "over the bandwidth of the card that is the least time that the kernel can take. Made by `make predict-gpu`.\n"
    )
    print(
        "| kernel | loads | stores | bytes per element | registers | "
        + " | ".join([f"{name}, predicted" for name, _ in BANDWIDTH.values()])
        + " |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        a100, h100 = [cuda.compiled(sources, target, Path(folder)) for target in BANDWIDTH]
    for one, other in sorted(zip(a100, h100, strict=True), key=lambda pair: pair[0].source[3]):
        times = [ELEMENTS * one.bytes_moved / speed * 1e6 for _, speed in BANDWIDTH.values()]
        name = one.source[3].removeprefix("autolab_")
        cells = [name, one.loads, one.stores, one.bytes_moved, f"{one.registers}, {other.registers}"]
        print("| " + " | ".join(map(str, cells + [f"{time:.0f} \u03bcs" for time in times])) + " |")


if __name__ == "__main__":
    main()
