"""Describe every block of a page by numbers: itself, its boxes, its neighbours, its page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html import blocks as b

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from citewell.fetch.html.blocks import Block, Box, Page

# Ordered from furniture to prose, so that one threshold on it already separates.
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
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_WORD = re.compile(r"[^\W\d_]{2,}")
_FLAGS = (
    b.NAV,
    b.HEADER,
    b.FOOTER,
    b.ASIDE,
    b.MAIN,
    b.ARTICLE,
    b.FORM,
    b.TABLE,
    b.FIGURE,
    b.NOSCRIPT,
    b.HIDDEN,
    b.BUTTON,
    b.DIALOG,
)
_HEADING_REACH = 60
_FEW_WORDS = 14
_EDGE = (0, 0.0, 0.0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What the head of the page says the content is about."""

    title: frozenset[str]
    description: str
    structured: str


def sample_words(text: str) -> list[str]:
    """The words of a block that its vocabulary score looks at."""
    return _WORD.findall(text.lower()[:160])[:_FEW_WORDS]


def vectors(
    page: Page, words: Mapping[str, float], hints: Hints, kinds: Sequence[float]
) -> list[list[float]]:
    """One row per block, in order; every row has the same columns (see `COLUMNS`)."""
    rows = [_own(block) for block in page.blocks]
    texts = _text_columns(page, words, hints)
    around = _neighbour_columns(page)
    places = _place_columns(page)
    groups = _group_columns(page)
    whole = _page_columns(page) + list(kinds)
    for row, block, text, near, place, group in zip(
        rows, page.blocks, texts, around, places, groups, strict=True
    ):
        row += _box_columns(block)
        row += text
        row += near
        row += place
        row += group
        row += whole
    return rows


def heading_level(block: Block) -> int:
    """1 to 6 inside a heading, else 0."""
    return _HEADINGS.get(block.box.tag, 0)


def _own(block: Block) -> list[float]:
    text, words = block.text, block.words or 1
    size = len(text)
    last = text[-1]
    flags = block.box.flags
    row: list[float] = [
        words,
        block.linked / words,
        block.links,
        size / words,
        text.count(",") + text.count("，") + text.count("、"),
        text.count(". ") + text.count("? ") + text.count("! ") + text.count("。"),
        2 if last in ".!?。！？…" else 1 if last in ":;,\"”)" else 0,
        sum(map(text.count, "0123456789")) / size if size < 400 else 0.0,
        sum(map(str.isupper, text[:80])) / min(size, 80),
        text.count("$") + text.count("€") + text.count("£"),
        block.bold / words,
        block.wrapped,
        heading_level(block),
        _TAG_ORDER.get(block.box.tag, 2),
        block.box.depth,
        block.box.lists,
    ]
    row += [1.0 if flags & flag else 0.0 for flag in _FLAGS]
    return row


def _box_columns(block: Block) -> list[float]:
    box = block.box
    up = box.parent or box
    upper = up.parent or up
    top = upper.parent or upper
    top = top.parent or top
    item = box.item
    row: list[float] = [
        box.own,
        box.path,
        box.low,
        box.high,
        box.near,
        box.core,
        box.alike,
        up.alike,
    ]
    for outer in (box, up, upper, top):
        size = outer.words or 1
        row += (size, outer.linked / size, outer.long / size)
    row += (box.count, up.count, upper.count)
    if item is None:
        row += (0.0, 0.0, 0.0, 0.0, 0.0)
    else:
        size = item.words or 1
        row += (item.alike, size, item.linked / size, box.depth - item.depth, item.own)
    return row


def _text_columns(
    page: Page, words: Mapping[str, float], hints: Hints
) -> list[list[float]]:
    counts: dict[str, int] = {}
    for block in page.blocks:
        counts[block.text] = counts.get(block.text, 0) + 1
    rows: list[list[float]] = []
    heading, level, since = 0.0, 0, _HEADING_REACH
    for block in page.blocks:
        found = sample_words(block.text)
        scores = [words.get(word, 0.0) for word in found]
        mean = sum(scores) / len(scores) if scores else 0.0
        lowest = min(scores, default=0.0)
        own_level = heading_level(block)
        if own_level:
            heading, level, since = mean, own_level, 0
        else:
            since = min(since + 1, _HEADING_REACH)
        rows.append(
            [
                mean,
                lowest,
                max(scores, default=0.0),
                heading,
                level,
                since,
                counts[block.text],
                *_hint_columns(block, found, hints),
            ]
        )
    return rows


