"""Finds text that lies under an opaque element without content of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from citewell.fetch.css import box_styles
from citewell.fetch.css.hiding_seeds import covers_holder
from citewell.fetch.css.values.colours import parse_colour
from citewell.fetch.hiding.node_texts import list_child_nodes, read_text_without_scripts
from citewell.fetch.hiding.page_furniture import belongs_to_furniture

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from citewell.fetch.css.style_cascade import PageStyles
    from citewell.fetch.css.text_appearance import PageAppearance
    from citewell.fetch.css.text_look import TextLook
    from citewell.fetch.hiding.page_sizes import PageSizes

_COVER_CONTENT = "img, video, canvas, svg, iframe, input, button"
_MIN_OPAQUE = 0.97
_MAX_COVERED_SHARE = 0.3  # of the page; what covers more is taken away by a script


def find_covered_nodes(
    styles: PageStyles, looks: PageAppearance, sizes: PageSizes
) -> Iterator[LexborNode]:
    """The siblings of elements that cover the box they share."""
    for style in list(styles.found.values()):
        node = style.node
        if not covers_holder(style.values) or node.parent is None or node.parent.tag == "body":
            continue
        look = looks.resolve_look(style)
        if not _is_opaque(look) or not box_styles.holds_positioned(look.parent_values):
            continue
        if node.text(deep=True).strip() or node.css_matches(_COVER_CONTENT):
            continue
        covered = list(_list_covered(node, styles))
        chars = sum(len(read_text_without_scripts(each)) for each in covered)
        is_passing = styles.has_scripts and belongs_to_furniture(node)
        if not is_passing and chars <= _MAX_COVERED_SHARE * sizes.page_chars:
            yield from covered


def _is_opaque(look: TextLook) -> bool:
    shade = parse_colour(look.values.get("background-color", ""))
    return (
        shade is not None
        and shade.alpha * look.opacity >= _MIN_OPAQUE
        and look.shown
        and look.values.get("display", "") not in {"none", "contents"}
        and look.effect.scale >= 1
        and look.values.get("mix-blend-mode", "normal") == "normal"
        and look.values.get("clip-path", "none") == "none"
    )


def _list_covered(cover: LexborNode, styles: PageStyles) -> Iterator[LexborNode]:
    """The siblings below the cover: those in the flow, and those placed before it."""
    is_before = True
    for sibling in list_child_nodes(cover.parent) if cover.parent is not None else ():
        if sibling.mem_id == cover.mem_id:
            is_before = False
            continue
        if sibling.tag == "-text":
            yield sibling
        elif sibling.is_element_node:
            style = styles.found.get(sibling.mem_id)
            values = style.values if style is not None else {}
            if not box_styles.is_positioned(values) or (is_before and "z-index" not in values):
                yield sibling
