"""Computes the features of every block: its text, its boxes, its neighbours and its page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from citewell.reading.html import layout_blocks as b
from citewell.reading.html.block_context import CONTEXT_COLUMNS
from citewell.text.language.scripts import HAN_KANA_RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from citewell.reading.html.layout_blocks import LayoutBox, PageLayout, TextBlock

# Ordered from menus to prose, so that a single threshold already separates them.
_ORDERED_TAG_NAMES = (
    "button nav", "summary", "div section", "li", "td th", "figcaption caption", "dt", "dd", "article",
    "blockquote", "pre", "p",
)  # fmt: skip
_TAG_ORDER = {tag: place for place, names in enumerate(_ORDERED_TAG_NAMES) for tag in names.split()}
_HEADING_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_UNICODE_WORD = re.compile(r"[^\W\d_]{2,}")
_ASCII_WORD = re.compile(r"[a-z]{2,}")
_HAN_PAIR = re.compile(f"(?=([{HAN_KANA_RANGES}]{{2}}))")
_MAX_SAMPLE_WORDS = 14
_FAR_BLOCKS = 60  # a distance beyond every limit, for what is not there
_MIN_LISTED_CHARS = 25
_NO_REPEATED_ITEM = (0, 0, 0.0, 0.0)
_SENTENCE_ENDS = ".!?。！？…"
_CLAUSE_ENDS = ':;,"”)'


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHints:
    """What the head says of the content: the words of the title, and the text of the body, if given."""

    title_words: frozenset[str]
    body_text: str = ""


def sample_block_words(text: str) -> list[str]:
    """The words of a block that are looked up in the learned word odds; of ideographs, the pairs."""
    text = text[:120].lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)[:_MAX_SAMPLE_WORDS]
    pairs = _HAN_PAIR.findall(text)
    return (pairs or _UNICODE_WORD.findall(text))[:_MAX_SAMPLE_WORDS]


def split_text_words(text: str) -> frozenset[str]:
    """All words of a text in the form of `sample_block_words`."""
    text = text.lower()
    return frozenset(_UNICODE_WORD.findall(text) + _HAN_PAIR.findall(text))


def build_feature_rows(
    page: PageLayout,
    words: Mapping[str, float],
    hints: PageHints,
    kinds: Sequence[float],
) -> list[list[float]]:
    """One row of features for each block, with the columns of `OWN_COLUMNS`."""
    boxes = _build_box_columns(page)
    groups = _build_group_columns(page)
    texts = _build_text_columns(page, words, hints)
    arounds = _build_neighbour_columns(page)
    places = _build_place_columns(page)
    whole = _build_page_columns(page) + list(kinds)
    rows: list[list[float]] = []
    for i, block in enumerate(page.blocks):
        rows.append(
            [
                *_measure_own_features(block),
                *boxes[block.box.id],
                *texts[i],
                *arounds[i],
                *places[i],
                *groups[i],
                *whole,
            ]
        )
    return rows


def _measure_own_features(block: TextBlock) -> tuple[float, ...]:
    text, words = block.text, block.words or 1
    last = text[-1]
    commas = 0
    if words > _MAX_SAMPLE_WORDS:
        commas = text.count(",")
        if not text.isascii():
            commas += text.count("，") + text.count("、")
    return (
        words,
        block.linked / words,
        len(text) / words,
        commas,
        2 if last in _SENTENCE_ENDS else 1 if last in _CLAUSE_ENDS else 0,
    )


def _build_box_columns(page: PageLayout) -> dict[int, tuple[float, ...]]:
    """The columns of each box with text, which its blocks share."""
    held = {
        box.id: (box.words, box.linked / box.words, box.long / box.words)
        for box in page.boxes
        if box.words
    }
    articles = _share_article_prose(page)
    depth = page.boxes[0].core
    columns: dict[int, tuple[float, ...]] = {}
    for block in page.blocks:
        box = block.box
        if box.id not in columns:
            columns[box.id] = (
                *_measure_box_features(box, held),
                articles.get(box.id, 0.0),
                box.depth - depth,
            )
    return columns


def _share_article_prose(page: PageLayout) -> dict[int, float]:
    """For each box in an `article` element, the share of the page's prose in the innermost one."""
    shares: dict[int, float] = {}
    if not page.tags.get("article"):
        return shares
    prose = page.boxes[0].long or 1
    for box in page.boxes:
        if box.tag == "article":
            shares[box.id] = box.long / prose
        elif box.parent is not None and box.parent.id in shares:
            shares[box.id] = shares[box.parent.id]
    return shares


def _measure_box_features(
    box: LayoutBox, held: Mapping[int, tuple[float, float, float]]
) -> tuple[float, ...]:
    up = box.parent or box
    upper = up.parent or up
    top = upper.parent or upper
    top = top.parent or top
    item = box if box.alike > 2 else box.outer
    flags = box.flags
    return (
        _HEADING_LEVELS.get(box.tag, 0),
        _TAG_ORDER.get(box.tag, 2),
        box.depth,
        flags & b.NAV,
        flags & b.FOOTER,
        flags & b.ASIDE,
        flags & b.MAIN,
        flags & b.ARTICLE,
        flags & b.FORM,
        flags & b.FIGURE,
        flags & b.HIDDEN,
        flags & b.NOSCRIPT,
        flags & b.COMMENTS,
        box.own,
        box.path,
        box.low,
        box.high,
        box.near,
        box.core,
        box.alike,
        *held[box.id][:2],
        *held[up.id],
        *held[upper.id],
        *held[top.id],
        up.count,
        upper.count,
        *((item.alike, *held[item.id][:2], item.own) if item is not None else _NO_REPEATED_ITEM),
    )


