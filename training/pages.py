"""Load WCXB pages, align their blocks with the gold text, and keep the result for training."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from rapidfuzz.distance import LCSseq
from selectolax.lexbor import LexborHTMLParser

from citewell.fetch.html.layout_blocks import PageLayout, collect_page_blocks
from citewell.fetch.html.markup_limits import limit_markup
from citewell.fetch.html.page_kind import PAGE_KINDS

_WORD = re.compile(r"\w+")
# Beyond these lengths the alignment costs minutes and teaches nothing new.
_MAX_TOKENS = 30_000


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One gold page: its text, its site (the unit of cross-validation) and its labels."""

    id: str
    url: str
    site: str
    kind: int
    html: str
    gold: Counter[str]
    bags: list[Counter[str]]
    sizes: list[int]
    labels: list[float]


def tokens(text: str) -> list[str]:
    """Words as the benchmark counts them."""
    return _WORD.findall(text.lower())


def fold_of(site: str, folds: int) -> int:
    """A fixed fold per site, so that no site is both learnt from and judged."""
    return hashlib.sha1(site.encode(), usedforsecurity=False).digest()[0] % folds


def site_of(url: str, page: str) -> str:
    """The last two labels of the host, or three under a short second level such as co.uk."""
    labels = (urlsplit(url).hostname or page).split(".")
    keep = 3 if len(labels) > 2 and len(labels[-2]) <= 3 else 2
    return ".".join(labels[-keep:])


def parse(html: str, names: dict[str, float]) -> tuple[LexborHTMLParser, PageLayout]:
    tree = LexborHTMLParser(limit_markup(html))
    body = tree.body
    if body is None:
        raise ValueError("no body")
    return tree, collect_page_blocks(body, names)


def align(bags: list[list[str]], gold: list[str]) -> list[float]:
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


def load(folder: Path) -> list[Sample]:
    """Every page of the development split that has gold text."""
    samples = []
    for path in sorted((folder / "ground-truth").glob("*.json")):
        record = json.loads(path.read_text("utf-8"))
        gold = tokens((record.get("ground_truth") or {}).get("main_content") or "")
        if not gold:
            continue
        kind = record["_internal"]["page_type"]["primary"]
        kind = "collection" if kind == "category" else kind
        html = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        text = html.decode("utf-8", "replace")
        url = record.get("url") or ""
        _, page = parse(text, {})
        bags = [tokens(block.text) for block in page.blocks]
        samples.append(
            Sample(
                id=path.stem,
                url=url,
                site=site_of(url, path.stem),
                kind=PAGE_KINDS.index(kind),
                html=text,
                gold=Counter(gold),
                bags=[Counter(bag) for bag in bags],
                sizes=[len(bag) for bag in bags],
                labels=align(bags, gold),
            )
        )
    return samples
