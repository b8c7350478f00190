"""Classifies a source by its address, and says how much one such source counts."""

from __future__ import annotations

import re

from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.text.web import addresses, registered_domains

ACADEMIC, GOVERNMENT, NEWS = "academic", "government", "news"
DOCUMENTATION, SOCIAL, WEB, OTHER = "documentation", "social", "web", "other"

_GOVERNMENT_HOST_PATTERN = re.compile(
    r"(?:^|\.)(?:gov|mil|gob|gouv|govt|gc)(?:\.[a-z]{2})?$|(?:^|\.)(?:europa\.eu|who\.int|un\.org|oecd\.org"
    r"|worldbank\.org|imf\.org|ecb\.europa\.eu|bund\.de|admin\.ch|gv\.at|nhs\.uk|go\.jp|go\.kr)$"
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
