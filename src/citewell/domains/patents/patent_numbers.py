"""Parses patent numbers in the forms that offices, databases and people write, into one form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

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


PATENT_OFFICES = ("US", "EP", "WO", "JP", "CN", "KR")
_MAX_NUMBER_CHARS = 60
_FIRST_US_GRANT_WITH_B = 6_167_569  # issued on 2001-01-02; older grants have the kind A
_FIRST_SIX_DIGIT_WO = 51_231  # of 2002, when serial numbers grew from five digits to six
_MAX_DIGITS_BY_DEFAULT = 14

# Words around a number, as in "U.S. Patent Application Publication No. 2014/0131102".
_NUMBER_WORDS_PATTERN = re.compile(
    r"\b(?:PATENTS?|PAT|PUBLICATION|PUBL|PUB|APPLICATION|APPL|APP|SER|SERIAL|NO|NR|NUMBER)\b\.?"
)
_DASH_PATTERN = re.compile(r"[\u2010-\u2015\u2212\uff0d]")
_SEPARATOR_PATTERN = re.compile(r"[\s,.'\u2019_]")
_PCT_PATTERN = re.compile(r"PCT[/-]?([A-Z]{2})[/-]?((?:19|20)?\d\d)[/-]?(\d{5,6})")
_EPODOC_PCT_PATTERN = re.compile(r"WO((?:19|20)\d\d)([A-Z]{2})(\d{5,6})[A-Z]?")
_WHOLE_PATTERN = re.compile(r"([A-Z]{2})[-/]?(.{1,30})")
_KIND_PATTERN = re.compile(r"(.{1,30}?)[-/]?([A-Z]\d?)")
_US_PATTERN = re.compile(r"(RE|PP|AI|RX|[DHTX])?[-/]?(\d{1,12})")
_US_SERIAL_PATTERN = re.compile(r"(\d\d)/(\d{6})")
_EP_FILING_PATTERN = re.compile(r"(\d{8})[.,]?\d?|((?:19|20)\d{9})")
_WO_PATTERN = re.compile(r"((?:19|20)\d\d)[/-]?(\d{5,6})|(\d\d)[/-]?(\d{5,6})")
_WO_SHORT_PATTERN = re.compile(r"((?:19|20)?\d\d)[/-](\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentNumber:
    """The number of a publication, or of a filing if `is_filing`; `kind` is None if it was not given."""

    office: str
    serial: str
    kind: str | None = None
    is_filing: bool = False

    @property
    def normalized(self) -> str:
        """The form that Google Patents uses: US10165245B2, WO2001043571A1, JP2018005099A."""
        if self.serial.startswith("PCT/"):
            return self.serial
        return f"{self.office}{self.serial}{self.kind or ''}"

    @property
    def base(self) -> str:
        """The number without its kind, which all publications of one filing share at some offices."""
        return f"{self.office}{self.serial}"


def parse_patent_number(text: str, *, office: str | None = None) -> PatentNumber | None:
    """The number that the whole text is; None if it is anything else.

    `office` is assumed for a number without an office of its own, such as 10,165,245.
    """
    folded = unicodedata.normalize("NFKC", text[: 4 * _MAX_NUMBER_CHARS]).upper()
    folded = _DASH_PATTERN.sub("-", folded).replace("U.S.", "US ").replace("#", " ")
    cleaned = " ".join(folded.split())
    if not cleaned or len(cleaned) > _MAX_NUMBER_CHARS:
        return None
    if titled := read_japanese_title(cleaned):
        return _build_number("JP", titled)
    if titled := read_korean_title(cleaned):
        return _build_number("KR", titled)
    bare = _NUMBER_WORDS_PATTERN.sub(" ", cleaned)
    dotted = _SEPARATOR_PATTERN.sub(lambda found: "." if found[0] == "." else "", bare).strip(".")
    plain = dotted.replace(".", "")
    if found := _read_pct_number(plain):
        return found
    if not plain[:2].isalpha() and office:
        plain, dotted = office + plain, office + dotted
    if plain.startswith("ZL"):  # a Chinese patent by its filing number
        plain, dotted = "CN" + plain[2:], "CN" + dotted[2:]
    whole = _WHOLE_PATTERN.fullmatch(plain)
    if whole is None or not any(map(str.isdigit, plain)):
        return None
    read = _READERS.get(whole[1], _read_other_number)
    parts = read(whole[2]) or (_read_dotted_number(whole[1], dotted[2:]) if "." in dotted else None)
    return _build_number(whole[1], parts) if parts else None


def require_patent_number(text: str) -> PatentNumber:
    """The number; raises ValueError if the text is none, or is the number of a filing."""
    found = parse_patent_number(text)
    if found is None or found.is_filing:
        raise ValueError("not a publication number")
    return found


def list_kind_candidates(number: PatentNumber) -> tuple[PatentNumber, ...]:
    """The publications to look for, the likeliest first; the number itself if it has its kind."""
    if number.kind or number.is_filing:
        return (number,)
    choose = _KIND_CHOICES.get(number.office)
    kinds = choose(number.serial) if choose else ("B2", "B1", "A1", "A")
    return tuple(
        PatentNumber(office=number.office, serial=number.serial, kind=kind) for kind in kinds
    )


def format_docdb_number(number: PatentNumber) -> str:
    """The serial as the EPO's databases write it: US applications and old WO numbers are shorter there."""
    if number.office == "US" and len(number.serial) == 11:
        return number.serial[:4] + number.serial[5:]
    if number.office != "WO" or len(number.serial) != 10:
        return number.serial
    year, serial = int(number.serial[:4]), int(number.serial[4:])
    if year >= 2004:
        return number.serial
    has_six = year == 2003 or (year == 2002 and serial >= _FIRST_SIX_DIGIT_WO)
    return f"{year % 100:02d}{serial:0{6 if has_six else 5}d}"


