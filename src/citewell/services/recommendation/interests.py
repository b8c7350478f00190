"""Who gains by a recommendation, as far as its own words tell: the publisher, or the author.

Rather too little than too much: a name that is not said, a job that is over and a tie that is denied
are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.fetch import hosts
from citewell.model.recommendation import ConflictOfInterest, SelfPromotion
from citewell.text import domains, urls
from citewell.text.markup import clean

_SHORTEST = 3  # characters of a name; shorter ones are words
_SHOWN = 200  # characters of evidence
_OTHERS = frozenset({"social_media", "blog", "forum", "wiki"})  # hosts that speak for their users
_FIRST = re.compile(
    r"^\W{0,4}(?:#\s?1\b|1\s?[.):\]]|no\.?\s?1\b)|\b(?:#\s?1\b|no\. ?1\b|number one\b|ranked first|ranks first"
    r"|top pick|our pick|top choice|best overall|overall winner|editors?['’] choice|platz 1|testsieger|numéro un|número uno)",
    re.IGNORECASE,
)
_NAME = r"(?P<name>@?[\w][\w&.'’+-]*(?:\s+(?:[A-Z][\w&.'’+-]*|&)){0,3})"
_ROLE = (
    r"(?:works?|working|employed|employee|engineer|developer|manager|director|head|lead|leader|vp|vice president"
    r"|president|chief [\w ]{2,20}officer|c[etfmop]o|founder|co-?founder|owner|partner|evangelist|advocate|strategist"
    r"|marketer|writer|editor|analyst|consultant|designer|researcher|scientist|specialist|associate|intern"
    r"|mitarbeiter(?:in)?|arbeitet|angestellt(?:e[r]?)?|entwickler(?:in)?|gründer(?:in)?|leiter(?:in)?"
    r"|travaille|fondat(?:eur|rice)|directeur|directrice|trabaja|fundador[a]?|director[a]?|lavora|fondatore|dipendente)"
)
# Only the name is read with an eye to its capitals.
_TIES = (
    ("equity", rf"(?i:\b(?:invest(?:or|ed|s)?|shareholder|stake|shares|stock|stock options|equity|beteiligt|investisseur|inversor) (?:in|of|at|an|dans|en)) {_NAME}"),
    ("funding", rf"(?i:\b(?:sponsored|funded|paid|compensated|supported|commissioned) by) {_NAME}"),
    ("funding", rf"(?i:\b(?:in (?:paid )?partnership with|ambassador for|affiliate (?:partner )?(?:of|for|with)|grants? from|funding from|honoraria from|fees from|gesponsert von|sponsorisé par|patrocinado por)) {_NAME}"),
    ("employment", rf"(?i:\b(?:advis[oe]r|advises|board member|member of the board|consultant|consults|spokes(?:man|woman|person)|berater(?:in)?|conseill(?:er|ère)) (?:to|of|for|at|with|bei|von|de|chez)) {_NAME}"),
    ("employment", rf"(?i:\b{_ROLE}\b[\w ,/&-]{{0,40}}?(?:\b(?:at|for|of|with|bei|von|chez|de|en|presso|di)\s+|@\s?)){_NAME}"),
    ("employment", rf"(?i:^(?:[\w .,'’-]{{0,60}}?\b)?(?:at\s+|@)){_NAME}"),
    ("employment", rf"\b{_NAME}(?:['’]s)?\s(?i:{_ROLE})\b"),
)  # fmt: skip
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _TIES)
_CLAUSE = re.compile(r"[.;!?\n|•]+\s+|\s+[|•–—]\s+|[;\n]")
_OVER = re.compile(
    r"\b(?:former(?:ly)?|ex-|previous(?:ly)?|past|used to|until|retired|left|no longer|not|never|no|nor"
    r"|independent of|unaffiliated|ehemalig\w*|früher\w*|ancien(?:ne)?|anteriormente|ex)\b",
    re.IGNORECASE,
)
_STAFF = re.compile(r"\b(?:staff|team|editors?|editorial|blog|inc|llc|gmbh|redaktion|équipe|equipo)\b", re.IGNORECASE)  # fmt: skip
_WORD = re.compile(r"[^\W_][\w&+'’-]*")
_PLAIN = frozenset({
    "the", "and", "for", "best", "top", "free", "new", "home", "company", "companies", "business", "businesses",
    "platform", "platforms", "software", "tool", "tools", "app", "apps", "service", "services", "review", "reviews",
    "guide", "university", "institute", "group", "inc", "llc", "ltd", "gmbh", "online", "digital", "global",
    "international", "national", "american", "small", "pro", "plus", "team", "data", "cloud", "world", "open",
})  # fmt: skip


def promotion(text: str, url: str) -> SelfPromotion | None:
    """The line that ranks the page's own brand first, where the text has one."""
    label = brand(url)
    if not label:
        return None
    for line in text.splitlines() or [text]:
        if _FIRST.search(line) and _says(line, label):
            return SelfPromotion(brand=label, evidence=clean(line)[:_SHOWN])
    return None


