"""Takes away from a worker what no document needs: memory without end, the network, programs."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys

_PDEATHSIG, _NO_NEW_PRIVS, _SECCOMP = 1, 38, 22  # of prctl
_FILTER = 2  # SECCOMP_MODE_FILTER
_MACHINES = {  # audit architecture, then socket, connect, execve, execveat, ptrace
    "x86_64": (0xC000003E, (41, 42, 59, 322, 101)),
    "aarch64": (0xC00000B7, (198, 203, 221, 281, 117)),
}
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # of the packet filter's language
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1  # allow; fail with EPERM


def close(*, memory: int, parent: int) -> None:
    """Fence this process in; what the system cannot do is left out."""
    _limit(memory)
    if sys.platform == "linux":
        _die_with_parent(parent)
        _filter_calls()
    sys.addaudithook(_audit)


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    if sys.platform == "linux":  # elsewhere the kernel ignores or refuses it
        _lower(resource.RLIMIT_AS, memory)


def _lower(kind: int, most: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (bound, bound))


def _die_with_parent(parent: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent and os.getppid() != parent:  # it died before we asked to be told
        sys.exit(0)


def _filter_calls() -> None:
    """A seccomp filter under which sockets and programs cannot be opened."""
    if platform.machine() not in _MACHINES:
        return
    architecture, calls = _MACHINES[platform.machine()]
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 0, len(calls) + 1, architecture), (_LOAD, 0, 0, 0)]
    for place, call in enumerate(calls):
        program.append((_EQUAL, len(calls) - place, 0, call))
    program += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    packed = b"".join(struct.pack("<HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(packed)
    header = struct.pack("@HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        libc.prctl(_SECCOMP, _FILTER, ctypes.create_string_buffer(header), 0, 0)


def _audit(event: str, _: tuple[object, ...]) -> None:
    if event.startswith(
        ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system")
    ):
        raise PermissionError("A document's reader may not do this.")
