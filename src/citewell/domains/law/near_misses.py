"""Finds the case that a wrong citation probably means, by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from citewell.core.values.court_case import CourtCase, LegalCitation
from citewell.domains.law import citation_comparison
from citewell.domains.law.citation_groups import CitedCase
from citewell.domains.law.citation_registry import CitationRegistry
from citewell.domains.law.name_matching import NameAgreement, compare_case_names, is_government_name
from citewell.text.data_tables import load_table

YEAR_MARGIN = 1  # years by which a volume may lie outside the years of its series

_YEAR_TOLERANCE = 1  # years


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A case of the cited name that is recorded elsewhere, if there is one."""

    case: CourtCase | None = None
    right_citation: str | None = None  # in the cited reporter, if it has one there
    is_meant: bool = False  # as good as certainly the case that was meant
    is_unplaced: bool = False  # recorded without a citation that could contradict the cited one
    is_year_right: bool = False
    is_searched: bool = False  # a registry answered
    registry: str = ""  # its title
    provenance: tuple[str, ...] = ()


class NearMissSearch:
    def __init__(self, registry: CitationRegistry) -> None:
        self._registry = registry

    async def find_near_miss(self, cited: CitedCase) -> NearMiss:
        """The best case of that name; empty if the citation has no full name or nobody could be asked."""
        citation = cited.main.citation
        name = citation.case_name
        if not name or not cited.main.has_full_name:
            return NearMiss()
        found = await self._registry.search_named_cases(name, citation.kind)
        if found is None:
            return NearMiss(provenance=("the name could not be searched for",))
        cases, registry = found
        same = [
            case
            for case in cases
            if compare_case_names(name, case.name, full_name=case.full_name) is NameAgreement.SAME
        ]
        searched = (f"{registry}: searched for the name",)
        if not same:
            return NearMiss(is_searched=True, registry=registry, provenance=searched)
        best = min(same, key=lambda case: _rate_candidate(citation, case))
        return replace(_describe_candidate(citation, best, searched), registry=registry)


def _describe_candidate(
    citation: LegalCitation, case: CourtCase, searched: tuple[str, ...]
) -> NearMiss:
    same_reporter = citation_comparison.list_same_reporter(case, citation.reporter)
    year_right = _is_year_right(citation, case)
    right = next(iter(case.citations), None)
    if same_reporter:
        right = min(same_reporter, key=lambda written: _measure_distance(citation, written))
    levels = {
        find_court_level(citation_comparison.find_reporter(citation)) for citation in case.citations
    } - {None}
    level = find_court_level(citation.reporter)
    contradicted = bool(same_reporter) or (level is not None and bool(levels - {level}))
    certain = contradicted and year_right
    if certain and is_government_name(citation.case_name or "") and same_reporter:
        # Many cases are called State v. Smith: one number must agree as well.
        numbers = (neighbour.split() for neighbour in same_reporter)
        certain = level is not None or any(
            words and (words[0] == citation.volume or words[-1] == citation.page)
            for words in numbers
        )
    return NearMiss(
        case=case,
        right_citation=right,
        is_meant=certain,
        is_unplaced=year_right and not contradicted,
        is_year_right=year_right,
        is_searched=True,
        provenance=searched,
    )


def _rate_candidate(citation: LegalCitation, case: CourtCase) -> tuple[bool, bool, int, int]:
    same_reporter = citation_comparison.list_same_reporter(case, citation.reporter)
    apart = min(
        (_measure_distance(citation, neighbour) for neighbour in same_reporter), default=10_000
    )
    return (
        not _is_year_right(citation, case),
        not same_reporter,
        apart,
        -(case.citation_count or 0),
    )


def _is_year_right(citation: LegalCitation, case: CourtCase) -> bool:
    year = citation_comparison.find_case_year(case)
    return citation.year is None or year is None or abs(citation.year - year) <= _YEAR_TOLERANCE


def _measure_distance(citation: LegalCitation, other: str) -> int:
    """How far apart two volumes of a reporter are."""
    volume = other.split(maxsplit=1)[0]
    if not (volume.isdecimal() and (citation.volume or "").isdecimal()):
        return 9999
    return abs(int(volume) - int(citation.volume or 0))


# What is known of reporters beyond any registry: their years and volumes, and loose spellings.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReporterFacts:
    """A series of reports; None where it has no end yet or is not known."""

    first_year: int
    last_year: int | None = None
    max_volume: int | None = None


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
    # Only series whose bounds are certain. The tables of reporters-db are not used to accuse: they end
    # the first series of the Federal Supplement ten years too early, for instance.
    known = load_table(__package__, "near_misses")["reporters"].get(reporter or "")
    if known is None:
        return None
    facts = ReporterFacts(**known)
    if facts.max_volume and volume and volume.isdecimal() and int(volume) > facts.max_volume:
        return f"{reporter} has only {facts.max_volume} volumes"
    if year is None:
        return None
    if year < facts.first_year - YEAR_MARGIN:
        return f"{reporter} begins in {facts.first_year}, so it has no case of {year}"
    if facts.last_year is not None and year > facts.last_year + YEAR_MARGIN:
        return f"{reporter} ends in {facts.last_year}, so it has no case of {year}"
    return None


def find_court_level(reporter: str | None) -> str | None:
    """Which courts a federal reporter has decisions of; None for reporters of other or mixed courts."""
    return _COURT_LEVELS.get("".join(filter(str.isalnum, (reporter or "").casefold())))


_COURT_LEVELS = {
    "us": "supreme", "sct": "supreme", "led": "supreme", "led2d": "supreme",
    "f2d": "appeals", "f3d": "appeals", "f4th": "appeals",
    "fsupp": "district", "fsupp2d": "district", "fsupp3d": "district",
}  # fmt: skip