def _hint_columns(block: Block, found: list[str], hints: Hints) -> tuple[float, float, float]:
    shared = 0.0
    if found and hints.title:
        shared = sum(word in hints.title for word in found) / len(found)
    start = block.text[:60]
    described = len(start) > 20 and start in hints.description
    structured = len(start) > 20 and start in hints.structured
    return shared, described, structured


def _neighbour_columns(page: Page) -> list[list[float]]:
    briefs = [
        (k.words, k.linked / (k.words or 1), k.box.near, heading_level(k)) for k in page.blocks
    ]
    padded = [_EDGE, _EDGE, *briefs, _EDGE, _EDGE]
    sums = [0]
    links = [0]
    for block in page.blocks:
        sums.append(sums[-1] + block.words)
        links.append(links[-1] + block.linked)
    last = len(page.blocks)
    rows: list[list[float]] = []
    for index in range(last):
        before2, before, _, after, after2 = padded[index : index + 5]
        low, high = max(0, index - 5), min(last, index + 6)
        size = sums[high] - sums[low] or 1
        rows.append(
            [
                before[0],
                before[1],
                before[2],
                before[3],
                after[0],
                after[1],
                after[2],
                after[3],
                before2[0],
                before2[1],
                after2[0],
                after2[1],
                size / (high - low),
                (links[high] - links[low]) / size,
            ]
        )
    return rows


def _place_columns(page: Page) -> list[list[float]]:
    total = sum(block.words for block in page.blocks) or 1
    prose = sum(block.words for block in page.blocks if b.is_long(block)) or 1
    top = next((i for i, block in enumerate(page.blocks) if block.box.tag == "h1"), -1)
    nexts = _blocks_to_prose(page.blocks)
    count = len(page.blocks)
    rows: list[list[float]] = []
    seen = read = 0
    since = 99
    for index, block in enumerate(page.blocks):
        long = b.is_long(block)
        since = 0 if long else min(since + 1, 99)
        rows.append(
            [
                index,
                count - index,
                seen / total,
                read / prose,
                since,
                nexts[index],
                max(-30, min(30, index - top)) if top >= 0 else 99,
            ]
        )
        seen += block.words
        read += block.words if long else 0
    return rows


def _blocks_to_prose(blocks: Sequence[Block]) -> list[int]:
    nexts = [99] * len(blocks)
    gap = 99
    for index in range(len(blocks) - 1, -1, -1):
        gap = 0 if b.is_long(blocks[index]) else min(gap + 1, 99)
        nexts[index] = gap
    return nexts


def _signature(box: Box) -> tuple[str, str, str, str]:
    up = box.parent or box
    return box.tag, box.style, up.tag, up.style


def _group_columns(page: Page) -> list[list[float]]:
    """How the blocks that look the same, by tag and class, are on the whole."""
    groups: dict[tuple[str, str, str, str], list[int]] = {}
    keys = [_signature(block.box) for block in page.blocks]
    for key, block in zip(keys, page.blocks, strict=True):
        group = groups.setdefault(key, [0, 0, 0, 0])
        group[0] += 1
        group[1] += block.words
        group[2] += block.linked
        group[3] += block.words if b.is_long(block) else 0
    total = page.boxes[0].words or 1
    rows = {
        key: [count, words / count, linked / (words or 1), prose / (words or 1), words / total]
        for key, (count, words, linked, prose) in groups.items()
    }
    return [rows[key] for key in keys]


def _page_columns(page: Page) -> list[float]:
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


COLUMNS = (
    *"words links_share links word_size commas sentences ending digits capitals money bold "
    "wrapped heading tag depth lists".split(),
    *"nav header footer aside main article form table figure noscript hidden button "
    "dialog".split(),
    *"own path low high near core alike up_alike".split(),
    *(f"{outer}_{what}" for outer in ("box", "up", "upper", "top") for what in ("size", "links", "prose")),
    *"box_count up_count upper_count item_alike item_size item_links item_depth item_own".split(),
    *"word_mean word_low word_high head_score head_level head_since copies title_share "
    "described structured".split(),
    *"prev_words prev_links prev_near prev_heading next_words next_links next_near next_heading "
    "prev2_words prev2_links next2_words next2_links window_words window_links".split(),
    *"index from_end seen read since_prose to_prose from_h1".split(),
    *"group_count group_words group_links group_prose group_share".split(),
    *"page_words page_links page_prose page_blocks page_paragraphs page_articles "
    "page_code".split(),
    *"article documentation forum product listing collection service".split(),
)
