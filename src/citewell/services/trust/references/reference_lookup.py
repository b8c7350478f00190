"""Looks up what one reference means: the work in the registries, or the case in those of law."""

from __future__ import annotations

from citewell.model.domains.case_verdict import CheckedCitation
from citewell.model.reference import Reference
from citewell.services.scholar.registry_records import UNCHECKED
from citewell.services.trust.legal_findings import LegalCheckPort
from citewell.services.trust.references import audited_references
from citewell.services.trust.work_identity import build_cited_work
from citewell.services.trust.work_lookup import WorkFinding, WorkLookup

NO_FINDING = WorkFinding(existence=UNCHECKED)


class ReferenceLookup:
    def __init__(self, lookup: WorkLookup, legal: LegalCheckPort | None = None) -> None:
        self._lookup = lookup
        self._legal = legal

    async def find_cited_work(
        self, reference: Reference, *, structured: bool, tenant: str | None = None
    ) -> WorkFinding:
        """What registries have; `structured` if the fields were given, not guessed from text."""
        if audited_references.find_legal_form(reference):
            return NO_FINDING
        cited = (
            build_cited_work(reference, structured=True)
            if structured
            else audited_references.parse_prose_citation(reference)
        )
        if not reference.ids and cited.is_identifier_only:
            return NO_FINDING
        return await self._lookup.look_up_work(
            reference.ids,
            cited,
            venue=reference.venue,
            has_address=bool(audited_references.find_checked_address(reference)),
            tenant=tenant,
        )

    async def check_cited_case(self, reference: Reference) -> CheckedCitation | None:
        """The check of a legal citation; None if the reference is none."""
        form = audited_references.find_legal_form(reference)
        if self._legal is None or not form:
            return None
        checked = await self._legal.check_citation_text(
            audited_references.compose_legal_citation(reference)
        )
        if checked is None and form == "case_name" and " v" in reference.title:
            return await self._legal.check_case_name(reference.title)
        return checked
