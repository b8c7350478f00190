"""Finds vested interests in a recommendation's own words: of its publisher or of its author."""

from __future__ import annotations

import re

from citewell.fetch.metadata import host_standing
from citewell.model.recommendation_audit import ConflictOfInterest, SelfPromotionSignal
from citewell.services.recommendation import author_ties
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web import addresses, registered_domains

_MIN_NAME_CHARS = 3  # characters; shorter names cannot be told from words
_MAX_EVIDENCE_CHARS = 200  # characters of evidence
_USER_CONTENT_HOSTS = frozenset(
    {"social_media", "blog", "forum", "wiki"}
)  # with content written by users
_RANKED_FIRST_PATTERN = re.compile(
    r"^\W{0,4}(?:#\s?1\b|1\s?[.):\]]|no\.?\s?1\b)|\b(?:#\s?1\b|no\. ?1\b|number one\b|ranked first|ranks first"
    r"|top pick|our pick|top choice|best overall|overall winner|editors?['’] choice|platz 1|testsieger|numéro un|número uno)",
    re.IGNORECASE,
)
_STAFF_PATTERN = re.compile(r"\b(?:staff|team|editors?|editorial|blog|inc|llc|gmbh|redaktion|équipe|equipo)\b", re.IGNORECASE)  # fmt: skip
_NAME_WORD_PATTERN = re.compile(r"[^\W_][\w&+'’-]*")
_COMMON_WORDS = frozenset({
    "the", "and", "for", "best", "top", "free", "new", "home", "company", "companies", "business", "businesses",
    "platform", "platforms", "software", "tool", "tools", "app", "apps", "service", "services", "review", "reviews",
    "guide", "university", "institute", "group", "inc", "llc", "ltd", "gmbh", "online", "digital", "global",
    "international", "national", "american", "small", "pro", "plus", "team", "data", "cloud", "world", "open",
})  # fmt: skip


def find_self_promotion(text: str, url: str) -> SelfPromotionSignal | None:
    """The line of the text that ranks the page's own brand first; None if there is none."""
    label = find_brand(url)
    if not label:
        return None
    for line in text.splitlines() or [text]:
        if _RANKED_FIRST_PATTERN.search(line) and _has_brand_name(line, label):
            return SelfPromotionSignal(
                brand=label, evidence=clean_markup(line)[:_MAX_EVIDENCE_CHARS]
            )
    return None


def find_publisher_promotion(titles: list[str], urls: list[str]) -> SelfPromotionSignal | None:
    """The publisher that most items link to, if it is also the first item; None otherwise."""
    labels = [find_brand(url) for url in urls]
    label = labels[0] if labels else ""
    if len(titles) < 2 or not label or labels.count(label) * 2 <= len(labels):
        return None
    others = [title for title in titles[1:] if _has_brand_name(title, label)]
    if not _has_brand_name(titles[0], label) or len(others) * 2 > len(titles):
        return None
    evidence = f"{clean_markup(titles[0])} stands first in a list that {addresses.format_host_name(urls[0])} publishes"
    return SelfPromotionSignal(brand=label, evidence=evidence[:_MAX_EVIDENCE_CHARS])


def find_conflict(text: str, *, author: str, bio: str, url: str = "") -> ConflictOfInterest | None:
    """A tie between the author and something that the recommendation names; None if there is none."""
    names = _collect_name_words(text) | ({find_brand(url)} - {""})
    tie = author_ties.find_author_tie(bio, names, common_words=_COMMON_WORDS)
    if tie is None:
        return _find_house_author(author, names)
    return ConflictOfInterest(
        kind=tie.kind,
        entity=tie.entity,
        roles=tie.roles,
        evidence=tie.evidence[:_MAX_EVIDENCE_CHARS],
    )


def find_brand(url: str) -> str:
    """`shopify` of https://www.shopify.com/blog; empty for hosts with user content."""
    host = addresses.extract_host(url)
    domain = registered_domains.find_registered_domain(host)
    if (
        not host
        or addresses.is_numeric_host(host)
        or host_standing.find_host_standing(domain).source_type in _USER_CONTENT_HOSTS
    ):
        return ""
    label = domain.partition(".")[0].replace("-", "")
    return label if len(label) >= _MIN_NAME_CHARS else ""


def _find_house_author(author: str, names: frozenset[str] | set[str]) -> ConflictOfInterest | None:
    """A conflict if the author is the company itself, such as "Shopify Staff"."""
    if not _STAFF_PATTERN.search(author):
        return None
    entity = author_ties.match_named_entity(_STAFF_PATTERN.sub(" ", author), names, _COMMON_WORDS)
    if not entity:
        return None
    return ConflictOfInterest(
        kind=author_ties.EMPLOYMENT,
        entity=entity,
        roles=("employee",),
        evidence=clean_markup(author)[:_MAX_EVIDENCE_CHARS],
    )


def _collect_name_words(text: str) -> set[str]:
    """Words and pairs of words that may be names: with a capital letter or a digit."""
    found = {
        word.lower()
        for word in _NAME_WORD_PATTERN.findall(text)
        if len(word) >= _MIN_NAME_CHARS and (not word.islower() or any(map(str.isdigit, word)))
    }
    pairs = re.findall(r"(?<![\w&+-])([A-Z][\w&+-]*+)\s+([A-Z][\w&+-]*+)", text)
    return (found | {(one + two).lower() for one, two in pairs}) - _COMMON_WORDS


def _has_brand_name(line: str, label: str) -> bool:
    """Whether the line has the brand, in up to three words: "Woo Commerce" for woocommerce.com."""
    words = [re.sub(r"[\W_]+", "", word.lower()) for word in line.split()]
    joined = ("".join(words[at : at + width]) for width in (1, 2, 3) for at in range(len(words)))
    return any(word in {label, f"{label}s"} for word in joined)
