"""Countries by ISO code or English name, the codes of statistical offices, and codes of languages."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

from citewell.text.data_tables import load_table, load_words

_LANGUAGE_TAG_PATTERN = re.compile(r"([a-z]{2})(?:-([A-Z]{2}))?")

_NAMES_FILE = "country_names.txt"  # two codes, then the English names, the usual one first
_MAX_NEAR_NAMES = 4
_MIN_LIKENESS = 0.6
_MAX_COUNTRY_CHARS = 80

_ALIASES = {"UK": "GBR", "EL": "GRC"}  # codes that are not ISO's

# Where an office departs from the plain rule: two letters (Eurostat, ECB) or three (the others).
_SPECIAL_CODES = {
    "eurostat": {"GBR": "UK", "GRC": "EL", "EUU": "EU27_2020", "EMU": "EA20"},
    "ecb": {"EMU": "U2", "EUU": "B0"},
    "worldbank": {},
    "oecd": {"EUU": "EU27_2020", "EMU": "EA20", "OED": "OECD", "WLD": "W"},
    "imf": {"WLD": "G001", "EMU": "G163", "EUU": "G998", "XKX": "KOS"},
}
_TWO_LETTER_OFFICES = frozenset({"eurostat", "ecb"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CountryEntry:
    """A country, or a group of countries, which has no code of two letters."""

    code: str  # ISO 3166-1 alpha-3, or the World Bank's code of a group
    short_code: str | None
    name: str


def find_country(text: str) -> CountryEntry | None:
    """The country with this code or English name, in any case; None if there is none."""
    return _load_country_index().get(_fold_country(text))


def suggest_countries(text: str) -> tuple[str, ...]:
    """The names most like this text, with their codes; empty if none is."""
    from difflib import get_close_matches

    index = _load_country_index()
    wanted = _fold_country(text)
    near = get_close_matches(wanted, index, n=_MAX_NEAR_NAMES * 2, cutoff=_MIN_LIKENESS)
    entries = dict.fromkeys(index[key] for key in near)
    return tuple(f"{entry.name} ({entry.code})" for entry in entries)[:_MAX_NEAR_NAMES]


def choose_office_code(code: str, office: str) -> str | None:
    """The code by which this office knows a country; None if it has none for the group.

    `code` is that of a CountryEntry; `office` is eurostat, ecb, worldbank, oecd or imf.
    """
    special = _SPECIAL_CODES[office].get(code)
    if special:
        return special
    if code in load_table(__package__, "country_groups"):
        return code if office == "worldbank" else None
    entry = find_country(code)
    if entry is None:
        return None
    return entry.short_code if office in _TWO_LETTER_OFFICES else entry.code


@cache
def _load_country_index() -> dict[str, CountryEntry]:
    found: dict[str, CountryEntry] = {}
    listed = resources.files(__package__).joinpath(_NAMES_FILE).read_text(encoding="utf-8")
    for line in listed.splitlines():
        short, code, listed_names = line.split(" ", 2)
        names = listed_names.split("; ")
        entry = CountryEntry(code=code, short_code=short, name=names[0])
        found |= {_fold_country(key): entry for key in (short, code, *names)}
    # Groups of countries, by the World Bank's codes.
    for code, group_names in load_table(__package__, "country_groups").items():
        entry = CountryEntry(code=code, short_code=None, name=group_names[0])
        found |= {_fold_country(key): entry for key in (code, *group_names)}
    return found | {
        _fold_country(alias): found[_fold_country(code)] for alias, code in _ALIASES.items()
    }


def _fold_country(text: str) -> str:
    """Letters, digits and single spaces in lower case, without accents, "the" and full stops."""
    plain = unicodedata.normalize("NFKD", text[:_MAX_COUNTRY_CHARS]).casefold()
    kept = "".join(
        sign if sign.isalnum() else "" if sign in ".'’" or unicodedata.combining(sign) else " "
        for sign in plain.replace("&", " and ")
    )
    return " ".join(word for word in kept.split() if word != "the")


# Language codes (ISO 639-1) and country codes (ISO 3166-1 alpha-2).


def is_language_code(code: str) -> bool:
    """Whether this is a known language code, with or without a region: de, pt-BR."""
    match = _LANGUAGE_TAG_PATTERN.fullmatch(code)
    if match is None or match[1] not in load_words(__package__, "locale_codes", "language_codes"):
        return False
    return match[2] is None or match[2] in load_words(__package__, "locale_codes", "country_codes")


def is_country_code(code: str) -> bool:
    return code in load_words(__package__, "locale_codes", "country_codes")
