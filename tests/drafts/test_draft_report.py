"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.judged_drafts import FILLER, SOURCE, desk_with
from tests.drafts.manuscripts import PAGE, check, find, manuscript, verdicts
from tests.trust.desk import Desk, page


def test_a_shared_citation_supports_or_says_nothing() -> None:
    draft = manuscript(
        "Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles [1].\n"
        "Vaccination campaigns halved measles outbreaks among toddlers [1].",
        {"1": PAGE},
    )
    shared = tuple(
        type(statement)(
            id=statement.id,
            text=statement.text,
            place=statement.place,
            shared_citation_ids=statement.citation_ids,
        )
        for statement in draft.statements
    )
    draft = type(draft)(
        text=draft.text,
        format=draft.format,
        statements=shared,
        citations=draft.citations,
        references=draft.references,
    )

    assert verdicts(check(draft, desk_with(SOURCE))) == [V.SUPPORTED]


def test_an_uncited_number_and_a_missing_reference_are_told() -> None:
    draft = manuscript("Prices rose by 40 % within a year.\nThis was to be expected [7].", {})

    report = check(draft, Desk())

    assert [finding.verdict for finding in report.findings] == [V.NO_REFERENCE, V.UNCITED]
    assert "7" in report.findings[0].reason
    assert report.findings[1].place is not None
    assert report.findings[1].place.line == 1


def test_the_summary_counts_and_names_the_worst_first() -> None:
    draft = manuscript(
        "Prices rose by 40 % within a year.\n"
        "High storage temperature decreases the loss of capacity [1].\n"
        "The study followed 412 households in Norway between 2016 and 2021 [1].",
        {"1": PAGE},
    )

    report = check(draft, desk_with(SOURCE))

    assert report.findings[0].verdict is V.CONTRADICTED
    assert report.summary.verdicts == {"contradicted": 1, "uncited": 1, "supported": 1, "found": 1}
    assert [line.split(":")[0] for line in report.summary.worst] == ["line 2"]
    assert not report.summary.is_clean
    assert report.judge == "lexical"


def test_a_finding_names_the_reference_whose_source_decided_it() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"# Other things\n\nNothing here is about cells. {FILLER}")
    draft = manuscript(
        "Lithium iron phosphate cells kept 62 % of their capacity after 3,000 cycles at 25 degrees Celsius [1, 2].",
        {"1": other, "2": PAGE},
    )

    found = find(check(draft, desk))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    assert found.reference_id == "r2"
