"""Builds audit entries with flags and reasons from what was looked up, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.citation_checks import AuditEntry, AuditSummary, ClaimCheck
from citewell.model.domains.case_verdict import CheckedCitation
from citewell.model.paper import IdentifierScheme
from citewell.model.reference import Reference
from citewell.services.links.link_checks import LinkState
from citewell.services.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust import finding_advice
from citewell.services.trust.claim_coverage import NOT_ADDRESSED
from citewell.services.trust.claim_coverage import SOURCE_UNAVAILABLE as NO_SOURCE
from citewell.services.trust.legal_findings import (
    build_legal_entry_fields,
    find_legal_existence,
    find_legal_flag,
)
from citewell.services.trust.work_lookup import LOW, NONE, WORK_FOUND, WorkFinding
from citewell.text.citations import title_matching

RETRACTED, DEAD, NOT_FOUND, UNCHECKED_FLAG = "retracted", "dead_link", "not_found", "unchecked"
MISCHARACTERISED, MISMATCH, DUPLICATE = "mischaracterized", "mismatch", "duplicate"
NO_FINDING = WorkFinding(existence=UNCHECKED)
_WARNING_SHARE = 0.5
_SCHEME_LABELS = {
    IdentifierScheme.DOI: "DOI",
    IdentifierScheme.ARXIV: "arXiv id",
    IdentifierScheme.PMID: "PMID",
    IdentifierScheme.PMCID: "PMCID",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedEntry:
    reference: Reference
    finding: WorkFinding
    link: LinkState | None = None
    claim: ClaimCheck | None = None
    legal_form: str = ""
    case: CheckedCitation | None = None  # of a legal citation that was looked up
    identifier_fault: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether a page answers, or the registries of law have given their verdict."""
        return self.case is not None or bool(self.link_live)

    @property
    def link_live(self) -> bool | None:
        """Whether the link is not dead; None if it could not be checked."""
        if self.link is None or self.link.state == UNCHECKED:
            return None
        return self.link.state != "dead"


def build_audit_entries(examined: Sequence[ExaminedEntry]) -> list[AuditEntry]:
    """One audit entry for each, in order.

    If nothing at all could be reached, we are probably offline, and links without an HTTP status
    are not flagged as dead.
    """
    offline = not any(_has_any_answer(one) for one in examined)
    seen: dict[str, int] = {}
    found = []
    for index, one in enumerate(examined, start=1):
        twin = _find_duplicate_entry(one.reference, seen, index)
        found.append(
            _build_audit_entry(index, one, _collect_entry_flags(one, twin=twin, offline=offline))
        )
    return found


def summarize_audit(found: Sequence[AuditEntry], *, malformed: int) -> AuditSummary:
    counts = Counter(flag for entry in found for flag in entry.flags)
    claimed = [entry for entry in found if entry.claim]
    unread = sum(entry.claim_support == NO_SOURCE for entry in claimed)
    thin = sum(entry.sparsity_note is not None for entry in claimed)
    return AuditSummary(
        total=len(found),
        retracted=counts[RETRACTED],
        dead_link=counts[DEAD],
        not_found=counts[NOT_FOUND],
        unchecked=counts[UNCHECKED_FLAG],
        mischaracterized=counts[MISCHARACTERISED],
        ok=sum(not entry.flags for entry in found),
        mismatched=counts[MISMATCH],
        duplicates=counts[DUPLICATE],
        malformed=malformed,
        claim_check_skipped_count=unread if claimed else None,
        thin_content_count=thin if claimed else None,
        warning=_describe_audit_warning(len(found), counts[UNCHECKED_FLAG], malformed),
    )


def _describe_audit_warning(total: int, unchecked: int, malformed: int) -> str | None:
    said = [] if total or malformed else ["No reference was found."]
    if total and unchecked > total * _WARNING_SHARE:
        said.append(
            f"{unchecked} of {total} entries could not be checked: registries may be unreachable. Try again later."
        )
    if malformed:
        records = "1 damaged record is" if malformed == 1 else f"{malformed} damaged records are"
        said.append(f"{records} listed under malformed; see the lines named there.")
    return " ".join(said) or None


def _has_any_answer(one: ExaminedEntry) -> bool:
    return (
        one.finding.existence != UNCHECKED
        or one.finding.searched_without_match
        or bool(one.link and one.link.status)
        or (one.case is not None and find_legal_existence(one.case) != UNCHECKED)
    )


def _collect_entry_flags(one: ExaminedEntry, *, twin: int | None, offline: bool) -> dict[str, str]:
    """Each flag with its reason, the most serious first."""
    found: dict[str, str] = {}
    finding, link = one.finding, one.link
    if one.case is not None and (flag := find_legal_flag(one.case)):
        found[flag] = one.case.reason
    if finding.retraction is not None and finding.retraction.retracted:
        found[RETRACTED] = _explain_retracted(finding)
    if finding.existence == NOT_REGISTERED:
        found[NOT_FOUND] = _explain_not_registered(one)
    if finding.is_contradicted and finding.paper is not None and finding.identity is not None:
        found[MISMATCH] = _explain_mismatch(finding)
    if link is not None and one.link_live is False and not (offline and not link.status):
        found[DEAD] = _explain_dead_link(link)
    if one.claim is not None and one.claim.claim_support == NOT_ADDRESSED:
        found[MISCHARACTERISED] = "the source was read and shares no specific word with the claim."
    if NOT_FOUND not in found and finding.existence != WORK_FOUND and not one.is_settled:
        found[UNCHECKED_FLAG] = _explain_unchecked(one)
    if twin is not None:
        found[DUPLICATE] = f"the same work as entry {twin}."
    return found


