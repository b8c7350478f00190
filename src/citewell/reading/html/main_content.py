"""Extracts the main content of a page as markdown and as plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.core.values.counted_words import pluralize
from citewell.reading.html import block_choice
from citewell.reading.html import layout_blocks as b
from citewell.reading.html.block_context import add_context_columns, join_structure_chances
from citewell.reading.html.block_features import build_feature_rows
from citewell.reading.html.layout_blocks import COMMENTS, collect_page_blocks
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.markdown.markdown_text import resolve_link
from citewell.reading.markdown.markdown_writer import render_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.html.block_features import PageHints
    from citewell.reading.html.layout_blocks import LayoutBox, PageLayout, TextBlock

_FORUM = block_choice.PAGE_KINDS.index("forum")
_MIN_FORUM_CHANCE = 0.3
_MAX_COMMENT_SHARE = 0.6

# An article ends where comments and teasers begin, so doubtful blocks are left out of it.
_ARTICLE_STRICTNESS = 1.2
# Out of fold, these find two thirds of the pages that lose a fifth of their text or more, and say
# the same of a tenth of the others.
_MIN_SURE_F1 = 0.6
_MIN_SURE_RECALL = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent:
    """The main content of one page; `confidence` is the F1 that the model expects of its choice.

    `comments_markdown` holds what readers wrote under an article. `is_partial` says that text may be
    missing, and `notes` say why.
    """

    markdown: str
    text: str
    title: str | None
    kind: str
    confidence: float
    word_count: int
    page_word_count: int
    comments_markdown: str = ""
    is_partial: bool = False
    notes: tuple[str, ...] = ()


def extract_main_content(html: str, *, url: str = "") -> MainContent:
    """The main content of decoded HTML. Never raises on bad markup; empty text means none was found."""
    from selectolax.lexbor import LexborHTMLParser

    return extract_from_tree(LexborHTMLParser(limit_markup(html)), url=url)


def extract_markdown(html: str, url: str = "") -> str:
    """Only the markdown, with the signature that benchmark scripts expect."""
    return extract_main_content(html, url=url or "").markdown


def extract_from_tree(tree: LexborHTMLParser, *, url: str = "") -> MainContent:
    """The main content of a parsed tree from which hidden text was removed; the tree is not changed."""
    head = block_choice.read_page_head(tree)
    body = tree.body
    page = read_page_layout(body) if body is not None else None
    if body is None or page is None or not page.blocks:
        return _build_empty_content(head.title)
    model = block_choice.load_scoring_model()
    score_box_names(page, model.name_odds)
    likely = block_choice.score_page_kinds(
        block_choice.collect_kind_signals(page, head, url), model.kind_weights
    )
    hints = head.build_page_hints()
    rows = build_feature_rows(page, model.word_odds, hints, likely)
    add_context_columns(page, rows, block_choice.guess_blocks(rows))
    chosen = choose_blocks(page, block_choice.score_blocks(rows), likely, hints)
    node = tree.head.css_first("base[href]") if tree.head is not None else None
    href = node.attributes.get("href") if node is not None else None
    base = (resolve_link(url, href) or url) if href else url
    notes = find_likely_losses(page, chosen)
    return MainContent(
        markdown=_render_blocks(body, page, chosen.kept, base),
        text="\n\n".join(block.text for block in chosen.kept),
        title=head.title,
        kind=block_choice.PAGE_KINDS[likely.index(max(likely))],
        confidence=round(chosen.expected_f1, 3),
        word_count=sum(block.words for block in chosen.kept),
        page_word_count=page.boxes[0].words,
        comments_markdown=_render_blocks(body, page, chosen.comments, base),
        is_partial=bool(notes),
        notes=notes,
    )


def _render_blocks(body: LexborNode, page: PageLayout, kept: Sequence[TextBlock], base: str) -> str:
    if not kept:
        return ""
    nodes, boxes = collect_chosen_nodes(page, kept)
    return render_markdown(body, base=base, nodes=nodes, boxes=boxes)


def collect_chosen_nodes(
    page: PageLayout, kept: Sequence[TextBlock]
) -> tuple[frozenset[int], frozenset[int]]:
    """The ids of the kept texts and images, and of all boxes around them, for `render_markdown`."""
    nodes: set[int] = set()
    boxes: set[int] = set()
    chosen = {id(block) for block in kept}
    found = [(block.box, block.ids) for block in kept]
    for place, box, ids in page.images:
        around = page.blocks[max(place - 1, 0) : place + 1]
        if all(id(block) in chosen for block in around):
            found.append((box, ids))
    for box, ids in found:
        nodes.update(ids)
        outer: LayoutBox | None = box
        while outer is not None and outer.id not in boxes:
            boxes.add(outer.id)
            outer = outer.parent
    return frozenset(nodes), frozenset(boxes)


def _build_empty_content(title: str | None) -> MainContent:
    return MainContent(
        markdown="",
        text="",
        title=title,
        kind="article",
        confidence=0.0,
        word_count=0,
        page_word_count=0,
    )


# Relates the boxes of a page: what each holds, which are alike, and where most of the prose is.


def read_page_layout(body: LexborNode) -> PageLayout:
    """The blocks and boxes under `body`, with what each box holds and how they are related."""
    page = collect_page_blocks(body)
    relate_boxes(page)
    return page


def relate_boxes(page: PageLayout) -> None:
    """Set the sums, the number of like siblings and the distance from the core of every box."""
    _sum_box_words(page)
    _mark_repeated_boxes(page)
    _mark_core_distance(page)
    page.group_ids = _group_like_blocks(page)


def _group_like_blocks(page: PageLayout) -> list[int]:
    """For each block a number that it shares with the blocks of the same tag and classes."""
    numbers: dict[tuple[str, str, str], int] = {}
    found: list[int] = []
    for block in page.blocks:
        box = block.box
        key = (box.tag, box.style, box.parent.style if box.parent is not None else "")
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def score_box_names(page: PageLayout, names: Mapping[str, float]) -> None:
    """Give every box the learned odds of its class and id words, its ancestors' included."""
    odds_by_tokens: dict[tuple[str, ...], float] = {}
    for box in page.boxes:
        if not box.count:
            continue
        tokens = box.tokens
        odds = odds_by_tokens.get(tokens)
        if odds is None:
            scores = [*filter(None, map(names.get, tokens))]
            odds = odds_by_tokens[tokens] = sum(scores) / len(scores) ** 0.5 if scores else 0.0
        parent = box.parent
        box.own = odds
        if parent is None:
            box.path = box.near = odds
            box.low, box.high = min(odds, 0.0), max(odds, 0.0)
        else:
            box.path = parent.path + odds
            box.near = odds or parent.near
            box.low = min(odds, parent.low)
            box.high = max(odds, parent.high)


