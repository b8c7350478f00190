"""Which installed languages may stand on a page, by the script that it is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LANGUAGES = 3  # each makes recognition slower
_SCRIPT_PATTERN = re.compile(r"^Script: ([A-Za-z]+)", re.MULTILINE)
# Tesseract's names of languages that are not written in Latin letters.
_LANGUAGES_BY_SCRIPT = {
    "Arabic": ("ara", "fas", "urd", "pus", "snd", "uig"),
    "Armenian": ("hye",),
    "Bengali": ("ben", "asm"),
    "Cyrillic": ("rus", "ukr", "bul", "bel", "srp", "mkd", "kaz", "kir", "tgk", "tat", "mon"),
    "Devanagari": ("hin", "mar", "nep", "san"),
    "Ethiopic": ("amh", "tir"),
    "Georgian": ("kat",),
    "Greek": ("ell", "grc"),
    "Gujarati": ("guj",),
    "Gurmukhi": ("pan",),
    "Han": ("chi_sim", "chi_tra", "jpn"),
    "Hangul": ("kor",),
    "Hebrew": ("heb", "yid"),
    "Hiragana": ("jpn",),
    "Japanese": ("jpn",),
    "Kannada": ("kan",),
    "Katakana": ("jpn",),
    "Khmer": ("khm",),
    "Korean": ("kor",),
    "Lao": ("lao",),
    "Malayalam": ("mal",),
    "Myanmar": ("mya",),
    "Sinhala": ("sin",),
    "Tamil": ("tam",),
    "Telugu": ("tel",),
    "Thai": ("tha",),
    "Tibetan": ("bod",),
}
_NON_LATIN_LANGUAGES = frozenset(name for names in _LANGUAGES_BY_SCRIPT.values() for name in names)


def is_script_known(languages: Sequence[str]) -> bool:
    """Whether the languages share one script, so that the page need not be asked for its own."""
    return len(languages) < 2 or not _NON_LATIN_LANGUAGES.intersection(languages)


def choose_script_languages(languages: Sequence[str], report: str) -> str:
    """The languages of the script that tesseract reports, as it takes them: `eng+deu`.

    All installed ones, up to a limit, if it reports none, or one that no installed language has.
    """
    found = _SCRIPT_PATTERN.search(report)
    script = found[1] if found else ""
    if script in _LANGUAGES_BY_SCRIPT:
        fitting = [name for name in _LANGUAGES_BY_SCRIPT[script] if name in languages]
    elif script:
        fitting = [name for name in languages if name not in _NON_LATIN_LANGUAGES]
    else:
        fitting = []
    return "+".join((fitting or list(languages))[:MAX_LANGUAGES])
