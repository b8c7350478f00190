"""Splits a reference list copied from a page, a manuscript or a PDF into single references."""

from __future__ import annotations

import re

from citewell.text.references.list_headings import is_references_heading
from citewell.text.references.splitting.list_items import (
    NumberedLine,
    ReferenceItem,
    join_wrapped_lines,
)
from citewell.text.references.splitting.numbered_lists import split_numbered_list
from citewell.text.references.splitting.page_furniture import (
    drop_page_furniture,
    split_text_columns,
)
from citewell.text.references.splitting.wrapped_lists import split_bulleted_list, split_plain_list

_MARKDOWN_HEADING_PATTERN = re.compile(r"#{1,6}\s")

__all__ = ["ReferenceItem", "join_wrapped_lines", "split_reference_items"]


def split_reference_items(text: str) -> list[ReferenceItem]:
    lines = _find_references_section(list(enumerate(text.split("\n"), start=1)))
    lines = drop_page_furniture(split_text_columns(lines))
    return split_numbered_list(lines) or split_bulleted_list(lines) or split_plain_list(lines)


def has_reference_heading(text: str) -> bool:
    """Whether a line of the text is the heading of a list of references."""
    return any(map(is_references_heading, text.split("\n")))


def _find_references_section(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines under the last heading for references; all lines if there is none."""
    headings = [place for place, (_, line) in enumerate(lines) if is_references_heading(line)]
    if not headings:
        return lines
    begin = headings[-1] + 1
    ends = (
        place
        for place in range(begin, len(lines))
        if _MARKDOWN_HEADING_PATTERN.match(lines[place][1])
    )
    return lines[begin : next(ends, len(lines))]
