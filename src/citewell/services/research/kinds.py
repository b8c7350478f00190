"""What sort of source an address is, and how much one such source counts."""

from __future__ import annotations

import re

from citewell.services.research.material import OWN
from citewell.text import domains, urls

ACADEMIC, GOVERNMENT, NEWS = "academic", "government", "news"
DOCUMENTATION, SOCIAL, WEB, OTHER = "documentation", "social", "web", "other"

_GOVERNMENT = re.compile(
    r"(?:^|\.)(?:gov|mil|gob|gouv|govt|gc)(?:\.[a-z]{2})?$|(?:^|\.)(?:europa\.eu|who\.int|un\.org|oecd\.org"
    r"|worldbank\.org|imf\.org|ecb\.europa\.eu|bund\.de|admin\.ch|gv\.at|nhs\.uk|go\.jp|go\.kr)$"
)
_ACADEMIC = re.compile(
    r"(?:^|\.)edu(?:\.[a-z]{2})?$|(?:^|\.)ac\.[a-z]{2}$|^(?:uni|tu|fh)-[\w-]+\.(?:de|at)$"
    r"|(?:^|\.)(?:arxiv|biorxiv|medrxiv|doi|plos|frontiersin|jstor|ssrn|semanticscholar|openalex|pnas|acm"
    r"|aps|iop|acs|cell|bmj|thelancet|nejm|jamanetwork|mdpi|elifesciences|cochrane|cochranelibrary|ieee"
    r"|science|royalsocietypublishing|annualreviews|crossref|europepmc|zenodo|hal|royalsociety)\.(?:org|com|science|press)$"
    r"|(?:^|\.)(?:nature|springer|sciencedirect|wiley|tandfonline|sagepub|oup|cambridge|elsevier|biomedcentral)\.(?:com|org)$"
    r"|(?:^|\.)(?:ncbi|pubmed)\.(?:nlm\.)?nih\.gov$|(?:^|\.)springeropen\.com$"
)
_SOCIAL = re.compile(
    r"(?:^|\.)(?:reddit|twitter|x|facebook|instagram|tiktok|linkedin|quora|pinterest|tumblr|threads|vk|weibo"
    r"|medium|substack|stackexchange|stackoverflow|youtube|news\.ycombinator|discord|telegram|bsky)\.(?:com|net|app|org)$"
    r"|(?:^|\.)(?:t\.me|mastodon\.\w+|lemmy\.\w+|blogspot\.com|wordpress\.com|superuser\.com|serverfault\.com)$"
)
_NEWS = re.compile(
    r"(?:^|\.)(?:reuters|apnews|bbc|nytimes|theguardian|washingtonpost|ft|economist|bloomberg|wsj|cnn|npr|aljazeera"
    r"|dw|lemonde|spiegel|zeit|elpais|corriere|nikkei|latimes|time|politico|axios|cnbc|independent|telegraph"
    r"|faz|sueddeutsche|tagesschau|nzz|heise|arstechnica|theverge|wired|abc|cbc|rfi|france24|scmp)"
    r"\.(?:com|org|co\.uk|de|fr|es|it|ch|net\.au|ca)$|(?:^|[.-])news(?:paper)?[.-]"
)
_DOCUMENTATION = re.compile(
    r"^(?:docs?|developers?|dev|manual|help|support|learn|api|wiki)\.|(?:^|\.)(?:readthedocs|gitbook)\.io$|\.readthedocs\.\w+$"
)
_PATH = re.compile(r"/(?:docs?|documentation|manual|reference|api)(?:/|$)")

# What one source of a kind is worth, before it is asked whether it supports the claim.
_WORTH = {ACADEMIC: 0.6, GOVERNMENT: 0.6, NEWS: 0.5, DOCUMENTATION: 0.5, SOCIAL: 0.25}
RELIABLE, PLAIN, DOUBTFUL = 0.5, 0.35, 0.25


def kind(url: str, *, page_kind: str = "") -> str:
    """One of web, academic, government, news, documentation, social and other."""
    if url.startswith(OWN):
        return OTHER
    host = urls.host(url)
    for pattern, name in (
        (_ACADEMIC, ACADEMIC),
        (_GOVERNMENT, GOVERNMENT),
        (_SOCIAL, SOCIAL),
        (_NEWS, NEWS),
    ):
        if pattern.search(host):
            return name
    if page_kind == "forum":
        return SOCIAL
    documented = _DOCUMENTATION.search(host) or _PATH.search(url) or page_kind == "documentation"
    return DOCUMENTATION if documented else WEB


def worth(source_type: str, reputation: str | None) -> float:
    """The q of the confidence formula: a bad name takes away what the kind of source gives."""
    if reputation == "low":
        return DOUBTFUL
    base = _WORTH.get(source_type, PLAIN)
    return max(base, RELIABLE) if reputation == "high" and source_type != SOCIAL else base


def owner(url: str) -> str:
    """Whose source it is: the registered domain, or the document itself in the user's library."""
    return url if url.startswith(OWN) else domains.registrable(urls.host(url)) or url
