from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import NotFound
from citewell.reading.sites.clinicaltrials.study_results import (
    RecordPart,
    format_fact_list,
    format_markdown_table,
    format_registry_code,
)
from tests.internet.studies import NUMBER, clinicaltrials, study
from tests.reading.site_bench import Bench, Reply, Web, page, read
from tests.requirements import requires

URL = f"https://clinicaltrials.gov/study/{NUMBER}"
API = f"clinicaltrials.gov/api/v2/studies/{NUMBER}"


def read_study(**changes: Any) -> str:
    """The markdown of the study with other sections."""
    return page(URL, {API: study() | changes}).content


@requires("scrape_page.clinical_study")
def test_a_study_page_is_the_record_of_the_registry() -> None:
    found = page(URL, clinicaltrials())

    assert found.title == "Melatonin for sleep onset insomnia"
    assert (found.author, found.site) == ("Example University", "ClinicalTrials.gov")
    assert (found.published, found.modified) == ("2024-01-15", "2026-02-20")
    assert (found.content_type, found.final_url) == ("clinicaltrials", URL)
    assert found.notes == ()
    headings = [line for line in found.content.split("\n") if line.startswith("## ")]
    assert headings == [
        "## Summary", "## Description", "## Design", "## Arms", "## Interventions", "## Outcomes", "## Eligibility",
        "## Results", "## Contacts", "## Locations", "## Publications", "## Documents", "## Sharing of participants' data",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "- Official title: A randomised trial of melatonin <5 mg in insomnia",
        "- Other numbers: EX-1, 2024-000001-10",
        "- Status: terminated (verified 2026-02)",
        "- Why stopped: Slow recruitment",
        "- Sponsor: Example University",
        "- Phase: Phase 2/Phase 3",
        "- Enrollment: 120 (actual)",
        "- Start: 2024-03 (actual)",
        "- Completion: 2025-12-31 (estimated)",
        "- Masking: double (participant, investigator)",
        "- **Melatonin** (experimental): 3 mg at night. Receives: Drug: Melatonin.",
        "- **Melatonin** (drug; also Circadin): a tablet; by mouth",
        "- **Sleep latency** (4 weeks): By diary.",
        "- Ages: 18 Years to no maximum",
        "* Shift work",
        "45 locations: France (45)",
        "- Study office · contact · trial@example.org",
        "- Example E. Sleep. 2026. (result) [PMID 1234567](https://pubmed.ncbi.nlm.nih.gov/1234567/)",
        "- [The trial](https://example.org/trial)",
        "- [Study Protocol](https://cdn.clinicaltrials.gov/large-docs/01/NCT09000001/Prot_000.pdf), 2024-01-02",
    ],
)
def test_the_protocol_is_told_in_words(line: str) -> None:
    assert line in page(URL, clinicaltrials()).content.split("\n")


def test_the_clinics_of_a_study_are_one_paragraph() -> None:
    content = page(URL, clinicaltrials()).content

    [line] = [
        text for text in content.split("\n") if text.startswith("Clinic 0, Example City, France")
    ]
    assert "; Clinic 1, Example City, France (completed); " in line
    assert line.endswith("; and 5 more")


@pytest.mark.parametrize(
    "line",
    [
        "| Overall Study | Melatonin | Placebo |",
        "| Started | 60 | 60 |",
        "| Withdrawn: Adverse Event | 2 | 1 |",
        "| Participants analysed | 60 | 60 |",
        "| Age, mean (standard deviation), years | 44.1 (9.0) | 45.3 (8.7) |",
        "#### Primary: Sleep latency",
        "| Group | Participants analysed | Mean (95% confidence interval), minutes |",
        "| Melatonin | 58 | 21.5 (19.0 to 24.0) |",
        "| Placebo | 59 | NA; Not calculated |",
        "- Melatonin vs Placebo: p <0.001 (ANCOVA); Mean Difference (Final Values) -7.5 (95% CI -10.2 to -4.8)",
        "- Melatonin: p = 0.04; non inferiority",
        "#### Secondary: Quality of sleep \\| self-rated",
        "| Good | 40 | 25 |",
        "| Bad | 18 | – |",
        "| Melatonin | 0/60 | 1/60 | 9/60 |",
        "| Fall | 1/60 |",
        "| Event 49 | 49/60 |",
        "10 more are not shown.",
        "Stopped early.",
    ],
)
def test_the_results_are_tables_with_spread_and_chance(line: str) -> None:
    assert line in page(URL, clinicaltrials()).content.split("\n")


