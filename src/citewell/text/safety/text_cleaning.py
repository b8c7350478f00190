"""Removes tags and the characters that a person cannot see but a model would read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.language.scripts import HAN_RANGES, RARE_HAN_RANGES

# Scripts whose letters change their shape next to a joiner.
_JOINING_SCRIPT_RANGES = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f"
    "\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9ff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010eff\U00011000-\U00011eff"
)
_EMOJI_RANGES = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_IDEOGRAPH_RANGES = f"\u2e80-\u2fdf{HAN_RANGES}{RARE_HAN_RANGES}"
_COMBINING_MARK_RANGES = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0f71-\u0f84\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_TAG_FLAGS_REGEX = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_MAX_COMBINING_MARKS = 8  # on one letter; Tibetan and pointed Hebrew have fewer

_VARIATION_SELECTOR_RANGES = "\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f"
_SELECTOR_RUN_REGEX = (
    f"(?=[{_VARIATION_SELECTOR_RANGES}])"
    f"((?<=[{_EMOJI_RANGES}0-9#*])[\ufe0e\ufe0f]"
    f"|(?<=[{_IDEOGRAPH_RANGES}\u2200-\u22ff\u3000-\u303f\u1000-\u109f\ua840-\ua877\uff01-\uff1f])[\ufe00-\ufe02]"
    f"|(?<=[{_IDEOGRAPH_RANGES}])[\U000e0100-\U000e01ef]"
    f"|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f])?[{_VARIATION_SELECTOR_RANGES}]*"
)
_JOINER_RUN_REGEX = (
    f"(?=[\u200c\u200d])((?<=[{_JOINING_SCRIPT_RANGES}])\u200c(?=[\u200c\u200d]*[{_JOINING_SCRIPT_RANGES}])|(?<=[{_JOINING_SCRIPT_RANGES}])\u200d"
    f"|(?<=[{_EMOJI_RANGES}\ufe0f\U000e007f])\u200d(?=[\u200c\u200d]*[{_EMOJI_RANGES}]))?[\u200c\u200d]*"
)
# Kind, characters that trigger the rule, and the pattern to remove, except for its first group.
# The order matters: removing one kind can change which characters of the next are needed.
_INVISIBLE_KIND_ROWS = (
    ("surrogates", "\ud800-\udfff", ""),
    ("controls", "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff", ""),
    ("privateUse", "\ue000-\uf8ff\U000f0000-\U0010ffff", ""),
    ("bidi", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f", ""),
    ("softHyphens", "\u00ad", ""),
    ("annotations", "\ufff0-\ufffb", ""),
    ("invisibleMath", "\u2061-\u2065", ""),
    ("fillers", "\u115f\u1160\u17b4\u17b5\u3164\uffa0", ""),
    ("fillers", "\u2800", "()(?<![\u2800-\u28ff])\u2800+(?![\u2800-\u28ff])"),
    ("zeroWidth", "\u180e\u200b\u2060\ufeff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a", ""),
    ("zeroWidth", "\u034f", "()(?<![\u0591-\u05f4])\u034f+"),
    ("tags", "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff", f"({_TAG_FLAGS_REGEX})|[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+"),
    ("selectors", _VARIATION_SELECTOR_RANGES, _SELECTOR_RUN_REGEX),
    ("combining", _COMBINING_MARK_RANGES, f"([{_COMBINING_MARK_RANGES}]{{{_MAX_COMBINING_MARKS}}})[{_COMBINING_MARK_RANGES}]+"),
    ("zeroWidth", "\u200c\u200d", _JOINER_RUN_REGEX),
)  # fmt: skip
_SHAPING_CHARS_PATTERN = compile_on_use(f"()[\u200c\u200d{_VARIATION_SELECTOR_RANGES}]")
_ODD_BREAK_PATTERN = compile_on_use("[\x0b\x0c\x1c-\x1f\x85]")
_ODD_BREAK_TRANSLATION = str.maketrans(dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85", " "))
_MAX_CLEANING_ROUNDS = 6

# A tag starts with a letter, a slash or an exclamation mark: "a < b" and "x <3 y" are kept.
_COMMENT_PATTERN = compile_on_use(r"<!--.*?-->", re.DOTALL)
_HTML_TAG_PATTERN = compile_on_use(r"</?[A-Za-z][^<>]*>|<![A-Za-z][^<>]*>")
_BREAKING_TAG_PATTERN = compile_on_use(r"</?(?:br|p|div|li|tr|td|h[1-6])\b[^<>]*>", re.IGNORECASE)


def clean_markup(markup: str | None) -> str:
    """One line of cleaned text: no tags, entities decoded, no invisible characters, single spaces."""
    if not markup:
        return ""
    if "<" in markup:
        markup = _BREAKING_TAG_PATTERN.sub(" ", markup)
        end = markup.rfind("-->") + len("-->")
        if end >= len("-->"):  # a comment that never ends is kept, and not searched for its end
            markup = _COMMENT_PATTERN.sub("", markup[:end]) + markup[end:]
        markup = _HTML_TAG_PATTERN.sub("", markup)
    return " ".join(extract_visible_text(unescape(markup)).split())


# Removes characters that a person cannot see but a model would read, and counts them by kind.


class _InvisibleKind:
    __slots__ = ("calls", "goes", "name")

    def __init__(self, name: str, calls: str, goes: str) -> None:
        self.name = name
        self.calls = re.compile(f"[{calls}]")
        self.goes = re.compile(goes or f"()[{calls}]+")


_INVISIBLE_KINDS = tuple(_InvisibleKind(*kind) for kind in _INVISIBLE_KIND_ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleText:
    text: str
    # Kind to number of removed characters.
    removed_counts: Mapping[str, int] = field(default_factory=dict)


def strip_invisible_characters(text: str) -> VisibleText:
    """The visible text and the counts of removed characters; cleaning it again removes nothing."""
    if text.isascii() and text.isprintable():
        return VisibleText(text=text)
    counts: Counter[str] = Counter()
    text = text.translate(_ODD_BREAK_TRANSLATION) if _ODD_BREAK_PATTERN.search(text) else text
    for _ in range(_MAX_CLEANING_ROUNDS):
        before, text = text, _run_cleaning_round(text, counts)
        if text == before:
            return VisibleText(text=text, removed_counts=dict(counts))
    # Only text made to defeat the rounds gets here; it loses all joiners and selectors.
    text = _run_cleaning_round(
        _replace_with_first_group(_SHAPING_CHARS_PATTERN, text, counts, "selectors"), counts
    )
    return VisibleText(text=text, removed_counts=dict(counts))


def extract_visible_text(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return strip_invisible_characters(text).text


def _run_cleaning_round(text: str, counts: Counter[str]) -> str:
    alphabet = "".join(set(text))  # each distinct character once, to decide which rules to run
    for rule in _INVISIBLE_KINDS:
        if rule.calls.search(alphabet):
            text = _replace_with_first_group(rule.goes, text, counts, rule.name)
    return text


def _replace_with_first_group(
    pattern: re.Pattern[str], text: str, counts: Counter[str], kind: str
) -> str:
    """Replaces each match by its first group, the part to keep, and counts what was removed."""
    after = pattern.sub(lambda match: match[1] or "", text)
    if len(after) != len(text):
        counts[kind] += len(text) - len(after)
    return after
