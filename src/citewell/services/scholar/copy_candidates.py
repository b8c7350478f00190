"""Collects the free copies of a work, in the order in which they are tried."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from citewell.model.paper import IdentifierScheme, OpenCopy, Paper, PaperId
from citewell.ports import Offer, PaperLookup
from citewell.services.routing.provider_panel import ProviderPanel
from citewell.services.scholar import record_merging
from citewell.services.scholar.open_copies import OpenCopyFinder, rank_by_version
from citewell.text.citations import dois
from citewell.text.web.addresses import (
    build_page_key,
    extract_host,
    is_web_address,
    is_within_domain,
)

DOI_RESOLVER_URL = "https://doi.org"
GIVEN_SOURCE = "given"  # the source of an address that the caller gave
LANDING_SOURCE = "doi"
PREPRINT_VERSION = "preprint"
PUBLISHED_VERSION = "publishedVersion"
_MAX_COPIES = 10
_COPY_PROVIDERS = (
    "semanticscholar",
    "openalex",
    "europepmc",
    "core",
    "arxiv",
)  # these list free copies
_COPY_SOURCE_ORDER = (
    GIVEN_SOURCE,
    "semanticscholar",
    "unpaywall",
    "openalex",
    "europepmc",
    "arxiv",
    "core",
)
_PREPRINT_HOSTS = (
    "arxiv.org", "biorxiv.org", "medrxiv.org", "chemrxiv.org", "ssrn.com", "osf.io",
    "researchsquare.com", "preprints.org",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedWork:
    """A work with its known copies, the most promising first."""

    paper: Paper | None
    copies: tuple[OpenCopy, ...]


class CopyCandidates:
    def __init__(
        self, panel: ProviderPanel, copies: OpenCopyFinder, *, resolver: str = DOI_RESOLVER_URL
    ) -> None:
        """`resolver` is the base URL of DOI landing pages."""
        self._panel = panel
        self._copies = copies
        self._resolver = resolver.rstrip("/")

    async def locate_copies(
        self, paper: Paper | None, ids: Iterable[PaperId], *, given_url: str = ""
    ) -> LocatedWork:
        """The work with all its known copies; an address that the caller gave comes first."""
        known = _collect_identifiers(paper, ids)
        doi = next((one.value for one in known if one.scheme is IdentifierScheme.DOI), None)
        heard = {paper.source, *paper.provenance.values()} if paper else set()
        records, listed = await asyncio.gather(
            self._look_up_copy_records(known, excluded=heard), self._list_doi_copies(doi)
        )
        every = [*([paper] if paper else []), *records]
        whole = record_merging.merge_records(every) if every else None
        held = {one.scheme: one.value for one in known} | dict(whole.ids if whole else {})
        found = [
            *(whole.copies if whole else ()),
            *_list_pdf_copies(every),
            *listed,
            *filter(self._may_be_fetched, _build_identifier_copies(held, self._resolver)),
        ]
        every_copy = [self._normalize_landing_copy(copy) for copy in found]
        return LocatedWork(paper=whole, copies=_rank_copies(every_copy, given=given_url))

    def _may_be_fetched(self, copy: OpenCopy) -> bool:
        """Whether its source may learn the identifier that its address is made from."""
        return self._panel.may_see_queries(copy.source)

    def _normalize_landing_copy(self, copy: OpenCopy) -> OpenCopy:
        """A copy at the DOI resolver is the landing page, even if it is listed as a PDF."""
        if not dois.is_doi_resolver(copy.url) or (doi := dois.find_doi(copy.url)) is None:
            return copy
        return replace(
            copy, url=_build_landing_url(self._resolver, doi), pdf=False, source=LANDING_SOURCE
        )

    async def _look_up_copy_records(
        self, known: tuple[PaperId, ...], *, excluded: set[str]
    ) -> list[Paper]:
        """The records of the work at providers that list copies; failed ones are left out."""

        async def question(provider: object) -> Paper | None:
            if not isinstance(provider, PaperLookup):
                raise TypeError("a provider declares lookup but does not implement it")
            fitting = next((one for one in known if one.scheme in provider.schemes), None)
            return await provider.look_up_paper(fitting) if fitting else None

        able = self._panel.list_able_providers(Offer.LOOKUP)
        names = [name for name in _COPY_PROVIDERS if name in able and name not in excluded]
        answers = await self._panel.ask_together(
            names, question, enough=lambda done: len(done) >= len(names) - 1, grace_seconds=2.0
        )
        return [
            answer.value
            for answer in answers
            if answer.value and _is_same_work(answer.value, known)
        ]

    async def _list_doi_copies(self, doi: str | None) -> tuple[OpenCopy, ...]:
        return await self._copies.list_known_copies(doi) if doi else ()


def _collect_identifiers(paper: Paper | None, ids: Iterable[PaperId]) -> tuple[PaperId, ...]:
    own = paper.ids.items() if paper else ()
    more = (PaperId(scheme=scheme, value=value) for scheme, value in own)
    return tuple(dict.fromkeys((*ids, *more)))


def _is_same_work(paper: Paper, known: Iterable[PaperId]) -> bool:
    """Whether no identifier of the paper contradicts the known ones."""
    wanted = {one.scheme: one.value.lower() for one in known}
    return all(
        wanted.get(scheme, value.lower()) == value.lower()
        for scheme, value in paper.ids.items()
        if scheme is not IdentifierScheme.DOI or IdentifierScheme.ARXIV not in wanted
    )


def _list_pdf_copies(papers: Iterable[Paper]) -> Iterator[OpenCopy]:
    """The PDF addresses of records that give no details of the copy."""
    for paper in papers:
        if paper.pdf_url:
            source = paper.provenance.get("pdf_url", paper.source)
            yield OpenCopy(url=paper.pdf_url, pdf=True, source=source)


def _build_identifier_copies(ids: dict[IdentifierScheme, str], resolver: str) -> Iterator[OpenCopy]:
    """Copies whose address follows from an identifier; the DOI's landing page comes last."""
    if arxiv := ids.get(IdentifierScheme.ARXIV):
        yield OpenCopy(
            url=f"https://arxiv.org/pdf/{arxiv}", pdf=True, version=PREPRINT_VERSION, host="repository",
            source="arxiv",
        )  # fmt: skip
    if pmcid := ids.get(IdentifierScheme.PMCID):
        url = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
        yield OpenCopy(url=url, host="repository", source="europepmc")
    if doi := ids.get(IdentifierScheme.DOI):
        url = _build_landing_url(resolver, doi)
        yield OpenCopy(url=url, version=PUBLISHED_VERSION, host="publisher", source=LANDING_SOURCE)


