"""What happened to a work, and what only stands beside it."""

from __future__ import annotations

import pytest

from citewell.citations import record_fields
from citewell.core.values.paper import IntegrityNotice, NoticeKind

LANCET = "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4."


@pytest.mark.parametrize(
    ("relation", "kind", "label"),
    [
        ("RetractionIn", NoticeKind.RETRACTION, "retraction"),
        ("Retraction in", NoticeKind.RETRACTION, "retraction"),
        ("PartialRetractionIn", NoticeKind.RETRACTION, "partial_retraction"),
        ("RetractedandRepublishedIn", NoticeKind.RETRACTION, "retracted_and_republished"),
        ("Expression of concern in", NoticeKind.CONCERN, "expression_of_concern"),
        ("ErratumIn", NoticeKind.CORRECTION, "erratum"),
        ("CorrectedandRepublishedIn", NoticeKind.CORRECTION, "corrected_and_republished"),
        ("ReinstatementIn", NoticeKind.REINSTATEMENT, "reinstatement"),
    ],
)
def test_a_notice_says_its_kind_its_day_and_its_doi(
    relation: str, kind: NoticeKind, label: str
) -> None:
    event = record_fields.parse_notice_relation(relation, LANCET, source="pubmed")

    assert event == IntegrityNotice(
        kind=kind,
        source="pubmed",
        label=label,
        date="2010-02-06",
        notice_doi="10.1016/s0140-6736(10)60175-4",
    )


@pytest.mark.parametrize(
    "relation",
    ["RetractionOf", "Retraction of", "ErratumFor", "ExpressionOfConcernFor", "CommentIn", "UpdateIn",
     "RetractedandRepublishedFrom", "PartialRetractionOf", "Cites", ""],
)  # fmt: skip
def test_what_the_work_itself_says_of_others_is_no_notice_about_it(relation: str) -> None:
    assert record_fields.parse_notice_relation(relation, LANCET, source="pubmed") is None


def test_a_note_of_reinstatement_is_not_a_retraction() -> None:
    event = record_fields.parse_notice_relation(
        "RetractionIn", LANCET, source="pubmed", note="Reinstated by the journal"
    )

    assert event is not None
    assert event.kind is NoticeKind.REINSTATEMENT
    assert event.reasons == ("Reinstated by the journal",)


@pytest.mark.parametrize(
    ("reference", "date"),
    [
        ("Proc 2010 Conf. 2011 Nov-Dec;3:1", "2011-11"), ("Science. 2010. doi: 10.1126/x.2019", "2010"),
        ("Commentary without a date", None), ("", None),
    ],
)  # fmt: skip
def test_the_date_is_that_of_the_notice(reference: str, date: str | None) -> None:
    event = record_fields.parse_notice_relation("ErratumIn", reference, source="pubmed")

    assert event is not None
    assert event.date == date


def test_a_publication_type_alone_tells_of_a_retraction_once() -> None:
    types = ("Journal Article", "Retracted Publication")
    linked = (IntegrityNotice(kind=NoticeKind.RETRACTION, source="pubmed", date="2010"),)

    bare = record_fields.add_retraction_flag((), types, source="pubmed")

    assert [event.kind for event in bare] == [NoticeKind.RETRACTION]
    assert record_fields.add_retraction_flag(linked, types, source="pubmed") == linked
    assert (
        record_fields.add_retraction_flag((), ("Retraction of Publication",), source="pubmed") == ()
    )
