"""What the text engine costs on 40 pages of 100 sentences, each step beside plain BM25 in this very run.

Run: python benchmarks/engine.py [--rounds 5]. Trust the ratios, not the milliseconds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from math import log
from typing import TypeVar

from citewell.core.values.research import RESEARCH_TIERS
from citewell.evidence.signs import claim_support, sentence_clusters
from citewell.evidence.signs.sentence_clusters import SentenceCorpus
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.jobs.step_values import PageReading, PageReadings
from citewell.research.pages.page_analysis import find_answer_pattern
from citewell.research.planning.research_plan import build_research_plan
from citewell.text.language import sentences
from citewell.text.passages.answer_windows import WindowCutter, WindowWishes
from citewell.text.passages.page_units import split_page_units
from citewell.text.passages.passage_index import IndexedPage, PassageIndex, TermMatcher
from tests import local_research

PAGES, EACH = 40, 100
T = TypeVar("T")
QUESTION = "What are the effects of urban trees on summer temperatures?"
WITHIN = 3.0  # seconds of processor time
_SUBJECTS = (
    "urban trees|street trees|green roofs|parks|shaded streets|paved squares|city forests|canopy"
)
_VERBS = "reduce|lower|raise|affect|change|improve|moderate|increase"
_THINGS = "summer temperatures|surface heat|air quality|energy use|peak demand|run-off|noise|night-time heat"
_PLACES = "in dense cities|near the coast|in dry climates|during heat waves|on hot afternoons|after sunset"
_MARKS = "according to a survey|in most studies|by about|on average|in measurements|compared with suburbs"


def pages() -> PageReadings:
    """Pages that speak of one subject, with a vocabulary of their own each, as pages do."""
    chance = random.Random(7)
    words = [
        f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("ran", "let", "mon", "vik")
    ]
    return PageReadings(
        pages=tuple(
            PageReading(
                url=f"https://site{number}.example.org/trees",
                title=f"Trees in cities, part {number}",
                text="\n\n".join(
                    " ".join(_sentence(chance, words) for _ in range(5)) for _ in range(EACH // 5)
                ),
                language="en",
            )
            for number in range(PAGES)
        )
    )


def _sentence(chance: random.Random, words: list[str]) -> str:
    parts = [
        chance.choice(group.split("|")) for group in (_SUBJECTS, _VERBS, _THINGS, _PLACES, _MARKS)
    ]
    own = " ".join(chance.choices(words, k=chance.randint(3, 9)))
    figure = f"{chance.randint(1, 40)} percent" if chance.random() < 0.4 else "a little"
    return f"{parts[0].capitalize()} {parts[1]} {parts[2]} {parts[3]}, {parts[4]} {figure}, while the {own} remain."


def plain_bm25(question: str, texts: list[str]) -> list[float]:
    """The least that ranks: split on blanks, count, weigh."""
    split = [text.lower().split() for text in texts]
    held = Counter(word for words in split for word in set(words))
    average = sum(map(len, split)) / len(split)
    wanted = [word for word in question.lower().split() if word in held]
    weights = {
        word: log(1 + (len(split) - held[word] + 0.5) / (held[word] + 0.5)) for word in wanted
    }
    scores = []
    for words in split:
        counts = Counter(words)
        length = 1.2 * (0.25 + 0.75 * len(words) / average)
        scores.append(
            sum(weights[w] * counts[w] * 2.2 / (counts[w] + length) for w in wanted if w in counts)
        )
    return scores


def list_indexed_pages(read: PageReadings) -> list[IndexedPage]:
    return [
        IndexedPage(
            title=page.title,
            language=page.language,
            units=split_page_units(page.text, language=page.language),
        )
        for page in read.pages
    ]


def measure(read: PageReadings) -> dict[str, float]:
    texts = [said for page in read.pages for said in sentences.split_sentences(page.text)]
    spent: dict[str, float] = {}

    def timed(name: str, work: Callable[[], T]) -> T:
        begun = time.process_time()
        made = work()
        spent[name] = time.process_time() - begun
        return made

    timed("plain BM25, the baseline", lambda: plain_bm25(QUESTION, texts))
    timed(
        "split into sentences",
        lambda: [sentences.find_sentence_spans(page.text) for page in read.pages],
    )
    indexed = timed("split into units, with stems", lambda: list_indexed_pages(read))
    index = timed("index passages", lambda: PassageIndex(indexed))
    terms = index.weigh_words(QUESTION, language="en")
    matcher = timed("match the question's words", lambda: TermMatcher(index, terms))
    wishes = WindowWishes(answer=find_answer_pattern(QUESTION), wants_list=True)
    windows = timed("rank and cut windows", lambda: WindowCutter(matcher, wishes).rank_windows())
    said = [
        (unit.text, window.page)
        for window in windows
        for unit in indexed[window.page].units[window.first : window.last + 1]
    ]
    corpus = SentenceCorpus([build_sentence_features(text, language="en") for text, _ in said])
    timed(
        "group what says the same",
        lambda: sentence_clusters.cluster_sentences(corpus, [page for _, page in said]),
    )
    source = claim_support.SourceText(text=read.pages[0].text, language="en")
    timed(
        "check 60 claims against a page",
        lambda: [claim_support.assess_support(text, source) for text in texts[:60]],
    )
    aside = spent["plain BM25, the baseline"] + spent["split into sentences"]  # units hold these
    spent["all of these"] = sum(spent.values()) - aside
    timed(
        "whole analysis, with report",
        lambda: local_research.analyse_readings(
            build_research_plan(QUESTION, RESEARCH_TIERS["L"]), read
        ),
    )
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    read = pages()
    rounds = [measure(read) for _ in range(parser.parse_args().rounds)]
    best = {name: min(spent[name] for spent in rounds) for name in rounds[0]}
    base = best["plain BM25, the baseline"]
    size = sum(len(page.text) for page in read.pages)
    count = sum(len(sentences.find_sentence_spans(page.text)) for page in read.pages)
    print(
        f"{PAGES} pages, {count:,} sentences, {size / 1000:,.0f} KB; best of {len(rounds)}, processor time\n"
    )
    for name, seconds in best.items():
        print(f"{name:32} {1000 * seconds:8.1f} ms {seconds / base:7.1f} of the baseline")
    worst = max(spent["all of these"] for spent in rounds)
    print(f"\nsplitting: {size / 1e6 / best['split into sentences']:.1f} MB/s")
    print(
        f"splitting, ranking, cutting, grouping and checking within {WITHIN:.0f} s: {'yes' if worst < WITHIN else 'NO'} (worst {worst:.2f} s)"
    )


if __name__ == "__main__":
    main()
