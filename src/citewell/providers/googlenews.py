"""Google News as an RSS feed, for personal use only by its terms: off unless it is switched on."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    build_operator_query,
)
from citewell.core.values.search_results import FeedItem
from citewell.providers.dialects.feed_responses import build_feed_hit, read_feed_response
from citewell.routing.ports import KitProvider, Offer, ProviderOption, ProviderSpec
from citewell.text.addresses import format_host_name

SWITCH_SETTING = "GOOGLE_NEWS_RSS"
SPEC = ProviderSpec(
    name="googlenews",
    title="Google News",
    homepage="https://news.google.com",
    base_url="https://news.google.com/rss/search",
    offers=frozenset({Offer.NEWS}),
    options=(
        ProviderOption(
            env=SWITCH_SETTING,
            help=(
                "`true` searches Google News by its RSS feed. Google allows that in a personal feed"
                " reader for personal, non-commercial use only."
            ),
            required=True,
            is_switch=True,
        ),
    ),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.LANGUAGE,
            SearchFilter.COUNTRY,
            SearchFilter.EXACT_TERMS,
            SearchFilter.EXCLUDE_TERMS,
        }
    ),
    max_results=100,
    max_query_chars=2048,
    per_second=0.5,
    burst=2,
    rank=40,
    terms="Personal, non-commercial use in a feed reader only; any other use is prohibited.",
    test_evidence="one recorded feed",
)

_MAX_FEED_BYTES = 4 * 2**20
_AGE_OPERATORS = {"hour": "1h", "day": "1d", "week": "7d", "month": "30d", "year": "1y"}
# Language, country and edition must agree: the country that a language is searched in, and the reverse.
_COUNTRY_BY_LANGUAGE = {
    "ar": "EG", "bg": "BG", "bn": "BD", "cs": "CZ", "da": "DK", "de": "DE", "el": "GR", "en": "US",
    "es": "ES", "fi": "FI", "fr": "FR", "he": "IL", "hi": "IN", "hu": "HU", "id": "ID", "it": "IT",
    "ja": "JP", "ko": "KR", "lt": "LT", "lv": "LV", "nl": "NL", "no": "NO", "pl": "PL", "pt": "BR",
    "ro": "RO", "ru": "RU", "sk": "SK", "sl": "SI", "sr": "RS", "sv": "SE", "th": "TH", "tr": "TR",
    "uk": "UA", "vi": "VN", "zh": "TW",
}  # fmt: skip
_LANGUAGE_BY_COUNTRY = {country: code for code, country in _COUNTRY_BY_LANGUAGE.items()} | {
    "AT": "de", "CH": "de", "BE": "nl", "MX": "es", "AR": "es", "CL": "es", "CO": "es", "PT": "pt",
    "IN": "en", "EG": "ar", "SA": "ar", "AE": "ar", "CN": "zh", "HK": "zh",
}  # fmt: skip
_EDITION_LANGUAGES = {"pt-BR": "pt-419", "zh-CN": "zh-Hans", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant"}
_LINK_NOTE = (
    "Addresses of Google News lead to the article in a browser only; sourceUrl is the publisher."
)


class Provider(KitProvider):
    async def search_news(self, query: SearchQuery) -> SearchHits:
        response = await self._upstream.send_get(
            params=_build_googlenews_params(query), max_bytes=_MAX_FEED_BYTES
        )
        feed = await read_feed_response(response, self._kit.require_workers())
        now = self._read_now()
        hits = tuple(_build_googlenews_hit(item, now=now) for item in feed.items)
        return SearchHits(hits=hits[: query.count], notes=(_LINK_NOTE,) if hits else ())


def _build_googlenews_params(query: SearchQuery) -> dict[str, str]:
    text = build_operator_query(query, max_chars=SPEC.max_query_chars - 10)
    if query.time_range:
        text = f"{text} when:{_AGE_OPERATORS[query.time_range]}"
    code, _, region = (query.language or "").partition("-")
    country = query.country or region.upper() or _COUNTRY_BY_LANGUAGE.get(code.lower(), "US")
    language = code.lower() or _LANGUAGE_BY_COUNTRY.get(country, "en")
    edition = _EDITION_LANGUAGES.get(f"{language}-{country}", language)
    return {
        "q": text,
        "hl": edition if edition != language else f"{language}-{country}",
        "gl": country,
        "ceid": f"{country}:{edition}",
    }


def _build_googlenews_hit(item: FeedItem, *, now: datetime) -> SearchHit:
    """The article with its publisher, whose name is cut from the end of the title."""
    source = item.source or (format_host_name(item.source_url) if item.source_url else "")
    ending = f" - {source}"
    named = source and item.title.endswith(ending) and item.title != ending
    plain = replace(item, title=item.title.removesuffix(ending)) if named else item
    # The description repeats the titles of similar articles.
    return build_feed_hit(plain, engine=SPEC.name, source=source or None, now=now, snippet="")
