"""Computes the features of every block: its text, its boxes, its neighbours and its page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from citewell.fetch.html import layout_blocks as b
from citewell.fetch.html.block_context import CONTEXT_COLUMNS
from citewell.text.language.scripts import HAN_KANA_RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout, TextBlock

# Ordered from menus to prose, so that a single threshold already separates them.
_TAG_ORDER = {
    "button": 0,
    "nav": 0,
    "summary": 1,
    "div": 2,
    "section": 2,
    "li": 3,
    "td": 4,
    "th": 4,
    "figcaption": 5,
    "caption": 5,
    "dt": 6,
    "dd": 7,
    "article": 8,
    "blockquote": 9,
    "pre": 10,
    "p": 11,
}
_HEADING_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_UNICODE_WORD = re.compile(r"[^\W\d_]{2,}")
_ASCII_WORD = re.compile(r"[a-z]{2,}")
_HAN_PAIR = re.compile(f"(?=([{HAN_KANA_RANGES}]{{2}}))")
_MAX_SAMPLE_WORDS = 14
# Every count stops at a limit that ordinary pages reach, so a page of any length looks familiar.
_MAX_HEADING_DISTANCE = 60
_MAX_DISTANCE = 30
_MAX_GROUP_COUNT = 25
_MAX_BOX_COUNT = 20
_MAX_BOX_WORDS = 1_500
_MAX_BLOCK_WORDS = 300
_MAX_NEAR_WORDS = 100
_MAX_COMMAS = 30
_MAX_CORE_DEPTH = 8
_MAX_COPIES = 10
_MAX_WORD_SIZE = 30
_MAX_PAGE_WORDS = 2_500
_MAX_PAGE_BLOCKS = 150
_MAX_PAGE_TAGS = 10
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
    size = len(text) / words
    return (
        min(_MAX_BLOCK_WORDS, words),
        block.linked / words,
        min(_MAX_WORD_SIZE, size),
        min(_MAX_COMMAS, commas),
        2 if last in _SENTENCE_ENDS else 1 if last in _CLAUSE_ENDS else 0,
    )


def _build_box_columns(page: PageLayout) -> dict[int, tuple[float, ...]]:
    """The columns of each box with text, which its blocks share."""
    held = {
        box.id: (
            min(box.words, _MAX_BOX_WORDS),
            box.linked / box.words,
            box.long / box.words,
        )
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
                min(max(box.depth - depth, -_MAX_CORE_DEPTH), _MAX_CORE_DEPTH),
            )
    return columns


def _share_article_prose(page: PageLayout) -> dict[int, float]:
    """For each box in an `article` element, the share of the page's prose in the innermost one."""
    prose = page.boxes[0].long or 1
    shares: dict[int, float] = {}
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
        min(box.depth, _MAX_DISTANCE),
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
        min(box.alike, _MAX_GROUP_COUNT),
        *held[box.id][:2],
        *held[up.id],
        *held[upper.id],
        *held[top.id],
        min(up.count, _MAX_BOX_COUNT),
        min(upper.count, _MAX_BOX_COUNT),
        *(
            (min(item.alike, _MAX_GROUP_COUNT), *held[item.id][:2], item.own)
            if item is not None
            else _NO_REPEATED_ITEM
        ),
    )


def _build_text_columns(
    page: PageLayout, words: Mapping[str, float], hints: PageHints
) -> list[tuple[float, ...]]:
    counts = Counter([block.text for block in page.blocks])
    body = hints.body_text
    voices: dict[str, tuple[float, float, float, float]] = {}
    rows: list[tuple[float, ...]] = []
    heading, level, since = 0.0, 0, _MAX_HEADING_DISTANCE
    for block in page.blocks:
        text = block.text
        voice = voices.get(text)
        if voice is None:
            voice = voices[text] = _score_text_words(text, words, hints.title_words)
        mean, high, low, shared = voice
        own_level = _HEADING_LEVELS.get(block.box.tag, 0)
        if own_level:
            heading, level, since = mean, own_level, 0
        elif since < _MAX_HEADING_DISTANCE:
            since += 1
        listed = 0
        if body and len(text) >= _MIN_LISTED_CHARS:
            listed = 1 if text[:_MIN_LISTED_CHARS] in body else -1
        copies = min(counts[text], _MAX_COPIES)
        rows.append((mean, high, low, heading, level, since, copies, shared, listed))
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
    sizes = [0, *(min(block.words, _MAX_NEAR_WORDS) for block in page.blocks), 0]
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
                min(size / (high - low), _MAX_NEAR_WORDS),
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
                min(index, _MAX_DISTANCE),
                min(count - index, _MAX_DISTANCE),
                seen / total,
                read / prose,
                max(min(index - top, _MAX_DISTANCE), -_MAX_DISTANCE),
                *gaps[index],
            )
        )
        seen += block.words
        read += block.words if block.long else 0
    return rows


def _measure_prose_gaps(page: PageLayout) -> list[tuple[int, int]]:
    """For each block, the number of blocks since the last prose, and until the next."""
    backward: list[int] = []
    gap = _MAX_DISTANCE
    for block in reversed(page.blocks):
        gap = 0 if block.long else min(gap + 1, _MAX_DISTANCE)
        backward.append(gap)
    backward.reverse()
    gaps: list[tuple[int, int]] = []
    gap = _MAX_DISTANCE
    for block, until in zip(page.blocks, backward, strict=True):
        gap = 0 if block.long else min(gap + 1, _MAX_DISTANCE)
        gaps.append((gap, until))
    return gaps


def _build_group_columns(page: PageLayout) -> list[tuple[float, ...]]:
    """Totals over all blocks with the same tag and classes."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    members: list[list[int]] = []
    for block in page.blocks:
        box = block.box
        key = (box.tag, box.style, box.parent.style if box.parent is not None else "")
        group = groups.get(key)
        if group is None:
            group = groups[key] = [0, 0, 0, 0]
        group[0] += 1
        group[1] += block.words
        group[2] += block.linked
        group[3] += block.words if block.long else 0
        members.append(group)
    total = page.boxes[0].words or 1
    rows = {
        id(group): (
            min(group[0], _MAX_GROUP_COUNT),
            min(group[1] / group[0], _MAX_NEAR_WORDS),
            group[2] / size,
            group[3] / size,
            size / total,
        )
        for group in groups.values()
        if (size := group[1] or 1)
    }
    return [rows[id(group)] for group in members]


def _build_page_columns(page: PageLayout) -> list[float]:
    body = page.boxes[0]
    size = body.words or 1
    paragraphs = sum(block.words for block in page.blocks if block.box.tag == "p")
    return [
        min(size, _MAX_PAGE_WORDS),
        body.linked / size,
        body.long / size,
        min(len(page.blocks), _MAX_PAGE_BLOCKS),
        paragraphs / size,
        min(page.tags.get("article", 0), _MAX_PAGE_TAGS),
        min(page.tags.get("pre", 0), _MAX_PAGE_TAGS),
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
