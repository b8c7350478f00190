"""Tries the tiers from the cheapest to the most expensive, and stops at a definitive outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
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
from citewell.fetch.documents.document_text import UnreadableDocument
from citewell.fetch.extracted_page import ExtractedPage, UnsurePage
from citewell.fetch.page_errors import merge_tier_errors
from citewell.net.http.messages import HttpResponse

# Another tier would get the same outcome, and asking again would only burden the server.
DEFINITIVE_ERRORS = (
    InvalidInput,
    NotFound,
    AuthRequired,
    RateLimited,
    TooLarge,
    UnreadableDocument,
)

TierNote = Callable[[str], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class FetchAttempt:
    """The state of fetching one page, passed from tier to tier."""

    url: str
    response: HttpResponse | None = (
        None  # an earlier tier's response, reused instead of a second request
    )
    outcomes: list[tuple[str, CitewellError]] = field(default_factory=list)
    candidate: ExtractedPage | None = None

    def keep_longest_page(self, extracted: ExtractedPage) -> None:
        """Keep the page if it is longer than the doubtful page kept so far."""
        if self.candidate is None or len(extracted.content) > len(self.candidate.content):
            self.candidate = extracted


class FetchTier(Protocol):
    """One way of fetching a page: document, markdown, stealth, HTML, browser or Exa."""

    name: str

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        """The page. Raises UnsurePage with a doubtful one, or an error that says why there is none."""
        ...


TierOrder = Callable[[Sequence[FetchTier], str], Sequence[FetchTier]]


def keep_given_order(tiers: Sequence[FetchTier], _url: str) -> Sequence[FetchTier]:
    return tiers


class TierLadder:
    """Tries its tiers on an address, in the order that `order` chooses for it."""

    def __init__(self, tiers: Sequence[FetchTier], *, order: TierOrder = keep_given_order) -> None:
        self._tiers = tuple(tiers)
        self._order = order

    async def climb_tiers(self, url: str, *, note: TierNote | None = None) -> ExtractedPage:
        """The first page that a tier trusts, else the longest doubtful one with quality `partial`.

        Raises at once for a definitive error, else one error with the outcome of every tier.
        `note` is called with the name of each tier before it is tried.
        """
        climb = FetchAttempt(url=url)
        for tier in self._order(self._tiers, url):
            if note is not None:
                await note(tier.name)
            try:
                return await tier.fetch_page(climb)
            except UnsurePage as unsure:
                climb.keep_longest_page(unsure.extracted)
                climb.outcomes.append((tier.name, unsure.error))
            except DEFINITIVE_ERRORS:
                raise
            except CitewellError as error:
                climb.outcomes.append((tier.name, error))
        if climb.candidate is not None:
            return replace(climb.candidate, quality="partial")
        raise merge_tier_errors(climb.outcomes)
