"""Trains the block scorer and the page classifier, reports F1 out of fold, writes weights.json and trees.py."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import pickle
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import render
from long_pages import lengthen_samples
from pages import Sample, choose_fold, load_samples, load_scorer
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from tables import gather_evidence

from citewell.reading.html import block_choice, block_features, main_content
from citewell.reading.html import block_choice as region_filling
from citewell.reading.html.block_context import CONTEXT_COLUMNS, build_context_rows
from citewell.reading.html.main_content import score_box_names

_LOG = logging.getLogger("train")
_TARGET = Path(__file__).parents[1] / "src/citewell/reading/html"
_LEAST_PAGES = 7
_LEAST_SIGNAL = 10
_INNER_FOLDS = 3
_GUESS_ROUNDS = 20
_GUESS_RATE = 0.2
# As many trees as `score_blocks` asks before it decides whether a block needs the rest.
_FIRST_TREES = 20
_RATE = 0.12
_PARAMETERS = {
    "objective": "cross_entropy",
    "num_leaves": 24,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "min_sum_hessian_in_leaf": 1e-3,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
    "seed": 1,
}


class Corpus:
    """All samples with what does not depend on the fold."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples = samples
        self.hints = [sample.head.build_page_hints() for sample in samples]
        self.kinds = np.array([sample.kind for sample in samples])
        self.labels = [np.array(sample.labels, np.float32) for sample in samples]
        self.weights = [_weigh_blocks(sample) for sample in samples]
        self.judged = [i for i, sample in enumerate(samples) if sample.gold is not None]

    def build_rows(
        self, index: int, names: dict[str, float], words: dict[str, float], chances: np.ndarray
    ) -> np.ndarray:
        page = self.samples[index].page
        score_box_names(page, names)
        likely = [float(chance) for chance in chances]
        rows = block_features.build_feature_rows(page, words, self.hints[index], likely)
        return limit_columns(rows, block_features.OWN_COLUMNS)


def limit_columns(rows: Sequence[Sequence[float]], columns: Sequence[str]) -> np.ndarray:
    """The rows with every count stopped at its limit."""
    shaped = np.array(rows, np.float32).reshape(-1, len(columns))
    # No tree asks for more than a limit, so a page of any length looks like one that was learned
    # from. `from_h1` and `core_depth` also stop at the negative of their limit.
    known = json.loads(Path(__file__).with_name("column_limits.json").read_text("utf-8"))
    limits = [known.get(name, np.inf) for name in columns]
    return np.clip(shaped, -np.array(limits, np.float32), np.array(limits, np.float32))


def _weigh_blocks(sample: Sample) -> np.ndarray:
    """Every page counts alike, and within it every word."""
    sizes = np.array(sample.sizes, np.float32)
    return np.asarray(sizes / max(sample.gold_size, 0.3 * sizes.sum(), 1))


def fit_kinds(signals: list[dict[str, float]], kinds: np.ndarray) -> dict[str, list[float]]:
    counts = Counter(name for found in signals for name in found)
    kept = [{k: v for k, v in found.items() if counts[k] >= _LEAST_SIGNAL} for found in signals]
    vectorizer = DictVectorizer()
    matrix = vectorizer.fit_transform(kept)
    model = LogisticRegression(C=0.05, max_iter=300).fit(matrix, kinds)
    weights = {
        name: [round(float(w), 2) for w in model.coef_[:, column]]
        for name, column in vectorizer.vocabulary_.items()
        if np.abs(model.coef_[:, column]).max() >= 0.04
    }
    weights["#bias"] = [round(float(w), 3) for w in model.intercept_]
    return weights


def judge_kinds(corpus: Corpus, folds: np.ndarray, count: int) -> np.ndarray:
    """The chances of each kind for every page, from pages of other sites."""
    chances = np.zeros((len(corpus.samples), len(block_choice.PAGE_KINDS)))
    for fold in range(count):
        train = [i for i in corpus.judged if folds[i] != fold]
        model = fit_kinds([corpus.samples[i].signals for i in train], corpus.kinds[train])
        for i in np.where(folds == fold)[0]:
            chances[i] = block_choice.score_page_kinds(corpus.samples[i].signals, model)
    return chances


