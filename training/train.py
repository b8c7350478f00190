"""Train the block scorer and the kind judge, report out-of-fold F1, write weights.json and trees.py."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import pickle
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import render
from pages import Sample, fold_of, load, parse
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from tables import gather

from citewell.fetch.html import block_features, block_scoring, page_kind

_LOG = logging.getLogger("train")
_TARGET = Path(__file__).parents[1] / "src/citewell/fetch/html"
_LEAST_PAGES = 7
_LEAST_SIGNAL = 10
_PARAMETERS = {
    "objective": "cross_entropy",
    "learning_rate": 0.12,
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "min_sum_hessian_in_leaf": 1e-3,
    "num_threads": 1,
    "verbose": -1,
    "seed": 1,
}

Rows = list[np.ndarray]


class Corpus:
    """All samples with what does not depend on the fold: head, signals, weights."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples = samples
        parsed = [parse(sample.html, {}) for sample in samples]
        self.pages = [page for _, page in parsed]
        self.heads = [page_kind.read_page_head(tree) for tree, _ in parsed]
        self.hints = [head.build_title_hints() for head in self.heads]
        self.signals = [
            page_kind.collect_kind_signals(page, head, sample.url)
            for page, head, sample in zip(self.pages, self.heads, samples, strict=True)
        ]
        self.kinds = np.array([sample.kind for sample in samples])
        self.labels = [np.array(sample.labels, np.float32) for sample in samples]
        self.weights = [_block_weights(sample) for sample in samples]

    def rows(
        self, index: int, names: dict[str, float], words: dict[str, float], chances: np.ndarray
    ) -> np.ndarray:
        _, page = parse(self.samples[index].html, names)
        rows = block_features.build_feature_rows(page, words, self.hints[index], chances)
        return np.array(rows, np.float32).reshape(-1, len(block_features.FEATURE_COLUMNS))


def _block_weights(sample: Sample) -> np.ndarray:
    """Every page counts alike, and within it every word."""
    sizes = np.array(sample.sizes, np.float32)
    return sizes / max(sum(sample.gold.values()), 0.3 * sizes.sum(), 1)


def fit_kinds(signals: list[dict[str, float]], kinds: np.ndarray) -> dict[str, list[float]]:
    counts = Counter(name for found in signals for name in found)
    kept = [{k: v for k, v in found.items() if counts[k] >= _LEAST_SIGNAL} for found in signals]
    vectorizer = DictVectorizer()
    matrix = vectorizer.fit_transform(kept)
    model = LogisticRegression(C=0.05, max_iter=120).fit(matrix, kinds)
    weights = {
        name: [round(float(w), 2) for w in model.coef_[:, column]]
        for name, column in vectorizer.vocabulary_.items()
        if np.abs(model.coef_[:, column]).max() >= 0.04
    }
    weights["#bias"] = [round(float(w), 3) for w in model.intercept_]
    return weights


def kind_chances(corpus: Corpus, folds: np.ndarray, count: int) -> np.ndarray:
    chances = np.zeros((len(corpus.samples), len(page_kind.PAGE_KINDS)))
    for fold in range(count):
        train = np.where(folds != fold)[0]
        model = fit_kinds([corpus.signals[i] for i in train], corpus.kinds[train])
        for i in np.where(folds == fold)[0]:
            chances[i] = page_kind.score_page_kinds(corpus.signals[i], model)
    return chances


def build(
    corpus: Corpus, chances: np.ndarray, train: list[int], test: list[int]
) -> tuple[dict[int, np.ndarray], tuple[dict[str, float], dict[str, float]]]:
    """Rows of every page; a page that is learnt from never sees its own site in the tables."""
    evidence = gather((corpus.samples[i], corpus.pages[i]) for i in train)
    tables = [source.odds(_LEAST_PAGES) for source in evidence]
    rows = {}
    for i in train:
        site = corpus.samples[i].site
        names, words = (
            source.without(site, _LEAST_PAGES, table)
            for source, table in zip(evidence, tables, strict=True)
        )
        rows[i] = corpus.rows(i, names, words, chances[i])
    for i in test:
        rows[i] = corpus.rows(i, tables[0], tables[1], chances[i])
    return rows, (tables[0], tables[1])


def fit(corpus: Corpus, rows: dict[int, np.ndarray], train: list[int], rounds: int) -> lgb.Booster:
    data = np.concatenate([rows[i] for i in train])
    labels = np.concatenate([corpus.labels[i] for i in train])
    weights = np.concatenate([corpus.weights[i] for i in train])
    dataset = lgb.Dataset(data, labels, weight=weights / weights.mean())
    return lgb.train(_PARAMETERS, dataset, rounds)


