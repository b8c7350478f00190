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
        total = self.told[label] + self.untrue[label]
        return self.told[label] / total if total else None

    @property
    def accused(self) -> int:
        return sum(row.accused for row in self.sound.values())


def score(tried: Iterable[Tried]) -> Score:
    made = Score()
    for attempt in tried:
        _count(made, attempt)
    return made


def accused(tried: Sequence[Tried]) -> list[Tried]:
    return [attempt for attempt in tried if attempt.accused]


def _count(made: Score, attempt: Tried) -> None:
    kind, expected = attempt.item.kind, set(attempt.item.expect)
    made.confusion.setdefault(kind, Counter())[verdict(attempt.answer)] += 1
    made.told.update(attempt.said & expected)
    made.untrue.update(attempt.said - expected - {*attempt.item.may, *attempt.item.instead})
    if attempt.item.sound:
        row = made.sound.setdefault(kind, Sound(kind=kind))
        row.count += 1
        row.accused += bool(attempt.said)
        row.confirmed += confirmed(attempt.answer)
    else:
        [label] = attempt.item.expect
        _unsound(made.rows.setdefault(kind, Row(kind=kind, label=label)), attempt)
    allowed = {*expected, *attempt.item.may, *attempt.item.instead}
    is_reported = expected <= attempt.said or bool(set(attempt.item.instead) & attempt.said)
    if not is_reported or attempt.said - allowed:
        made.wrong.append(attempt)


def _unsound(row: Row, attempt: Tried) -> None:
    row.count += 1
    row.told += bool({row.label, *attempt.item.instead} & attempt.said)
    row.doubted += verdict(attempt.answer) != CONFIRMED
