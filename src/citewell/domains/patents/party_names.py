"""Compares the names of companies and inventors as patent offices and people write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from citewell.text.data_tables import load_table

MAX_ASSIGNEE_VARIANTS = 8
_MAX_NAME_CHARS = 300
_MIN_ACRONYM_WORDS = 3

# Forms that alone say too little to be dropped: a name may end in them.
_WEAK_FORMS = frozenset({"holding", "holdings", "group", "intl", "se", "as"})
_ASIAN_FORM_PATTERN = re.compile(
    r"株式会社|有限会社|合同会社|\(株\)|㈱|주식회사|\(주\)|㈜|유한회사|股份有限公司|有限责任公司|有限公司"
)
_COUNTRY_PATTERN = re.compile(r"\[[A-Z]{2}\]")  # as the EPO writes it: SIEMENS AG [DE]
_WORD_PATTERN = re.compile(r"[^\W_]+")
_INITIALS_PATTERN = re.compile(r"\b(\w)[./](?=\w\b)")  # B.V., A/S
_VARIANT_FORMS = ("Inc", "LLC", "Ltd", "Corp")


def strip_company_form(name: str) -> str:
    """The base name as it is written, without its legal form: "Example Widgets Co., Ltd." gives "Example Widgets"."""
    plain = " ".join(_ASIAN_FORM_PATTERN.sub(" ", name[:_MAX_NAME_CHARS]).split())
    words = plain.split(" ")
    while len(words) > 1 and _is_strong_form(words[-1]):
        words.pop()
    return " ".join(words).rstrip(" ,.;&-") or plain


def list_assignee_variants(name: str) -> tuple[str, ...]:
    """Ways in which a company's name is written, the base name first: spacing, "&", legal forms."""
    base = strip_company_form(name)
    joined, spaced = base.replace(" ", "").replace("-", ""), base.replace("-", " ")
    written = [base, name, spaced, _swap_conjunction(base)]
    if 1 < len(base.split()) <= 3 or "-" in base:
        written.append(joined)
    written += [f"{base} {form}" for form in _VARIANT_FORMS]
    kept = {
        " ".join(spelling.split()).casefold(): " ".join(spelling.split())
        for spelling in reversed(written)
    }
    order = dict.fromkeys(" ".join(spelling.split()).casefold() for spelling in written)
    return tuple(kept[key] for key in order if key)[:MAX_ASSIGNEE_VARIANTS]


def match_assignee(wanted: str, stated: Iterable[str]) -> bool:
    """Whether one of the stated names is the wanted company: its base words in order, or its acronym."""
    words = _list_base_words(wanted)
    return any(_has_company_words(words, _list_base_words(name)) for name in stated)


def match_inventor(wanted: str, stated: Iterable[str]) -> bool:
    """Whether one of the stated people has all wanted names, in any order; initials match names."""
    words = _list_name_words(_COUNTRY_PATTERN.sub("", wanted))
    return any(
        _has_person_words(words, _list_name_words(_COUNTRY_PATTERN.sub("", name)))
        for name in stated
    )


def _swap_conjunction(base: str) -> str:
    if "&" in base:
        return base.replace("&", " and ")
    return re.sub(r"\band\b", "&", base, flags=re.IGNORECASE)


@cache
def _load_legal_forms() -> frozenset[str]:
    """Legal forms at the end of a name, as single words after points are removed."""
    return frozenset(load_table(__package__, "legal_forms"))


def _is_strong_form(word: str) -> bool:
    plain = re.sub(r"[^\w]", "", word).casefold()
    return plain in _load_legal_forms() and plain not in _WEAK_FORMS


def _fold_name(name: str) -> str:
    """The name in lower case without accents, "&" as "and", initials joined."""
    cut = _ASIAN_FORM_PATTERN.sub(" ", _COUNTRY_PATTERN.sub("", name[:_MAX_NAME_CHARS]))
    parts = unicodedata.normalize("NFKD", cut.replace("&", " and ").casefold())
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return _INITIALS_PATTERN.sub(r"\1", unicodedata.normalize("NFC", plain))


def _list_name_words(name: str) -> list[str]:
    return _WORD_PATTERN.findall(_fold_name(name))


def _list_base_words(name: str) -> list[str]:
    words = _list_name_words(name)
    while len(words) > 1 and words[-1] in _load_legal_forms():
        words.pop()
    return words


def _has_company_words(wanted: list[str], stated: list[str]) -> bool:
    if not wanted or not stated:
        return False
    length = len(wanted)
    if any(stated[at : at + length] == wanted for at in range(len(stated) - length + 1)):
        return True
    if "".join(wanted) == "".join(stated):
        return True
    return _is_acronym(wanted, stated) or _is_acronym(stated, wanted)


def _is_acronym(short: list[str], long: list[str]) -> bool:
    """Whether one word has the initials of several, as IBM of International Business Machines."""
    is_candidate = len(short) == 1 and len(long) >= _MIN_ACRONYM_WORDS
    return is_candidate and short[0] == "".join(word[0] for word in long)


def _has_person_words(wanted: list[str], stated: list[str]) -> bool:
    if not wanted or not stated or not any(len(word) > 1 and word in stated for word in wanted):
        return False  # initials alone prove nothing
    return all(_has_name_word(word, stated) for word in wanted)


def _has_name_word(word: str, stated: list[str]) -> bool:
    if word in stated:
        return True
    if len(word) == 1:
        return any(other.startswith(word) for other in stated)
    return any(len(other) == 1 and word.startswith(other) for other in stated)
