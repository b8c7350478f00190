"""The fields of a note that is saved or shared, and their check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field

from citewell.errors import InvalidInput
from citewell.model.argument_bounds import check_declared_bounds
from citewell.model.argument_types import BLANK_IS_ABSENT
from citewell.model.counted_words import pluralize
from citewell.text.safety.invisible_characters import extract_visible_text

MAX_NOTE_CHARS = 10_000
MAX_TOPIC_CHARS = 200
MAX_URL_CHARS = 2048
MAX_TAGS = 20
MAX_TAG_CHARS = 100

TopicText = Annotated[str | None, Field(max_length=MAX_TOPIC_CHARS), BLANK_IS_ABSENT]


@dataclass(frozen=True, kw_only=True)
class NoteFields:
    """A finding with its source and tags, as the caller wrote it."""

    note: Annotated[str, Field(min_length=1, max_length=MAX_NOTE_CHARS)]
    url: Annotated[str | None, Field(max_length=MAX_URL_CHARS), BLANK_IS_ABSENT] = None
    tags: Annotated[tuple[str, ...], Field(max_length=MAX_TAGS)] = ()

    def check_fields(self) -> Self:
        """The visible text of the fields; raises InvalidInput for what cannot be kept."""
        check_declared_bounds(self)
        return replace(
            self,
            note=_check_note(self.note),
            url=_check_note_url(self.url),
            tags=_check_tags(self.tags),
        )


def _check_note(note: str) -> str:
    # Whoever reads it later must see all of it: hidden orders to a model are not kept.
    visible = extract_visible_text(note).strip()
    if not visible:
        raise InvalidInput("note has no visible character. Write the finding to keep.")
    return visible


def _check_note_url(url: str | None) -> str | None:
    given = (url or "").strip()
    if not given:
        return None
    try:
        parts = urlsplit(given)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable or not given.isprintable() or " " in given:
        raise InvalidInput("url must be the http or https address of a source.")
    return given


def _check_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    for tag in tags:
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidInput(
                f"One of the tags has {len(tag)} {pluralize(len(tag), 'character')}; {MAX_TAG_CHARS} is the maximum."
            )
    shown = (extract_visible_text(tag).strip() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in shown if tag))
