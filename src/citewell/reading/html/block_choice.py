"""Scores a page's kind and its blocks with the learned model, and keeps what a reader would miss."""

from __future__ import annotations

import functools
import json
import math
import re
from dataclasses import dataclass
from html import unescape
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from citewell.reading.html import layout_blocks as b
from citewell.reading.html.block_context import find_structures
from citewell.reading.html.block_features import PageHints, split_text_words
from citewell.reading.html.layout_blocks import split_name_words
from citewell.reading.html.trees import sum_first_trees, sum_guess_trees, sum_later_trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.html.layout_blocks import LayoutBox, PageLayout, TextBlock

PAGE_KINDS = ("article", "documentation", "forum", "product", "listing", "collection", "service")

_URL_PATH_WORD = re.compile(r"[a-z]{2,}")
_JSON_LD_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]+)"')
_KIND_META_NAMES = frozenset(("og:type", "og:title", "generator"))
_COUNTED_TAG_NAMES = (
    "p li td pre code h1 h2 h3 article section form button time blockquote img a table dl label "
    "span strong"
)
_COUNTED_TAGS = tuple(_COUNTED_TAG_NAMES.split())
_MAX_JSON_LD_CHARS = 200_000
_MIN_BODY_CHARS = 200
_MARKUP_TAG = re.compile(r"<[^<>]{0,1000}>")

# Beyond this margin the later trees do not change the decision; half of all blocks are beyond it.
SURE_MARGIN = 1.5

_HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FURNITURE = b.NAV | b.FOOTER | b.ASIDE | b.FORM | b.BUTTON | b.DIALOG | b.HIDDEN
_NO_CONTENT = b.NAV | b.FOOTER | b.FORM | b.BUTTON | b.DIALOG | b.COMMENTS
_MIN_ALIKE_SHARE = 0.6
_REGION_SHARE = 0.9
_MIN_MANUAL_WORDS = 500
_MIN_MANUAL_BLOCKS = 30
_MIN_MANUAL_CHANCE = 0.3
_MIN_BOOK_WORDS = 6_000
_MIN_BOOK_CHANCE = 0.6
_MIN_KEPT_CHANCE = {"manual": 0.05, "book": 0.15}
_MIN_TITLE_SHARE = 0.5


def keep_long_region(
    page: PageLayout, keeps: list[bool], chances: Sequence[float], kind: str
) -> None:
    """Keep nearly all of the region of a manual or a book, where odd parts are content too."""
    region, mean = _find_content_region(page, chances)
    is_manual = kind == "documentation"
    if is_manual:
        if (
            region.words < _MIN_MANUAL_WORDS
            or region.count < _MIN_MANUAL_BLOCKS
            or mean < _MIN_MANUAL_CHANCE
        ):
            return
    elif region.words < _MIN_BOOK_WORDS or mean < _MIN_BOOK_CHANCE:
        return
    least = _MIN_KEPT_CHANCE["manual" if is_manual else "book"]
    for index in range(region.start, region.end):
        if chances[index] > least and not page.blocks[index].box.flags & _NO_CONTENT:
            keeps[index] = True


def _find_content_region(page: PageLayout, chances: Sequence[float]) -> tuple[LayoutBox, float]:
    """The smallest box with nearly all of the likely content, and the mean chance in it."""
    sizes = (block.words for block in page.blocks)
    taken = [0.0, *accumulate(c * size for c, size in zip(chances, sizes, strict=True))]
    region = page.boxes[0]
    for box in page.boxes:
        if (
            box.parent is region
            and box.count
            and taken[box.end] - taken[box.start] >= _REGION_SHARE * taken[-1]
        ):
            region = box
    return region, (taken[region.end] - taken[region.start]) / (region.words or 1)


def keep_plain_structures(page: PageLayout, keeps: list[bool]) -> None:
    """Keep tables, lists and code with few links that stand beside kept prose in the same box."""
    holders = {
        block.box.parent.id
        for block, is_kept in zip(page.blocks, keeps, strict=True)
        if is_kept and block.long and block.box.parent is not None
    }
    for box in find_structures(page):
        outer = box.parent
        while outer is not None and outer.count == box.count:  # wrappers that hold nothing else
            outer = outer.parent
        if keeps[box.start] or outer is None or outer.id not in holders:
            continue
        is_plain = box.linked * (2 if box.tag == "table" else 4) <= box.words
        if is_plain and not box.flags & (_FURNITURE | b.COMMENTS):
            keeps[box.start : box.end] = [True] * (box.end - box.start)


