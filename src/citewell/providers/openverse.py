"""Openverse: openly licensed images of many collections, with an attribution line; no key."""

from __future__ import annotations

from citewell.core.errors import Blocked
from citewell.core.values.search_queries import (
    FoundImage,
    ImageFilter,
    ImageQuery,
    shorten_query_text,
)
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.result_paging import GatheredResults, ResultPage, gather_pages
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup

_SIZES = frozenset({"small", "medium", "large"})
_CATEGORIES = {"photo": "photograph", "clipart": "illustration", "lineart": "illustration"}
_EXTENSIONS = {"jpg": "jpg,jpeg", "gif": "gif", "png": "png", "svg": "svg", "webp": "webp"}

SPEC = ProviderSpec(
    name="openverse",
    title="Openverse",
    homepage="https://docs.openverse.org/api/",
    base_url="https://api.openverse.org/v1",
    offers=frozenset({Offer.IMAGES}),
    image_filters={
        ImageFilter.SIZE: _SIZES,
        ImageFilter.TYPE: frozenset(_CATEGORIES),
        ImageFilter.FILE_TYPE: frozenset(_EXTENSIONS),
        ImageFilter.SAFE: frozenset(),
    },
    max_images=200,
    max_query_chars=200,
    per_second=1 / 3,  # 20 requests a minute without a key, and 200 a day
    burst=10,
    rank=62,
    terms="Check the licence at the landing page; no scraping of the catalogue.",
    test_evidence="two recorded searches and one recorded record",
)

_PAGE_SIZE = 20  # the most without a key: more is refused
_MAX_PAGES = 12
_FORBIDDEN = 403
_PUBLIC_DOMAIN_NAMES = {"cc0": "CC0", "pdm": "Public Domain Mark"}


class _OpenverseImage(wire.ResponsePart):
    url: wire.HttpLink
    title: wire.OptionalField[str] = None
    foreign_landing_url: wire.OptionalField[wire.HttpLink] = None
    thumbnail: wire.OptionalField[wire.HttpLink] = None
    creator: wire.OptionalField[str] = None
    license: wire.OptionalField[str] = None
    license_version: wire.OptionalField[str] = None
    license_url: wire.OptionalField[wire.HttpLink] = None
    attribution: wire.OptionalField[str] = None
    filetype: wire.OptionalField[str] = None
    filesize: wire.OptionalField[int] = None
    width: wire.OptionalField[int] = None
    height: wire.OptionalField[int] = None


class _OpenversePage(wire.JsonResponse):
    results: wire.TolerantItems[_OpenverseImage]
    page_count: wire.OptionalField[int] = None


class Provider(KitProvider):
    async def search_images(self, query: ImageQuery) -> tuple[FoundImage, ...]:
        asked = _build_openverse_params(query)

        async def load_result_page(number: int) -> ResultPage[FoundImage]:
            answer = await self._fetch_openverse_page(asked | {"page": str(number + 1)})
            return ResultPage(
                items=tuple(map(_parse_openverse_image, answer.results)),
                has_more=number + 1 < (answer.page_count or 0),
            )

        found: GatheredResults[FoundImage] = await gather_pages(
            load_result_page, count=query.count, max_pages=_MAX_PAGES
        )
        return found.items

    async def _fetch_openverse_page(self, params: dict[str, str]) -> _OpenversePage:
        response = await self._upstream.send_get(
            "/images/", params=params, accept=(400, _FORBIDDEN)
        )
        if response.status == _FORBIDDEN:
            raise Blocked(
                "Openverse refuses requests from this network, as it does for some data centres.",
                provider=SPEC.name,
            )
        return read_stated_json(_OpenversePage, response)


def _build_openverse_params(query: ImageQuery) -> dict[str, str]:
    params = {
        "q": shorten_query_text(query.text, SPEC.max_query_chars),
        "page_size": str(min(query.count, _PAGE_SIZE)),
        "size": query.size if query.size in _SIZES else None,
        "category": _CATEGORIES.get(query.type or ""),
        "extension": _EXTENSIONS.get(query.file_type or ""),
        "mature": "true" if query.safe == "off" else None,
    }
    return {name: value for name, value in params.items() if value}


def _parse_openverse_image(image: _OpenverseImage) -> FoundImage:
    media_types = load_table(__package__, "openverse")["media_types"]
    return FoundImage(
        title=clean_markup(image.title) or image.url,
        link=image.url,
        context=image.foreign_landing_url,
        thumbnail=image.thumbnail,
        width=image.width,
        height=image.height,
        file_size=str(image.filesize) if image.filesize and image.filesize > 0 else None,
        media_type=media_types.get((image.filetype or "").lower()),
        license=_format_license(image),
        license_url=image.license_url,
        author=clean_markup(image.creator) or None,
        attribution=clean_markup(image.attribution) or None,
    )


def _format_license(image: _OpenverseImage) -> str | None:
    """The licence by its usual name: by-sa in version 2.0 is CC BY-SA 2.0."""
    code = clean_markup(image.license).lower()
    if not code:
        return None
    version = clean_markup(image.license_version)
    name = _PUBLIC_DOMAIN_NAMES.get(code) or f"CC {code.upper()}"
    return f"{name} {version}".strip()
