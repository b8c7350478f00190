"""Builds audit entries with flags and reasons from what was looked up, and their summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.citations import title_matching
from citewell.citations.references.reference_fields import Reference
from citewell.core.values.citation_checks import AuditEntry, AuditSummary, ClaimCheck
from citewell.core.values.counted_words import pluralize
from citewell.core.values.court_case import CheckedCitation
from citewell.core.values.paper import IdentifierScheme
from citewell.core.values.research import ClaimRelation
from citewell.evidence.judging.claim_judge import LEXICAL_NAME
from citewell.links.link_checks import LinkState
from citewell.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.text.data_tables import load_table
from citewell.trust import finding_advice, record_comparison
from citewell.trust.claim_sources import NOT_ADDRESSED
from citewell.trust.claim_sources import SOURCE_UNAVAILABLE as NO_SOURCE
from citewell.trust.reference_lookup import (
    build_legal_entry_fields,
    find_legal_existence,
    find_legal_flag,
)
from citewell.trust.work_lookup import NOT_IN_REGISTRIES, WORK_FOUND, WorkFinding

RETRACTED, DEAD, NOT_FOUND, UNCHECKED_FLAG = "retracted", "dead_link", "not_found", "unchecked"
MISCHARACTERISED, MISMATCH, DUPLICATE = "mischaracterized", "mismatch", "duplicate"
_WARNING_SHARE = 0.5
_MIN_COPIED_CHARS = 20  # characters of an entry that is a duplicate if it is written the same
_MAX_QUOTED_CHARS = 300  # of the source, in a reason
_PART_NUMBER_PATTERN = re.compile(r"\d{1,20}|\b[IVX]{1,6}\b")


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
    def is_page_only(self) -> bool:
        """Whether only its address can tell if it exists: it has no identifier, and no record is near."""
        finding = self.finding
        return not self.reference.ids and finding.absence is None and finding.other_paper is None

    @property
    def is_bare_address(self) -> bool:
        """Whether the entry is an address and nothing else, so that the page is what it cites."""
        cited = self.reference
        return self.is_page_only and not (cited.title or cited.authors)

    @property
    def is_offline(self) -> bool:
        """Whether the machine has no network, so that nobody could be asked."""
        return self.finding.is_offline or (self.link is not None and self.link.reason == "offline")

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
    offline = not any(has_any_answer(entry) for entry in examined)
    seen: dict[str, int] = {}
    found = []
    for index, entry in enumerate(examined, start=1):
        twin = _find_duplicate_entry(entry.reference, seen, index)
        found.append(
            _build_audit_entry(index, entry, collect_entry_flags(entry, twin=twin, offline=offline))
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
        warning=_describe_audit_warning(found, malformed),
    )


def _describe_audit_warning(found: Sequence[AuditEntry], malformed: int) -> str | None:
    total, sentences = len(found), [] if found or malformed else ["No reference was found."]
    unchecked = [entry for entry in found if UNCHECKED_FLAG in entry.flags]
    unheard = sum(entry.match_confidence is None for entry in unchecked)
    if total and unheard > total * _WARNING_SHARE:
        sentences.append(
            f"{unheard} of {total} {pluralize(total, 'entry', 'entries')} could not be checked: registries may be unreachable. Try again later."
        )
    elif total and len(unchecked) > total * _WARNING_SHARE:
        sentences.append(
            f"{len(unchecked)} of {total} {pluralize(total, 'entry', 'entries')} could not be confirmed; the reason of each says why."
        )
    if malformed:
        records = "1 damaged record is" if malformed == 1 else f"{malformed} damaged records are"
        sentences.append(f"{records} listed under malformed; see the lines named there.")
    return " ".join(sentences) or None


def has_any_answer(entry: ExaminedEntry) -> bool:
    return (
        entry.finding.existence != UNCHECKED
        or entry.finding.absence is not None
        or entry.finding.other_paper is not None
        or bool(entry.link and entry.link.status)
        or (entry.case is not None and find_legal_existence(entry.case) != UNCHECKED)
    )


def collect_entry_flags(entry: ExaminedEntry, *, twin: int | None, offline: bool) -> dict[str, str]:
    """Each flag with its reason, the most serious first."""
    finding, link = entry.finding, entry.link
    found = _collect_work_flags(entry)
    if link is not None and entry.link_live is False and not (offline and not link.status):
        found[DEAD] = explain_dead_link(link)
    if wrong := _explain_mischaracterised(entry.claim):
        found[MISCHARACTERISED] = wrong
    work_flags = found.keys() & {NOT_FOUND, MISMATCH}
    is_gone = DEAD in found and entry.is_page_only
    if not work_flags and finding.existence != WORK_FOUND and not entry.is_settled and not is_gone:
        found[UNCHECKED_FLAG] = _explain_unchecked(entry)
    elif (
        not work_flags
        and finding.existence != WORK_FOUND
        and (unseen := _explain_unseen_page(entry))
    ):
        found[UNCHECKED_FLAG] = unseen
    if twin is not None:
        found[DUPLICATE] = f"the same work as entry {twin}."
    return found


def _collect_work_flags(entry: ExaminedEntry) -> dict[str, str]:
    """What registries hold against the work itself; words alone accuse no entry whose page answers."""
    found: dict[str, str] = {}
    finding = entry.finding
    if entry.case is not None and (flag := find_legal_flag(entry.case)):
        found[flag] = entry.case.reason
    if finding.retraction is not None and finding.retraction.retracted:
        found[RETRACTED] = _explain_retracted(finding)
    if finding.existence == NOT_REGISTERED:
        found[NOT_FOUND] = _explain_not_registered(entry)
    elif finding.is_absent and not entry.is_settled:
        found[NOT_FOUND] = finding_advice.describe_absent_work(finding)
    if finding.is_contradicted and finding.paper is not None:
        found[MISMATCH] = _explain_mismatch(finding)
    elif finding.is_contradicted and finding.existence == UNCHECKED and not entry.is_settled:
        found[MISMATCH] = finding_advice.describe_near_miss(finding)
    return found


def _explain_mischaracterised(claim: ClaimCheck | None) -> str:
    """Why a source does not say what it is cited for; empty if it may.

    A contradiction counts if a judge that understands sentences quotes it. Comparing words shows
    too many that are none to accuse anybody by them.
    """
    if claim is None:
        return ""
    if claim.claim_support == NOT_ADDRESSED:
        return "the source was read and shares no specific word with the claim."
    if claim.claim_relation != ClaimRelation.CONTRADICTS or claim.claim_judge == LEXICAL_NAME:
        return ""
    quote = " ".join((claim.claim_quote or "").split())[:_MAX_QUOTED_CHARS]
    return f"the source contradicts the claim, says the judge {claim.claim_judge}: “{quote}”."


def _explain_retracted(finding: WorkFinding) -> str:
    status = finding.retraction
    if status is None:
        return ""
    when = f" on {status.date}" if status.date else ""
    notice = f"; notice {status.notice_doi}" if status.notice_doi else ""
    source = status.source or "its registry"
    name = load_table(__package__, "finding_advice")["notice_sources"].get(source, source)
    return f"the work was retracted{when} according to {name}{notice}."


def _explain_not_registered(entry: ExaminedEntry) -> str:
    first = entry.reference.ids[0] if entry.reference.ids else None
    labels = load_table(__package__, "finding_advice")["identifier_labels"]
    which = f"{labels.get(first.scheme, first.scheme)} {first.value}" if first else "The identifier"
    right = entry.finding.suggested_doi
    offered = f" A work with this title has DOI {right}." if right else ""
    return f"{which} is not registered; it may be invented or mistyped.{offered}"


def _explain_mismatch(finding: WorkFinding) -> str:
    identity = finding.identity
    if not finding.is_another_work:
        return finding_advice.describe_near_miss(finding)
    reasons = "; ".join(identity.reasons).rstrip(".") if identity else ""
    right = (
        f" The words of the entry fit DOI {finding.suggested_doi}." if finding.suggested_doi else ""
    )
    return f"the record is not the work described: {reasons}.{right}"


def explain_dead_link(link: LinkState) -> str:
    why = load_table(__package__, "finding_advice")["dead_links"].get(link.reason or "", "")
    if not why and link.status:
        why = f"HTTP {link.status}"
    copy = "; an archived copy exists" if link.archived else ""
    if link.is_missing and link.has_existed is False:
        copy = "; the Internet Archive has never captured it, so it probably never existed"
    return f"the link is dead ({why or 'no server answered'}{copy})."


def _explain_unchecked(entry: ExaminedEntry) -> str:
    if entry.legal_form:
        return finding_advice.describe_legal_citation(
            entry.legal_form, entry.reference.title or entry.reference.raw[:200]
        )
    if entry.identifier_fault:
        return entry.identifier_fault
    if entry.is_offline:
        return finding_advice.OFFLINE_NOTE
    if entry.link is not None and entry.link.reason == "refused":
        return "the address is private, not public, so it was not requested."
    if (
        entry.finding.other_paper is None
        and entry.link is not None
        and entry.link.state == UNCHECKED
    ):
        status = entry.link.status
        answered = f"answered HTTP {status}" if status else "did not answer in time"
        return f"the server of the address {answered}, which says nothing about the page; try again later."
    return _explain_unmatched_words(entry)


def _explain_unseen_page(entry: ExaminedEntry) -> str | None:
    """Why the page at an address that answers does not confirm the entry; None if it may."""
    if entry.case is not None:
        return None  # the registries of law have given their verdict
    if entry.link is not None and entry.link.state == "blocked":
        return f"the address answers, but its page was not shown to us (HTTP {entry.link.status})."
    return record_comparison.describe_page_title(
        record_comparison.compare_page_title(entry.reference.title, entry.link)
    )


def _explain_unmatched_words(entry: ExaminedEntry) -> str:
    cited = entry.reference
    if not (cited.ids or cited.title or cited.url or cited.authors):
        return "the entry has nothing to look it up by."
    if entry.finding.absence is not None or entry.finding.other_paper is not None:
        return finding_advice.describe_unmatched_work(entry.finding)
    if entry.finding.unaware_registries:
        return finding_advice.describe_undecided_entry(entry.finding.unaware_registries)
    return "no registry that could know the work answered; this says nothing about the work."


def _find_duplicate_entry(reference: Reference, seen: dict[str, int], index: int) -> int | None:
    """The number of an earlier entry for the same work and claim, or None; adds this one to `seen`."""
    title = " ".join(title_matching.extract_title_words(reference.title))
    parts = " ".join(_PART_NUMBER_PATTERN.findall(reference.title))  # "Part 1" is not "Part 2"
    worded = (
        f"{title}|{parts}|{reference.year}" if len(title.split()) >= 3 and reference.year else ""
    )
    written = " ".join(reference.raw.split()).casefold()
    copied = written if len(written) >= _MIN_COPIED_CHARS else ""
    # The chapters of a book have its ISBN in common.
    ids = [
        str(paper_id) for paper_id in reference.ids if paper_id.scheme is not IdentifierScheme.ISBN
    ]
    # A work may be cited for several claims, each in an entry of its own.
    claim = " ".join(reference.claim.split()).casefold()
    marks = [f"{mark}\n{claim}" for mark in (*ids, worded, copied) if mark]
    earlier = next((seen[mark] for mark in marks if mark in seen), None)
    for mark in marks:
        seen.setdefault(mark, index)
    return earlier


def _judge_existence(entry: ExaminedEntry) -> tuple[bool | None, str]:
    """Whether the work exists, None if unknown, and in which way; as one citation is verified."""
    existence = entry.finding.existence
    known = {WORK_FOUND: True, NOT_REGISTERED: False}.get(existence)
    if entry.link_live:
        is_unmatched = existence in {UNCHECKED, NOT_IN_REGISTRIES}
        return (True if known is None else known), WORK_FOUND if is_unmatched else existence
    if entry.link is not None and entry.link.is_missing and entry.is_bare_address:
        return False, entry.link.missing_state
    return known, existence


def _build_audit_entry(index: int, entry: ExaminedEntry, flags: dict[str, str]) -> AuditEntry:
    reference, finding = entry.reference, entry.finding
    identity = finding.identity
    page = record_comparison.compare_page_title(
        "" if finding.paper else reference.title, entry.link
    )
    exists, existence = _judge_existence(entry)
    near = finding.other_paper if finding.identity is not None else None
    matched = finding.paper or near
    matched_title = matched.title if matched is not None else None
    flag_reasons = " ".join(reason[:1].upper() + reason[1:] for reason in flags.values()) or None
    status = entry.link.status if entry.link else None
    # A long list need not repeat the values of fields that match.
    fields = tuple(
        field.model_copy(update={"cited": None, "record": None})
        if field.state == record_comparison.MATCH
        else field
        for field in finding.fields
    )
    made = AuditEntry(
        index=index,
        key=reference.key or None,
        line=reference.line,
        title=reference.title or reference.raw[:300] or None,
        doi=reference.doi,
        url=reference.url or None,
        exists=exists,
        existence=existence,
        retraction_status=finding.retraction,
        link_live=entry.link_live,
        link_reason=entry.link.reason if entry.link else None,
        http_status=status or (0 if entry.link_live is False else None),
        moved_to=entry.link.moved_to if entry.link else None,
        archived_url=entry.link.archived if entry.link else None,
        flags=tuple(flags),
        reason=flag_reasons
        or entry.identifier_fault
        or finding_advice.describe_doubt(finding)
        or finding_advice.describe_partial_match(finding)
        or record_comparison.describe_page_title(page),
        matched_title=matched_title,
        match_confidence=finding.confidence,
        title_match=identity.title.state.value
        if identity
        else record_comparison.show_page_agreement(page),
        author_match=identity.author.state.value if identity else None,
        year_match=identity.year.state.value if identity else None,
        fields=fields or None,
        suggested_doi=finding.suggested_doi,
        **finding_advice.build_guidance_fields(finding),
        **(dict(entry.claim) if entry.claim else {}),
    )
    return (
        made if entry.case is None else made.model_copy(update=build_legal_entry_fields(entry.case))
    )
