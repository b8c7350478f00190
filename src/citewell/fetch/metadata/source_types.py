"""Classifies a page: kind of source, subject category, and the authority of its host.

The page's own structured data decide first, then the host, looked up label by label down to its
registered domain. On a platform where anybody can post, the host decides whatever the page claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from citewell.fetch.metadata import known_hosts
from citewell.fetch.metadata.json_ld import list_thing_types, wrap_in_list
from citewell.model.scrape_results import StructuredData
from citewell.text.web import addresses, registered_domains

_T = TypeVar("_T")
_SOURCE_TYPE_BY_SCHEMA = {
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
_USER_CONTENT_TYPES = frozenset({"wiki", "forum", "social_media", "blog"})
_GOVERNMENT_LABELS = frozenset(
    {"gov", "gob", "gouv", "govt", "go", "gub", "mil", "gv", "gc", "govern"}
)
_ACADEMIC_LABELS = frozenset({"edu", "ac"})
_SOURCE_TYPE_BY_FIRST_LABEL = {
    "docs": "official_docs",
    "blog": "blog",
    "forum": "forum",
    "forums": "forum",
    "community": "forum",
}
_AUTHORITY_BY_SOURCE_TYPE = {
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
_UNNAMED_HOST_AUTHORITY = 0.3  # an IP address, or no host at all
_CATEGORY_BY_LENS = {
    "academic": "academic", "science": "academic", "academic-extended": "academic", "biomed": "academic",
    "legal": "legal", "medical": "medical", "clinical": "medical", "finance": "financial",
    "programming": "technical", "tech": "technical", "security": "technical", "devops": "technical", "docs": "technical",
}  # fmt: skip
_CATEGORY_BY_SOURCE_TYPE = {"peer_reviewed": "academic", "official_docs": "technical"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStanding:
    source_type: str  # peer_reviewed, official_docs, government, news_publication, blog, forum, wiki, social_media, unknown
    domain_category: str  # academic, legal, medical, financial, technical, general
    authority: float  # 0 to 1, from the host alone, whatever the page claims


def classify_source(
    url: str, data: StructuredData | None = None, *, lens: str | None = None
) -> SourceStanding:
    host = addresses.extract_host(url)
    known = classify_host_name(host)
    claimed = _find_claimed_type(data)
    settled = known in _USER_CONTENT_TYPES or claimed is None
    return SourceStanding(
        source_type=known if settled else claimed or known,
        domain_category=_choose_domain_category(host, known if settled else claimed or known, lens),
        authority=_score_host_authority(host, known),
    )


def classify_host_name(host: str) -> str:
    """The source type, from the host name alone; `unknown` for an IP address or an unlisted host."""
    if not host or addresses.is_numeric_host(host):
        return "unknown"
    found = _look_up_host(host, known_hosts.load_source_types())
    if found is not None:
        return found
    ending = registered_domains.find_public_suffix(host).split(".")
    if ending[0] in _GOVERNMENT_LABELS and (len(ending) > 1 or ending[0] in {"gov", "mil"}):
        return "government"
    if ending[0] in _ACADEMIC_LABELS and (len(ending) > 1 or ending[0] == "edu"):
        return "peer_reviewed"
    first = host.removeprefix("www.").partition(".")[0]
    return (
        _SOURCE_TYPE_BY_FIRST_LABEL.get(first, "unknown")
        if host != registered_domains.find_registered_domain(host)
        else "unknown"
    )


def is_scholarly_host(url: str) -> bool:
    """Whether the host is a journal or a paper archive; a university alone is not enough."""
    return (
        _look_up_host(addresses.extract_host(url), known_hosts.load_source_types())
        == "peer_reviewed"
    )


def _find_claimed_type(data: StructuredData | None) -> str | None:
    """The source type according to the page's own citation elements and JSON-LD."""
    if data is None:
        return None
    marks = data.citation or {}
    if any(
        name in marks
        for name in ("citation_title", "citation_doi", "citation_journal_title", "citation_pmid")
    ):
        return "peer_reviewed"
    types = [
        kind
        for block in data.json_ld or ()
        for thing in _list_described_things(block)
        for kind in list_thing_types(thing)
    ]
    return next(
        (_SOURCE_TYPE_BY_SCHEMA[kind] for kind in types if kind in _SOURCE_TYPE_BY_SCHEMA), None
    )


def _list_described_things(block: Any) -> Iterator[dict[str, Any]]:
    for thing in wrap_in_list(block):
        if isinstance(thing, dict):
            yield thing
            yield from (
                each for each in wrap_in_list(thing.get("@graph")) if isinstance(each, dict)
            )


def _look_up_host(host: str, table: Mapping[str, _T]) -> _T | None:
    """The entry of the host, or of the nearest parent domain down to the registered one."""
    floor = registered_domains.find_registered_domain(host)
    name = host
    while name:
        if name in table:
            return table[name]
        if name == floor:
            return table.get(
                registered_domains.find_public_suffix(host)
            )  # on some platforms users have subdomains under a public suffix
        name = name.partition(".")[2]
    return None


def _choose_domain_category(host: str, kind: str, lens: str | None) -> str:
    if lens in _CATEGORY_BY_LENS:
        return _CATEGORY_BY_LENS[lens]
    return _look_up_host(host, known_hosts.load_subjects()) or _CATEGORY_BY_SOURCE_TYPE.get(
        kind, "general"
    )


def _score_host_authority(host: str, kind: str) -> float:
    if not host or addresses.is_numeric_host(host):
        return _UNNAMED_HOST_AUTHORITY
    rated = _look_up_host(host, known_hosts.load_authorities())
    return _AUTHORITY_BY_SOURCE_TYPE[kind] if rated is None else rated