def _build_number(office: str, parts: NumberParts) -> PatentNumber:
    serial, kind, is_filing = parts
    return PatentNumber(office=office, serial=serial, kind=kind, is_filing=is_filing)


def _split_kind(rest: str) -> tuple[str, str | None]:
    """The number without the kind code at its end, and the code."""
    found = _KIND_PATTERN.fullmatch(rest)
    return (found[1], found[2]) if found and found[1][-1].isdigit() else (rest, None)


def _read_pct_number(plain: str) -> PatentNumber | None:
    found = _PCT_PATTERN.fullmatch(plain)
    country, year, serial = (found[1], found[2], found[3]) if found else ("", "", "")
    if found is None and (epodoc := _EPODOC_PCT_PATTERN.fullmatch(plain)):
        year, country, serial = epodoc.groups()
    if not country:
        return None
    written = f"PCT/{country}{_widen_year(year)}/{int(serial):06d}"
    return PatentNumber(office="WO", serial=written, is_filing=True)


def _widen_year(year: str) -> int:
    """A year of two digits as four; the PCT began in 1978."""
    number = int(year)
    return number if number > 99 else number + (1900 if number >= 78 else 2000)


def _read_us_number(rest: str) -> NumberParts | None:
    if serial := _US_SERIAL_PATTERN.fullmatch(rest):
        return f"{serial[1]}/{serial[2]}", None, True
    digits_and_prefix, kind = _split_kind(rest.replace("-", "").replace("/", ""))
    found = _US_PATTERN.fullmatch(digits_and_prefix)
    if found is None:
        return None
    prefix, digits = found[1] or "", found[2]
    if prefix or len(digits) <= 8:
        return (prefix + str(int(digits)), kind, False) if int(digits) else None
    if not digits.startswith("20"):
        return None
    if len(digits) == 12:  # a year and a serial number with its series, as in US201815919370
        return f"{digits[4:6]}/{digits[6:]}", None, True
    padded = digits if len(digits) == 11 else f"{digits[:4]}{int(digits[4:]):07d}"
    return padded, kind, False


