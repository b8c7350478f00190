"""Audits a whole bibliography: looks up every entry and flags problems, each with a reason."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from citewell.citations import dois, identifiers
from citewell.citations.citable_works import (
    SOURCE_FIELDS,
    CitableWork,
    convert_result_item,
    parse_author_line,
)
from citewell.citations.references.reference_fields import (
    BibliographyDocument,
    MalformedEntry,
    Reference,
)
from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import ProgressCallback
from citewell.core.values import citation_checks
from citewell.core.values.argument_types import MAX_CLAIM_CHARS
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import IdentifierScheme, PaperId, WorkAuthor
from citewell.evidence.judging.claim_judging import (
    ClaimJudging,
    JudgeContext,
    build_lexical_judging,
)
from citewell.links.link_checks import LinkChecker, LinkState
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.trust import audit_findings, reference_lookup
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.claim_sources import CitedClaim, ClaimSources, list_source_places
from citewell.trust.reference_lookup import NO_FINDING, ReferenceLookup
from citewell.trust.work_lookup import WorkFinding, WorkLookup

if TYPE_CHECKING:
    from citewell.domains.law.citation_service import LegalCitationChecker

ENTRY_FIELDS = ("url", "title", "author", "site", "date", "doi", "claim")
_ENTRY_YEAR_PATTERN = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")

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
        links: LinkChecker,
        pages: CachedPageReader,
        legal: LegalCitationChecker | None = None,
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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            lookup=kit.require_service(WorkLookup),
            links=kit.require_service(LinkChecker),
            pages=kit.require_service(CachedPageReader),
            legal=kit.require_legal_checker(),
            judging=kit.require_service(ClaimJudging),
        )

    async def audit_bibliography(
        self,
        request: AuditRequest,
        *,
        max_entries: int = MAX_AUDIT_ENTRIES,
        tenant: str | None = None,
        owner: str = "",
        progress: ProgressCallback | None = None,
    ) -> citation_checks.AuditReport:
        """Audit the first `max_entries` entries; if a registry fails, its entries are reported as unchecked."""
        context = JudgeContext(owner=owner, progress=progress)
        chosen = [
            reference_lookup.add_address_identifiers(reference)
            for reference in request.references[:max_entries]
        ]
        links, looked_up, cases = await asyncio.gather(
            self._check_links(chosen, tenant),
            self._look_up_references(
                chosen, structured=request.structured, tenant=tenant, progress=progress
            ),
            # Registries of law are paced: what is not reached in time stays unchecked.
            finish_in_time(map(self._references.check_cited_case, chosen), self._max_legal_seconds),
        )
        claims = await self._check_claims(chosen, looked_up, links, tenant, context)
        examined = [
            ExaminedEntry(
                reference=reference,
                finding=finding,
                link=links.get(reference_lookup.find_checked_address(reference)),
                claim=claim,
                legal_form=reference_lookup.find_legal_form(reference),
                case=case,
                identifier_fault=reference_lookup.find_identifier_fault(reference, finding),
            )
            for reference, finding, claim, case in zip(
                chosen, looked_up, claims, cases, strict=True
            )
        ]
        return self._build_audit_report(request, audit_findings.build_audit_entries(examined))

    async def _check_links(
        self, references: Sequence[Reference], tenant: str | None
    ) -> Mapping[str, LinkState]:
        urls = filter(None, map(reference_lookup.find_checked_address, references))
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
            reference_lookup.build_lookup_key(cited, structured=structured) for cited in references
        ]
        repeats = Counter(keys)
        distinct = dict(zip(keys, references, strict=True))

        async def look_up(key: Reference, reference: Reference) -> WorkFinding:
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

        checks = (look_up(key, each) for key, each in distinct.items())
        found = await finish_in_time(checks, self._max_lookup_seconds)
        by_key = dict(zip(distinct, found, strict=True))
        return [by_key[key] or NO_FINDING for key in keys]

    async def _check_claims(
        self,
        references: Sequence[Reference],
        looked_up: Sequence[WorkFinding],
        links: Mapping[str, LinkState],
        tenant: str | None,
        context: JudgeContext,
    ) -> list[citation_checks.ClaimCheck | None]:
        """The check of every entry that has a claim; None for the others."""
        asked: dict[int, CitedClaim] = {}
        for place, (reference, finding) in enumerate(zip(references, looked_up, strict=True)):
            if reference.claim:
                link = links.get(reference_lookup.find_checked_address(reference))
                dead = link is not None and link.state == "dead"
                first = (link.archived or "",) if link and dead else (reference.url,)
                places = list_source_places(finding.paper, first=first)
                asked[place] = CitedClaim(claim=reference.claim, places=places)
        checked = await self._sources.check_claims(
            tuple(asked.values()), tenant=tenant, context=context
        )
        found = dict(zip(asked, checked, strict=True))
        return [found.get(place) for place in range(len(references))]

    def _build_audit_report(
        self, request: AuditRequest, entries: Sequence[citation_checks.AuditEntry]
    ) -> citation_checks.AuditReport:
        over, done = len(request.references) - len(entries), len(entries)
        left = f"{over} {pluralize(over, 'entry', 'entries')}"
        malformed = tuple(
            citation_checks.MalformedRecord(
                line=entry.line, reason=entry.reason, excerpt=entry.excerpt or None
            )
            for entry in request.malformed
        )
        return citation_checks.AuditReport(
            source=request.source,
            entry_count=done,
            summary=audit_findings.summarize_audit(entries, malformed=len(malformed)),
            entries=tuple(entries),
            malformed=malformed or None,
            skipped=over or None,
            skipped_note=f"Not checked: {left} after the first {done}. Send the rest in a second call."
            if over
            else None,
            notes=request.notes or None,
            checked_at=self._now().isoformat(timespec="seconds").replace("+00:00", "Z"),
        )


async def finish_in_time(
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


# Builds audit requests from a parsed document, a list of entries or a session.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """A bibliography to audit; `structured` if its fields were given, not guessed from text."""

    source: str
    references: tuple[Reference, ...]
    malformed: tuple[MalformedEntry, ...] = ()
    structured: bool = True
    notes: tuple[str, ...] = ()


def build_document_request(document: BibliographyDocument) -> AuditRequest:
    return AuditRequest(
        source=f"bibliography:{document.format}",
        references=document.references,
        malformed=document.malformed,
        structured=document.format != "prose" and not document.is_guessed,
        notes=document.notes,
    )


def build_entries_request(entries: Sequence[Mapping[str, Any]]) -> AuditRequest:
    """Raises InvalidInput for an unknown field or a claim that is too long."""
    given = [_normalize_entry(number, entry) for number, entry in enumerate(entries, start=1)]
    unread = tuple(
        MalformedEntry(line=number, reason=f"“{entry['doi'][:100]}” is not a DOI.")
        for number, entry in enumerate(given, start=1)
        if entry["doi"] and dois.find_doi(entry["doi"]) is None
    )
    return AuditRequest(
        source="entries", references=tuple(map(_build_entry_reference, given)), malformed=unread
    )


def build_works_request(works: Iterable[CitableWork]) -> AuditRequest:
    """A request for the sources of a session."""
    references = tuple(
        _build_entry_reference(
            {
                "url": work.url,
                "title": work.title,
                "author": "; ".join(author.name for author in work.authors),
                "site": work.site,
                "date": work.published,
                "doi": work.doi,
                "claim": "",
            }
        )
        for work in works
    )
    return AuditRequest(source="session", references=references)


def _normalize_entry(number: int, entry: Mapping[str, Any]) -> dict[str, str]:
    entry = convert_result_item(entry)
    unknown = sorted(set(entry) - {*ENTRY_FIELDS, *SOURCE_FIELDS})
    if unknown:
        raise InvalidInput(
            f"Entry {number} has {', '.join(unknown)}; an entry takes {', '.join(ENTRY_FIELDS)},"
            " or is an item of another tool's answer as it is."
        )
    given = {name: _read_entry_field(number, name, entry.get(name)) for name in ENTRY_FIELDS}
    if len(given["claim"]) > MAX_CLAIM_CHARS:
        raise InvalidInput(
            f"The claim of entry {number} has {len(given['claim'])} {pluralize(len(given['claim']), 'character')}; {MAX_CLAIM_CHARS} is the maximum."
        )
    return given


def _read_entry_field(number: int, name: str, value: Any) -> str:
    """The field as text; authors may be a list of names. Raises InvalidInput for any other list."""
    if name == "author" and isinstance(value, list | tuple):
        return "; ".join(str(author).strip() for author in value if str(author or "").strip())
    if isinstance(value, list | tuple | dict):
        raise InvalidInput(f"The {name} of entry {number} must be text.")
    return str(value or "").strip()


def _collect_entry_ids(doi: str) -> tuple[PaperId, ...]:
    """The identifiers in the field, including alternative readings of a mistyped DOI."""
    meant = (
        PaperId(scheme=IdentifierScheme.DOI, value=reading)
        for reading in dois.list_doi_readings(doi)
    )
    return tuple(dict.fromkeys((*meant, *identifiers.find_identifiers(doi))))


def _build_entry_reference(given: Mapping[str, str]) -> Reference:
    year = _ENTRY_YEAR_PATTERN.search(given["date"])
    ids = _collect_entry_ids(given["doi"]) or identifiers.find_identifiers(given["url"])
    shown = (given["author"], given["date"], given["title"], given["site"], given["url"])
    return Reference(
        raw=". ".join(part for part in shown if part),
        title=given["title"],
        authors=tuple(map(_convert_author, parse_author_line(given["author"]))),
        year=int(year[0]) if year else None,
        published=given["date"],
        venue=given["site"],
        url=given["url"],
        ids=ids,
        claim=given["claim"],
    )


def _convert_author(author: Any) -> WorkAuthor:
    if author.is_indivisible:
        return WorkAuthor(name=author.name, organisation=author.organisation)
    return WorkAuthor(name=author.display_name, family=author.family, given=author.given)
