"""Where statements on one subject do not agree: one denies the other, or their values differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.research import ValueRow, ValueTable
from citewell.text import cluster, numbers, similar, support, tokens
from citewell.text.bags import Bag
from citewell.text.numbers import DAY, ORDINAL, YEAR, Quantity
from citewell.text.rank import Corpus
from citewell.text.units import MEASURES

_UNTOLD = frozenset((YEAR, DAY, ORDINAL, ""))  # no measure: they differ for many reasons
_NEAR = 0.5  # of each other's words, numbers left out
_NEARER = 0.65  # where only a year or a bare number differs
_SHARED = 2  # telling words at least
_LOOSE = 0.8  # numbers are words too: statements that differ in them share a little less
_FEW, _OFTEN = 20, 0.2  # statements; the share of them that makes a word common
_WORDS = 6  # of a subject
_MOST_ROWS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two statements, by their places; `unit` is that in which their values differ, None for a denial."""

    first: int
    second: int
    unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A statement with its source, as a table of values shows it."""

    bag: Bag
    source: str
    published: str | None
    snippet: str


def conflicts(statements: Sequence[Bag], origins: Sequence[str]) -> tuple[Conflict, ...]:
    """Every pair of different origins on one subject that cannot both hold as they stand."""
    corpus = Corpus(statements)
    common = _common(corpus)
    pairs = sorted(set(cluster.candidates(corpus)))
    found = (
        _conflict(first, second, statements, common)
        for first, second in pairs
        if origins[first] != origins[second]
    )
    return tuple(one for one in found if one is not None)


def _common(corpus: Corpus) -> frozenset[str]:
    """Words that many statements hold, because all are on one question: they tie no two together."""
    count = len(corpus.sentences)
    if count < _FEW:
        return frozenset()
    terms = {term for one in corpus.sentences for term in one.terms}
    return frozenset(term for term in terms if corpus.count(term) > _OFTEN * count)


def _conflict(
    first: int, second: int, statements: Sequence[Bag], common: frozenset[str]
) -> Conflict | None:
    one, other = statements[first], statements[second]
    if similar.both_ways(one, other) < support.TOPICAL * _LOOSE:
        return None
    near = _together(one, other, common)
    if near < _NEAR:
        return None
    if one.negated != other.negated:
        alike = similar.both_ways(one, other) >= support.TOPICAL
        return Conflict(first=first, second=second) if alike else None
    unit = _differing(one, other, near)
    return None if unit is None else Conflict(first=first, second=second, unit=unit)


def _together(one: Bag, other: Bag, common: frozenset[str]) -> float:
    """What two statements hold of each other; numbers and the question's own words left out."""
    mine, theirs = _worded(one) - common, _worded(other) - common
    shared = len(mine & theirs)
    if shared < min(_SHARED, len(mine), len(theirs)) or not shared:
        return 0.0
    return shared / max(len(mine), len(theirs))


def _worded(one: Bag) -> frozenset[str]:
    return frozenset(term for term in one.terms if not term[0].isdigit())


def _differing(one: Bag, other: Bag, near: float) -> str | None:
    """The unit in which the two differ; statements on different years are no disagreement."""
    mine, theirs = _by_unit(one.quantities), _by_unit(other.quantities)
    apart = [
        unit
        for unit in sorted(mine.keys() & theirs.keys())
        if numbers.clash(mine[unit], theirs[unit])
    ]
    measured = [unit for unit in apart if unit not in _UNTOLD]
    if measured:
        return None if YEAR in apart else measured[0]
    return apart[0] if apart and near >= _NEARER and len(apart) == 1 else None


def _by_unit(quantities: Sequence[Quantity]) -> dict[str, list[Quantity]]:
    units: dict[str, list[Quantity]] = {}
    for one in quantities:
        units.setdefault(one.unit, []).append(one)
    return units


def tables(said: Sequence[Said], differing: Sequence[Conflict]) -> tuple[ValueTable, ...]:
    """One table for each set of statements that give other values for the same thing."""
    sets: list[tuple[str, list[int]]] = []
    for one in differing:
        unit = one.unit or ""
        joined = [
            held
            for name, held in sets
            if name == unit and (one.first in held or one.second in held)
        ]
        merged = sorted({one.first, one.second, *(place for held in joined for place in held)})
        sets = [(name, held) for name, held in sets if held not in joined or name != unit]
        sets.append((unit, merged))
    made = (_table(unit, [said[place] for place in places]) for unit, places in sets)
    return tuple(table for table in made if len(table.rows) > 1)


def _table(unit: str, said: Sequence[Said]) -> ValueTable:
    rows = [
        ValueRow(
            value=value.text.strip(),
            source=one.source,
            date=_year(one.bag) or one.published,
            snippet=one.snippet,
        )
        for one in said
        for value in _by_unit(one.bag.quantities).get(unit, ())[:1]
    ]
    kept = tuple(dict.fromkeys(rows))[:_MOST_ROWS]
    return ValueTable(
        subject=subject([one.bag for one in said], without=unit),
        unit=_shown(unit, kept[0].value if kept else ""),
        rows=kept,
    )


def _shown(unit: str, value: str) -> str:
    """The unit as people write it; things counted, as the first source calls them."""
    if unit in {YEAR, DAY}:
        return "year" if unit == YEAR else "date"
    return unit if unit in MEASURES else value.rpartition(" ")[2] if unit else ""


def _year(one: Bag) -> str | None:
    years = [quantity.text for quantity in one.quantities if quantity.unit == YEAR]
    return years[0] if len(years) == 1 else None


def subject(statements: Sequence[Bag], *, without: str = "") -> str:
    """The words that all statements share, as the first one writes them; not that of the unit."""
    shared = frozenset.intersection(*(_worded(one) for one in statements)) - {without}
    code = (statements[0].language or "en")[:2]
    kept: dict[str, str] = {}
    for word in statements[0].text.split():
        bare = word.strip(".,;:!?()[]\"'“”‘’«»")
        stems = [tokens.stem(part, code) for part in tokens.words(bare)]
        if stems and all(stem in shared for stem in stems) and stems[0] not in kept:
            kept[stems[0]] = bare
    return " ".join(list(kept.values())[:_WORDS])
