"""Applies image filters that a provider lacks to its images, reports who applied each, and fetches thumbnails."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from citewell.core.errors import CitewellError
from citewell.core.service_kit import ServiceKit
from citewell.core.values.argument_types import DEFAULT_SAFE_LEVEL
from citewell.core.values.search_queries import PIXELS_BY_SIZE, FoundImage, ImageFilter, ImageQuery
from citewell.core.values.search_results import FilterReport
from citewell.net.http.messages import HttpRequest, RequestSender
from citewell.routing.ports import ProviderSpec
from citewell.search.result_filters import APPLIED_AFTERWARDS, APPLIED_BY_NOBODY
from citewell.text import addresses

_MEDIA_TYPES_BY_ENDING = MappingProxyType(
    {
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "png": "image/png",
        "bmp": "image/bmp",
        "svg": "image/svg+xml",
        "webp": "image/webp",
    }
)
# The kinds that a media type can tell: line art and clip art are drawn, animations are GIFs.
_MEDIA_TYPES_BY_KIND: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "photo": frozenset({"image/jpeg", "image/webp", "image/tiff", "image/avif"}),
        "clipart": frozenset({"image/svg+xml", "image/png", "image/gif"}),
        "lineart": frozenset({"image/svg+xml", "image/png", "image/gif"}),
        "animated": frozenset({"image/gif", "image/apng"}),
    }
)
_DEFAULTS: Mapping[ImageFilter, tuple[str, object]] = MappingProxyType(
    {
        ImageFilter.SIZE: ("size", None),
        ImageFilter.TYPE: ("type", None),
        ImageFilter.COLOR_TYPE: ("color_type", None),
        ImageFilter.DOMINANT_COLOR: ("dominant_color", None),
        ImageFilter.FILE_TYPE: ("file_type", None),
        ImageFilter.SAFE: ("safe", DEFAULT_SAFE_LEVEL),
        ImageFilter.COUNTRY: ("country", None),
        ImageFilter.LANGUAGE: ("language", None),
        ImageFilter.SITES: ("sites", ()),
    }
)
_ALWAYS_CHECKED = frozenset({ImageFilter.FILE_TYPE, ImageFilter.SITES})
_CHECKS = MappingProxyType(
    {
        ImageFilter.SIZE: "checked by width and height",
        ImageFilter.FILE_TYPE: "checked by media type",
        ImageFilter.TYPE: "checked by media type, which tells it roughly",
        ImageFilter.SITES: "checked by host",
    }
)
_MAX_THUMBNAIL_BYTES = 512 * 1024
_THUMBNAIL_SECONDS = 5.0
_MAX_PARALLEL_THUMBNAILS = 6
_HTTP_OK = 200
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_IMAGE_SIGNATURES = (PNG_SIGNATURE, b"\xff\xd8\xff", b"GIF87a", b"GIF89a")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageShares:
    """The filters of one image query by who applies them."""

    native: frozenset[ImageFilter]
    afterwards: frozenset[ImageFilter]
    unapplied: frozenset[ImageFilter]


def share_image_filters(query: ImageQuery, spec: ProviderSpec) -> ImageShares:
    """Split the filters; a provider applies one only if it knows the value."""
    given = query.collect_filters()
    native = frozenset(name for name in given if _knows_value(spec, name, query))
    possible = {ImageFilter.SIZE, ImageFilter.FILE_TYPE, ImageFilter.SITES}
    if query.type in _MEDIA_TYPES_BY_KIND:
        possible.add(ImageFilter.TYPE)
    later = (given - native) & possible
    return ImageShares(native=native, afterwards=later, unapplied=given - native - later)


def keep_native_image_filters(query: ImageQuery, shares: ImageShares) -> ImageQuery:
    """The query with only the filters that the provider applies itself."""
    lost = query.collect_filters() - shares.native
    return query.with_changes(**dict(_DEFAULTS[name] for name in lost)) if lost else query


class ImageSieve:
    """Decides which images pass the filters left to us; counts those kept without knowing."""

    def __init__(self, query: ImageQuery, shares: ImageShares) -> None:
        self._query = query
        self._later = shares.afterwards
        # Providers return other file types and other sites even if they have a filter for them.
        self._checked = shares.afterwards | (shares.native & _ALWAYS_CHECKED)
        self.unknown: Counter[ImageFilter] = Counter()

    def should_keep_image(self, image: FoundImage) -> bool:
        verdicts = {name: self._check_filter(name, image) for name in self._checked}
        if False in verdicts.values():
            return False
        self.unknown.update(name for name in self._later if verdicts[name] is None)
        return True

    def _check_filter(self, name: ImageFilter, image: FoundImage) -> bool | None:
        """Whether the image passes; None if the provider does not state what it depends on."""
        if name is ImageFilter.SITES:
            host = addresses.extract_host(image.context or image.link)
            return any(addresses.is_within_domain(host, site) for site in self._query.sites)
        if name is ImageFilter.SIZE:
            return _has_size(image, self._query.size or "")
        found = find_media_type(image)
        if found is None:
            return None
        if name is ImageFilter.FILE_TYPE:
            return found == _MEDIA_TYPES_BY_ENDING.get(self._query.file_type or "")
        return found in _MEDIA_TYPES_BY_KIND.get(self._query.type or "", ())


def find_media_type(image: FoundImage) -> str | None:
    """The media type that the provider states, or the one that the address ends with."""
    if image.media_type:
        return image.media_type
    path = image.link.partition("?")[0].partition("#")[0].lower()
    return _MEDIA_TYPES_BY_ENDING.get(path.rpartition(".")[2])


def build_image_reports(
    shares: ImageShares, spec: ProviderSpec, unknown: Counter[ImageFilter]
) -> tuple[FilterReport, ...]:
    """One report for each filter: who applied it to this provider's images, and how."""
    rows = [FilterReport(filter=name.value, by=spec.name) for name in shares.native]
    for name in shares.afterwards:
        kept = f"; {unknown[name]} that do not state it were kept" if unknown[name] else ""
        note = f"Images of {spec.title} were {_CHECKS[name]}{kept}."
        rows.append(FilterReport(filter=name.value, by=APPLIED_AFTERWARDS, note=note))
    rows += [
        FilterReport(
            filter=name.value, by=APPLIED_BY_NOBODY, note=f"{spec.title} has no such filter."
        )
        for name in shares.unapplied
    ]
    return tuple(sorted(rows, key=lambda row: row.filter))


