"""What could be written instead in a reference: the right DOI, year or address, an archived copy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from citewell.citations import bibliographies, dois
from citewell.citations.citable_works import convert_paper
from citewell.core.values.citation_checks import FieldCorrection
from citewell.core.values.paper import Paper
from citewell.drafts.draft import Draft, DraftPlace, DraftReference
from citewell.drafts.draft_findings import DraftRepair, DraftVerdict, FindingPlace
from citewell.drafts.reference_verdicts import ReferenceVerdict
from citewell.drafts.source_reading import choose_cited_paper
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.finding_advice import describe_found_record
from citewell.trust.reference_lookup import parse_prose_citation
from citewell.trust.work_identity import FieldAgreement, build_cited_work, compare_with_record

_REPAIRED_FIELDS = frozenset({"title", "authors", "year"})
_EXCHANGE_STYLES = frozenset({"bibtex", "ris", "csl-json"})
_MAX_NEAREST = 2
_WRONG_RECORD_VERDICTS = frozenset(
    {DraftVerdict.WRONG_DETAILS, DraftVerdict.WRONG_WORK, DraftVerdict.REFERENCE_NOT_FOUND}
)


def list_reference_repairs(
    draft: Draft,
    cited: DraftReference,
    entry: ExaminedEntry,
    verdict: ReferenceVerdict,
    *,
    style: str | None,
    today: date,
) -> tuple[DraftRepair, ...]:
    """The repairs for what is wrong; certain ones only where the identity is proved."""
    found: list[DraftRepair] = []
    verdicts = set(verdict.reasons)
    if verdicts & _WRONG_RECORD_VERDICTS:
        found += _list_record_repairs(draft, cited, entry)
        paper = choose_cited_paper(entry)
        if style and paper is not None:
            found.append(_build_styled_repair(cited, paper, style, today))
    if DraftVerdict.REFERENCE_NOT_FOUND in verdicts:
        found += _list_nearest_works(entry)
    if verdicts & {DraftVerdict.DEAD_LINK, DraftVerdict.MOVED}:
        found += _list_link_repairs(draft, cited, entry)
    if DraftVerdict.RETRACTED in verdicts:
        found.append(
            DraftRepair(
                kind="remove",
                text="Cite another source, or say that it was retracted.",
                old=cited.reference.raw[:300] or None,
            )
        )
    return tuple(found)


def _list_record_repairs(
    draft: Draft, cited: DraftReference, entry: ExaminedEntry
) -> Iterator[DraftRepair]:
    finding = entry.finding
    if (right := finding.suggested_doi) is not None and finding.other_paper is not None:
        yield _build_doi_repair(draft, cited, right, finding.other_paper)
    for field in finding.corrections:
        if field.field in _REPAIRED_FIELDS:
            yield _build_field_repair(draft, cited, entry, field)
    if entry.case is not None and entry.case.suggested_citation:
        yield DraftRepair(
            kind="title",
            text=f"The case is at {entry.case.suggested_citation}.",
            old=cited.reference.raw[:300] or None,
            new=entry.case.suggested_citation,
        )


def _build_doi_repair(draft: Draft, cited: DraftReference, right: str, paper: Paper) -> DraftRepair:
    """The DOI of the work that is described; certain if title and author are that record's."""
    reference = cited.reference
    written = _find_written_doi(draft, cited)
    described = build_cited_work(reference, structured=True)
    if not reference.kind:
        described = parse_prose_citation(reference)
    identity = compare_with_record(described, paper)
    is_proved = (
        identity.title.state is FieldAgreement.MATCH
        and identity.author.state is FieldAgreement.MATCH
        and identity.year.state is not FieldAgreement.MISMATCH
    )
    place = _find_text_place(draft, cited, written) if written else None
    return DraftRepair(
        kind="doi",
        text=f"The work described has the DOI {right}: {describe_found_record(paper)}.",
        old=written or reference.doi,
        new=right,
        is_certain=is_proved and (place is not None or _can_replace(cited, written)),
        place=build_finding_place(draft, place) if place else None,
    )


