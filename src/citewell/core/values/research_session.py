"""A research session: its recorded steps, and what is derived from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

SourceStage = Literal["listed", "read", "quoted", "cited"]  # how far a source was used
SourceBasis = Literal["engine", "page", "record"]  # who stated its facts, the weakest first
SOURCE_STAGES: tuple[SourceStage, ...] = ("listed", "read", "quoted", "cited")
SOURCE_BASES: tuple[SourceBasis, ...] = ("engine", "page", "record")
RECENT_STEP_COUNT = 3  # steps shown in full
MAX_LISTED_STEPS = 8  # sessions up to this many steps are listed completely
MAX_CALL_OUTCOMES = 200  # call outcomes kept for detecting patterns
MAX_STEP_LINE_CHARS = 120  # characters of a step in the index


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStep:
    """One step as the caller recorded it, never changed; revisions and closed gaps are derived from later steps."""

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
    def index_line(self) -> str:
        text = " ".join(self.text.split())
        return (
            text
            if len(text) <= MAX_STEP_LINE_CHARS
            else text[: MAX_STEP_LINE_CHARS - 1].rstrip() + "…"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeGap:
    text: str
    found_in: int
    closed_in: int | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"gap": self.text, "foundInStep": self.found_in}
        if self.closed_in is not None:
            return wire | {"status": "closed", "closedInStep": self.closed_in}
        return wire | {"status": "open"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSource:
    """An address that a tool call of this session returned, and what is known about it."""

    url: str
    title: str = ""
    tool: str = ""
    found_in: int | None = None  # None if the call belonged to no step
    author: str | None = None  # names of accounts and organisations may be in braces
    site: str | None = None
    date: str | None = None
    doi: str | None = None  # its own, never one that it only mentions
    stage: SourceStage = "listed"
    basis: SourceBasis = "engine"
    organisation: bool = False  # the author is not a person

    @property
    def was_read(self) -> bool:
        return self.stage != "listed"

    def to_wire(self) -> dict[str, Any]:
        named = {
            "url": self.url,
            "stage": self.stage,
            "title": self.title,
            "tool": self.tool,
            "foundInStep": self.found_in,
            "author": (self.author or "").replace("{", "").replace("}", ""),
            "site": self.site,
            "date": self.date,
            "doi": self.doi,
        }
        return {name: value for name, value in named.items() if value not in (None, "")}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """How one tool call, or one provider during it, ended."""

    at: str
    kind: str | None = None  # the error's kind; None for success
    url: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchSession:
    id: str
    started: str
    steps: tuple[SessionStep, ...] = ()
    sources: tuple[SessionSource, ...] = ()
    dropped_sources: int = 0  # that were over the limit
    events: tuple[CallOutcome, ...] = field(default=(), repr=False)

    @property
    def goal(self) -> str:
        stated = next((step.goal for step in self.steps if step.goal), None)
        return stated or (self.steps[0].text if self.steps else "")

    @property
    def summary(self) -> str:
        return next((step.summary for step in reversed(self.steps) if step.summary), "")

    @property
    def estimated_steps(self) -> int:
        stated = next((step.estimate for step in reversed(self.steps) if step.estimate), 0)
        return max(stated, self.last_step_number)

    @property
    def last_step_number(self) -> int:
        return max((step.number for step in self.steps), default=0)

    @property
    def is_complete(self) -> bool:
        return bool(self.steps) and not self.steps[-1].next_needed

    @property
    def completed_at(self) -> str | None:
        return self.steps[-1].at if self.is_complete else None

    def find_step(self, number: int) -> SessionStep | None:
        """The latest step recorded with this number."""
        return next((step for step in reversed(self.steps) if step.number == number), None)

    def find_superseding_step(self, number: int) -> int | None:
        revisions = [step.number for step in self.steps if step.revises == number]
        return revisions[-1] if revisions else None

    def describe_step_numbers(self) -> str:
        """The numbers of the steps: "steps 1 to 3, 7"; numbers may be left out."""
        numbers = sorted({step.number for step in self.steps})
        if not numbers:
            return "no steps yet"
        runs: list[list[int]] = []
        for number in numbers:
            if runs and runs[-1][-1] == number - 1:
                runs[-1].append(number)
            else:
                runs.append([number])
        named = (f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
        return f"{'steps' if len(numbers) > 1 else 'step'} {', '.join(named)}"

    def list_gaps(self) -> tuple[KnowledgeGap, ...]:
        """Every gap, open or closed, once. Only a later step that names it closes it."""
        found: list[KnowledgeGap] = []
        for place, step in enumerate(self.steps):
            if step.gap and not self._is_gap_open(step.gap, found, place):
                found.append(
                    KnowledgeGap(
                        text=step.gap,
                        found_in=step.number,
                        closed_in=self._find_closing_step(step.gap, self.steps[place + 1 :]),
                    )
                )
        return tuple(found)

    def list_open_gaps(self) -> tuple[KnowledgeGap, ...]:
        return tuple(gap for gap in self.list_gaps() if gap.closed_in is None)

    def _is_gap_open(self, gap: str, found: Iterable[KnowledgeGap], place: int) -> bool:
        """Whether an earlier step named the same gap, and none before this place closed it."""
        before = {step.number for step in self.steps[:place]}
        return any(
            _normalize_gap(known.text) == _normalize_gap(gap) and known.closed_in not in before
            for known in found
        )

    @staticmethod
    def _find_closing_step(gap: str, later: Iterable[SessionStep]) -> int | None:
        for step in later:
            if step.closes_gap and _is_same_gap(step.closes_gap, gap):
                return step.number
        return None


def _is_same_gap(gap: str, other: str) -> bool:
    """True if one text contains the other, ignoring case and spacing."""
    short, long = sorted((_normalize_gap(gap), _normalize_gap(other)), key=len)
    return bool(short) and short in long


def _normalize_gap(text: str) -> str:
    return " ".join(text.casefold().split())
