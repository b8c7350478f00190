"""Takes out of a parsed page the text that nobody who looks at it would see, and counts it.

What the page's own styles, attributes and elements put out of sight goes. Two sorts of text stay
unless they speak to a machine: what a reader can open or what comes into view by itself (closed
`details`, panels of tabs and accordions, slides, a page that fades in), and what only a style sheet
elsewhere could tell (a class named `sr-only`, white words that may stand on a dark banner).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.css.cascade import Style, Styles
from citewell.fetch.css.hiding import hides
from citewell.fetch.css.seen import Looks
from citewell.fetch.disclosure import Controls
from citewell.text.injection import commanding
from citewell.text.invisible import visible

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSHOWN = (
    "template, noembed, noframes, datalist, mphantom, input[type=hidden i], svg title, svg desc,"
    " svg metadata, img[width='0'], img[height='0'], img[width='1'], img[height='1']"
)
_FALLBACK = "canvas, audio, video, iframe"
_SAID_TO_HIDE = (
    ".sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .screen-reader-only, .hidden,"
    " .d-none, .invisible, .hide, .is-hidden, .u-hidden, .offscreen, .off-screen, .assistive-text,"
    " .element-invisible, .a11y-hidden, .show-for-sr, .display-none, .opacity-0"
)
_ROOTS = frozenset({"html", "head", "body"})
_MATH = "math, mjx-container, .katex, .katex-mathml, .MathJax"
_PROSE = re.compile(r"(?:[^\W\d_]{2,}\s+){6}")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE = 20  # characters: less than this commands nothing
_MUCH = 600  # characters: enough to be the page itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How many pieces of text went, by technique, and how much text that was."""

    counts: Mapping[str, int] = field(default_factory=dict)
    characters: int = 0
    visible: int = 0  # characters left on the page

    @property
    def mostly(self) -> bool:
        """Whether nearly all of a page's text was hidden: it is shown by scripts we did not run."""
        return self.characters > _MUCH and self.visible * 4 < self.characters


def remove(tree: LexborHTMLParser) -> Removed:
    """Clean the tree in place. Call after metadata are read: comments and templates go too."""
    if tree.root is None:
        return Removed()
    sweep = _Sweep(tree)
    sweep.by_element()
    sweep.by_style()
    sweep.by_label()
    return sweep.finish()


