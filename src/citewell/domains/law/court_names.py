"""Resolves what a caller writes as a jurisdiction: the id of a court, its name, or its label in citations."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from citewell.core.errors import InternalError, InvalidInput
from citewell.text.data_tables import load_table

_WORD_PATTERN = re.compile(r"[a-z0-9]+")
_ORDINAL_PATTERN = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th|d)\b")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")  # fmt: skip
_FILLING_WORDS = frozenset(
    ["the", "of", "for", "in", "and", "a", "court", "united", "states", "us", "state"]
)
_WORD_MEANINGS = {
    "sd": "southern district", "nd": "northern district", "ed": "eastern district",
    "wd": "western district", "md": "middle district", "cd": "central district",
    "d": "district", "cir": "circuit", "ct": "court", "app": "appeal", "appeals": "appeal",
    "courts": "court", "supr": "supreme", "sup": "supreme", "bankr": "bankruptcy",
    "dist": "district",
}  # fmt: skip
_LEVELS = {"colr": 0, "iac": 1}
_DOTTED_PATTERN = re.compile(r"(?<=\b\w)\.\s?(?=\w\b)")  # S.D. as sd, D. C. as dc

US_COURTS, UK_COURTS, EU_LAW = "courtlistener", "findcaselaw", "eurlex"
US_CODE, US_REGISTER = "ecfr", "federalregister"

_MAX_JURISDICTION_CHARS = 120
_MAX_NEAR_MATCHES = 5
_EXAMPLES = "scotus, ca9, S.D.N.Y., New York Court of Appeals, uksc, cjeu, cfr"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourtChoice:
    """What a jurisdiction stands for: who serves it, and the filter to send."""

    providers: tuple[str, ...]  # asked in turn until one finds something
    court: str | None = None  # as the provider writes it; several ids are parted by spaces
    name: str


def _build_choice(provider: str, court: str | None, name: str) -> CourtChoice:
    return CourtChoice(providers=(provider,), court=court, name=name)


@cache
def _load_choices() -> Mapping[str, CourtChoice]:
    """The courts and bodies of law by their codes, without the courts of the United States."""
    table = load_table(__package__, "court_names")
    return {
        "uk": _build_choice(UK_COURTS, None, "UK courts"),
        "eu": _build_choice(EU_LAW, None, "EU law"),
        "us": _build_choice(US_COURTS, None, "US courts"),
        "cfr": _build_choice(US_CODE, None, "Code of Federal Regulations"),
        "federal-register": _build_choice(US_REGISTER, None, "Federal Register"),
        "us-regulations": CourtChoice(providers=(US_CODE, US_REGISTER), name="US regulations"),
        **{code: _build_choice(UK_COURTS, code, name) for code, name in table["uk_courts"].items()},
        **{code: _build_choice(EU_LAW, code, name) for code, name in table["eu_courts"].items()},
    }


def resolve_jurisdiction(written: str, *, provider: str | None = None) -> CourtChoice:
    """The courts that `written` means; with `provider`, only its own are considered.

    The table of US courts is read on first use: call this in a thread. InvalidInput, with the
    nearest courts, if there is no such court.
    """
    text = " ".join(written[:_MAX_JURISDICTION_CHARS].split()).casefold()
    elsewhere: CourtChoice | None = None
    for choice in _list_court_candidates(text):
        if provider is None or provider in choice.providers:
            return choice
        elsewhere = elsewhere or choice
    if elsewhere is not None:
        servers = " and ".join(elsewhere.providers)
        raise InvalidInput(f"{elsewhere.name} is served by {servers}, not by {provider}.")
    near = ", ".join(_list_near_courts(text, provider))
    advice = f"Near to it: {near}." if near else f"For example: {_EXAMPLES}."
    where = f" of {provider}" if provider else ""
    named = written[:_MAX_JURISDICTION_CHARS]
    raise InvalidInput(f"There is no court{where} called {named!r}. {advice}")


def _list_court_candidates(text: str) -> Iterator[CourtChoice]:
    """What the text may mean, the likeliest first."""
    table = load_table(__package__, "court_names")
    choices = _load_choices()
    by_name = {choice.name.casefold(): choice for choice in choices.values()}
    if choice := choices.get(table["aliases"].get(text, text)) or by_name.get(text):
        yield choice
    courts = load_us_courts()
    if ids := courts.find_court_ids(table["us_aliases"].get(text, text)):
        yield _build_choice(US_COURTS, " ".join(ids), courts.names[ids[0]])
    if text == "supreme court":
        yield choices["uksc"]


def _list_near_courts(text: str, provider: str | None) -> list[str]:
    """Courts whose id or name is written nearly like the text, as "id (name)"."""
    listed = {
        spelling: f"{code} ({choice.name})"
        for code, choice in _load_choices().items()
        if provider is None or provider in choice.providers
        for spelling in (code, choice.name.casefold())
    }
    if provider in {None, US_COURTS}:
        courts = load_us_courts()
        for code in courts.main_ids:
            for spelling in (code, courts.names[code].casefold()):
                listed.setdefault(spelling, f"{code} ({courts.names[code]})")
    near = difflib.get_close_matches(text, listed, n=2 * _MAX_NEAR_MATCHES, cutoff=0.6)
    return list(dict.fromkeys(listed[spelling] for spelling in near))[:_MAX_NEAR_MATCHES]


# The courts of the United States, with the ids of the Free Law Project, by their names and labels.


@dataclass(frozen=True, slots=True, kw_only=True)
class UsCourts:
    names: dict[str, str]  # by id
    main_ids: tuple[str, ...]  # of federal courts and of the appellate courts of states
    ids_by_label: dict[str, str]  # S.D.N.Y. as sdny
    ids_by_words: dict[frozenset[str], str]
    ids_by_state: dict[str, tuple[str, ...]]  # the appellate courts of a state

    def find_court_ids(self, text: str) -> tuple[str, ...]:
        """The ids that an id, a name, a label or the name of a state means; empty if none."""
        if text in self.names:
            return (text,)
        if found := self.ids_by_label.get(_squeeze_letters(text)):
            return (found,)
        if found := self.ids_by_words.get(_collect_court_words(text)):
            return (found,)
        return self.ids_by_state.get(text, ())


@cache
def load_us_courts() -> UsCourts:
    """Read the table that eyecite brings along (courts-db); about 60 ms."""
    rows = sorted(_read_court_rows(), key=_rank_court)
    names = {row["id"]: " ".join(row["name"].split()) for row in rows}
    labels: dict[str, str] = {}
    words: dict[frozenset[str], str] = {}
    states: dict[str, list[str]] = {}
    main: list[str] = []
    for row in rows:
        is_state = row.get("system") == "state" and row.get("type") == "appellate"
        if _is_sitting(row) and (is_state or row.get("system") == "federal"):
            main.append(row["id"])
        if row.get("citation_string"):
            labels.setdefault(_squeeze_letters(row["citation_string"]), row["id"])
        found = _collect_court_words(row["name"])
        words.setdefault(found, row["id"])
        if row["id"].startswith("ca") and "circuit" in found:
            words.setdefault(found - {"appeal"}, row["id"])  # Ninth Circuit
        if is_state and _is_sitting(row):
            states.setdefault(str(row.get("location")).casefold(), []).append(row["id"])
    return UsCourts(
        names=names,
        main_ids=tuple(main),
        ids_by_label=labels,
        ids_by_words=words,
        ids_by_state={state: tuple(ids) for state, ids in states.items()},
    )


def _read_court_rows() -> list[dict[str, Any]]:
    # The package compiles thousands of patterns when it is imported; its data is all we need.
    spec = find_spec("courts_db")
    if spec is None or spec.origin is None:
        raise InternalError("courts-db is not installed; it comes with eyecite.")
    path = Path(spec.origin).parent / "data" / "courts.json"
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def _rank_court(row: dict[str, Any]) -> tuple[object, ...]:
    """Where several courts have the same name or label, the one that people mean comes first."""
    return (
        row.get("system") != "federal",
        not _is_sitting(row),
        row.get("type") != "appellate",
        _LEVELS.get(row.get("level") or "", 2),
        len(row["id"]),
        row["id"],
    )


def _is_sitting(row: dict[str, Any]) -> bool:
    return any(not dates.get("end") for dates in row.get("dates") or ())


def _squeeze_letters(label: str) -> str:
    """The letters of a label; the table writes Penn. where citations have Pa."""
    return "".join(_WORD_PATTERN.findall(label.casefold())).replace("penn", "pa")


def _collect_court_words(name: str) -> frozenset[str]:
    """The words that tell courts apart, in one spelling and without their order."""
    text = _DOTTED_PATTERN.sub("", name.casefold())
    text = _ORDINAL_PATTERN.sub(_spell_ordinal, text)
    words = (_WORD_MEANINGS.get(word, word) for word in _WORD_PATTERN.findall(text))
    return frozenset(" ".join(words).split()) - _FILLING_WORDS


def _spell_ordinal(match: re.Match[str]) -> str:
    number = int(match[1])
    return _ORDINALS[number - 1] if 1 <= number <= len(_ORDINALS) else match[0]
