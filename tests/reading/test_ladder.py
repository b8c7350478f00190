from __future__ import annotations

import asyncio

import pytest

from citewell.core.errors import Blocked, CitewellError, ContentEmpty, NetworkFailed, NotFound
from citewell.reading.extracted_page import ExtractedPage, UnsurePage
from citewell.reading.fetch_tiers import FetchAttempt, FetchTier, TierLadder
from tests.requirements import requires

URL = "https://example.org/page"


def extracted(content: str, by: str = "html") -> ExtractedPage:
    return ExtractedPage(final_url=URL, content=content, content_type="html", extracted_by=by)


class Step:
    """A tier that answers, doubts or fails as it was told."""

    def __init__(self, name: str, outcome: ExtractedPage | Exception) -> None:
        self.name = name
        self.asked = 0
        self._outcome = outcome

    async def fetch_page(self, climb: FetchAttempt) -> ExtractedPage:
        self.asked += 1
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


def climb(*tiers: FetchTier) -> ExtractedPage:
    return asyncio.run(TierLadder(tiers).climb_tiers(URL))


def test_the_first_sure_text_is_taken_and_no_further_tier_asked() -> None:
    last = Step("browser", extracted("other"))

    found = climb(Step("markdown", ContentEmpty("x")), Step("html", extracted("text")), last)

    assert (found.content, last.asked) == ("text", 0)


def test_a_definitive_answer_ends_the_climb() -> None:
    last = Step("html", extracted("text"))

    with pytest.raises(NotFound):
        climb(Step("markdown", NotFound("gone")), last)

    assert last.asked == 0


@requires("scrape_page.composite_error", "error.most_telling")
def test_when_all_fail_the_most_telling_error_lists_every_tier() -> None:
    tiers = (
        Step("markdown", NetworkFailed("no answer", detail="timed out")),
        Step("stealth", Blocked("Blocked: x.", detail="HTTP 403")),
        Step("html", ContentEmpty("Empty: x.", detail="12 bytes")),
    )

    with pytest.raises(CitewellError) as caught:
        climb(*tiers)

    assert type(caught.value) is Blocked
    assert (
        caught.value.message
        == "Blocked: x. (markdown: timed out, stealth: HTTP 403, html: 12 bytes)"
    )


def test_among_equals_the_last_tier_speaks() -> None:
    with pytest.raises(ContentEmpty, match=r"^Second\. \(a: one, b: two\)$"):
        climb(
            Step("a", ContentEmpty("First.", detail="one")),
            Step("b", ContentEmpty("Second.", detail="two")),
        )


@requires("scrape_page.extraction_quality")
def test_the_fullest_doubtful_text_is_given_as_partial() -> None:
    found = climb(
        Step("markdown", UnsurePage(extracted("a bit more", "markdown"), ContentEmpty("x"))),
        Step("html", UnsurePage(extracted("a bit", "html"), ContentEmpty("x"))),
    )

    assert (found.content, found.extracted_by, found.quality) == (
        "a bit more",
        "markdown",
        "partial",
    )


def test_a_fault_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        climb(Step("html", ZeroDivisionError()), Step("browser", extracted("text")))
