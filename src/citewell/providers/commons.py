"""Wikimedia Commons: freely licensed images with author and licence; no key."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isqrt
from typing import Annotated

from pydantic import BeforeValidator, Field

from citewell.core.errors import RateLimited, UpstreamError
from citewell.core.values.search_queries import (
    PIXELS_BY_SIZE,
    FoundImage,
    ImageFilter,
    ImageQuery,
    shorten_query_text,
)
from citewell.net.http.messages import HttpResponse
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream import json_responses as wire
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.safety.text_cleaning import clean_markup

_FILE_TYPES = {
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webp": "image/webp",
}
# What Commons knows of a file's kind is its media type: drawings are SVG, photographs JPEG.
_TYPE_KEYWORDS = {
    "clipart": "filetype:drawing",
    "lineart": "filetype:drawing",
    "photo": "filemime:image/jpeg",
    "animated": "filemime:image/gif",
}

SPEC = ProviderSpec(
    name="commons",
    title="Wikimedia Commons",
    homepage="https://commons.wikimedia.org/wiki/Commons:API",
    base_url="https://commons.wikimedia.org/w/api.php",
    offers=frozenset({Offer.IMAGES}),
    image_filters={
        ImageFilter.SIZE: frozenset(),
        ImageFilter.TYPE: frozenset(_TYPE_KEYWORDS),
        ImageFilter.FILE_TYPE: frozenset(_FILE_TYPES),
    },
    max_images=200,
    max_query_chars=300,
    per_second=2.0,
    burst=4,
    rank=60,
    terms="The licence is each file's own; name author and licence as it says.",
    test_evidence="recorded file records; search answers in the documented shape",
)

_FILE_NAMESPACE = "6"
_THUMBNAIL_WIDTH = "400"
_MAX_BATCH = 50  # files in one request of a caller without an account
_MAX_REQUESTS = 8
_MAX_VALUE_CHARS = 4000
_MAX_NAME_CHARS = 200
_LIMIT_CODES = frozenset({"ratelimited", "maxlag"})
_METADATA_NAMES = (
    "LicenseShortName", "LicenseUrl", "UsageTerms", "Artist", "ObjectName", "Attribution",
)  # fmt: skip
# A keyword such as insource:/…/ could cost the wiki a lot.
_KEYWORD_MARKS = str.maketrans(dict.fromkeys(":/~*?\\", " "))
_HIDDEN_ELEMENT_PATTERN = re.compile(
    r"<(div|span)\b[^<>]{0,200}display: ?none[^<>]{0,200}>[^<>]{0,500}</\1>"
)
_FILE_ENDING_PATTERN = re.compile(r"\.[A-Za-z]{3,4}$")


_CommonsLink = Annotated[
    wire.HttpLink,
    BeforeValidator(lambda url: f"https:{url}" if str(url).startswith("//") else url),
]


class _FileInfo(wire.ResponsePart):
    url: _CommonsLink
    descriptionurl: wire.OptionalField[_CommonsLink] = None
    thumburl: wire.OptionalField[_CommonsLink] = None
    width: wire.OptionalField[int] = None
    height: wire.OptionalField[int] = None
    size: wire.OptionalField[int] = None
    mime: wire.OptionalField[str] = None
    # Facts about the file, as HTML.
    short_name: wire.OptionalField[dict[str, object]] = wire.nested_field(
        "extmetadata.LicenseShortName"
    )
    license: wire.OptionalField[str] = wire.nested_field("extmetadata.LicenseShortName.value")
    license_url: wire.OptionalField[_CommonsLink] = wire.nested_field(
        "extmetadata.LicenseUrl.value"
    )
    terms: wire.OptionalField[str] = wire.nested_field("extmetadata.UsageTerms.value")
    artist: wire.OptionalField[str] = wire.nested_field("extmetadata.Artist.value")
    name: wire.OptionalField[str] = wire.nested_field("extmetadata.ObjectName.value")
    attribution: wire.OptionalField[str] = wire.nested_field("extmetadata.Attribution.value")


class _FilePage(wire.ResponsePart):
    pageid: int
    title: str
    index: wire.OptionalField[int] = None
    imageinfo: wire.TolerantItems[_FileInfo] = ()


# The pages as a list; an older form of the API has them in a map.
_PAGE_LIST = BeforeValidator(
    lambda pages: list(pages.values()) if isinstance(pages, dict) else pages
)


class _FoundPages(wire.ResponsePart):
    pages: Annotated[wire.TolerantItems[_FilePage], _PAGE_LIST] = ()


class _SearchResponse(wire.JsonResponse):
    batchcomplete: wire.OptionalField[bool | str] = None
    query: wire.OptionalField[_FoundPages] = None
    # Sent back whole to get the rest.
    continued: Annotated[wire.OptionalField[dict[str, str | int]], Field(alias="continue")] = None


class Provider(KitProvider):
    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]:
        asked = _build_commons_params(query)
        pages: dict[int, _FilePage] = {}
        more: dict[str, str] = {}
        for number in range(_MAX_REQUESTS):
            try:
                response = await self._upstream.send_get(params=asked | more)
                _check_stated_limit(response, self._kit.clock)
                answer = wire.read_json_response(_SearchResponse, response)
            except UpstreamError:
                if number == 0 or not pages:
                    raise
                break
            # The facts of one page may come in several answers.
            for page in answer.query.pages if answer.query else ():
                if page.pageid not in pages or not pages[page.pageid].imageinfo:
                    pages[page.pageid] = page
            more = {name: str(value) for name, value in (answer.continued or {}).items()}
            if not more or sum(bool(page.imageinfo) for page in pages.values()) >= query.count:
                break
        ordered = sorted(pages.values(), key=lambda page: (page.index is None, page.index or 0))
        found = (_parse_file(page) for page in ordered)
        return tuple(image for image in found if image is not None)[: query.count]


def _check_stated_limit(response: HttpResponse, clock: Callable[[], float]) -> None:
    """Raise RateLimited for a limit that is stated with status 200."""
    if b'"error"' not in response.body[:_MAX_VALUE_CHARS]:
        return
    body = response.parse_json()
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict) and error.get("code") in _LIMIT_CODES:
        raise RateLimited(
            "Wikimedia Commons asks us to slow down.",
            provider=response.provider,
            retry_after=read_retry_delay(response.headers, now=clock),
        )


def _build_commons_params(query: ImageQuery) -> dict[str, str]:
    return {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrnamespace": _FILE_NAMESPACE,
        "gsrsearch": _build_commons_text(query),
        "gsrlimit": str(min(query.count, _MAX_BATCH)),
        "prop": "imageinfo",
        "iiprop": "url|size|mime|extmetadata",
        "iiurlwidth": _THUMBNAIL_WIDTH,
        "iiextmetadatafilter": "|".join(_METADATA_NAMES),
        "maxlag": "5",
    }


def _build_commons_text(query: ImageQuery) -> str:
    keywords = [_TYPE_KEYWORDS.get(query.type or "") or "filetype:bitmap|drawing"]
    if query.file_type in _FILE_TYPES:
        keywords.append(f"filemime:{_FILE_TYPES[query.file_type]}")
    if query.size:
        least, most = PIXELS_BY_SIZE[query.size]
        # The resolution that Commons searches by is the square root of width times height.
        keywords.append(
            f"fileres:>{isqrt(least) - 1}" if most is None else f"fileres:<{isqrt(most) + 1}"
        )
        if most is not None and least > 1:
            keywords.append(f"fileres:>{isqrt(least) - 1}")
    words = " ".join(query.text.translate(_KEYWORD_MARKS).split())
    operators = " ".join(keywords)
    return f"{operators} {shorten_query_text(words, SPEC.max_query_chars - len(operators) - 1)}"


def _parse_file(page: _FilePage) -> FoundImage | None:
    """The image; None for a page without a file, or with one of another kind."""
    if not page.imageinfo or not (page.imageinfo[0].mime or "image/").startswith("image/"):
        return None
    info = page.imageinfo[0]
    file_name = _FILE_ENDING_PATTERN.sub("", page.title.partition(":")[2] or page.title)
    title = _clean_value(info.name) or clean_markup(file_name) or info.url
    author, license_name = (
        _clean_value(info.artist),
        _clean_value(info.terms if info.short_name is None else info.license),
    )
    # The line in the form that Commons recommends, if author and licence are stated.
    return FoundImage(
        title=title,
        link=info.url,
        context=info.descriptionurl,
        thumbnail=info.thumburl,
        width=info.width,
        height=info.height,
        file_size=str(info.size) if info.size is not None and info.size > 0 else None,
        media_type=clean_markup(info.mime) or None,
        license=license_name or None,
        license_url=info.license_url,
        author=author or None,
        attribution=_clean_value(info.attribution)
        or (
            f"“{title}” by {author}, {license_name}, via Wikimedia Commons"
            if author and license_name
            else None
        ),
    )


def _clean_value(value: str | None) -> str:
    markup = (value or "")[:_MAX_VALUE_CHARS]
    text = clean_markup(_HIDDEN_ELEMENT_PATTERN.sub("", markup))
    return shorten_query_text(text, _MAX_NAME_CHARS)