def _build_text_columns(
    page: PageLayout, words: Mapping[str, float], hints: PageHints
) -> list[tuple[float, ...]]:
    counts = Counter([block.text for block in page.blocks])
    body = hints.body_text
    voices: dict[str, tuple[float, float, float, float]] = {}
    rows: list[tuple[float, ...]] = []
    heading, level, since = 0.0, 0, _FAR_BLOCKS
    for block in page.blocks:
        text = block.text
        voice = voices.get(text)
        if voice is None:
            voice = voices[text] = _score_text_words(text, words, hints.title_words)
        mean, high, low, shared = voice
        own_level = _HEADING_LEVELS.get(block.box.tag, 0)
        if own_level:
            heading, level, since = mean, own_level, 0
        else:
            since += 1
        listed = 0
        if body and len(text) >= _MIN_LISTED_CHARS:
            listed = 1 if text[:_MIN_LISTED_CHARS] in body else -1
        rows.append((mean, high, low, heading, level, since, counts[text], shared, listed))
    return rows


def _score_text_words(
    text: str, words: Mapping[str, float], title: frozenset[str]
) -> tuple[float, float, float, float]:
    """Mean, highest and lowest odds of a text's words, and the share of them in the title."""
    found = sample_block_words(text)
    shared = sum(map(title.__contains__, found)) / len(found) if found else 0.0
    # No word in the table has odds of zero, so `filter` drops only words that are not in it.
    scores = [*filter(None, map(words.get, found))]
    if not scores:
        return 0.0, 0.0, 0.0, shared
    return sum(scores) / len(found), max(scores), min(scores), shared


def _build_neighbour_columns(page: PageLayout) -> list[tuple[float, ...]]:
    nears = [0.0, *(block.box.near for block in page.blocks), 0.0]
    sizes = [0, *(block.words for block in page.blocks), 0]
    sums = [0, *accumulate(block.words for block in page.blocks)]
    links = [0, *accumulate(block.linked for block in page.blocks)]
    last = len(page.blocks)
    rows: list[tuple[float, ...]] = []
    for index in range(last):
        low, high = max(0, index - 5), min(last, index + 6)
        size = sums[high] - sums[low] or 1
        rows.append(
            (
                nears[index],
                nears[index + 2],
                sizes[index],
                sizes[index + 2],
                size / (high - low),
                (links[high] - links[low]) / size,
            )
        )
    return rows


def _build_place_columns(page: PageLayout) -> list[tuple[float, ...]]:
    total = page.boxes[0].words or 1
    prose = page.boxes[0].long or 1
    count = len(page.blocks)
    top = next((i for i, block in enumerate(page.blocks) if block.box.tag == "h1"), count + 99)
    gaps = _measure_prose_gaps(page)
    rows: list[tuple[float, ...]] = []
    seen = read = 0
    for index, block in enumerate(page.blocks):
        rows.append(
            (
                index,
                count - index,
                seen / total,
                read / prose,
                index - top,
                *gaps[index],
            )
        )
        seen += block.words
        read += block.words if block.long else 0
    return rows


def _measure_prose_gaps(page: PageLayout) -> list[tuple[int, int]]:
    """For each block, the number of blocks since the last prose, and until the next."""
    backward: list[int] = []
    gap = _FAR_BLOCKS
    for block in reversed(page.blocks):
        gap = 0 if block.long else gap + 1
        backward.append(gap)
    backward.reverse()
    gaps: list[tuple[int, int]] = []
    gap = _FAR_BLOCKS
    for block, until in zip(page.blocks, backward, strict=True):
        gap = 0 if block.long else gap + 1
        gaps.append((gap, until))
    return gaps


def _build_group_columns(page: PageLayout) -> list[tuple[float, ...]]:
    """Totals over all blocks with the same tag and classes."""
    ids = page.group_ids
    groups = [[0, 0, 0, 0] for _ in range(max(ids, default=-1) + 1)]
    for key, block in zip(ids, page.blocks, strict=True):
        group = groups[key]
        group[0] += 1
        group[1] += block.words
        group[2] += block.linked
        if block.long:
            group[3] += block.words
    total = page.boxes[0].words or 1
    rows = [
        (count, words / count, linked / (words or 1), prose / (words or 1), (words or 1) / total)
        for count, words, linked, prose in groups
    ]
    return [rows[key] for key in ids]


def _build_page_columns(page: PageLayout) -> list[float]:
    body = page.boxes[0]
    size = body.words or 1
    paragraphs = sum(block.words for block in page.blocks if block.box.tag == "p")
    return [
        size,
        body.linked / size,
        body.long / size,
        len(page.blocks),
        paragraphs / size,
        page.tags.get("article", 0),
        page.tags.get("pre", 0),
    ]


_COLUMN_NAMES = (
    "words links word_size commas ending heading tag depth nav footer aside main article form "
    "figure hidden noscript comments own path low high near core alike box_size box_links up_size "
    "up_links up_prose upper_size upper_links upper_prose top_size top_links top_prose up_count "
    "upper_count item_alike item_size item_links item_own article_share core_depth word_mean word_high word_low head_score "
    "head_level head_since copies title_share listed prev_near next_near prev_words next_words "
    "window_words window_links index from_end seen read from_h1 since_prose until_prose "
    "group_count group_words group_links group_prose group_share page_words page_links page_prose "
    "page_blocks page_paragraphs page_articles page_code is_article is_documentation is_forum "
    "is_product is_listing is_collection is_service"
)
OWN_COLUMNS = tuple(_COLUMN_NAMES.split())
FEATURE_COLUMNS = OWN_COLUMNS + CONTEXT_COLUMNS
