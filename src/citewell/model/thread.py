"""A conversation about one subject: its messages, in the order they were said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """Times are seconds since the epoch."""

    id: str
    title: str
    created: float
    updated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    id: str
    role: str  # user or assistant
    content: str
    created: float
    cost: int | None = None  # ticks
    job: str | None = None  # what it asked for, or answers
