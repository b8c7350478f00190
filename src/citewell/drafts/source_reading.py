"""Reads the source that a reference means: open copies first, then the cited page, then the abstract."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Self

from citewell.citations import dois
from citewell.core import errors
from citewell.core.service_kit import ServiceKit
from citewell.core.values.page import Page
from citewell.core.values.paper import Paper
from citewell.evidence.judging.source_opinions import ReadSource
from citewell.reading.pages.cached_pages import CachedPageReader
from citewell.scholar import free_copies
from citewell.scholar.free_copies import CopyCandidates
from citewell.scholar.registry_records import UNCHECKED
from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue
from citewell.text.addresses import build_page_key, is_web_address
from citewell.text.data_tables import load_table
from citewell.text.language.detection import detect_language
from citewell.text.safety.text_cleaning import clean_markup
from citewell.text.truncation import SPARSE_PAGE_WORDS
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.claim_sources import cut_reference_list
from citewell.trust.finding_advice import OFFLINE_NOTE

_WHOLE_SECONDS = 6 * 3600.0  # the page itself is kept, and read again, as all pages are
_OTHER_SECONDS = 900.0  # a better copy may come to be
_CHOICE_VERSION = 2  # raised when SourceChoice changes its shape

MAX_SOURCE_BYTES = 400_000  # of one source that statements are compared with
_MAX_COPIES_TRIED = 4  # addresses of one source
_PAGE_SECONDS = 30.0  # for one address
_MAX_DETECTED_CHARS = 20_000
_MIN_SHORT_PAGE_WORDS = 50
# Signs that a short page shows only the beginning of a text, or a message in place of it.
_PREVIEW_PATTERN = re.compile(
    r"\b(?:read (?:more|on|the full)|continue reading|sign (?:in|up)|log ?in|subscri(?:be|ption)|register to|free trial|paywall|enable javascript|cookies?"
    r"|access denied|loading|weiterlesen|mehr lesen|anmelden|abonn\w{2,8}|jetzt testen|lire la suite|s['’]abonner|abonnez|se connecter|réservé aux"
    r"|seguir leyendo|leer más|suscr[ií]b\w{1,6}|iniciar sesión|inicia sesión)\b",
    re.IGNORECASE,
)
ABSTRACT_NOTE = "Only the abstract could be read; the full text may say more."
PARTIAL_NOTE = "Only a part of the source could be read; the rest may say more."


class SourceReader:
    def __init__(
        self,
        pages: CachedPageReader,
        copies: CopyCandidates | None = None,
        *,
        choices: SourceChoices | None = None,
        page_seconds: float = _PAGE_SECONDS,
    ) -> None:
        """Without `copies` only the copies that the record itself lists are tried.

        `choices` remember at which address a source was read, or that it could not be.
        """
        self._pages = pages
        self._copies = copies
        self._choices = choices
        self._page_seconds = page_seconds

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(
            kit.require_service(CachedPageReader),
            kit.require_service(CopyCandidates),
            choices=SourceChoices(kit.store.loader, kit.sharing),
        )

    async def read_source(self, entry: ExaminedEntry, *, tenant: str | None = None) -> ReadSource:
        """The best text that can be read; never raises for a source that cannot be."""
        if self._choices is None:
            return await self._read_first_copy(entry, tenant)
        made: list[ReadSource] = []

        async def make_choice() -> SourceChoice:
            read = await self._read_first_copy(entry, tenant)
            made.append(read)
            if read.is_read and read.note != ABSTRACT_NOTE:
                return SourceChoice(url=read.asked_url, is_whole=read.is_whole)
            return SourceChoice(complaint=read.complaint, is_unanswered=read.is_unanswered)

        # What decides where a source is looked for.
        paper = choose_cited_paper(entry)
        ids = sorted(f"{scheme}:{value}" for scheme, value in paper.ids.items()) if paper else []
        question = (paper.title if paper else "", *ids, *_list_first_addresses(entry, paper))
        choice = await self._choices.load_choice(question, make_choice, tenant=tenant)
        if made:
            return made[0]
        return await self._read_chosen_copy(entry, choice, tenant)

    async def _read_chosen_copy(
        self, entry: ExaminedEntry, choice: SourceChoice, tenant: str | None
    ) -> ReadSource:
        """The source at the address where it was read before, or the reason why it was not."""
        tries = _SourceTries(paper=choose_cited_paper(entry))
        tries.complaint = choice.complaint
        if choice.url:
            found = await self._try_address(choice.url, tries, tenant)
            if found is not None:
                return found
        return tries.choose_fallback(entry)

    async def _read_first_copy(self, entry: ExaminedEntry, tenant: str | None) -> ReadSource:
        paper = choose_cited_paper(entry)
        tries = _SourceTries(paper=paper)
        for url in _list_first_addresses(entry, paper):
            if (found := await self._try_address(url, tries, tenant)) is not None:
                return found
        if paper is not None and self._copies is not None and tries.has_tries_left:
            for url in await self._list_more_copies(paper, self._copies, tries):
                if (found := await self._try_address(url, tries, tenant)) is not None:
                    return found
        return tries.choose_fallback(entry)

    async def _list_more_copies(
        self, paper: Paper, copies: CopyCandidates, tries: _SourceTries
    ) -> list[str]:
        try:
            located = await copies.locate_copies(paper, ())
        except errors.CitewellError as error:
            tries.note_failure("Free copies of the source could not be looked for", error)
            return []
        return [copy.url for copy in located.copies]

    async def _try_address(
        self, url: str, tries: _SourceTries, tenant: str | None
    ) -> ReadSource | None:
        """The whole source, if that is what the address has; otherwise it is noted in `tries`."""
        if not tries.begin_address(url):
            return None
        try:
            async with asyncio.timeout(self._page_seconds):
                page = await self._pages.read_page(url, max_length=MAX_SOURCE_BYTES, tenant=tenant)
        except errors.RefusedByPolicy:
            tries.complaint = "The address is private, not public, so it was not requested."
            return None
        except errors.CitewellError as error:
            tries.note_failure(f"{url} could not be read", error)
            return None
        except TimeoutError:
            tries.complaint = f"{url} could not be read in time."
            tries.is_unanswered = True
            return None
        return await asyncio.to_thread(tries.take_page, page)


def _describe_failure(what: str, error: errors.CitewellError) -> str:
    if error.reason is errors.FailureReason.OFFLINE:
        return f"{what}: this machine has no network."
    words = load_table(__package__, "source_failures").get(error.kind, error.kind.replace("_", " "))
    return f"{what}: {words}."


class _SourceTries:
    """The addresses of one source that were tried, and the best part of it that was read."""

    def __init__(self, *, paper: Paper | None) -> None:
        self._paper = paper
        self._keys: set[str] = set()
        self._partial: ReadSource | None = None
        self.complaint = ""
        self.is_unanswered = False

    def note_failure(self, what: str, error: errors.CitewellError) -> None:
        """Remember why there is nothing, and whether there may be something another time."""
        self.complaint = _describe_failure(what, error)
        passing = isinstance(
            error, errors.NetworkFailed | errors.RateLimited | errors.UpstreamUnavailable
        )
        self.is_unanswered |= passing and error.reason is not errors.FailureReason.DNS

    @property
    def has_tries_left(self) -> bool:
        return len(self._keys) < _MAX_COPIES_TRIED

    def begin_address(self, url: str) -> bool:
        key = build_page_key(url)
        if key in self._keys or not self.has_tries_left:
            return False
        self._keys.add(key)
        return True

    def take_page(self, page: Page) -> ReadSource | None:
        """The page as the source, if it is all of it."""
        title = clean_markup(self._paper.title) if self._paper else ""
        if title and not free_copies.has_own_title(page, title):
            self.complaint = f"{page.final_url or page.url} shows another document."
            return None
        fault = free_copies.find_full_text_fault(page, title) if self._paper else None
        is_whole = (
            fault is None
            and not page.truncated
            and page.quality != "partial"
            and (page.page_count is not None or _has_enough_words(page))
        )
        found = ReadSource(
            # Titles in a list of references are not what the source says.
            text=cut_reference_list(page.content),
            language=detect_language(page.content[:_MAX_DETECTED_CHARS]) or page.language,
            url=page.final_url or page.url,
            asked_url=page.url,
            title=title or page.title,
            is_whole=is_whole,
            note="" if is_whole else PARTIAL_NOTE,
            years=_collect_years(self._paper, page.published, page.modified),
            authors=f"{_join_surnames(self._paper)} {page.author or ''} {page.site or ''}".strip(),
        )
        if is_whole:
            return found
        if self._partial is None or len(found.text) > len(self._partial.text):
            self._partial = found
        return None

    def choose_fallback(self, entry: ExaminedEntry) -> ReadSource:
        """The part that was read with the abstract, or the reason why there is nothing."""
        paper = self._paper
        abstract = clean_markup(paper.abstract) if paper and paper.abstract else ""
        if self._partial is not None and len(self._partial.text) > len(abstract):
            return self._partial
        if paper is not None and abstract:
            return ReadSource(
                text=abstract,
                language=detect_language(abstract) or paper.language,
                url=paper.url,
                title=clean_markup(paper.title),
                note=ABSTRACT_NOTE,
                years=_collect_years(paper),
                authors=_join_surnames(paper),
            )
        if not self.complaint and paper is None and entry.finding.existence == UNCHECKED:
            return _explain_unknown_work(entry)
        return ReadSource(
            complaint=self.complaint or _explain_no_address(entry),
            is_unanswered=self.is_unanswered,
        )


def _has_enough_words(page: Page) -> bool:
    """Whether a page is no mere beginning: long, or short with a proper end and no sign of more."""
    words = page.word_count or len(page.content.split())
    if words >= SPARSE_PAGE_WORDS:
        return True
    ends_well = page.content.rstrip(' \n*_)|"”»').endswith((".", "!", "?", "。", ":", ";"))
    is_listed = page.content.rstrip().rpartition("\n")[2].lstrip().startswith(("-", "|", "*"))
    return (
        words >= _MIN_SHORT_PAGE_WORDS
        and (ends_well or is_listed)
        and _PREVIEW_PATTERN.search(page.content) is None
    )


def choose_cited_paper(entry: ExaminedEntry) -> Paper | None:
    """The record of the work that the reference describes; None if it is not known."""
    finding = entry.finding
    if finding.paper is not None and not finding.is_another_work:
        return finding.paper
    return finding.other_paper if finding.suggested_doi else None


def _list_first_addresses(entry: ExaminedEntry, paper: Paper | None) -> Iterator[str]:
    """Open copies that the record lists, then the cited address, then the landing page."""
    if paper is not None:
        copies = sorted(paper.copies, key=lambda copy: copy.version == "submittedVersion")
        yield from _keep_readable_addresses(*(copy.url for copy in copies), paper.pdf_url or "")
    link = entry.link
    is_dead = link is not None and link.state == "dead"
    cited = (link.archived or "") if link is not None and is_dead else entry.reference.url
    if not (dois.is_doi_resolver(cited) and paper is None and entry.reference.ids):
        yield from _keep_readable_addresses(cited)
    if entry.case is not None and entry.case.case is not None:
        yield from _keep_readable_addresses(entry.case.case.url)


def _keep_readable_addresses(*urls: str) -> Iterator[str]:
    return (url for url in urls if is_web_address(url))


def _collect_years(paper: Paper | None, *dates: str | None) -> frozenset[int]:
    every = (*dates, paper.published if paper else None, str(paper.year or "") if paper else None)
    return frozenset(int(opinion[:4]) for opinion in every if opinion and opinion[:4].isdecimal())


def _join_surnames(paper: Paper | None) -> str:
    return "; ".join(author.name for author in paper.authors) if paper else ""


def _explain_unknown_work(entry: ExaminedEntry) -> ReadSource:
    """Why nothing was read of a work that no registry could be asked about."""
    if entry.is_offline:
        return ReadSource(complaint=OFFLINE_NOTE, is_unanswered=True)
    has_answer = bool(entry.finding.unaware_registries or entry.finding.absence)
    has_answer = has_answer or (entry.link_live is False and entry.is_page_only)
    if has_answer or not entry.finding.has_asked:
        return ReadSource(complaint=_explain_no_address(entry))
    return ReadSource(
        complaint="No registry that could know the source answered, so no copy of it could be looked for.",
        is_unanswered=True,
    )


def _explain_no_address(entry: ExaminedEntry) -> str:
    if entry.link is not None and entry.link.state == "dead":
        return "The cited page is gone, and no archived copy was found."
    return "No free copy of the source is known."


# Remembers at which address a source was read, or why it could not be, so that a second check is quick.


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChoice:
    """The address at which the best text was read; empty if there is none but the abstract."""

    url: str = ""
    is_whole: bool = False
    complaint: str = ""
    is_unanswered: bool = False  # nothing was read because of a failure that may pass


class SourceChoices:
    def __init__(self, loader: CachedLoader, sharing: AnswerSharing) -> None:
        self._loader = loader
        self._sharing = sharing

    async def load_choice(
        self,
        question: Sequence[str],
        make: Callable[[], Awaitable[SourceChoice]],
        *,
        tenant: str | None,
    ) -> SourceChoice:
        """The choice for a source, made by `make` if none is remembered."""
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if owner is None:
            return await make()

        async def make_fresh() -> FreshValue:
            choice = await make()
            seconds = _WHOLE_SECONDS if choice.is_whole else _OTHER_SECONDS
            seconds = 0.0 if choice.is_unanswered else seconds
            return FreshValue(value=json.dumps(asdict(choice)).encode(), ttl=seconds)

        text = json.dumps(["source choice", _CHOICE_VERSION, *question])
        choice_key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        loaded = await self._loader.load_or_make(owner, choice_key, make_fresh)
        return SourceChoice(**json.loads(loaded.entry.value))
