"""Tells whether text can be read on what lies behind it, through all filters and blend modes around it."""

from __future__ import annotations

from citewell.fetch.css.hiding_techniques import MIN_READABLE_OPACITY
from citewell.fetch.css.text_grounds import Grounds
from citewell.fetch.css.text_look import TextLook
from citewell.fetch.css.values import colour_effects, colours
from citewell.fetch.css.values.colours import RgbColour

MIN_READABLE_ALPHA = 0.03
_SVG_TEXT_TAGS = frozenset({"text", "tspan", "textpath"})


def is_unreadable_text(tag: str, look: TextLook) -> bool:
    """Whether neither the letters nor their outlines stand out from the background."""
    ink = look.svg_fill if tag in _SVG_TEXT_TAGS else look.fill or look.ink
    if ink is None or look.drawn is None:
        return False
    inks = [ink]
    if look.drawn and ink.alpha < 1:
        inks = [colours.blend_over(ink, drawn) for drawn in look.drawn]
    fronts: list[RgbColour | None] = [*inks, *look.shadows, *look.outlines]
    return all(front is not None and _is_lost(front, look) for front in fronts)


def _is_lost(front: RgbColour, look: TextLook) -> bool:
    """Whether a colour cannot be told from what lies behind it."""
    if look.opacity >= MIN_READABLE_OPACITY:  # below, the whole element is hidden
        front = front._replace(alpha=front.alpha * look.opacity)
    if look.grounds is None:
        return front.alpha < MIN_READABLE_ALPHA
    for ground in look.grounds:
        pair = _pass_groups(front, ground, look)
        if pair is None or not colours.is_unreadable_on(*pair):
            return False
    return True


def _pass_groups(
    front: RgbColour, ground: RgbColour, look: TextLook
) -> tuple[RgbColour, RgbColour] | None:
    """Both colours after the filters and blend modes around them; None if that is not known."""
    for depth in range(len(look.groups), 0, -1):
        group = look.groups[depth - 1]
        inside = look.ground_groups >= depth
        if group.filter != "none":
            front = colour_effects.filter_colour(group.filter, front)
            ground = colour_effects.filter_colour(group.filter, ground) if inside else ground
        if group.blend != "normal":
            backdrop: Grounds = group.backdrop
            if not backdrop:
                return None
            mixed = colour_effects.blend_colours(group.blend, front, backdrop[0])
            under = colour_effects.blend_colours(group.blend, ground, backdrop[0])
            if mixed is None or under is None:
                return None
            front, ground = mixed, under if inside else ground
    return front, ground
