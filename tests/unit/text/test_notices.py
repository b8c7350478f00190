"""What happened to a work, and what only stands beside it."""

from __future__ import annotations

import pytest

from citewell.model.paper import Event, Notice
from citewell.text import notices

LANCET = "Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/S0140-6736(10)60175-4."


@pytest.mark.parametrize(
    ("relation", "kind", "label"),
    [
        ("RetractionIn", Notice.RETRACTION, "retraction"),
        ("Retraction in", Notice.RETRACTION, "retraction"),
        ("PartialRetractionIn", Notice.RETRACTION, "partial_retraction"),
        ("RetractedandRepublishedIn", Notice.RETRACTION, "retracted_and_republished"),
        ("Expression of concern in", Notice.CONCERN, "expression_of_concern"),
        ("ErratumIn", Notice.CORRECTION, "erratum"),
        ("CorrectedandRepublishedIn", Notice.CORRECTION, "corrected_and_republished"),
        ("ReinstatementIn", Notice.REINSTATEMENT, "reinstatement"),
    ],
)
def test_a_notice_says_its_kind_its_day_and_its_doi(
    relation: str, kind: Notice, label: str
) -> None:
    event = notices.event(relation, LANCET, source="pubmed")

    assert event == Event(
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
    assert notices.event(relation, LANCET, source="pubmed") is None


def test_a_note_of_reinstatement_is_not_a_retraction() -> None:
    event = notices.event("RetractionIn", LANCET, source="pubmed", note="Reinstated by the journal")

    assert event is not None
    assert event.kind is Notice.REINSTATEMENT
    assert event.reasons == ("Reinstated by the journal",)


@pytest.mark.parametrize(
    ("reference", "date"),
    [
        ("Proc 2010 Conf. 2011 Nov-Dec;3:1", "2011-11"), ("Science. 2010. doi: 10.1126/x.2019", "2010"),
        ("Commentary without a date", None), ("", None),
    ],
)  # fmt: skip
def test_the_date_is_that_of_the_notice(reference: str, date: str | None) -> None:
    event = notices.event("ErratumIn", reference, source="pubmed")

    assert event is not None
    assert event.date == date


def test_a_publication_type_alone_tells_of_a_retraction_once() -> None:
    types = ("Journal Article", "Retracted Publication")
    linked = (Event(kind=Notice.RETRACTION, source="pubmed", date="2010"),)

    bare = notices.flagged((), types, source="pubmed")

    assert [event.kind for event in bare] == [Notice.RETRACTION]
    assert notices.flagged(linked, types, source="pubmed") == linked
    assert notices.flagged((), ("Retraction of Publication",), source="pubmed") == ()
