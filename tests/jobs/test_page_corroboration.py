from __future__ import annotations

from citewell.core.values.research import RESEARCH_TIERS, ResearchFindings
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.research.planning.research_plan import build_research_plan
from tests.local_research import analyse_readings

SAID = "The Eiffel Tower is painted every seven years with 60 tonnes of paint."
OTHER = "Painters give the Eiffel Tower its 60 tonnes of paint about every seven years, by hand."


def research(*pages: tuple[str, str]) -> ResearchFindings:
    readings = PageReadings(
        pages=tuple(
            PageReading(url=url, title="Eiffel Tower", text=text, language="en")
            for url, text in pages
        )
    )
    plan = build_research_plan(
        "How often is the Eiffel Tower painted?", RESEARCH_TIERS["S"], year=2026
    )
    return analyse_readings(plan, readings)


def test_a_page_that_says_the_same_in_other_words_counts_as_a_second_source() -> None:
    found = research(("https://a.com/tower", SAID), ("https://b.org/tower", OTHER))

    claim = next(item for item in found.claims if item.content == SAID)
    assert "single_source" not in claim.flags
    assert claim.basis == "2 sources"
    assert {row.snippet for row in found.evidence if row.claim_id == claim.id} == {SAID, OTHER}


def test_a_page_of_the_same_owner_is_no_second_source() -> None:
    found = research(("https://www.a.com/tower", SAID), ("https://blog.a.com/tower", OTHER))

    claim = next(item for item in found.claims if item.content == SAID)
    assert claim.basis == "1 source"


def test_another_number_supports_nothing() -> None:
    other = OTHER.replace("60", "35")

    found = research(("https://a.com/tower", SAID), ("https://b.org/tower", other))

    claim = next(item for item in found.claims if item.content == SAID)
    assert claim.basis.startswith("1 source")


def test_an_official_page_is_named_in_the_basis() -> None:
    found = research(("https://a.com/tower", SAID), ("https://www.paris.gouv.fr/tower", OTHER))

    claim = next(item for item in found.claims if item.content == SAID)
    assert claim.basis == "2 sources, 1 official"
