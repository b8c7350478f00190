"""The values that research steps pass on; each can be stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import ConfigDict

from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import MAX_QUESTION_CHARS, RESEARCH_MODES
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import RESEARCH_TIERS, ResearchTier
from citewell.core.values.wire_values import WireValue

LOCAL_PROVIDER = "local"
RESEARCH_JOB_KIND = "research"
SINGLE_CALL_KIND = "call"  # of a job that is one paid call of a tool, such as answer
DRAFT_CHECK_KIND = "check_draft"  # of a job that checks a draft; its report goes to its task
GROUNDED_PROVIDER = "compatible"  # it cannot search: it writes from passages that we found


class QuestionSide(WireValue):
    """One side of the question, with its own search."""

    model_config = ConfigDict(extra="ignore")  # a plan that an older version stored has more

    title: str
    query: str
    counter: bool = False


class AskedPart(WireValue):
    """One thing that the question asks, and the rest of the question as its context."""

    text: str
    context: str = ""


class ResearchPlan(WireValue):
    """What to search, how many pages and rounds to spend, and the sections of the report."""

    query: str  # as it is researched
    asked: str = ""  # as the user wrote it, if the thread completed it
    added: tuple[str, ...] = ()  # the words that completed it
    kind: str
    language: str | None = None
    phrases: tuple[str, ...] = ()
    parts: tuple[AskedPart, ...] = ()  # each is answered by itself
    sides: tuple[QuestionSide, ...]
    queries: tuple[str, ...]  # of the first round
    pages: int  # to read at most, in all rounds together
    rounds: int
    further: int = 2  # queries of each later round

    def count_pages_left(self, round_number: int, already_read: int) -> int:
        """How many pages this round may read; a quarter is kept for what the first round leads to."""
        kept = self.pages // 4 if round_number == 1 and self.rounds > 1 else 0
        return max(0, self.pages - kept - already_read)


class PageLead(WireValue):
    """A page that the searches found, not read yet."""

    url: str
    title: str = ""
    snippet: str = ""
    published: str | None = None
    weight: float = 0.0


class PageLeads(WireValue):
    """The pages that one round of searches found, best first."""

    found: tuple[PageLead, ...] = ()
    searched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # which searches failed, and why
    seen_by: tuple[str, ...] = ()  # providers that were sent the queries


class PageReading(WireValue):
    """The text of one page, or the reason why it could not be read."""

    url: str
    title: str = ""
    text: str = ""  # offsets of quotations refer to this text
    language: str | None = None
    published: str | None = None
    retrieved_at: str | None = None
    sha256: str | None = None
    reputation: str | None = None  # high, mixed, low
    page_kind: str = ""
    state: str = "read"  # read, unreachable, refused, dead, gone, probably_never_existed
    reason: str = ""
    is_private: bool = False  # from the user's library: never sent to anyone without permission
    address: str = ""  # of a library document: the link or file that a person opens
    source_type: str = ""  # what kind of source it is: see source_kinds.name_source_type

    @property
    def is_read(self) -> bool:
        return self.state == "read" and bool(self.text)


class PageReadings(WireValue):
    pages: tuple[PageReading, ...] = ()


# The question a caller asks of deep research, and the arguments of the job made from it.


_MAX_TITLE_CHARS = 120  # characters of a thread's title


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchQuestion:
    """What a caller asks for, not yet checked."""

    query: str
    tier: str = "M"
    providers: tuple[str, ...] = ()  # chosen by tier when empty
    mode: str = "methodical"
    scope: str | None = None  # by the settings when None
    share_library: bool = False  # providers may be given text of the library


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchAssignment:
    """A job's arguments: the checked question with its providers; stored as JSON."""

    query: str
    tier: str
    providers: tuple[str, ...]
    mode: str
    researched: str = ""  # the query with the subject of its thread, if it had none itself
    added: tuple[str, ...] = ()  # the words that were added
    scope: str = "web"
    share_library: bool = False
    parent: str | None = None  # the job that this one follows up
    context: str = ""  # the beginning of the parent's report
    context_is_private: bool = False  # it may quote the library

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def parse_assignment(args: Mapping[str, Any]) -> ResearchAssignment:
    """The assignment of a stored job; fields that a newer version added are ignored."""
    known = {name: args[name] for name in ResearchAssignment.__dataclass_fields__ if name in args}
    lists = {name: tuple(known.get(name, ())) for name in ("providers", "added")}
    return ResearchAssignment(**{**known, **lists})


def check_question(question: ResearchQuestion) -> ResearchQuestion:
    """The question with its query stripped; raises InvalidInput if any part of it is invalid."""
    query = question.query.strip()
    if not query:
        raise InvalidInput("query is empty. Say what to research.")
    if len(query) > MAX_QUESTION_CHARS:
        raise InvalidInput(
            f"query has {len(query)} {pluralize(len(query), 'character')}; the maximum is {MAX_QUESTION_CHARS}."
        )
    if question.mode not in RESEARCH_MODES:
        raise InvalidInput(
            f"mode {question.mode!r} is not known. It takes: {', '.join(RESEARCH_MODES)}."
        )
    require_tier(question.tier)
    return replace(question, query=query)


def require_tier(name: str) -> ResearchTier:
    """The tier of this name; raises InvalidInput if there is none."""
    if name not in RESEARCH_TIERS:
        raise InvalidInput(
            f"budgetTier {name!r} is not known. It takes: {', '.join(RESEARCH_TIERS)}."
        )
    return RESEARCH_TIERS[name]


def trim_title(query: str) -> str:
    """The query on one line, cut to the length of a title."""
    line = " ".join(query.split())
    return line if len(line) <= _MAX_TITLE_CHARS else line[: _MAX_TITLE_CHARS - 1].rstrip() + "…"
