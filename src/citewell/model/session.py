"""A research session: its steps as they were taken, and what is derived from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

RECENT = 3  # steps shown whole
FULL = 8  # steps up to which an answer lists them all
OUTCOMES = 200  # calls remembered for patterns
LINE = 120  # characters of a step in the index


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step in the caller's words. Nothing here is changed later; what a later step says of it is derived."""

    number: int
    text: str
    at: str
    next_needed: bool
    goal: str | None = None
    reasoning: str | None = None
    confidence: str | None = None
    rejected: tuple[str, ...] = ()
    summary: str | None = None
    estimate: int | None = None
    revises: int | None = None
    branch_from: int | None = None
    branch_id: str | None = None
    gap: str | None = None
    closes_gap: str | None = None

    @property
    def line(self) -> str:
        text = " ".join(self.text.split())
        return text if len(text) <= LINE else text[: LINE - 1].rstrip() + "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    text: str
    found_in: int
    closed_in: int | None = None

    def wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"gap": self.text, "foundInStep": self.found_in}
        if self.closed_in is not None:
            return wire | {"status": "closed", "closedInStep": self.closed_in}
        return wire | {"status": "open"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An address that a call in this session returned."""

    url: str
    title: str = ""
    tool: str = ""
    found_in: int | None = None  # absent when no numbered step asked for it
    author: str | None = None
    site: str | None = None
    date: str | None = None
    doi: str | None = None

    def wire(self) -> dict[str, Any]:
        named = {
            "url": self.url,
            "title": self.title,
            "tool": self.tool,
            "foundInStep": self.found_in,
            "author": self.author,
            "site": self.site,
            "date": self.date,
            "doi": self.doi,
        }
        return {name: value for name, value in named.items() if value not in (None, "")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """How one call of the session ended: an error's kind, or a provider's success or failure."""

    at: str
    kind: str | None = None  # an error's kind; None when it went well
    url: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: str
    started: str
    steps: tuple[Step, ...] = ()
    sources: tuple[Source, ...] = ()
    events: tuple[Event, ...] = field(default=(), repr=False)

    @property
    def goal(self) -> str:
        stated = next((step.goal for step in self.steps if step.goal), None)
        return stated or (self.steps[0].text if self.steps else "")

    @property
    def summary(self) -> str:
        return next((step.summary for step in reversed(self.steps) if step.summary), "")

    @property
    def estimate(self) -> int:
        stated = next((step.estimate for step in reversed(self.steps) if step.estimate), 0)
        return max(stated, self.last)

    @property
    def last(self) -> int:
        return max((step.number for step in self.steps), default=0)

    @property
    def complete(self) -> bool:
        return bool(self.steps) and not self.steps[-1].next_needed

    @property
    def completed(self) -> str | None:
        return self.steps[-1].at if self.complete else None

    def step(self, number: int) -> Step | None:
        """The step of that number as it stands: the last one recorded under it."""
        return next((step for step in reversed(self.steps) if step.number == number), None)

    def superseded_by(self, number: int) -> int | None:
        revisions = [step.number for step in self.steps if step.revises == number]
        return revisions[-1] if revisions else None

    def gaps(self) -> tuple[Gap, ...]:
        """Every gap named, open or closed: by a later step that says so, or by a revision without it."""
        return tuple(
            Gap(text=step.gap, found_in=step.number, closed_in=self._closed_in(step))
            for step in self.steps
            if step.gap
        )

    def open_gaps(self) -> tuple[Gap, ...]:
        return tuple(gap for gap in self.gaps() if gap.closed_in is None)

    def _closed_in(self, opened: Step) -> int | None:
        for later in self.steps:
            if later.number <= opened.number:
                continue
            if later.closes_gap and _same(later.closes_gap, opened.gap or ""):
                return later.number
            if later.revises == opened.number and later.gap != opened.gap:
                return later.number
        return None


def _same(one: str, other: str) -> bool:
    """The same gap, whatever its case and spacing; a part of its words is enough."""
    short, long = sorted(
        (" ".join(one.casefold().split()), " ".join(other.casefold().split())), key=len
    )
    return bool(short) and short in long
