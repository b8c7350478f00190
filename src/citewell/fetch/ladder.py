"""Climbs from the cheapest way of reading a page to the dearest, and stops at a definitive answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from citewell.errors import (
    AuthRequired,
    CitewellError,
    InvalidInput,
    NotFound,
    RateLimited,
    TooLarge,
)
from citewell.fetch.complaints import composite
from citewell.fetch.documents.document import Unreadable
from citewell.fetch.metadata import About
from citewell.net.message import Response

# No other way of asking changes these answers, and asking again would be rude.
DEFINITIVE = (InvalidInput, NotFound, AuthRequired, RateLimited, TooLarge, Unreadable)

Note = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a tier made of a page, before it is cleaned, cut and dated."""

    final_url: str
    content: str
    content_type: str
    kind: str = "article"
    charset: str | None = None
    about: About = field(default_factory=About)
    extracted_by: str | None = None
    quality: str = "complete"
    page_count: int | None = None
    file_size: int | None = None
    notes: tuple[str, ...] = ()
    hidden: Mapping[str, int] = field(default_factory=dict)
    etag: str | None = None
    last_modified: str | None = None


class Unsure(Exception):
    """A tier has some text but does not trust it: the climb goes on and may come back to it."""

    def __init__(self, draft: Draft, error: CitewellError) -> None:
        super().__init__(error.message)
        self.draft = draft
        self.error = error


@dataclass(slots=True, kw_only=True)
class Climb:
    """One page on its way up: what tiers below leave for those above."""

    url: str
    answer: Response | None = None  # HTML that came where markdown was asked for: no second request
    outcomes: list[tuple[str, CitewellError]] = field(default_factory=list)
    candidate: Draft | None = None

    def keep(self, draft: Draft) -> None:
        """Remember the fullest of the texts that nobody trusts."""
        if self.candidate is None or len(draft.content) > len(self.candidate.content):
            self.candidate = draft


class Tier(Protocol):
    """One way of reading a page. Stealth, browser, Exa and single sites are further ones."""

    name: str

    async def read(self, climb: Climb) -> Draft:
        """The page; Unsure with a doubtful text, or an error that says why there is none."""
        ...


Order = Callable[[Sequence[Tier], str], Sequence[Tier]]


def as_given(tiers: Sequence[Tier], _url: str) -> Sequence[Tier]:
    return tiers


class Ladder:
    """Climbs its tiers for an address, in the order that suits it."""

    def __init__(self, tiers: Sequence[Tier], *, order: Order = as_given) -> None:
        self._tiers = tuple(tiers)
        self._order = order

    async def climb(self, url: str, *, note: Note | None = None) -> Draft:
        """The first tier's text that is sure, or else the best candidate, marked partial."""
        climb = Climb(url=url)
        for tier in self._order(self._tiers, url):
            if note is not None:
                await note(tier.name)
            try:
                return await tier.read(climb)
            except Unsure as unsure:
                climb.keep(unsure.draft)
                climb.outcomes.append((tier.name, unsure.error))
            except DEFINITIVE:
                raise
            except CitewellError as error:
                climb.outcomes.append((tier.name, error))
        if climb.candidate is not None:
            return replace(climb.candidate, quality="partial")
        raise composite(climb.outcomes)
