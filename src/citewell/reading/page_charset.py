"""Decodes the bytes of a page: by byte order mark, header, meta element, then by statistics."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from citewell.text.data_tables import load_table

_MAX_SAMPLE_BYTES = 512 * 1024
_MAX_JUDGED_BYTES = 8 * 1024  # bytes of words beyond ASCII; more do not change the result
_UTF16_TAG = re.compile(rb"(?:\s\0)*<\0[!?a-z]\0|(?P<big>(?:\0\s)*\0<\0[!?a-z])", re.IGNORECASE)
_COMMON_PUNCTUATION = frozenset("’‘“”„‚–—…«»‹›•·©®™€°§£\u00a0‐")

_DECLARATION_BYTES = 4096  # a declaration has to be within these; browsers look at 1024 bytes
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,400}?charset\s*+=\s*+[\"']?\s*+([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_XML_ENCODING = re.compile(
    rb"<\?xml[^>]{0,200}?encoding\s*+=\s*+[\"']([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_HTML_LANG = re.compile(rb"<html[^>]{0,400}?\blang\s*+=\s*+[\"']?([A-Za-z]{2,3})", re.IGNORECASE)
_HEADER_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s;\"']+)", re.IGNORECASE)

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LATIN_CHARSETS = frozenset({"cp1252", "iso8859-15", "cp1250", "iso8859-2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    text: str
    charset: str
    basis: str  # bom, header, meta or statistics


def decode_body(body: bytes, *, content_type: str = "") -> DecodedText:
    """The text and its charset. Never raises: bytes that do not fit become replacement characters."""
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(charset, "replace")
            return DecodedText(text=text, charset=charset, basis="bom")
    declared = _find_declared_charsets(body, content_type)
    for charset, basis in declared:
        if _is_mislabelled_charset(body, charset):
            continue
        text = _decode_leniently(body, charset)
        if _is_plausible_decoding(text, body):
            return DecodedText(text=text, charset=charset, basis=basis)
    language = _HTML_LANG.search(body[:_DECLARATION_BYTES])
    declared_language = language[1].decode("ascii").lower() if language else None
    charset = guess_charset(body, language=declared_language)
    return DecodedText(text=_decode_leniently(body, charset), charset=charset, basis="statistics")


def resolve_charset_label(label: str) -> str | None:
    """Python's name for the charset that browsers take this label for; None if it is unknown."""
    table = load_table(__package__, "page_charset")
    try:
        given = label.strip().lower()
        # Python has no codec for some labels of the encoding standard under that name.
        name = codecs.lookup(table["charset_labels"].get(given, given)).name
    except (LookupError, ValueError):
        return None
    # Codecs such as hex, rot13 or unicode_escape are not charsets of pages.
    if name not in table["text_codecs"] and not name.startswith(("iso8859", "cp", "koi8", "mac-")):
        return None
    # Servers declare a small charset and send a larger one that contains it. Browsers decode the larger.
    wider: str = table["wider_charsets"].get(name, name)
    return wider


