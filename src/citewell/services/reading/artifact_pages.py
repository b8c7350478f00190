"""Large stored results (artifacts), read whole or page by page."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.errors import InvalidInput
from citewell.model.wire_values import UNTRUSTED_LABEL, TextSection, WireValue
from citewell.store.cache.artifact_store import ArtifactStore
from citewell.tooling import Owner

ARTIFACT_URI_PREFIX = "research://artifact/"


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
    from citewell.text.body_cuts import cut_body

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
        from citewell.services.reading.text_sections import find_section, list_sections

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
