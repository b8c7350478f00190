"""Extracts the main content of a page as markdown and as plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html import block_scoring
from citewell.fetch.html import page_kind as kinds
from citewell.fetch.html.block_features import build_feature_rows
from citewell.fetch.html.layout_blocks import collect_page_blocks
from citewell.fetch.html.markup_limits import limit_markup
from citewell.fetch.markdown.markdown_text import resolve_link
from citewell.fetch.markdown.markdown_writer import render_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout, TextBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class MainContent:
    """The main content of one page; `confidence` is the F1 that the model expects of its choice."""

    markdown: str
    text: str
    title: str | None
    kind: str
    confidence: float
    word_count: int
    page_word_count: int


def extract_main_content(html: str, *, url: str = "") -> MainContent:
    """The main content of decoded HTML. Never raises on bad markup; empty text means none was found."""
    from selectolax.lexbor import LexborHTMLParser

    return extract_from_tree(LexborHTMLParser(limit_markup(html)), url=url)


def extract_markdown(html: str, url: str = "") -> str:
    """Only the markdown, with the signature that benchmark scripts expect."""
    return extract_main_content(html, url=url or "").markdown


def extract_from_tree(tree: LexborHTMLParser, *, url: str = "") -> MainContent:
    """The main content of a parsed tree from which hidden text was removed; the tree is not changed."""
    head = kinds.read_page_head(tree)
    body = tree.body
    model = block_scoring.load_scoring_model()
    page = collect_page_blocks(body, model.name_odds) if body is not None else None
    if body is None or page is None or not page.blocks:
        return _build_empty_content(head.title)
    likely = kinds.score_page_kinds(kinds.collect_kind_signals(page, head, url), model.kind_weights)
    rows = build_feature_rows(page, model.word_odds, head.build_title_hints(), likely)
    kept, expected = choose_blocks(page.blocks, block_scoring.score_blocks(rows))
    nodes, boxes = collect_chosen_nodes(page, kept)
    return MainContent(
        markdown=render_markdown(
            body, base=_find_base_address(tree, url), nodes=nodes, boxes=boxes
        ),
        text="\n\n".join(block.text for block in kept),
        title=head.title,
        kind=kinds.PAGE_KINDS[likely.index(max(likely))],
        confidence=round(expected, 3),
        word_count=sum(block.words for block in kept),
        page_word_count=page.boxes[0].words,
    )


def choose_blocks(
    blocks: Sequence[TextBlock], chances: Sequence[float]
) -> tuple[list[TextBlock], float]:
    """The blocks to keep, and the F1 expected of this choice."""
    cut, expected = block_scoring.choose_threshold(chances, [block.words for block in blocks])
    return [block for block, p in zip(blocks, chances, strict=True) if p > cut], expected


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


def _find_base_address(tree: LexborHTMLParser, url: str) -> str:
    head = tree.head
    node = head.css_first("base[href]") if head is not None else None
    href = node.attributes.get("href") if node is not None else None
    return (resolve_link(url, href) or url) if href else url
