"""Audits a whole bibliography: looks up every entry and flags problems, each with a reason."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from citewell.model.citation_checks import AuditEntry, AuditReport, ClaimCheck, MalformedRecord
from citewell.model.counted_words import pluralize
from citewell.model.domains.case_verdict import CheckedCitation
from citewell.model.reference import Reference
from citewell.services.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    build_lexical_judging,
)
from citewell.services.links.link_checks import LinkState
from citewell.services.trust import audit_findings
from citewell.services.trust.audit_findings import ExaminedEntry
from citewell.services.trust.bibliography_intake import AuditRequest
from citewell.services.trust.citation_verification import LinkCheckPort
from citewell.services.trust.claim_sources import (
    CitedClaim,
    ClaimSources,
    SourcePageReader,
    list_source_places,
)
from citewell.services.trust.legal_findings import LegalCheckPort
from citewell.services.trust.references import audited_references
from citewell.services.trust.references.reference_lookup import NO_FINDING, ReferenceLookup
from citewell.services.trust.work_lookup import WorkFinding, WorkLookup
from citewell.tooling import ProgressCallback

T = TypeVar("T")

MAX_AUDIT_ENTRIES = 200  # entries in one call
MAX_CONCURRENT_ENTRIES = 200  # entries; many at once let registries be asked in batches, and each registry has its own rate limit
MAX_LOOKUP_SECONDS = 100.0  # for looking up all entries; less than a tool may take
MAX_LEGAL_SECONDS = 80.0  # for looking up the legal citations of one list


class BibliographyAudit:
    def __init__(
        self,
        *,
        lookup: WorkLookup,
        links: LinkCheckPort,
        pages: SourcePageReader,
        legal: LegalCheckPort | None = None,
        judging: ClaimJudging | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        concurrency: int = MAX_CONCURRENT_ENTRIES,
        max_lookup_seconds: float = MAX_LOOKUP_SECONDS,
        max_legal_seconds: float = MAX_LEGAL_SECONDS,
    ) -> None:
        self._links = links
        self._references = ReferenceLookup(lookup, legal)
        self._sources = ClaimSources(pages, judging or build_lexical_judging())
        self._now = now
        self._at_once = concurrency
        self._max_lookup_seconds = max_lookup_seconds
        self._max_legal_seconds = max_legal_seconds

    async def audit_bibliography(
        self,
        wish: AuditRequest,
        *,
        max_entries: int = MAX_AUDIT_ENTRIES,
        tenant: str | None = None,
        owner: str = "",
        progress: ProgressCallback | None = None,
    ) -> AuditReport:
        """Audit the first `max_entries` entries; if a registry fails, its entries are reported as unchecked."""
        context = JudgeContext(owner=owner, progress=progress)
        chosen = [
            audited_references.add_address_identifiers(reference)
            for reference in wish.references[:max_entries]
        ]
        links, looked_up, cases = await asyncio.gather(
            self._check_links(chosen, tenant),
            self._look_up_references(
                chosen, structured=wish.structured, tenant=tenant, progress=progress
            ),
            self._check_legal_entries(chosen),
        )
        claims = await self._check_claims(chosen, looked_up, links, tenant, context)
        examined = [
            ExaminedEntry(
                reference=reference,
                finding=finding,
                link=links.get(audited_references.find_checked_address(reference)),
                claim=claim,
                legal_form=audited_references.find_legal_form(reference),
                case=case,
                identifier_fault=audited_references.find_identifier_fault(reference, finding),
            )
            for reference, finding, claim, case in zip(
                chosen, looked_up, claims, cases, strict=True
            )
        ]
        return self._build_audit_report(wish, audit_findings.build_audit_entries(examined))

    async def _check_links(
        self, references: Sequence[Reference], tenant: str | None
    ) -> Mapping[str, LinkState]:
        urls = filter(None, map(audited_references.find_checked_address, references))
        return await self._links.trace_dead_links(
            await self._links.check_links(urls, tenant=tenant)
        )

    async def _look_up_references(
        self,
        references: Sequence[Reference],
        *,
        structured: bool,
        tenant: str | None,
        progress: ProgressCallback | None,
    ) -> list[WorkFinding]:
        gate, done, total = asyncio.Semaphore(self._at_once), 0, len(references)
        keys = [
            audited_references.build_lookup_key(one, structured=structured) for one in references
        ]
        repeats = Counter(keys)
        distinct = dict(zip(keys, references, strict=True))

        async def one(key: Reference, reference: Reference) -> WorkFinding:
            nonlocal done
            async with gate:
                finding = await self._references.find_cited_work(
                    reference, structured=structured, tenant=tenant
                )
            done += repeats[key]
            if progress is not None:
                await progress(
                    done,
                    total,
                    f"{done} of {total} {pluralize(total, 'entry', 'entries')} looked up",
                )
            return finding

        checks = (one(key, each) for key, each in distinct.items())
        found = await _finish_in_time(checks, self._max_lookup_seconds)
        by_key = dict(zip(distinct, found, strict=True))
        return [by_key[key] or NO_FINDING for key in keys]

    async def _check_legal_entries(
        self, references: Sequence[Reference]
    ) -> list[CheckedCitation | None]:
        """The check of every entry that is a legal citation; None for the others."""
        # Registries of law are paced: what is not reached in time stays unchecked.
        checks = map(self._references.check_cited_case, references)
        return await _finish_in_time(checks, self._max_legal_seconds)

    async def _check_claims(
        self,
        references: Sequence[Reference],
        looked_up: Sequence[WorkFinding],
        links: Mapping[str, LinkState],
        tenant: str | None,
        context: JudgeContext,
    ) -> list[ClaimCheck | None]:
        """The check of every entry that has a claim; None for the others."""
        asked: dict[int, CitedClaim] = {}
        for place, (reference, finding) in enumerate(zip(references, looked_up, strict=True)):
            if reference.claim:
                link = links.get(audited_references.find_checked_address(reference))
                dead = link is not None and link.state == "dead"
                first = (link.archived or "",) if link and dead else (reference.url,)
                places = list_source_places(finding.paper, first=first)
                asked[place] = CitedClaim(claim=reference.claim, places=places)
        checked = await self._sources.check_claims(
            tuple(asked.values()), tenant=tenant, context=context
        )
        found = dict(zip(asked, checked, strict=True))
        return [found.get(place) for place in range(len(references))]

    def _build_audit_report(self, wish: AuditRequest, entries: Sequence[AuditEntry]) -> AuditReport:
        over = len(wish.references) - len(entries)
        malformed = tuple(
            MalformedRecord(line=one.line, reason=one.reason, excerpt=one.excerpt or None)
            for one in wish.malformed
        )
        return AuditReport(
            source=wish.source,
            entry_count=len(entries),
            summary=audit_findings.summarize_audit(entries, malformed=len(malformed)),
            entries=tuple(entries),
            malformed=malformed or None,
            skipped=over or None,
            skipped_note=_describe_skipped_entries(over, len(entries)) if over else None,
            notes=wish.notes or None,
            checked_at=self._now().isoformat(timespec="seconds").replace("+00:00", "Z"),
        )


async def _finish_in_time(
    checks: Iterable[Coroutine[Any, Any, T | None]], max_seconds: float
) -> list[T | None]:
    """What the checks return; None for those that are not done after `max_seconds`."""
    tasks = [asyncio.create_task(check) for check in checks]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, timeout=max_seconds)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [None if task.cancelled() else task.result() for task in tasks]


def _describe_skipped_entries(count: int, done: int) -> str:
    left = "1 entry" if count == 1 else f"{count} entries"
    return f"Not checked: {left} after the first {done}. Send the rest in a second call."
