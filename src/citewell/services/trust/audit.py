"""A whole bibliography checked in one bounded pass: every entry, every flag with its reason."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from citewell.model.paper import PaperId, Scheme
from citewell.model.reference import Reference
from citewell.model.trust import AuditEntry, AuditReport, ClaimCheck, MalformedRecord
from citewell.services.links import LinkState
from citewell.services.trust import findings
from citewell.services.trust.findings import Examined
from citewell.services.trust.identity import Cited, of_reference
from citewell.services.trust.intake import Wish
from citewell.services.trust.lookup import Finding, Lookup
from citewell.services.trust.sources import Pages, Sources, places
from citewell.services.trust.verify import Checks
from citewell.text import dois, identifiers, isbns, legal

MOST = 200  # entries in one call
AT_ONCE = 200  # entries under way, so that registries may be asked for many at once; their own pace bounds the rest
_LONGEST_CASE = 160  # characters of a reference that may be nothing but a case
Progress = Callable[[float, float | None, str | None], Awaitable[None]]


class Audit:
    def __init__(
        self,
        *,
        lookup: Lookup,
        links: Checks,
        pages: Pages,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        at_once: int = AT_ONCE,
    ) -> None:
        self._lookup = lookup
        self._links = links
        self._sources = Sources(pages)
        self._now = now
        self._at_once = at_once

    async def audit(
        self,
        wish: Wish,
        *,
        most: int = MOST,
        tenant: str | None = None,
        progress: Progress | None = None,
    ) -> AuditReport:
        """The first `most` entries; a registry that fails leaves entries unchecked, never accused."""
        chosen = [_identified(reference) for reference in wish.references[:most]]
        links, looked_up = await asyncio.gather(
            self._links.check((url for one in chosen if (url := _address(one))), tenant=tenant),
            self._all(chosen, parted=wish.parted, tenant=tenant, progress=progress),
        )
        claims = await self._claims(chosen, looked_up, links, tenant)
        examined = [
            Examined(
                reference=reference,
                finding=finding,
                link=links.get(_address(reference)),
                claim=claim,
                legal=_legal(reference),
                fault=_fault(reference),
            )
            for reference, finding, claim in zip(chosen, looked_up, claims, strict=True)
        ]
        return self._report(wish, findings.entries(examined))

    async def _all(
        self,
        references: Sequence[Reference],
        *,
        parted: bool,
        tenant: str | None,
        progress: Progress | None,
    ) -> list[Finding]:
        gate, done, total = asyncio.Semaphore(self._at_once), 0, len(references)

        async def one(reference: Reference) -> Finding:
            nonlocal done
            async with gate:
                finding = await self._one(reference, parted=parted, tenant=tenant)
            done += 1
            if progress is not None:
                await progress(done, total, f"{done} of {total} entries looked up")
            return finding

        return await asyncio.gather(*map(one, references))

    async def _one(self, reference: Reference, *, parted: bool, tenant: str | None) -> Finding:
        if _legal(reference):
            return findings.NOTHING
        cited = of_reference(reference, parted=True) if parted else _worded(reference)
        if not reference.ids and cited.silent:
            return findings.NOTHING
        return await self._lookup.of(
            reference.ids,
            cited,
            venue=reference.venue,
            addressed=bool(_address(reference)),
            tenant=tenant,
        )

    async def _claims(
        self,
        references: Sequence[Reference],
        looked_up: Sequence[Finding],
        links: Mapping[str, LinkState],
        tenant: str | None,
    ) -> list[ClaimCheck | None]:
        async def one(reference: Reference, finding: Finding) -> ClaimCheck | None:
            if not reference.claim:
                return None
            link = links.get(_address(reference))
            dead = link is not None and link.state == "dead"
            first = (link.archived or "",) if link and dead else (reference.url,)
            source = places(finding.paper, first=first)
            return await self._sources.check(reference.claim, source, tenant=tenant)

        return await asyncio.gather(*map(one, references, looked_up))

    def _report(self, wish: Wish, entries: Sequence[AuditEntry]) -> AuditReport:
        over = len(wish.references) - len(entries)
        malformed = tuple(
            MalformedRecord(line=one.line, reason=one.reason, excerpt=one.excerpt or None)
            for one in wish.malformed
        )
        return AuditReport(
            source=wish.source,
            entry_count=len(entries),
            summary=findings.summary(entries, malformed=len(malformed)),
            entries=tuple(entries),
            malformed=malformed or None,
            skipped=over or None,
            skipped_note=_over(over, len(entries)) if over else None,
            checked_at=self._now().isoformat(timespec="seconds").replace("+00:00", "Z"),
        )


def _over(count: int, done: int) -> str:
    left = "1 entry" if count == 1 else f"{count} entries"
    return f"Not checked: {left} after the first {done}. Send the rest in a second call."


def _identified(reference: Reference) -> Reference:
    """With the identifiers that its address carries, where it names none itself."""
    known = reference.ids or (identifiers.ids(reference.url) if reference.url else ())
    if reference.doi and reference.doi == dois.find(reference.raw):
        meant = [PaperId(scheme=Scheme.DOI, value=one) for one in dois.readings(reference.raw)]
        known = (*meant, *(one for one in known if one.scheme is not Scheme.DOI))
    return replace(reference, ids=tuple(filter(_sound, map(_normal, known))))


def _worded(reference: Reference) -> Cited:
    """What a reference in words says beside its identifiers; their own letters are no title."""
    said = identifiers.identify(reference.raw).rest
    return of_reference(reference, parted=False, text=said) if said else Cited()


def _normal(paper_id: PaperId) -> PaperId:
    if paper_id.scheme is not Scheme.ISBN:
        return paper_id
    return PaperId(scheme=Scheme.ISBN, value=isbns.read(paper_id.value).value)


def _sound(paper_id: PaperId) -> bool:
    """An ISBN with a wrong check digit is nobody's; it is not asked for, and its reason is given."""
    return paper_id.scheme is not Scheme.ISBN or isbns.read(paper_id.value).valid


def _fault(reference: Reference) -> str:
    return identifiers.identify(reference.raw).fault if "isbn" in reference.raw.lower() else ""


def _address(reference: Reference) -> str:
    """The address whose link is checked; a DOI's own is answered for by its registry."""
    url = reference.url
    return "" if not url.startswith("http") or (dois.resolver(url) and reference.ids) else url


def _legal(reference: Reference) -> str:
    """Its form, where it is a case or a statute and not a work."""
    if reference.ids:
        return ""
    if reference.kind in {"legal_case", "legislation", "bill", "regulation", "treaty"}:
        return "case_name"
    found = legal.find(reference.title) or legal.find(reference.raw[:_LONGEST_CASE])
    return found.form if found else ""
