"""Parts of a page that are closed but meant to be opened: tabs, accordions, slides, late arrivals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_OPENS = ("aria-controls", "data-target", "data-bs-target", "href")
_FOLDS = re.compile(
    r"accord|collaps|faq|toggle|expand|disclos|tab-?(?:s|list|panel|pane|content|bed)?(?![a-z])"
    r"|(?:read|show|see|view)[-_]?more|answer|spoiler",
    re.IGNORECASE,
)
_SLIDES = re.compile(r"slide|carousel|swiper|slick|splide|glide|flickity|marquee", re.IGNORECASE)
_STREAMED = re.compile(r"S:[0-9a-f]+")
_SHIFT = re.compile(r"(?:translate|matrix|scale)[a-z0-9]*\(", re.IGNORECASE)
_LEVELS = 3


class Controls:
    """What the page offers to open."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._targets: set[str] = set()
        for node in tree.css("[aria-controls], [data-target], [data-bs-target], a[href^='#']"):
            for name in _OPENS:
                value = node.attributes.get(name) or ""
                self._targets.update(part.lstrip("#") for part in value.split())

    def open(self, node: LexborNode) -> bool:
        """Whether a reader can bring this into view, or the page does so by itself in a moment."""
        at: LexborNode | None = node
        for _ in range(_LEVELS):
            if at is None or at.tag in {"body", "html", "main", "article"}:
                return False
            if self._folded(at):
                return True
            at = at.parent
        return False

    def slide(self, node: LexborNode) -> bool:
        """One of a row of which others show."""
        at: LexborNode | None = node
        for _ in range(_LEVELS):
            if at is None:
                return False
            if _SLIDES.search(_names(at)):
                return True
            at = at.parent
        return False

    def fading(self, node: LexborNode, transform: str) -> bool:
        """A see-through element that is also pushed a little is caught before it comes in."""
        return bool(_SHIFT.search(transform)) or any(
            name.startswith(("data-aos", "data-w-id", "data-framer", "data-anim", "data-scroll"))
            or name in {"data-sal", "data-reveal", "data-motion", "data-staggered-item"}
            for name in node.attributes
        )

    def _folded(self, node: LexborNode) -> bool:
        attributes = node.attributes
        name = attributes.get("id") or ""
        if name and (name in self._targets or (_STREAMED.fullmatch(name) and self._awaited(name))):
            return True
        if attributes.get("role") == "tabpanel":
            return True
        if attributes.get("role") == "region" and attributes.get("aria-labelledby"):
            return True
        return bool(_FOLDS.search(_names(node))) or _after_control(node)

    def _awaited(self, name: str) -> bool:
        """React sends late parts hidden and puts them where a template holds their place."""
        part = name.partition(":")[2]
        return any(
            (node.attributes.get("id") or "") == f"B:{part}"
            for node in self._tree.css("template[id]")
        ) or self._tree.scripts_contain(f'"{name}"')


def _names(node: LexborNode) -> str:
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}"


def _after_control(node: LexborNode) -> bool:
    before = node.prev
    while before is not None and (before.tag or "").startswith("-"):
        before = before.prev
    if before is None:
        return False
    return before.tag == "button" or before.css_matches("[aria-expanded], [role=tab]")
