from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.research import (
    RESEARCH_TIERS,
    ClaimRelation,
    ProviderReport,
    ReportCitation,
)
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.research.claims.citation_check import (
    CitationCheck,
    describe_uncited_reports,
    list_cited_pages,
)
from citewell.research.combined_findings import (
    GatheredMaterial,
    combine_findings,
    refine_missing_pages,
)
from citewell.research.planning.research_plan import build_research_plan
from citewell.text import addresses
from tests.quotations import list_quoted_lines

GOOD, GONE, INNER = "https://a.example.org/good", "https://b.example.org/gone", "http://10.0.0.1/x"
PAGE = (
    "The harbour bridge was opened in 1932 after eight years of work. "
    "It carries eight lanes of road and two railway tracks across the water. "
    "About 160,000 vehicles cross it every day."
)
TEXT = (
    f"The harbour bridge was opened in 1932 ([page]({GOOD})). "
    f"Whales sing under it on Sundays in spring ([page]({GOOD})). "
    f"A survey praised its colour and its paint ([lost]({GONE})). "
    f"Its keys hang in the engine room ([inner]({INNER})). "
    "Nobody is cited for this last sentence."
)
PLAN = build_research_plan("When was the harbour bridge opened?", RESEARCH_TIERS["S"], year=2026)


def reading(url: str, **given: str) -> PageReading:
    return PageReading(**{"url": url, "text": "", **given})


REPORT = ProviderReport(provider="openai", text=TEXT)
READ = (
    (GOOD, reading(GOOD, text=PAGE)),
    (GONE, reading(GONE, state="dead")),
    (INNER, reading(INNER, state="refused")),
)


def judged() -> Any:
    pages = {addresses.build_page_key(url): page for url, page in READ}
    refs = {addresses.build_page_key(url): f"src_{n}" for n, (url, _) in enumerate(READ, start=1)}
    return CitationCheck(pages, refs).judge_statements(PLAN, REPORT)


def test_a_borne_out_sentence_has_its_snippet_with_its_place() -> None:
    first = judged()[0]

    assert first.relation is ClaimRelation.SUPPORTS
    assert first.support > 0.7
    assert PAGE[first.start : first.end] == first.snippet


def test_a_sentence_that_the_page_does_not_hold_is_unsupported() -> None:
    assert judged()[1].support < 0.25


def test_pages_that_never_were_and_private_ones_bear_nothing_out() -> None:
    lost, inner = judged()[2:4]

    assert (lost.source_state, lost.support) == ("dead", 0.0)
    assert (inner.source_state, inner.support) == ("refused", 0.0)


def test_each_cited_page_is_read_once_and_known_ones_not_again() -> None:
    twice = REPORT.model_copy(update={"citations": (ReportCitation(url=GOOD + "?utm_source=x"),)})

    assert [lead.url for lead in list_cited_pages([twice, REPORT])] == [GOOD, GONE, INNER]
    assert [lead.url for lead in list_cited_pages([REPORT], known=[GOOD])] == [GONE, INNER]


def test_what_is_not_cited_is_counted() -> None:
    assert describe_uncited_reports([REPORT]) == (
        "1 of 5 statements of openai carries no citation.",
    )
    bare = ProviderReport(provider="grok", text="One thing is so. Another thing is so too.")
    assert "cites nothing" in describe_uncited_reports([bare])[0]


def test_claims_are_flagged_for_what_their_citations_turn_out_to_be() -> None:
    found = combine_findings(
        GatheredMaterial(plan=PLAN, cited_readings=READ, reports=(REPORT,)), salt="job"
    )

    flags = {claim.content: claim.flags for claim in found.claims}
    assert "unsupported" not in flags["The harbour bridge was opened in 1932."]
    assert "unsupported" in flags["Whales sing under it on Sundays in spring."]
    assert "dead" in flags["A survey praised its colour and its paint."]
    assert "unreachable" in flags["Its keys hang in the engine room."]
    assert {source.state for source in found.sources} == {"read", "dead", "refused"}
    assert "1 claim cites an address that has no page." in found.notes


@pytest.mark.parametrize(
    ("state", "note", "counts"),
    [
        ("gone", "1 claim cites a page that is gone.", True),
        ("probably_never_existed", "1 claim cites a page that probably never existed.", False),
    ],
)
def test_a_dead_page_is_called_what_the_archive_knows_of_it(
    state: str, note: str, counts: bool
) -> None:
    gathered = GatheredMaterial(plan=PLAN, cited_readings=READ, reports=(REPORT,))

    found = combine_findings(refine_missing_pages(gathered, {GONE: state, GOOD: "x"}), salt="job")

    claim = next(claim for claim in found.claims if "survey" in claim.content)
    assert state in claim.flags
    assert "dead" not in claim.flags
    assert {source.state for source in found.sources} == {"read", state, "refused"}
    assert note in found.notes
    assert (claim.confidence > 0) == counts


