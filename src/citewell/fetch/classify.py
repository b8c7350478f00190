"""What kind of source a page is, how much authority its host has, and what it is about.

Marks on the page come first, then the host by its registered domain, label by label. A platform on
which anybody can post stays what it is whatever its pages claim to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from citewell.fetch import hosts
from citewell.fetch.linked import kinds, listed
from citewell.model.scrape import StructuredData
from citewell.text import domains, urls

_T = TypeVar("_T")
_CLAIMS = {
    "ScholarlyArticle": "peer_reviewed",
    "MedicalScholarlyArticle": "peer_reviewed",
    "NewsArticle": "news_publication",
    "AnalysisNewsArticle": "news_publication",
    "BackgroundNewsArticle": "news_publication",
    "OpinionNewsArticle": "news_publication",
    "ReportageNewsArticle": "news_publication",
    "ReviewNewsArticle": "news_publication",
    "AskPublicNewsArticle": "news_publication",
    "LiveBlogPosting": "news_publication",
    "GovernmentService": "government",
    "GovernmentOrganization": "government",
    "BlogPosting": "blog",
    "Blog": "blog",
    "TechArticle": "official_docs",
    "APIReference": "official_docs",
    "DiscussionForumPosting": "forum",
    "QAPage": "forum",
    "SocialMediaPosting": "social_media",
}
_PLATFORMS = frozenset({"wiki", "forum", "social_media", "blog"})
_OFFICIAL = frozenset({"gov", "gob", "gouv", "govt", "go", "gub", "mil", "gv", "gc", "govern"})
_LEARNED = frozenset({"edu", "ac"})
_FIRST_LABELS = {
    "docs": "official_docs",
    "blog": "blog",
    "forum": "forum",
    "forums": "forum",
    "community": "forum",
}
_AUTHORITY = {
    "peer_reviewed": 0.9,
    "government": 0.9,
    "official_docs": 0.85,
    "news_publication": 0.75,
    "wiki": 0.7,
    "forum": 0.6,
    "blog": 0.5,
    "unknown": 0.5,
    "social_media": 0.4,
}
_UNNAMED = 0.3  # a bare address, or a link that hides where it leads
_LENSES = {
    "academic": "academic", "science": "academic", "academic-extended": "academic", "biomed": "academic",
    "legal": "legal", "medical": "medical", "clinical": "medical", "finance": "financial",
    "programming": "technical", "tech": "technical", "security": "technical", "devops": "technical", "docs": "technical",
}  # fmt: skip
_SUBJECT_OF_TYPE = {"peer_reviewed": "academic", "official_docs": "technical"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    source_type: str  # peer_reviewed, official_docs, government, news_publication, blog, forum, wiki, social_media, unknown
    domain_category: str  # academic, legal, medical, financial, technical, general
    authority: float  # 0 to 1, from the host alone: what a page claims earns nothing


def classify(url: str, data: StructuredData | None = None, *, lens: str | None = None) -> Standing:
    host = urls.host(url)
    known = of_host(host)
    claimed = _claimed(data)
    settled = known in _PLATFORMS or claimed is None
    return Standing(
        source_type=known if settled else claimed or known,
        domain_category=_subject(host, known if settled else claimed or known, lens),
        authority=_authority(host, known),
    )


def of_host(host: str) -> str:
    """The kind of source by the name alone."""
    if not host or urls.numeric(host):
        return "unknown"
    found = _nearest(host, hosts.types())
    if found is not None:
        return found
    ending = domains.suffix(host).split(".")
    if ending[0] in _OFFICIAL and (len(ending) > 1 or ending[0] in {"gov", "mil"}):
        return "government"
    if ending[0] in _LEARNED and (len(ending) > 1 or ending[0] == "edu"):
        return "peer_reviewed"
    first = host.removeprefix("www.").partition(".")[0]
    return _FIRST_LABELS.get(first, "unknown") if host != domains.registrable(host) else "unknown"


def scholarly(url: str) -> bool:
    """Whether the host is a journal's or an archive's of papers, not merely a university's."""
    return _nearest(urls.host(url), hosts.types()) == "peer_reviewed"


def _claimed(data: StructuredData | None) -> str | None:
    """The kind that the page's own marks give it."""
    if data is None:
        return None
    marks = data.citation or {}
    if any(
        name in marks
        for name in ("citation_title", "citation_doi", "citation_journal_title", "citation_pmid")
    ):
        return "peer_reviewed"
    types = [
        kind for block in data.json_ld or () for thing in _things(block) for kind in kinds(thing)
    ]
    return next((_CLAIMS[kind] for kind in types if kind in _CLAIMS), None)


def _things(block: Any) -> Iterator[dict[str, Any]]:
    for thing in listed(block):
        if isinstance(thing, dict):
            yield thing
            yield from (each for each in listed(thing.get("@graph")) if isinstance(each, dict))


def _nearest(host: str, table: Mapping[str, _T]) -> _T | None:
    """The entry of the host or of the nearest domain above it, down to the registered one."""
    floor = domains.registrable(host)
    name = host
    while name:
        if name in table:
            return table[name]
        if name == floor:
            return table.get(
                domains.suffix(host)
            )  # whole platforms are suffixes of their users' names
        name = name.partition(".")[2]
    return None


def _subject(host: str, kind: str, lens: str | None) -> str:
    if lens in _LENSES:
        return _LENSES[lens]
    return _nearest(host, hosts.subjects()) or _SUBJECT_OF_TYPE.get(kind, "general")


def _authority(host: str, kind: str) -> float:
    if not host or urls.numeric(host):
        return _UNNAMED
    rated = _nearest(host, hosts.rated())
    return _AUTHORITY[kind] if rated is None else rated
