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

from citewell.model.research import RESEARCH_TIERS
from citewell.services.research import local_engine
from citewell.services.research.planning.research_plan import build_research_plan
from citewell.services.research.step_values import PageReading, PageReadings
from citewell.text.evidence import claim_support, ranking, sentence_clusters, similarity
from citewell.text.evidence.ranking import SentenceCorpus
from citewell.text.evidence.sentence_features import build_all_features, build_sentence_features
from citewell.text.language import sentences

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


def measure(read: PageReadings) -> dict[str, float]:
    texts = [said for page in read.pages for said in sentences.split_sentences(page.text)]
    owners = [
        number
        for number, page in enumerate(read.pages)
        for _ in sentences.find_sentence_spans(page.text)
    ]
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
    held = timed("stem", lambda: build_all_features(texts))
    corpus = timed("index", lambda: SentenceCorpus(held))
    scores = timed(
        "coverage and BM25", lambda: corpus.score_sentences(build_sentence_features(QUESTION).terms)
    )
    order = ranking.order_by_score(scores, texts)[:200]

    def alike(one: int, other: int) -> float:
        return similarity.measure_similarity(held[one], held[other], corpus.weigh_term)

    timed("choose 30 that differ (MMR)", lambda: ranking.choose_diverse(order, alike, count=30))
    timed("group what says the same", lambda: sentence_clusters.cluster_sentences(corpus, owners))
    source = claim_support.SourceText(text=read.pages[0].text, language="en")
    timed(
        "check 60 claims against a page",
        lambda: [claim_support.assess_support(text, source) for text in texts[:60]],
    )
    spent["all of these"] = sum(spent.values()) - spent["plain BM25, the baseline"]
    timed(
        "whole analysis, with report",
        lambda: local_engine.analyse_readings(
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
        f"ranking, grouping, choosing and checking within {WITHIN:.0f} s: {'yes' if worst < WITHIN else 'NO'} (worst {worst:.2f} s)"
    )


if __name__ == "__main__":
    main()
