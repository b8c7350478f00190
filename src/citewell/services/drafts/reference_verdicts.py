"""The verdicts on a reference from what registries and its link say, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.model.domains.case_verdict import CaseVerdict
from citewell.model.draft_findings import DraftVerdict
from citewell.model.scrape_results import RetractionStatus
from citewell.services.drafts.check_plan import CheckFocus
from citewell.services.trust import audit_findings
from citewell.services.trust.audit_findings import ExaminedEntry
from citewell.services.trust.finding_advice import describe_found_record, start_sentence

_NOTED_KINDS = {
    "correction": "A correction was published",
    "expression_of_concern": "An expression of concern was published",
    "unconfirmed_retraction": "One source says that it was retracted, which no registry confirms",
}
_LINK_VERDICTS = frozenset({DraftVerdict.DEAD_LINK, DraftVerdict.MOVED})
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
    if (told := _describe_notice(entry.finding.retraction)) is not None:
        found[DraftVerdict.CORRECTED] = told
    order = list(DraftVerdict)
    kept = {
        verdict: found[verdict]
        for verdict in sorted(found, key=order.index)
        if _is_in_focus(verdict, focus)
    }
    return ReferenceVerdict(reasons=kept or {DraftVerdict.FOUND: _describe_found(entry, focus)})


def _find_flag_verdict(flag: str, entry: ExaminedEntry) -> DraftVerdict | None:
    if flag == audit_findings.MISMATCH:
        return _find_mismatch_verdict(entry)
    if flag == audit_findings.NOT_FOUND and entry.finding.suggested_doi:
        return DraftVerdict.WRONG_DETAILS  # the work exists, under another identifier
    return {
        audit_findings.RETRACTED: DraftVerdict.RETRACTED,
        audit_findings.NOT_FOUND: DraftVerdict.REFERENCE_NOT_FOUND,
        audit_findings.DEAD: DraftVerdict.DEAD_LINK,
        audit_findings.UNCHECKED_FLAG: DraftVerdict.UNCHECKED,
    }.get(flag)


def _find_mismatch_verdict(entry: ExaminedEntry) -> DraftVerdict:
    is_other_case = entry.case is not None and entry.case.verdict is CaseVerdict.WRONG_CASE
    if is_other_case or entry.finding.is_another_work:
        return DraftVerdict.WRONG_WORK
    return DraftVerdict.WRONG_DETAILS


def _describe_notice(status: RetractionStatus | None) -> str | None:
    if status is None or status.retracted or status.kind not in _NOTED_KINDS:
        return None
    when = f" on {status.date}" if status.date else ""
    where = f" (DOI {status.notice_doi})" if status.notice_doi else ""
    return f"{_NOTED_KINDS[status.kind]}{when}{where}."


def _is_in_focus(verdict: DraftVerdict, focus: CheckFocus) -> bool:
    if focus is CheckFocus.LINKS:
        return verdict in _LINK_VERDICTS or verdict is DraftVerdict.UNCHECKED
    return focus is not CheckFocus.EXISTENCE or verdict is not DraftVerdict.MOVED


def _describe_found(entry: ExaminedEntry, focus: CheckFocus) -> str:
    if focus is CheckFocus.LINKS:
        return "The link works." if entry.link is not None else "It has no link to check."
    if entry.finding.paper is not None:
        return f"Registered: {describe_found_record(entry.finding.paper)}."
    if entry.case is not None and entry.case.case is not None:
        return f"Found: {entry.case.case.name}."
    return "The page can be reached." if entry.link is not None else "No problem was found."
