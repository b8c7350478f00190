"""Looks for another source of a statement that its own does not carry; it is offered, never put in.

What was read for the draft and the owner's library are looked through on this machine. The providers
of literature and web search are asked only if the caller says so, because they are told the
statement's words; those of the web only if the literature has nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX, SearchQuery
from citewell.drafts.draft_findings import DraftRepair
from citewell.drafts.source_reading import MAX_SOURCE_BYTES
from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import FindingEvidence, ReadSource, SourceStance
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText
from citewell.library.library_access import OwnerLibraryIndex
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.store.cache.answer_sharing import without_library
from citewell.text.language import word_forms
from citewell.text.language.detection import detect_language
from citewell.text.safety.text_cleaning import clean_markup

_MAX_CANDIDATES = 3  # texts of each kind that a statement is compared with
_MIN_TERM_SHARE = 0.6  # of the statement's words in a text, to be compared at all
_MIN_OFFERED_SCORE = 0.6
_PAGE_SECONDS = 15.0
_LITERATURE_SECONDS = 10.0  # for the search and the copies, so that the web has its turn
_MAX_QUERY_CHARS = 300
_MAX_DETECTED_CHARS = 20_000


# Asks search providers, who are told the words, for addresses.
OutsideSearch = Callable[[str], Awaitable[Sequence[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWork:
    """A work that a search of the literature found."""

    url: str  # to cite: its DOI, or its page
    title: str
    abstract: str = ""
    copy_url: str = ""  # where its text may be read


# Asks providers of scholarly search, who are told the words.
LiteratureSearcher = Callable[[str], Awaitable[Sequence[FoundWork]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherSource:
    """A passage that says what the statement says, and where it is from."""

    origin: str  # draft, library, literature or search
    evidence: FindingEvidence
    place: int | None = None  # of a source of the draft
    cited_url: str = ""  # to cite, if it is another address than that of the passage

    def build_repair(self, reference: str) -> DraftRepair:
        text = {
            "draft": f"Another source of this draft says so: {reference}.",
            "library": "A document of your library says so.",
            "literature": "A work that was found by search says so; read it before you cite it:"
            f" {self.evidence.title}.",
            "search": "A page that was found by search says so; read it before you cite it.",
        }[self.origin]
        return DraftRepair(
            kind="other_source",
            text=text,
            new=self.cited_url or self.evidence.url,
            evidence=self.evidence,
        )


class OtherSourceFinder:
    def __init__(
        self,
        pages: CachedPageReader,
        *,
        library: OwnerLibraryIndex | None = None,
        literature: LiteratureSearcher | None = None,
        search: OutsideSearch | None = None,
    ) -> None:
        self._pages = pages
        self._literature = literature
        self._library = library
        self._search = search

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_service(CachedPageReader),
            library=kit.require_service(OwnerLibraryIndex),
            literature=partial(_search_literature, kit),
            search=partial(_search_web, kit),
        )

    async def find_other_source(
        self,
        statement: str,
        read: Mapping[int, ReadSource],
        *,
        tenant: str | None,
        on_search: Callable[[], None] | None = None,
    ) -> OtherSource | None:
        """The first passage that supports the statement; `read` are the draft's other sources.

        Search providers are asked only with `on_search`, which is called once before they are.
        """
        found = await asyncio.to_thread(_search_read_sources, statement, read)
        if found is None and self._library is not None:
            found = await self._search_library(statement, self._library, tenant)
        if found is not None or on_search is None or not (self._literature or self._search):
            return found
        on_search()
        if self._literature is not None:
            found = await self._search_works(statement, self._literature, tenant)
        if found is None and self._search is not None:
            found = await self._search_other_sources(statement, self._search, tenant)
        return found

    async def _search_works(
        self, statement: str, literature: LiteratureSearcher, tenant: str | None
    ) -> OtherSource | None:
        """A work whose abstract, or else whose free copy, says so."""
        try:
            async with asyncio.timeout(_LITERATURE_SECONDS):
                works = (await literature(statement[:_MAX_QUERY_CHARS]))[:_MAX_CANDIDATES]
                for work in works:
                    if found := await asyncio.to_thread(_search_abstract, statement, work):
                        return found
                for work in works:
                    copies = [work.copy_url] if work.copy_url else []
                    read = await self._read_candidates(statement, copies, "literature", tenant)
                    if read is not None:
                        return replace(read, cited_url=work.url)
        except (CitewellError, TimeoutError):
            return None
        return None

    async def _search_library(
        self, statement: str, library: OwnerLibraryIndex, tenant: str | None
    ) -> OtherSource | None:
        query = SearchQuery(text=statement[:_MAX_QUERY_CHARS], count=_MAX_CANDIDATES)
        try:
            # By words: an encoder for meaning may be on another machine.
            hits = (await library.search_documents(query, by_id=True)).hits
        except CitewellError:
            return None
        ids = (hit.url for hit in hits if hit.url.startswith(LIBRARY_ID_PREFIX))
        return await self._read_candidates(statement, ids, "library", tenant)

    async def _search_other_sources(
        self, statement: str, search: OutsideSearch, tenant: str | None
    ) -> OtherSource | None:
        try:
            addresses = await search(statement[:_MAX_QUERY_CHARS])
        except CitewellError:
            return None
        return await self._read_candidates(statement, addresses, "search", tenant)

    async def _read_candidates(
        self, statement: str, addresses: Iterable[str], origin: str, tenant: str | None
    ) -> OtherSource | None:
        for address in list(addresses)[:_MAX_CANDIDATES]:
            try:
                async with asyncio.timeout(_PAGE_SECONDS):
                    page = await self._pages.read_page(
                        address, max_length=MAX_SOURCE_BYTES, tenant=tenant
                    )
            except (CitewellError, TimeoutError):
                continue
            source = ReadSource(
                text=page.content,
                language=detect_language(page.content[:_MAX_DETECTED_CHARS]) or page.language,
                url=page.final_url or page.url,
                title=page.title,
            )
            evidence = await asyncio.to_thread(_find_other_support, statement, source)
            if evidence is not None:
                return OtherSource(origin=origin, evidence=evidence)
        return None


def _search_read_sources(statement: str, read: Mapping[int, ReadSource]) -> OtherSource | None:
    words = {word for word in word_forms.split_words(statement) if word_forms.is_content_word(word)}
    # The share of the statement's words that a text has: a quick look before a close one.
    shares = {
        place: sum(word in text for word in words) / max(1, len(words))
        for place, text in ((place, source.text.lower()) for place, source in read.items())
    }
    likely = sorted(shares, key=lambda place: -shares[place])[:_MAX_CANDIDATES]
    for place in likely:
        if shares[place] >= _MIN_TERM_SHARE:
            evidence = _find_other_support(statement, read[place])
            if evidence is not None:
                return OtherSource(origin="draft", evidence=evidence, place=place)
    return None


def _search_abstract(statement: str, work: FoundWork) -> OtherSource | None:
    if not work.abstract:
        return None
    source = ReadSource(
        text=work.abstract,
        language=detect_language(work.abstract[:_MAX_DETECTED_CHARS]),
        url=work.url,
        title=work.title,
    )
    evidence = _find_other_support(statement, source)
    return None if evidence is None else OtherSource(origin="literature", evidence=evidence)


def _find_other_support(statement: str, read: ReadSource) -> FindingEvidence | None:
    source = SourceText(text=read.text, language=read.language, known_names=read.known_names)
    opinion = judge_by_words(ClaimPair(claim=statement, source=source, is_private=True))
    found = judge_statement(statement, source, read, opinion)
    if found.stance is not SourceStance.SUPPORTS or found.score < _MIN_OFFERED_SCORE:
        return None
    return found.evidence[0] if found.evidence else None


async def _search_web(kit: ServiceKit, words: str) -> tuple[str, ...]:
    from citewell.search.search_request import SearchRequest
    from citewell.search.search_service import WebSearchService

    answer = await kit.require_service(WebSearchService).search_web_pages(
        SearchRequest(query=words, count=3), trace=RoutingTrace()
    )
    return tuple(result.url for result in answer.results)


async def _search_literature(kit: ServiceKit, words: str) -> tuple[FoundWork, ...]:
    from citewell.scholar.literature_search import LiteratureSearch
    from citewell.scholar.paper_search_ladder import PaperSearchRequest

    with without_library():  # it was looked through already
        answer = await kit.require_service(LiteratureSearch).search_literature(
            PaperSearchRequest(query=words, count=3), trace=RoutingTrace()
        )
    return tuple(
        FoundWork(
            url=paper.url,
            title=clean_markup(paper.title),
            abstract=clean_markup(paper.abstract or ""),
            copy_url=paper.pdf_url or paper.url,
        )
        for paper in answer.papers
        if paper.retraction_status is None or not paper.retraction_status.retracted
    )
