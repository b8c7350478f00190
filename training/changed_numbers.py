"""Learns from statements about pages which numbers were changed, and writes the trees of `changed_numbers`.

Run: PYTHONPATH=src:. python training/changed_numbers.py FOLDER [--no-folds]

FOLDER holds `data/` with the development split of the Web Content Extraction Benchmark by Murrough Foley
(CC BY 4.0), which is not in this repository; the statements about its pages are (number_statements.txt).
Those of number_statements_kept.txt, by other authors, are never learned from: they judge the result.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import render
from sklearn.model_selection import GroupKFold

from benchmarks.draft_check.draft_gold import CitationKind
from benchmarks.draft_check.draft_sources import load_sources
from citewell.evidence.comparison.changed_number import (
    NUMBER_SIGNS,
    PlacedStatement,
    list_all_numbers,
    list_number_signs,
    search_statement_numbers,
)
from citewell.evidence.comparison.compared_values import have_same_value
from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import ReadSource, SourceStance
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.quantities.stated_quantities import StatedQuantity

_LOG = logging.getLogger("changed_numbers")
_HERE = Path(__file__).parent
_TARGET = _HERE.parent / "src/citewell/evidence/signs/changed_number_trees.json"
_UNSEEN_PART = "fourth"  # of the draft check's sources
_MADE_WEIGHT = 0.1  # of a change that was made here, beside one that an author made
_OTHERS_WEIGHT = 0.5  # of the other numbers of a changed statement, which may be sound
_MADE_PER_STATEMENT = 2
_TAKEN_SHARE = 0.6  # of made changes that put another number of the page in its place
_FOLDS, _PASSES = 5, 3
_ACCUSING_STANCES = {SourceStance.ABSENT, SourceStance.PARTLY, SourceStance.CONTRADICTS}
_THRESHOLDS = (0.7, 0.75, 0.8, 0.85, 0.9)
_ROUNDS = 150
_PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 25,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
    "seed": 3,
}


@dataclass(kw_only=True)
class Example:
    """A statement, and the signs of each of its numbers."""

    page: str
    is_changed: bool
    is_made: bool = False
    rows: np.ndarray = field(repr=False)
    has_other: np.ndarray = field(repr=False)  # whether the page has a number in the place of each


@dataclass(frozen=True, kw_only=True)
class PageStatements:
    page: str
    source: SourceText
    known_years: frozenset[int] = frozenset()
    statements: tuple[tuple[bool, str], ...]  # whether a number was changed, and the text


def read_bank(bank: Path, folder: Path) -> Iterator[PageStatements]:
    """The statements of a file, `%% PAGE` before each page's, with the gold texts of the pages."""
    for part in bank.read_text("utf-8").split("%% ")[1:]:
        page, *lines = part.strip().splitlines()
        file = folder / f"data/wcxb/dev/ground-truth/{page}.json"
        text = json.loads(file.read_text("utf-8"))["ground_truth"]["main_content"]
        yield PageStatements(
            page=page,
            source=SourceText(text=text, language="en"),
            statements=tuple((line[0] == "#", line[2:]) for line in lines),
        )


def read_own_bank() -> Iterator[PageStatements]:
    """The pages of the draft check that were read before, with the statements in their language."""
    kinds = {CitationKind.SOUND: False, CitationKind.NUMBER_CHANGED: True}
    for one in load_sources():
        if one.part != _UNSEEN_PART and not one.doi:
            yield PageStatements(
                page=one.key,
                source=SourceText(text=one.text, language=one.language),
                known_years=frozenset({one.year} if one.year else ()),
                statements=tuple(
                    (kinds[each.kind], each.text)
                    for each in one.statements
                    if each.kind in kinds and each.language == one.language
                ),
            )


def build_examples(pages: Iterable[PageStatements], chance: random.Random | None) -> list[Example]:
    """The examples of all statements, and of changes made to sound ones if `chance` is given."""
    found: list[Example] = []
    for page in pages:
        for is_changed, text in page.statements:
            asked = build_sentence_features(text, language=page.source.language)
            found.append(_build_example(page, asked, is_changed=is_changed))
            if chance is not None and not is_changed:
                found += [
                    _build_example(page, made, is_changed=True, is_made=True)
                    for made in _make_changes(page, asked, chance)
                ]
    return [one for one in found if len(one.rows)]


def _build_example(
    page: PageStatements, asked: SentenceFeatures, *, is_changed: bool, is_made: bool = False
) -> Example:
    search = search_statement_numbers(asked, page.source, known_years=page.known_years)
    statement = PlacedStatement(asked=asked, numbers=search.wanted, source=page.source)
    places = [statement.find_places(one) for one in search.wanted]
    rows = [
        list_number_signs(one, each, search)
        for one, each in zip(search.wanted, places, strict=True)
    ]
    return Example(
        page=page.page,
        is_changed=is_changed,
        is_made=is_made,
        rows=np.array(rows, dtype=float).reshape(len(rows), len(NUMBER_SIGNS)),
        has_other=np.array([bool(each.other) for each in places]),
    )


