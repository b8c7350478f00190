"""Evaluates @supports conditions for a current desktop browser."""

from __future__ import annotations

import re

from citewell.fetch.css.sheets.boolean_conditions import evaluate_condition
from citewell.fetch.css.sheets.declarations import is_valid_value

# Properties that browsers know, beside those that this package reads. The list need not be complete:
# a page that hides text behind a rare property only keeps it.
_OTHER_PROPERTY_NAMES = (
    "accent-color align-content align-items align-self alignment-baseline anchor-name anchor-scope"
    " animation-composition animation-range animation-timing-function appearance aspect-ratio"
    " backdrop-filter background-attachment background-blend-mode background-origin"
    " background-position background-repeat background-size block-size border border-block"
    " border-bottom border-collapse border-color border-image border-inline border-left"
    " border-radius border-right border-spacing border-style border-top border-width"
    " box-decoration-break box-shadow box-sizing break-after break-before break-inside caption-side"
    " caret-color clear clip-rule column-count column-fill column-gap column-rule column-span"
    " column-width columns contain-intrinsic-size counter-increment counter-reset counter-set"
    " cursor dominant-baseline empty-cells field-sizing fill-rule flex-direction flex-flow"
    " flex-shrink flex-wrap font-display font-family font-feature-settings font-kerning"
    " font-optical-sizing font-palette font-stretch font-style font-synthesis font-variant"
    " font-variation-settings font-weight gap grid-area grid-auto-columns grid-auto-flow"
    " grid-auto-rows grid-column grid-gap grid-row grid-template-areas hyphens image-orientation"
    " image-rendering initial-letter interpolate-size isolation justify-content justify-items"
    " justify-self line-break line-clamp list-style list-style-image list-style-position"
    " list-style-type marker mask-border mask-clip mask-composite mask-origin mask-type"
    " math-style object-fit object-position object-view-box offset offset-anchor offset-distance"
    " offset-rotate order orphans outline outline-color outline-offset outline-style outline-width"
    " overflow-anchor overflow-clip-margin overflow-wrap overscroll-behavior page paint-order"
    " perspective-origin place-content place-items place-self pointer-events position-anchor"
    " position-area print-color-adjust quotes resize row-gap ruby-align ruby-position"
    " scroll-behavior scroll-margin scroll-padding scroll-snap-align scroll-snap-type"
    " scroll-timeline scrollbar-color scrollbar-gutter scrollbar-width shape-outside speak"
    " stroke-dasharray stroke-linecap tab-size table-layout text-align text-align-last"
    " text-anchor text-box text-combine-upright text-decoration text-decoration-color"
    " text-decoration-line text-decoration-style text-decoration-thickness text-emphasis"
    " text-orientation text-overflow text-rendering text-size-adjust text-spacing-trim"
    " text-transform text-underline-offset text-underline-position timeline-scope touch-action"
    " transform-box transform-origin transform-style transition transition-behavior"
    " transition-delay transition-duration transition-property unicode-bidi user-select"
    " vertical-align view-timeline view-transition-name widows word-break word-wrap writing-mode"
    " -webkit-appearance -webkit-box-orient -webkit-box-reflect -webkit-font-smoothing"
    " -webkit-line-clamp -webkit-tap-highlight-color -webkit-text-size-adjust -webkit-user-select"
    " -webkit-user-drag -webkit-box-shadow -webkit-backdrop-filter"
)
_OTHER_PROPERTIES = frozenset(_OTHER_PROPERTY_NAMES.split())
_FOREIGN_PSEUDO = re.compile(r":(?:-moz-|-ms-|-o-)")


def is_supported_condition(condition: str) -> bool:
    """Whether an @supports condition holds; unknown properties and functions do not."""
    return evaluate_condition(condition.lower(), _is_supported_test)


def _is_supported_test(name: str, inside: str) -> bool:
    if name == "selector":
        return not _FOREIGN_PSEUDO.search(inside)
    if name in {"font-tech", "font-format", "at-rule"}:
        return True
    if name:
        return False
    prop, colon, value = (part.strip() for part in inside.partition(":"))
    if not colon or not value:
        return False
    return prop.startswith("--") or prop in _OTHER_PROPERTIES or is_valid_value(prop, value)
