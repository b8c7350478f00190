"""Classifies a source by its address, and says how much one such source counts.

The standing of a source (`classify_source`) decides its weight; its type (`name_source_type`) is
the word that a reader is shown.
"""

from __future__ import annotations

import re

from citewell.fetch.metadata import host_standing, source_types
from citewell.model.page import LIBRARY_ID_PREFIX, Page
from citewell.model.scrape_results import StructuredData
from citewell.text.citations.official_records import name_record_type
from citewell.text.web import addresses, registered_domains

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
    found = source_types.classify_source(url, data)
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
