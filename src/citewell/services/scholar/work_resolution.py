"""Resolves a DOI, another identifier, an address or a title to the work it means."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.errors import FailureReason, InvalidInput, NetworkFailed, NotFound
from citewell.model.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId
from citewell.services.scholar import work_similarity, work_views
from citewell.services.scholar.registry_records import NOT_REGISTERED, UNCHECKED, WorkRecords
from citewell.text.citations import identifiers
from citewell.text.safety.markup_cleaning import extract_visible_text

_MIN_TITLE_SIMILARITY = 0.8  # similarity from which a title means this work


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedWork:
    """The identifiers, record and address that a text was resolved to."""

    ids: tuple[PaperId, ...] = ()
    paper: Paper | None = None
    address: str = ""
    notes: tuple[str, ...] = ()


class WorkResolver:
    def __init__(self, records: WorkRecords) -> None:
        self._records = records

    async def resolve_work(self, identifier: str, *, tenant: str | None = None) -> ResolvedWork:
        """The work that the identifier, address or title means; an address is not checked.

        Raises InvalidInput if empty, NotFound if there is no such work, NetworkFailed if unknown.
        """
        plain = " ".join(extract_visible_text(identifier).split())
        if not plain:
            raise InvalidInput(
                "identifier is empty. Give a DOI, arXiv id, PMID, PMCID, address or title."
            )
        found = identifiers.identify_citation(plain)
        address = found.value if found.kind is identifiers.CitationKind.URL else ""
        if found.ids:
            return await self._resolve_identifier(_prefer_arxiv_id(found.ids), address, tenant)
        if address:
            return ResolvedWork(address=address)
        return await self._resolve_title(plain, tenant)

    async def _resolve_identifier(
        self, ids: tuple[PaperId, ...], address: str, tenant: str | None
    ) -> ResolvedWork:
        record = await self._records.find_record(ids[0], tenant=tenant)
        if record.state == NOT_REGISTERED and not address:
            raise NotFound(f"{ids[0]} is not registered: no such work exists.")
        notes: tuple[str, ...] = ()
        if record.state == UNCHECKED:
            notes = (f"No registry could be asked about {ids[0]}.",)
        return ResolvedWork(ids=ids, paper=record.paper, address=address, notes=notes)

    async def _resolve_title(self, title: str, tenant: str | None) -> ResolvedWork:
        query = BibliographicQuery(text=title, title=title)
        matches = await self._records.match_records(query, tenant=tenant)
        best = matches.papers[0] if matches.papers else None
        if (
            best is not None
            and work_similarity.compare_titles(title, best.title) >= _MIN_TITLE_SIMILARITY
        ):
            ids = tuple(PaperId(scheme=one, value=value) for one, value in best.ids.items())
            note = f"The title was matched to {work_views.choose_work_address(best) or best.title}."
            return ResolvedWork(ids=_prefer_arxiv_id(ids), paper=best, notes=(note,))
        if not matches.is_answered:
            raise NetworkFailed(
                "No registry could be asked for this title.", reason=FailureReason.NOBODY_ASKED
            )
        nearest = f" The nearest is {best.title!r}." if best else ""
        raise NotFound(f"No work with the title {title[:200]!r} was found.{nearest}")

    async def look_up_registered(
        self, paper_id: PaperId, *, tenant: str | None = None
    ) -> Paper | None:
        return (await self._records.find_record(paper_id, tenant=tenant)).paper


def _prefer_arxiv_id(ids: tuple[PaperId, ...]) -> tuple[PaperId, ...]:
    """The identifiers, with an arXiv id before the DOI that is made from it."""
    made = [one for one in ids if one.scheme is IdentifierScheme.DOI and "/arxiv." in one.value]
    arxiv = [one for one in ids if one.scheme is IdentifierScheme.ARXIV]
    if not made or not arxiv:
        return ids
    return (*arxiv, *(one for one in ids if one not in arxiv))