def test_a_description_is_told_once() -> None:
    assert page(URL, clinicaltrials()).content.count("By diary.") == 1


def test_many_groups_are_rows() -> None:
    many = [{"id": f"G{place}", "title": f"Group {place}"} for place in range(9)]
    rows = [{"groupId": f"G{place}", "value": str(place)} for place in range(9)]
    measure = {
        "title": "Pain",
        "groups": many,
        "classes": [{"title": title, "categories": [{"measurements": rows}]} for title in ("Day 1", "Day 2")],
    }  # fmt: skip

    content = read_study(resultsSection={"outcomeMeasuresModule": {"outcomeMeasures": [measure]}})

    assert "| Group | Day 1 | Day 2 |" in content
    assert "| Group 8 | 8 | 8 |" in content


def test_a_study_without_results_says_so() -> None:
    found = page(URL, {API: {"protocolSection": study()["protocolSection"], "hasResults": False}})

    assert found.notes == ("No results are posted for this study.",)
    assert "## Results" not in found.content


def test_a_study_with_nothing_but_its_number_has_a_page() -> None:
    bare = {"protocolSection": {"identificationModule": {"nctId": NUMBER}}}

    assert page(URL, {API: bare}).title == NUMBER


def test_texts_of_the_registry_start_no_headings_and_no_tags() -> None:
    description = {
        "briefSummary": "# Ignore\n\n<script>alert(1)</script> [x](javascript:1) a <b and \\<c"
    }

    content = read_study(
        protocolSection=study()["protocolSection"] | {"descriptionModule": description}
    )

    assert "\n# Ignore" not in content
    assert "\n\\# Ignore" in content
    assert "](javascript" not in content.replace("\\](javascript", "")


@pytest.mark.parametrize("status", [404, 400])
def test_a_number_that_nobody_has_is_not_found(status: int) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        read(URL, {API: Reply(status=status, body="NCT number not found")})


@pytest.mark.parametrize(
    "answer", [Reply(status=500), Reply(status=429), b"<html>", b"{}", b"[]", b"[" * 100_000]
)
def test_a_failing_registry_leaves_the_page_to_the_ladder(answer: Any) -> None:
    assert read(URL, {API: answer}) is None


@pytest.mark.parametrize(
    "path", [f"ct2/show/{NUMBER}", f"show/{NUMBER}", f"study/{NUMBER.lower()}"]
)
def test_old_addresses_lead_to_the_same_record(path: str) -> None:
    bench = Bench(web=Web(clinicaltrials()))

    found = bench.read(f"https://clinicaltrials.gov/{path}")

    assert found is not None
    assert found.final_url == URL
    assert bench.web.asked == [API]


@pytest.mark.parametrize("value", [None, 5, "text", [], {"a": None}, {"a": [{"b": 1}]}])
def test_a_part_that_is_missing_or_damaged_is_empty(value: object) -> None:
    part = RecordPart(value)

    assert part.find_plain_text("a", "b") == ""
    assert part.find_markdown("a") == ""
    assert not part.find_subpart("a", "b")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ACTIVE_NOT_RECRUITING", "active not recruiting"),
        ("PHASE2", "Phase 2"),
        ("EARLY_PHASE1", "Early Phase 1"),
        ("NA", "not applicable"),
        ("As written", "As written"),
    ],
)
def test_a_code_is_shown_in_words(code: str, words: str) -> None:
    assert format_registry_code(code) == words


def test_a_text_of_the_registry_can_start_no_heading() -> None:
    part = RecordPart({"text": "# Not a heading\n* one\n* two"})

    assert part.find_markdown("text").startswith("\\# Not")
    assert part.find_inline_markdown("text") == "\\# Not a heading; one; two"


@pytest.mark.parametrize(("date", "found"), [("2024-01", "2024-01"), ("January 2024", "")])
def test_only_iso_dates_are_dates(date: str, found: str) -> None:
    assert RecordPart({"date": date}).find_date("date") == found


def test_facts_without_a_value_and_tables_without_rows_are_left_out() -> None:
    assert format_fact_list([("Sex", "all"), ("Ages", "")]) == "- Sex: all"
    assert format_markdown_table(["a"], []) == ""
