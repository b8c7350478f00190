"""Converts the relations of literature indexes (RetractionIn, ErratumIn) to integrity notices."""

from __future__ import annotations

import re

from citewell.model.paper import IntegrityNotice, NoticeKind
from citewell.text.citations import dois, record_fields
from citewell.text.safety.markup_cleaning import clean_markup

# Only relations of the affected work: "RetractionOf" is in the record of the notice itself.
_NOTICE_RELATIONS = {
    "retractionin": (NoticeKind.RETRACTION, "retraction"),
    "partialretractionin": (NoticeKind.RETRACTION, "partial_retraction"),
    "retractedandrepublishedin": (NoticeKind.RETRACTION, "retracted_and_republished"),
    "withdrawalin": (NoticeKind.RETRACTION, "withdrawal"),
    "removalin": (NoticeKind.RETRACTION, "removal"),
    "expressionofconcernin": (NoticeKind.CONCERN, "expression_of_concern"),
    "erratumin": (NoticeKind.CORRECTION, "erratum"),
    "correctionin": (NoticeKind.CORRECTION, "correction"),
    "corrigendumin": (NoticeKind.CORRECTION, "corrigendum"),
    "addendumin": (NoticeKind.CORRECTION, "addendum"),
    "correctedandrepublishedin": (NoticeKind.CORRECTION, "corrected_and_republished"),
    "reinstatementin": (NoticeKind.REINSTATEMENT, "reinstatement"),
    "reinstatedin": (NoticeKind.REINSTATEMENT, "reinstatement"),
}
_REINSTATEMENT_PATTERN = re.compile(r"\breinstate(?:d|ment)\b", re.IGNORECASE)
_MONTH_OR_SEASON_REGEX = (
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Winter|Spring|Summer|Autumn|Fall"
)
_NOTICE_DATE_PATTERN = re.compile(
    rf"(?:^|[.\s])(\d{{4}}(?:\s+(?:{_MONTH_OR_SEASON_REGEX})[^\s;:]*(?:\s+\d{{1,2}})?)?)\s*[;:.]"
)
_YEAR_ONWARDS_PATTERN = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d(?!\d).{0,12})")
_RETRACTED_PUBLICATION_TYPE = "retracted publication"


def parse_notice_relation(
    relation: str, reference: str, *, source: str, note: str = ""
) -> IntegrityNotice | None:
    """The notice that a relation such as RetractionIn refers to; None for other relations.

    `reference` is the citation of the notice: Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/…
    """
    known = _NOTICE_RELATIONS.get(re.sub(r"[^a-z]", "", relation.lower()))
    if known is None:
        return None
    kind, label = known
    if _REINSTATEMENT_PATTERN.search(f"{reference} {note}"):
        kind, label = NoticeKind.REINSTATEMENT, "reinstatement"
    remark = clean_markup(note)
    return IntegrityNotice(
        kind=kind,
        source=source,
        label=label,
        date=_parse_notice_date(clean_markup(reference)),
        notice_doi=dois.find_doi(reference),
        reasons=(remark,) if remark else (),
    )


def add_retraction_flag(
    events: tuple[IntegrityNotice, ...], types: tuple[str, ...], *, source: str
) -> tuple[IntegrityNotice, ...]:
    """The notices, plus a retraction if only the publication type says "retracted publication"."""
    told = any(one.kind in {NoticeKind.RETRACTION, NoticeKind.REINSTATEMENT} for one in events)
    if told or all(one.strip().lower() != _RETRACTED_PUBLICATION_TYPE for one in types):
        return events
    return (*events, IntegrityNotice(kind=NoticeKind.RETRACTION, source=source, label="retraction"))


def _parse_notice_date(reference: str) -> str | None:
    before = re.split(r"\bdoi\b|10\.\d{4}", reference, maxsplit=1, flags=re.IGNORECASE)[0]
    match = _NOTICE_DATE_PATTERN.search(before) or _YEAR_ONWARDS_PATTERN.search(before)
    return record_fields.parse_issued_date(match[1]) if match else None