def _read_ep_number(rest: str) -> NumberParts | None:
    digits, kind = _split_kind(rest)
    if digits.isascii() and digits.isdigit() and len(digits) <= 7:
        return (digits.zfill(7), kind, False) if int(digits) else None
    found = _EP_FILING_PATTERN.fullmatch(digits)
    return (found[1] or f"{found[2][2:4]}{found[2][5:]}", None, True) if found else None


def _read_wo_number(rest: str) -> NumberParts | None:
    digits, kind = _split_kind(rest)
    found = _WO_PATTERN.fullmatch(digits)
    if found:
        year, serial = (found[1], found[2]) if found[1] else (found[3], found[4])
    elif short := _WO_SHORT_PATTERN.fullmatch(digits):
        year, serial = short[1], short[2]
    else:
        return None
    return f"{_widen_year(year)}{int(serial):06d}", kind, False


def _read_other_number(rest: str) -> NumberParts | None:
    """A number of an office whose rules are not known here: its digits and kind as they are."""
    serial, kind = _split_kind(rest.replace("-", "").replace("/", ""))
    plain = serial.isascii() and serial.isdigit() and 4 <= len(serial) <= _MAX_DIGITS_BY_DEFAULT
    return (serial, kind, False) if plain else None


def _read_dotted_number(office: str, rest: str) -> NumberParts | None:
    """A filing number with a check digit after a point: EP99203729.2."""
    found = _EP_FILING_PATTERN.fullmatch(rest) if office == "EP" else None
    return (found[1], None, True) if found and found[1] else None


_READERS: dict[str, Callable[[str], NumberParts | None]] = {
    "US": _read_us_number,
    "EP": _read_ep_number,
    "WO": _read_wo_number,
    "JP": read_japanese_number,
    "CN": read_chinese_number,
    "KR": read_korean_number,
}

_US_PREFIX_KINDS = {
    "D": ("S1", "S"),
    "RE": ("E1", "E"),
    "PP": ("P2", "P3", "P"),
    "H": ("H1", "H"),
}


def _choose_us_kinds(serial: str) -> tuple[str, ...]:
    if not serial.isdigit():
        return _US_PREFIX_KINDS.get(serial.rstrip("0123456789"), ("A",))
    if len(serial) == 11:
        return ("A1", "A2", "A9")
    return ("B2", "B1") if int(serial) >= _FIRST_US_GRANT_WITH_B else ("A",)


def _choose_japanese_kinds(serial: str) -> tuple[str, ...]:
    if serial.isdigit() and len(serial) > 7:
        return ("A", "A1")
    return ("B2", "B1") if serial.isdigit() else ("A", "B2", "B1", "Y2")


def _choose_chinese_kinds(serial: str) -> tuple[str, ...]:
    if len(serial) == 9:
        return {"1": ("B", "A"), "2": ("U", "Y"), "3": ("S",)}.get(serial[0], ("A",))
    return {"1": ("C", "A"), "2": ("Y", "U"), "3": ("D", "S")}.get(serial[0], ("A", "B"))


def _choose_korean_kinds(serial: str) -> tuple[str, ...]:
    if len(serial) == 11:
        return ("A", "U")
    return {"10": ("B1",), "20": ("Y1",), "30": ("S",)}.get(serial[:2], ("B1", "Y1"))


_KIND_CHOICES: dict[str, Callable[[str], tuple[str, ...]]] = {
    "US": _choose_us_kinds,
    "EP": lambda _serial: ("B1", "A1", "A2"),
    "WO": lambda _serial: ("A1", "A2"),
    "JP": _choose_japanese_kinds,
    "CN": _choose_chinese_kinds,
    "KR": _choose_korean_kinds,
}
