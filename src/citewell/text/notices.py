"""What indexes of literature say was published about a work afterwards, in our words."""

from __future__ import annotations

import re

from citewell.model.paper import Event, Notice
from citewell.text import dois, fields
from citewell.text.markup import clean

# Only what happened to the work itself: "Retraction of" stands in the notice's own record.
_KINDS = {
    "retractionin": (Notice.RETRACTION, "retraction"),
    "partialretractionin": (Notice.RETRACTION, "partial_retraction"),
    "retractedandrepublishedin": (Notice.RETRACTION, "retracted_and_republished"),
    "withdrawalin": (Notice.RETRACTION, "withdrawal"),
    "removalin": (Notice.RETRACTION, "removal"),
    "expressionofconcernin": (Notice.CONCERN, "expression_of_concern"),
    "erratumin": (Notice.CORRECTION, "erratum"),
    "correctionin": (Notice.CORRECTION, "correction"),
    "corrigendumin": (Notice.CORRECTION, "corrigendum"),
    "addendumin": (Notice.CORRECTION, "addendum"),
    "correctedandrepublishedin": (Notice.CORRECTION, "corrected_and_republished"),
    "reinstatementin": (Notice.REINSTATEMENT, "reinstatement"),
    "reinstatedin": (Notice.REINSTATEMENT, "reinstatement"),
}
_REINSTATED = re.compile(r"\breinstate(?:d|ment)\b", re.IGNORECASE)
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Winter|Spring|Summer|Autumn|Fall"
_DATED = re.compile(rf"(?:^|[.\s])(\d{{4}}(?:\s+(?:{_MONTHS})\S*(?:\s+\d{{1,2}})?)?)\s*[;:.]")
_RETRACTED = "retracted publication"


def event(relation: str, reference: str, *, source: str, note: str = "") -> Event | None:
    """The notice that a relation such as RetractionIn points to; None when it is no notice.

    `reference` cites the notice: Lancet. 2010 Feb 6;375(9713):445. doi: 10.1016/…
    """
    known = _KINDS.get(re.sub(r"[^a-z]", "", relation.lower()))
    if known is None:
        return None
    kind, label = known
    if _REINSTATED.search(f"{reference} {note}"):
        kind, label = Notice.REINSTATEMENT, "reinstatement"
    remark = clean(note)
    return Event(
        kind=kind,
        source=source,
        label=label,
        date=_date(clean(reference)),
        notice_doi=dois.find(reference),
        reasons=(remark,) if remark else (),
    )


def flagged(events: tuple[Event, ...], types: tuple[str, ...], *, source: str) -> tuple[Event, ...]:
    """The events, and a bare retraction where only the publication type tells of one."""
    told = any(one.kind in {Notice.RETRACTION, Notice.REINSTATEMENT} for one in events)
    if told or all(one.strip().lower() != _RETRACTED for one in types):
        return events
    return (*events, Event(kind=Notice.RETRACTION, source=source, label="retraction"))


def _date(reference: str) -> str | None:
    before = re.split(r"\bdoi\b|10\.\d{4}", reference, maxsplit=1, flags=re.IGNORECASE)[0]
    match = _DATED.search(before)
    return fields.issued(match[1] if match else before)
