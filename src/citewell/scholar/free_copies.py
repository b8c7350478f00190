"""Free copies of a work: finds them, orders them, and checks that a page is really the full text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import quote

from citewell.citations import dois, title_matching
from citewell.core.lazy_patterns import compile_on_use
from citewell.core.service_kit import ServiceKit
from citewell.core.values.page import Page
from citewell.core.values.paper import IdentifierScheme, OpenCopy, Paper, PaperId
from citewell.routing.ports import Offer, OpenCopies, PaperLookup
from citewell.routing.provider_panel import ProviderPanel
from citewell.scholar import record_merging
from citewell.text.addresses import build_page_key, extract_host, is_web_address, is_within_domain
from citewell.text.data_tables import load_table
from citewell.text.language.scripts import classify_script

_ENRICHING_PROVIDER = "unpaywall"
_MAX_CONCURRENT_LOOKUPS = 10
_ENRICH_TIMEOUT_SECONDS = 6.0  # seconds for all papers together
_LAST_ANSWER_GRACE_SECONDS = 2.0  # seconds for the last provider, once the others have answered
_VERSION_RANKS = {"publishedVersion": 0, "acceptedVersion": 1, "submittedVersion": 2}

_HEAD_CHARS = 12_000  # characters that contain a paper's own title; later ones name other works
_MIN_TITLE_COVERAGE = 0.8  # share of the title's words
_MIN_FILE_WORDS = 250  # words of a short letter as a file
_MIN_ARTICLE_WORDS = 1500  # words; more than an abstract with the rest of its page has
_MIN_SECTIONED_WORDS = 500  # words, if the sections of a paper are present
_MAX_PREVIEW_WORDS = 3000  # words; below it an offer to buy means a preview
_MIN_SECTION_COUNT = 3
_SECTION_HEADING_PATTERN = compile_on_use(
    r"^\W{0,6}(?:\d{1,2}(?:\.\d{1,2})*\.?\s+|[IVX]{1,5}\.\s+)?(introduction|background|methods?|materials and methods"
    r"|results?|results and discussion|discussion|conclusions?|concluding remarks|references|bibliography|related work"
    r"|acknowledge?ments?|einleitung|methoden|ergebnisse|diskussion|literatur(?:verzeichnis)?|références|méthodes"
    r"|résultats|introducción|métodos|resultados|discusión|conclusiones|referencias|введение|методы|результаты"
    r"|обсуждение|заключение|литература|引言|方法|结果|讨论|结论|参考文献|はじめに|結果|考察|結論)\W{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_RETRACTION_LABEL_PATTERN = compile_on_use(
    r"^\W*(?:retracted|withdrawn|removed)(?:\s+article)?\s*[:\]]\s*", re.IGNORECASE
)
_PAYWALL_PATTERN = compile_on_use(
    r"access through your institution|buy (?:this )?article|purchase (?:pdf|access|article)|rent (?:this )?article"
    r"|get (?:full )?access|preview of subscription content|subscribe to (?:this )?journal|log in (?:to|for) (?:full )?access"
    r"|this is a preview|institutional (?:login|access)|check access|full text (?:is )?(?:not|un)available"
    r"|unlock (?:this|full)|request full[- ]text",
    re.IGNORECASE,
)  # fmt: skip

DOI_RESOLVER_URL = "https://doi.org"
GIVEN_SOURCE = "given"  # the source of an address that the caller gave
LANDING_SOURCE = "doi"
PREPRINT_VERSION = "preprint"
PUBLISHED_VERSION = "publishedVersion"
_MAX_COPIES = 10
# Providers that list free copies.
_COPY_PROVIDERS = ("semanticscholar", "openalex", "europepmc", "core", "arxiv")
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

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        panel = kit.require_service(ProviderPanel)
        return cls(panel, OpenCopyFinder(panel), resolver=kit.catalogue.find_spec("doi").base_url)

    async def locate_copies(
        self, paper: Paper | None, ids: Iterable[PaperId], *, given_url: str = ""
    ) -> LocatedWork:
        """The work with all its known copies; an address that the caller gave comes first."""
        known = _collect_identifiers(paper, ids)
        doi = next(
            (paper_id.value for paper_id in known if paper_id.scheme is IdentifierScheme.DOI), None
        )
        heard = {paper.source, *paper.provenance.values()} if paper else set()
        records, listed = await asyncio.gather(
            self._look_up_copy_records(known, excluded=heard), self._copies.list_known_copies(doi)
        )
        every = [*([paper] if paper else []), *records]
        whole = record_merging.merge_records(every) if every else None
        held = {paper_id.scheme: paper_id.value for paper_id in known} | dict(
            whole.ids if whole else {}
        )
        # The PDF addresses of records that give no details of the copy.
        pdf_copies = [
            OpenCopy(
                url=record.pdf_url, pdf=True, source=record.provenance.get("pdf_url", record.source)
            )
            for record in every
            if record.pdf_url
        ]
        # A source that may not see queries may not learn the identifier in an address either.
        built = [
            copy
            for copy in _build_identifier_copies(held, self._resolver)
            if self._panel.may_see_queries(copy.source)
        ]
        found = [*(whole.copies if whole else ()), *pdf_copies, *listed, *built]
        every_copy = [self._normalize_landing_copy(copy) for copy in found]
        return LocatedWork(paper=whole, copies=_rank_copies(every_copy, given=given_url))

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

        async def question(provider: PaperLookup) -> Paper | None:
            fitting = next(
                (paper_id for paper_id in known if paper_id.scheme in provider.schemes), None
            )
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


def _collect_identifiers(paper: Paper | None, ids: Iterable[PaperId]) -> tuple[PaperId, ...]:
    own = paper.ids.items() if paper else ()
    more = (PaperId(scheme=scheme, value=value) for scheme, value in own)
    return tuple(dict.fromkeys((*ids, *more)))


def _is_same_work(paper: Paper, known: Iterable[PaperId]) -> bool:
    """Whether no identifier of the paper contradicts the known ones."""
    wanted = {paper_id.scheme: paper_id.value.lower() for paper_id in known}
    return all(
        wanted.get(scheme, value.lower()) == value.lower()
        for scheme, value in paper.ids.items()
        if scheme is not IdentifierScheme.DOI or IdentifierScheme.ARXIV not in wanted
    )


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
    order = load_table(__package__, "provider_orders")["copies"]
    place = {source: at for at, source in enumerate(order)}
    ranked = sorted(
        rank_by_version(list(found)), key=lambda copy: place.get(copy.source, len(order))
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


# Checks whether a page is the full text of a given paper.


def find_full_text_fault(page: Page, title: str) -> str | None:
    """Why the page is not this paper's full text; None if it is.

    Without a title only the length and structure of the text are checked.
    """
    if title and not has_own_title(page, title):
        return "it is another document"
    if page.page_count is not None:
        return None if page.word_count >= _MIN_FILE_WORDS else "the file holds hardly any text"
    if page.word_count < _MAX_PREVIEW_WORDS and _PAYWALL_PATTERN.search(page.content):
        return "it is a preview before a paywall"
    if page.word_count >= _MIN_ARTICLE_WORDS or _has_paper_sections(page):
        return None
    return "it holds the abstract at most"


def has_own_title(page: Page, title: str) -> bool:
    """Whether the title, or most of its words, is at the beginning of the page."""
    title = _RETRACTION_LABEL_PATTERN.sub("", title)
    head = f"{page.title}\n{page.content[:_HEAD_CHARS]}"
    if classify_script(title) != classify_script(head) and title_matching.is_translated_title(
        title
    ):
        return True  # a catalogue's translation of the title is not in the text
    if not title_matching.extract_title_words(title_matching.strip_translation_marks(title)):
        return True
    return title_matching.measure_title_coverage(title, head) >= _MIN_TITLE_COVERAGE


def _has_paper_sections(page: Page) -> bool:
    if page.word_count < _MIN_SECTIONED_WORDS:
        return False
    found = {match.lower() for match in _SECTION_HEADING_PATTERN.findall(page.content)}
    return len(found) >= _MIN_SECTION_COUNT


# Finds free copies of works through the providers that list them.


class OpenCopyFinder:
    def __init__(
        self, panel: ProviderPanel, *, timeout_seconds: float = _ENRICH_TIMEOUT_SECONDS
    ) -> None:
        self._panel = panel
        self._patience = timeout_seconds
        self._lookup_slots = asyncio.Semaphore(_MAX_CONCURRENT_LOOKUPS)

    async def add_open_copies(self, papers: Sequence[Paper]) -> tuple[Paper, ...]:
        """The papers, with the best free PDF where one was missing; failures are ignored."""
        if _ENRICHING_PROVIDER not in self._panel.list_able_providers(Offer.COPIES):
            return tuple(papers)
        lacking = [paper for paper in papers if paper.doi and not paper.pdf_url]
        tasks = {
            paper.doi: asyncio.create_task(self._ask_enriching_provider(paper.doi))
            for paper in lacking
            if paper.doi
        }
        try:
            if tasks:
                await asyncio.wait(tasks.values(), timeout=self._patience)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
        known = {doi: task.result() for doi, task in tasks.items() if not task.cancelled()}
        return tuple(_merge_paper_copies(paper, known.get(paper.doi or "", ())) for paper in papers)

    async def list_known_copies(self, doi: str | None) -> tuple[OpenCopy, ...]:
        """All copies of the work that any provider lists; none for a work without a DOI."""
        if not doi:
            return ()

        async def question(provider: OpenCopies) -> tuple[OpenCopy, ...] | None:
            return await provider.list_open_copies(doi)

        names = self._panel.list_able_providers(Offer.COPIES)
        answers = await self._panel.ask_together(
            names,
            question,
            enough=lambda done: len(done) >= len(names) - 1,
            grace_seconds=_LAST_ANSWER_GRACE_SECONDS,
        )
        return tuple(dict.fromkeys(copy for answer in answers for copy in answer.value or ()))

    async def _ask_enriching_provider(self, doi: str) -> tuple[OpenCopy, ...]:
        provider = self._panel.load_provider(_ENRICHING_PROVIDER)
        if not isinstance(provider, OpenCopies):
            raise TypeError(f"{_ENRICHING_PROVIDER} declares copies but does not implement them")
        async with self._lookup_slots:
            answer = await self._panel.ask_provider(
                _ENRICHING_PROVIDER, lambda: provider.list_open_copies(doi)
            )
        return answer.value or ()


def rank_by_version(copies: Sequence[OpenCopy]) -> list[OpenCopy]:
    """The copies by version, published first; within a version, PDFs first."""
    return sorted(
        copies, key=lambda copy: (_VERSION_RANKS.get(copy.version or "", 3), not copy.pdf)
    )


def _merge_paper_copies(paper: Paper, copies: Sequence[OpenCopy]) -> Paper:
    if not copies:
        return paper
    pdf = next((copy.url for copy in rank_by_version(copies) if copy.pdf), None)
    provenance = dict(paper.provenance)
    if pdf is not None and paper.pdf_url is None:
        provenance["pdf_url"] = _ENRICHING_PROVIDER
    return paper.with_changes(
        pdf_url=paper.pdf_url or pdf,
        open_access=True,
        copies=tuple(dict.fromkeys((*paper.copies, *copies))),
        provenance=provenance,
    )
