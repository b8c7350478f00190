"""What kind of source a page is, how much it counts, and the confidence of a claim that rests on such sources.

The standing of a source (`classify_source`) decides its weight; its type (`name_source_type`) is
the word that a reader is shown. The confidence is a formula that anyone can recompute:

c = 1 - product over independent owners d of (1 - q_d * s_d * f), where
  q_d is the weight of the kind of source: .6 academic or government, .5 news, documentation or a host
      of high reputation, .35 any other page, .25 social media or a host of low reputation;
  s_d is how far the source supports the claim, 0 to 1, as text.support measures it: 1 for a verbatim
      quotation, .3 for a citation that could not be checked;
  f = 2 * r, at least .6, where r is how directly the passage answers the question, 0 to 1; f is 1 if
      that is not known. q_d * s_d * f is at most .9.
Of several pages of one owner (a registered domain) only the best counts; a syndicated copy counts
as the page it repeats. If another source contradicts the claim, c is multiplied by .6. With one
owner c is at most .60, and never above .95. Confidence is high from .75, medium from .45, else low.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from citewell.citations.official_records import name_record_type
from citewell.core.values.page import Page
from citewell.core.values.research import ResearchSource
from citewell.core.values.scrape_results import StructuredData
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX
from citewell.reading import source_classification
from citewell.reading.metadata import host_standing
from citewell.text import addresses
from citewell.text import addresses as registered_domains

_MAX_DATE_CHARS = 10  # of an ISO date without its time

ACADEMIC, GOVERNMENT, NEWS = "academic", "government", "news"
DOCUMENTATION, SOCIAL, WEB, OTHER = "documentation", "social", "web", "other"

_CLASSES_BY_KIND = {
    ACADEMIC: ("journal", "preprint", "bibliographic_database", "repository"),
    GOVERNMENT: ("government", "legal_reference"),
    NEWS: ("news", "journal_news", "fact_checker"),
    SOCIAL: ("forum", "social_media", "blog"),
    DOCUMENTATION: ("documentation", "standards_body"),
}
_CLASS_BY_KIND = {kind: name for name, kinds in _CLASSES_BY_KIND.items() for kind in kinds}
_DOCUMENTATION_PATH_PATTERN = re.compile(r"/(?:docs?|documentation|manual|reference|api)(?:/|$)")

# The weight of one source of a kind, regardless of whether it supports the claim.
_KIND_WEIGHTS = {ACADEMIC: 0.6, GOVERNMENT: 0.6, NEWS: 0.5, DOCUMENTATION: 0.5, SOCIAL: 0.25}
RELIABLE_WEIGHT, PLAIN_WEIGHT, DOUBTFUL_WEIGHT = 0.5, 0.35, 0.25

# Types that a reader is shown, by what the classifiers and readers of pages call them.
_TYPE_BY_CLASS = {
    "official_docs": "documentation", "government": "government", "news_publication": "news", "blog": "blog",
    "forum": "forum", "wiki": "encyclopedia", "social_media": "social", "peer_reviewed": "paper",
}  # fmt: skip
_TYPE_BY_KIND = {
    "preprint": "preprint", "thesis": "thesis", "university": "university", "press_release": "press release",
    "reference": "reference", "bibliographic_database": "paper", "scholarly_work": "paper",
}  # fmt: skip
_TYPE_BY_PAGE_KIND = {
    "documentation": "documentation", "forum": "forum", "product": "product", "listing": "listing",
    "collection": "listing", "service": "service",
}  # fmt: skip
_TYPE_BY_HOST = {
    "youtube.com": "video", "youtu.be": "video", "vimeo.com": "video", "github.com": "code", "gitlab.com": "code",
    "bitbucket.org": "code", "codeberg.org": "code", "sourceforge.net": "code", "kaggle.com": "dataset",
    "figshare.com": "dataset", "datahub.io": "dataset", "dataverse.org": "dataset", "dataverse.harvard.edu": "dataset",
}  # fmt: skip
_DATASET_FILE_KINDS = frozenset({"csv", "tsv", "xls", "xlsx", "xlsb", "ods"})
_PAGE_FILE_KINDS = frozenset({"", "html", "markdown", "text"})  # a web page, not a file
_DATASET_HOST_PREFIX = "data."

CONTRADICTED_FACTOR, MAX_SINGLE_OWNER, MAX_CONFIDENCE = 0.6, 0.60, 0.95
HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.75, 0.45
UNCHECKED_SUPPORT = 0.3
_DIRECTNESS_FACTOR, _LEAST_DIRECTNESS_FACTOR = 2.0, 0.6
_MAX_STRENGTH = 0.9  # of one owner
_KIND_WORDS = {
    GOVERNMENT: "official",
    ACADEMIC: "scholarly",
    NEWS: "news",
    DOCUMENTATION: "documentation",
    SOCIAL: "social media",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBacking:
    """One source behind a claim."""

    owner: str
    source_weight: float  # q
    support: float  # s
    kind: str = ""  # see source_kinds.classify_source
    is_checked: bool = True  # the source was read


def score_confidence(
    backings: Iterable[SourceBacking], *, contradicted: bool, directness: float | None = None
) -> float:
    """`directness` is how directly the claim answers the question, from 0 to 1; None if unknown."""
    factor = 1.0
    if directness is not None:
        factor = max(_LEAST_DIRECTNESS_FACTOR, _DIRECTNESS_FACTOR * min(1.0, directness))
    best: dict[str, float] = {}
    for backing in backings:
        strength = min(_MAX_STRENGTH, max(0.0, backing.source_weight * backing.support * factor))
        best[backing.owner] = max(best.get(backing.owner, 0.0), strength)
    if not best:
        return 0.0
    # Sorted, because the product of floats depends on their order.
    sure = 1 - prod(1 - strength for strength in sorted(best.values()))
    sure = min(sure, MAX_SINGLE_OWNER) if len(best) == 1 else sure
    sure = sure * CONTRADICTED_FACTOR if contradicted else sure
    return round(min(sure, MAX_CONFIDENCE), 4)


def name_confidence_level(value: float) -> str:
    return "high" if value >= HIGH_CONFIDENCE else "medium" if value >= MEDIUM_CONFIDENCE else "low"


def describe_basis(
    backings: Iterable[SourceBacking], *, contradicted: bool, values_differ: bool = False
) -> str:
    """What a claim rests on, such as “3 sources, 1 official” or “1 news source, disputed”."""
    owners: dict[str, SourceBacking] = {}
    for backing in sorted(
        backings, key=lambda item: (-item.source_weight * item.support, item.kind)
    ):
        owners.setdefault(backing.owner, backing)
    kinds = Counter(
        _KIND_WORDS[owner.kind] for owner in owners.values() if owner.kind in _KIND_WORDS
    )
    if len(owners) == 1:
        parts = [f"1 {''.join(f'{kind} ' for kind in kinds)}source"]
    else:
        parts = [f"{len(owners)} sources" if owners else "no source"]
        parts += [f"{count} {kind}" for kind, count in sorted(kinds.items())]
    if owners and not any(owner.is_checked for owner in owners.values()):
        parts.append("not checked")
    parts += ["disputed"] if contradicted else []
    parts += ["values differ"] if values_differ else []
    return ", ".join(parts)


# Classifies a source by its address, says how much it counts, and shows it to a person.


def classify_source(url: str, *, page_kind: str = "") -> str:
    """One of web, academic, government, news, documentation, social and other."""
    if url.startswith(LIBRARY_ID_PREFIX):
        return OTHER
    known = _CLASS_BY_KIND.get(host_standing.find_page_standing(url).kind)
    if known is not None:
        return known
    if page_kind == "forum":
        return SOCIAL
    documented = _DOCUMENTATION_PATH_PATTERN.search(url) or page_kind == "documentation"
    return DOCUMENTATION if documented else WEB


def name_page_type(page: Page) -> str:
    """The type of a page that was read; a library document is named by the link it opens at."""
    own = page.url.startswith(LIBRARY_ID_PREFIX)
    return name_source_type(
        page.opens_at if own else page.final_url,
        page_kind=page.kind,
        file_kind=page.content_type,
        data=page.structured,
    )


def name_source_type(
    url: str, *, page_kind: str = "", file_kind: str = "", data: StructuredData | None = None
) -> str:
    """What a source is, in a word, such as article, paper, news, law, dataset or `file: pdf`."""
    if not addresses.is_web_address(url):
        return f"file: {file_kind}" if file_kind else "file"
    if record := name_record_type(url):
        return record
    host = addresses.format_host_name(url)
    known = _TYPE_BY_HOST.get(registered_domains.find_registered_domain(host) or host)
    if known or host.startswith(_DATASET_HOST_PREFIX) or file_kind in _DATASET_FILE_KINDS:
        return known or "dataset"
    found = source_classification.classify_source(url, data)
    if found.source_type == "government" and found.domain_category == "legal":
        return "law"
    if found.kind in _TYPE_BY_KIND:
        return _TYPE_BY_KIND[found.kind]
    if found.source_type in _TYPE_BY_CLASS:
        return _TYPE_BY_CLASS[found.source_type]
    return _name_plain_type(url, page_kind, file_kind)


def _name_plain_type(url: str, page_kind: str, file_kind: str) -> str:
    """The type of a source whose host is in no table."""
    standing = classify_source(url, page_kind=page_kind)
    if standing not in {WEB, SOCIAL}:
        return standing
    if page_kind in _TYPE_BY_PAGE_KIND:
        return _TYPE_BY_PAGE_KIND[page_kind]
    if standing == SOCIAL:
        return SOCIAL
    return "article" if file_kind in _PAGE_FILE_KINDS else f"file: {file_kind}"


def weigh_source(source_type: str, reputation: str | None) -> float:
    """The q of the confidence formula; a low reputation overrides the weight of the kind."""
    if reputation == "low":
        return DOUBTFUL_WEIGHT
    base = _KIND_WEIGHTS.get(source_type, PLAIN_WEIGHT)
    return max(base, RELIABLE_WEIGHT) if reputation == "high" and source_type != SOCIAL else base


def identify_source_owner(url: str) -> str:
    """The registered domain; for a document of the user's library, the document itself."""
    return (
        url
        if url.startswith(LIBRARY_ID_PREFIX)
        else registered_domains.find_registered_domain(addresses.extract_host(url)) or url
    )


# How a source is shown to a person: where to open it, and what it is.


def format_source_address(source: ResearchSource) -> str:
    """What a person opens: the page's address, or the link or file of a library document."""
    return source.address or source.url


def find_source_link(source: ResearchSource) -> str | None:
    """The web address of a source; None for a document that only its owner can open."""
    shown = format_source_address(source)
    return shown if addresses.is_web_address(shown) else None


def format_source_facts(source: ResearchSource) -> str:
    """Type, date and site of a source, joined by commas; what is unknown is left out."""
    date = (source.published or "")[:_MAX_DATE_CHARS]
    return ", ".join(fact for fact in (source.type, date, source.domain) if fact)
