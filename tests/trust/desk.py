"""Registries, links, pages and notices that answer from the loopback world's register, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citewell.core.errors import CitewellError, NetworkFailed, UpstreamUnavailable
from citewell.core.values.page import Page
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    Paper,
    PaperId,
    WorkAuthor,
)
from citewell.links.link_checks import LinkState
from citewell.routing.provider_panel import ABSENT, FAILED, FOUND, ProviderOutcome
from citewell.scholar import record_merging
from citewell.scholar.registry_records import ReferenceMatches, WorkRecord
from citewell.trust.bibliography_audit import BibliographyAudit
from citewell.trust.notice_weighing import weigh_notices
from citewell.trust.retraction_checks import RetractionCheck
from citewell.trust.tools.verify_citation import CitationVerifier
from citewell.trust.work_lookup import WorkLookup
from tests.fake_services import use_fake
from tests.internet.papers import Author, Work, register

KINDS = {kind.value: kind for kind in NoticeKind}


def person(author: Author) -> WorkAuthor:
    if isinstance(author, str):
        return WorkAuthor(name=author, organisation=True)
    given, family = author
    return WorkAuthor(name=f"{given} {family}".strip(), family=family, given=given)


def paper(work: Work) -> Paper:
    """A work as a registry would hand it on."""
    return Paper(
        title=work.registered_title,
        source="crossref",
        url=f"https://doi.org/{work.key}",
        ids={IdentifierScheme.DOI: work.key, **{IdentifierScheme(name): value for name, value in work.ids.items()}},
        authors=tuple(map(person, work.authors)),
        year=work.year,
        venue=work.venue or None,
        kind=work.kind,
        abstract=work.abstract,
        events=tuple(
            IntegrityNotice(kind=KINDS[event.kind], source=event.source, label=event.label, date=event.date, notice_doi=event.notice)
            for event in work.events
        ),
    )  # fmt: skip


def work(doi: str) -> Work:
    found = register().by_doi(doi)
    assert found is not None
    return found


@dataclass
class Desk:
    """Everybody that a check may ask; `down` makes the registries mute."""

    papers: list[Paper] = field(default_factory=lambda: [paper(work) for work in register().works])
    down: bool = False
    mute: frozenset[str] = frozenset()  # DOIs that are registered and that nobody describes
    answering: tuple[str, ...] = ("crossref", "openalex")  # registries that search by words
    silent: tuple[str, ...] = ()  # registries that fail when asked by words
    links: dict[str, LinkState] = field(default_factory=dict)
    pages: dict[str, Page | CitewellError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    read_: list[str] = field(default_factory=list)

    async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord:
        self.asked.append(str(paper_id))
        if self.down:
            failed = ProviderOutcome(provider="crossref", outcome=FAILED, error_kind="rate_limited")
            return WorkRecord(paper=None, state="unchecked", asked=(failed,))
        if paper_id.scheme is IdentifierScheme.ISBN:
            return WorkRecord(paper=None, state="unchecked")
        value = paper_id.value.lower()
        if value in self.mute:
            return WorkRecord(
                paper=None, state="found", asked=(ProviderOutcome(provider="doi", outcome=FOUND),)
            )
        known = [
            paper for paper in self.papers if paper.ids.get(paper_id.scheme, "").lower() == value
        ]
        if known:
            outcome = ProviderOutcome(provider="crossref", outcome=FOUND)
            return WorkRecord(paper=known[0], state="found", asked=(outcome,))
        return WorkRecord(
            paper=None,
            state="not_registered",
            asked=(ProviderOutcome(provider="crossref", outcome=ABSENT), ProviderOutcome(provider="doi", outcome=ABSENT)),
        )  # fmt: skip

    async def match_records(
        self, query: BibliographicQuery, *, tenant: str | None = None
    ) -> ReferenceMatches:
        self.asked.append("match")
        if self.down:
            return ReferenceMatches(
                papers=(), asked=(ProviderOutcome(provider="crossref", outcome=FAILED),)
            )
        ranked = sorted(
            self.papers, key=lambda paper: -record_merging.score_closeness(paper, query)
        )
        heard = [ProviderOutcome(provider=name, outcome=FOUND) for name in self.answering]
        unheard = [ProviderOutcome(provider=name, outcome=FAILED) for name in self.silent]
        return ReferenceMatches(papers=tuple(ranked[: query.count]), asked=(*heard, *unheard))

    async def check_retraction(
        self,
        doi: str,
        *,
        paper: Paper | None = None,
        unaware_registries: Collection[str] = (),
        tenant: str | None = None,
    ) -> RetractionCheck:
        if self.down:
            raise UpstreamUnavailable("Nobody could say.")
        known = paper or next((other for other in self.papers if other.doi == doi), None)
        return RetractionCheck(
            status=weigh_notices(known.events) if known else None, answered=("crossref",)
        )

    async def check_links(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]:
        live = LinkState(state="live", status=200)
        return {url: self.links.get(url, live) for url in urls}

    async def trace_dead_links(self, states: Mapping[str, LinkState]) -> Mapping[str, LinkState]:
        return states

    async def read_page(
        self, url: str, *, max_length: int = 50_000, tenant: str | None = None
    ) -> Page:
        self.read_.append(url)
        found = self.pages.get(url, NetworkFailed("No answer came."))
        if isinstance(found, CitewellError):
            raise found
        return found

    def verify(self) -> CitationVerifier:
        fake = use_fake(self)
        return CitationVerifier(lookup=WorkLookup(fake, fake), links=fake, pages=fake)

    def audit(self, **more: Any) -> BibliographyAudit:
        fake = use_fake(self)
        return BibliographyAudit(lookup=WorkLookup(fake, fake), links=fake, pages=fake, **more)


def page(url: str, content: str, **more: Any) -> Page:
    given: dict[str, Any] = {
        "url": url,
        "final_url": url,
        "content": content,
        "content_type": "markdown",
        "word_count": len(content.split()),
    }
    return Page(**(given | more))
