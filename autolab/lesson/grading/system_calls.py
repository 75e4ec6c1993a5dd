"""System calls that the kernel refuses a notebook: running other programs, changing the root, accessing other memory.

The audit hook sees only events that Python raises, and some of its modules start programs without one.
"""

from __future__ import annotations

import ctypes
import platform
import struct
from typing import Any

_CALLS = {
    "x86_64": (0xC000003E, (59, 101, 133, 155, 161, 165, 259, 310, 311, 322)),
    "aarch64": (0xC00000B7, (221, 117, 33, 41, 51, 40, 270, 271, 281)),
}
"""For each machine its identifier in filters, and its numbers for execve, ptrace, mknod, pivot_root, chroot, mount,
mknodat, process_vm_readv, process_vm_writev and execveat; ARM has no mknod."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _MACHINE = 0, 4  # their offsets in a filter's data
_OTHER_NUMBERS = 0x40000000  # second numbers of the same calls, for programs with short pointers
_ALLOWED, _NOT_PERMITTED = 0x7FFF0000, 0x00050001
_NO_NEW_PRIVILEGES, _SET_FILTER = 38, 22


def refuse(libc: Any) -> bool:
    """Make these calls fail with EPERM from now on; returns False if this kernel or machine does not support it."""
    name, numbers = _CALLS.get(platform.machine(), (0, ()))
    if not numbers:
        return False
    tests = [(_AT_LEAST, _OTHER_NUMBERS), *[(_EQUAL, number) for number in numbers]]
    steps = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 0, len(tests) + 2, name), (_LOAD, 0, 0, _NUMBER)]
    steps += [(code, len(tests) - i, 0, value) for i, (code, value) in enumerate(tests)]
    steps += [(_RETURN, 0, 0, _ALLOWED), (_RETURN, 0, 0, _NOT_PERMITTED)]
    code = ctypes.create_string_buffer(b"".join([struct.pack("HBBI", *step) for step in steps]))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.prctl(_SET_FILTER, 2, program, 0, 0) == 0)
