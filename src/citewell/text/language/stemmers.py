"""Snowball stemmers by language, loaded on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

STEMMER_LANGUAGES = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip


@cache
def load_stemmer(language: str) -> Callable[[str], str]:
    """A function that stems one word; for a language without a stemmer it changes nothing."""
    name = STEMMER_LANGUAGES.get(language)
    if name is None:
        return str
    import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

    # 0 turns off its cache, because the callers cache stems themselves.
    found: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord
    return found
