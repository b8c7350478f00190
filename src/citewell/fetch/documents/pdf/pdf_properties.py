"""Title, author and date that a PDF states about itself."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from citewell.fetch.documents.pdf.pdfium import PdfiumFailure

_PDF_DATE_PATTERN = re.compile(
    r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)
_EMPTY_PROPERTIES = frozenset({"untitled", "(unspecified)", "anonymous", "(anonymous)"})


class PdfProperties(NamedTuple):
    title: str | None = None
    author: str | None = None
    created: str | None = None
    unreadable: tuple[str, ...] = ()  # the names of properties that are stored but not legible


def read_pdf_properties(document: Any) -> PdfProperties:
    """What can be read of the properties; a property that cannot be is no reason to refuse the file."""
    values: dict[str, str] = {}
    unreadable: list[str] = []
    for name in ("Title", "Author", "CreationDate"):
        try:
            values[name] = document.get_metadata_value(name)
        except (PdfiumFailure, ValueError):
            unreadable.append(name)
    return PdfProperties(
        _clean_pdf_property(values.get("Title")),
        _clean_pdf_property(values.get("Author")),
        parse_pdf_date(values.get("CreationDate") or ""),
        tuple(unreadable),
    )


def _clean_pdf_property(value: str | None) -> str | None:
    text = " ".join((value or "").replace("\x00", "").replace("\ufffd", "").split())
    return text if text and text.lower() not in _EMPTY_PROPERTIES else None


def parse_pdf_date(text: str) -> str | None:
    """A PDF date as ISO 8601; None if the text is not a date."""
    match = _PDF_DATE_PATTERN.match(text.strip())
    if match is None:
        return None
    year, *rest = (int(part) if part else None for part in match.groups()[:6])
    month, day, hour, minute, second = rest
    try:
        made = datetime(
            year or 1,
            month or 1,
            day or 1,
            hour or 0,
            minute or 0,
            second or 0,
            tzinfo=_parse_pdf_timezone(match),
        )
    except ValueError:
        return None
    return made.isoformat() if hour is not None else made.date().isoformat()


def _parse_pdf_timezone(match: re.Match[str]) -> timezone:
    if not match[8]:
        return UTC
    offset = timedelta(hours=int(match[9]), minutes=int(match[10] or 0))
    if offset >= timedelta(hours=24):
        return UTC
    return timezone(offset if match[8] == "+" else -offset)