def _sum_box_words(page: PageLayout) -> None:
    for block in page.blocks:
        box = block.box
        box.words += block.words
        box.linked += block.linked
        box.count += 1
        if block.long:
            box.long += block.words
    for box in reversed(page.boxes):
        parent = box.parent
        if parent is not None and box.count:
            parent.words += box.words
            parent.linked += box.linked
            parent.long += box.long
            parent.count += box.count


def _mark_repeated_boxes(page: PageLayout) -> None:
    """Give every box its number of like siblings, and the nearest enclosing box that is repeated."""
    kin: dict[tuple[int, str, str], int] = {}
    keyed: list[tuple[LayoutBox, LayoutBox, tuple[int, str, str]]] = []
    for box in page.boxes:
        parent = box.parent
        if parent is not None and box.count:
            key = (parent.id, box.tag, box.style)
            kin[key] = kin.get(key, 0) + 1
            keyed.append((box, parent, key))
    for box, parent, key in keyed:
        box.alike = kin[key]
        # Not the box itself: a reference cycle would keep the page in memory until garbage collection.
        box.outer = parent if parent.alike > 2 else parent.outer


def _mark_core_distance(page: PageLayout) -> None:
    """Set each box's distance from the smallest box with most of the prose; inside it is 0."""
    heaviest: dict[int, LayoutBox] = {}
    for box in page.boxes:
        if box.parent is not None and box.long:
            best = heaviest.get(box.parent.id)
            if best is None or box.long > best.long:
                heaviest[box.parent.id] = box
    core = page.boxes[0]
    line = {core.id: core}
    while True:
        child = heaviest.get(core.id)
        if child is None or child.long * 10 < page.boxes[0].long * 6:
            break
        core = child
        line[core.id] = core
    for box in page.boxes:
        if box.id in line:
            box.core = core.depth - box.depth
        elif box.parent is not None:
            box.core = box.parent.core