def build_all_rows(
    corpus: Corpus, chances: np.ndarray, train: list[int], test: list[int]
) -> tuple[dict[int, np.ndarray], tuple[dict[str, float], dict[str, float]]]:
    """Rows of every page; a page that is learned from never sees its own site in the tables."""
    evidence = gather_evidence(
        corpus.samples[i] for i in train if corpus.samples[i].gold is not None
    )
    tables = [source.list_odds(_LEAST_PAGES) for source in evidence]
    rows = {}
    for i in train:
        site = corpus.samples[i].site
        names, words = (
            source.leave_site_out(site, _LEAST_PAGES, table)
            for source, table in zip(evidence, tables, strict=True)
        )
        rows[i] = corpus.build_rows(i, names, words, chances[i])
    for i in test:
        rows[i] = corpus.build_rows(i, tables[0], tables[1], chances[i])
    return rows, (tables[0], tables[1])


def fit_trees(
    corpus: Corpus, rows: dict[int, np.ndarray], train: list[int], rounds: int, rate: float
) -> lgb.Booster:
    data = np.concatenate([rows[i] for i in train])
    labels = np.concatenate([corpus.labels[i] for i in train])
    weights = np.concatenate([corpus.weights[i] for i in train])
    dataset = lgb.Dataset(data, labels, weight=weights / weights.mean())
    return lgb.train(_PARAMETERS | {"learning_rate": rate}, dataset, rounds)


def fit_guess(
    corpus: Corpus, rows: dict[int, np.ndarray], train: list[int]
) -> tuple[lgb.Booster, dict[int, np.ndarray]]:
    """The trees of the first guess, and the guess for each page by trees that never saw its site."""
    guesses = {}
    inner = {i: choose_fold(f"inner {corpus.samples[i].site}", _INNER_FOLDS) for i in train}
    for fold in range(_INNER_FOLDS):
        seen = [i for i in train if inner[i] != fold]
        model = fit_trees(corpus, rows, seen, _GUESS_ROUNDS, _GUESS_RATE)
        guesses.update({i: apply_trees(model, rows[i]) for i in train if inner[i] == fold})
    return fit_trees(corpus, rows, train, _GUESS_ROUNDS, _GUESS_RATE), guesses


def add_context(sample: Sample, rows: np.ndarray, guesses: np.ndarray) -> np.ndarray:
    context = build_context_rows(sample.page, [float(guess) for guess in guesses])
    return np.concatenate([rows, limit_columns(context, CONTEXT_COLUMNS)], axis=1)


def apply_trees(model: lgb.Booster, rows: np.ndarray) -> np.ndarray:
    if not len(rows):
        return np.zeros(0)
    return np.asarray(1 / (1 + np.exp(-model.predict(rows, raw_score=True))))


def judge_blocks(model: lgb.Booster, rows: np.ndarray) -> np.ndarray:
    """The chances as the product finds them: clear blocks do not see the later trees."""
    if not len(rows):
        return np.zeros(0)
    early = model.predict(rows, num_iteration=_FIRST_TREES, raw_score=True)
    whole = model.predict(rows, raw_score=True)
    margins = np.where(np.abs(early) < region_filling.SURE_MARGIN, whole, early)
    return np.asarray(1 / (1 + np.exp(-margins)))


def score_choice(scorer: Any, sample: Sample, chances: np.ndarray, kinds: np.ndarray) -> Any:
    """P, R and F1 of the blocks that the product would keep, by the set's own measure."""
    chosen = main_content.choose_blocks(
        sample.page,
        [float(c) for c in chances],
        tuple(kinds),
        sample.head.build_page_hints(),
    )
    text = "\n\n".join(block.text for block in chosen.kept)
    return scorer.score_page(sample.set, sample.gold, text)


def summarise_scores(scorer: Any, corpus: Corpus, rows: dict[int, Any]) -> dict[str, float]:
    by_name: dict[str, list[Any]] = defaultdict(list)
    for i, row in rows.items():
        sample = corpus.samples[i]
        by_name[sample.set].append(row)
        if sample.set == "wcxb_dev":
            by_name[f"wcxb {block_choice.PAGE_KINDS[sample.kind]}"].append(row)
    return {name: scorer.summarize(name, found)["f1"] for name, found in sorted(by_name.items())}


def read_options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="folder with score.py and data/")
    arguments.add_argument("--folds", type=int, default=5)
    arguments.add_argument("--rounds", type=int, default=60)
    arguments.add_argument("--report", type=Path, help="write out-of-fold scores and chances here")
    arguments.add_argument("--cache", type=Path, help="keep aligned pages here between runs")
    arguments.add_argument("--no-folds", action="store_true", help="only fit the final model")
    arguments.add_argument("--no-final", action="store_true", help="only judge out of fold")
    return arguments.parse_args()