def fill_even_gaps(page: PageLayout, keeps: list[bool]) -> None:
    """Keep blocks between two kept ones if most of their like are kept, and headings of kept text."""
    kinds = [_describe_block(block) for block in page.blocks]
    tallies: dict[tuple[str, str, int], list[int]] = {}
    for kind, is_kept in zip(kinds, keeps, strict=True):
        tally = tallies.setdefault(kind, [0, 0])
        tally[0] += 1
        tally[1] += is_kept
    first = next((i for i, is_kept in enumerate(keeps) if is_kept), len(keeps))
    last = next((i for i in range(len(keeps) - 1, -1, -1) if keeps[i]), -1)
    for index in range(first, last):
        if not keeps[index]:
            total, kept = tallies[kinds[index]]
            keeps[index] = total > 1 and kept >= _MIN_ALIKE_SHARE * total
    for index in range(last - 1, first, -1):
        block = page.blocks[index]
        if (
            not keeps[index]
            and keeps[index + 1]
            and block.box.tag in _HEADING_TAGS
            and not block.box.flags & _FURNITURE
            and block.box.parent is page.blocks[index + 1].box.parent
        ):
            keeps[index] = True


def _describe_block(block: TextBlock) -> tuple[str, str, int]:
    """Blocks with equal descriptions are alike: the same tag and classes in the same box."""
    box = block.box
    return box.tag, box.style, box.parent.id if box.parent is not None else 0


def keep_page_title(page: PageLayout, keeps: list[bool], title: AbstractSet[str]) -> None:
    """Keep the first h1 that says what the title says, unless one is kept already."""
    if not title or not any(keeps):
        return
    best = None
    for index, block in enumerate(page.blocks):
        if block.box.tag == "h1":
            words = split_text_words(block.text)
            shared = len(words & title)
            if shared and shared >= _MIN_TITLE_SHARE * len(words) and shared * 3 >= len(title):
                if keeps[index]:
                    return
                best = index if best is None else best
    if best is not None:
        keeps[best] = True


# Scores blocks with the learned model, and chooses the threshold for keeping them.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringModel:
    """The learned tables; see training/README.md."""

    name_odds: Mapping[str, float]
    word_odds: Mapping[str, float]
    kind_weights: Mapping[str, Sequence[float]]
    columns: tuple[str, ...]


@functools.cache
def load_scoring_model() -> ScoringModel:
    """The model in weights.json beside this file; cached."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    raw: dict[str, Any] = json.loads(text)
    return ScoringModel(
        name_odds=raw["names"],
        word_odds=raw["words"],
        kind_weights=raw["kinds"],
        columns=tuple(raw["columns"]),
    )


def guess_blocks(rows: Iterable[Sequence[float]]) -> list[float]:
    """A first guess of each block's probability, from its own features alone."""
    return [_apply_sigmoid(sum_guess_trees(row)) for row in rows]


def score_blocks(rows: Iterable[Sequence[float]]) -> list[float]:
    """The probability of each block to be main content; `rows` hold its features and its context."""
    chances: list[float] = []
    for row in rows:
        margin = sum_first_trees(row)
        if -SURE_MARGIN < margin < SURE_MARGIN:
            margin += sum_later_trees(row)
        chances.append(_apply_sigmoid(margin))
    return chances


def _apply_sigmoid(value: float) -> float:
    if value < 0:
        power = math.exp(value)
        return power / (1.0 + power)
    return 1.0 / (1.0 + math.exp(-value))


def choose_threshold(chances: Sequence[float], sizes: Sequence[int]) -> tuple[float, float]:
    """The threshold with the highest expected F1 over words, and that F1.

    If the probabilities are right, keeping every block above half the best reachable F1 is
    optimal. So the threshold is one half on a page of clear cases, and lower on a doubtful one.
    """
    ranked = sorted(zip(chances, sizes, strict=True), reverse=True)
    wanted = sum(chance * size for chance, size in ranked)
    hit = taken = best = 0.0
    for chance, size in ranked:
        hit += chance * size
        taken += size
        if taken:
            best = max(best, 2 * hit / (taken + wanted))
    return best / 2, best


# Classifies a page (article, forum, product…) by its address, its head and the shape of its body.


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """The parts of the head and of embedded JSON-LD that extraction uses."""

    title: str | None
    meta: Mapping[str, str]
    json_ld_text: str
    listed_text: str = ""

    def build_page_hints(self) -> PageHints:
        """The words of the title and the body text that JSON-LD repeats, for the block features."""
        title = f"{self.title or ''} {self.meta.get('og:title', '')}"
        return PageHints(
            title_words=split_text_words(title),
            body_text=self.listed_text,
        )


