"""Reads old PowerPoint presentations (PPT): the text of each slide, in order, and its notes."""

from __future__ import annotations

from citewell.fetch.documents.document_text import Broken, ParsedDocument
from citewell.fetch.documents.markdown_tables import format_markdown_cell, render_markdown_table
from citewell.fetch.documents.office.legacy.legacy_slide_records import (
    LegacyShape,
    LegacySlide,
    SlideRecords,
)
from citewell.fetch.documents.office.legacy.ole_documents import open_ole_document
from citewell.fetch.documents.office.legacy.ole_properties import read_ole_properties
from citewell.fetch.documents.page_ranges import choose_pages
from citewell.fetch.markdown.markdown_text import (
    escape_line_starts,
    escape_markdown,
    squeeze_spaces,
)
from citewell.model.counted_words import pluralize

_TITLE_KINDS = frozenset({0, 6})
_BODY_KINDS = frozenset({1, 5, 7, 8})
_FIELD_PLACEHOLDERS = frozenset({"*", "\u2039#\u203a"})  # a date, footer or number filled in later


def read_ppt(body: bytes, pages: str | None) -> ParsedDocument:
    container = open_ole_document(body)
    slides = SlideRecords(container).read_slides()
    if not slides:
        raise Broken("The PowerPoint document has no slides that can be read.")
    shown = [slide for slide in slides if not slide.is_hidden]
    chosen = choose_pages(pages, len(shown)) if shown else []
    about = read_ole_properties(container)
    hidden = len(slides) - len(shown)
    notes = (
        (f"{hidden} {pluralize(hidden, 'hidden slide was', 'hidden slides were')} left out.",)
        if hidden
        else ()
    )
    markdown = "\n\n".join(_render_legacy_slide(shown[place], place + 1) for place in chosen)
    return ParsedDocument(markdown=markdown, title=about.title, author=about.author,
                  created=about.created, page_count=len(shown), notes=notes)  # fmt: skip


def _render_legacy_slide(slide: LegacySlide, number: int) -> str:
    title = ""
    blocks: list[str] = []
    for shape in sorted(slide.shapes, key=lambda one: one.place):
        if shape.rows:
            rows = [[format_markdown_cell(_join_lines(cell)) for cell in row] for row in shape.rows]
            blocks.append(render_markdown_table(rows))
        elif shape.text_kind in _TITLE_KINDS and not title:
            title = _join_lines(shape.text)
        else:
            blocks += _render_shape_lines(shape)
    heading = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    said = _join_lines(slide.notes)
    return "\n\n".join([heading, *filter(None, blocks), *([f"> Notes: {said}"] if said else [])])


def _render_shape_lines(shape: LegacyShape) -> list[str]:
    lines = _split_lines(shape.text)
    if shape.text_kind in _BODY_KINDS and len(lines) > 1:
        return ["\n".join(f"- {line}" for line in lines)]
    return [escape_line_starts(line) for line in lines]


def _split_lines(text: str) -> list[str]:
    lines = (squeeze_spaces(line.replace("\x0b", " ")).strip() for line in text.split("\r"))
    return [escape_markdown(line) for line in lines if line and line not in _FIELD_PLACEHOLDERS]


def _join_lines(text: str) -> str:
    return " ".join(_split_lines(text))
