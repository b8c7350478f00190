"""Characters that a reader cannot see but a model would: taken out, and counted by kind.

What shapes visible text stays: joiners in the scripts and emoji that need them, one variation
selector after a base that has variants, and the three subdivision flags that are spelt with tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# Scripts whose letters change shape around a joiner.
_JOINING = (
    "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1c4f"
    "\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9ff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010eff\U00011000-\U00011eff"
)
_PICTURE = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_IDEOGRAPH = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARK = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06dc\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u0f71-\u0f84\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_MOST_MARKS = 8  # on one letter; Tibetan and pointed Hebrew stay below

_SUSPECT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u202a-\u202e\u205f-\u206f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\ue000-\uf8ff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
    f"|[{_MARK}]{{{_MOST_MARKS + 1}}}"
)

# In the order they are taken out; what one removes may decide about the next.
_PLAIN = (
    ("surrogates", "[\ud800-\udfff]+"),
    ("controls", "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufdd0-\ufdef\ufffe\uffff]+"),
    ("privateUse", "[\ue000-\uf8ff\U000f0000-\U0010ffff]+"),
    ("bidi", "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]+"),
    ("softHyphens", "\u00ad+"),
    ("annotations", "[\ufff0-\ufffb]+"),
    ("invisibleMath", "[\u2061-\u2065]+"),
    ("fillers", "[\u115f\u1160\u17b4\u17b5\u3164\uffa0]+|(?<![\u2800-\u28ff])\u2800+(?![\u2800-\u28ff])"),
    ("zeroWidth", "[\u180e\u200b\u2060\ufeff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]+|(?<![\u0591-\u05f4])\u034f+"),
)  # fmt: skip
_DROPPED = tuple((kind, re.compile(pattern)) for kind, pattern in _PLAIN)
_SPACES = re.compile("[\x0b\x0c\x1c-\x1f\x85]+|[\u2000-\u200a\u205f\u3000]{6,}")
_TAGS = re.compile(f"({_FLAGS})|[\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+")
_SELECTORS = re.compile(
    "(?=[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f])"
    f"((?<=[{_PICTURE}0-9#*])[\ufe0e\ufe0f]"
    f"|(?<=[{_IDEOGRAPH}\u2200-\u22ff\u3000-\u303f\u1000-\u109f\ua840-\ua877\uff01-\uff1f])[\ufe00-\ufe02]"
    f"|(?<=[{_IDEOGRAPH}])[\U000e0100-\U000e01ef]"
    "|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f])?"
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f]*"
)
_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f]")
_FLOOD = re.compile(f"([{_MARK}]{{{_MOST_MARKS}}})[{_MARK}]+")
_JOINERS = re.compile(
    f"(?=[\u200c\u200d])((?<=[{_JOINING}])\u200c(?=[\u200c\u200d]*[{_JOINING}])|(?<=[{_JOINING}])\u200d"
    f"|(?<=[{_PICTURE}\ufe0f])\u200d(?=[\u200c\u200d]*[{_PICTURE}]))?[\u200c\u200d]*"
)
_JOINER = re.compile("[\u200c\u200d]")
_ROUNDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    text: str
    counts: Mapping[str, int] = field(default_factory=dict)  # kind to characters taken out


def cleanse(text: str) -> Cleaned:
    """The text a reader sees. A second cleaning finds nothing more."""
    if not _SUSPECT.search(text):
        return Cleaned(text=text)
    counts: Counter[str] = Counter()
    for _ in range(_ROUNDS):
        before, text = text, _once(text, counts)
        if text == before:
            return Cleaned(text=text, counts=dict(counts))
    # Only text built to outlast the rounds comes here; it loses every shaper.
    text = _drop(_SELECTOR, _drop(_JOINER, text, counts, "zeroWidth"), counts, "selectors")
    return Cleaned(text=_once(text, counts), counts=dict(counts))


def visible(text: str) -> str:
    return cleanse(text).text


def _once(text: str, counts: Counter[str]) -> str:
    for kind, pattern in _DROPPED:
        text = _drop(pattern, text, counts, kind)
    text = _SPACES.sub(" ", text)
    text = _keep_first(_TAGS, text, counts, "tags")
    if _SELECTOR.search(text):
        text = _keep_first(_SELECTORS, text, counts, "selectors")
    text = _keep_first(_FLOOD, text, counts, "combining")
    if _JOINER.search(text):
        text = _keep_first(_JOINERS, text, counts, "zeroWidth")
    return text


def _drop(pattern: re.Pattern[str], text: str, counts: Counter[str], kind: str) -> str:
    return _replace(pattern, text, counts, kind, lambda _: "")


def _keep_first(pattern: re.Pattern[str], text: str, counts: Counter[str], kind: str) -> str:
    """Each match gives way to its first group, the part that belongs there."""
    return _replace(pattern, text, counts, kind, lambda match: match[1] or "")


def _replace(
    pattern: re.Pattern[str],
    text: str,
    counts: Counter[str],
    kind: str,
    put: Callable[[re.Match[str]], str],
) -> str:
    after = pattern.sub(put, text)
    if len(after) != len(text):
        counts[kind] += len(text) - len(after)
    return after
