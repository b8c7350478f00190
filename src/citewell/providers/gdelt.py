"""GDELT's document API: news of the last months in 65 languages; no key, and often overloaded."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from functools import cache

from citewell.core import errors
from citewell.core.values.search_queries import (
    SearchFilter,
    SearchHit,
    SearchHits,
    SearchQuery,
    shorten_query_text,
)
from citewell.net.http.file_downloads import GatewayOverloaded, check_status
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.data_tables import load_table
from citewell.text.language.word_forms import drop_query_stopwords
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="gdelt",
    title="GDELT",
    homepage="https://blog.gdeltproject.org/gdelt-doc-2-0-api-debuts/",
    base_url="https://api.gdeltproject.org/api/v2/doc/doc",
    offers=frozenset({Offer.NEWS}),
    filters=frozenset(
        {
            SearchFilter.SITES,
            SearchFilter.TIME_RANGE,
            SearchFilter.LANGUAGE,
            SearchFilter.COUNTRY,
            SearchFilter.SORT,
        }
    ),
    max_results=75,
    max_sites=15,
    max_query_chars=500,
    per_second=0.2,  # one request in five seconds, as its refusals say
    rank=45,
    terms="Free to use with a reference to the GDELT Project.",
    test_evidence="documented shape only; its refusals as they were observed",
)

_MAX_RECORDS = "75"  # always the same number, so that a repeated question is the same request
_TIMEOUT_SECONDS = 15.0
_REST_SECONDS = 600.0  # after a refusal: it sheds load for longer than its answer says
_OVERLOAD_STATUSES = (429, 502, 503, 504)
_REMEMBERED_SECONDS = 120.0
_MAX_TEXT_CHARS = 300
_MAX_TITLE_CHARS = 500
_TIME_SPANS = {"hour": "1h", "day": "1d", "week": "1w", "month": "1m"}
_WHOLE_SPAN = "3m"  # as far back as a span reaches; a year takes two dates instead
_SEEN_NOTE = "GDELT says when it first saw an article, which may be later than its publication."
_OVERLOAD_WORDS = ("limit requests", "too many", "overload", "high load", "try again later")
_QUERY_WORDS = ("query", "keyword", "phrase", "parenthes", "timespan", "invalid", "operator")
_CONTROL_BYTES = bytes(range(32))
_QUERY_PART_PATTERN = re.compile(r'"([^"]{1,200})"|([\w][\w\'’.-]{0,60})')
# Titles come as tokens: "sanctions ; Tehran hits", "10 , 000", "Apple ' s".
_SPACE_BEFORE_MARK_PATTERN = re.compile(r"(?<=\S) ([,;:.!?%)\]»”…])")
_SPACE_AFTER_MARK_PATTERN = re.compile(r"([(\[«“$£€#]) (?=\S)")
_SPLIT_APOSTROPHE_PATTERN = re.compile(r"(?<=\w) ?(['’]) ?(s|t|re|ve|ll|d|m)\b")
_SPLIT_NUMBER_PATTERN = re.compile(r"(?<=\d) (?:(,) (?=\d{3}\b)|(\.) (?=\d))")


class _Article(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    seendate: wire.OptionalField[str] = None
    domain: wire.OptionalField[str] = None


class _ArticleList(wire.ResponsePart):
    articles: wire.TolerantItems[_Article] = ()  # the whole answer is {} if nothing matched


class Provider(KitProvider):
    def _set_up(self) -> None:
        self._last: tuple[dict[str, str], float, tuple[SearchHit, ...]] | None = None

    async def search_news(self, query: SearchQuery) -> SearchHits:
        now = self._read_now()
        params = _build_gdelt_params(query, now=now)
        last = self._last
        if last and last[0] == params and self._kit.clock() - last[1] < _REMEMBERED_SECONDS:
            hits = last[2]  # because a request costs five seconds
        else:
            hits = tuple(map(_parse_article, await self._list_articles(params)))
            self._last = (params, self._kit.clock(), hits)
        notes = (*_build_gdelt_notes(query), *((_SEEN_NOTE,) if hits else ()))
        return SearchHits(hits=hits[: query.count], notes=notes)

    async def _list_articles(self, params: dict[str, str]) -> tuple[_Article, ...]:
        """One try; a service that refuses or fails is then left alone for ten minutes."""
        try:
            response = await self._upstream.send_get(
                params=params, timeout=_TIMEOUT_SECONDS, accept=_OVERLOAD_STATUSES, retry=False
            )
        except errors.NetworkFailed as error:
            if error.reason is errors.FailureReason.TIMEOUT:
                self._upstream.pause_requests(_REST_SECONDS)
            raise
        try:
            check_status(response, provider=SPEC.name, accept=(), now=self._kit.clock)
            return _read_articles(response)
        except (errors.RateLimited, GatewayOverloaded) as error:
            self._upstream.pause_requests(max(_REST_SECONDS, error.retry_after or 0.0))
            raise


def _build_gdelt_params(query: SearchQuery, *, now: datetime) -> dict[str, str]:
    params = {
        "query": _build_gdelt_text(query),
        "mode": "ArtList",
        "format": "json",
        "maxrecords": _MAX_RECORDS,
        "sort": "DateDesc" if query.sort_by == "date" else "HybridRel",
    }
    if query.time_range != "year":
        return params | {"timespan": _TIME_SPANS.get(query.time_range or "", _WHOLE_SPAN)}
    start = (now - timedelta(days=365)).replace(hour=0, minute=0, second=0)
    end = now.replace(minute=0, second=0) + timedelta(hours=1)
    return params | {
        "startdatetime": start.strftime("%Y%m%d%H%M%S"),
        "enddatetime": end.strftime("%Y%m%d%H%M%S"),
    }


def _build_gdelt_text(query: SearchQuery) -> str:
    """The words as GDELT takes them: all must occur, so stop-words are left out; operators after them."""
    text = drop_query_stopwords(query.text, language=query.language)
    parts = []
    for phrase, word in _QUERY_PART_PATTERN.findall(text):
        words = phrase or word.strip("-.'’")
        words = words.lower() if words == "OR" else words
        quoted = " " in words or "-" in words or "." in words or "'" in words or "’" in words
        if words:
            parts.append(f'"{words}"' if quoted else words)
    sites = [f"domain:{site}" for site in query.sites]
    operators = [f"({' OR '.join(sites)})" if len(sites) > 1 else "".join(sites)]
    if name := _load_language_names().get((query.language or "")[:2].lower()):
        operators.append(f"sourcelang:{name}")
    if country := _load_country_names().get(query.country or ""):
        operators.append(f"sourcecountry:{country}")
    tail = " ".join(filter(None, operators))
    room = max(SPEC.max_query_chars - len(tail) - 1, 0)
    return f"{shorten_query_text(' '.join(parts), room)} {tail}".strip()


def _build_gdelt_notes(query: SearchQuery) -> tuple[str, ...]:
    notes = []
    if query.country and query.country not in _load_country_names():
        notes.append(f"GDELT was not told the country {query.country}; it was not applied.")
    if query.language and query.language[:2].lower() not in _load_language_names():
        notes.append(f"GDELT has no language {query.language}; it was not applied.")
    return tuple(notes)


def _read_articles(response: HttpResponse) -> tuple[_Article, ...]:
    """The articles of an answer; GDELT sends its refusals as text or HTML with status 200."""
    body = response.body
    if body.lstrip()[:1] not in {b"{", b"[", b'"', b"<", b""} and body.strip() != b"null":
        raise _build_text_error(response)
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        body = body.translate(None, _CONTROL_BYTES)  # titles hold raw control characters
    cleaned = HttpResponse(
        status=response.status,
        url=response.url,
        headers=response.headers,
        body=body,
        provider=response.provider,
    )
    answer = parse_json_response(_ArticleList, cleaned)
    if not answer.model_fields_set and body.strip() != b"{}":
        raise errors.MalformedResponse(
            "The response has none of the documented fields.", provider=response.provider
        )
    return answer.articles


def _build_text_error(response: HttpResponse) -> errors.UpstreamError:
    text = clean_markup(response.body[:_MAX_TEXT_CHARS].decode("utf-8", "replace")).lower()
    if any(word in text for word in _OVERLOAD_WORDS):
        return errors.RateLimited("GDELT asks us to slow down.", provider=response.provider)
    if any(word in text for word in _QUERY_WORDS):
        return build_stated_refusal(response)
    return errors.UpstreamUnavailable(
        "GDELT returned a message instead of articles.", provider=response.provider
    )


def _parse_article(article: _Article) -> SearchHit:
    seen = _parse_seen_date(article.seendate)
    return SearchHit(
        title=tidy_token_spacing(clean_markup((article.title or "")[:_MAX_TITLE_CHARS]))
        or article.url,
        url=article.url,
        published=seen,
        published_basis="seen" if seen else None,
        engine=SPEC.name,
        source=clean_markup(article.domain) or None,
    )


def _parse_seen_date(text: str | None) -> datetime | None:
    try:
        return datetime.strptime((text or "").strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def tidy_token_spacing(title: str) -> str:
    """The title without the spaces that GDELT puts around punctuation."""
    text = _SPLIT_NUMBER_PATTERN.sub(lambda found: found[1] or found[2], title)
    text = _SPACE_BEFORE_MARK_PATTERN.sub(r"\1", text)
    text = _SPACE_AFTER_MARK_PATTERN.sub(r"\1", text)
    return _SPLIT_APOSTROPHE_PATTERN.sub(r"\1\2", text)


@cache
def _load_language_names() -> dict[str, str]:
    return dict(load_table(__package__, "gdelt")["language_names"])


# Names, because GDELT's codes are FIPS and not ISO: GM is Germany there, and UK the United Kingdom.
@cache
def _load_country_names() -> dict[str, str]:
    return dict(load_table(__package__, "gdelt")["country_names"])
