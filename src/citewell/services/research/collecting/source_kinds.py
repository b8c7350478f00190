"""Classifies a source by its address, and says how much one such source counts.

The standing of a source (`classify_source`) decides its weight; its type (`name_source_type`) is
the word that a reader is shown.
"""

from __future__ import annotations

import re

from citewell.fetch.metadata import source_types
from citewell.model.page import LIBRARY_ID_PREFIX, Page
from citewell.model.scrape_results import StructuredData
from citewell.text.citations.official_records import name_record_type
from citewell.text.web import addresses, registered_domains

ACADEMIC, GOVERNMENT, NEWS = "academic", "government", "news"
DOCUMENTATION, SOCIAL, WEB, OTHER = "documentation", "social", "web", "other"

_GOVERNMENT_HOST_PATTERN = re.compile(
    r"(?:^|\.)(?:gov|mil|gob|gouv|govt|gc)(?:\.[a-z]{2})?$|(?:^|\.)(?:europa\.eu|who\.int|un\.org|oecd\.org"
    r"|worldbank\.org|imf\.org|ecb\.europa\.eu|courtlistener\.com|patents\.google\.com|bund\.de|admin\.ch|gv\.at|nhs\.uk|go\.jp|go\.kr)$"
)
_ACADEMIC_HOST_PATTERN = re.compile(
    r"(?:^|\.)edu(?:\.[a-z]{2})?$|(?:^|\.)ac\.[a-z]{2}$|^(?:uni|tu|fh)-[\w-]+\.(?:de|at)$"
    r"|(?:^|\.)(?:arxiv|biorxiv|medrxiv|doi|plos|frontiersin|jstor|ssrn|semanticscholar|openalex|pnas|acm"
    r"|aps|iop|acs|cell|bmj|thelancet|nejm|jamanetwork|mdpi|elifesciences|cochrane|cochranelibrary|ieee"
    r"|science|royalsocietypublishing|annualreviews|crossref|europepmc|zenodo|hal|royalsociety)\.(?:org|com|science|press)$"
    r"|(?:^|\.)(?:nature|springer|sciencedirect|wiley|tandfonline|sagepub|oup|cambridge|elsevier|biomedcentral)\.(?:com|org)$"
    r"|(?:^|\.)(?:ncbi|pubmed)\.(?:nlm\.)?nih\.gov$|(?:^|\.)springeropen\.com$"
)
_SOCIAL_HOST_PATTERN = re.compile(
    r"(?:^|\.)(?:reddit|twitter|x|facebook|instagram|tiktok|linkedin|quora|pinterest|tumblr|threads|vk|weibo"
    r"|medium|substack|stackexchange|stackoverflow|youtube|news\.ycombinator|discord|telegram|bsky)\.(?:com|net|app|org)$"
    r"|(?:^|\.)(?:t\.me|mastodon\.\w+|lemmy\.\w+|blogspot\.com|wordpress\.com|superuser\.com|serverfault\.com)$"
)
_NEWS_HOST_PATTERN = re.compile(
    r"(?:^|\.)(?:reuters|apnews|bbc|nytimes|theguardian|washingtonpost|ft|economist|bloomberg|wsj|cnn|npr|aljazeera"
    r"|dw|lemonde|spiegel|zeit|elpais|corriere|nikkei|latimes|time|politico|axios|cnbc|independent|telegraph"
    r"|faz|sueddeutsche|tagesschau|nzz|heise|arstechnica|theverge|wired|abc|cbc|rfi|france24|scmp)"
    r"\.(?:com|org|co\.uk|de|fr|es|it|ch|net\.au|ca)$|(?:^|[.-])news(?:paper)?[.-]"
)
_DOCUMENTATION_HOST_PATTERN = re.compile(
    r"^(?:docs?|developers?|dev|manual|help|support|learn|api|wiki)\.|(?:^|\.)(?:readthedocs|gitbook)\.io$|\.readthedocs\.\w+$"
)
_DOCUMENTATION_PATH_PATTERN = re.compile(r"/(?:docs?|documentation|manual|reference|api)(?:/|$)")

# The weight of one source of a kind, regardless of whether it supports the claim.
_KIND_WEIGHTS = {ACADEMIC: 0.6, GOVERNMENT: 0.6, NEWS: 0.5, DOCUMENTATION: 0.5, SOCIAL: 0.25}
RELIABLE_WEIGHT, PLAIN_WEIGHT, DOUBTFUL_WEIGHT = 0.5, 0.35, 0.25

# Types that a reader is shown, by what the classifiers and readers of pages call them.
_TYPE_BY_CLASS = {
    "official_docs": "documentation", "government": "government", "news_publication": "news", "blog": "blog",
    "forum": "forum", "wiki": "encyclopedia", "social_media": "social", "peer_reviewed": "academic",
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
    host = addresses.extract_host(url)
    for pattern, name in (
        (_ACADEMIC_HOST_PATTERN, ACADEMIC),
        (_GOVERNMENT_HOST_PATTERN, GOVERNMENT),
        (_SOCIAL_HOST_PATTERN, SOCIAL),
        (_NEWS_HOST_PATTERN, NEWS),
    ):
        if pattern.search(host):
            return name
    if page_kind == "forum":
        return SOCIAL
    documented = (
        _DOCUMENTATION_HOST_PATTERN.search(host)
        or _DOCUMENTATION_PATH_PATTERN.search(url)
        or page_kind == "documentation"
    )
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
    if found.source_type == "peer_reviewed" and _is_paper(url):
        return "paper"
    if found.source_type in _TYPE_BY_CLASS:
        return _TYPE_BY_CLASS[found.source_type]
    return _name_plain_type(url, page_kind, file_kind)


def _is_paper(url: str) -> bool:
    """Whether a scholarly source is a paper and not just a page of a university."""
    claimed = source_types.classify_source(url).source_type != "peer_reviewed"
    return claimed or source_types.is_scholarly_host(url)


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
