"""The courts of the United States, with the ids of the Free Law Project, by their names and labels."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from citewell.errors import InternalError

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
