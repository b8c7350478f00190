"""Split a parsed page into blocks of running text and the boxes that hold them, in one walk."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

_INLINE_NAMES = (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark "
    "math nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr picture "
    "source annotation semantics mrow mi mn mo msup msub mfrac msqrt mtext mstyle mspace mtable "
    "mtr mtd munder mover munderover msubsup mroot mpadded menclose mphantom annotation-xml"
)
INLINE = frozenset(_INLINE_NAMES.split())
_SKIPPED_NAMES = (
    "script style template svg iframe object embed canvas select datalist textarea input video "
    "audio head link meta map area progress meter base param track col colgroup -comment "
    "-doctype frameset"
)
SKIPPED = frozenset(_SKIPPED_NAMES.split())
MAX_BLOCKS = 20_000
# Each level takes two Python frames here and up to four in the markdown writer.
MAX_LEVEL = 150
_PROSE = 14
_FEW_WORDS = 25

NAV, HEADER, FOOTER, ASIDE, MAIN, ARTICLE, FORM, TABLE = 1, 2, 4, 8, 16, 32, 64, 128
FIGURE, QUOTE, NOSCRIPT, HIDDEN, BUTTON, DIALOG = 256, 512, 1024, 2048, 4096, 8192

_FURNITURE = NAV | HEADER | FOOTER | ASIDE
_CONTENT = MAIN | ARTICLE

_FLAG_OF_TAG = {
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
_FLAG_OF_ROLE = {
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
_TELLING = frozenset(("role", "hidden", "aria-hidden", "aria-modal", "style"))
_TOKEN = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")
_SMALL = re.compile(r"[a-z]{2,}")
_NO_DISPLAY = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


class Box:
    """A block-level element: what it inherits from above and what it holds below."""

    # Hundreds are made per page: slots cost half of a keyword-only dataclass.
    __slots__ = (
        "alike",
        "core",
        "count",
        "depth",
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
        "style",
        "tag",
        "tokens",
        "words",
    )

    def __init__(self, id_: int, tag: str, style: str, parent: Box | None, flags: int) -> None:
        self.id = id_
        self.tag = tag
        self.style = style
        self.parent = parent
        self.flags = flags
        self.tokens: tuple[str, ...] = ()
        self.words = self.linked = self.long = self.count = self.core = 0
        self.alike = 1
        self.outer: Box | None = None
        self.own = 0.0
        if parent is None:
            self.depth = 0
            self.path = self.low = self.high = self.near = 0.0
        else:
            self.depth = parent.depth + 1
            self.path = parent.path
            self.low = parent.low
            self.high = parent.high
            self.near = parent.near

    def weigh(self, odds: float) -> None:
        """Take in the learned odds of the element's own class and id words."""
        self.own = self.near = odds
        self.path += odds
        if odds < self.low:
            self.low = odds
        elif odds > self.high:
            self.high = odds


class Block:
    """A run of inline content with no block boundary inside it."""

    __slots__ = ("box", "ids", "linked", "long", "text", "words")

    def __init__(self, box: Box, words: list[str], linked: int, ids: list[int]) -> None:
        self.box = box
        self.text = text = " ".join(words)
        self.ids = ids
        self.words = size = len(words) if text.isascii() else count_words(text)
        self.linked = min(linked, size)
        # Running prose rather than a label or a menu entry.
        self.long = size >= _PROSE and self.linked * 3 < size


@dataclass(slots=True, eq=False, kw_only=True)
class Page:
    """Everything one walk learned, in document order.

    Images that stand alone come with the number of blocks before them.
    """

    boxes: list[Box] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    images: list[tuple[int, Box, list[int]]] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)


def count_words(text: str) -> int:
    """Words by white space; each ideograph or kana counts as half a word."""
    words = len(text.split())
    if not text.isascii():
        words += len(_CJK.findall(text)) // 2
    return words


def name_tokens(value: str) -> list[str]:
    """The lower-case words inside a class, id or role value."""
    if value.islower():  # nearly all are, and these take a third of the time
        return _SMALL.findall(value)
    return [token.lower() for token in _TOKEN.findall(value)]


def is_furniture(flags: int) -> bool:
    """Whether these flags mark a menu, header, footer or aside of the page itself."""
    return bool(flags & _FURNITURE) and not flags & _CONTENT


def walk(body: LexborNode, names: Mapping[str, float]) -> Page:
    """Collect blocks and boxes under body; names holds learned odds of class and id words.

    Menus, page headers and footers hold half of all text runs and next to no content, so they
    are not entered, unless there is hardly anything else.
    """
    page = _Walker(names, whole=False).run(body)
    if sum(block.words for block in page.blocks) < _FEW_WORDS:
        page = _Walker(names, whole=True).run(body)
    _sum_up(page)
    _mark_repeats(page)
    _mark_core(page)
    return page


