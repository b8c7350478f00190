"""Wikipedia articles through the MediaWiki search, in the language asked for; no key."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from citewell.model.search import Filter, Found, Hit, Query
from citewell.net.answer import Answer, Items, Link, Maybe, Part, read
from citewell.ports import Kit, Offer, Spec
from citewell.text.markup import clean
from citewell.text.operators import compose

SPEC = Spec(
    name="wikipedia",
    title="Wikipedia",
    home="https://www.mediawiki.org/wiki/API:Search",
    base_url="https://en.wikipedia.org/w/api.php",
    offers=frozenset({Offer.WEB}),
    filters=frozenset({Filter.LANGUAGE, Filter.EXACT_TERMS, Filter.EXCLUDE_TERMS}),
    max_results=50,
    max_sites=0,
    max_query=300,
    per_second=2.0,
    burst=4,
    rank=60,
    general=False,
    terms="Asks for a User-Agent that names the client and how to reach its operator.",
)

_ENGLISH = "//en.wikipedia.org"

# The larger editions. Any other name redirects to another site or does not exist.
_EDITIONS = {
    "af", "ar", "arz", "ast", "az", "azb", "be", "bg", "bn", "bs", "ca", "ce",
    "ceb", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa",
    "fi", "fr", "ga", "gl", "he", "hi", "hr", "hu", "hy", "id", "is", "it",
    "ja", "ka", "kk", "ko", "ku", "la", "lt", "lv", "mk", "ml", "mr", "ms",
    "my", "nl", "nn", "no", "pl", "pt", "ro", "ru", "sh", "simple", "sk", "sl",
    "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "tt", "uk", "ur",
    "uz", "vi", "war", "zh",
}  # fmt: skip
_RENAMED = {"nb": "no", "fil": "tl"}


class _Match(Part):
    title: Annotated[str, Field(min_length=1)]
    snippet: Maybe[str] = None


class _Info(Part):
    totalhits: Maybe[int] = None


class _Site(Part):
    base: Maybe[Link] = None  # the main page's address; its last part gives way to a title


class _Query(Part):
    search: Items[_Match]
    searchinfo: Maybe[_Info] = None
    general: Maybe[_Site] = None


class _Answer(Answer):
    query: _Query | None = None


class Provider:
    def __init__(self, kit: Kit) -> None:
        self._upstream = kit.upstream

    async def web(self, query: Query) -> Found:
        edition = _edition(query.language)
        response = await self._upstream.get(
            params=_params(query), base_url=_address(self._upstream.base_url, edition)
        )
        return _found(read(_Answer, response), query, edition=edition)


def _params(query: Query) -> dict[str, str]:
    plain = query.with_(sites=())  # there is but one site here
    return {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "list": "search",
        "srsearch": compose(plain, limit=SPEC.max_query),
        "srlimit": str(min(query.count, SPEC.max_results)),
        "srprop": "snippet",
        "meta": "siteinfo",
        "siprop": "general",
    }


def _edition(language: str | None) -> str:
    base = (language or "en").lower().partition("-")[0]
    name = _RENAMED.get(base, base)
    return name if name in _EDITIONS else "en"


def _address(base_url: str, edition: str) -> str:
    """The edition's own host; a configured address of another kind stays as it is."""
    return base_url.replace(_ENGLISH, f"//{edition}.wikipedia.org", 1)


def _found(answer: _Answer, query: Query, *, edition: str) -> Found:
    if answer.query is None:  # MediaWiki leaves it out when no page matches a title search
        return Found(notes=_notes(query, edition))
    site = answer.query.general
    home = site.base if site and site.base else f"https://{edition}.wikipedia.org/wiki/Main"
    hits = tuple(_hit(match, home=home) for match in answer.query.search)
    info = answer.query.searchinfo
    return Found(
        hits=hits[: query.count],
        total=info.totalhits if info else None,
        notes=_notes(query, edition),
    )


def _notes(query: Query, edition: str) -> tuple[str, ...]:
    notes = []
    if query.count > SPEC.max_results:
        notes.append(f"Wikipedia is asked for at most {SPEC.max_results} results.")
    if query.language and edition == "en" and not query.language.lower().startswith("en"):
        notes.append(f"No larger Wikipedia in {query.language} is known; English was searched.")
    return tuple(notes)


def _hit(match: _Match, *, home: str) -> Hit:
    name = quote(match.title.replace(" ", "_"), safe="/:@!$*(),;~-._'", errors="replace")
    return Hit(
        title=clean(match.title) or name,
        url=home.rpartition("/")[0] + "/" + name,
        snippet=clean(match.snippet),
        engine=SPEC.name,
    )