def read_page_head(tree: LexborHTMLParser) -> PageHead:
    """Read the title, the few meta values used here, and JSON-LD as text."""
    node = tree.css_first("title")
    title = " ".join((node.text() or "").split()) if node is not None else ""
    meta: dict[str, str] = {}
    for item in tree.css("meta[content]"):
        attributes: dict[str, Any] = item.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        if name in _KIND_META_NAMES:
            meta.setdefault(name, attributes.get("content") or "")
    scripts = tree.css('script[type="application/ld+json"]')
    texts = [item.text() or "" for item in scripts]
    return PageHead(
        title=title or meta.get("og:title") or None,
        meta=meta,
        json_ld_text="\n".join(texts)[:_MAX_JSON_LD_CHARS],
        listed_text=_find_article_body(texts),
    )


def _find_article_body(scripts: Sequence[str]) -> str:
    """The text of the article as the page's JSON-LD repeats it; empty if it does not."""
    for script in scripts:
        if '"articleBody"' in script and len(script) <= _MAX_JSON_LD_CHARS:
            try:
                found = json.loads(script, strict=False)
            except (ValueError, RecursionError):
                continue
            items = found if isinstance(found, list) else [found]
            graphs = [item.get("@graph") for item in items if isinstance(item, dict)]
            items = items + [item for graph in graphs if isinstance(graph, list) for item in graph]
            for item in items:
                body = item.get("articleBody") if isinstance(item, dict) else None
                if isinstance(body, str) and len(body) >= _MIN_BODY_CHARS:
                    return " ".join(_MARKUP_TAG.sub(" ", unescape(body)).split())
    return ""


def collect_kind_signals(page: PageLayout, head: PageHead, url: str) -> dict[str, float]:
    """Named signals for the kind: words of the address and head, and the shape of the body."""
    found = dict.fromkeys(_list_address_signals(url), 1.0)
    for name in ("og:type", "generator"):
        for word in split_name_words(head.meta.get(name, ""))[:2]:
            found[f"{name}={word}"] = 1.0
    for name in _JSON_LD_TYPE.findall(head.json_ld_text):
        found[f"ld={name.lower()}"] = 1.0
    found.update((f"body={word}", 1.0) for word in page.boxes[0].tokens)
    found.update((f"class={token}", 1.0) for token in page.name_words)
    found.update(_measure_body_shape(page))
    return found


def _list_address_signals(url: str) -> list[str]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    path = parts.path.lower()
    words = [f"host={word}" for word in host.split(".")]
    words += [f"path={word}" for word in _URL_PATH_WORD.findall(path)[:8]]
    words.append(f"segments={min(path.strip('/').count('/') + bool(path.strip('/')), 5)}")
    words.append(f"dashes={min(path.rsplit('/', 1)[-1].count('-') // 2, 5)}")
    if re.search(r"\d{4,}", path):
        words.append("path#number")
    if parts.query:
        words.append("query")
    return words


def _measure_body_shape(page: PageLayout) -> dict[str, float]:
    body = page.boxes[0]
    size = body.words or 1
    shape = {f"tag={tag}": math.log1p(page.tags.get(tag, 0)) for tag in _COUNTED_TAGS}
    text_size = math.log1p(size)
    money = sum("$" in k.text or "€" in k.text or "£" in k.text for k in page.blocks)
    repeated = sum(k.words for k in page.blocks if k.box.outer is not None or k.box.alike > 2)
    questions = sum(k.text.endswith("?") for k in page.blocks)
    shape |= {
        "#size": text_size,
        "#links": body.linked / size,
        "#prose": body.long / size,
        "#money": math.log1p(money),
        "#repeated": repeated / size,
        "#questions": math.log1p(questions),
        "#mean": math.log1p(size / (len(page.blocks) or 1)),
    }
    return shape


def score_page_kinds(
    found: Mapping[str, float], model: Mapping[str, Sequence[float]]
) -> tuple[float, ...]:
    """The probability of each of PAGE_KINDS; `model` maps a signal to one weight per kind."""
    totals = list(model["#bias"])
    for name, value in found.items():
        weights = model.get(name)
        if weights is not None:
            for index, weight in enumerate(weights):
                totals[index] += weight * value
    peak = max(totals)
    powers = [math.exp(total - peak) for total in totals]
    whole = sum(powers)
    return tuple(power / whole for power in powers)
