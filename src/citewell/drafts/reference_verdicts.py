"""The verdicts on a reference from what registries and its link say, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from citewell.citations.references.reference_fields import Reference
from citewell.core.values.court_case import CaseVerdict
from citewell.core.values.scrape_results import RetractionStatus
from citewell.drafts.draft import Draft, DraftReference, DraftStatement
from citewell.drafts.draft_findings import DraftVerdict
from citewell.trust import audit_findings, reference_lookup
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.finding_advice import describe_found_record, start_sentence

_NOTED_KINDS = {
    "correction": "A correction was published",
    "expression_of_concern": "An expression of concern was published",
    "unconfirmed_retraction": "One source says that it was retracted, which no registry confirms",
}
NO_TIME_REASON = (
    "Not checked: the time limit was reached. Run the check again; the results so far are kept."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceVerdict:
    """All verdicts on one reference, the worst first; at least one."""

    reasons: dict[DraftVerdict, str]

    @property
    def worst(self) -> DraftVerdict:
        return next(iter(self.reasons))

    @property
    def reason(self) -> str:
        return " ".join(self.reasons.values())

    @property
    def others(self) -> tuple[DraftVerdict, ...]:
        return tuple(self.reasons)[1:]


def judge_reference(
    entry: ExaminedEntry | None, *, offline: bool, focus: CheckFocus
) -> ReferenceVerdict:
    """The verdicts; None was not reached in time. Nobody is accused for a registry's silence."""
    if entry is None:
        return ReferenceVerdict(reasons={DraftVerdict.UNCHECKED: NO_TIME_REASON})
    flags = audit_findings.collect_entry_flags(entry, twin=None, offline=offline)
    found: dict[DraftVerdict, str] = {}
    for flag, reason in flags.items():
        verdict = _find_flag_verdict(flag, entry)
        if verdict is not None:
            found[verdict] = start_sentence(reason)
    if entry.link is not None and entry.link.moved_to:
        found[DraftVerdict.MOVED] = f"The page has moved to {entry.link.moved_to}."
    if (notice := _describe_notice(entry.finding.retraction)) is not None:
        found[DraftVerdict.CORRECTED] = notice
    order = list(DraftVerdict)
    kept = {
        verdict: found[verdict]
        for verdict in sorted(found, key=order.index)
        if verdict not in _UNASKED_VERDICTS.get(focus, ())
    }
    return ReferenceVerdict(reasons=kept or {DraftVerdict.FOUND: _describe_found(entry, focus)})


def _find_flag_verdict(flag: str, entry: ExaminedEntry) -> DraftVerdict | None:
    if flag == audit_findings.MISMATCH:
        is_other_case = entry.case is not None and entry.case.verdict is CaseVerdict.WRONG_CASE
        if is_other_case or entry.finding.is_another_work:
            return DraftVerdict.WRONG_WORK
        return DraftVerdict.WRONG_DETAILS
    if flag == audit_findings.NOT_FOUND and entry.finding.suggested_doi:
        return DraftVerdict.WRONG_DETAILS  # the work exists, under another identifier
    return {
        audit_findings.RETRACTED: DraftVerdict.RETRACTED,
        audit_findings.NOT_FOUND: DraftVerdict.REFERENCE_NOT_FOUND,
        audit_findings.DEAD: DraftVerdict.DEAD_LINK,
        audit_findings.UNCHECKED_FLAG: DraftVerdict.UNCHECKED,
    }.get(flag)


def _describe_notice(status: RetractionStatus | None) -> str | None:
    if status is None or status.retracted or status.kind not in _NOTED_KINDS:
        return None
    when = f" on {status.date}" if status.date else ""
    where = f" (DOI {status.notice_doi})" if status.notice_doi else ""
    return f"{_NOTED_KINDS[status.kind]}{when}{where}."


def _describe_found(entry: ExaminedEntry, focus: CheckFocus) -> str:
    if focus is CheckFocus.LINKS:
        return "The link works." if entry.link is not None else "It has no link to check."
    if entry.finding.paper is not None:
        return f"Registered: {describe_found_record(entry.finding.paper)}."
    if entry.case is not None and entry.case.case is not None:
        return f"Found: {entry.case.case.name}."
    return "The page can be reached." if entry.link is not None else "No problem was found."


# What of a draft is checked: each distinct reference once, and the statements that cite it.


class CheckFocus(StrEnum):
    EXISTENCE = "existence"
    SUPPORT = "support"
    LINKS = "links"
    ALL = "all"

    @property
    def asks_support(self) -> bool:
        return self in {CheckFocus.SUPPORT, CheckFocus.ALL}


_UNASKED_VERDICTS = {
    CheckFocus.LINKS: frozenset(DraftVerdict)
    - {DraftVerdict.DEAD_LINK, DraftVerdict.MOVED, DraftVerdict.UNCHECKED},
    CheckFocus.EXISTENCE: frozenset({DraftVerdict.MOVED}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """A reference that is looked up and read once, with all places of the draft that mean it."""

    reference: Reference  # what may be told to registries
    is_structured: bool  # its fields were given, not guessed from text
    reference_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    sources: tuple[CitedSource, ...]
    source_by_reference: Mapping[str, int]  # the place in `sources`
    statements: tuple[DraftStatement, ...]  # that cite something, by themselves or together
    citations_by_id: Mapping[str, tuple[str, ...]]  # the references that each citation means
    skipped_count: int = 0

    def list_cited_sources(self, citation_ids: Sequence[str]) -> tuple[int, ...]:
        """The places of the sources that these citations mean, each once."""
        references = (
            reference for each in citation_ids for reference in self.citations_by_id.get(each, ())
        )
        found = (self.source_by_reference.get(reference) for reference in references)
        return tuple(dict.fromkeys(row for row in found if row is not None))


def build_check_plan(draft: Draft, *, max_statements: int) -> CheckPlan:
    """The plan; statements beyond `max_statements` are counted as skipped."""
    sources: dict[Reference, CitedSource] = {}
    for entry in draft.references:
        reference = prepare_reference(entry)
        structured = bool(reference.kind) or (not entry.is_listed and bool(reference.authors))
        key = reference_lookup.build_lookup_key(reference, structured=structured)
        known = sources.get(key)
        ids = (*(known.reference_ids if known else ()), entry.id)
        sources[key] = CitedSource(
            reference=known.reference if known else reference,
            is_structured=structured,
            reference_ids=ids,
        )
    listed = tuple(sources.values())
    cited = [
        statement
        for statement in draft.statements
        if statement.citation_ids or statement.shared_citation_ids
    ]
    return CheckPlan(
        sources=listed,
        source_by_reference={
            each: place for place, source in enumerate(listed) for each in source.reference_ids
        },
        statements=tuple(cited[:max_statements]),
        skipped_count=max(0, len(cited) - max_statements),
        citations_by_id={citation.id: citation.reference_ids for citation in draft.citations},
    )


def prepare_reference(cited: DraftReference) -> Reference:
    """The reference as it may be looked up.

    The text of a link is a part of the draft, so a reference that is made of a link or of an
    identifier in the text is looked up by these alone; the authors and the year beside it are
    compared here.
    """
    reference = reference_lookup.add_address_identifiers(cited.reference)
    if cited.is_listed or not (reference.ids or reference.url):
        return reference
    return Reference(
        raw=reference.url or " ".join(each.value for each in reference.ids),
        url=reference.url,
        ids=reference.ids,
        kind=reference.kind,
        authors=reference.authors if reference.ids else (),
        year=reference.year if reference.ids else None,
        and_others=reference.and_others,
    )
