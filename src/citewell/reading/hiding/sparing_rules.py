"""Decides which hidden elements are left in the page: those that a reader or a script brings to light."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from citewell.reading import page_nodes
from citewell.reading.css.hiding_techniques import find_box_technique
from citewell.reading.hiding.script_reveals import ScriptReveals

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.css.style_cascade import ElementStyle, PageStyles
    from citewell.reading.css.text_appearance import PageAppearance
    from citewell.reading.hiding.hidden_elements import PageSizes

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

_TARGET_ATTRIBUTE_NAMES = "aria-controls data-target data-bs-target href popovertarget commandfor"
_TARGET_ATTRIBUTES = tuple(_TARGET_ATTRIBUTE_NAMES.split())
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

_MATH_ELEMENTS = "math, mjx-container, .katex, .katex-mathml, .MathJax"
_PROSE_PATTERN = re.compile(r"(?<![^\W\d_])(?:[^\W\d_]{2,}+\s++){6}")
_ROOT_TAGS = frozenset({"html", "head", "body"})
_SLIDING_TECHNIQUES = frozenset({"opacity", "transform", "offScreen", "visibility"})
_APPEARING_TECHNIQUES = frozenset(
    {"opacity", "transform", "visibility", "clip", "offScreen", "blur", "mask"}
)
_REVEALED_TECHNIQUES = _APPEARING_TECHNIQUES | {"display", "size", "contentVisibility", "fontSize"}
_COMPONENT_TECHNIQUES = frozenset({"display", "visibility", "opacity"})
# The properties through which an element around may hide text.
_CAUSES = {
    "visibility": frozenset({"visibility"}),
    "fontSize": frozenset({"font-size", "zoom", "transform", "scale", "font-size-adjust"}),
}
# The properties by which a rule undoes a technique.
_TECHNIQUE_PROPERTIES = {
    "display": "display",
    "opacity": "opacity filter animation-name",
    "visibility": "visibility animation-name",
    "transform": "transform translate scale rotate animation-name",
    "clip": "clip clip-path",
    "offScreen": "left right top bottom transform translate margin-left margin-top position inset",
    "blur": "filter",
    "mask": "mask-image mask-size mask-position",
    "size": "height max-height width max-width overflow-x overflow-y grid-template-rows flex-basis",
    "contentVisibility": "content-visibility",
    "fontSize": "font-size zoom transform scale",
}
_REVEALING_PROPERTIES = {
    name: frozenset(words.split()) for name, words in _TECHNIQUE_PROPERTIES.items()
}


class SparingRules:
    """Answers, for one page, whether a hidden element will be seen after all."""

    def __init__(
        self,
        tree: LexborHTMLParser,
        styles: PageStyles,
        looks: PageAppearance,
        sizes: PageSizes,
    ) -> None:
        self._tree = tree
        self._looks = looks
        self._sizes = sizes
        self._reveals = ScriptReveals(tree, styles)
        self._spared: dict[tuple[int, str], bool] = {}

    @cached_property
    def disclosure_controls(self) -> DisclosureControls:
        return DisclosureControls(self._tree)

    def is_spared(self, style: ElementStyle, technique: str, text: str) -> bool:
        key = (style.node.mem_id, technique)
        if key not in self._spared:
            self._spared[key] = self._can_be_seen(style, technique, text)
        return self._spared[key]

    def _can_be_seen(self, style: ElementStyle, technique: str, text: str) -> bool:
        """Whether a reader or a script brings the hidden element to light, or its page needs it."""
        node = style.node
        controls = self.disclosure_controls
        if technique in {"clip", "size", "offScreen"} and is_math_element(node, text):
            return True
        if technique in _SLIDING_TECHNIQUES and controls.is_slide(node):
            return True
        if technique == "opacity" and self._is_fading_element(style):
            return True
        if controls.can_be_opened(node) or self._sizes.is_main_wrapper(node, text):
            return True
        return self._is_shown_by_script(style, technique)

    def _is_shown_by_script(self, style: ElementStyle, technique: str) -> bool:
        node, reveals = style.node, self._reveals
        if (
            technique not in _REVEALED_TECHNIQUES
            or _is_for_screen_readers(style)
            or belongs_to_furniture(node)
        ):
            return False
        if technique in _APPEARING_TECHNIQUES and reveals.is_appearing(node):
            return True
        if technique in _COMPONENT_TECHNIQUES and "-" in (node.tag or "") and reveals.has_scripts:
            return True  # a component that its script has yet to build
        return reveals.is_mentioned(node) or self._has_revealing_rule(style, technique)

    def _is_fading_element(self, style: ElementStyle) -> bool:
        # A transparent element that is also moved a little is about to be animated in.
        is_moved = _SHIFTING_TRANSFORM.search(style.find_value("transform"))
        if not is_moved or not self._reveals.has_scripts:
            return False
        rest = {name: value for name, value in style.values.items() if name != "opacity"}
        look = self._looks.try_values(style, rest)
        return find_box_technique((style.node.tag or "").lower(), look) is None

    def _has_revealing_rule(self, style: ElementStyle, technique: str) -> bool:
        """Whether a rule that a script or a click can bring into force would show the element."""
        for declared in self._reveals.find_revealing_rules(style, _REVEALING_PROPERTIES[technique]):
            more = {name: value for name, (value, _) in declared.items()}
            look = self._looks.try_values(style, {**style.values, **more})
            hidden = find_box_technique((style.node.tag or "").lower(), look)
            if hidden is None and self._looks.judge_text(style.node, look) is None:
                return True
        return False

    def is_cause_spared(self, style: ElementStyle, technique: str, text: str) -> bool:
        """Whether the element is spared, or the one around it from which it has its looks."""
        if self.is_spared(style, technique, text):
            return True
        causes = _CAUSES.get(technique)
        at = self._looks.find_styled_ancestor(style.node) if causes else None
        while at is not None and causes and at.node.tag not in _ROOT_TAGS:
            if at.values.get("visibility") == "visible" and technique == "visibility":
                return False
            is_cause = not at.values.keys().isdisjoint(causes)
            if is_cause and not belongs_to_furniture(at.node):
                whole = page_nodes.read_text_without_scripts(at.node)
                if self.is_spared(at, technique, whole):
                    return True
            at = self._looks.find_styled_ancestor(at.node)
        return False


def is_math_element(node: LexborNode, text: str) -> bool:
    return node.css_matches(_MATH_ELEMENTS) and not _PROSE_PATTERN.search(text)


def _is_for_screen_readers(style: ElementStyle) -> bool:
    """Whether it is made a speck or moved away, as is done with words that are only to be heard."""
    if style.find_value("position") not in {"absolute", "fixed"}:
        return False
    sizes = (style.find_value(name) for name in ("width", "height"))
    return "clip" in style.values or any(size in {"0", "1px", "0px"} for size in sizes)


# Recognizes content that is hidden at first but meant to be seen: tabs, accordions, slides, streamed parts.


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
        for at in islice(page_nodes.iterate_upwards(node), _MAX_ANCESTORS):
            if at.tag in {"body", "html", "main", "article"}:
                return False
            if self._is_folded(at):
                return True
        return False

    def is_slide(self, node: LexborNode) -> bool:
        """Whether the element belongs to a slide show, where another slide is visible."""
        around = islice(page_nodes.iterate_upwards(node), _MAX_ANCESTORS)
        return any(_SLIDE_NAMES.search(page_nodes.read_class_and_id(at)) for at in around)

    def _is_folded(self, node: LexborNode) -> bool:
        attributes = node.attributes
        name = attributes.get("id") or ""
        if name and name in self._targets:
            return True
        # React moves a part that is sent late and hidden to its placeholder template.
        if _STREAMED_ID.fullmatch(name) and (
            self._tree.css_matches(_PLACEHOLDERS) or self._tree.scripts_contain(f'"{name}"')
        ):
            return True
        if attributes.get("role") == "tabpanel":
            return True
        if attributes.get("role") == "region" and attributes.get("aria-labelledby"):
            return True
        return bool(_FOLDED_NAMES.search(page_nodes.read_class_and_id(node))) or _follows_control(
            node
        )


def _follows_control(node: LexborNode) -> bool:
    before = page_nodes.find_element_before(node)
    if before is None:
        return False
    if before.tag in {"button", "summary"} or before.css_matches(_CONTROL_MARKS):
        return True
    attributes = before.attributes
    is_clicked = "onclick" in attributes or (
        attributes.get("role") == "button" and before.tag != "a"
    )
    return is_clicked and not belongs_to_furniture(node)


# Recognizes the furniture of a page: menus, dialogs, banners and forms, which scripts open and close.


def belongs_to_furniture(node: LexborNode) -> bool:
    """Whether the element belongs to the furniture of the page: menus, dialogs, banners, forms."""
    for steps, at in enumerate(page_nodes.iterate_upwards(node)):
        if at.tag in {"body", "html", "main", "article"}:
            return False
        if at.tag in _CHROME_TAGS or at.attributes.get("role") in _CHROME_ROLES:
            return True
        if steps <= _MAX_NAMED_ANCESTORS and _CHROME_NAMES.search(page_nodes.read_class_and_id(at)):
            return True
    return False
