"""The same page gives the same answer in every process."""

from __future__ import annotations

import os
import subprocess
import sys

from citewell.text.language import detection
from tests.extraction import FOLDER

# Sums of many floats differ in their last digits by order, which moves a block over a threshold.
_PRINT_ROWS = """
import sys
from pathlib import Path
from selectolax.lexbor import LexborHTMLParser
from citewell.reading.html import (
    block_choice, block_features, main_content)

model = block_choice.load_scoring_model()
names = " ".join(sorted(model.name_odds)[::40])
for path in sorted(Path(sys.argv[1]).glob("*.html")):
    html = path.read_text("utf-8").replace("<main", f'<main data-x class="{names}"', 1)
    html = html.replace("<div", f'<div class="{names}" id="content"', 1)
    tree = LexborHTMLParser(html)
    page = main_content.read_page_layout(tree.body)
    main_content.score_box_names(page, model.name_odds)
    head = block_choice.read_page_head(tree)
    signals = block_choice.collect_kind_signals(page, head, "https://news.example.org/a-b/1234")
    likely = block_choice.score_page_kinds(signals, model.kind_weights)
    print(likely, block_features.build_feature_rows(
        page, model.word_odds, head.build_page_hints(), likely))
"""


def print_rows_with_seed(seed: str) -> str:
    source_folder = detection.__file__.split("/citewell/")[0]
    done = subprocess.run(
        [sys.executable, "-c", _PRINT_ROWS, str(FOLDER)],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source_folder},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_features_do_not_depend_on_the_order_of_sets() -> None:
    first = print_rows_with_seed("1")

    assert len(first) > 10_000
    assert print_rows_with_seed("2") == first
    assert print_rows_with_seed("3") == first