def _knows_value(spec: ProviderSpec, name: ImageFilter, query: ImageQuery) -> bool:
    values = spec.image_filters.get(name)
    if values is None:
        return False
    return not values or getattr(query, _DEFAULTS[name][0]) in values


def _has_size(image: FoundImage, size: str) -> bool | None:
    if not image.width or not image.height or min(image.width, image.height) < 1:
        return None
    least, most = PIXELS_BY_SIZE[size]
    pixels = image.width * image.height
    return pixels >= least and (most is None or pixels <= most)


class ThumbnailFetcher:
    def __init__(self, sender: RequestSender) -> None:
        self._sender = sender

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.network.client)

    async def fetch_thumbnails(self, links: Sequence[str | None]) -> list[bytes | None]:
        """The bytes of each preview; None for one that is absent, too large, too slow or no image."""
        slots = asyncio.Semaphore(_MAX_PARALLEL_THUMBNAILS)

        async def fetch_one(link: str | None) -> bytes | None:
            async with slots:
                return await self._fetch_thumbnail(link) if link else None

        return await asyncio.gather(*map(fetch_one, links))

    async def _fetch_thumbnail(self, link: str) -> bytes | None:
        request = HttpRequest(
            url=link, timeout=_THUMBNAIL_SECONDS, max_bytes=_MAX_THUMBNAIL_BYTES, page=True
        )
        try:
            response = await self._sender.send_request(request)
        except CitewellError:
            return None
        is_image = response.body.startswith(_IMAGE_SIGNATURES)
        return response.body if response.status == _HTTP_OK and is_image else None
