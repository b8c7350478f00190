"""What one web search asks for, checked before anybody else sees it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from citewell.errors import InvalidInput
from citewell.model.search import Query
from citewell.text import codes, urls
from citewell.text.markup import visible

LONGEST = 500  # characters, not bytes
MOST = 50
MOST_SITES = 10
TIME_RANGES = ("hour", "day", "week", "month", "year")
SAFE = ("off", "medium", "high")
CATEGORIES = (
    "general", "images", "videos", "news", "map", "music", "it", "science", "files",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    query: str
    count: int = 5
    time_range: str | None = None
    safe: str = "medium"
    language: str | None = None
    country: str | None = None
    site: str | None = None
    sites: tuple[str, ...] = ()
    lens: str | None = None
    exact_terms: str | None = None
    exclude_terms: str | None = None
    category: str = "general"
    provider: str | None = None
    claim: str | None = None
    fetch_content: bool = False


def checked(ask: Ask) -> Ask:
    """The same question in its plainest form: `site` folded into `sites`, blanks made absent."""
    if not 1 <= ask.count <= MOST:
        raise InvalidInput(f"num_results must be between 1 and {MOST}.")
    if ask.lens and (ask.site or ask.sites):
        raise InvalidInput("site and lens cannot be combined: a lens is a set of sites itself.")
    return replace(
        ask,
        query=_words(ask.query),
        time_range=_one_of("time_range", ask.time_range or None, TIME_RANGES),
        safe=_one_of("safe", ask.safe, SAFE) or "medium",
        category=_one_of("category", ask.category or "general", CATEGORIES) or "general",
        language=_language(ask.language),
        country=_country(ask.country),
        site=None,
        sites=_sites(ask),
        lens=_line(ask.lens),
        exact_terms=_terms("exact_terms", ask.exact_terms),
        exclude_terms=_terms("exclude_terms", ask.exclude_terms),
        provider=(_line(ask.provider) or "").lower() or None,
        claim=_line(ask.claim),
    )


def question(ask: Ask) -> Query:
    """A checked ask in the words of the providers' port, before any lens."""
    return Query(
        text=ask.query,
        count=ask.count,
        sites=ask.sites,
        time_range=ask.time_range,
        safe=ask.safe,
        language=ask.language,
        country=ask.country,
        exact_terms=ask.exact_terms,
        exclude_terms=ask.exclude_terms,
        category=ask.category,
    )


def _words(query: str) -> str:
    words = _line(query)
    if words is None:
        raise InvalidInput("query is empty. Give it 1 to 500 characters.")
    if len(words) > LONGEST:
        raise InvalidInput(f"query has {len(words)} characters; {LONGEST} is the most.")
    return words


def _line(text: str | None) -> str | None:
    """One line of visible characters; None when nothing is left."""
    if not text:
        return None
    return " ".join(visible(text.translate(_CONTROLS)).split()) or None


# A control character between two words parts them.
_CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], " ")


def _terms(name: str, text: str | None) -> str | None:
    words = _line(text)
    if words and len(words) > LONGEST:
        raise InvalidInput(f"{name} has {len(words)} characters; {LONGEST} is the most.")
    return words


def _one_of(name: str, value: str | None, allowed: tuple[str, ...]) -> str | None:
    if value is not None and value not in allowed:
        raise InvalidInput(f"{name} {value!r} is not known. It takes: {', '.join(allowed)}.")
    return value


def _language(code: str | None) -> str | None:
    if code and not codes.is_language(code):
        raise InvalidInput(
            f"language {code!r} is not an ISO 639-1 code; write en, de or, with a region, pt-BR."
        )
    return code or None


def _country(code: str | None) -> str | None:
    if not code:
        return None
    upper = code.strip().upper()
    if not codes.is_country(upper):
        hint = " The United Kingdom is GB." if upper == "UK" else ""
        raise InvalidInput(f"country {code!r} is not an ISO 3166-1 alpha-2 code.{hint}")
    return upper


def _sites(ask: Ask) -> tuple[str, ...]:
    if ask.site and ask.sites:
        raise InvalidInput("site and sites cannot be combined; put all of them into sites.")
    given = (ask.site,) if ask.site else ask.sites
    if len(given) > MOST_SITES:
        raise InvalidInput(f"sites has {len(given)} entries; {MOST_SITES} is the most.")
    return tuple(dict.fromkeys(map(_domain, given)))


def _domain(text: str) -> str:
    name = urls.domain(text)
    if name is None:
        raise InvalidInput(f"{text[:100]!r} is not a domain; write one such as example.org.")
    return name
