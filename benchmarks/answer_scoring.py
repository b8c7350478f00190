"""Scores research reports against questions with known facts: what is answered, from which page, how cleanly.

A question names its gold pages and its facts; a fact is a list of regular expressions of which one must
match. Only lines of the report that cite a gold page count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SHORT_WORDS, LONG_WORDS = 100, 250  # of the Answer, within which a fact must stand
NEAR_COPY_SHARE = 0.7  # of the shorter line's word triples
UNSCORED_SECTIONS = ("", "Sources", "Method", "Not found")

_HEADING = re.compile(r"##\s+(.*)")
_LINE_BREAK = re.compile(r"\n(?=\s*[-|])|\n\s*\n")
_BULLET = re.compile(r"^\s*(?:- |\d+\. )")
_CITATION = re.compile(r"\[(src_\d+)\]")
_OWN_MARK = re.compile(r"\*\([^()]*\)\*\s*$")  # such as *(low confidence)*
_TABLE_RULE = re.compile(r"[|\s:-]+")
_REFUSAL = re.compile(
    r"no page (?:was )?found|nothing was found|no answer (?:was )?found|does not answer|none of the pages",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"(?:and|but|or|so|however|therefore|thus|also|moreover|furthermore|additionally|instead|otherwise|then"
    r"|this|that|these|those|they|it|its|their|he|she|his|her|such|both)\b(?! (?:is|are) (?:a|an|the) )",
    re.IGNORECASE,
)
_DEBRIS = re.compile(
    r"!\[|\]\(|\*\*|^#+ |\|\s*\||\\[\[\]()*_#|]|&(?:amp|nbsp|lt|gt|#\d+);|</?\w+[^>]*>|\ufffd"
    r"|(?:^|\s)[*#_]{1,3}(?:\s|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldFact:
    """One thing the answer must say; `part` tells the halves of a two-part question apart."""

    part: str
    patterns: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        return any(re.search(pattern, text, re.IGNORECASE) for pattern in self.patterns)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationQuestion:
    """A question, the pages that answer it and what they say; without facts no page answers it."""

    id: str
    text: str
    kind: str
    gold: frozenset[str]
    facts: tuple[GoldFact, ...]
    refusal: str = ""  # what is right where no page answers: nothing, subject or part
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """A report, the page behind each of its citations, and the processor time that it took."""

    report: str
    pages: Mapping[str, str]
    cpu_seconds: float = 0.0
    failed: bool = False  # there is no report: the job failed, or its question was not accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """A line of a report without its marks, and what it cites."""

    text: str
    refs: tuple[str, ...]

    def cites_any(self, gold: frozenset[str], pages: Mapping[str, str]) -> bool:
        return any(pages.get(ref) in gold for ref in self.refs)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerJudgement:
    """What one answer is worth. The facts are in the order of the question's."""

    refused: bool
    ends_right: bool  # of an unanswerable question: it is refused, or told to be answered in part
    in_short: tuple[bool, ...]  # within the first SHORT_WORDS
    in_long: tuple[bool, ...]
    parts: Mapping[str, bool] = field(default_factory=dict)
    first_from_gold: bool = False
    gold_read: bool = False
    quoted_lines: int = 0
    copied: int = 0
    dangling: int = 0
    debris: int = 0
    words: int = 0
    cpu_seconds: float = 0.0
    failed: bool = False


def read_questions(path: Path) -> tuple[EvaluationQuestion, ...]:
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    return tuple(_parse_question(row) for row in rows)


def split_sections(report: str) -> dict[str, str]:
    """The text under each heading of second level; what stands before the first one is ""."""
    lines: dict[str, list[str]] = {"": []}
    name = ""
    for line in report.splitlines():
        if found := _HEADING.match(line):
            name = found[1].strip()
            lines.setdefault(name, [])
        else:
            lines[name].append(line)
    return {key: "\n".join(value).strip() for key, value in lines.items()}