# Chooses which blocks of a page to keep, given the chance of each to be main content.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBlocks:
    """The blocks to keep and those of the comments, in document order, and what is expected of it.

    `expected_recall` is the share of the likely main text that is kept.
    """

    kept: list[TextBlock]
    comments: list[TextBlock]
    expected_f1: float
    expected_recall: float


def choose_blocks(
    page: PageLayout, chances: Sequence[float], kinds: Sequence[float], hints: PageHints
) -> ChosenBlocks:
    """Keep the blocks with which the expected F1 over words is highest; `kinds` as of PAGE_KINDS."""
    joined = join_structure_chances(page, chances)
    cut, expected = block_choice.choose_threshold(joined, [block.words for block in page.blocks])
    kind = block_choice.PAGE_KINDS[kinds.index(max(kinds))]
    if kind == "article":
        cut *= _ARTICLE_STRICTNESS
    keeps = [chance > cut for chance in joined]
    block_choice.keep_plain_structures(page, keeps)
    block_choice.fill_even_gaps(page, keeps)
    block_choice.keep_long_region(page, keeps, joined, kind)
    block_choice.keep_page_title(page, keeps, hints.title_words)
    comments = split_comments(page, keeps, kinds)
    return ChosenBlocks(
        kept=[block for block, is_kept in zip(page.blocks, keeps, strict=True) if is_kept],
        comments=comments,
        expected_f1=expected,
        expected_recall=_estimate_recall(page, keeps, joined),
    )


def _estimate_recall(page: PageLayout, keeps: Sequence[bool], chances: Sequence[float]) -> float:
    likely = kept = 0.0
    for block, is_kept, chance in zip(page.blocks, keeps, chances, strict=True):
        if is_kept:
            kept += chance * block.words
        if is_kept or not block.box.flags & COMMENTS:
            likely += chance * block.words
    return kept / likely if likely else 0.0


def find_likely_losses(page: PageLayout, chosen: ChosenBlocks) -> tuple[str, ...]:
    """Why text of the page may be missing from the choice; empty if nothing points to it."""
    notes: list[str] = []
    if page.is_cut:
        notes.append(
            f"Only the first {len(page.blocks):,} {pluralize(len(page.blocks), 'block of the page was', 'blocks of the page were')} read."
        )
    if chosen.expected_recall < _MIN_SURE_RECALL:
        notes.append("Parts of the page that may belong to its main text were left out.")
    elif chosen.expected_f1 < _MIN_SURE_F1:
        notes.append("The main text of the page is hard to tell from the rest of it.")
    return tuple(notes)


# Separates what readers wrote under an article from the article.


def split_comments(page: PageLayout, keeps: list[bool], kinds: Sequence[float]) -> list[TextBlock]:
    """Take the comments out of `keeps` and return them; none where they are the content itself."""
    marked = [bool(block.box.flags & b.COMMENTS) for block in page.blocks]
    if not any(marked) or kinds[_FORUM] >= _MIN_FORUM_CHANCE:
        return []
    kept_words = kept_marked = 0
    for block, is_kept, is_marked in zip(page.blocks, keeps, marked, strict=True):
        if is_kept:
            kept_words += block.words
            kept_marked += block.words if is_marked else 0
    if kept_marked > _MAX_COMMENT_SHARE * kept_words:
        return []
    comments: list[TextBlock] = []
    for index, (block, is_marked) in enumerate(zip(page.blocks, marked, strict=True)):
        if is_marked:
            keeps[index] = False
            if not block.box.flags & (b.FORM | b.BUTTON) and block.linked * 2 <= block.words:
                comments.append(block)
    # A heading and a count without a comment is an empty thread.
    return comments if any(block.long for block in comments) else []
