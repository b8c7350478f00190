"""Finds reasons to doubt the background behind a text: pictures, overlays, what scripts paint later."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from citewell.fetch.css.style_cascade import PageStyles

# How authors mark elements whose background picture a script loads.
_LATE_GROUNDS = re.compile(
    r"lazy|parallax|(?:^|[-_\s])(?:bg|background|hero|cover|jarallax)(?=$|[-_\s])", re.IGNORECASE
)
_LATE_ATTRIBUTES = re.compile(
    r"data-(?:[\w-]*bg[\w-]*|[\w-]*background[\w-]*|parallax[\w-]*|image-src|setbg|vide\w*)"
)
_PICTURES = "img, video, picture, canvas, iframe, svg"
_MAX_ANCESTORS = 6
_ROOT_TAGS = frozenset({"body", "html"})


class GroundDoubts:
    """What may lie between a text and the background that the style sheets tell of."""

    def __init__(self, styles: PageStyles, *, has_scripts: bool) -> None:
        self._styles = styles
        self._has_scripts = has_scripts

    def may_be_painted(self, node: LexborNode, painter: int) -> bool:
        """Whether an element between the text and the painter of its background may be painted too."""
        at: LexborNode | None = node
        is_lifted = False
        for _ in range(_MAX_ANCESTORS):
            if at is None or at.tag in _ROOT_TAGS:
                return False
            if at.mem_id == painter and at.mem_id != node.mem_id:
                return at.mem_id in self._decorated_elements
            if at.mem_id in self._decorated_elements or (
                self._has_scripts and _is_painted_late(at)
            ):
                return True
            if at.mem_id != node.mem_id and self._has_picture_behind(at, is_lifted=is_lifted):
                return True
            is_lifted = is_lifted or at.mem_id in self._styles.overlaid_elements
            at = at.parent
        return False

    @cached_property
    def _decorated_elements(self) -> frozenset[int]:
        """The elements with a painted `::before` or `::after`, which may lie behind their text."""
        found: set[int] = set()
        for name in ("before", "after"):
            for selector, declared in self._styles.list_pseudo_rules(name):
                shade = declared.get("background-color", ("transparent",))[0]
                picture = declared.get("background-image", ("none",))[0]
                if shade != "transparent" or picture != "none":
                    nodes = self._styles.element_index.select_elements(selector)
                    found.update(node.mem_id for node in nodes)
        return frozenset(found)

    def _has_picture_behind(self, node: LexborNode, *, is_lifted: bool) -> bool:
        """Whether the element holds a picture, and the text or the picture is out of the flow."""
        if not node.css_matches(_PICTURES):
            return False
        if is_lifted:
            return True
        for picture in node.css(_PICTURES)[:8]:
            at: LexborNode | None = picture
            while at is not None and at.mem_id != node.mem_id:
                if at.mem_id in self._styles.overlaid_elements:
                    return True
                at = at.parent
        return False


def _is_painted_late(node: LexborNode) -> bool:
    attributes = node.attributes
    if _LATE_GROUNDS.search(f"{attributes.get('class') or ''} {attributes.get('id') or ''}"):
        return True
    return any(_LATE_ATTRIBUTES.match(name) for name in attributes)