class _Walker:
    def __init__(self, names: Mapping[str, float], *, whole: bool) -> None:
        self.page = Page()
        self._whole = whole
        self._names = names
        self._odds: dict[Any, tuple[float, tuple[str, ...]]] = {}
        self._inlines: list[str] = []
        self._link = 0
        self._level = 0
        self._run: list[str] = []
        self._ids: list[int] = []
        self._linked = 0
        self._breaks = 0

    def run(self, body: LexborNode) -> Page:
        root = self.open(body, "body", None)
        self.descend(body, root)
        self.flush(root)
        self.page.tags = Counter(self._inlines + [box.tag for box in self.page.boxes])
        self.page.names = {token for _, tokens in self._odds.values() for token in tokens}
        return self.page

    def open(self, node: LexborNode, tag: str, parent: Box | None) -> Box:
        attributes: dict[str, Any] = node.attributes
        flags = _FLAG_OF_TAG.get(tag, 0)
        if parent is not None:
            flags |= parent.flags
        style = attributes.get("class") or ""
        if len(attributes) > (style != ""):
            if not _TELLING.isdisjoint(attributes):
                flags |= _attribute_flags(attributes)
            odds, tokens = self._described(style, attributes)
        else:
            odds, tokens = self._odds.get(style) or self._named(style)
        box = Box(node.mem_id, tag, style, parent, flags)
        box.tokens = tokens
        if odds:
            box.weigh(odds)
        self.page.boxes.append(box)
        return box

    def _named(self, style: str) -> tuple[float, tuple[str, ...]]:
        known = self._odds[style] = self._weighed(set(name_tokens(style)))
        return known

    def _described(
        self, style: str, attributes: Mapping[str, Any]
    ) -> tuple[float, tuple[str, ...]]:
        get = attributes.get
        key = (style, get("id"), get("role"), get("itemprop"), get("itemtype"))
        known = self._odds.get(key)
        if known is None:
            found = set(name_tokens(f"{style} {key[1] or ''}"))
            found.update(_marks(*key[2:]))
            known = self._odds[key] = self._weighed(found)
        return known

    def _weighed(self, found: set[str]) -> tuple[float, tuple[str, ...]]:
        scores = [*filter(None, map(self._names.get, found))]
        return (sum(scores) / len(scores) ** 0.5 if scores else 0.0), tuple(found)

    def descend(self, node: LexborNode, box: Box) -> None:
        if self._level > MAX_LEVEL:
            return
        self._level += 1
        child = node.first_child
        while child is not None:
            tag = child.tag or ""
            if tag == "-text":
                text = child.text_content
                if text and not text.isspace():
                    self._text(child, text)
                elif self._run:
                    self._run.append(" ")
            elif tag in INLINE:
                self._inline(child, tag, box)
            elif tag not in SKIPPED:
                self._block(child, tag, box)
            child = child.next
        self._level -= 1

    def _text(self, node: LexborNode, text: str) -> None:
        self._breaks = 0
        self._run.append(text)
        self._ids.append(node.mem_id)
        if self._link:
            self._linked += count_words(text)

    def _block(self, node: LexborNode, tag: str, box: Box) -> None:
        if len(self.page.blocks) >= MAX_BLOCKS:
            return
        if self._ids:
            self.flush(box)
        inner = self.open(node, tag, box)
        if self._whole or not is_furniture(inner.flags):
            self.descend(node, inner)
            if self._ids:
                self.flush(inner)

    def _inline(self, node: LexborNode, tag: str, box: Box) -> None:
        self._inlines.append(tag)
        if tag == "br":
            self._break(box)
        elif tag == "img":
            self._ids.append(node.mem_id)
        elif tag == "a":
            self._link += 1
            self.descend(node, box)
            self._link -= 1
        else:
            self.descend(node, box)

    def _break(self, box: Box) -> None:
        self._run.append(" ")
        self._breaks += 1
        if self._breaks > 1 and self._ids:
            self.flush(box)

    def flush(self, box: Box) -> None:
        """End the current run; one without words leaves no block."""
        words = "".join(self._run).split()
        if words:
            self.page.blocks.append(Block(box, words, self._linked, self._ids))
        elif self._ids:
            self.page.images.append((len(self.page.blocks), box, self._ids))
        self._run = []
        self._ids = []
        self._linked = self._breaks = 0


def _marks(role: str | None, itemprop: str | None, itemtype: str | None) -> list[str]:
    named = (("role=", role), ("prop=", itemprop), ("type=", itemtype))
    return [prefix + value.rsplit("/", 1)[-1].lower() for prefix, value in named if value]


def _attribute_flags(attributes: Mapping[str, Any]) -> int:
    flags = _FLAG_OF_ROLE.get(attributes.get("role") or "", 0)
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        flags |= HIDDEN
    elif attributes.get("aria-modal") == "true":
        flags |= DIALOG
    style = attributes.get("style")
    if style and _NO_DISPLAY.search(style):
        flags |= HIDDEN
    return flags


def _sum_up(page: Page) -> None:
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


def _mark_repeats(page: Page) -> None:
    """Give every box the nearest enclosing box that recurs among its siblings."""
    kin: dict[tuple[int, str, str], int] = {}
    keyed: list[tuple[Box, Box, tuple[int, str, str]]] = []
    for box in page.boxes:
        parent = box.parent
        if parent is not None and box.count:
            key = (parent.id, box.tag, box.style)
            kin[key] = kin.get(key, 0) + 1
            keyed.append((box, parent, key))
    for box, parent, key in keyed:
        box.alike = kin[key]
        # Not the box itself: a reference cycle would keep the page until garbage collection.
        box.outer = parent if parent.alike > 2 else parent.outer


def _mark_core(page: Page) -> None:
    """Distance of each box from the smallest box holding most of the prose; 0 is inside."""
    heaviest: dict[int, Box] = {}
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
