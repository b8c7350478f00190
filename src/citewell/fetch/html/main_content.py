"""Extracts the main content of a page as markdown and as plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html import block_scoring
from citewell.fetch.html import page_kind as kinds
from citewell.fetch.html.block_choice import choose_blocks, find_likely_losses
from citewell.fetch.html.block_context import add_context_columns
from citewell.fetch.html.block_features import build_feature_rows
from citewell.fetch.html.box_relations import read_page_layout, score_box_names
from citewell.fetch.html.markup_limits import limit_markup
from citewell.fetch.markdown.markdown_text import resolve_link
from citewell.fetch.markdown.markdown_writer import render_markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.fetch.html.layout_blocks import LayoutBox, PageLayout, TextBlock


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
    head = kinds.read_page_head(tree)
    body = tree.body
    page = read_page_layout(body) if body is not None else None
    if body is None or page is None or not page.blocks:
        return _build_empty_content(head.title)
    model = block_scoring.load_scoring_model()
    score_box_names(page, model.name_odds)
    likely = kinds.score_page_kinds(kinds.collect_kind_signals(page, head, url), model.kind_weights)
    hints = head.build_page_hints()
    rows = build_feature_rows(page, model.word_odds, hints, likely)
    add_context_columns(page, rows, block_scoring.guess_blocks(rows))
    chosen = choose_blocks(page, block_scoring.score_blocks(rows), likely, hints)
    base = _find_base_address(tree, url)
    notes = find_likely_losses(page, chosen)
    return MainContent(
        markdown=_render_blocks(body, page, chosen.kept, base),
        text="\n\n".join(block.text for block in chosen.kept),
        title=head.title,
        kind=kinds.PAGE_KINDS[likely.index(max(likely))],
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


def _find_base_address(tree: LexborHTMLParser, url: str) -> str:
    head = tree.head
    node = head.css_first("base[href]") if head is not None else None
    href = node.attributes.get("href") if node is not None else None
    return (resolve_link(url, href) or url) if href else url