def list_report_lines(text: str) -> list[ReportLine]:
    """Items, table rows and paragraphs, without bullets, citations and our own marks."""
    made = []
    for block in _LINE_BREAK.split(text):
        said = _CITATION.sub("", _BULLET.sub("", block.strip())).strip()
        said = " ".join(_OWN_MARK.sub("", said).split())
        if said and not _TABLE_RULE.fullmatch(said):
            made.append(ReportLine(text=said, refs=tuple(_CITATION.findall(block))))
    return made


def take_first_words(lines: Iterable[ReportLine], count: int) -> list[ReportLine]:
    """The lines that begin within the first `count` words, the last of them cut."""
    left, taken = count, []
    for line in lines:
        words = line.text.split()[:left]
        if words:
            taken.append(ReportLine(text=" ".join(words), refs=line.refs))
        left -= len(words)
    return taken


def judge_answer(question: EvaluationQuestion, answer: GivenAnswer) -> AnswerJudgement:
    sections = split_sections(answer.report)
    lines = list_report_lines(sections.get("Answer", ""))
    cited = [line for line in lines if line.refs]
    quotes = [
        line
        for name, text in sections.items()
        if name not in UNSCORED_SECTIONS
        for line in list_report_lines(text)
        if line.refs
    ]
    in_long = _find_facts(question, lines, answer.pages, LONG_WORDS)
    said = " ".join(line.text for line in lines)
    refused = not lines or (not cited and bool(_REFUSAL.search(said)))
    tells_missing = bool(sections.get("Not found"))
    return AnswerJudgement(
        refused=refused,
        ends_right=refused or (question.refusal == "part" and tells_missing),
        in_short=_find_facts(question, lines, answer.pages, SHORT_WORDS),
        in_long=in_long,
        parts=_find_parts(question, in_long),
        first_from_gold=bool(cited) and cited[0].cites_any(question.gold, answer.pages),
        gold_read=bool(question.gold & set(answer.pages.values())),
        quoted_lines=len(quotes),
        copied=_count_near_copies(quotes),
        dangling=sum(bool(_DANGLING.match(line.text.lstrip("\"“'*("))) for line in quotes),
        debris=sum(bool(_DEBRIS.search(line.text)) for line in quotes),
        words=len(said.split()),
        cpu_seconds=answer.cpu_seconds,
        failed=answer.failed or "Answer" not in sections,
    )


def _parse_question(row: Mapping[str, object]) -> EvaluationQuestion:
    facts, gold = row["facts"], row["gold"]
    assert isinstance(facts, list)
    assert isinstance(gold, list)
    return EvaluationQuestion(
        id=str(row["id"]),
        text=str(row["q"]),
        kind=str(row["kind"]),
        gold=frozenset(gold),
        facts=tuple(GoldFact(part=one["part"], patterns=tuple(one["any"])) for one in facts),
        refusal=str(row.get("refusal", "")),
        language=str(row.get("language", "en")),
    )


def _find_facts(
    question: EvaluationQuestion,
    lines: Sequence[ReportLine],
    pages: Mapping[str, str],
    count: int,
) -> tuple[bool, ...]:
    good = [line for line in take_first_words(lines, count) if line.cites_any(question.gold, pages)]
    return tuple(any(fact.stands_in(line.text) for line in good) for fact in question.facts)


def _find_parts(question: EvaluationQuestion, found: Sequence[bool]) -> dict[str, bool]:
    parts: dict[str, bool] = {}
    for fact, held in zip(question.facts, found, strict=True):
        if fact.part:
            parts[fact.part] = parts.get(fact.part, False) or held
    return parts


def _count_near_copies(lines: Sequence[ReportLine]) -> int:
    seen: list[set[tuple[str, ...]]] = []
    copies = 0
    for line in lines:
        mine = _collect_triples(line.text)
        copies += any(
            len(mine & other) > NEAR_COPY_SHARE * min(len(mine), len(other)) for other in seen
        )
        seen.append(mine)
    return copies


def _collect_triples(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[at : at + 3]) for at in range(len(words) - 2)} or {tuple(words)}
