"""What somebody means by a DOI, another identifier, an address or a title."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.errors import InvalidInput, NetworkFailed, NotFound
from citewell.model.paper import BibliographicQuery, Paper, PaperId, Scheme
from citewell.services.scholar import likeness, shown
from citewell.services.scholar.records import NOT_REGISTERED, UNCHECKED, Records
from citewell.text import identifiers
from citewell.text.markup import visible

_TITLE = 0.8  # likeness from which a title means this work


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What an identifier was taken for."""

    ids: tuple[PaperId, ...] = ()
    paper: Paper | None = None
    address: str = ""
    notes: tuple[str, ...] = ()


class Subjects:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def of(self, identifier: str, *, tenant: str | None = None) -> Subject:
        """NotFound when there is no such work; an address is taken as it is."""
        plain = " ".join(visible(identifier).split())
        if not plain:
            raise InvalidInput(
                "identifier is empty. Give a DOI, arXiv id, PMID, PMCID, address or title."
            )
        found = identifiers.identify(plain)
        address = found.value if found.kind is identifiers.Kind.URL else ""
        if found.ids:
            return await self._by_id(_preferred(found.ids), address, tenant)
        if address:
            return Subject(address=address)
        return await self._by_title(plain, tenant)

    async def _by_id(self, ids: tuple[PaperId, ...], address: str, tenant: str | None) -> Subject:
        record = await self._records.find(ids[0], tenant=tenant)
        if record.state == NOT_REGISTERED and not address:
            raise NotFound(f"{ids[0]} is not registered: no such work exists.")
        notes: tuple[str, ...] = ()
        if record.state == UNCHECKED:
            notes = (f"No registry could be asked about {ids[0]}.",)
        return Subject(ids=ids, paper=record.paper, address=address, notes=notes)

    async def _by_title(self, title: str, tenant: str | None) -> Subject:
        query = BibliographicQuery(text=title, title=title)
        matches = await self._records.match(query, tenant=tenant)
        best = matches.papers[0] if matches.papers else None
        if best is not None and likeness.alike(title, best.title) >= _TITLE:
            ids = tuple(PaperId(scheme=one, value=value) for one, value in best.ids.items())
            note = f"The title was taken for {shown.address(best) or best.title}."
            return Subject(ids=_preferred(ids), paper=best, notes=(note,))
        if not matches.answered:
            raise NetworkFailed("No registry could be asked for this title.")
        nearest = f" The nearest is {best.title!r}." if best else ""
        raise NotFound(f"No work with the title {title[:200]!r} was found.{nearest}")

    async def registered(self, paper_id: PaperId, *, tenant: str | None = None) -> Paper | None:
        return (await self._records.find(paper_id, tenant=tenant)).paper


def _preferred(ids: tuple[PaperId, ...]) -> tuple[PaperId, ...]:
    """An arXiv id before the DOI that was made of it."""
    made = [one for one in ids if one.scheme is Scheme.DOI and "/arxiv." in one.value]
    arxiv = [one for one in ids if one.scheme is Scheme.ARXIV]
    if not made or not arxiv:
        return ids
    return (*arxiv, *(one for one in ids if one not in arxiv))
