"""The real cases of the evaluation, and a loopback CourtListener that holds them.

Names, citations, courts and dates in cases.txt are facts about real cases, written from memory of
well-known ones; a date that is not known to the day is a year.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.internet.apis import courtlistener

CASES = Path(__file__).parent / "cases.txt"
# Courts as citations write them, and as the registry calls them.
COURTS = {
    "scotus": ("", "Supreme Court of the United States", "SCOTUS"),
    "ca1": ("1st Cir.", "Court of Appeals for the First Circuit", "1st Cir."),
    "ca2": ("2d Cir.", "Court of Appeals for the Second Circuit", "2d Cir."),
    "ca3": ("3d Cir.", "Court of Appeals for the Third Circuit", "3rd Cir."),
    "ca4": ("4th Cir.", "Court of Appeals for the Fourth Circuit", "4th Cir."),
    "ca5": ("5th Cir.", "Court of Appeals for the Fifth Circuit", "5th Cir."),
    "ca6": ("6th Cir.", "Court of Appeals for the Sixth Circuit", "6th Cir."),
    "ca7": ("7th Cir.", "Court of Appeals for the Seventh Circuit", "7th Cir."),
    "ca8": ("8th Cir.", "Court of Appeals for the Eighth Circuit", "8th Cir."),
    "ca9": ("9th Cir.", "Court of Appeals for the Ninth Circuit", "9th Cir."),
    "ca10": ("10th Cir.", "Court of Appeals for the Tenth Circuit", "10th Cir."),
    "ca11": ("11th Cir.", "Court of Appeals for the Eleventh Circuit", "11th Cir."),
    "cadc": ("D.C. Cir.", "Court of Appeals for the D.C. Circuit", "D.C. Cir."),
    "cafc": ("Fed. Cir.", "Court of Appeals for the Federal Circuit", "Fed. Cir."),
    "nysd": ("S.D.N.Y.", "District Court, S.D. New York", "S.D.N.Y."),
    "nyed": ("E.D.N.Y.", "District Court, E.D. New York", "E.D.N.Y."),
    "pamd": ("M.D. Pa.", "District Court, M.D. Pennsylvania", "M.D. Penn."),
    "pawd": ("W.D. Pa.", "District Court, W.D. Pennsylvania", "W.D. Pa."),
    "cand": ("N.D. Cal.", "District Court, N.D. California", "N.D. Cal."),
    "cal": ("Cal.", "California Supreme Court", "Cal."),
    "del": ("Del.", "Supreme Court of Delaware", "Del."),
    "delch": ("Del. Ch.", "Court of Chancery of Delaware", "Del. Ch."),
    "ny": ("N.Y.", "New York Court of Appeals", "NY"),
    "mass": ("Mass.", "Massachusetts Supreme Judicial Court", "Mass."),
    "mich": ("Mich.", "Michigan Supreme Court", "Mich."),
    "nh": ("N.H.", "Supreme Court of New Hampshire", "N.H."),
    "nj": ("N.J.", "Supreme Court of New Jersey", "N.J."),
    "iowa": ("Iowa", "Supreme Court of Iowa", "Iowa"),
    "haw": ("Haw.", "Hawaii Supreme Court", "Haw."),
    "va": ("Va.", "Supreme Court of Virginia", "Va."),
    "wis": ("Wis.", "Wisconsin Supreme Court", "Wis."),
    "wash": ("Wash.", "Washington Supreme Court", "Wash."),
    "minn": ("Minn.", "Supreme Court of Minnesota", "Minn."),
}
FEDERAL = frozenset(name for name in COURTS if name.startswith("ca") and name != "cal") | {
    "scotus", "nysd", "nyed", "pamd", "pawd", "cand",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RealCase:
    name: str
    citations: tuple[str, ...]
    court: str
    date: str  # a day or a year

    @property
    def year(self) -> int:
        return int(self.date[:4])

    @property
    def label(self) -> str:
        return COURTS[self.court][0]


@cache
def list_real_cases() -> tuple[RealCase, ...]:
    made = []
    for line in CASES.read_text("utf-8").splitlines():
        name, citations, court, date = (part.strip() for part in line.split("|"))
        cited = tuple(one.strip() for one in citations.split(";"))
        made.append(RealCase(name=name, citations=cited, court=court, date=date))
    return tuple(made)


@cache
def list_lacking() -> tuple[RealCase, ...]:
    """Real cases in reporters of weak coverage that the registry of the evaluation does not have."""
    state = [case for case in list_real_cases() if case.court not in FEDERAL]
    return tuple(state[::2])


def list_registered() -> tuple[RealCase, ...]:
    return tuple(case for case in list_real_cases() if case not in list_lacking())


@contextlib.contextmanager
def hold_cases(cases: tuple[RealCase, ...]) -> Iterator[None]:
    """Let the loopback CourtListener hold exactly these cases."""
    listed, courts = courtlistener.list_cases, courtlistener.COURTS
    held = tuple(_describe(number, case) for number, case in enumerate(cases))
    courtlistener.list_cases = lambda: held  # type: ignore[assignment]
    courtlistener.COURTS = {name: court[1:] for name, court in COURTS.items()}
    try:
        yield
    finally:
        courtlistener.list_cases, courtlistener.COURTS = listed, courts


def _describe(number: int, case: RealCase) -> dict[str, Any]:
    return {
        "id": 500_000 + number,
        "name": case.name,
        "citations": list(case.citations),
        "court": case.court,
        "date": case.date,
        "docket": "",
        "cited": 100,
        "about": "a question of law",
    }
