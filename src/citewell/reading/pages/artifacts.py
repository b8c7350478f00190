"""Large stored results (artifacts), read page by page or by section, and deleted when they expire; their media types."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Self

from citewell.core.errors import InvalidInput
from citewell.core.service_kit import ServiceKit
from citewell.core.tooling import Owner
from citewell.core.values.wire_values import UNTRUSTED_LABEL, TextSection, WireValue
from citewell.store.cache.artifact_store import ArtifactStore, ExpirySweep
from citewell.text.passages.markdown_blocks import PlacedHeading, list_headings, render_plain_text

MAX_LISTED_SECTIONS = 50
_MAX_NAMED_SECTIONS = 12  # in an error
_MAX_TITLE_CHARS = 100

ARTIFACT_URI_PREFIX = "research://artifact/"
PLAIN_TEXT = "text/plain"
_MEDIA_TYPE_PATTERN = re.compile(r"[a-z]+/[a-z0-9.+_-]{1,100}")
_TEXTUAL_TYPES = ("application/json", "application/xml", "application/javascript")
_TEXTUAL_SUFFIXES = ("+json", "+xml")
_DOCUMENT_TYPES = {
    "markdown": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl-json": "application/vnd.citationstyles.csl+json",
}


class ArtifactUpkeep:
    def __init__(self, delete_expired: Callable[[], Awaitable[int]]) -> None:
        """`delete_expired` does nothing while another process does it."""
        self._sweep = ExpirySweep(delete_expired)

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.store.sweep_artifact_objects)

    def keep_sweeping(self) -> None:
        self._sweep.keep_sweeping()

    async def aclose(self) -> None:
        await self._sweep.aclose()


# Large stored results (artifacts), read whole or page by page.


class ArtifactPage(WireValue):
    id: str
    mime_type: str
    content: str
    offset: int
    next_offset: int | None = None  # absent on the last page
    total_length: int
    sections: tuple[TextSection, ...] | None = None  # on the first page, if there are more
    trust: str = UNTRUSTED_LABEL


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPage:
    """A part of a text; offsets count characters, and all pages joined give the whole text."""

    text: str
    offset: int
    next_offset: int | None  # None on the last page
    total_characters: int


def cut_text_page(text: str, offset: int, size: int) -> TextPage:
    """At most `size` characters from `offset`, cut after a paragraph, sentence or word if possible."""
    from citewell.text.truncation import cut_body

    start, most = min(max(offset, 0), len(text)), max(size, 1)
    shown = cut_body(text[start : start + most + 1], most).text
    end = start + len(shown)
    return TextPage(
        text=shown,
        offset=start,
        next_offset=end if end < len(text) else None,
        total_characters=len(text),
    )


class ArtifactReader:
    def __init__(self, artifacts: ArtifactStore) -> None:
        self._artifacts = artifacts

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.store.artifacts)

    async def read_whole_artifact(self, owner: Owner, artifact_id: str) -> tuple[str, str]:
        """The text and its media type; raises NotFound if it has expired or belongs to another owner."""
        stored = await self._artifacts.load_artifact(
            str(owner), artifact_id.removeprefix(ARTIFACT_URI_PREFIX)
        )
        return stored.body.decode("utf-8", "replace"), stored.artifact.media_type

    async def read_artifact_page(
        self, owner: Owner, artifact_id: str, *, offset: int, size: int, section: str | None = None
    ) -> ArtifactPage:
        """A page from `offset` on, or of the section with this heading."""
        # Imported here, because a server that starts loads this module.

        text, mime = await self.read_whole_artifact(owner, artifact_id)
        if offset and section:
            raise InvalidInput("Give offset or section, not both.")
        start, end = find_section(text, section) if section else (offset, len(text))
        part = cut_text_page(text, start, min(size, max(1, end - start)))
        is_first = part.offset == 0 and part.next_offset is not None
        return ArtifactPage(
            id=artifact_id.removeprefix(ARTIFACT_URI_PREFIX),
            mime_type=mime,
            content=part.text,
            offset=part.offset,
            next_offset=part.next_offset,
            total_length=part.total_characters,
            sections=(list_sections(text) or None) if is_first else None,
        )


# The sections of a markdown text, so that a caller can read on where it wants to.


def list_sections(text: str) -> tuple[TextSection, ...]:
    """The sections in text order; of a text with very many only the upper levels."""
    headings = list_headings(text)
    depth = max((len(heading.path) for heading in headings), default=0)
    while depth > 1 and sum(len(row.path) <= depth for row in headings) > MAX_LISTED_SECTIONS:
        depth -= 1
    return tuple(
        TextSection(title=_name_section(heading), offset=heading.start)
        for heading in headings
        if len(heading.path) <= depth
    )[:MAX_LISTED_SECTIONS]


def find_section(text: str, title: str) -> tuple[int, int]:
    """Where the section with this heading begins and ends, with its subsections.

    Raises InvalidInput if no heading is called so.
    """
    headings = list_headings(text)
    wanted = _fold_section_title(title)
    for place, heading in enumerate(headings):
        if _fold_section_title(_name_section(heading)) == wanted:
            later = (row for row in headings[place + 1 :] if len(row.path) <= len(heading.path))
            return heading.start, next((row.start for row in later), len(text))
    names = [repr(_name_section(heading)) for heading in headings[:_MAX_NAMED_SECTIONS]]
    more = f" and {len(headings) - len(names)} more" if len(headings) > len(names) else ""
    known = f"It has {', '.join(names)}{more}" if names else "It has no headings: use offset"
    raise InvalidInput(f"The text has no section {title[:_MAX_TITLE_CHARS]!r}. {known}.")


def _name_section(heading: PlacedHeading) -> str:
    return render_plain_text(heading.path[-1])[:_MAX_TITLE_CHARS]


def _fold_section_title(title: str) -> str:
    return " ".join(title.lstrip("# ").casefold().split())


def find_text_media_type(content_type: str) -> str:
    """The media type in a Content-Type header, if it is one of texts; otherwise plain text."""
    essence = content_type.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE_PATTERN.fullmatch(essence):
        return PLAIN_TEXT
    textual = essence.startswith("text/") or essence in _TEXTUAL_TYPES
    return essence if textual or essence.endswith(_TEXTUAL_SUFFIXES) else PLAIN_TEXT


def find_document_media_type(form: str) -> str:
    """The media type of an export or bibliography in this format; plain text if it has none."""
    return _DOCUMENT_TYPES.get(form, PLAIN_TEXT)
