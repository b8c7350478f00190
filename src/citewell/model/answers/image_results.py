"""Images as callers receive them, with the field names of spec 1 and the licence where it is stated."""

from __future__ import annotations

from pydantic import Field

from citewell.model.search_results import EmptySearchHints, FilterReport
from citewell.model.wire_values import UNTRUSTED_LABEL, Body, Spine, WireValue


class ImageResult(WireValue):
    """One image; what the provider does not state is absent."""

    title: str
    link: str  # the image itself
    display_link: str  # the host of the page, or of the image
    thumbnail_link: str | None = None
    context_link: str | None = None  # the page that shows it
    width: int | None = None
    height: int | None = None
    file_size: str | None = None
    license: str | None = None
    license_url: str | None = None
    author: str | None = None
    attribution: str | None = None  # to print beside the image


class ImagesAnswer(WireValue):
    """What image_search returns."""

    images: Body[tuple[ImageResult, ...]]
    query: str
    result_count: int
    hints: EmptySearchHints | None = None
    requested_num_results: int | None = None  # if more were requested than possible
    filters: Spine[tuple[FilterReport, ...]] | None = None
    notes: tuple[str, ...] | None = None
    trust: str = Field(default=UNTRUSTED_LABEL)
