"""What a document of the library is called: the same name for the same file or address, for ever."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from citewell.services.library.asking import PREFIX
from citewell.text import urls

_ID = re.compile(r"library:[0-9a-f]{32}")


def of_file(path: Path) -> str:
    """By its place on this machine, which the name does not tell."""
    return _hashed(b"file\0" + os.fsencode(path))


def of_address(url: str) -> str:
    """One name for one page, over http or https and with or without trackers."""
    return _hashed(b"web\0" + urls.key(url).encode("utf-8", "surrogatepass"))


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def _hashed(source: bytes) -> str:
    return PREFIX + hashlib.sha256(source).hexdigest()[:32]
