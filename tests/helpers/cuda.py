"""NVIDIA's compilers without a GPU: kernels as CuPy writes them around a line of C, and what becomes of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Source = tuple[str, str, str, str]
"""A kernel as `elementwise_kernel` takes it: inputs, outputs, C, name."""

TARGETS = ("80", "90")
"""The compute capabilities: A100, H100."""


@dataclass(frozen=True)
class Compiled:
    """A kernel for one target.

    Attributes
    ----------
    loads, stores : int
        Instructions for global memory, each of one element.
    registers, spilled : int
        For a thread; bytes that do not fit into registers and go through memory.
    """

    source: Source
    target: str
    loads: int
    stores: int
    registers: int
    spilled: int

    @property
    def bytes_moved(self) -> int:
        """By one element of all arrays."""
        return sum([np.dtype(kind).itemsize for part in self.source[:2] for kind, _ in parameters(part)])


def parameters(text: str) -> list[list[str]]:
    """Type and name of each parameter."""
    return [part.split() for part in text.split(",")]


def code(source: Source, name: str) -> str:
    """The whole kernel, written by CuPy for contiguous arrays of fewer than 2**31 elements."""
    import cupy
    from cupy._core import _carray, _kernel

    ins, outs, operation, _ = source
    index = _kernel._ArgInfo(2, _carray.Indexer, None, 1, True, True)
    described = [(f"{kind} {label}", text is ins) for text in (ins, outs) for kind, label in parameters(text)]
    infos = [_kernel.ParameterInfo(text, const) for text, const in (*described, ("CIndexer _ind", False))]
    arrays = [_kernel._ArgInfo(1, cupy.ndarray, np.dtype(text.split()[0]), 1, True, True) for text, _ in described]
    written: str = _kernel._get_elementwise_kernel_code(
        (*arrays, index), _kernel._TypeMap(()), tuple(infos), operation, name, ""
    )
    return written


def ptx(sources: Sequence[Source], target: str) -> str:
    """All kernels in one module, called ``k0``, ``k1`` and so on; an error if the compiler says anything of them."""
    from cupy._core import core
    from cupy_backends.cuda.libs import nvrtc

    head = "".join([f"#include <{name}>\n" for name in core._cupy_header_list])
    text = head + "".join([code(source, f"k{i}") for i, source in enumerate(sources)])
    program = nvrtc.createProgram(text, "kernels.cu", (), ())
    options = (*core.assemble_cupy_compiler_options(()), f"--gpu-architecture=compute_{target}", "-default-device")
    try:
        nvrtc.compileProgram(program, options)
    except nvrtc.NVRTCError as error:
        raise AssertionError(f"{error}\n{nvrtc.getProgramLog(program):.3000}") from None
    said = nvrtc.getProgramLog(program)
    assert not said.strip("\0 \n"), said[:3000]
    return str(nvrtc.getPTX(program).decode())


def compiled(sources: Sequence[Source], target: str, folder: Path) -> list[Compiled]:
    """What the assembler makes of each kernel; a warning is an error."""
    import nvidia.cuda_nvcc as nvcc

    text = ptx(sources, target)
    file = folder / f"kernels{target}.ptx"
    file.write_text(text)
    assembler = Path(next(iter(nvcc.__path__)), "bin", "ptxas")
    command = [assembler, "-v", "--warning-as-error", f"-arch=sm_{target}", file, "-o", folder / "kernels.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    used = _used(done.stderr)
    bodies = dict(re.findall(r"\.entry (k\d+)\(.*?\)\s*\{(.*?)\n\}", text, re.DOTALL))
    assert len(bodies) == len(used) == len(sources)
    return [
        Compiled(source, target, _count("ld", bodies[f"k{i}"]), _count("st", bodies[f"k{i}"]), *used[f"k{i}"])
        for i, source in enumerate(sources)
    ]


def _used(said: str) -> dict[str, tuple[int, int]]:
    """Registers, and bytes that are spilled, of each kernel, from what the assembler says."""
    found = {}
    for part in said.split("Compiling entry function ")[1:]:
        name = re.match(r"'(\w+)'", part)
        spilled = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", part)
        registers = re.search(r"Used (\d+) registers", part)
        assert name and spilled and registers, part[:500]
        found[name[1]] = int(registers[1]), int(spilled[1]) + int(spilled[2])
    return found


def _count(kind: str, body: str) -> int:
    """Instructions for elements of arrays; the tables that CUDA's own sine reads are none."""
    tables: set[str] = set()
    found = 0
    for line in body.splitlines():
        words = re.findall(r"%\w+", line)
        if ".global" in line and "cvta" not in line:
            address = re.search(r"\[(%\w+)", line)
            found += f"{kind}.global" in line and address is not None and address[1] not in tables
        elif "__cudart" in line or tables.intersection(words[1:]):
            tables.update(words[:1])
    return found


def used_inputs(source: Source) -> int:
    """How many of the inputs the operation names: so many loads it needs."""
    words: Any = set(re.findall(r"\w+", source[2]))
    return sum([label in words for _, label in parameters(source[0])])
