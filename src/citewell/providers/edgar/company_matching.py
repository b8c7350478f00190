"""Finds the company that words mean in the SEC's list of tickers; done in a worker."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from citewell.core.errors import MalformedResponse
from citewell.domains.filings import FilingCompany
from citewell.text.safety.text_cleaning import clean_markup

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

_MAX_CIK = 10**10
_MAX_TICKER_LETTERS = 6
_MIN_PREFIX_CHARS = 3
_MIN_INNER_CHARS = 4
_MIN_MISSPELT_CHARS = 5
_LONG_NAME_CHARS = 9  # names this long may have two letters wrong, shorter ones one
_MAX_PREFIX_COMPANIES = 12  # a word that begins more names than this names no company
_MAX_INNER_COMPANIES = 4
_MAX_OTHERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyChoice:
    """The company that was meant, if any; `basis` says how it was found, `text` by which words."""

    company: FilingCompany | None = None
    others: tuple[FilingCompany, ...] = ()
    basis: str = ""  # ticker, name, start, part or spelling
    text: str = ""


@dataclass(frozen=True, slots=True)
class _ListedCompany:
    place: int  # in the list, which begins with the largest companies
    company: FilingCompany
    keys: tuple[str, ...]
    words: tuple[str, ...]


def match_company(body: bytes, ticker: str, texts: tuple[str, ...]) -> CompanyChoice:
    """The company with this ticker, or else the one that the first matching text names.

    `body` is company_tickers.json; raises MalformedResponse if it is anything else.
    """
    listed = _read_company_list(body)
    by_ticker = _index_tickers(listed)
    if ticker:
        found = _find_ticker(by_ticker, ticker)
        return CompanyChoice(company=found.company if found else None, basis="ticker", text=ticker)
    for text in texts:
        choice = _match_company_words(listed, by_ticker, text)
        if choice.company is not None:
            return choice
    return CompanyChoice()


@lru_cache(maxsize=1)  # a worker is sent the same list again and again
def _read_company_list(body: bytes) -> list[_ListedCompany]:
    try:
        rows = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedResponse("The SEC's list of tickers is not JSON.") from None
    tickers: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for row in rows.values() if isinstance(rows, dict) else ():
        cik, name, ticker = _read_list_row(row)
        if cik and name:
            names.setdefault(cik, name)
            tickers.setdefault(cik, []).extend([ticker] if ticker else [])
    if not names:
        raise MalformedResponse("The SEC's list of tickers holds no companies.")
    return [
        _ListedCompany(
            place,
            FilingCompany(name=name, cik=cik, tickers=tuple(dict.fromkeys(tickers[cik]))),
            list_name_keys(name),
            drop_legal_form(split_company_words(name)),
        )
        for place, (cik, name) in enumerate(names.items())
    ]


def _read_list_row(row: Any) -> tuple[str, str, str]:
    if not isinstance(row, dict):
        return "", "", ""
    number, name, ticker = row.get("cik_str"), row.get("title"), row.get("ticker")
    is_number = isinstance(number, int) and 0 < number < _MAX_CIK
    return (
        f"{number:010}" if is_number else "",
        clean_markup(name) if isinstance(name, str) else "",
        (normalize_ticker(ticker) or "") if isinstance(ticker, str) else "",
    )


def _index_tickers(listed: Iterable[_ListedCompany]) -> dict[str, _ListedCompany]:
    found: dict[str, _ListedCompany] = {}
    for entry in listed:
        for ticker in entry.company.tickers:
            found.setdefault(ticker, entry)
    for entry in listed:  # BRKB, unless somebody has just this ticker
        for ticker in entry.company.tickers:
            found.setdefault(ticker.replace("-", ""), entry)
    return found


def _find_ticker(by_ticker: dict[str, _ListedCompany], text: str) -> _ListedCompany | None:
    ticker = normalize_ticker(text) or ""
    return by_ticker.get(ticker) or by_ticker.get(ticker.replace("-", ""))


def _match_company_words(
    listed: list[_ListedCompany], by_ticker: dict[str, _ListedCompany], text: str
) -> CompanyChoice:
    is_short = len(text.replace(" ", "")) <= _MAX_TICKER_LETTERS + 2 and len(text.split()) <= 2
    as_ticker = _find_ticker(by_ticker, text) if is_short else None
    if as_ticker and text == text.upper():
        others = _find_named(listed, text)[1]
        return _choose_listed_company([as_ticker, *others], "ticker", text)
    basis, named = _find_named(listed, text)
    if as_ticker and (basis != "name") and (not named or as_ticker.place < named[0].place):
        return _choose_listed_company([as_ticker, *named], "ticker", text)
    if named:
        return _choose_listed_company([*named, *([as_ticker] if as_ticker else [])], basis, text)
    return _choose_listed_company(_find_misspelt(listed, text), "spelling", text)


def _choose_listed_company(found: Iterable[_ListedCompany], basis: str, text: str) -> CompanyChoice:
    companies = list(dict.fromkeys(entry.company for entry in found))
    if not companies:
        return CompanyChoice()
    return CompanyChoice(
        company=companies[0], others=tuple(companies[1 : 1 + _MAX_OTHERS]), basis=basis, text=text
    )


def _find_named(listed: list[_ListedCompany], text: str) -> tuple[str, list[_ListedCompany]]:
    """How the text names companies, and which, the largest first; none if it names too many."""
    keys = list_name_keys(text)
    if not keys:
        return "", []
    whole = keys[0]
    exact = [entry for entry in listed if entry.keys and entry.keys[0] == whole]
    starts = [
        entry
        for entry in listed
        if whole in _list_run_keys(entry.words, only_start=True)
        or not set(keys).isdisjoint(entry.keys)
    ]
    if exact:
        few = starts if len(starts) <= _MAX_PREFIX_COMPANIES else []
        return "name", [*exact, *(entry for entry in few if entry not in exact)]
    same = [
        entry for entry in starts if not set(keys).isdisjoint(entry.keys)
    ]  # but for Group and the like
    if len(same) == 1:
        return "name", same
    if len(whole) >= _MIN_PREFIX_CHARS and 0 < len(starts) <= _MAX_PREFIX_COMPANIES:
        return "start", starts
    if starts or len(whole) < _MIN_INNER_CHARS:
        return "", []
    inner = [entry for entry in listed if whole in _list_run_keys(entry.words)]
    return ("part", inner) if len(inner) <= _MAX_INNER_COMPANIES else ("", [])


def _list_run_keys(words: tuple[str, ...], *, only_start: bool = False) -> Iterator[str]:
    """The runs of neighbouring words, joined: of all, or of those that begin with the first word."""
    for start in range(1 if only_start else len(words)):
        for end in range(start + 1, len(words) + 1):
            yield "".join(words[start:end])


def _find_misspelt(listed: list[_ListedCompany], text: str) -> list[_ListedCompany]:
    words = drop_legal_form(split_company_words(text))
    key = "".join(words)
    if len(key) < _MIN_MISSPELT_CHARS:
        return []
    allowed = 2 if len(key) >= _LONG_NAME_CHARS else 1
    near: list[tuple[int, int, _ListedCompany]] = []
    for entry in listed:
        spellings = {*entry.keys, "".join(entry.words[: len(words)])}
        distance = min(measure_spelling_distance(key, other, allowed) for other in spellings)
        if distance == 0:  # rightly spelt, and yet no name: a word that begins too many
            return []
        if distance <= allowed:
            near.append((distance, entry.place, entry))
    return [entry for _, _, entry in sorted(near, key=lambda found: found[:2])]


def measure_spelling_distance(left: str, right: str, most: int) -> int:
    """Letters to insert, drop, replace or swap with their neighbour; `most` + 1 if there are more.

    Names that differ in their first letter count as different.
    """
    if not left or not right or left[0] != right[0] or abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for place, letter in enumerate(left, start=1):
        older, before, row = before, row, [place]
        for other, found in enumerate(right, start=1):
            cost = min(row[-1] + 1, before[other] + 1, before[other - 1] + (letter != found))
            if place > 1 and other > 1 and letter == right[other - 2] and left[place - 2] == found:
                cost = min(cost, older[other - 2] + 1)
            row.append(cost)
        if min(row) > most and (not before or min(before) > most):
            return most + 1
    return min(row[-1], most + 1)


# Brings names of companies, tickers and CIKs into forms that can be compared.


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
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    spaced = letters.replace("&", " and ").replace("'", "").replace("’", "")
    words = "".join(letter if letter.isalnum() else " " for letter in spaced).split()
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
