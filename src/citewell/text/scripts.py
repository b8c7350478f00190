"""Which writing system a text is in, and what follows from it."""

from __future__ import annotations

import re

# Scripts written without spaces between words, and Hangul, whose particles cling to the word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_RANGES = {
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
_LETTER = re.compile(r"[^\W\d_]")
_ENOUGH = 12  # letters below which a text says nothing of its language
_SHARE = 0.15  # titles quote Latin names; less than this of the script is another language


def telling(language: str) -> bool:
    """Whether the script alone tells this language from most others."""
    return language[:2] in _RANGES


def written_in(text: str, language: str) -> bool:
    """Whether `text` may be in `language`; short texts get the benefit of the doubt."""
    letters = len(_LETTER.findall(text))
    if letters < _ENOUGH:
        return True
    found = len(re.findall(f"[{_RANGES[language[:2]]}]", text))
    return found >= _SHARE * letters
