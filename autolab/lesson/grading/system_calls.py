"""System calls that the kernel refuses a notebook's process: those for other processes and their memory, for sockets,
and for the tree of files."""

from __future__ import annotations

import ctypes
import platform
import struct
from typing import Any

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""For each machine its column in the table, and its identifier in filters."""

_CALLS = """
fork 57 -, vfork 58 -, execve 59 221, execveat 322 281
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240
pidfd_send_signal 424 424, pidfd_open 434 434, pidfd_getfd 438 438
socket 41 198, io_uring_setup 425 425, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282
unshare 272 97, setns 308 268, chroot 161 51, pivot_root 155 41, mount 165 40, umount2 166 39
mknod 133 -, mknodat 259 33
open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431, fsmount 432 432, mount_setattr 442 442
add_key 248 217, request_key 249 218, keyctl 250 219
memfd_create 319 279, memfd_secret 447 447, shmget 29 194, msgget 68 186, semget 64 190, mq_open 240 180
"""
"""Their numbers on x86-64 and on ARM. The last two lines would keep data beyond the limits, or the process's end."""

_CLONE, _CLONE_BY_STRUCT = (56, 220), 435
_THREAD = 0x10000

_LOAD, _EQUAL, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # their offsets in a filter's data
_OTHER_NUMBERS = 0x40000000  # second numbers of the same calls, for programs with short pointers
_ALLOWED, _NOT_PERMITTED, _NOT_THERE = 0x7FFF0000, 0x00050001, 0x00050026
_NO_NEW_PRIVILEGES, _SET_FILTER = 38, 22


def refuse(libc: Any) -> bool:
    """Make these calls fail with EPERM from now on; returns False if this kernel or machine does not support it.

    Threads can be started; the call that hides its flags in a struct seems not to exist, so that the old one is used.
    """
    column, name = _MACHINES.get(platform.machine(), (0, 0))
    if not name:
        return False
    rows = [row.split()[1:] for row in _CALLS.strip().replace("\n", ",").split(",")]
    tests = [(_AT_LEAST, _OTHER_NUMBERS), *[(_EQUAL, int(row[column])) for row in rows if row[column] != "-"]]
    end = len(tests) + 4  # of the steps after the first three; then come: allowed, not permitted, not there
    steps = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 0, end + 2, name), (_LOAD, 0, 0, _NUMBER)]
    steps += [(code, end - i, 0, value) for i, (code, value) in enumerate(tests)]
    steps += [(_EQUAL, 5, 0, _CLONE_BY_STRUCT), (_EQUAL, 0, 2, _CLONE[column])]
    steps += [(_LOAD, 0, 0, _FIRST_ARGUMENT), (_HAS_BIT, 0, 1, _THREAD)]
    steps += [(_RETURN, 0, 0, _ALLOWED), (_RETURN, 0, 0, _NOT_PERMITTED), (_RETURN, 0, 0, _NOT_THERE)]
    code = ctypes.create_string_buffer(b"".join([struct.pack("HBBI", *step) for step in steps]))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return bool(libc.prctl(_SET_FILTER, 2, program, 0, 0) == 0)
