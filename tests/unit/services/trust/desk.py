"""Registries, links, pages and notices that answer from the loopback world's register, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citewell.errors import CitewellError, NetworkFailed, Unavailable
from citewell.model.page import Page
from citewell.model.paper import BibliographicQuery, Event, Notice, Paper, PaperId, Person, Scheme
from citewell.services.links import LinkState
from citewell.services.scholar import likeness
from citewell.services.scholar.panel import ABSENT, FAILED, FOUND, Asked
from citewell.services.scholar.records import Matches, Record
from citewell.services.trust.audit import Audit
from citewell.services.trust.lookup import Lookup
from citewell.services.trust.retraction import Checked
from citewell.services.trust.verify import Verify
from citewell.services.trust.weighing import weigh
from tests.internet.papers import Author, Work, register

KINDS = {kind.value: kind for kind in Notice}


def person(author: Author) -> Person:
    if isinstance(author, str):
        return Person(name=author, organisation=True)
    given, family = author
    return Person(name=f"{given} {family}".strip(), family=family, given=given)


def paper(work: Work) -> Paper:
    """A work as a registry would hand it on."""
    return Paper(
        title=work.registered_title,
        source="crossref",
        url=f"https://doi.org/{work.key}",
        ids={Scheme.DOI: work.key, **{Scheme(name): value for name, value in work.ids.items()}},
        authors=tuple(map(person, work.authors)),
        year=work.year,
        venue=work.venue or None,
        kind=work.kind,
        abstract=work.abstract,
        events=tuple(
            Event(kind=KINDS[one.kind], source=one.source, label=one.label, date=one.date, notice_doi=one.notice)
            for one in work.events
        ),
    )  # fmt: skip


def work(doi: str) -> Work:
    found = register().by_doi(doi)
    assert found is not None
    return found


@dataclass
class Desk:
    """Everybody that a check may ask; `down` makes the registries mute."""

    papers: list[Paper] = field(default_factory=lambda: [paper(one) for one in register().works])
    down: bool = False
    mute: frozenset[str] = frozenset()  # DOIs that are registered and that nobody describes
    links: dict[str, LinkState] = field(default_factory=dict)
    pages: dict[str, Page | CitewellError] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    read_: list[str] = field(default_factory=list)

    async def find(self, paper_id: PaperId, *, tenant: str | None = None) -> Record:
        self.asked.append(str(paper_id))
        if self.down:
            failed = Asked(provider="crossref", outcome=FAILED, error_kind="rate_limited")
            return Record(paper=None, state="unchecked", asked=(failed,))
        if paper_id.scheme is Scheme.ISBN:
            return Record(paper=None, state="unchecked")
        value = paper_id.value.lower()
        if value in self.mute:
            return Record(paper=None, state="found", asked=(Asked(provider="doi", outcome=FOUND),))
        known = [one for one in self.papers if one.ids.get(paper_id.scheme, "").lower() == value]
        if known:
            said = Asked(provider="crossref", outcome=FOUND)
            return Record(paper=known[0], state="found", asked=(said,))
        return Record(
            paper=None,
            state="not_registered",
            asked=(Asked(provider="crossref", outcome=ABSENT), Asked(provider="doi", outcome=ABSENT)),
        )  # fmt: skip

    async def match(self, query: BibliographicQuery, *, tenant: str | None = None) -> Matches:
        self.asked.append("match")
        if self.down:
            return Matches(papers=(), asked=(Asked(provider="crossref", outcome=FAILED),))
        ranked = sorted(self.papers, key=lambda one: -likeness.closeness(one, query))
        asked = tuple(Asked(provider=name, outcome=FOUND) for name in ("crossref", "openalex"))
        return Matches(papers=tuple(ranked[: query.count]), asked=asked)

    async def look(
        self, doi: str, *, paper: Paper | None = None, unknown: Collection[str] = ()
    ) -> Checked:
        if self.down:
            raise Unavailable("Nobody could say.")
        known = paper or next((one for one in self.papers if one.doi == doi), None)
        return Checked(status=weigh(known.events) if known else None, answered=("crossref",))

    async def check(
        self, urls: Iterable[str], *, tenant: str | None = None
    ) -> Mapping[str, LinkState]:
        live = LinkState(state="live", status=200)
        return {url: self.links.get(url, live) for url in urls}

    async def read(self, url: str, *, max_length: int = 50_000, tenant: str | None = None) -> Page:
        self.read_.append(url)
        found = self.pages.get(url, NetworkFailed("No answer came."))
        if isinstance(found, CitewellError):
            raise found
        return found

    def verify(self) -> Verify:
        return Verify(lookup=Lookup(self, self), links=self, pages=self)

    def audit(self, **more: Any) -> Audit:
        return Audit(lookup=Lookup(self, self), links=self, pages=self, **more)


def page(url: str, content: str, **more: Any) -> Page:
    given: dict[str, Any] = {
        "url": url,
        "final_url": url,
        "content": content,
        "content_type": "markdown",
        "word_count": len(content.split()),
    }
    return Page(**(given | more))
