"""Reads a draft that a test gives as text."""

from __future__ import annotations

from citewell.drafts.draft import Draft
from citewell.drafts.draft_reading import DraftSource, read_draft_source


def read_draft(
    text: str,
    *,
    format: str = "auto",  # noqa: A002 - the word callers know
    bibliography: str = "",
    name: str = "",
) -> Draft:
    return read_draft_source(
        DraftSource(text=text, format=format, bibliography=bibliography, name=name)
    )
