"""Looks up one reference: its work or case, its link, and what must not be told to anybody."""

from __future__ import annotations

import asyncio

from citewell.services.drafts.check_plan import CheckFocus, CitedSource
from citewell.services.links.link_checks import LinkState
from citewell.services.trust.audit_findings import ExaminedEntry
from citewell.services.trust.citation_verification import LinkCheckPort
from citewell.services.trust.references import audited_references
from citewell.services.trust.references.reference_lookup import NO_FINDING, ReferenceLookup
from citewell.services.trust.work_lookup import WorkFinding

_REFUSED_REASON = "refused"  # the address is private, or a policy forbids it


class ReferenceExaminer:
    def __init__(self, references: ReferenceLookup, links: LinkCheckPort) -> None:
        self._references = references
        self._links = links

    async def examine_reference(
        self, source: CitedSource, *, focus: CheckFocus, tenant: str | None = None
    ) -> ExaminedEntry:
        """All that can be found out; a registry or a site that fails does not raise."""
        reference = source.reference
        address = audited_references.find_checked_address(reference)
        if focus is CheckFocus.LINKS:
            link = await self._check_reference_link(address, tenant)
            return ExaminedEntry(reference=reference, finding=NO_FINDING, link=link)
        case = self._references.check_cited_case(reference)
        if address and not reference.ids:
            # First the link: the title of a page that is private is not told to registries.
            link, checked = await asyncio.gather(self._check_reference_link(address, tenant), case)
            finding = NO_FINDING
            if link is None or link.reason != _REFUSED_REASON:
                finding = await self._find_examined_work(source, tenant)
        else:
            link, checked, finding = await asyncio.gather(
                self._check_reference_link(address, tenant),
                case,
                self._find_examined_work(source, tenant),
            )
        return ExaminedEntry(
            reference=reference,
            finding=finding,
            link=link,
            legal_form=audited_references.find_legal_form(reference),
            case=checked,
            identifier_fault=audited_references.find_identifier_fault(reference, finding),
        )

    async def _find_examined_work(self, source: CitedSource, tenant: str | None) -> WorkFinding:
        return await self._references.find_cited_work(
            source.reference, structured=source.is_structured, tenant=tenant
        )

    async def _check_reference_link(self, address: str, tenant: str | None) -> LinkState | None:
        if not address:
            return None
        return (await self._links.check_links([address], tenant=tenant))[address]