def publishers_own(titles: list[str], addresses: list[str]) -> SelfPromotion | None:
    """The publisher of a whole list, where most of it stands on one site and its own name is first."""
    labels = [brand(url) for url in addresses]
    label = labels[0] if labels else ""
    if len(titles) < 2 or not label or labels.count(label) * 2 <= len(labels):
        return None
    others = [title for title in titles[1:] if _says(title, label)]
    if not _says(titles[0], label) or len(others) * 2 > len(titles):
        return None
    evidence = (
        f"{clean(titles[0])} stands first in a list that {urls.display(addresses[0])} publishes"
    )
    return SelfPromotion(brand=label, evidence=evidence[:_SHOWN])


def conflict(text: str, *, author: str, bio: str, url: str = "") -> ConflictOfInterest | None:
    """What ties the author to something that the recommendation names."""
    names = _names(text) | ({brand(url)} - {""})
    for clause in _clauses(bio):
        for kind, pattern in _PATTERNS:
            for found in pattern.finditer(clause):
                entity = _entity(found["name"], names)
                if entity:
                    return ConflictOfInterest(kind=kind, entity=entity, evidence=clause[:_SHOWN])
    return _house_author(author, names)


def brand(url: str) -> str:
    """`shopify` of https://www.shopify.com/blog; empty for hosts that speak for their users."""
    host = urls.host(url)
    domain = domains.registrable(host)
    if not host or urls.numeric(host) or hosts.types().get(domain) in _OTHERS:
        return ""
    label = domain.partition(".")[0].replace("-", "")
    return label if len(label) >= _SHORTEST else ""


def _clauses(bio: str) -> Iterator[str]:
    """Each statement of a byline that says neither "formerly" nor "not"."""
    for clause in _CLAUSE.split(bio):
        for part in re.split(r",\s+(?=(?:and |formerly |previously |ex-|former ))", clean(clause)):
            if part and not _OVER.search(part):
                yield part


def _entity(captured: str, names: frozenset[str] | set[str]) -> str:
    """The captured name where the recommendation names the same; empty otherwise."""
    words = [word.strip(".'’") for word in _WORD.findall(captured.lstrip("@"))]
    kept = [word for word in words if word.lower() not in _PLAIN]
    if not kept:
        return ""
    squashed = "".join(word.lower() for word in kept).replace("-", "")
    if kept[0].lower() in names or squashed in names:
        return " ".join(kept[: 3 if squashed in names else 1])
    return ""


def _house_author(author: str, names: frozenset[str] | set[str]) -> ConflictOfInterest | None:
    """An author who is the company: "Shopify Staff"."""
    if not _STAFF.search(author):
        return None
    entity = _entity(_STAFF.sub(" ", author), names)
    if not entity:
        return None
    return ConflictOfInterest(kind="employment", entity=entity, evidence=clean(author)[:_SHOWN])


def _names(text: str) -> set[str]:
    """Words that may be names: written with a capital, or with a figure or a dot in them."""
    found = {
        word.lower()
        for word in _WORD.findall(text)
        if len(word) >= _SHORTEST and (not word.islower() or any(map(str.isdigit, word)))
    }
    pairs = re.findall(r"([A-Z][\w&+-]*)\s+([A-Z][\w&+-]*)", text)
    return (found | {(one + two).lower() for one, two in pairs}) - _PLAIN


def _says(line: str, label: str) -> bool:
    """Whether the line has the name, in one word or in up to three: "Woo Commerce" of woocommerce.com."""
    words = [re.sub(r"[\W_]+", "", word.lower()) for word in line.split()]
    joined = ("".join(words[at : at + width]) for width in (1, 2, 3) for at in range(len(words)))
    return any(word in {label, f"{label}s"} for word in joined)
