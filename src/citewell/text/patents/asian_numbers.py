"""Reads the numbers of the Japanese, Chinese and Korean offices, after their office code or title."""

from __future__ import annotations

import re

NumberParts = tuple[str, str | None, bool]  # serial, kind, and whether it is a filing's number

# A Japanese title says what was published; None is a kind that the title leaves open.
_JAPANESE_TITLES: dict[str, tuple[str | None, bool]] = {
    "特開": ("A", False),
    "特表": ("A", False),
    "再表": ("A1", False),
    "特公": (None, False),
    "特許": (None, False),
    "特願": (None, True),
    "実開": ("U", False),
    "実公": ("Y2", False),
    "実登": ("U", False),
    "実願": (None, True),
}
_ERA_LETTERS = {"明": "M", "大": "T", "昭": "S", "平": "H", "令": "R"}
_JAPANESE_TITLE_PATTERN = re.compile(
    r"(?:JP ?)?(特開|特表|再表|特公|特許|特願|実開|実公|実登|実願)(?:出願|番号)?第?"
    r"(?:([明大昭平令])(?:治|正|和|成)?)? ?(\d{1,7})(?:年? ?[-/.] ?(\d{1,6}))? ?号?(?:公報)?"
)
_JAPANESE_ERA_PATTERN = re.compile(r"([MTSHR])(?:(\d{1,2})[-/](\d{1,6})|(\d\d)(\d{1,6}))")
_JAPANESE_YEAR_PATTERN = re.compile(r"((?:19|20)\d\d)[-/]?(\d{1,6})")
_JAPANESE_LETTER_PATTERN = re.compile(
    r"([ABUY])-((?:19|20)\d\d[-/]?\d{1,6}|[MTSHR]?\d{1,2}-\d{1,6})"
)
_CHINESE_FILING_PATTERN = re.compile(r"((?:19|20)\d{10}|8[5-9]\d{6}|9\d{7}|0[0-3]\d{6})([\dX])?")
_KOREAN_TITLE_PATTERN = re.compile(
    r"(?:KR )?(등록특허|공개특허|등록실용신안|공개실용신안|특허|실용신안)(?:공보)? ?(?:제)? ?"
    r"((?:10|20)-(?:\d{4}-)?\d{7})(?:-?0000)?(?:호)?"
)
_KOREAN_YEAR_PATTERN = re.compile(r"(10|20|30)?-?((?:19|20)\d\d)-?(\d{7})")
_KOREAN_GRANT_PATTERN = re.compile(r"(10|20|30)-?(\d{7})(?:-?0000)?")
_KIND_END_PATTERN = re.compile(r"(.{1,30}?)-?([A-Z]\d?)")


def read_japanese_title(text: str) -> NumberParts | None:
    """A number under its Japanese title, such as 特開2018-5099 or 実公平2-46976."""
    found = _JAPANESE_TITLE_PATTERN.fullmatch(text)
    if found is None:
        return None
    title, era, first, second = found.groups()
    kind, is_filing = _JAPANESE_TITLES[title]
    if second is None:
        return (str(int(first)), kind, is_filing) if title in {"特許", "実登"} and not era else None
    if era:
        return f"{_ERA_LETTERS[era]}{int(first):02d}{second}", kind, is_filing
    return (f"{first}{int(second):06d}", kind, is_filing) if len(first) == 4 else None


def read_japanese_number(rest: str) -> NumberParts | None:
    """What stands after JP: a year or era with a number, or the number of a grant."""
    if lettered := _JAPANESE_LETTER_PATTERN.fullmatch(
        rest
    ):  # the older English form JP-A-2018-5099
        rest = lettered[2] + lettered[1]
    digits, kind = _split_kind_code(rest)
    if era := _JAPANESE_ERA_PATTERN.fullmatch(digits):
        letter, year, serial = era[1], era[2] or era[4], era[3] or era[5]
        return f"{letter}{int(year):02d}{serial}", kind, False
    digits = digits.replace(" ", "")
    is_dated = len(digits) > 7 or "-" in digits or "/" in digits  # no grant has more than 7 digits
    if is_dated and (found := _JAPANESE_YEAR_PATTERN.fullmatch(digits)):
        return f"{found[1]}{int(found[2]):06d}", kind, False
    plain = digits.replace("-", "")
    is_grant = plain.isascii() and plain.isdigit() and len(plain) <= 7 and int(plain) > 0
    return (str(int(plain)), kind, False) if is_grant else None


def read_chinese_number(rest: str) -> NumberParts | None:
    """What stands after CN: seven or nine digits, or the twelve of a filing with its check digit."""
    plain = rest.replace("-", "").replace("/", "")
    if plain[-1:] == "X" and (filing := _CHINESE_FILING_PATTERN.fullmatch(plain)):
        return filing[1], None, True
    digits, kind = _split_kind_code(plain)
    if not (digits.isascii() and digits.isdigit()):
        return None
    if len(digits) in {12, 13} and (filing := _CHINESE_FILING_PATTERN.fullmatch(digits)):
        return filing[1], None, True
    return (digits, kind, False) if len(digits) in {7, 8, 9} else None


def read_korean_title(text: str) -> NumberParts | None:
    """A number under its Korean title, such as 공개특허 10-2024-0056344."""
    found = _KOREAN_TITLE_PATTERN.fullmatch(text)
    parts = read_korean_number(found[2]) if found else None
    if found is None or parts is None:
        return None
    kinds = {"등록특허": "B1", "공개특허": "A", "등록실용신안": "Y1", "공개실용신안": "U"}
    return parts[0], kinds.get(found[1]), False


def read_korean_number(rest: str) -> NumberParts | None:
    """What stands after KR: a year and seven digits, or the right (10, 20, 30) and seven digits."""
    digits, kind = _split_kind_code(rest)
    if found := _KOREAN_YEAR_PATTERN.fullmatch(digits):
        return f"{found[2]}{found[3]}", kind, False
    if found := _KOREAN_GRANT_PATTERN.fullmatch(digits):
        return f"{found[1]}{found[2]}", kind, False
    plain = digits.replace("-", "")
    is_old = plain.isascii() and plain.isdigit() and len(plain) == 7
    return (plain, kind, False) if is_old else None


def _split_kind_code(rest: str) -> tuple[str, str | None]:
    found = _KIND_END_PATTERN.fullmatch(rest)
    return (found[1], found[2]) if found and found[1][-1].isdigit() else (rest, None)