def _make_changes(
    page: PageStatements, asked: SentenceFeatures, chance: random.Random
) -> Iterator[SentenceFeatures]:
    """The statement with another number of the page in the place of one of its own, or another digit."""
    numbers = search_statement_numbers(asked, page.source).wanted
    written = [one for one in numbers if re.search(r"\d", one.text)]
    chance.shuffle(written)
    held = [each for said in page.source.sentence_features for each in list_all_numbers(said)]
    for one in written[:_MADE_PER_STATEMENT]:
        others = [each for each in held if _can_replace(one, each, numbers)]
        if others and chance.random() < _TAKEN_SHARE:
            new = chance.choice(others).text
        else:
            digit = chance.choice(list(re.finditer(r"\d", one.text)))
            exchanged = (int(digit[0]) + chance.choice((1, 2, 3, 5, 7))) % 10 or 1
            new = f"{one.text[: digit.start()]}{exchanged}{one.text[digit.end() :]}"
        text = asked.text[: one.start] + new + asked.text[one.end :]
        if text != asked.text:
            yield build_sentence_features(text, language=asked.language)


def _can_replace(
    one: StatedQuantity, other: StatedQuantity, numbers: Sequence[StatedQuantity]
) -> bool:
    return (
        other.unit == one.unit
        and re.search(r"\d", other.text) is not None
        and not any(have_same_value(each, other) for each in numbers)
    )


def fit_trees(examples: Sequence[Example]) -> lgb.Booster:
    """Which number of a statement was changed is not told: each pass takes the likeliest of the last."""
    model: lgb.Booster | None = None
    for _ in range(_PASSES):
        labels = [_label_numbers(one, model) for one in examples]
        data = lgb.Dataset(
            np.vstack([one.rows for one in examples]),
            np.concatenate([each[0] for each in labels]),
            weight=np.concatenate([each[1] for each in labels]),
        )
        model = lgb.train(_PARAMETERS, data, _ROUNDS)
    assert model is not None
    return model


def _label_numbers(one: Example, model: lgb.Booster | None) -> tuple[np.ndarray, np.ndarray]:
    labels, weights = np.zeros(len(one.rows)), np.ones(len(one.rows))
    if one.is_changed:
        borne, gap = NUMBER_SIGNS.index("borne out"), NUMBER_SIGNS.index("gap fit")
        guess = -one.rows[:, borne] - one.rows[:, gap] / 10
        place = int(np.argmax(guess if model is None else model.predict(one.rows)))
        weight = _MADE_WEIGHT if one.is_made else 1.0
        weights *= _OTHERS_WEIGHT * weight
        labels[place], weights[place] = 1.0, weight
    return labels, weights


def judge_examples(model: lgb.Booster, examples: Sequence[Example]) -> np.ndarray:
    """The chance of each statement, by its likeliest number that has another in its place."""
    return np.array([max((model.predict(one.rows) * one.has_other).tolist()) for one in examples])


def report_chances(name: str, examples: Sequence[Example], chances: np.ndarray) -> None:
    changed = np.array([one.is_changed for one in examples])
    told = "; ".join(
        f"from {least}: {np.mean(chances[changed] >= least):.3f} of the changed,"
        f" {np.mean(chances[~changed] >= least):.3f} of the sound"
        for least in _THRESHOLDS
    )
    _LOG.info("%s (%d changed, %d sound): %s", name, changed.sum(), (~changed).sum(), told)


def cross_validate(examples: Sequence[Example]) -> None:
    """By pages, so that no page is both learned from and judged."""
    chances = np.zeros(len(examples))
    pages = [one.page for one in examples]
    for train, test in GroupKFold(_FOLDS).split(pages, groups=pages):
        model = fit_trees([examples[i] for i in train])
        chances[test] = judge_examples(model, [examples[i] for i in test])
    real = [i for i, one in enumerate(examples) if not one.is_made]
    report_chances("out of fold", [examples[i] for i in real], chances[real])


def report_check(name: str, pages: Iterable[PageStatements]) -> None:
    """What the whole draft check says to statements, with the trees that are installed."""
    told = {True: [0, 0], False: [0, 0]}
    for page in pages:
        text, language = page.source.text, page.source.language
        read = ReadSource(text=text, language=language, url=page.page, is_whole=True)
        for is_changed, statement in page.statements:
            opinion = judge_by_words(ClaimPair(claim=statement, source=page.source))
            stance = judge_statement(statement, page.source, read, opinion).stance
            told[is_changed][0] += stance in _ACCUSING_STANCES
            told[is_changed][1] += stance is SourceStance.SUPPORTS
    counts = {
        kind: sum(kind is each for page in pages for each, _ in page.statements) for kind in told
    }
    _LOG.info(
        "%s, the whole check: %d of %d changed told, %d called supported; %d of %d sound accused, %d supported",
        name, told[True][0], counts[True], told[True][1], told[False][0], counts[False], told[False][1],
    )  # fmt: skip


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-folds", action="store_true", help="write the trees alone")
    options: Any = parser.parse_args()
    learned = [*read_bank(_HERE / "number_statements.txt", options.folder), *read_own_bank()]
    examples = build_examples(learned, random.Random(1))
    if not options.no_folds:
        cross_validate(examples)
    model = fit_trees(examples)
    apart = [*read_bank(_HERE / "number_statements_kept.txt", options.folder)]
    kept = build_examples(apart, None)
    report_chances("kept apart", kept, judge_examples(model, kept))
    report_check("kept apart", apart)
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    _TARGET.write_text(render.render_table(trees), "utf-8")


if __name__ == "__main__":
    main()
