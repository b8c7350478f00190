"""How often the check of a draft confirms statements about pages that are false in the ways models are.

The statements (false_statements.txt, false_statements_later.txt) were written by authors who had not seen the program: about 40
English pages of the Web Content Extraction Benchmark and 28 German and Spanish articles of XQuAD,
which are not in this repository.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.report import Goal, Section, table
from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import ReadSource, SourceStance
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText

_STATEMENTS = Path(__file__).with_name("false_statements.txt")
_LATER_STATEMENTS = Path(__file__).with_name("false_statements_later.txt")
_TRUE = "true"
_STANCES = (
    SourceStance.SUPPORTS,
    SourceStance.CONTRADICTS,
    SourceStance.PARTLY,
    SourceStance.ABSENT,
    SourceStance.RELATED,
    SourceStance.UNCOMPARED,
)
_MAX_CONFIRMED_FALSE, _MIN_CONFIRMED_TRUE, _MAX_ACCUSED_TRUE = 0.06, 0.33, 0.015


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    language: str
    page: str
    kind: str
    text: str


def list_statements(file: Path = _STATEMENTS) -> Iterator[Written]:
    for part in file.read_text("utf-8").split("%% ")[1:]:
        place, *lines = part.strip().splitlines()
        language, page = place.split(" ", 1)
        for line in lines:
            kind, text = line.split(" ", 1)
            yield Written(language=language, page=page, kind=kind, text=text)


def false_statements(folder: Path) -> Section:
    """`folder` is that of the extraction pages; `research-eval` lies beside it."""
    counts = _count_stances(folder, _STATEMENTS)
    later = _count_stances(folder, _LATER_STATEMENTS)
    return Section(
        title="Draft check: false statements confirmed",
        command="python -m benchmarks false-statements --pages ../shared/extraction",
        body=f"{_show_counts(counts)}\n\nBy a later author, about other pages:\n\n{_show_counts(later)}",
        notes="Every source was read as a whole; the judge is the lexical one, without a model. Each author judged alone which statements are true. One author wrote the English statements, another the German and Spanish ones, and a third, who had seen nothing of the program, all of the later ones. Some rules were chosen with the first statements in view. When the later ones were first judged, 7 of their 72 false statements were called supported, 30 of the 72 true ones, nearly all of these in the words of the page, and 2 true ones were flagged; three kinds of fault that they showed were mended then.",
        goals=(*_list_goals(counts), *_list_goals(later, "later ")),
    )


def _count_stances(folder: Path, file: Path) -> Counter[tuple[str, str, SourceStance]]:
    counts: Counter[tuple[str, str, SourceStance]] = Counter()
    for one in list_statements(file):
        source = load_source(folder, one.language, one.page)
        opinion = judge_by_words(ClaimPair(claim=one.text, source=source))
        read = ReadSource(text=source.text, language=one.language, is_whole=True)
        counts[one.language, one.kind, judge_statement(one.text, source, read, opinion).stance] += 1
    return counts


@cache
def load_source(folder: Path, language: str, page: str) -> SourceText:
    if language == "en":
        file = folder / f"data/wcxb/dev/ground-truth/{page}.json"
        gold = json.loads(file.read_text("utf-8"))["ground_truth"]
        text = f"{gold.get('title') or ''}\n\n{gold['main_content']}"
    else:
        file = folder.parent / f"research-eval/xquad.{language}.json"
        articles = json.loads(file.read_text("utf-8"))["data"]
        [found] = [one for one in articles if one["title"] == page]
        text = "\n\n".join(one["context"] for one in found["paragraphs"])
    return SourceText(text=text, language=language)


def _show_counts(counts: Counter[tuple[str, str, SourceStance]]) -> str:
    kinds = sorted({(language, kind != _TRUE, kind) for language, kind, _ in counts})
    rows = []
    for language, _, kind in kinds:
        found = [counts[language, kind, stance] for stance in _STANCES]
        rows.append([f"{language}: {kind.replace('_', ' ')}", str(sum(found)), *map(str, found)])
    head = ["statements", "all", "supported", "contradicted", "partly", "not in source", "related", "unchecked"]  # fmt: skip
    return table(head, rows)


def _list_goals(counts: Counter[tuple[str, str, SourceStance]], which: str = "") -> Iterator[Goal]:
    total = {side: _count(counts, is_true=side) for side in (True, False)}
    confirmed = {side: _count(counts, SourceStance.SUPPORTS, is_true=side) for side in total}
    accused = sum(
        _count(counts, stance, is_true=True)
        for stance in (SourceStance.CONTRADICTS, SourceStance.PARTLY, SourceStance.ABSENT)
    )
    yield Goal(
        text=f"{which}false statements called supported: at most {_MAX_CONFIRMED_FALSE:.0%}",
        measured=f"{confirmed[False]} of {total[False]}",
        met=confirmed[False] <= _MAX_CONFIRMED_FALSE * total[False],
    )
    yield Goal(
        text=f"{which}true statements called supported: at least {_MIN_CONFIRMED_TRUE:.0%}",
        measured=f"{confirmed[True]} of {total[True]}",
        met=confirmed[True] >= _MIN_CONFIRMED_TRUE * total[True],
    )
    yield Goal(
        text=f"{which}true statements flagged: at most {_MAX_ACCUSED_TRUE:.1%}",
        measured=f"{accused} of {total[True]}",
        met=accused <= _MAX_ACCUSED_TRUE * total[True],
    )


def _count(
    counts: Counter[tuple[str, str, SourceStance]],
    stance: SourceStance | None = None,
    *,
    is_true: bool,
) -> int:
    return sum(
        count
        for (_, kind, found), count in counts.items()
        if (kind == _TRUE) is is_true and stance in (None, found)
    )
