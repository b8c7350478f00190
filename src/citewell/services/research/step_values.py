"""The values that research steps pass on; each can be stored as JSON."""

from __future__ import annotations

from pydantic import ConfigDict

from citewell.model.wire_values import WireValue

LOCAL_PROVIDER = "local"
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

    def join_readings(self, other: PageReadings) -> PageReadings:
        return PageReadings(pages=(*self.pages, *other.pages))
