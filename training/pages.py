"""Loads the gold pages of all sets and finds the share of each block that is in the gold text."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rapidfuzz.distance import LCSseq
from selectolax.lexbor import LexborHTMLParser

from citewell.reading.html.block_choice import (
    PAGE_KINDS,
    PageHead,
    collect_kind_signals,
    read_page_head,
)
from citewell.reading.html.layout_blocks import PageLayout
from citewell.reading.html.main_content import read_page_layout
from citewell.reading.html.markup_limits import limit_markup
from citewell.text.language.scripts import CJK_RANGES

SETS = ("wcxb_dev", "aeb", "magic_article", "magic_forum")
_TOKEN = re.compile(rf"[{CJK_RANGES}]|[^\W{CJK_RANGES}]+")
# Beyond these lengths the alignment costs minutes and teaches nothing new.
_MAX_TOKENS = 30_000


@dataclass(frozen=True, kw_only=True)
class GoldText:
    """What score.py needs of a page to judge a text."""

    id: str
    type: str
    gt: str
    with_: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One gold page: its layout, its site (the unit of cross-validation) and its labels.

    A lengthened page is learned from and never judged; it has no `gold`.
    """

    id: str
    set: str
    gold: GoldText | None
    site: str
    kind: int
    page: PageLayout
    head: PageHead
    signals: dict[str, float]
    sizes: list[int]
    labels: list[float]
    gold_size: int


def load_scorer(folder: Path) -> Any:
    """The module score.py beside the data, which loads the pages and has each set's own measure."""
    spec = importlib.util.spec_from_file_location("gold_score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"no score.py in {folder}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gold_score"] = module
    spec.loader.exec_module(module)
    return module


def split_tokens(text: str) -> list[str]:
    """Lower-case words; ideographs one by one."""
    return _TOKEN.findall(text.lower())


def choose_fold(site: str, folds: int) -> int:
    """A fixed fold per site, so that no site is both learned from and judged."""
    return hashlib.sha1(site.encode(), usedforsecurity=False).digest()[0] % folds


def find_site(url: str, page: str) -> str:
    """The last two labels of the host, or three under a short second level such as co.uk."""
    labels = (urlsplit(url).hostname or page).split(".")
    keep = 3 if len(labels) > 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-keep:])


def align_blocks(bags: list[list[str]], gold: list[str]) -> list[float]:
    """Share of each block's words found in the gold, in order first, then out of order."""
    matched = [0] * len(bags)
    rest = gold[:_MAX_TOKENS]
    for _ in range(2):
        rest = _match_once(bags, matched, rest)
    return [m / len(bag) if bag else 0.0 for m, bag in zip(matched, bags, strict=True)]


def _match_once(bags: list[list[str]], matched: list[int], gold: list[str]) -> list[str]:
    sequence: list[str] = []
    owner: list[int] = []
    for index, bag in enumerate(bags):
        if matched[index] * 2 > len(bag):
            continue
        sequence += bag
        owner += [index] * len(bag)
    sequence, owner = sequence[:_MAX_TOKENS], owner[:_MAX_TOKENS]
    hits: Counter[int] = Counter()
    spans: list[tuple[int, int]] = []
    for op in LCSseq.opcodes(sequence, gold):
        if op.tag == "equal":
            for offset in range(op.src_end - op.src_start):
                hits[owner[op.src_start + offset]] += 1
                spans.append((owner[op.src_start + offset], op.dest_start + offset))
    # Common words meet by chance everywhere; only blocks mostly covered are taken as found.
    found = {i for i, n in hits.items() if n * 2 > len(bags[i])}
    for index in hits:
        if index in found or matched[index] == 0:
            matched[index] = max(matched[index], hits[index])
    used = {position for index, position in spans if index in found}
    return [word for position, word in enumerate(gold) if position not in used]


def load_samples(folder: Path, scorer: Any) -> list[Sample]:
    """Every page of the sets that has gold text."""
    samples = []
    for name in SETS:
        for gold in scorer.load(name, folder / "data"):
            wanted = split_tokens(gold.gt)
            if wanted:
                samples.append(_build_sample(name, gold, wanted))
    return samples


def _build_sample(name: str, gold: Any, wanted: list[str]) -> Sample:
    tree = LexborHTMLParser(limit_markup(gold.html))
    if tree.body is None:
        raise ValueError("no body")
    page = read_page_layout(tree.body)
    head = read_page_head(tree)
    url = gold.url or ""
    bags = [split_tokens(block.text) for block in page.blocks]
    return Sample(
        id=f"{name}/{gold.id}",
        set=name,
        gold=GoldText(id=gold.id, type=gold.type, gt=gold.gt),
        site=find_site(url, gold.id),
        kind=PAGE_KINDS.index(gold.type),
        page=page,
        head=head,
        signals=collect_kind_signals(page, head, url),
        sizes=[len(bag) for bag in bags],
        labels=align_blocks(bags, wanted),
        gold_size=len(wanted),
    )
