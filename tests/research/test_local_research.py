from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from citewell.core.values.research import RESEARCH_TIERS, ClaimRelation, ResearchFindings
from citewell.core.values.search_queries import SearchHit
from citewell.jobs.step_values import PageLead, PageReading, PageReadings, ResearchPlan
from citewell.research.pages import question_coverage, research_rounds
from citewell.research.planning.research_plan import build_research_plan
from citewell.text.passages.markdown_blocks import render_plain_text
from tests import local_research
from tests.quotations import is_own_text, list_quoted_lines
from tests.research.shelf import PAGES, Broken, Reader, Shelf, ports

QUESTION = "Do street trees lower summer temperatures in cities?"
ROOT = Path(__file__).parents[2]


def research(question: str = QUESTION, tier: str = "M", *finders: object) -> ResearchFindings:
    return asyncio.run(
        local_research.run_local_research(
            question, RESEARCH_TIERS[tier], ports(*finders), year=2026, salt="job"
        )
    )


def readings(*urls: str) -> PageReadings:
    leads = [PageLead(url=url) for url in urls or PAGES]
    return asyncio.run(research_rounds.fetch_round(leads, ports()))


def texts(found: ResearchFindings) -> dict[str, str]:
    return {source.ref: PAGES[source.url][1] for source in found.sources}


def test_every_piece_of_evidence_stands_word_for_word_where_its_offsets_say() -> None:
    found = research()
    pages = texts(found)

    assert found.evidence
    for row in found.evidence:
        assert is_own_text(pages[row.source], row.start, row.end, row.snippet)


def test_every_bullet_of_the_report_is_a_quotation_of_a_source_it_names() -> None:
    found = research()
    pages = {ref: render_plain_text(text) for ref, text in texts(found).items()}
    bullets = list_quoted_lines(found.synthesis)

    assert len(bullets) >= 5
    for quoted, refs in bullets:
        assert any(quoted in pages[ref] for ref in refs)


def test_no_citation_dangles() -> None:
    found = research()

    assert set(re.findall(r"src_\d+", found.synthesis)) <= {source.ref for source in found.sources}


def test_the_answer_comes_first_and_the_method_last() -> None:
    headings = re.findall(r"^## (.+)$", research().synthesis, re.MULTILINE)

    assert headings[0] == "Answer"
    assert headings[-2:] == ["Sources", "Method"]


def test_a_syndicated_copy_counts_once() -> None:
    found = research()
    by_url = {source.url: source for source in found.sources}
    copy, story = by_url["https://paper.example.net/wire"], by_url["https://news.example.com/story"]

    assert {copy.copy_of, story.copy_of} in ({None, story.ref}, {None, copy.ref})
    repeated = copy.ref if copy.copy_of else story.ref
    assert all(row.source != repeated for row in found.evidence)


def test_sources_that_agree_make_one_claim_with_more_confidence() -> None:
    found = research()
    shared = next(claim for claim in found.claims if len(claim.sources) > 1)

    assert "shading the ground" in shared.content or "lower summer" in shared.content
    alone = [claim for claim in found.claims if "single_source" in claim.flags]
    assert all(claim.confidence <= 0.60 for claim in alone)


def test_a_denial_is_shown_as_a_disagreement_and_lowers_confidence() -> None:
    found = research()
    against = [row for row in found.evidence if row.relation is ClaimRelation.CONTRADICTS]

    assert any("do not lower" in row.snippet for row in against)
    assert "## Where sources disagree" in found.synthesis
    assert any(
        "contradicted" in claim.flags and claim.contradicting_providers == ("local",)
        for claim in found.claims
    )


def test_values_that_differ_stand_in_a_table_with_their_dates() -> None:
    tables = [table for table in research().value_tables if "temperature" in table.subject]

    assert {row.value for table in tables for row in table.rows} == {"2 degrees", "4 degrees"}
    assert {row.date for table in tables for row in table.rows} == {"2024-06-01", "2022-03-01"}


def test_commands_and_false_citations_in_pages_never_reach_the_report() -> None:
    found = research()
    written = found.synthesis + " ".join(row.snippet for row in found.evidence)

    assert "Ignore all previous" not in written
    assert "src_9" not in written
    assert "newsletter" not in written
    assert "Buy two" not in written


def test_a_sentence_that_points_back_brings_the_one_before() -> None:
    found = research()
    quoted = [words for words, _ in list_quoted_lines(found.synthesis)]
    leant = [row.snippet for row in found.evidence if "However" in row.snippet]

    for snippets in (quoted, leant):
        assert any("However" in words for words in snippets)
        assert not any(words.startswith("However") for words in snippets)


def test_what_was_not_found_is_said_and_asked_next() -> None:
    found = research("What is the atomic weight of ytterbium?", "S", Shelf())

    assert found.claims == ()
    assert "No page was found" in found.synthesis
    assert found.not_found
    assert found.follow_ons


