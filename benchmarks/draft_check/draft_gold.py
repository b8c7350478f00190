"""What is true of each citation of the evaluation's texts, and which verdicts tell it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from citewell.drafts.draft_findings import DraftVerdict

HALVES = ("seen", "unseen")


class CitationKind(StrEnum):
    """Sound, or one of the ten faults that are planted."""

    SOUND = "sound"
    INVENTED = "invented"
    NEIGHBOUR_DOI = "neighbour's DOI"
    WRONG_AUTHOR = "wrong author"
    WRONG_YEAR = "wrong year"
    RETRACTED = "retracted"
    DEAD = "dead"
    MOVED = "moved"
    NUMBER_CHANGED = "number changed"
    NOT_IN_SOURCE = "not in the source"
    CONTRARY = "contrary to the source"


FAULTS = tuple(kind for kind in CitationKind if kind is not CitationKind.SOUND)
STATEMENT_FAULTS = frozenset(
    {CitationKind.NUMBER_CHANGED, CitationKind.NOT_IN_SOURCE, CitationKind.CONTRARY}
)
STATEMENT_VERDICTS = frozenset(
    {DraftVerdict.CONTRADICTED, DraftVerdict.NOT_IN_SOURCE, DraftVerdict.PARTLY}
)
# The verdicts by which a fault counts as told for what it is.
EXPECTED_VERDICTS: dict[CitationKind, frozenset[DraftVerdict]] = {
    CitationKind.SOUND: frozenset(),
    CitationKind.INVENTED: frozenset({DraftVerdict.REFERENCE_NOT_FOUND}),
    CitationKind.NEIGHBOUR_DOI: frozenset({DraftVerdict.WRONG_WORK}),
    CitationKind.WRONG_AUTHOR: frozenset({DraftVerdict.WRONG_DETAILS}),
    CitationKind.WRONG_YEAR: frozenset({DraftVerdict.WRONG_DETAILS}),
    CitationKind.RETRACTED: frozenset({DraftVerdict.RETRACTED}),
    CitationKind.DEAD: frozenset({DraftVerdict.DEAD_LINK}),
    CitationKind.MOVED: frozenset({DraftVerdict.MOVED}),
    CitationKind.NUMBER_CHANGED: STATEMENT_VERDICTS,
    CitationKind.NOT_IN_SOURCE: frozenset({DraftVerdict.NOT_IN_SOURCE}),
    CitationKind.CONTRARY: frozenset({DraftVerdict.CONTRADICTED}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldCitation:
    """One reference that one mark stands for; `[1, 3]` is two of them."""

    kind: CitationKind
    source: str  # a DOI, an address or a name, by which the halves are kept apart
    signatures: tuple[str, ...]  # title, DOI or address: one of them is in the reference
    fragment: str  # words of the statement, next to the mark


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSpecimen:
    """One text of the evaluation. Addresses in it are the real ones; a run puts the loopback ones in."""

    id: str
    half: str
    format: str  # markdown, plain, html, latex, docx or pdf
    language: str
    manner: str  # person or model
    is_handwritten: bool
    body: str  # the text, or the source that .docx and .pdf files are made of
    bibliography: str = ""
    citations: tuple[GoldCitation, ...] = field(default=())
