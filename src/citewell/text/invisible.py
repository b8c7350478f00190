"""Characters that a reader cannot see but a model would: taken out, and counted by kind.

What shapes visible text stays: joiners in the scripts and emoji that need them, one variation
selector after a base that has variants, and the three subdivision flags that are spelt with tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

# Scripts whose letters change shape around a joiner.
_JOINING = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f"
    "\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9ff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010eff\U00011000-\U00011eff"
)
_PICTURE = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_IDEOGRAPH = (
    "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARK = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0f71-\u0f84\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_MOST_MARKS = 8  # on one letter; Tibetan and pointed Hebrew stay below

_SELECT = "\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f"
_ONE_SELECTOR = (
    f"(?=[{_SELECT}])"
    f"((?<=[{_PICTURE}0-9#*])[\ufe0e\ufe0f]"
    f"|(?<=[{_IDEOGRAPH}\u2200-\u22ff\u3000-\u303f\u1000-\u109f\ua840-\ua877\uff01-\uff1f])[\ufe00-\ufe02]"
    f"|(?<=[{_IDEOGRAPH}])[\U000e0100-\U000e01ef]"
    f"|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f])?[{_SELECT}]*"
)
_ONE_JOINER = (
    f"(?=[\u200c\u200d])((?<=[{_JOINING}])\u200c(?=[\u200c\u200d]*[{_JOINING}])|(?<=[{_JOINING}])\u200d"
    f"|(?<=[{_PICTURE}\ufe0f\U000e007f])\u200d(?=[\u200c\u200d]*[{_PICTURE}]))?[\u200c\u200d]*"
)
# A kind, the characters that call for a look, and what then goes but for the first group;
# in this order, because what one takes out may decide about the next.
_KINDS = (
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
    ("tags", "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff", f"({_FLAGS})|[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+"),
    ("selectors", _SELECT, _ONE_SELECTOR),
    ("combining", _MARK, f"([{_MARK}]{{{_MOST_MARKS}}})[{_MARK}]+"),
    ("zeroWidth", "\u200c\u200d", _ONE_JOINER),
)  # fmt: skip
_SHAPERS = re.compile(f"()[\u200c\u200d{_SELECT}]")
_ODD_BREAK = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_ODD_BREAKS = str.maketrans(dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x1f\x85", " "))
_ROUNDS = 6


class _Kind:
    __slots__ = ("calls", "goes", "name")

    def __init__(self, name: str, calls: str, goes: str) -> None:
        self.name = name
        self.calls = re.compile(f"[{calls}]")
        self.goes = re.compile(goes or f"()[{calls}]+")


_RULES = tuple(_Kind(*kind) for kind in _KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    text: str
    counts: Mapping[str, int] = field(default_factory=dict)  # kind to characters taken out


def cleanse(text: str) -> Cleaned:
    """The text a reader sees. A second cleaning finds nothing more."""
    if text.isascii() and text.isprintable():
        return Cleaned(text=text)
    counts: Counter[str] = Counter()
    text = text.translate(_ODD_BREAKS) if _ODD_BREAK.search(text) else text
    for _ in range(_ROUNDS):
        before, text = text, _once(text, counts)
        if text == before:
            return Cleaned(text=text, counts=dict(counts))
    # Only text built to outlast the rounds comes here; it loses every shaper.
    text = _once(_thin(_SHAPERS, text, counts, "selectors"), counts)
    return Cleaned(text=text, counts=dict(counts))


def visible(text: str) -> str:
    return cleanse(text).text


def _once(text: str, counts: Counter[str]) -> str:
    alphabet = "".join(set(text))  # a look at each character once decides which rules to run
    for rule in _RULES:
        if rule.calls.search(alphabet):
            text = _thin(rule.goes, text, counts, rule.name)
    return text


def _thin(pattern: re.Pattern[str], text: str, counts: Counter[str], kind: str) -> str:
    """Each match gives way to its first group, the part that belongs there."""
    after = pattern.sub(lambda match: match[1] or "", text)
    if len(after) != len(text):
        counts[kind] += len(text) - len(after)
    return after
