"""Splits a parsed page into text blocks and the block-level elements (boxes) that hold them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from citewell.text.language.scripts import HAN_KANA_RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

_INLINE_TAG_NAMES = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark "
    "math nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr picture "
    "source annotation semantics mrow mi mn mo msup msub mfrac msqrt mtext mstyle mspace mtable "
    "mtr mtd munder mover munderover msubsup mroot mpadded menclose mphantom annotation-xml"
)
INLINE_TAGS = frozenset(_INLINE_TAG_NAMES.split())
_SKIPPED_TAG_NAMES = (
    "script style template svg iframe object embed canvas select datalist textarea input video "
    "audio head link meta map area progress meter base param track col colgroup -comment "
    "-doctype frameset"
)
SKIPPED_TAGS = frozenset(_SKIPPED_TAG_NAMES.split())
MAX_PAGE_BLOCKS = 60_000
# Each level takes two Python frames here and up to four in the markdown writer.
MAX_WALK_DEPTH = 150
_MIN_PROSE_WORDS = 14
_MIN_BODY_WORDS = 25

NAV, HEADER, FOOTER, ASIDE, MAIN, ARTICLE, FORM, TABLE = 1, 2, 4, 8, 16, 32, 64, 128
FIGURE, QUOTE, NOSCRIPT, HIDDEN, BUTTON, DIALOG = 256, 512, 1024, 2048, 4096, 8192
COMMENTS = 16384

_FURNITURE_FLAGS = NAV | HEADER | FOOTER | ASIDE
_CONTENT_FLAGS = MAIN | ARTICLE

_FLAG_BY_TAG = {
    "nav": NAV,
    "header": HEADER,
    "footer": FOOTER,
    "aside": ASIDE,
    "main": MAIN,
    "article": ARTICLE,
    "form": FORM,
    "table": TABLE,
    "figure": FIGURE,
    "blockquote": QUOTE,
    "noscript": NOSCRIPT,
    "button": BUTTON,
    "dialog": DIALOG,
}
_FLAG_BY_ROLE = {
    "navigation": NAV,
    "menu": NAV,
    "menubar": NAV,
    "banner": HEADER,
    "contentinfo": FOOTER,
    "complementary": ASIDE,
    "main": MAIN,
    "article": ARTICLE,
    "button": BUTTON,
    "dialog": DIALOG,
    "alertdialog": DIALOG,
}
# Words in the class or id of an element that holds what readers wrote about the page.
COMMENT_NAMES = frozenset(("comment", "comments", "commentlist", "disqus", "respond", "pinglun"))
_FLAG_ATTRIBUTES = frozenset(("role", "hidden", "aria-hidden", "aria-modal", "style"))
_NAME_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_LOWER_CASE_WORD = re.compile(r"[a-z]{2,}")
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CJK_CHARACTER = re.compile(f"[{HAN_KANA_RANGES}]")


class LayoutBox:
    """A block-level element, with what it inherits from its ancestors and sums over its content.

    Its text is in the page's blocks from `start` up to, but without, `end`.
    """

    # A page has hundreds: slots cost half as much as a keyword-only dataclass.
    __slots__ = (
        "alike",
        "core",
        "count",
        "depth",
        "end",
        "flags",
        "high",
        "id",
        "linked",
        "long",
        "low",
        "near",
        "outer",
        "own",
        "parent",
        "path",
        "start",
        "style",
        "tag",
        "tokens",
        "words",
    )

    def __init__(
        self, id_: int, tag: str, style: str, parent: LayoutBox | None, flags: int
    ) -> None:
        self.id = id_
        self.tag = tag
        self.style = style
        self.parent = parent
        self.flags = flags
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.tokens: tuple[str, ...] = ()
        self.words = self.linked = self.long = self.count = self.core = 0
        self.start = self.end = 0
        self.alike = 1
        self.outer: LayoutBox | None = None
        self.own = self.path = self.low = self.high = self.near = 0.0


class TextBlock:
    """A run of inline content with no block boundary inside it."""

    __slots__ = ("box", "ids", "linked", "long", "text", "words")

    def __init__(self, box: LayoutBox, words: list[str], linked: int, ids: list[int]) -> None:
        self.box = box
        self.text = text = " ".join(words)
        self.ids = ids
        self.words = size = len(words) if text.isascii() else count_mixed_words(text)
        self.linked = min(linked, size)
        # Prose, not a label or a menu entry.
        self.long = size >= _MIN_PROSE_WORDS and self.linked * 3 < size


@dataclass(slots=True, eq=False, kw_only=True)
class PageLayout:
    """The boxes, blocks and images of a page, in document order.

    An image without text around it is stored with the number of blocks before it. `is_cut` says
    that the page has more blocks than are read; `structures` is filled on first use. Blocks with equal
    `group_ids` have the same tag and classes.
    """

    boxes: list[LayoutBox] = field(default_factory=list)
    blocks: list[TextBlock] = field(default_factory=list)
    images: list[tuple[int, LayoutBox, list[int]]] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    name_words: dict[str, None] = field(default_factory=dict)
    is_cut: bool = False
    structures: list[LayoutBox] | None = None
    group_ids: list[int] = field(default_factory=list)


def count_mixed_words(text: str) -> int:
    """Count words separated by white space; each ideograph or kana adds half a word."""
    words = len(text.split())
    if not text.isascii():
        words += len(_CJK_CHARACTER.findall(text)) // 2
    return words


def split_name_words(value: str) -> list[str]:
    """The lower-case words inside a class, id or role value."""
    if value.islower():  # nearly all are, and this takes a third of the time
        return _LOWER_CASE_WORD.findall(value)
    return [token.lower() for token in _NAME_WORD.findall(value)]


def collect_page_blocks(body: LexborNode) -> PageLayout:
    """Collect the blocks and boxes under `body`.

    Menus, page headers and footers hold half of all text and hardly any content, so they are
    skipped, unless the page has hardly any other text.
    """
    page = _BlockWalker(whole=False).walk_body(body)
    if sum(block.words for block in page.blocks) < _MIN_BODY_WORDS:
        page = _BlockWalker(whole=True).walk_body(body)
    return page


class _BlockWalker:
    def __init__(self, *, whole: bool) -> None:
        self.page = PageLayout()
        self._whole = whole
        self._names: dict[Any, tuple[str, ...]] = {}
        self._inlines: list[str] = []
        self._link = 0
        self._level = 0
        self._run: list[str] = []
        self._ids: list[int] = []
        self._linked = 0
        self._breaks = 0

    def walk_body(self, body: LexborNode) -> PageLayout:
        root = self.open_box(body, "body", None)
        self.walk_children(body, root)
        self.end_text_run(root)
        root.end = len(self.page.blocks)
        self.page.tags = Counter(self._inlines + [box.tag for box in self.page.boxes])
        # In order of appearance: the order of a set, and with it every sum, differs between processes.
        self.page.name_words = dict.fromkeys(
            token for tokens in self._names.values() for token in tokens
        )
        return self.page

    def open_box(self, node: LexborNode, tag: str, parent: LayoutBox | None) -> LayoutBox:
        attributes: dict[str, Any] = node.attributes
        flags = _FLAG_BY_TAG.get(tag, 0)
        if parent is not None:
            flags |= parent.flags
        style = attributes.get("class") or ""
        if len(attributes) > (style != ""):
            if not _FLAG_ATTRIBUTES.isdisjoint(attributes):
                flags |= _read_attribute_flags(attributes)
            tokens = self._list_attribute_names(style, attributes)
        else:
            if style not in self._names:
                self._names[style] = tuple(dict.fromkeys(split_name_words(style)))
            tokens = self._names[style]
        if parent is not None and not COMMENT_NAMES.isdisjoint(tokens):
            flags |= COMMENTS
        box = LayoutBox(node.mem_id, tag, style, parent, flags)
        box.tokens = tokens
        box.start = len(self.page.blocks)
        self.page.boxes.append(box)
        return box

    def _list_attribute_names(self, style: str, attributes: Mapping[str, Any]) -> tuple[str, ...]:
        get = attributes.get
        key = (style, get("id"), get("role"), get("itemprop"), get("itemtype"))
        known = self._names.get(key)
        if known is None:
            found = split_name_words(f"{style} {key[1] or ''}")
            marks = zip(("role=", "prop=", "type="), key[2:], strict=True)
            found += [mark + name.rsplit("/", 1)[-1].lower() for mark, name in marks if name]
            known = self._names[key] = tuple(dict.fromkeys(found))
        return known

    def walk_children(self, node: LexborNode, box: LayoutBox) -> None:
        if self._level > MAX_WALK_DEPTH:
            return
        self._level += 1
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                text = child.text_content
                if text and not text.isspace():
                    self._add_text(child, text)
                elif self._run:
                    self._run.append(" ")
            elif tag in INLINE_TAGS:
                self._walk_inline(child, tag, box)
            elif tag not in SKIPPED_TAGS:
                self._walk_block(child, tag, box)
            child = child.next
        self._level -= 1

    def _add_text(self, node: LexborNode, text: str) -> None:
        self._breaks = 0
        self._run.append(text)
        self._ids.append(node.mem_id)
        if self._link:
            self._linked += count_mixed_words(text)

    def _walk_block(self, node: LexborNode, tag: str, box: LayoutBox) -> None:
        if len(self.page.blocks) >= MAX_PAGE_BLOCKS:
            self.page.is_cut = True
            return
        if self._ids:
            self.end_text_run(box)
        inner = self.open_box(node, tag, box)
        # A menu, header, footer or aside outside the main content.
        is_furniture = inner.flags & _FURNITURE_FLAGS and not inner.flags & _CONTENT_FLAGS
        if self._whole or not is_furniture:
            self.walk_children(node, inner)
            if self._ids:
                self.end_text_run(inner)
        elif tag == "header":
            self._walk_header_title(node, inner)
        inner.end = len(self.page.blocks)

    def _walk_header_title(self, node: LexborNode, box: LayoutBox) -> None:
        """Collect the title of a page that has it in its header, which is skipped otherwise."""
        title = node.css_first("h1")
        if title is not None:
            inner = self.open_box(title, "h1", box)
            self.walk_children(title, inner)
            if self._ids:
                self.end_text_run(inner)
            inner.end = len(self.page.blocks)

    def _walk_inline(self, node: LexborNode, tag: str, box: LayoutBox) -> None:
        self._inlines.append(tag)
        if tag == "br":
            self._run.append(" ")
            self._breaks += 1
            if self._breaks > 1 and self._ids:
                self.end_text_run(box)
        elif tag == "img":
            self._ids.append(node.mem_id)
        elif tag == "a":
            self._link += 1
            self.walk_children(node, box)
            self._link -= 1
        else:
            self.walk_children(node, box)

    def end_text_run(self, box: LayoutBox) -> None:
        """End the current run of inline content and add it as a block, or as an image if it has no words."""
        words = "".join(self._run).split()
        if words:
            self.page.blocks.append(TextBlock(box, words, self._linked, self._ids))
        elif self._ids:
            self.page.images.append((len(self.page.blocks), box, self._ids))
        self._run = []
        self._ids = []
        self._linked = self._breaks = 0


def _read_attribute_flags(attributes: Mapping[str, Any]) -> int:
    flags = _FLAG_BY_ROLE.get(attributes.get("role") or "", 0)
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        flags |= HIDDEN
    elif attributes.get("aria-modal") == "true":
        flags |= DIALOG
    style = attributes.get("style")
    if style and _HIDING_STYLE.search(style):
        flags |= HIDDEN
    return flags
