"""Brings names of companies, tickers and CIKs into forms that can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# The state of incorporation or a mark such as NEW, ADR or FI, as EDGAR adds them to names.
_REGISTER_MARK_PATTERN = re.compile(r"[/\\][A-Za-z]{2,4}(?:[/\\]|$)")
_CIK_PATTERN = re.compile(r"(?:CIK[\s#:-]{0,3})?0{0,10}(\d{1,10})", re.IGNORECASE)
_TICKER_PATTERN = re.compile(r"[A-Z0-9]{1,6}(?:-[A-Z0-9]{1,3})?")
_EXCHANGE_PATTERN = re.compile(r"^(?:NYSE|NASDAQ|AMEX|OTC|OTCMKTS|CBOE)\s?:\s?", re.IGNORECASE)
_LEGAL_FORMS = frozenset({
    "inc", "incorporated", "corp", "corporation", "co", "company", "plc", "ltd", "limited", "llc", "lp",
    "llp", "nv", "sa", "ag", "se", "ab", "asa", "oyj", "spa", "bv", "kgaa", "gmbh", "pte", "pty", "adr", "de",
})  # fmt: skip
_GROUP_WORDS = frozenset({"group", "holding", "holdings", "com", "companies"})
_IGNORED_WORDS = frozenset({"and", "the"})
MAX_NAME_WORDS = 12


def normalize_cik(text: str) -> str | None:
    """The ten digits of a CIK written in any way ("320193", "CIK0000320193"); None if it is none."""
    found = _CIK_PATTERN.fullmatch(text.strip())
    number = int(found[1]) if found else 0
    return f"{number:010}" if number else None


def normalize_ticker(text: str) -> str | None:
    """A ticker as EDGAR writes it: BRK.B, brk/b and "$BRK B" are BRK-B; None if it is none."""
    bare = _EXCHANGE_PATTERN.sub("", text.strip()).lstrip("$").upper()
    ticker = re.sub(r"[./ _]", "-", bare)
    return ticker if _TICKER_PATTERN.fullmatch(ticker) else None


def split_company_words(name: str) -> tuple[str, ...]:
    """The words of a name that matter: no accents, punctuation, "and" or "the", initials joined."""
    plain = unicodedata.normalize("NFKD", _REGISTER_MARK_PATTERN.sub(" ", name)).casefold()
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    spaced = letters.replace("&", " and ").replace("'", "").replace("’", "")
    words = "".join(one if one.isalnum() else " " for one in spaced).split()
    return tuple(_join_initials(word for word in words if word not in _IGNORED_WORDS))[
        :MAX_NAME_WORDS
    ]


def _join_initials(words: Iterable[str]) -> list[str]:
    joined: list[str] = []
    was_initial = False
    for word in words:
        is_initial = len(word) == 1
        if is_initial and was_initial:
            joined[-1] += word
        else:
            joined.append(word)
        was_initial = is_initial
    return joined


def drop_legal_form(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without Inc, Corp, plc and the like at the end; never empty if there were words."""
    end = len(words)
    while end > 1 and words[end - 1] in _LEGAL_FORMS:
        end -= 1
    return words[:end]


def trim_legal_form(name: str) -> str:
    """The name as written, without Inc, Corp, plc and the like at the end."""
    words = name.split()
    while len(words) > 1 and "".join(split_company_words(words[-1])) in _LEGAL_FORMS:
        words.pop()
    return " ".join(words).rstrip(",")


def list_name_keys(name: str) -> tuple[str, ...]:
    """The name without spaces and legal form, and again without a last word such as Group or Holdings."""
    core = drop_legal_form(split_company_words(name))
    is_group = len(core) > 1 and core[-1] in _GROUP_WORDS
    bare = core[:-1] if is_group else core
    return tuple(dict.fromkeys("".join(words) for words in (core, bare) if words))


def is_same_company(name: str, other: str) -> bool:
    """Whether two names mean the same company: equal without legal form, spaces and punctuation."""
    return bool(set(list_name_keys(name)) & set(list_name_keys(other)))
