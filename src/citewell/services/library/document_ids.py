"""Ids of library documents: always the same for the same file or address."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.text.web import addresses

_DOCUMENT_ID_PATTERN = re.compile(LIBRARY_ID_PREFIX + r"[0-9a-f]{32}")


def build_file_id(path: Path) -> str:
    """An id from the file's path, which cannot be read back from it."""
    return _hash_document_id(b"file\0" + os.fsencode(path))


def build_address_id(url: str) -> str:
    """One id per page, the same for http and https, and with or without tracking parameters."""
    return _hash_document_id(
        b"web\0" + addresses.build_page_key(url).encode("utf-8", "surrogatepass")
    )


def is_document_id(text: str) -> bool:
    return _DOCUMENT_ID_PATTERN.fullmatch(text) is not None


def _hash_document_id(source: bytes) -> str:
    return LIBRARY_ID_PREFIX + hashlib.sha256(source).hexdigest()[:32]
