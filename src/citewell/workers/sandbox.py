"""Restricts a worker process: its memory, network access and starting of programs."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys

from citewell.workers.process_memory import measure_address_space

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
    _limit_resources(measure_address_space() + memory_bytes)
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
