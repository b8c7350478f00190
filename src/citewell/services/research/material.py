"""What the engine of our own hands from one step to the next; every value can be stored as JSON."""

from __future__ import annotations

from citewell.model.base import Value

LOCAL = "local"
OWN = "library:"  # the user's own documents have a name and no address


class Side(Value):
    """One side of the question: a section of the report, and a search of its own."""

    title: str
    query: str
    about: str = ""
    cue: str = ""
    counter: bool = False


class Plan(Value):
    """What will be searched, how widely, and how the report will be divided."""

    query: str
    kind: str
    language: str | None = None
    phrases: tuple[str, ...] = ()
    sides: tuple[Side, ...]
    queries: tuple[str, ...]  # of the first round
    pages: int  # read at most, over all rounds
    rounds: int
    further: int = 2  # queries of each later round


class Lead(Value):
    """A page worth reading, as the searches found it."""

    url: str
    title: str = ""
    snippet: str = ""
    published: str | None = None
    weight: float = 0.0


class Leads(Value):
    """The pages of one round of searches, the best first."""

    found: tuple[Lead, ...] = ()
    searched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # who could not be asked, and why


class Reading(Value):
    """One page as it was read, or why it was not."""

    url: str
    title: str = ""
    text: str = ""  # what offsets count in
    language: str | None = None
    published: str | None = None
    retrieved_at: str | None = None
    sha256: str | None = None
    reputation: str | None = None  # high, mixed, low
    page_kind: str = ""
    state: str = "read"  # read, unreachable, refused, never_existed
    reason: str = ""

    @property
    def read(self) -> bool:
        return self.state == "read" and bool(self.text)


class Readings(Value):
    pages: tuple[Reading, ...] = ()

    def joined(self, other: Readings) -> Readings:
        return Readings(pages=(*self.pages, *other.pages))
