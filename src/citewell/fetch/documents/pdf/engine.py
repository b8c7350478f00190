"""The PDF library and its C interface, which carry no types, in one place."""

from __future__ import annotations

from typing import Any

import pypdfium2  # type: ignore[import-untyped] # ships no types
import pypdfium2.raw  # type: ignore[import-untyped] # as above

C: Any = pypdfium2.raw
Document: Any = pypdfium2.PdfDocument
Failure: type[Exception] = pypdfium2.PdfiumError
