"""What is known of reporters beyond any registry: their years and volumes, and loose spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass

YEAR_MARGIN = 1  # years by which a volume may lie outside the years of its series


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterFacts:
    """A series of reports; None where it has no end yet or is not known."""

    first_year: int
    last_year: int | None = None
    max_volume: int | None = None


# Only series whose bounds are certain. The tables of reporters-db are not used to accuse: they end
# the first series of the Federal Supplement ten years too early, for instance.
REPORTER_FACTS: dict[str, ReporterFacts] = {
    "U.S.": ReporterFacts(first_year=1754),
    "S. Ct.": ReporterFacts(first_year=1882),
    "L. Ed.": ReporterFacts(first_year=1754, last_year=1956, max_volume=100),
    "L. Ed. 2d": ReporterFacts(first_year=1956),
    "F.": ReporterFacts(first_year=1880, last_year=1925, max_volume=300),
    "F.2d": ReporterFacts(first_year=1924, last_year=1993, max_volume=999),
    "F.3d": ReporterFacts(first_year=1993, last_year=2021, max_volume=999),
    "F.4th": ReporterFacts(first_year=2021),
    "F. Supp.": ReporterFacts(first_year=1932, last_year=1998, max_volume=999),
    "F. Supp. 2d": ReporterFacts(first_year=1997, last_year=2014, max_volume=999),
    "F. Supp. 3d": ReporterFacts(first_year=2013),
    "A.2d": ReporterFacts(first_year=1938, last_year=2010, max_volume=999),
    "A.3d": ReporterFacts(first_year=2010),
    "P.2d": ReporterFacts(first_year=1931, last_year=2000, max_volume=999),
    "P.3d": ReporterFacts(first_year=1999),
    "N.E.2d": ReporterFacts(first_year=1936, last_year=2014, max_volume=999),
    "N.E.3d": ReporterFacts(first_year=2013),
    "S.W.2d": ReporterFacts(first_year=1928, last_year=2000, max_volume=999),
    "S.W.3d": ReporterFacts(first_year=1999),
    "So. 2d": ReporterFacts(first_year=1940, last_year=2009, max_volume=999),
    "So. 3d": ReporterFacts(first_year=2008),
    "N.W.2d": ReporterFacts(first_year=1941),
    "S.E.2d": ReporterFacts(first_year=1939),
}
# Reporters that CourtListener holds as good as completely: a case that is not there is a strong sign.
COMPLETE_REPORTERS = frozenset({
    "U.S.", "S. Ct.", "L. Ed.", "L. Ed. 2d", "F.", "F.2d", "F.3d", "F.4th",
    "F. Supp.", "F. Supp. 2d", "F. Supp. 3d",
})  # fmt: skip
# Numbers of commercial databases: real forms that no free registry can confirm.
DATABASE_REPORTERS = frozenset({"WL", "LEXIS"})

# Reports of other countries whose abbreviations are taken for those of small American ones.
FOREIGN_REPORTERS = frozenset({"CLR", "DLR", "SCR", "NZLR", "WLR", "SALR", "FCR", "ALJR", "NSWLR"})

_LOOSE_REPORTERS = {
    "us": "U.S.", "sct": "S. Ct.", "led": "L. Ed.", "led2d": "L. Ed. 2d", "f": "F.", "f2d": "F.2d",
    "f3d": "F.3d", "f4th": "F.4th", "fsupp": "F. Supp.", "fsupp2d": "F. Supp. 2d",
    "fsupp3d": "F. Supp. 3d", "fappx": "F. App'x", "a2d": "A.2d", "a3d": "A.3d", "p2d": "P.2d",
    "p3d": "P.3d", "ne2d": "N.E.2d", "ne3d": "N.E.3d", "nw2d": "N.W.2d", "sw2d": "S.W.2d",
    "sw3d": "S.W.3d", "so2d": "So. 2d", "so3d": "So. 3d", "se2d": "S.E.2d",
}  # fmt: skip
# "410 us 113", "925 f. 3d 1339": spellings that the finder of citations does not know.
LOOSE_CITATION_PATTERN = re.compile(
    r"(?<![\w.$£€])(?P<volume>\d{1,4}) (?P<reporter>u\.? ?s\.?|s\.? ?ct\.?|l\.? ?ed\.?(?: ?2d)?"
    r"|f\.?(?: ?(?:2d|3d|4th))|f\.? ?supp\.?(?: ?[23]d)?|[ap]\.? ?[23]d|n\.? ?e\.? ?[23]d|[ns]\.? ?w\.? ?[23]d"
    r"|so\.? ?[23]d|s\.? ?e\.? ?2d) (?P<page>\d{1,5})(?![\w%])",
    re.IGNORECASE,
)
# A series that nobody has begun: F.9th, F. Supp. 7th, U.S. 2d.
INVENTED_SERIES_PATTERN = re.compile(
    r"(?<![\w.$£€])(?P<volume>\d{1,4}) (?P<reporter>F\. ?(?:[5-9]|1\d)th|F\. ?Supp\. ?(?:[4-9]|1\d)th|U\. ?S\. ?[23]d"
    r"|S\. ?Ct\. ?[23]d|L\. ?Ed\. ?(?:[3-9](?:d|th))|(?:A|P|So|N\. ?E|N\. ?W|S\. ?E|S\. ?W)\. ?[5-9]th) (?P<page>\d{1,5})(?![\w%])"
)
# After the name of a case and a comma: something in the form of a citation in an unknown reporter.
UNKNOWN_REPORTER_PATTERN = re.compile(
    r"(?<=, )(?P<volume>\d{1,4}) (?P<reporter>[A-Z][\w.']{0,12}(?: ?(?:[A-Z(][\w.')]{0,10}|\d{1,2}(?:d|th))){0,4}) (?P<page>\d{1,5})(?=(?:, ?[\d–-]{1,12})? \((?:[^()]{0,40} )?(?:1[6-9]|20)\d\d\))"
)


def normalize_loose_reporter(written: str) -> str | None:
    """The reporter that a careless spelling means; None if it is none of the common ones."""
    return _LOOSE_REPORTERS.get("".join(char for char in written.lower() if char.isalnum()))


def find_impossible_fact(volume: str | None, reporter: str | None, year: int | None) -> str | None:
    """Why no volume of this reporter can have this number or year; None if it can, or is not known."""
    facts = REPORTER_FACTS.get(reporter or "")
    if facts is None:
        return None
    if facts.max_volume and volume and volume.isdecimal() and int(volume) > facts.max_volume:
        return f"{reporter} has only {facts.max_volume} volumes"
    if year is None:
        return None
    if year < facts.first_year - YEAR_MARGIN:
        return f"{reporter} begins in {facts.first_year}, so it has no case of {year}"
    if facts.last_year is not None and year > facts.last_year + YEAR_MARGIN:
        return f"{reporter} ends in {facts.last_year}, so it has no case of {year}"
    return None


def is_complete_reporter(reporter: str | None) -> bool:
    return (reporter or "") in COMPLETE_REPORTERS


def is_database_number(reporter: str | None) -> bool:
    """Whether it is a number of Westlaw or Lexis, which has no printed report."""
    return any(part in DATABASE_REPORTERS for part in (reporter or "").split())


def find_court_level(reporter: str | None) -> str | None:
    """Which courts a federal reporter has decisions of; None for reporters of other or mixed courts."""
    return _COURT_LEVELS.get("".join(filter(str.isalnum, (reporter or "").casefold())))


_COURT_LEVELS = {
    "us": "supreme", "sct": "supreme", "led": "supreme", "led2d": "supreme",
    "f2d": "appeals", "f3d": "appeals", "f4th": "appeals",
    "fsupp": "district", "fsupp2d": "district", "fsupp3d": "district",
}  # fmt: skip