def _find_declared_charsets(body: bytes, content_type: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if header := _HEADER_CHARSET.search(content_type):
        found.append((resolve_charset_label(header[1]) or "", "header"))
    head = body[:_DECLARATION_BYTES]
    if meta := _META_CHARSET.search(head) or _XML_ENCODING.search(head):
        charset = resolve_charset_label(meta[1].decode("ascii")) or ""
        # A meta element that is readable as ASCII is not in UTF-16, whatever it says.
        found.append(("utf-8" if charset.startswith("utf-16") else charset, "meta"))
    return [(charset, basis) for charset, basis in found if charset]


def _is_mislabelled_charset(body: bytes, charset: str) -> bool:
    """Whether the body is valid UTF-8 but declared as Latin-1, the default of many servers.

    Latin-1 text is practically never valid UTF-8 by accident. The same check finds the escape
    sequences of ISO-2022-JP, which are valid in every charset that contains ASCII.
    """
    if body.isascii():
        return b"\x1b$" in body and charset in {"utf-8", "cp1252"}
    if charset not in _LATIN_CHARSETS:
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decode_leniently(body: bytes, charset: str) -> str:
    text = body.decode(charset, "replace")
    return text.removeprefix("\ufeff")


def _is_plausible_decoding(text: str, body: bytes) -> bool:
    """Whether so few bytes failed that the file is damaged rather than declared wrongly."""
    broken = text.count("\ufffd")
    if broken == 0:
        return True
    foreign = len(body) - len(body.translate(None, delete=bytes(range(128, 256))))
    return broken <= 2 + foreign // 50


# Guesses a charset from the bytes alone: decodes them in every likely charset and scores the result.


@dataclass(frozen=True, slots=True, kw_only=True)
class _CharsetProfile:
    charset: str
    common_characters: str  # the characters its languages use most
    known_ranges: str = ""  # ranges of a regular expression class: rarer characters of them
    languages: str = ""
    prior: float = 0.0  # added to the score: how common pages in this charset are


@cache
def _load_charset_profiles() -> tuple[_CharsetProfile, ...]:
    table = load_table(__package__, "page_charset")
    common, accents = table["common_characters"], table["accents"]
    profiles = [
        _CharsetProfile(**{**row, "common_characters": common[row["common_characters"]]})
        for row in table["script_profiles"]
    ]
    # Languages that share a charset have a profile each: no text has the letters of all of them.
    for row in table["latin_profiles"]:
        letters = "".join(accents[group] + accents[group].upper() for group in row["languages"])
        profiles += [
            _CharsetProfile(
                charset=row["charset"],
                common_characters=accents[group],
                known_ranges=letters.replace("SS", "") + "ºª½²³",
                languages=group,
                prior=row["prior"],
            )
            for group in row["languages"]
        ]
    return tuple(profiles)


def guess_charset(body: bytes, *, language: str | None = None) -> str:
    """The likeliest charset; one that is used for `language`, as the page declares it, scores higher."""
    sample = body[:_MAX_SAMPLE_BYTES]
    if wide := detect_unmarked_utf16(sample):
        return wide
    if b"\x1b$" in sample and sample.isascii():
        return "iso2022_jp"
    if _can_decode(body, "utf-8"):
        return "utf-8"
    # The words with a byte beyond ASCII; in no charset is a space or a bracket a trailing byte.
    foreign = (word for word in re.split(rb"[\s<>\"]+", sample) if not word.isascii())
    words = b" ".join(foreign)[:_MAX_JUDGED_BYTES]
    profiles = _load_charset_profiles()
    seen = {
        charset: _count_foreign_characters(words, charset)
        for charset in {profile.charset for profile in profiles}
    }
    best = max(profiles, key=lambda each: _score_profile(*seen[each.charset], each, language))
    return best.charset


def detect_unmarked_utf16(sample: bytes) -> str | None:
    """The charset, if it is UTF-16 without a byte order mark.

    It is, if it starts with a tag in UTF-16, or if many of the bytes are zero and nearly all of the
    zeros are either the first or the second byte of a character, as in text that is mostly ASCII.
    """
    if 0 not in sample:
        return None
    if tag := _UTF16_TAG.match(sample):
        return "utf-16-be" if tag["big"] else "utf-16-le"
    zeros = (sample[0::2].count(0), sample[1::2].count(0))
    if not (max(zeros) * 4 > len(sample) > 3 and min(zeros) * 20 < max(zeros)):
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _can_decode(body: bytes, charset: str) -> bool:
    decoder = codecs.getincrementaldecoder(charset)()
    try:
        decoder.decode(body)  # not final: the sample may end inside a character
    except UnicodeDecodeError:
        return False
    return True


def _count_foreign_characters(words: bytes, charset: str) -> tuple[Counter[str], int]:
    """How often each character beyond ASCII occurs, and in how many places the text looks wrong."""
    text = codecs.getincrementaldecoder(charset)("replace").decode(words)
    odd = sum(len(pattern.findall(text)) for pattern in _oddity_patterns())
    return Counter(char for char in text if char > "\x7f"), odd


def _score_profile(
    foreign: Counter[str], odd: int, reading: _CharsetProfile, language: str | None
) -> float:
    total = foreign.total()
    if not total:
        return reading.prior
    common, known = _compile_profile(reading)
    worth = sum(
        count * _score_character(char, common=common, known=known)
        for char, count in foreign.items()
    )
    hint = 0.25 if language and language in reading.languages.split() else 0.0
    return (worth - min(odd, total)) / total + reading.prior + hint


def _score_character(char: str, *, common: frozenset[str], known: re.Pattern[str] | None) -> float:
    if char in common:
        return 1.0
    if char in _COMMON_PUNCTUATION:
        return 0.5
    if known is not None and known.fullmatch(char):
        return 0.35
    return -2.0 if char == "\ufffd" or char < "\u00a0" else -0.6


@cache
def _compile_profile(reading: _CharsetProfile) -> tuple[frozenset[str], re.Pattern[str] | None]:
    known = re.compile(f"[{reading.known_ranges}]") if reading.known_ranges else None
    return frozenset(reading.common_characters), known


@cache
def _oddity_patterns() -> tuple[re.Pattern[str], ...]:
    """Patterns that hardly occur in correctly decoded text.

    In this order: a foreign capital after a lower-case letter; a symbol inside a word; a single
    letter of another script; a third accented letter in a row; a Hebrew final letter before the
    end of a word, or a Hebrew vowel point without a letter.
    """
    accented = "[À-ÖØ-öø-ſ]"
    other = "[\u0370-\u06ff\u0e00-\u0e7f]"
    return (
        re.compile(r"(?<=[a-zà-öø-ÿа-яёα-ώ])[À-ÖØ-ÞА-ЯЁΑ-Ω]"),
        re.compile(r"(?<=[^\W\d_])[¡-¿ˇ˘˙¨´¸˛×÷](?=[^\W\d_])"),
        re.compile(f"(?<!{other}){other}(?!{other})"),
        re.compile(f"(?<={accented}{accented}){accented}"),
        re.compile("[ךםןףץ](?=[א-ת])|(?<![\u05b0-\u05ea])[\u05b0-\u05c2]"),
    )
