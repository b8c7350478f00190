"""Finds vested interests in a recommendation's own words: of its publisher or of its author.

It errs on the side of reporting too little: unnamed companies, past jobs and denied ties do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.fetch.metadata import known_hosts
from citewell.model.recommendation_audit import ConflictOfInterest, SelfPromotionSignal
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
_COMPANY_NAME_PATTERN = r"(?P<name>@?[\w][\w&.'’+-]*(?:\s+(?:[A-Z][\w&.'’+-]*|&)){0,3})"
_ROLE_PATTERN = (
    r"(?:works?|working|employed|employee|engineer|developer|manager|director|head|lead|leader|vp|vice president"
    r"|president|chief [\w ]{2,20}officer|c[etfmop]o|founder|co-?founder|owner|partner|evangelist|advocate|strategist"
    r"|marketer|writer|editor|analyst|consultant|designer|researcher|scientist|specialist|associate|intern"
    r"|mitarbeiter(?:in)?|arbeitet|angestellt(?:e[r]?)?|entwickler(?:in)?|gründer(?:in)?|leiter(?:in)?"
    r"|travaille|fondat(?:eur|rice)|directeur|directrice|trabaja|fundador[a]?|director[a]?|lavora|fondatore|dipendente)"
)
# The name is matched with case; everything else without.
_TIE_EXPRESSIONS = (
    ("equity", rf"(?i:\b(?:invest(?:or|ed|s)?|shareholder|stake|shares|stock|stock options|equity|beteiligt|investisseur|inversor) (?:in|of|at|an|dans|en)) {_COMPANY_NAME_PATTERN}"),
    ("funding", rf"(?i:\b(?:sponsored|funded|paid|compensated|supported|commissioned) by) {_COMPANY_NAME_PATTERN}"),
    ("funding", rf"(?i:\b(?:in (?:paid )?partnership with|ambassador for|affiliate (?:partner )?(?:of|for|with)|grants? from|funding from|honoraria from|fees from|gesponsert von|sponsorisé par|patrocinado por)) {_COMPANY_NAME_PATTERN}"),
    ("employment", rf"(?i:\b(?:advis[oe]r|advises|board member|member of the board|consultant|consults|spokes(?:man|woman|person)|berater(?:in)?|conseill(?:er|ère)) (?:to|of|for|at|with|bei|von|de|chez)) {_COMPANY_NAME_PATTERN}"),
    ("employment", rf"(?i:\b{_ROLE_PATTERN}\b[\w ,/&-]{{0,40}}?(?:\b(?:at|for|of|with|bei|von|chez|de|en|presso|di)\s+|@\s?)){_COMPANY_NAME_PATTERN}"),
    ("employment", rf"(?i:^(?:[\w .,'’-]{{0,60}}?\b)?(?:at\s+|@)){_COMPANY_NAME_PATTERN}"),
    ("employment", rf"\b{_COMPANY_NAME_PATTERN}(?:['’]s)?\s(?i:{_ROLE_PATTERN})\b"),
)  # fmt: skip
_TIE_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _TIE_EXPRESSIONS)
_CLAUSE_SEPARATOR_PATTERN = re.compile(r"(?<![.;!?\n|•])[.;!?\n|•]++\s+|(?<!\s)\s++[|•–—]\s+|[;\n]")
_ENDED_TIE_PATTERN = re.compile(
    r"\b(?:former(?:ly)?|ex-|previous(?:ly)?|past|used to|until|retired|left|no longer|not|never|no|nor"
    r"|independent of|unaffiliated|ehemalig\w*|früher\w*|ancien(?:ne)?|anteriormente|ex)\b",
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
    for clause in _split_current_clauses(bio):
        for kind, pattern in _TIE_PATTERNS:
            for found in pattern.finditer(clause):
                entity = _match_named_entity(found["name"], names)
                if entity:
                    return ConflictOfInterest(
                        kind=kind, entity=entity, evidence=clause[:_MAX_EVIDENCE_CHARS]
                    )
    return _find_house_author(author, names)


def find_brand(url: str) -> str:
    """`shopify` of https://www.shopify.com/blog; empty for hosts with user content."""
    host = addresses.extract_host(url)
    domain = registered_domains.find_registered_domain(host)
    if (
        not host
        or addresses.is_numeric_host(host)
        or known_hosts.load_source_types().get(domain) in _USER_CONTENT_HOSTS
    ):
        return ""
    label = domain.partition(".")[0].replace("-", "")
    return label if len(label) >= _MIN_NAME_CHARS else ""


def _split_current_clauses(bio: str) -> Iterator[str]:
    """The clauses of a biography, without those about the past or with a negation."""
    for clause in _CLAUSE_SEPARATOR_PATTERN.split(bio):
        for part in re.split(
            r",\s+(?=(?:and |formerly |previously |ex-|former ))", clean_markup(clause)
        ):
            if part and not _ENDED_TIE_PATTERN.search(part):
                yield part


def _match_named_entity(captured: str, names: frozenset[str] | set[str]) -> str:
    """The captured name, if the recommendation names it too; empty otherwise."""
    words = [word.strip(".'’") for word in _NAME_WORD_PATTERN.findall(captured.lstrip("@"))]
    kept = [word for word in words if word.lower() not in _COMMON_WORDS]
    if not kept:
        return ""
    squashed = "".join(word.lower() for word in kept).replace("-", "")
    if kept[0].lower() in names or squashed in names:
        return " ".join(kept[: 3 if squashed in names else 1])
    return ""


def _find_house_author(author: str, names: frozenset[str] | set[str]) -> ConflictOfInterest | None:
    """A conflict if the author is the company itself, such as "Shopify Staff"."""
    if not _STAFF_PATTERN.search(author):
        return None
    entity = _match_named_entity(_STAFF_PATTERN.sub(" ", author), names)
    if not entity:
        return None
    return ConflictOfInterest(
        kind="employment", entity=entity, evidence=clean_markup(author)[:_MAX_EVIDENCE_CHARS]
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