def _build_field_repair(
    draft: Draft, cited: DraftReference, entry: ExaminedEntry, field: FieldCorrection
) -> DraftRepair:
    """What the record has; a year can be put in where title and author agree with the record."""
    identity = entry.finding.identity
    is_proved = (
        field.field == "year"
        and identity is not None
        and entry.finding.paper is not None
        and identity.title.state is FieldAgreement.MATCH
        and identity.author.state is FieldAgreement.MATCH
    )
    place = _find_text_place(draft, cited, field.cited, is_whole_word=field.field == "year")
    return DraftRepair(
        kind=field.field,
        text=f"The record gives the {field.field} {field.record.rstrip('.')}.",
        old=field.cited,
        new=field.record,
        is_certain=is_proved and (place is not None or _can_replace(cited, field.cited)),
        place=build_finding_place(draft, place) if place else None,
    )


def _build_styled_repair(
    cited: DraftReference, paper: Paper, style: str, today: date
) -> DraftRepair:
    work = convert_paper(paper)
    if style in _EXCHANGE_STYLES:
        written = bibliographies.render_bibliography([work], style=style, accessed=today)
    else:
        written = bibliographies.format_style_entry(work, style=style, accessed=today)
    return DraftRepair(
        kind="reference",
        text=f"The full reference according to the record: {written}",
        old=cited.reference.raw[:1000] or None,
        new=written,
    )


def _list_nearest_works(entry: ExaminedEntry) -> Iterator[DraftRepair]:
    for paper in entry.finding.nearest[:_MAX_NEAREST]:
        yield DraftRepair(
            kind="other_source",
            text=f"A registered work with a similar title: {describe_found_record(paper)}.",
            new=paper.doi,
        )


def _list_link_repairs(
    draft: Draft, cited: DraftReference, entry: ExaminedEntry
) -> Iterator[DraftRepair]:
    link, url = entry.link, cited.reference.url
    if link is None:
        return
    place = _find_text_place(draft, cited, url)
    shown = build_finding_place(draft, place) if place else None
    if link.moved_to:
        yield DraftRepair(
            kind="address",
            text=f"The page is now at {link.moved_to}.",
            old=url,
            new=link.moved_to,
            is_certain=place is not None or _can_replace(cited, url),
            place=shown,
        )
    if link.state == "dead" and link.archived:
        yield DraftRepair(
            kind="archived_copy",
            text=f"An archived copy is at {link.archived}.",
            old=url,
            new=link.archived,
            place=shown,
        )


def _find_written_doi(draft: Draft, cited: DraftReference) -> str:
    """The DOI as it stands in the draft, where capitals may differ; empty if it is not there."""
    doi = cited.reference.doi
    if doi is None:
        return ""
    text = _cut_reference_text(draft, cited) or cited.reference.raw
    at = text.lower().find(doi.lower())
    return text[at : at + len(doi)] if at >= 0 else dois.find_doi(text) or ""


def _cut_reference_text(draft: Draft, cited: DraftReference) -> str:
    return draft.text[cited.place.start : cited.place.end] if cited.place else ""


def _find_text_place(
    draft: Draft, cited: DraftReference, text: str, *, is_whole_word: bool = False
) -> DraftPlace | None:
    """Where a text stands in the reference, if it stands there exactly once."""
    if cited.place is None or not text:
        return None
    held = _cut_reference_text(draft, cited)
    at = _find_only_match(held, text, is_whole_word=is_whole_word)
    if at is None:
        return None
    start = cited.place.start + at
    line = cited.place.line + held.count("\n", 0, at)
    last = held.rfind("\n", 0, at)
    column = at - last if last >= 0 else cited.place.column + at
    return DraftPlace(
        start=start, end=start + len(text), line=line, column=column, file=cited.place.file
    )


def _can_replace(cited: DraftReference, text: str) -> bool:
    """Whether a text stands exactly once, as words of its own, in an entry of another file."""
    if cited.place is not None or not text:
        return False
    return _find_only_match(cited.reference.raw, text, is_whole_word=True) is not None


def _find_only_match(held: str, text: str, *, is_whole_word: bool) -> int | None:
    if held.count(text) != 1:
        return None
    at = held.index(text)
    around = held[max(0, at - 1) : at] + held[at + len(text) : at + len(text) + 1]
    return None if is_whole_word and any(map(str.isalnum, around)) else at


# Places of a draft as findings show them, with their end.


def build_finding_place(draft: Draft, place: DraftPlace) -> FindingPlace:
    held = draft.text[place.start : place.end]
    lines = held.count("\n")
    last = held.rfind("\n")
    return FindingPlace(
        line=place.line,
        column=place.column,
        end_line=place.line + lines,
        end_column=len(held) - last if lines else place.column + len(held),
        start=place.start,
        end=place.end,
        file=place.file or None,
    )
