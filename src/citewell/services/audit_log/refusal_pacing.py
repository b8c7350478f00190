"""Limits how many audit rows refused requests can cause, so that a flood of them cannot fill the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

WINDOW_SECONDS = 300.0
MAX_WINDOW_SOURCES = 50  # further addresses are counted together

RefusalSource = tuple[
    str | None, str
]  # the address, if it is counted by itself, and the error code


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalSummary:
    """How often one source was refused in a window, after the first time."""

    source_ip: str | None  # None for the addresses that are counted together
    error_code: str
    repeats: int


class RefusalPacer:
    """Lets the first refusal of each address and code in a window pass, and counts the others."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._opened = clock()
        self._repeats: dict[RefusalSource, int] = {}

    def is_first_refusal(self, source_ip: str | None, error_code: str) -> bool:
        """Whether to record this refusal by itself; otherwise it becomes part of a summary."""
        source = (source_ip, error_code)
        if source not in self._repeats and len(self._repeats) >= MAX_WINDOW_SOURCES:
            source = (None, error_code)
        first = source not in self._repeats
        self._repeats[source] = self._repeats.get(source, -1) + 1
        return first

    def take_summaries(self, *, is_closing: bool = False) -> tuple[RefusalSummary, ...]:
        """The summaries of a window that has ended, once; empty while it lasts, unless `is_closing`."""
        if not is_closing and self._clock() < self._opened + WINDOW_SECONDS:
            return ()
        counted, self._repeats, self._opened = self._repeats, {}, self._clock()
        return tuple(
            RefusalSummary(source_ip=source_ip, error_code=error_code, repeats=repeats)
            for (source_ip, error_code), repeats in counted.items()
            if repeats
        )
