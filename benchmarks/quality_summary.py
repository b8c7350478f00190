"""Sums up judged answers: one row for each kind of question and one for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.answer_scoring import AnswerJudgement, EvaluationQuestion

JudgedPair = tuple[EvaluationQuestion, AnswerJudgement]
COLUMNS = (
    "n",
    "failed",
    "g100",
    "g250",
    "any250",
    "top1",
    "read",
    "false refusals",
    "true refusals",
    "or told in part",
    "both parts",
    "copies",
    "dangling",
    "debris",
    "words",
    "CPU s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRow:
    """Shares in percent of answerable questions; lines with faults for each hundred quoted ones."""

    asked: int
    failed: int  # jobs without a report that has an Answer
    answerable: int
    short_facts: float
    long_facts: float
    any_fact: float
    first_line: float
    pages_read: float
    false_refusals: int
    true_refusals: int
    right_endings: int  # true refusals, and near misses where the report says what was not found
    parted: int
    both_parts: int
    copies: float
    dangling: float
    debris: float
    words: float
    cpu_seconds: float

    @property
    def unanswerable(self) -> int:
        return self.asked - self.answerable

    def render_cells(self) -> list[str]:
        """The cells of a table under COLUMNS; a dash where nothing of the sort was asked."""
        able, none = bool(self.answerable), bool(self.unanswerable)
        shares = (
            self.short_facts,
            self.long_facts,
            self.any_fact,
            self.first_line,
            self.pages_read,
        )
        return [
            str(self.asked),
            str(self.failed),
            *(f"{share:.0f}" if able else "–" for share in shares),
            f"{self.false_refusals} of {self.answerable}" if able else "–",
            f"{self.true_refusals} of {self.unanswerable}" if none else "–",
            f"{self.right_endings} of {self.unanswerable}" if none else "–",
            f"{self.both_parts} of {self.parted}" if self.parted else "–",
            f"{self.copies:.1f}",
            f"{self.dangling:.1f}",
            f"{self.debris:.1f}",
            f"{self.words:.0f}",
            f"{self.cpu_seconds:.2f}",
        ]


def summarize_judgements(pairs: Sequence[JudgedPair]) -> QualityRow:
    able = [judged for question, judged in pairs if question.facts]
    none = [judged for question, judged in pairs if not question.facts]
    everyone = [*able, *none]
    parted = [judged for judged in able if len(judged.parts) > 1]
    return QualityRow(
        asked=len(pairs),
        failed=sum(judged.failed for judged in everyone),
        answerable=len(able),
        short_facts=_average_percent(able, lambda one: sum(one.in_short) / len(one.in_short)),
        long_facts=_average_percent(able, lambda one: sum(one.in_long) / len(one.in_long)),
        any_fact=_average_percent(able, lambda one: any(one.in_long)),
        first_line=_average_percent(able, lambda one: one.first_from_gold),
        pages_read=_average_percent(able, lambda one: one.gold_read),
        false_refusals=sum(judged.refused for judged in able),
        true_refusals=sum(judged.refused for judged in none),
        right_endings=sum(judged.ends_right for judged in none),
        parted=len(parted),
        both_parts=sum(all(judged.parts.values()) for judged in parted),
        copies=_count_per_hundred(everyone, lambda one: one.copied),
        dangling=_count_per_hundred(everyone, lambda one: one.dangling),
        debris=_count_per_hundred(everyone, lambda one: one.debris),
        words=_average_measure(everyone, lambda one: one.words),
        cpu_seconds=_average_measure(everyone, lambda one: one.cpu_seconds),
    )


def summarize_kinds(pairs: Sequence[JudgedPair]) -> dict[str, QualityRow]:
    """A row for each kind of question, by name."""
    kinds = sorted({question.kind for question, _ in pairs})
    return {
        kind: summarize_judgements([pair for pair in pairs if pair[0].kind == kind])
        for kind in kinds
    }


def _average_percent(
    judged: Sequence[AnswerJudgement], measure: Callable[[AnswerJudgement], float]
) -> float:
    return 100 * _average_measure(judged, measure)


def _average_measure(
    judged: Sequence[AnswerJudgement], measure: Callable[[AnswerJudgement], float]
) -> float:
    return sum(measure(one) for one in judged) / len(judged) if judged else 0.0


def _count_per_hundred(
    judged: Sequence[AnswerJudgement], count: Callable[[AnswerJudgement], int]
) -> float:
    quoted = sum(one.quoted_lines for one in judged)
    return 100 * sum(count(one) for one in judged) / quoted if quoted else 0.0
