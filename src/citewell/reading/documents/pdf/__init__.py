"""Reads PDF documents as markdown: words in reading order for every script, lines, tables, headings. Only this file imports pypdfium2 and its C interface, which have no type annotations."""

from __future__ import annotations

from typing import Any

import pypdfium2  # type: ignore[import-untyped] # ships no types
import pypdfium2.raw  # type: ignore[import-untyped] # as above

PDFIUM_API: Any = pypdfium2.raw
PdfiumDocument: Any = pypdfium2.PdfDocument
PdfiumFailure: type[Exception] = pypdfium2.PdfiumError
