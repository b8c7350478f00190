"""How much structure of a page's main content survives as markdown: code, tables, headings, items, links.

A heading or list item counts if its words are a line of the gold text, a link if the words of its
block stand together there. It is kept if the markdown has the same words in the same structure.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.extraction import load_scorer
from citewell.reading.html.layout_blocks import INLINE_TAGS
from citewell.reading.html.main_content import extract_markdown
from citewell.reading.html.markup_limits import limit_markup

Extractor = Callable[[str, str], str]

_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"^[ >]*(?:(?:[-*+]|\d+\.) +)*(`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r"^[ >]*(?:(?:[-*+]|\d+\.) +)*#{1,6} (.*)$")
_ITEM = re.compile(r"^[ >]*(?:(?:[-*+]|\d+\.) +)+(.*)$")
_TABLE_LINE = re.compile(r"^[ >]*(?:(?:[-*+]|\d+\.) +)*\|(.*)\|\s*$")
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]\\]|\\.|!\[[^\]]*\]\([^)]*\)|\[[^\[\]]*\])*)\]\((?:[^()\s]|\([^()]*\))+\)"
)
_ADDRESS = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*\)")
_NESTED_BLOCKS = frozenset(("ul", "ol", "table", "pre", "dl"))
_FURNITURE = frozenset(("nav", "header", "footer", "aside", "form"))
_MIN_WORDS = {"code": 2, "tables": 1, "headings": 2, "list items": 3, "links": 2}
KINDS = tuple(_MIN_WORDS)


def split_words(text: str) -> str:
    """The words of a text, each with a space before and after, so that `in` finds whole words."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


@dataclass(kw_only=True)
class MarkdownParts:
    """The words of each structure in a markdown text."""

    code: str = " "
    cells: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    items: str = " "
    links: str = " "
    whole: str = " "

    def holds(self, kind: str, words: str) -> bool:
        if kind == "tables":
            return any(words in cell for cell in self.cells)
        if kind == "headings":
            return any(words in heading for heading in self.headings)
        return words in {"code": self.code, "list items": self.items, "links": self.links}[kind]


def read_parts(markdown: str) -> MarkdownParts:
    parts = MarkdownParts(whole=split_words(_ADDRESS.sub("] ", markdown)))
    code: list[str] = []
    items: list[str] = []
    fence = ""
    in_item = False
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            else:
                code.append(line)
            continue
        if mark:
            fence = mark[1]
            continue
        bare = _ADDRESS.sub("] ", line)
        if heading := _HEADING.match(bare):
            parts.headings.append(split_words(heading[1]))
        if row := _TABLE_LINE.match(bare):
            parts.cells += [split_words(cell) for cell in re.split(r"(?<!\\)\|", row[1])]
        if _ITEM.match(bare):
            in_item = True
            items.append("\x00")
        elif bare and not bare.startswith(" "):
            in_item = False
        if in_item:
            items.append(bare)
    parts.code = split_words("\n".join(code))
    parts.items = " ".join(split_words(piece) for piece in "\n".join(items).split("\x00"))
    parts.links = " | ".join(split_words(match[1]) for match in _LINK.finditer(markdown))
    return parts


def _is_furniture(node: LexborNode) -> bool:
    up: LexborNode | None = node
    while up is not None:
        if up.tag in _FURNITURE:
            return True
        up = up.parent
    return False


def _read_own_text(node: LexborNode) -> str:
    """The text of a list item up to its first nested list."""
    pieces: list[str] = []

    def collect(at: LexborNode) -> bool:
        child = at.first_child
        while child is not None:
            if child.tag == "-text":
                pieces.append(child.text_content or "")
            elif child.tag in _NESTED_BLOCKS or not collect(child):
                return False
            child = child.next
        return True

    collect(node)
    return "".join(pieces)


def _leads_within_page(node: LexborNode) -> bool:
    """Whether an item is an entry of a contents list, whose words the headings repeat."""
    link = node.css_first("a[href]")
    return link is not None and "#" in (link.attributes.get("href") or "")


def _stands_inside(node: LexborNode, tag: str) -> bool:
    up = node.parent
    while up is not None and up.tag != tag:
        up = up.parent
    return up is not None


def _find_block(node: LexborNode) -> LexborNode:
    """The nearest element around a link that is no inline one."""
    at = node
    while at.parent is not None and at.tag in INLINE_TAGS:
        at = at.parent
    return at