def _build_landing_url(resolver: str, doi: str) -> str:
    return f"{resolver}/{quote(doi, safe='/:;()')}"


def _rank_copies(found: Iterable[OpenCopy], *, given: str) -> tuple[OpenCopy, ...]:
    place = {source: at for at, source in enumerate(_COPY_SOURCE_ORDER)}
    ranked = sorted(
        rank_by_version(list(found)),
        key=lambda copy: place.get(copy.source, len(_COPY_SOURCE_ORDER)),
    )
    landing = [copy for copy in ranked if copy.source == LANDING_SOURCE]
    first = [OpenCopy(url=given, source=GIVEN_SOURCE)] if given else []
    every = [*first, *(copy for copy in ranked if copy.source != LANDING_SOURCE), *landing]
    unique = {
        build_page_key(copy.url): copy for copy in reversed(every) if is_web_address(copy.url)
    }
    return tuple(reversed(unique.values()))[:_MAX_COPIES]


def detect_copy_version(copy: OpenCopy) -> str | None:
    """The version of a copy, by its host if the record does not say; None if unknown."""
    name = extract_host(copy.url)
    if any(is_within_domain(name, site) for site in _PREPRINT_HOSTS):
        return PREPRINT_VERSION
    if copy.version:
        return copy.version
    return PUBLISHED_VERSION if copy.host == "publisher" else None