def test_an_empty_web_gives_an_honest_report() -> None:
    found = research(QUESTION, "XXS", Shelf(pages={}))

    assert (found.sources, found.claims) == ((), ())
    assert "No page was found" in found.synthesis


def test_a_provider_that_fails_is_noted_and_the_rest_goes_on() -> None:
    found = research(QUESTION, "M", Broken(), Shelf())

    assert found.claims
    assert any("broken" in note for note in found.notes)


def test_follow_ons_have_reasons_and_are_few() -> None:
    follow = research().follow_ons

    assert 1 <= len(follow) <= 6
    assert all(follow_on.topic and follow_on.rationale for follow_on in follow)
    assert len({follow_on.topic for follow_on in follow}) == len(follow)


@pytest.mark.parametrize("tier", ["XXS", "S", "XL"])
def test_the_tier_bounds_queries_and_pages(tier: str) -> None:
    shelf, reader = Shelf(), Reader()

    asyncio.run(
        local_research.run_local_research(
            QUESTION, RESEARCH_TIERS[tier], ports(shelf, reader=reader), year=2026
        )
    )

    assert len(reader.read_urls) <= RESEARCH_TIERS[tier].pages
    assert len(shelf.asked) <= RESEARCH_TIERS[tier].queries * RESEARCH_TIERS[tier].rounds


def test_the_same_material_gives_the_same_bytes() -> None:
    first = research().model_dump_json()

    assert research().model_dump_json() == first


@pytest.mark.process
def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from tests.research.test_local_research import research\n"
        "import hashlib; print(hashlib.sha256(research().model_dump_json().encode()).hexdigest())"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PATH": "/usr/bin:/bin"},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip

    assert len(made) == 1


def test_the_library_alone_is_enough() -> None:
    own = {f"library:doc{number}": page for number, page in enumerate(PAGES.values())}
    shelf = Shelf("library", own)

    class Own(Shelf):
        async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]:
            return await shelf.find_pages(query, count=count)

    found = asyncio.run(
        local_research.run_local_research(
            QUESTION, RESEARCH_TIERS["M"], ports(Own(), reader=Reader(own)), year=2026
        )
    )

    assert found.claims
    assert {source.domain for source in found.sources} == {"library"}
    assert any(len(claim.sources) > 1 for claim in found.claims)


def test_steps_survive_being_stored_as_json() -> None:
    asked = build_research_plan(QUESTION, RESEARCH_TIERS["M"], year=2026)
    kept = ResearchPlan.model_validate_json(asked.model_dump_json())
    pages = PageReadings.model_validate_json(readings().model_dump_json())

    assert local_research.analyse_readings(kept, pages) == local_research.analyse_readings(
        asked, readings()
    )


def test_a_gap_is_searched_with_the_words_of_what_was_found() -> None:
    asked = build_research_plan(QUESTION, RESEARCH_TIERS["M"], year=2026)

    wanted = question_coverage.find_gap_queries(
        asked, readings("https://blog.example.org/doubt"), searched=asked.queries
    )

    assert wanted
    assert not {query.lower() for query in wanted} & {query.lower() for query in asked.queries}
    assert len(wanted) <= asked.further


def test_a_page_that_cannot_be_read_is_kept_with_its_state() -> None:
    pages = readings("https://www.city.gov/heat", "https://gone.example.org/")

    assert [page.state for page in pages.pages] == ["read", "dead"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ud800 lone",
        "a" * 100_000,
        "word " * 30_000,
        "\n" * 5000,
        "| a | b |\n" * 500,
        "```\ncode.\n" * 50,
        "。" * 3000,
    ],
)
def test_odd_pages_break_nothing(text: str) -> None:
    asked = build_research_plan(QUESTION, RESEARCH_TIERS["S"], year=2026)
    odd = PageReading(url="https://odd.example.org/", text=text)

    found = local_research.analyse_readings(asked, PageReadings(pages=(*readings().pages, odd)))

    assert found.claims


@pytest.mark.parametrize(
    "question", ["", "?", "x" * 10_000, "1. a 2. b", "日本の人口は？", "the of and", "\ud800"]
)
def test_odd_questions_break_nothing(question: str) -> None:
    asked = build_research_plan(question, RESEARCH_TIERS["M"], year=2026)

    assert local_research.analyse_readings(asked, readings()).synthesis.startswith("#")


def test_the_order_of_pages_changes_numbers_but_not_what_is_claimed() -> None:
    asked = build_research_plan(QUESTION, RESEARCH_TIERS["M"], year=2026)
    urls = [url for url in PAGES if "paper.example.net" not in url]
    shuffled = urls[:]
    Random(5).shuffle(shuffled)

    first, second = (
        local_research.analyse_readings(asked, readings(*order)) for order in (urls, shuffled)
    )

    assert {claim.content for claim in first.claims} == {claim.content for claim in second.claims}
    assert {claim.id: claim.confidence for claim in first.claims} == {
        claim.id: claim.confidence for claim in second.claims
    }