def main() -> None:
    options = read_options()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    gc.disable()  # millions of small live objects make every collection slow
    scorer = load_scorer(options.folder)
    samples = read_samples(options.folder, scorer, options.cache)
    corpus = Corpus(samples + lengthen_samples(samples))
    folds = np.array([choose_fold(sample.site, options.folds) for sample in corpus.samples])
    chances = judge_kinds(corpus, folds, options.folds)
    right = (chances.argmax(1) == corpus.kinds)[corpus.judged].mean()
    _LOG.info("%d pages, kind right out of fold %.3f", len(folds), right)
    if not options.no_final:
        write_model(corpus, chances, options.rounds)
    if not options.no_folds:
        cross_validate(scorer, corpus, chances, folds, options)


def read_samples(folder: Path, scorer: Any, cache: Path | None) -> list[Sample]:
    if cache is not None and cache.exists():
        cached: list[Sample] = pickle.loads(cache.read_bytes())
        return cached
    samples = load_samples(folder, scorer)
    if cache is not None:
        cache.write_bytes(pickle.dumps(samples))
    return samples


def cross_validate(
    scorer: Any, corpus: Corpus, chances: np.ndarray, folds: np.ndarray, options: Any
) -> None:
    judged: dict[int, np.ndarray] = {}
    for fold in range(options.folds):
        train = [int(i) for i in np.where(folds != fold)[0]]
        test = [i for i in corpus.judged if folds[i] == fold]
        rows, _ = build_all_rows(corpus, chances, train, test)
        guess, guesses = fit_guess(corpus, rows, train)
        guesses.update({i: apply_trees(guess, rows[i]) for i in test})
        for i, found in guesses.items():
            rows[i] = add_context(corpus.samples[i], rows[i], found)
        model = fit_trees(corpus, rows, train, options.rounds, _RATE)
        for i in test:
            judged[i] = judge_blocks(model, rows[i])
        _LOG.info("fold %d done", fold)
    scores = {
        i: score_choice(scorer, corpus.samples[i], judged[i], chances[i]) for i in corpus.judged
    }
    means = summarise_scores(scorer, corpus, scores)
    _LOG.info("out of fold: %s", " ".join(f"{k} {v:.4f}" for k, v in means.items()))
    if options.report:
        record = {
            "f1": means,
            "chances": {
                corpus.samples[i].id: [round(float(p), 4) for p in row] for i, row in judged.items()
            },
            "kinds": {
                corpus.samples[i].id: [round(float(p), 4) for p in chances[i]] for i in judged
            },
        }
        options.report.write_text(json.dumps(record), "utf-8")


def write_model(corpus: Corpus, chances: np.ndarray, rounds: int) -> None:
    every = list(range(len(corpus.samples)))
    rows, (names, words) = build_all_rows(corpus, chances, every, [])
    guess, guesses = fit_guess(corpus, rows, every)
    for i in every:
        rows[i] = add_context(corpus.samples[i], rows[i], guesses[i])
    model = fit_trees(corpus, rows, every, rounds, _RATE)
    kinds = fit_kinds(
        [corpus.samples[i].signals for i in corpus.judged], corpus.kinds[corpus.judged]
    )
    record = {
        "source": "learned from WCXB (development split) by Murrough Foley, CC BY 4.0; "
        "article-extraction-benchmark by Scrapinghub, MIT; magic-html's benchmark, Apache-2.0",
        "columns": list(block_features.FEATURE_COLUMNS),
        "kinds": dict(sorted(kinds.items())),
        "names": dict(sorted(names.items())),
        "words": dict(sorted(words.items())),
    }
    guessing, judging = (
        [tree["tree_structure"] for tree in fitted.dump_model()["tree_info"]]
        for fitted in (guess, model)
    )
    functions = {
        "sum_guess_trees": guessing,
        "sum_first_trees": judging[:_FIRST_TREES],
        "sum_later_trees": judging[_FIRST_TREES:],
    }
    module = render.render_module(functions, written_by="training/train.py")
    (_TARGET / "trees.py").write_text(module, "utf-8")
    weights = _TARGET / "weights.json"
    weights.write_text(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8"
    )
    _LOG.info(
        "wrote %s, %d bytes, %.0f s CPU", weights.name, weights.stat().st_size, time.process_time()
    )


if __name__ == "__main__":
    main()