def judge(model: lgb.Booster, rows: np.ndarray) -> np.ndarray:
    """The chances as the product finds them: clear blocks do not see the later trees."""
    if not len(rows):
        return np.zeros(0)
    early = model.predict(rows, num_iteration=render.FIRST, raw_score=True)
    whole = model.predict(rows, raw_score=True)
    margins = np.where(np.abs(early) < block_scoring.SURE_MARGIN, whole, early)
    return 1 / (1 + np.exp(-margins))


def page_f1(sample: Sample, chances: np.ndarray) -> float:
    cut, _ = block_scoring.choose_threshold(list(chances), sample.sizes)
    found: Counter[str] = Counter()
    for bag, chance in zip(sample.bags, chances, strict=True):
        if chance > cut:
            found.update(bag)
    hits = sum((found & sample.gold).values())
    return 2 * hits / (sum(found.values()) + sum(sample.gold.values())) if hits else 0.0


def report(corpus: Corpus, chances: dict[int, np.ndarray]) -> dict[str, float]:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for i, sample in enumerate(corpus.samples):
        by_kind[page_kind.PAGE_KINDS[sample.kind]].append(page_f1(sample, chances[i]))
    means = {name: float(np.mean(by_kind[name])) for name in page_kind.PAGE_KINDS}
    means["all"] = float(np.mean([v for values in by_kind.values() for v in values]))
    means["mean of kinds"] = float(np.mean([means[name] for name in page_kind.PAGE_KINDS]))
    return means


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path, help="folder with ground-truth/ and html/")
    arguments.add_argument("--folds", type=int, default=5)
    arguments.add_argument("--rounds", type=int, default=70)
    arguments.add_argument("--report", type=Path, help="write out-of-fold scores and choices here")
    arguments.add_argument("--cache", type=Path, help="keep aligned pages here between runs")
    arguments.add_argument("--save-rows", type=Path, help="keep out-of-fold rows for experiments")
    arguments.add_argument("--no-folds", action="store_true", help="only fit the final model")
    options = arguments.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    gc.disable()  # millions of small live objects make every collection slow
    corpus = Corpus(_samples(options.data, options.cache))
    folds = np.array([fold_of(sample.site, options.folds) for sample in corpus.samples])
    chances = kind_chances(corpus, folds, options.folds)
    right = (chances.argmax(1) == corpus.kinds).mean()
    _LOG.info("pages %d, kind right out of fold %.3f", len(folds), right)
    final(corpus, chances, options.rounds)
    if not options.no_folds:
        cross_validate(corpus, chances, folds, options)


def _samples(data: Path, cache: Path | None) -> list[Sample]:
    if cache is not None and cache.exists():
        cached: list[Sample] = pickle.loads(cache.read_bytes())
        return cached
    samples = load(data)
    if cache is not None:
        cache.write_bytes(pickle.dumps(samples))
    return samples


def cross_validate(corpus: Corpus, chances: np.ndarray, folds: np.ndarray, options: Any) -> None:
    judged: dict[int, np.ndarray] = {}
    saved: dict[int, dict[int, np.ndarray]] = {}
    for fold in range(options.folds):
        train = [int(i) for i in np.where(folds != fold)[0]]
        test = [int(i) for i in np.where(folds == fold)[0]]
        rows, _ = build(corpus, chances, train, test)
        model = fit(corpus, rows, train, options.rounds)
        if options.save_rows:
            saved[fold] = rows
        for i in test:
            judged[i] = judge(model, rows[i])
        _LOG.info("fold %d done", fold)
    means = report(corpus, judged)
    _LOG.info("out of fold: %s", " ".join(f"{k} {v:.4f}" for k, v in means.items()))
    if options.save_rows:
        options.save_rows.write_bytes(pickle.dumps((folds, chances, saved)))
    if options.report:
        record = {
            "f1": means,
            "chances": {
                corpus.samples[i].id: [round(float(p), 4) for p in row] for i, row in judged.items()
            },
        }
        options.report.write_text(json.dumps(record), "utf-8")


def final(corpus: Corpus, chances: np.ndarray, rounds: int) -> None:
    every = list(range(len(corpus.samples)))
    rows, (names, words) = build(corpus, chances, every, [])
    model = fit(corpus, rows, every, rounds)
    record = {
        "source": "learnt from WCXB (development split) by Murrough Foley, CC BY 4.0",
        "columns": list(block_features.FEATURE_COLUMNS),
        "kinds": dict(sorted(fit_kinds(corpus.signals, corpus.kinds).items())),
        "names": dict(sorted(names.items())),
        "words": dict(sorted(words.items())),
    }
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    (_TARGET / "trees.py").write_text(render.module(trees), "utf-8")
    weights = _TARGET / "weights.json"
    weights.write_text(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
    )
    _LOG.info(
        "wrote %s, %d bytes, %.0f s CPU", weights.name, weights.stat().st_size, time.process_time()
    )


if __name__ == "__main__":
    main()
