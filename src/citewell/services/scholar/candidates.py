"""Where a work may be read freely, in the order in which it is worth trying."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from citewell.model.paper import Copy, Paper, PaperId, Scheme
from citewell.ports import Offer, PaperLookup
from citewell.services.scholar import merge
from citewell.services.scholar.copies import Copies, best
from citewell.services.scholar.panel import Panel
from citewell.text import dois
from citewell.text.urls import host, key, readable, within

RESOLVER = "https://doi.org"
GIVEN = "given"  # the source of an address that the caller named
LANDING = "doi"
PREPRINT = "preprint"
PUBLISHED = "publishedVersion"
_MOST = 10
_KEEPERS = ("semanticscholar", "openalex", "europepmc", "core", "arxiv")  # who list free copies
_ORDER = (GIVEN, "semanticscholar", "unpaywall", "openalex", "europepmc", "arxiv", "core")
_PREPRINTS = (
    "arxiv.org", "biorxiv.org", "medrxiv.org", "chemrxiv.org", "ssrn.com", "osf.io",
    "researchsquare.com", "preprints.org",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A work with everything that is known of its copies, the most promising first."""

    paper: Paper | None
    copies: tuple[Copy, ...]


class Candidates:
    def __init__(self, panel: Panel, copies: Copies, *, resolver: str = RESOLVER) -> None:
        """`resolver` is where a DOI's landing page is found."""
        self._panel = panel
        self._copies = copies
        self._resolver = resolver.rstrip("/")

    async def of(self, paper: Paper | None, ids: Iterable[PaperId], *, given: str = "") -> Located:
        """All that is known of the copies of a work; `given` is an address the caller named."""
        known = _identified(paper, ids)
        doi = next((one.value for one in known if one.scheme is Scheme.DOI), None)
        heard = {paper.source, *paper.provenance.values()} if paper else set()
        records, listed = await asyncio.gather(self._records(known, but=heard), self._listed(doi))
        every = [*([paper] if paper else []), *records]
        whole = merge.one(every) if every else None
        held = {one.scheme: one.value for one in known} | dict(whole.ids if whole else {})
        found = [
            *(whole.copies if whole else ()),
            *_pdf(every),
            *listed,
            *_by_id(held, self._resolver),
        ]
        every_copy = [self._resolved(copy) for copy in found]
        return Located(paper=whole, copies=_ordered(every_copy, given=given))

    def _resolved(self, copy: Copy) -> Copy:
        """What is listed under the DOI's own address is the landing page, whatever it is called."""
        if not dois.resolver(copy.url) or (doi := dois.find(copy.url)) is None:
            return copy
        return replace(copy, url=_landing(self._resolver, doi), pdf=False, source=LANDING)

    async def _records(self, known: tuple[PaperId, ...], *, but: set[str]) -> list[Paper]:
        """The work as each keeper of copies has it; whoever fails or was heard is left out."""

        async def question(provider: object) -> Paper | None:
            if not isinstance(provider, PaperLookup):
                raise TypeError("a provider declares lookup and does not offer it")
            fitting = next((one for one in known if one.scheme in provider.schemes), None)
            return await provider.paper(fitting) if fitting else None

        able = self._panel.able(Offer.LOOKUP)
        names = [name for name in _KEEPERS if name in able and name not in but]
        answers = await self._panel.together(
            names, question, enough=lambda done: len(done) >= len(names) - 1, grace=2.0
        )
        return [answer.value for answer in answers if answer.value and _same(answer.value, known)]

    async def _listed(self, doi: str | None) -> tuple[Copy, ...]:
        return await self._copies.of(doi) if doi else ()


def _identified(paper: Paper | None, ids: Iterable[PaperId]) -> tuple[PaperId, ...]:
    own = paper.ids.items() if paper else ()
    more = (PaperId(scheme=scheme, value=value) for scheme, value in own)
    return tuple(dict.fromkeys((*ids, *more)))


def _same(paper: Paper, known: Iterable[PaperId]) -> bool:
    """No identifier that contradicts what was asked for."""
    wanted = {one.scheme: one.value.lower() for one in known}
    return all(
        wanted.get(scheme, value.lower()) == value.lower()
        for scheme, value in paper.ids.items()
        if scheme is not Scheme.DOI or Scheme.ARXIV not in wanted
    )


def _pdf(papers: Iterable[Paper]) -> Iterator[Copy]:
    """A bare PDF address, which some registries give without saying more."""
    for paper in papers:
        if paper.pdf_url:
            source = paper.provenance.get("pdf_url", paper.source)
            yield Copy(url=paper.pdf_url, pdf=True, source=source)


def _by_id(ids: dict[Scheme, str], resolver: str) -> Iterator[Copy]:
    """Copies that follow from an identifier alone; the DOI's landing page is the last resort."""
    if arxiv := ids.get(Scheme.ARXIV):
        yield Copy(
            url=f"https://arxiv.org/pdf/{arxiv}", pdf=True, version=PREPRINT, host="repository",
            source="arxiv",
        )  # fmt: skip
    if pmcid := ids.get(Scheme.PMCID):
        url = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
        yield Copy(url=url, host="repository", source="europepmc")
    if doi := ids.get(Scheme.DOI):
        url = _landing(resolver, doi)
        yield Copy(url=url, version=PUBLISHED, host="publisher", source=LANDING)


def _landing(resolver: str, doi: str) -> str:
    return f"{resolver}/{quote(doi, safe='/:;()')}"


def _ordered(found: Iterable[Copy], *, given: str) -> tuple[Copy, ...]:
    place = {source: at for at, source in enumerate(_ORDER)}
    ranked = sorted(best(list(found)), key=lambda copy: place.get(copy.source, len(_ORDER)))
    landing = [copy for copy in ranked if copy.source == LANDING]
    first = [Copy(url=given, source=GIVEN)] if given else []
    every = [*first, *(copy for copy in ranked if copy.source != LANDING), *landing]
    unique = {key(copy.url): copy for copy in reversed(every) if readable(copy.url)}
    return tuple(reversed(unique.values()))[:_MOST]


def version(copy: Copy) -> str | None:
    """Which version it is, by who keeps it where nobody says."""
    name = host(copy.url)
    if any(within(name, site) for site in _PREPRINTS):
        return PREPRINT
    if copy.version:
        return copy.version
    return PUBLISHED if copy.host == "publisher" else None
