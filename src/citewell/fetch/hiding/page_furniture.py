"""Recognizes the furniture of a page: menus, dialogs, banners and forms, which scripts open and close."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_CHROME_NAMES = re.compile(
    r"modal|pop-?up|popover|overlay|dialog|cookie|consent|gdpr|ccpa|privacy|onetrust|(?<![a-z])ot-|didomi"
    r"|banner|menu|nav|drop-?down|tool-?tip|toast|search|log-?in|sign-?(?:in|up)|light-?box|fancybox"
    r"|off-?canvas|drawer|side-?bar|notif|alert|error|success|share|social|newsletter|subscri|spinner"
    r"|load(?:er|ing)|(?<![a-z])cart|flyout|hamburger|back-to-top|feedback|chat|promo|header|footer"
    r"|skip-|mobile|lang(?:uage)?-|locale|country|comment-reply|validation|advert|(?<![a-z])ad-"
    r"|(?<![a-z])ads?wrap|sr-?only|visually-?hidden|screen-?reader|element-invisible",
    re.IGNORECASE,
)
_CHROME_TAGS = frozenset({"nav", "dialog", "form", "header", "footer", "aside", "label", "button"})
_CHROME_ROLES = frozenset(
    {"navigation", "dialog", "menu", "banner", "contentinfo", "search", "alert"}
)
_MAX_NAMED_ANCESTORS = 3


def belongs_to_furniture(node: LexborNode) -> bool:
    """Whether the element belongs to the furniture of the page: menus, dialogs, banners, forms."""
    at: LexborNode | None = node
    steps = 0
    while at is not None and at.tag not in {"body", "html", "main", "article"}:
        attributes = at.attributes
        if at.tag in _CHROME_TAGS or attributes.get("role") in _CHROME_ROLES:
            return True
        if steps <= _MAX_NAMED_ANCESTORS and _CHROME_NAMES.search(
            f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        ):
            return True
        at = at.parent
        steps += 1
    return False
