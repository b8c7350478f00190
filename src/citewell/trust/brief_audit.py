"""Audits a brief: every case that it cites is found and checked, and reported as one entry."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from citewell.citations import references
from citewell.citations.references.format_detection import extract_manuscript_text
from citewell.core.service_kit import ServiceKit
from citewell.core.settings import CoreSettings
from citewell.core.tooling import ProgressCallback
from citewell.core.values.citation_checks import AuditEntry, AuditReport
from citewell.core.values.counted_words import pluralize
from citewell.core.values.court_case import BriefFinding, CheckedCitation
from citewell.domains.law.citation_forms import cites_cases, is_brief_text
from citewell.trust import audit_findings
from citewell.trust.reference_lookup import (
    build_legal_entry_fields,
    find_legal_flag,
)

if TYPE_CHECKING:
    from citewell.domains.law.citation_service import LegalCitationChecker

BRIEF_FORMAT = "brief"
_ANSWER_RESERVE_SECONDS = 25.0  # of the tool's time: a lookup that has begun may take so long


class BriefAudit:
    def __init__(
        self,
        legal: LegalCitationChecker,
        *,
        max_seconds: float | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """After `max_seconds` of one audit nothing more is asked."""
        self._legal = legal
        self._max_seconds = max_seconds
        self._now = now

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_legal_checker(),
            max_seconds=kit.settings[CoreSettings].long_tool_timeout - _ANSWER_RESERVE_SECONDS,
        )

    async def audit_brief(
        self,
        text: str,
        *,
        max_cases: int = 200,
        progress: ProgressCallback | None = None,
        has_deadline: bool = True,
    ) -> AuditReport:
        """One entry for each cited case; nothing of the text but citations and names is sent anywhere."""
        checked = await self._legal.check_brief(
            text,
            max_cases=max_cases,
            progress=progress,
            seconds=self._max_seconds if has_deadline else None,
        )
        entries = tuple(
            build_brief_entry(index, finding)
            for index, finding in enumerate(checked.findings, start=1)
        )
        skipped, unread = checked.skipped_count, checked.unread_count
        left = f"{skipped} {pluralize(skipped, 'case')} after the first {len(entries)}"
        unread_note = f"{unread} {pluralize(unread, 'part')} of the text could not be searched for citations; check that text by hand."
        return AuditReport(
            source=f"bibliography:{BRIEF_FORMAT}",
            entry_count=len(entries),
            summary=audit_findings.summarize_audit(entries, malformed=0),
            entries=entries,
            skipped=skipped or None,
            skipped_note=f"Not checked: {left}. Send the rest of the text in a second call."
            if skipped
            else None,
            notes=(unread_note,) if unread else None,
            checked_at=self._now().isoformat(timespec="seconds").replace("+00:00", "Z"),
        )


def omit_listed_cases(cases: AuditReport, references: AuditReport) -> AuditReport | None:
    """The report without the cases that were checked as references; None if it says nothing more."""
    listed = {entry.citation for entry in references.entries if entry.citation}
    kept = tuple(case_entry for case_entry in cases.entries if case_entry.citation not in listed)
    if not kept and not cases.notes:
        return None
    summary = audit_findings.summarize_audit(kept, malformed=0)
    return cases.model_copy(update={"entries": kept, "entry_count": len(kept), "summary": summary})


def append_cases(references: AuditReport, cases: AuditReport | None) -> AuditReport:
    """One report on the references and, after them, on the cases that the text cites."""
    if cases is None:
        return references
    count = len(references.entries)
    entries = (
        *references.entries,
        *(
            case.model_copy(update={"index": index})
            for index, case in enumerate(cases.entries, start=count + 1)
        ),
    )
    note = f"The text cites cases: they are the entries from {count + 1} on."
    notes = (*(references.notes or ()), *([note] if cases.entries else []), *(cases.notes or ()))
    skipped = (references.skipped or 0) + (cases.skipped or 0)
    skip_notes = filter(None, (references.skipped_note, cases.skipped_note))
    return references.model_copy(
        update={
            "entries": entries,
            "entry_count": references.entry_count + cases.entry_count,
            "summary": audit_findings.summarize_audit(
                entries, malformed=references.summary.malformed
            ),
            "skipped": skipped or None,
            "skipped_note": " ".join(skip_notes) or None,
            "notes": notes,
        }
    )


def find_case_text(text: str, form: str = "auto") -> str:
    """The part of a document in which it cites cases; empty if it cites none."""
    shape = references.detect_bibliography_format(text) if form == "auto" else form
    prose = extract_manuscript_text(text, shape)
    return prose if cites_cases(prose) else ""


def is_brief_document(text: str) -> bool:
    """Whether a document in prose is a brief, whose cited cases are to be checked."""
    return references.detect_bibliography_format(text) == "prose" and is_brief_text(text)


def build_brief_entry(index: int, finding: BriefFinding) -> AuditEntry:
    checked = finding.checked
    flag = find_legal_flag(checked)
    return AuditEntry(
        index=index,
        line=finding.line,
        title=describe_cited_case(checked, finding.parallels),
        flags=(flag,) if flag else (),
        reason=checked.reason if flag else None,
        quote=finding.quote or None,
        offset=finding.offset,
        mention_count=finding.mention_count,
        **build_legal_entry_fields(checked),
    )


def describe_cited_case(checked: CheckedCitation, parallels: tuple[str, ...] = ()) -> str:
    """The citation as a reader knows it: Roe v. Wade, 410 U.S. 113 (1973)."""
    cited = checked.citation
    numbers = ", ".join((cited.normalized or cited.text, *parallels))
    named = f"{cited.case_name}, {numbers}" if cited.case_name else numbers
    inside = " ".join(str(part) for part in (cited.court, cited.year) if part)
    return f"{named} ({inside})" if inside and cited.kind == "us_case" else named
