"""What the check of a model's report leaves of sentences that are false in the ways models are.

The statements (false_syntheses.txt) were written before the check was read, about paragraphs of XQuAD
and of pages of the Web Content Extraction Benchmark, which are not in this repository: a line for
each passage with its place, then the statements with the passages that they cite. The topics called
"Later" were written after the first mending, to see whether it holds; some of what they showed was
then mended too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import Goal, Section, table
from citewell.core.values.research import ProviderReport, ResearchFindings, ResearchSource
from citewell.evidence.signs.claim_support import SourceText
from citewell.research.reporting.model_synthesis import apply_model_report, build_sentence_judge

_STATEMENTS = Path(__file__).with_name("false_syntheses.txt")
_TRUE = "true"
_CONFIRMED, _MARKED, _BARE, _CUT, _REFUSED = "cited", "marked", "uncited", "cut", "report refused"
_OUTCOMES = (_CONFIRMED, _MARKED, _BARE, _CUT, _REFUSED)
_MARK = "*(not confirmed"
_LATER, _LAST = "Later:", "Last:"
_PASSAGE_PATTERN = re.compile(r"\[(\d)\] (\w+) (\S+) (\S+)")
_STATEMENT_PATTERN = re.compile(r"(\w+) (.+?)((?: ?\[\d\])+)")
_MAX_FALSE_CITED, _MIN_TRUE_KEPT = 8, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    kind: str
    text: str
    cited: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    title: str
    places: dict[str, tuple[str, str, str]]  # set, page and place of each passage
    statements: tuple[Stated, ...]


def list_topics() -> Iterator[Topic]:
    for part in _STATEMENTS.read_text("utf-8").split("%% ")[1:]:
        title, *lines = part.strip().splitlines()
        places, statements = {}, []
        for line in lines:
            if found := _PASSAGE_PATTERN.fullmatch(line):
                places[found[1]] = (found[2], found[3], found[4])
            elif found := _STATEMENT_PATTERN.fullmatch(line):
                cited = tuple(re.findall(r"\d", found[3]))
                statements.append(Stated(kind=found[1], text=found[2], cited=cited))
        yield Topic(title=title, places=places, statements=tuple(statements))


def false_syntheses(folder: Path) -> Section:
    """`folder` is that of the extraction pages; `research-eval` lies beside it."""
    first: Counter[tuple[str, str]] = Counter()
    later: Counter[tuple[str, str]] = Counter()
    last: Counter[tuple[str, str]] = Counter()
    for topic in list_topics():
        texts = {number: load_passage(folder, *place) for number, place in topic.places.items()}
        outcomes = check_report(topic, texts, topic.statements)
        parts = {_LATER: later, _LAST: last}
        counts = next((held for mark, held in parts.items() if topic.title.startswith(mark)), first)
        counts.update(zip((one.kind for one in topic.statements), outcomes, strict=True))
    return Section(
        title="Reports by models: false sentences kept",
        command="python -m benchmarks false-syntheses --pages ../shared/extraction",
        body=f"{_show_counts(first)}\n\nFour topics written later:\n\n{_show_counts(later)}\n\nEight topics by another author:\n\n{_show_counts(last)}",
        notes="Seven false and three true sentences make a report on each topic. The judge is the lexical one, without a model. A sentence is cited and unmarked, marked as not confirmed with its citation, left without a citation, or cut; of a report of which hardly anything is left, quotations take the place. Before, 13 of the first 56 false sentences were cited and unmarked if each was a report of its own, 6 of the 24 true ones were kept, and all eight reports were refused as a whole. When the four later topics were first run, 9 of their 28 false sentences passed; what they showed was mended by kind, so that only texts of others tell how it does on the unknown. One author wrote these. The last eight topics are by another, who had seen nothing of the program: when they were first run, 6 of their 56 false sentences were cited and unmarked, 4 of the 24 true ones, and 18 true and 34 false ones were marked, so that a mark says little about the truth of a sentence.",
        goals=(*_list_goals(first), *_list_goals(last, "last ")),
    )


def check_report(
    topic: Topic, texts: dict[str, str], statements: tuple[Stated, ...]
) -> tuple[str, ...]:
    """What becomes of each sentence of a report that consists of these."""
    lines = (f"- {one.text} {''.join(f'[src_{at}]' for at in one.cited)}" for one in statements)
    findings = ResearchFindings(
        query=topic.title,
        synthesis="Quotations.\n",
        synthesis_by="extractive",
        sources=tuple(
            ResearchSource(ref=f"src_{number}", url=f"https://{number}.example.org/")
            for number in texts
        ),
    )
    sources = {f"src_{number}": SourceText(text=text) for number, text in texts.items()}
    report = ProviderReport(provider="writer", text="\n".join(lines))
    found = apply_model_report(findings, report, build_sentence_judge(findings, sources))
    is_refused = found.synthesis_by == "extractive"
    return tuple(
        _REFUSED if is_refused else _find_outcome(one, found.synthesis) for one in statements
    )


def _find_outcome(one: Stated, synthesis: str) -> str:
    [line] = [line for line in synthesis.splitlines() if one.text in line] or [""]
    if not line:
        return _CUT
    if not re.search(r"\[src_\d\]", line):
        return _BARE
    return _MARKED if _MARK in line else _CONFIRMED


def load_passage(folder: Path, kind: str, page: str, place: str) -> str:
    if kind == "xquad":
        file = folder.parent / "research-eval/xquad.en.json"
        articles = json.loads(file.read_text("utf-8"))["data"]
        [found] = [one for one in articles if one["title"] == page]
        return str(found["paragraphs"][int(place)]["context"])
    file = folder / f"data/wcxb/dev/ground-truth/{page}.json"
    start, end = map(int, place.split("-"))
    return str(json.loads(file.read_text("utf-8"))["ground_truth"]["main_content"][start:end])


def _show_counts(counts: Counter[tuple[str, str]]) -> str:
    kinds = sorted({(kind != _TRUE, kind) for kind, _ in counts})
    rows = []
    for _, kind in kinds:
        found = [counts[kind, outcome] for outcome in _OUTCOMES]
        rows.append([kind.replace("_", " "), str(sum(found)), *map(str, found)])
    return table(["sentences", "all", *_OUTCOMES], rows)


def _list_goals(counts: Counter[tuple[str, str]], which: str = "") -> Iterator[Goal]:
    passed = sum(counts[kind, _CONFIRMED] for kind in {kind for kind, _ in counts} - {_TRUE})
    false = sum(count for (kind, _), count in counts.items() if kind != _TRUE)
    clear, marked = counts[_TRUE, _CONFIRMED], counts[_TRUE, _MARKED]
    yield Goal(
        text=f"{which}false sentences cited and unmarked: at most {_MAX_FALSE_CITED} of 56",
        measured=f"{passed} of {false}",
        met=passed <= _MAX_FALSE_CITED,
    )
    yield Goal(
        text=f"{which}true sentences kept with their citation: at least {_MIN_TRUE_KEPT} of 24",
        measured=f"{clear} unmarked and {marked} marked",
        met=clear + marked >= _MIN_TRUE_KEPT,
    )
