"""Writing systems: scripts without spaces, and the scripts of single languages."""

from __future__ import annotations

import re

# Scripts without spaces between words, and Hangul, whose particles are attached to the word.
UNSPACED_SCRIPT_RANGES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_SCRIPT_RANGES_BY_LANGUAGE = {
    "ar": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
    "bg": "\u0400-\u04ff",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "fa": "\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufeff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "hy": "\u0530-\u058f",
    "ja": "\u3040-\u30ff\uff66-\uff9f",
    "ka": "\u10a0-\u10ff",
    "ko": "\uac00-\ud7af\u1100-\u11ff",
    "ru": "\u0400-\u04ff",
    "th": "\u0e00-\u0e7f",
    "uk": "\u0400-\u04ff",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
}
_LETTER_PATTERN = re.compile(r"[^\W\d_]")
_MIN_JUDGED_LETTERS = 12  # letters; a shorter text is not judged
_MIN_SCRIPT_SHARE = 0.15  # of the letters must be of the script; titles quote Latin names


def has_distinctive_script(language: str) -> bool:
    """Whether the script alone distinguishes this language from most others."""
    return language[:2] in _SCRIPT_RANGES_BY_LANGUAGE


def can_be_written_in(text: str, language: str) -> bool:
    """Whether the script of `text` allows `language`; always true for short texts.

    Raises KeyError for a language without a distinctive script.
    """
    letters = len(_LETTER_PATTERN.findall(text))
    if letters < _MIN_JUDGED_LETTERS:
        return True
    found = len(re.findall(f"[{_SCRIPT_RANGES_BY_LANGUAGE[language[:2]]}]", text))
    return found >= _MIN_SCRIPT_SHARE * letters