def _explain_retracted(finding: WorkFinding) -> str:
    status = finding.retraction
    if status is None:
        return ""
    when = f" on {status.date}" if status.date else ""
    notice = f"; notice {status.notice_doi}" if status.notice_doi else ""
    return f"the work was retracted{when} according to {status.source or 'its registry'}{notice}."


def _explain_not_registered(one: ExaminedEntry) -> str:
    first = one.reference.ids[0] if one.reference.ids else None
    which = (
        f"{_SCHEME_LABELS.get(first.scheme, first.scheme)} {first.value}"
        if first
        else "The identifier"
    )
    right = one.finding.suggested_doi
    offered = f" A work with this title has DOI {right}." if right else ""
    return f"{which} is not registered; it may be invented or mistyped.{offered}"


def _explain_mismatch(finding: WorkFinding) -> str:
    said = "; ".join(finding.identity.reasons) if finding.identity else ""
    right = (
        f" The words of the entry fit DOI {finding.suggested_doi}." if finding.suggested_doi else ""
    )
    return f"the record is not the work described: {said}.{right}"


def _explain_dead_link(link: LinkState) -> str:
    why = ", ".join(
        part for part in (f"HTTP {link.status}" if link.status else "", link.reason or "") if part
    )
    copy = "; an archived copy exists" if link.archived else ""
    return f"the link is dead ({why or 'no server answered'}{copy})."


def _explain_unchecked(one: ExaminedEntry) -> str:
    if one.legal_form:
        return finding_advice.describe_legal_citation(
            one.legal_form, one.reference.title or one.reference.raw[:200]
        )
    if one.identifier_fault:
        return one.identifier_fault
    if one.link is not None and one.link.reason == "refused":
        return "the address is not public, so it was not requested."
    if one.finding.searched_without_match:
        return "no registry has a matching work, which is common for books, reports and web pages."
    if one.finding.other_paper is not None:
        near = one.finding.other_paper
        doi = f" (DOI {near.doi})" if near.doi else ""
        but = "; ".join(one.finding.identity.reasons) if one.finding.identity else ""
        known = f"the nearest is “{near.title[:160]}”{doi}{f', but {but}' if but else ''}"
        return f"no record matches with certainty; {known}."
    cited = one.reference
    if not (cited.ids or cited.title or cited.url or cited.authors):
        return "the entry has nothing to look it up by."
    if one.finding.confidence in {NONE, LOW}:
        return "no registry that answered has a matching work, but the entry says too little, or too few answered, to be sure."
    return "no registry that could know the work answered; this says nothing about the work."


def _find_duplicate_entry(reference: Reference, seen: dict[str, int], index: int) -> int | None:
    """The number of an earlier entry for the same work, or None; adds this one to `seen`."""
    title = " ".join(title_matching.extract_title_words(reference.title))
    worded = f"{title}|{reference.year}" if len(title.split()) >= 3 and reference.year else ""
    marks = [mark for mark in (reference.doi or "", worded) if mark]
    earlier = next((seen[mark] for mark in marks if mark in seen), None)
    for mark in marks:
        seen.setdefault(mark, index)
    return earlier


def _build_audit_entry(index: int, one: ExaminedEntry, flags: dict[str, str]) -> AuditEntry:
    reference, finding = one.reference, one.finding
    identity = finding.identity
    known = {WORK_FOUND: True, NOT_REGISTERED: False}.get(finding.existence)
    made = AuditEntry(
        index=index,
        key=reference.key or None,
        line=reference.line,
        title=reference.title or reference.raw[:300] or None,
        doi=reference.doi,
        url=reference.url or None,
        exists=known if known is not None else (one.link_live or None),
        existence=finding.existence
        if finding.existence != UNCHECKED or not one.link_live
        else WORK_FOUND,
        retraction_status=finding.retraction,
        link_live=one.link_live,
        link_reason=one.link.reason if one.link else None,
        http_status=_choose_http_status(one),
        archived_url=one.link.archived if one.link else None,
        flags=tuple(flags),
        reason=_join_flag_reasons(flags),
        matched_title=finding.paper.title if finding.paper else None,
        match_confidence=finding.confidence,
        title_match=identity.title.state.value if identity else None,
        author_match=identity.author.state.value if identity else None,
        year_match=identity.year.state.value if identity else None,
        suggested_doi=finding.suggested_doi,
        **(dict(one.claim) if one.claim else {}),
    )
    return made if one.case is None else made.model_copy(update=build_legal_entry_fields(one.case))


def _choose_http_status(one: ExaminedEntry) -> int | None:
    if one.link is None:
        return None
    return one.link.status or (0 if one.link_live is False else None)


def _join_flag_reasons(flags: dict[str, str]) -> str | None:
    return " ".join(said[:1].upper() + said[1:] for said in flags.values()) or None
