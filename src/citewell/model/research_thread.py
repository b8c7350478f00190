"""A conversation of research jobs: the thread and its messages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchThread:
    """A thread; times are seconds since the epoch."""

    id: str
    title: str
    created: float
    updated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    id: str
    role: str  # user or assistant
    content: str
    created: float
    cost: int | None = None  # ticks
    job: str | None = None  # the job that it started or answers
