"""Documents for a large library: passages of real pages with questions about them, and made ones.

The made ones have the words of the passages with the frequencies that they have there, and each of
six words that stand in every other document.
"""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmarks.answer_scoring import EvaluationQuestion, read_questions
from benchmarks.subjects import ROOT
from citewell.library.library_rows import DocumentCard, LibraryDocument

OWN_QUESTIONS = ROOT / "tests" / "evaluation" / "research_questions.jsonl"
SAVED_SET = ROOT.parent / "shared" / "research-eval"  # real pages, which are not ours to keep here
SAVED_TEXTS = SAVED_SET.parent / "extraction" / "data" / "wcxb" / "dev" / "ground-truth"
FREQUENT_WORDS = ("harbour", "lantern", "granite", "meadow", "copper", "violin")
PASSAGE_WORDS, MADE_WORDS = 80, (8, 32)
QUERIES_OF_A_KIND = 60
QUESTIONS = "questions"
FREQUENT_IN_A_DOCUMENT = (0, 0, 0, 0, 1, 1, 1, 2, 3)  # how often each such word is written


@dataclass(slots=True)
class Corpus:
    """Passages first, then as many made documents as are asked for."""

    passages: list[LibraryDocument]
    grades: dict[str, dict[str, int]]  # by question, of passages that answer it
    _words: list[str] = field(default_factory=list)
    _sums: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        counted = Counter(
            word for one in self.passages for word in re.findall(r"[a-z]{2,}", one.text.lower())
        )
        self._words = [word for word, _ in counted.most_common()]
        self._sums = list(itertools.accumulate(count for _, count in counted.most_common()))

    def list_documents(self, start: int, end: int) -> Iterator[LibraryDocument]:
        """The documents of these numbers, the same in every run."""
        yield from self.passages[start:end]
        for number in range(max(start, len(self.passages)), end):
            yield self._make_document(number)

    def list_queries(self) -> dict[str, list[str]]:
        dice = random.Random(5)
        kinds = {"rare words": (6_000, 20_000), "usual words": (400, 6_000)}
        made = {
            kind: [
                " ".join(dice.sample(self._words[low:high], dice.randint(2, 3)))
                for _ in range(QUERIES_OF_A_KIND)
            ]
            for kind, (low, high) in kinds.items()
        }
        made["words of half of all documents"] = [
            " ".join(dice.sample(FREQUENT_WORDS, dice.randint(1, 3)))
            for _ in range(QUERIES_OF_A_KIND)
        ]
        made["one of those and a usual word"] = [
            f"{dice.choice(FREQUENT_WORDS)} {dice.choice(self._words[400:6_000])}"
            for _ in range(QUERIES_OF_A_KIND)
        ]
        made[QUESTIONS] = sorted(self.grades)
        return made

    def _make_document(self, number: int) -> LibraryDocument:
        dice = random.Random(number)
        words = dice.choices(self._words, cum_weights=self._sums, k=dice.randint(*MADE_WORDS))
        for word in FREQUENT_WORDS:
            words += [word] * dice.choice(FREQUENT_IN_A_DOCUMENT)
        dice.shuffle(words)
        card = DocumentCard(id=f"made {number}", title=" ".join(words[:3]), language="en")
        return LibraryDocument(card=card, text=" ".join(words))


def load_corpus() -> Corpus:
    texts = _read_own_texts()
    questions = [one for one in read_questions(OWN_QUESTIONS) if one.language == "en"]
    if SAVED_TEXTS.exists():
        texts |= _read_saved_texts()
        questions += read_questions(SAVED_SET / "questions.jsonl")
    passages = [
        LibraryDocument(
            card=DocumentCard(id=f"{name}#{place}", title=title, language="en"), text=text
        )
        for name, (title, whole) in sorted(texts.items())
        for place, text in enumerate(_split_passages(whole))
    ]
    random.Random(3).shuffle(passages)
    grades = {one.text: _grade_passages(one, passages) for one in questions if one.facts}
    return Corpus(
        passages=passages, grades={text: found for text, found in grades.items() if found}
    )


def score_ranking(found: Sequence[str], grades: dict[str, int]) -> float:
    """The nDCG of the first ten."""
    best = _sum_discounted(sorted(grades.values(), reverse=True)[:10])
    return _sum_discounted([grades.get(one, 0) for one in found[:10]]) / best


def _sum_discounted(grades: Sequence[int]) -> float:
    return sum((float(2**grade) - 1) / math.log2(place + 2) for place, grade in enumerate(grades))


def _grade_passages(
    question: EvaluationQuestion, passages: Sequence[LibraryDocument]
) -> dict[str, int]:
    """Two for a passage of a gold page that states a fact, one for any other of the page."""
    return {
        one.card.id: 1 + any(fact.stands_in(one.text) for fact in question.facts)
        for one in passages
        if one.card.id.rpartition("#")[0] in question.gold
    }


def _read_own_texts() -> dict[str, tuple[str, str]]:
    from citewell.reading.html.main_content import extract_markdown
    from tests.internet.render import markup
    from tests.internet.world import World

    return {
        f"{page.host}/{page.path}": (
            page.title,
            extract_markdown(markup(page), "http://example.org/"),
        )
        for page in World().pages
    }


def _read_saved_texts() -> dict[str, tuple[str, str]]:
    found = {}
    for line in (SAVED_SET / "pages.txt").read_text("utf-8").splitlines():
        name = line.split("\t")[0]
        file = SAVED_TEXTS / f"{name}.json"
        truth = json.loads(file.read_text("utf-8"))["ground_truth"]
        found[name] = (truth.get("title") or "", truth.get("main_content") or "")
    return found


def _split_passages(text: str) -> Iterator[str]:
    words = text.split()
    for start in range(0, len(words), PASSAGE_WORDS):
        yield " ".join(words[start : start + PASSAGE_WORDS])
