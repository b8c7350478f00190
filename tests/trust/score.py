"""How many citations of each kind were told for what they are, and what the others were taken for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.trust.evaluate import Tried
from tests.trust.verdicts import CONFIRMED, confirmed, verdict


@dataclass(slots=True, kw_only=True)
class Row:
    """One kind of unsound citation and the label that it should get."""

    kind: str
    label: str
    count: int = 0
    told: int = 0  # by its label
    doubted: int = 0  # by any label or by not being confirmed

    @property
    def recall(self) -> float:
        return self.told / self.count


@dataclass(slots=True, kw_only=True)
class Sound:
    kind: str
    count: int = 0
    accused: int = 0
    confirmed: int = 0


@dataclass(slots=True, kw_only=True)
class Score:
    rows: dict[str, Row] = field(default_factory=dict)
    sound: dict[str, Sound] = field(default_factory=dict)
    confusion: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[Tried] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)  # labels where they are true
    untrue: Counter[str] = field(default_factory=Counter)  # and where they are not

    def precision(self, label: str) -> float | None:
        """Of the citations that got this label, the share that deserved it."""
        said = self.told[label] + self.untrue[label]
        return self.told[label] / said if said else None

    @property
    def accused(self) -> int:
        return sum(one.accused for one in self.sound.values())


def score(tried: Iterable[Tried]) -> Score:
    made = Score()
    for one in tried:
        _count(made, one)
    return made


def accused(tried: Sequence[Tried]) -> list[Tried]:
    return [one for one in tried if one.accused]


def _count(made: Score, one: Tried) -> None:
    kind, expected = one.item.kind, set(one.item.expect)
    made.confusion.setdefault(kind, Counter())[verdict(one.answer)] += 1
    made.told.update(one.said & expected)
    made.untrue.update(one.said - expected - {*one.item.may, *one.item.instead})
    if one.item.sound:
        row = made.sound.setdefault(kind, Sound(kind=kind))
        row.count += 1
        row.accused += bool(one.said)
        row.confirmed += confirmed(one.answer)
    else:
        [label] = one.item.expect
        _unsound(made.rows.setdefault(kind, Row(kind=kind, label=label)), one)
    allowed = {*expected, *one.item.may, *one.item.instead}
    told = expected <= one.said or bool(set(one.item.instead) & one.said)
    if not told or one.said - allowed:
        made.wrong.append(one)


def _unsound(row: Row, one: Tried) -> None:
    row.count += 1
    row.told += bool({row.label, *one.item.instead} & one.said)
    row.doubted += verdict(one.answer) != CONFIRMED
