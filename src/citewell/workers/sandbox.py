"""Restricts a worker process: its memory, network access and starting of programs.

Run by itself, it becomes a text recognition program after restricting itself. The restrictions stay
in force in the program: memory, processor time, no files, no network.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_GROWTH_TO_TRIM_BYTES = 16 * 2**20  # less is kept for the next task, which would need it again
_LARGE_BUFFER_BYTES = 2**20
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # options of mallopt
_MAX_HEAPS = 2  # one for each thread would keep many times as much
_ADDRESS_SPACE, _RESIDENT = 0, 1  # columns of the memory file
_MEMORY_FILE = Path("/proc/self/statm")

_PDEATHSIG, _NO_NEW_PRIVS, _SECCOMP = 1, 38, 22  # prctl options
_SECCOMP_MODE_FILTER = 2  # SECCOMP_MODE_FILTER
_BLOCKED_SYSCALLS_BY_MACHINE: dict[
    str, tuple[int, tuple[int, ...]]
] = {  # audit architecture, then the numbers of socket, connect, execve, execveat, ptrace
    "x86_64": (0xC000003E, (41, 42, 59, 322, 101)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117)),
}
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # instruction codes of the packet filter (BPF)
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # allow; fail with EPERM


def enter_sandbox(*, memory_bytes: int, parent_pid: int) -> None:
    """Apply to this process all restrictions that the operating system supports.

    `memory_bytes` is what tasks may take beyond what the process has taken already.
    """
    _limit_resources(_measure_memory(_ADDRESS_SPACE) + memory_bytes)
    if sys.platform == "linux":
        _exit_with_parent(parent_pid)
        _block_syscalls()
    sys.addaudithook(_refuse_audited_event)


def enter_program_sandbox(*, memory_bytes: int, cpu_seconds: int, parent_pid: int) -> None:
    """Restrict this process before it becomes another program: that program may start, and no network."""
    _limit_resources(memory_bytes)
    if sys.platform == "linux":
        import resource

        _lower_resource_limit(resource.RLIMIT_CPU, cpu_seconds)
        _exit_with_parent(parent_pid)
        _block_syscalls(may_start_program=True)


def _limit_resources(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    _lower_resource_limit(resource.RLIMIT_CORE, 0)
    _lower_resource_limit(resource.RLIMIT_FSIZE, 0)
    if sys.platform == "linux":  # other kernels ignore or refuse it
        _lower_resource_limit(resource.RLIMIT_AS, memory)


def _lower_resource_limit(kind: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (bound, bound))


def _exit_with_parent(parent: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent and os.getppid() != parent:  # the parent ended before the request took effect
        sys.exit(0)


def _block_syscalls(*, may_start_program: bool = False) -> None:
    """Install a seccomp filter that blocks opening sockets and, unless allowed, starting programs."""
    if platform.machine() not in _BLOCKED_SYSCALLS_BY_MACHINE:
        return
    architecture, calls = _BLOCKED_SYSCALLS_BY_MACHINE[platform.machine()]
    if may_start_program:
        calls = (*calls[:2], calls[4])
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 0, len(calls) + 1, architecture), (_LOAD, 0, 0, 0)]
    for place, call in enumerate(calls):
        program.append((_EQUAL, len(calls) - place, 0, call))
    program += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    packed = b"".join(struct.pack("<HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(packed)
    header = struct.pack("@HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        libc.prctl(_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.create_string_buffer(header), 0, 0)


def _refuse_audited_event(event: str, _: tuple[object, ...]) -> None:
    if event.startswith(
        ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")
    ):
        raise PermissionError("A worker may not use the network or start programs.")


# How much memory this process holds, and giving back to the system what it no longer needs.


class ProcessMemory:
    """Compares the resident memory with what it was when the process was ready."""

    def __init__(self) -> None:
        self._baseline = _measure_memory(_RESIDENT)
        self._trim = find_trim_function()

    def return_free_memory(self) -> int:
        """Free what a large task left behind; the bytes by which the process has grown since its start."""
        grown = _measure_memory(_RESIDENT) - self._baseline
        if grown > _GROWTH_TO_TRIM_BYTES:
            gc.collect()
            self._trim()
            grown = _measure_memory(_RESIDENT) - self._baseline
        return max(0, grown)


def _measure_memory(column: int) -> int:
    """What the system says in a column about this process's memory, in bytes; 0 if it says nothing."""
    with suppress(OSError, ValueError, IndexError):
        return int(_MEMORY_FILE.read_text().split()[column]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def return_large_buffers() -> None:
    """Have the C library give large blocks back as soon as they are freed, not keep them for reuse."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BUFFER_BYTES)
            libc.mallopt(_M_ARENA_MAX, _MAX_HEAPS)


def find_trim_function() -> Callable[[], object]:
    """The function of glibc that returns free heap pages to the system; nothing where there is none."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            trim = ctypes.CDLL(None).malloc_trim
            return lambda: trim(0)
    return lambda: None


def start_program() -> None:
    memory, seconds, parent, program, *arguments = sys.argv[1:]
    enter_program_sandbox(
        memory_bytes=int(memory), cpu_seconds=int(seconds), parent_pid=int(parent)
    )
    os.execv(program, [program, *arguments])  # noqa: S606 - the path was found by the server


if __name__ == "__main__":
    start_program()