def list_elements(tree: LexborHTMLParser) -> Iterator[tuple[str, str, str]]:
    """Every element that should survive as structure: its kind, the words around it, its own."""
    for kind, selector in (
        ("code", "pre"),
        ("headings", "h1,h2,h3,h4,h5,h6"),
        ("list items", "li"),
        ("links", "a[href]"),
    ):
        for node in tree.css(selector):
            text = _read_own_text(node) if kind == "list items" else node.text(separator=" ")
            if kind == "links" and (node.attributes.get("href") or "").startswith(
                ("#", "javascript:")
            ):
                continue
            if kind == "list items" and (_leads_within_page(node) or _stands_inside(node, "td")):
                continue  # markdown has no lists in tables
            if kind == "links" and _stands_inside(node, "pre"):
                continue  # nor links in code
            words = split_words(text)
            if len(words.split()) >= _MIN_WORDS[kind] and not _is_furniture(node):
                if kind == "links" and (card := node.css_first("h1,h2,h3,h4,h5,h6,p,div")):
                    words = split_words(card.text(separator=" "))  # its link is on its first line
                around = _find_block(node) if kind == "links" else node
                yield kind, split_words(around.text(separator=" ")), words


def list_tables(tree: LexborHTMLParser) -> Iterator[list[str]]:
    """The words of the cells of every table without a table or a heading inside it."""
    for table in tree.css("table"):
        inner = table.css("table,form,h1,h2,h3,pre")
        if any(node != table for node in inner) or _is_furniture(table):
            continue
        rows = [row.css("td,th") for row in table.css("tr")]
        if len(rows) < 2 or max(map(len, rows)) < 2:
            continue
        cells = [split_words(cell.text(separator=" ")) for row in rows for cell in row]
        cells = [cell for cell in cells if cell.strip()]
        if len(cells) >= 4:
            yield cells


@dataclass(kw_only=True)
class StructureTally:
    """How many elements of each kind there were, and how many were kept."""

    wanted: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    kept: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    as_text: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    tables: int = 0
    holed_tables: int = 0
    misses: list[tuple[str, str, str]] = field(default_factory=list)

    def take(self, id_: str, html: str, gold: str, markdown: str) -> None:
        tree = LexborHTMLParser(limit_markup(html))
        for node in tree.css("script,style,noscript,template,svg"):
            node.decompose()
        truth, parts = split_words(gold), read_parts(markdown)
        lines = {split_words(line) for line in gold.split("\n")}
        for kind, around, words in list_elements(tree):
            if (
                words in lines
                or (kind == "code" and words in truth)
                or (kind == "links" and around in truth)
            ):
                self._count(id_, kind, words, parts)
        for cells in list_tables(tree):
            if sum(cell in truth for cell in cells) * 2 >= len(cells):
                for cell in cells:
                    if cell in truth:
                        self._count(id_, "tables", cell, parts)
            self._count_kept_table(id_, cells, parts)

    def _count(self, id_: str, kind: str, words: str, parts: MarkdownParts) -> None:
        self.wanted[kind] += 1
        if parts.holds(kind, words):
            self.kept[kind] += 1
        else:
            self.as_text[kind] += words in parts.whole
            self.misses.append((id_, kind + (" as text" if words in parts.whole else ""), words))

    def _count_kept_table(self, id_: str, cells: list[str], parts: MarkdownParts) -> None:
        found = [cell for cell in cells if parts.holds("tables", cell)]
        if len(found) * 2 >= len(cells):
            self.tables += 1
            self.holed_tables += len(found) < len(cells)
            self.wanted["cells of kept tables"] += len(cells)
            self.kept["cells of kept tables"] += len(found)
            missing = set(cells) - set(found)
            self.misses += [(id_, "cell of a kept table", cell) for cell in missing]


def measure(extract: Extractor, pages: list[Any]) -> StructureTally:
    tally = StructureTally()
    for page in pages:
        html = page.html
        tally.take(page.id, html, page.gt, extract(html, page.url or ""))
    return tally


def print_tally(tally: StructureTally) -> None:
    print("| structure | in the gold | kept | share | lost, but there as text |")
    print("| --- | --- | --- | --- | --- |")
    for kind in (*KINDS, "cells of kept tables"):
        wanted, kept = tally.wanted[kind], tally.kept[kind]
        share = f"{kept / wanted:.3f}" if wanted else ""
        print(f"| {kind} | {wanted} | {kept} | {share} | {tally.as_text[kind] or ''} |")
    print(f"\n{tally.tables} tables kept at least half, {tally.holed_tables} of them with a hole")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="folder with score.py and data/")
    arguments.add_argument("--dataset", default="wcxb_dev")
    arguments.add_argument("--limit", type=int)
    arguments.add_argument("--misses", type=int, default=0, help="show this many lost elements")
    options = arguments.parse_args()
    scorer = load_scorer(options.folder)
    pages = [p for p in scorer.load(options.dataset, options.folder / "data") if p.gt]
    if options.limit:
        pages = random.Random(1).sample(pages, min(options.limit, len(pages)))
    tally = measure(extract_markdown, pages)
    print_tally(tally)
    random.Random(2).shuffle(tally.misses)
    for id_, kind, words in tally.misses[: options.misses]:
        print(f"{id_} {kind}: {words.strip()[:150]}", file=sys.stderr)


if __name__ == "__main__":
    main()
