"""How much memory this process holds, and giving back to the system what it no longer needs."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_GROWTH_TO_TRIM_BYTES = 16 * 2**20  # less is kept for the next task, which would need it again
_LARGE_BUFFER_BYTES = 2**20
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # options of mallopt
_MAX_HEAPS = 2  # one for each thread would keep many times as much
_MEMORY_FILE = Path("/proc/self/statm")


class ProcessMemory:
    """Compares the resident memory with what it was when the process was ready."""

    def __init__(self) -> None:
        self._baseline = measure_resident_bytes()
        self._trim = _find_trim_function()

    def return_free_memory(self) -> int:
        """Free what a large task left behind; the bytes by which the process has grown since its start."""
        grown = measure_resident_bytes() - self._baseline
        if grown > _GROWTH_TO_TRIM_BYTES:
            gc.collect()
            self._trim()
            grown = measure_resident_bytes() - self._baseline
        return max(0, grown)


def measure_resident_bytes() -> int:
    """The resident memory of this process; 0 where the system has no cheap way to tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(_MEMORY_FILE.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def measure_address_space() -> int:
    """The bytes of address space that this process has taken; 0 where that is unknown."""
    with suppress(OSError, ValueError, IndexError):
        return int(_MEMORY_FILE.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def return_large_buffers() -> None:
    """Have the C library give large blocks back as soon as they are freed, not keep them for reuse."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BUFFER_BYTES)
            libc.mallopt(_M_ARENA_MAX, _MAX_HEAPS)


def trim_heap() -> None:
    """Give free pages of the heap back to the system; other threads run meanwhile."""
    _find_trim_function()()


def _find_trim_function() -> Callable[[], object]:
    """The function of glibc that returns free heap pages to the system; nothing where there is none."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            trim = ctypes.CDLL(None).malloc_trim
            return lambda: trim(0)
    return lambda: None
