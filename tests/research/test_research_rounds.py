from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from citewell.core.errors import CitewellError, NotFound, RefusedByPolicy, UpstreamUnavailable
from citewell.core.values.page import Page
from citewell.core.values.research import RESEARCH_TIERS
from citewell.core.values.search_queries import SearchHit
from citewell.jobs.step_values import PageLead, PageLeads, ResearchPlan
from citewell.research.claims import source_kinds
from citewell.research.pages import research_rounds
from citewell.research.pages.research_rounds import ResearchPorts
from citewell.research.planning.research_plan import build_research_plan
from tests.research.shelf import Broken, Reader, ports

PLAN = build_research_plan(
    "Do street trees lower summer temperatures in cities?", RESEARCH_TIERS["M"], year=2026
)


class Fixed:
    """Always finds the same addresses."""

    def __init__(self, *urls: str, name: str = "fixed") -> None:
        self.name = name
        self._urls = urls

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        return [
            SearchHit(title=url, url=url, published=datetime(2026, 1, 2, tzinfo=UTC))
            for url in self._urls[:count]
        ]


def search(*finders: object, **options: object) -> PageLeads:
    return asyncio.run(
        research_rounds.search_round(PLAN, ports(*finders), queries=("one",), **options)  # type: ignore[arg-type]
    )


def leads(*urls: str) -> PageLeads:
    return PageLeads(found=tuple(PageLead(url=url) for url in urls))


def test_a_page_that_two_finders_know_comes_first() -> None:
    found = search(
        Fixed("https://a.org/1", "https://b.org/1"), Fixed("https://b.org/1", name="other")
    )

    assert found.found[0].url == "https://b.org/1"


def test_one_page_in_two_spellings_is_one_but_other_queries_and_cases_are_not() -> None:
    found = search(
        Fixed(
            "https://a.org/Page?id=1&utm_source=x", "https://a.org/Page?id=1", "https://a.org/page?id=1",
            "https://a.org/Page?id=2",
        )
    )  # fmt: skip

    assert [lead.url for lead in found.found] == [
        "https://a.org/Page?id=1",
        "https://a.org/page?id=1",
        "https://a.org/Page?id=2",
    ]


def test_pages_that_were_read_are_not_offered_again() -> None:
    found = search(Fixed("https://a.org/1", "https://b.org/1"), known=["http://a.org/1#top"])

    assert [lead.url for lead in found.found] == ["https://b.org/1"]


class Failing:
    """Fails each time in other words, as a provider does that is first unreachable and then paused."""

    name = "web search"

    def __init__(self) -> None:
        self._calls = 0

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
        self._calls += 1
        raise UpstreamUnavailable(f"It failed {self._calls} times.")


def test_a_finder_that_fails_in_several_ways_is_noted_once_with_the_first_reason() -> None:
    found = asyncio.run(
        research_rounds.search_round(PLAN, ports(Failing()), queries=("one", "two", "three"))
    )

    assert found.notes == ("web search could not be searched: It failed 1 times.",)


def test_a_finder_that_fails_is_noted_once_and_the_others_answer() -> None:
    found = asyncio.run(
        research_rounds.search_round(PLAN, ports(Broken(), Fixed("https://a.org/1")))
    )

    assert found.found
    assert len(found.notes) == 1
    assert "broken" in found.notes[0]


def test_an_owner_gives_three_pages_at_most_over_all_rounds() -> None:
    many = leads(
        *(f"https://www{number}.a.org/" for number in range(6)), "https://b.org/", "https://c.org/"
    )

    chosen = research_rounds.choose_leads(many, max_pages=8, already_read=["https://a.org/earlier"])

    assert [source_kinds.identify_source_owner(lead.url) for lead in chosen].count("a.org") == 2


def test_three_owners_are_read_even_when_few_pages_are() -> None:
    many = leads(
        "https://a.org/1",
        "https://a.org/2",
        "https://a.org/3",
        "https://b.org/1",
        "https://b.org/2",
        "https://c.org/1",
    )

    chosen = research_rounds.choose_leads(many, max_pages=4)

    assert len(chosen) == 4
    assert {source_kinds.identify_source_owner(lead.url) for lead in chosen} == {
        "a.org",
        "b.org",
        "c.org",
    }


def test_documents_of_the_library_are_each_their_own() -> None:
    many = leads(*(f"library:doc{number}" for number in range(6)))

    assert len(research_rounds.choose_leads(many, max_pages=6)) == 6


def test_nothing_is_chosen_when_the_pages_are_used_up() -> None:
    assert research_rounds.choose_leads(leads("https://a.org/1"), max_pages=0) == ()
    assert research_rounds.choose_leads(leads("https://a.org/1"), max_pages=-3) == ()


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (NotFound("gone"), "dead"),
        (RefusedByPolicy("private"), "refused"),
        (UpstreamUnavailable("down"), "unreachable"),
    ],
)
def test_a_page_that_cannot_be_read_says_why(error: CitewellError, state: str) -> None:
    class Failing:
        async def read_page(self, url: str) -> Page:
            raise error

    found = asyncio.run(
        research_rounds.fetch_page_reading(
            PageLead(url="https://a.org/"), ResearchPorts(finders=(), reader=Failing())
        )
    )

    assert (found.state, found.is_read) == (state, False)
    assert found.reason


def test_a_reading_keeps_what_is_known_of_its_page() -> None:
    known = ResearchPorts(finders=(), reader=Reader(), reputation={"www.city.gov": "high"}.get)

    found = asyncio.run(
        research_rounds.fetch_page_reading(PageLead(url="https://www.city.gov/heat"), known)
    )

    assert (found.reputation, found.language, found.published) == ("high", "en", "2024-06-01")
    assert found.sha256 is not None


def test_pages_come_back_in_the_order_asked_for() -> None:
    urls = [
        "https://blog.example.org/doubt",
        "https://www.city.gov/heat",
        "https://gone.example.org/",
    ]

    found = asyncio.run(
        research_rounds.fetch_round([PageLead(url=url) for url in urls], ports(), at_once=2)
    )

    assert [page.url for page in found.pages] == urls


def test_the_plan_is_as_broad_as_the_tier() -> None:
    asked = {
        name: build_research_plan("Is nuclear power safe?", tier, year=2026)
        for name, tier in RESEARCH_TIERS.items()
    }

    assert [len(request.queries) for request in asked.values()] == sorted(
        len(request.queries) for request in asked.values()
    )
    assert all(len(asked[name].queries) <= tier.queries for name, tier in RESEARCH_TIERS.items())
    assert asked["S"].queries[0] == "Is nuclear power safe?"
    assert any("evidence against" in query for query in asked["XS"].queries)


def test_the_same_question_has_the_same_plan() -> None:
    again = build_research_plan(PLAN.query, RESEARCH_TIERS["M"], year=2026)

    assert again == PLAN == ResearchPlan.model_validate_json(PLAN.model_dump_json())
