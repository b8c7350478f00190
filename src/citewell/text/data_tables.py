"""Tables of words and names that are kept as JSON beside the module that uses them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def load_table(package: str | None, name: str) -> Any:
    """The content of `name`.json in the package. Read on first use, never at import."""
    file = resources.files(package or "citewell") / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def load_words(package: str | None, name: str, key: str) -> frozenset[str]:
    """The words that `name`.json in the package lists under a key."""
    return frozenset(load_table(package, name)[key])


def load_texts(package: str | None, name: str, key: str) -> Mapping[str, str]:
    """The texts that `name`.json in the package gives by name under a key."""
    texts: Mapping[str, str] = load_table(package, name)[key]
    return texts