class _Sweep:
    """Collects first and removes last, because a removed node must not be looked at again."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._styles = Styles(tree)
        self._looks = Looks(self._styles)
        self._judged: dict[tuple[tuple[str, str], ...], str | None] = {}
        self._wrappers: dict[int, bool] = {}
        self._whole: dict[int, tuple[LexborNode, str]] = {}
        self._texts: dict[int, tuple[LexborNode, str]] = {}

    @cached_property
    def _controls(self) -> Controls:
        return Controls(self._tree)

    @cached_property
    def _total(self) -> int:
        return _length(self._tree.body) if self._tree.body is not None else 0

    @cached_property
    def _core(self) -> int:
        cores = self._tree.css("main, [role=main]")
        return _length(cores[0]) if len(cores) == 1 else self._total

    def by_element(self) -> None:
        root = self._tree.root
        for node in root.traverse(include_text=False) if root is not None else ():
            if node.is_comment_node:
                self._whole[node.mem_id] = (node, "comment")
        for node in self._tree.css(_UNSHOWN):
            self._whole[node.mem_id] = (node, "element")
        for node in self._tree.css(_FALLBACK):
            for child in _texts(node):
                self._texts[child.mem_id] = (child, "element")
        for node in self._tree.css("annotation, annotation-xml, rp"):
            text = _text(node)
            if _PROSE.search(text) or (node.tag == "rp" and len(text.strip()) > 2):
                self._whole[node.mem_id] = (node, "element")

    def by_style(self) -> None:
        for style in list(self._styles.found.values()):
            if style.node.tag in _ROOTS:
                continue
            technique = self._technique(style)
            if technique is not None:
                self._consider(style.node, technique)
        for style, technique, certain in self._looks.unseen():
            self._consider_texts(style, technique, certain=certain)

    def _technique(self, style: Style) -> str | None:
        """Elements of one style, of which pages have thousands, are judged once."""
        key = tuple(style.values.items())
        if key not in self._judged:
            self._judged[key] = hides(self._settled(style))
        return self._judged[key]

    def by_label(self) -> None:
        for node in self._tree.css("[aria-hidden=true i]"):
            if node.mem_id not in self._whole and node.tag not in _ROOTS:
                self._consider_aria(node)
        for node in self._tree.css(_SAID_TO_HIDE):
            text = _text(node)
            if len(text) >= _SENTENCE and node.mem_id not in self._whole and _speaks(text):
                self._whole[node.mem_id] = (node, "suspect")

    def finish(self) -> Removed:
        counts: Counter[str] = Counter()
        gone = 0
        total = self._total
        kept_texts = [pair for pair in self._texts.values() if not self._inside(pair[0])]
        kept_whole = [pair for pair in self._whole.values() if not self._inside(pair[0])]
        for node, technique in (*kept_texts, *kept_whole):
            size = len(_text(node).strip())
            gone += size if technique != "comment" else 0
            if size or technique == "comment" or node.tag in {"img", "template"}:
                counts[technique] += 1
            node.decompose()
        return Removed(counts=dict(counts), characters=gone, visible=max(0, total - gone))

    def _inside(self, node: LexborNode) -> bool:
        above = node.parent
        while above is not None:
            if above.mem_id in self._whole:
                return True
            above = above.parent
        return False

    def _settled(self, style: Style) -> Mapping[str, str]:
        """The values once an animation that stays where it ends has run."""
        motion = style.get("animation")
        if not motion or not re.search(r"\b(?:forwards|both|infinite)\b", motion):
            return style.values
        ends = (self._styles.sheet.frames.get(word) for word in motion.split())
        end = next((each for each in ends if each), {})
        return {**style.values, **{name: value for name, (value, _) in end.items()}}

    def _consider(self, node: LexborNode, technique: str) -> None:
        text = _text(node)
        if not text.strip() and not node.css_matches("img[alt]"):
            return
        if self._spared(node, technique, text) and not _speaks(text):
            return
        self._whole[node.mem_id] = (node, technique)

    def _spared(self, node: LexborNode, technique: str, text: str) -> bool:
        if technique in {"clip", "size", "offScreen"} and _is_math(node, text):
            return True
        if technique in {"opacity", "transform"} and self._controls.slide(node):
            return True
        if technique == "opacity" and self._is_fading(node):
            return True
        return self._controls.open(node) or self._is_the_page(node, text)

    def _is_fading(self, node: LexborNode) -> bool:
        style = self._styles.found[node.mem_id]
        rest = {name: value for name, value in style.values.items() if name != "opacity"}
        moving = self._controls.fading(node, style.get("transform"))
        return moving and hides(rest) is None and self._tree.css_matches("script")

    def _is_the_page(self, node: LexborNode, text: str) -> bool:
        """A wrapper of nearly everything is shown by a script, or nobody would see the page."""
        share = len(text) / max(1, self._core if _in_main(node) else self._total)
        if len(text) > _MUCH and share > 0.5 and node.css_matches("h1, main, article"):
            return True
        return len(text) > 3 * _MUCH and share > 0.6

    def _consider_texts(self, style: Style, technique: str, *, certain: bool) -> None:
        nodes = list(self._own_texts(style.node))
        text = " ".join(node.text_content or "" for node in nodes)
        if not text.strip():
            return
        spared = (
            not certain or self._controls.open(style.node) or self._is_the_page(style.node, text)
        )
        if spared and not _speaks(text):
            return
        for node in nodes:
            self._texts[node.mem_id] = (node, technique)
        if technique == "visibility":
            self._pictures(style.node)

    def _holds_the_page(self, node: LexborNode) -> bool:
        if node.mem_id not in self._wrappers:
            self._wrappers[node.mem_id] = self._is_the_page(node, _text(node))
        return self._wrappers[node.mem_id]

    def _own_texts(self, node: LexborNode) -> Iterator[LexborNode]:
        """Text below the element that no nearer styled element answers for."""
        waiting = [node]
        while waiting:
            child = waiting.pop().first_child
            while child is not None:
                if child.tag == "-text":
                    yield child
                elif child.mem_id not in self._styles.found and child.tag not in {
                    "script",
                    "style",
                }:
                    waiting.append(child)
                child = child.next

    def _pictures(self, node: LexborNode) -> None:
        for picture in node.css("img[alt]"):
            self._whole[picture.mem_id] = (picture, "visibility")

    def _consider_aria(self, node: LexborNode) -> None:
        """Seen but not read aloud: icons and figures stay, words go where a twin does not depend on them."""
        text = _text(node).strip()
        if len(text) <= 2 or not _LETTER.search(text):
            return
        keeps = (
            self._controls.open(node)
            or self._controls.slide(node)
            or self._is_open_behind(node, text)
            or self._has_twin(node)
            or _is_math(node, text)
        )
        if keeps and not _speaks(text):
            return
        self._whole[node.mem_id] = (node, "ariaHidden")

    def _is_open_behind(self, node: LexborNode, text: str) -> bool:
        """The page behind an open dialog is marked so too."""
        return len(text) * 2 > self._total and node.css_matches("h1, main, article, p")

    def _has_twin(self, node: LexborNode) -> bool:
        parent = node.parent
        child = parent.first_child if parent is not None else None
        while child is not None:
            if self._whole.get(child.mem_id, (child, ""))[1] in {"clip", "size", "offScreen"}:
                return True
            child = child.next
        return False


def _speaks(text: str) -> bool:
    """To a machine, even where letters are kept apart by characters nobody sees."""
    return commanding(visible(text))


def _text(node: LexborNode) -> str:
    """The words below, without the programs."""
    if node.tag == "-text":
        return node.text_content or ""
    text = node.text(deep=True)
    if text and node.css_matches("script, style"):
        for inner in node.css("script, style"):
            text = text.replace(inner.text(deep=True), " ", 1)
    return text


def _length(node: LexborNode) -> int:
    programs = sum(len(inner.text(deep=True)) for inner in node.css("script, style"))
    return len(node.text(deep=True)) - programs


def _in_main(node: LexborNode | None) -> bool:
    while node is not None:
        if node.tag == "main" or node.attributes.get("role") == "main":
            return True
        node = node.parent
    return False


def _texts(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        if child.tag == "-text":
            yield child
        child = child.next


def _is_math(node: LexborNode, text: str) -> bool:
    return node.css_matches(_MATH) and not _PROSE.search(text)
