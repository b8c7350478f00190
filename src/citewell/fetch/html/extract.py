"""Find the main content of a page and hand it over as markdown and as plain text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.fetch.html import kind as kinds
from citewell.fetch.html import score
from citewell.fetch.html.blocks import walk
from citewell.fetch.html.features import vectors
from citewell.fetch.html.limits import tame
from citewell.fetch.markdown.text import absolute
from citewell.fetch.markdown.writer import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.blocks import Block, Box, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The main content of one page; confidence is the F1 the model expects of its choice."""

    markdown: str
    text: str
    title: str | None
    kind: str
    confidence: float
    words: int
    page_words: int


def extract(html: str, *, url: str = "") -> Extracted:
    """Read decoded HTML. Never raises on bad markup; empty text means no content was found."""
    from selectolax.lexbor import LexborHTMLParser

    return extract_tree(LexborHTMLParser(tame(html)), url=url)


def to_markdown(html: str, url: str = "") -> str:
    """Only the markdown, in the form that benchmark scripts call."""
    return extract(html, url=url or "").markdown


def extract_tree(tree: LexborHTMLParser, *, url: str = "") -> Extracted:
    """The same for a tree already parsed and cleaned; the tree is left as it was."""
    head = kinds.read_head(tree)
    body = tree.body
    model = score.load()
    page = walk(body, model.names) if body is not None else None
    if body is None or page is None or not page.blocks:
        return _nothing(head.title)
    likely = kinds.judge(kinds.signals(page, head, url), model.kinds)
    rows = vectors(page, model.words, head.hints(), likely)
    kept, expected = choose(page.blocks, score.probabilities(rows))
    nodes, boxes = selection(page, kept)
    return Extracted(
        markdown=write(body, base=_base(tree, url), nodes=nodes, boxes=boxes),
        text="\n\n".join(block.text for block in kept),
        title=head.title,
        kind=kinds.KINDS[likely.index(max(likely))],
        confidence=round(expected, 3),
        words=sum(block.words for block in kept),
        page_words=page.boxes[0].words,
    )


def choose(blocks: Sequence[Block], chances: Sequence[float]) -> tuple[list[Block], float]:
    """The blocks to keep, and the F1 expected of keeping just these."""
    cut, expected = score.best_cut(chances, [block.words for block in blocks])
    return [block for block, p in zip(blocks, chances, strict=True) if p > cut], expected


def selection(page: Page, kept: Sequence[Block]) -> tuple[frozenset[int], frozenset[int]]:
    """The chosen texts and images, and every box on the way to them, as the writer wants them."""
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
        outer: Box | None = box
        while outer is not None and outer.id not in boxes:
            boxes.add(outer.id)
            outer = outer.parent
    return frozenset(nodes), frozenset(boxes)


def _nothing(title: str | None) -> Extracted:
    return Extracted(
        markdown="", text="", title=title, kind="article", confidence=0.0, words=0, page_words=0
    )


def _base(tree: LexborHTMLParser, url: str) -> str:
    head = tree.head
    node = head.css_first("base[href]") if head is not None else None
    href = node.attributes.get("href") if node is not None else None
    return (absolute(url, href) or url) if href else url
