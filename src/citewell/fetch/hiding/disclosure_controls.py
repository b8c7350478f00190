"""Recognizes content that is hidden at first but meant to be seen: tabs, accordions, slides, streamed parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from citewell.fetch.hiding.page_furniture import belongs_to_furniture

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_TARGET_ATTRIBUTES = (
    "aria-controls",
    "data-target",
    "data-bs-target",
    "href",
    "popovertarget",
    "commandfor",
)
_TARGETING_ELEMENTS = (
    "[aria-controls], [data-target], [data-bs-target], a[href^='#'], [popovertarget], [commandfor]"
)
_FOLDED_NAMES = re.compile(
    r"accord|collaps|faq|toggle|expand|disclos|tab-?(?:s|list|panel|pane|content|bed)?(?![a-z])"
    r"|(?:read|show|see|view)[-_]?more|answer|spoiler",
    re.IGNORECASE,
)
_SLIDE_NAMES = re.compile(
    r"slide|carousel|swiper|slick|splide|glide|flickity|marquee", re.IGNORECASE
)
_STREAMED_ID = re.compile(r"S:[0-9a-f]+")
_SHIFTING_TRANSFORM = re.compile(r"(?:translate|matrix|scale)[a-z0-9]{0,20}\(", re.IGNORECASE)
_CONTROL_MARKS = "[aria-expanded], [role=tab]"
_PLACEHOLDERS = "template[id^='B:'], template[id^='P:']"
_MAX_ANCESTORS = 3


class DisclosureControls:
    """The elements that a page's controls can open."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._targets: set[str] = set()
        for node in tree.css(_TARGETING_ELEMENTS):
            attributes = node.attributes
            for name in _TARGET_ATTRIBUTES:
                value = attributes.get(name) or ""
                self._targets.update(part.lstrip("#") for part in value.split())

    def can_be_opened(self, node: LexborNode) -> bool:
        """Whether a reader can open this element, or the page will show it by itself."""
        at: LexborNode | None = node
        for _ in range(_MAX_ANCESTORS):
            if at is None or at.tag in {"body", "html", "main", "article"}:
                return False
            if self._is_folded(at):
                return True
            at = at.parent
        return False

    def is_slide(self, node: LexborNode) -> bool:
        """Whether the element belongs to a slide show, where another slide is visible."""
        at: LexborNode | None = node
        for _ in range(_MAX_ANCESTORS):
            if at is None:
                return False
            if _SLIDE_NAMES.search(_join_class_and_id(at)):
                return True
            at = at.parent
        return False

    def is_shifted_in(self, transform: str) -> bool:
        """Whether a transparent element is also moved a little: it is about to be animated in."""
        return bool(_SHIFTING_TRANSFORM.search(transform))

    def _is_folded(self, node: LexborNode) -> bool:
        attributes = node.attributes
        name = attributes.get("id") or ""
        if name and (
            name in self._targets or (_STREAMED_ID.fullmatch(name) and self._is_streamed_part(name))
        ):
            return True
        if attributes.get("role") == "tabpanel":
            return True
        if attributes.get("role") == "region" and attributes.get("aria-labelledby"):
            return True
        return bool(_FOLDED_NAMES.search(_join_class_and_id(node))) or _follows_control(node)

    def _is_streamed_part(self, name: str) -> bool:
        """Whether React will move this part, sent late and hidden, to its placeholder template."""
        return self._tree.css_matches(_PLACEHOLDERS) or self._tree.scripts_contain(f'"{name}"')


def _join_class_and_id(node: LexborNode) -> str:
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}"


def _follows_control(node: LexborNode) -> bool:
    before = node.prev
    while before is not None and (before.tag or "").startswith("-"):
        before = before.prev
    if before is None:
        return False
    if before.tag in {"button", "summary"} or before.css_matches(_CONTROL_MARKS):
        return True
    attributes = before.attributes
    is_clicked = "onclick" in attributes or (
        attributes.get("role") == "button" and before.tag != "a"
    )
    return is_clicked and not belongs_to_furniture(node)