def test_an_address_that_redirects_is_one_source_with_where_it_leads() -> None:
    redirect = "https://r.example.com/?to=good"
    report = ProviderReport(
        provider="gemini", text=f"The harbour bridge was opened in 1932 ([page]({redirect}))."
    )
    gathered = GatheredMaterial(
        plan=PLAN, cited_readings=((redirect, READ[0][1]), READ[0]), reports=(report, REPORT)
    )

    found = combine_findings(gathered, salt="job")

    assert [source.url for source in found.sources].count(GOOD) == 1
    (claim,) = [item for item in found.claims if "1932" in item.content]
    assert claim.supporting_providers == ("gemini", "openai")


def test_a_document_of_the_library_is_a_source_of_the_domain_library() -> None:
    own = READ[0][1].model_copy(update={"url": "library:" + "a" * 32})

    found = combine_findings(
        GatheredMaterial(plan=PLAN, own_readings=PageReadings(pages=(own,))), salt="job"
    )

    assert [(source.ref, source.domain) for source in found.sources] == [("src_1", "library")]


def test_the_same_material_gives_the_same_bytes() -> None:
    gathered = GatheredMaterial(plan=PLAN, cited_readings=READ, reports=(REPORT,))

    assert (
        combine_findings(gathered, salt="j").model_dump_json()
        == combine_findings(gathered, salt="j").model_dump_json()
    )


def test_a_number_that_the_page_does_not_give_is_flagged() -> None:
    text = f"About 900,000 vehicles cross it every day ([page]({GOOD}))."
    report = ProviderReport(provider="openai", text=text)

    found = combine_findings(
        GatheredMaterial(plan=PLAN, cited_readings=READ[:1], reports=(report,)), salt="job"
    )

    assert "number_not_found" in found.claims[0].flags
    assert "unsupported" not in found.claims[0].flags
    assert found.notes == ("1 claim gives a number that its source does not.",)


def test_a_report_without_a_model_quotes_the_page_and_never_the_provider() -> None:
    text = (
        f"In 1932 the harbour bridge was opened, after work of eight years ([page]({GOOD}))."
        f" The bridge brought joy to everyone in the harbour ([page]({GOOD}))."
    )
    report = ProviderReport(provider="openai", text=text)

    found = combine_findings(
        GatheredMaterial(plan=PLAN, cited_readings=READ[:1], reports=(report,)), salt="job"
    )

    bullets = list_quoted_lines(found.synthesis)
    assert bullets
    assert all(words in PAGE for words, _ in bullets)
    assert "joy" not in found.synthesis


def test_a_citation_behind_a_run_counts_only_for_what_the_page_supports() -> None:
    text = (
        "The harbour bridge was opened in 1932. Whales sing under it on Sundays in spring."
        f" It carries eight lanes of road and two railway tracks. ([page]({GOOD}))"
    )
    report = ProviderReport(provider="openai", text=text)

    found = combine_findings(
        GatheredMaterial(plan=PLAN, cited_readings=READ[:1], reports=(report,)), salt="job"
    )

    claims = {claim.content: claim.sources for claim in found.claims}
    assert claims["The harbour bridge was opened in 1932."] == ("src_1",)
    assert not any("Whales" in content for content in claims)


def agreeing(text: str) -> Any:
    """The claims of a job in which the engine read the page and a provider says this of it."""
    gathered = GatheredMaterial(
        plan=PLAN,
        own_readings=PageReadings(pages=(READ[0][1],)),
        cited_readings=READ[:1],
        reports=(ProviderReport(provider="openai", text=f"{text} ([page]({GOOD}))"),),
    )
    return combine_findings(gathered, salt="job").claims


def test_a_provider_that_repeats_a_quoted_sentence_supports_its_claim() -> None:
    claims = agreeing("The harbour bridge was opened in 1932 after eight years of work.")

    (claim,) = [item for item in claims if "1932" in item.content]
    assert claim.supporting_providers == ("local", "openai")


def test_a_provider_that_says_it_in_other_words_supports_the_same_claim() -> None:
    claims = agreeing("In 1932, after work of eight years, the harbour bridge opened.")

    (claim,) = [item for item in claims if "1932" in item.content]
    assert claim.content in PAGE
    assert claim.supporting_providers == ("local", "openai")


def test_a_provider_with_another_number_does_not_support_the_claim() -> None:
    claims = agreeing("The harbour bridge was opened in 1923 after eight years of work.")

    (claim,) = [item for item in claims if "1932" in item.content]
    assert "openai" not in claim.supporting_providers
