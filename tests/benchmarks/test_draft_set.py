"""The set of drafts and its scorer, with reports written by hand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from benchmarks.draft_check.draft_gold import FAULTS, CitationKind, DraftSpecimen, GoldCitation
from benchmarks.draft_check.draft_recipes import build_specimens
from benchmarks.draft_check.draft_scoring import fold_letters, score_draft, sum_scores
from benchmarks.draft_check.handwritten_drafts import load_handwritten
from benchmarks.draft_check.section import REQUIRED_KINDS
from citewell.citations.references.reference_fields import Reference
from citewell.drafts.draft import CitationForm, Draft, DraftCitation, DraftPlace, DraftReference
from citewell.drafts.draft_findings import (
    DraftFinding,
    DraftReport,
    DraftSummary,
    DraftVerdict,
    FindingPlace,
)

TEXT = "The sea rises by 4 millimetres a year [1]."


@pytest.fixture(scope="module")
def specimens() -> tuple[DraftSpecimen, ...]:
    return (*load_handwritten(), *build_specimens())


def test_the_set_has_the_promised_size_and_share_of_faults(
    specimens: tuple[DraftSpecimen, ...],
) -> None:
    kinds = Counter(one.kind for text in specimens for one in text.citations)

    assert len(specimens) >= 40
    assert kinds.total() >= 600
    assert 0.3 <= 1 - kinds[CitationKind.SOUND] / kinds.total() <= 0.4
    assert min(kinds[kind] for kind in FAULTS) >= 15
    assert sum(text.is_handwritten for text in specimens) >= 15
    assert {text.language for text in specimens} == {"en", "de", "fr", "es"}
    assert len({text.format for text in specimens}) == 6


def test_the_unseen_half_has_enough_of_every_kind(specimens: tuple[DraftSpecimen, ...]) -> None:
    unseen = [text for text in specimens if text.half == "unseen"]
    kinds = Counter(one.kind for text in unseen for one in text.citations)

    assert len(unseen) >= 26
    assert sum(text.is_handwritten for text in unseen) >= 10
    assert kinds.total() >= 450
    assert 0.37 <= 1 - kinds[CitationKind.SOUND] / kinds.total() <= 0.43
    assert min(kinds[kind] for kind in REQUIRED_KINDS) >= 24
    assert kinds[CitationKind.NUMBER_CHANGED] >= 110
    assert min(kinds[kind] for kind in FAULTS) >= 14
    assert {text.language for text in unseen} == {"en", "de", "fr", "es"}
    assert len({text.format for text in unseen}) == 6


def test_no_text_of_the_unseen_half_writes_the_address_of_a_seen_source(
    specimens: tuple[DraftSpecimen, ...],
) -> None:
    seen = {one.source for text in specimens if text.half == "seen" for one in text.citations}
    written = "\n".join(
        f"{text.body}\n{text.bibliography}".lower() for text in specimens if text.half == "unseen"
    )

    addresses = {one for one in seen if one.startswith(("10.", "http"))}
    found = {
        one for one in addresses if re.search(re.escape(one.lower()) + r"(?![\w/(-])", written)
    }
    assert found == set()


def test_every_built_statement_stands_once_in_its_text(
    specimens: tuple[DraftSpecimen, ...],
) -> None:
    # A work's own title may come again in the list of references.
    repeated = [
        (text.id, one.fragment)
        for text in specimens
        for one in text.citations
        if text.half == "unseen"
        and one.source.startswith("http")
        and fold_letters(text.body).count(fold_letters(one.fragment)) != 1
    ]

    assert repeated == []


def test_no_source_is_cited_in_both_halves(specimens: tuple[DraftSpecimen, ...]) -> None:
    halves = defaultdict(set)
    for text in specimens:
        for one in text.citations:
            halves[one.source].add(text.half)

    assert [source for source, found in halves.items() if len(found) > 1] == []


def test_every_gold_citation_says_where_it_stands(specimens: tuple[DraftSpecimen, ...]) -> None:
    lost = [
        (text.id, one.fragment)
        for text in specimens
        for one in text.citations
        if len(one.fragment) < 8 or "⟪" in one.fragment or not one.signatures
    ]

    assert lost == []


def test_a_contradicted_sound_statement_is_counted_against_the_check() -> None:
    scored = score_draft(
        _build_specimen(CitationKind.SOUND), _build_draft(), _build_report("contradicted")
    )

    score = sum_scores([scored])

    assert score.contradicted == 1
    assert score.precision == 0.0
    assert score.linked == 1


def test_a_changed_number_that_is_contradicted_is_found_at_its_place() -> None:
    scored = score_draft(
        _build_specimen(CitationKind.NUMBER_CHANGED),
        _build_draft(),
        _build_report("contradicted"),
    )

    score = sum_scores([scored])

    assert score.find_recall([CitationKind.NUMBER_CHANGED]) == 1.0
    assert score.precision == 1.0
    assert score.placed == 1


def test_a_verdict_on_the_reference_is_wrong_where_the_statement_is_at_fault() -> None:
    scored = score_draft(
        _build_specimen(CitationKind.NUMBER_CHANGED),
        _build_draft(),
        _build_report("dead_link", subject="reference"),
    )

    score = sum_scores([scored])

    assert score.find_recall([CitationKind.NUMBER_CHANGED]) == 0.0
    assert score.precision == 0.0


def test_of_two_marks_equally_near_the_one_after_the_statement_counts() -> None:
    text = "Tides come first [1] and the sea rises by 4 millimetres a year [2]."
    marks = [
        DraftCitation(
            id=f"c{number}",
            form=CitationForm.NUMBER,
            text=f"[{number}]",
            place=DraftPlace(
                start=(at := text.index(f"[{number}]")), end=at + 3, line=1, column=at + 1
            ),
            reference_ids=(f"r{number}",),
        )
        for number in (1, 2)
    ]
    draft = _build_draft()
    second = replace(draft.references[0], id="r2")
    two_marks = replace(draft, text=text, citations=tuple(marks), references=(second,))
    gold = GoldCitation(
        kind=CitationKind.SOUND,
        source="x",
        signatures=("Why the sea is rising",),
        fragment="and the sea rises by 4 millimetres a year",
    )
    specimen = replace(_build_specimen(CitationKind.SOUND), body=text, citations=(gold,))

    scored = score_draft(specimen, two_marks, _build_report("supported"))

    assert scored.citations[0].is_linked


def _build_specimen(kind: CitationKind) -> DraftSpecimen:
    gold = GoldCitation(
        kind=kind, source="x", signatures=("Why the sea is rising",), fragment="millimetres a year"
    )
    return DraftSpecimen(
        id="x",
        half="seen",
        format="plain",
        language="en",
        manner="person",
        is_handwritten=True,
        body=TEXT,
        citations=(gold,),
    )


def _build_draft() -> Draft:
    place = DraftPlace(start=TEXT.index("["), end=len(TEXT) - 1, line=1, column=39)
    return Draft(
        text=TEXT,
        format="plain",
        citations=(
            DraftCitation(
                id="c1",
                form=CitationForm.NUMBER,
                text="[1]",
                place=place,
                reference_ids=("r1",),
            ),
        ),
        references=(
            DraftReference(
                id="r1", reference=Reference(raw="Climate Facts. Why the sea is rising.")
            ),
        ),
    )


def _build_report(verdict: str, *, subject: str = "statement") -> DraftReport:
    place = FindingPlace(line=1, column=1, end_line=1, end_column=42, start=0, end=len(TEXT))
    finding = DraftFinding(
        id="f1",
        verdict=DraftVerdict(verdict),
        subject=subject,
        text=TEXT,
        place=place,
        reference_id="r1",
        reason="Because.",
    )
    summary = DraftSummary(
        statements=1,
        distinct_statements=1,
        citations=1,
        references=1,
        sources_read=1,
        verdicts={verdict: 1},
        worst=(),
        is_clean=False,
    )
    return DraftReport(
        summary=summary, findings=(finding,), judge="lexical", shared=(), checked_at="2026-01-01"
    )
