"""Writing systems: scripts without spaces, and the scripts of single languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table

HAN_RANGES = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
RARE_HAN_RANGES = "\u3005-\u3007\U00020000-\U0003ffff"  # iteration marks, rare characters
KANA_RANGES = "\u3040-\u30ff"
HAN_KANA_RANGES = KANA_RANGES + HAN_RANGES
HANGUL_RANGES = "\uac00-\ud7af"
THAI_RANGES = "\u0e00-\u0e7f"
THAI_LAO_RANGES = "\u0e00-\u0eff"
CJK_RANGES = HAN_KANA_RANGES + HANGUL_RANGES
# Scripts without spaces between words, and Hangul, whose particles are attached to the word.
UNSPACED_SCRIPT_RANGES = (
    f"{THAI_LAO_RANGES}\u1000-\u109f\u1780-\u17ff{CJK_RANGES}{RARE_HAN_RANGES}\uff66-\uff9f"
)
UNSPACED_CHARACTER_PATTERN = compile_on_use(f"[{UNSPACED_SCRIPT_RANGES}]")
# Languages in which a word can be found anywhere in a sentence, not only between spaces.
UNSPACED_LANGUAGES = frozenset(("zh", "ja", "ko"))
_SCRIPT_RANGES_BY_LANGUAGE = {
    "ar": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff",
    "bg": "\u0400-\u04ff",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "fa": "\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufeff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "hy": "\u0530-\u058f",
    "ja": f"{KANA_RANGES}\uff66-\uff9f",
    "ka": "\u10a0-\u10ff",
    "ko": f"{HANGUL_RANGES}\u1100-\u11ff",
    "ru": "\u0400-\u04ff",
    "th": THAI_RANGES,
    "uk": "\u0400-\u04ff",
    "zh": HAN_RANGES,
}
_LATIN_LETTER_PATTERN = compile_on_use(r"[a-zà-öø-ÿ]", re.IGNORECASE)
_LETTER_PATTERN = compile_on_use(r"[^\W\d_]")
_MIN_JUDGED_LETTERS = 12  # letters; a shorter text is not judged
_MIN_SCRIPT_SHARE = 0.15  # of the letters must be of the script; titles quote Latin names


def classify_script(text: str) -> str:
    """`unspaced`, `latin` or `other`; names and titles in different scripts cannot be compared."""
    if UNSPACED_CHARACTER_PATTERN.search(text):
        return "unspaced"
    return "latin" if _LATIN_LETTER_PATTERN.search(unicodedata.normalize("NFKD", text)) else "other"


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


# The letters of each script, without its marks and digits, by which a language is detected.
@cache
def load_script_letters() -> dict[str, str]:
    return dict(load_table(__package__, "scripts")["script_letters"])
