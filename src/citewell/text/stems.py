"""The stemmers, one for each language that has one; they load on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

STEMMED = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """What takes the ending off a word; words of other languages stay as they are."""
    name = STEMMED.get(language)
    if name is None:
        return str
    import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

    # Its own cache would only hold what the callers keep already.
    found: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord
    return found
