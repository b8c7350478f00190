"""Rewrites the states in a selector for a page at rest, so that the HTML parser's engine can match it."""

from __future__ import annotations

import re
from functools import lru_cache

NEVER_MATCHES = ":not(*)"
ALWAYS_MATCHES = ":is(*)"
_RESTING_NAMES = (
    "hover focus focus-visible focus-within active visited target target-within invalid valid"
    " placeholder-shown autofill -webkit-autofill fullscreen -webkit-full-screen user-invalid"
    " user-valid popover-open modal playing seeking buffering stalled muted volume-locked"
    " indeterminate in-range out-of-range current past future picture-in-picture host has-slotted"
    " active-view-transition target-current blank local-link open-state"
)
_UNMATCHED_STATES = frozenset(_RESTING_NAMES.split())
_CERTAIN_STATES = frozenset({"defined", "paused"})
_ENGINE_NAMES = (
    "root empty first-child last-child only-child first-of-type last-of-type only-of-type"
    " nth-child nth-last-child nth-of-type nth-last-of-type not is where has"
)
_ENGINE_STATES = frozenset(_ENGINE_NAMES.split())
_REWRITTEN_STATES = {
    "checked": ":is([checked], [selected])",
    "open": "[open]",
    "disabled": "[disabled]",
    "enabled": ":is(input, button, select, textarea):not([disabled])",
    "required": "[required]",
    "optional": ":is(input, select, textarea):not([required])",
    "read-only": ":not(input, textarea)",
    "read-write": ":is(input, textarea)",
    "link": ":is(a, area)[href]",
    "any-link": ":is(a, area)[href]",
    "-webkit-any-link": ":is(a, area)[href]",
    "default": "[checked]",
    "scope": ":root",
}
_PSEUDO_ELEMENT_NAMES = (
    "before after first-line first-letter selection placeholder marker backdrop slotted part cue"
    " file-selector-button target-text highlight spelling-error grammar-error details-content"
    " view-transition view-transition-group view-transition-old view-transition-new scroll-marker"
    " scroll-marker-group scroll-button column checkmark picker picker-icon search-text"
)
_PSEUDO_ELEMENTS = frozenset(_PSEUDO_ELEMENT_NAMES.split())
_OLD_PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
# Classes and attributes that a page has only until its scripts run, and those that it gets then.
_UNTIL_SCRIPTS = re.compile(
    r"[.\[](?:no-?js|no-?script|js-(?:off|disabled)|wf-(?:loading|inactive)|fonts?-(?:loading|pending)"
    r"|[\w-]*cloak|async-hide|anti-?flicker|fouc|no-fouc|js-fouc|preload(?:-state)?|unresolved"
    r"|not-(?:loaded|ready|hydrated)|un(?:loaded|hydrated))(?![\w-])",
    re.IGNORECASE,
)
_BEFORE_SCRIPTS = re.compile(
    r":not\(\s*+[.\[](?:js|has-js|js-(?:enabled|on|ready|loaded)|(?:is-|page-|dom-|all-)?(?:loaded|ready"
    r"|hydrated|initiali[sz]ed|mounted|upgraded)|wf-active|fonts?-(?:loaded|active)|enhanced)[\]\s]*+\)",
    re.IGNORECASE,
)
# Classes that scripts put on an element to show it.
STATE_CLASS = re.compile(
    r"\.(?:is-|js-|has-)?(?:active|open|opened|show|shown|visible|current|selected|expanded|in|on"
    r"|animated?|aos-animate|loaded|revealed|in-?view|entered|ready)(?![\w-])",
    re.IGNORECASE,
)
STATE_ATTRIBUTE = re.compile(
    r"\[(?:aria-(?:expanded|hidden|selected|current)|data-(?:state|open|visible|active|show|shown"
    r"|loaded|expanded|in-?view|status|selected)|open|opened|active|expanded)\b[^\[\]]*+\]",
    re.IGNORECASE,
)
_PSEUDO = re.compile(r"(?<!\\)(::?)(-?[a-zA-Z][\w-]*)(\()?|\"[^\"]*\"|'[^']*'")
_ARGUMENT = re.compile(r"[^()]*+\)")


def has_script_state(selector: str) -> bool:
    """Whether the selector names a state that a script or a click brings about."""
    if ":" in selector and (":checked" in selector or ":target" in selector):
        return True
    return bool(STATE_CLASS.search(selector)) or (
        "[" in selector and bool(STATE_ATTRIBUTE.search(selector))
    )


@lru_cache(maxsize=4096)
def is_loading_state(selector: str) -> bool:
    """Whether the selector matches only while the page is loading, before its scripts have run."""
    return bool(_UNTIL_SCRIPTS.search(selector)) or (
        ":not(" in selector and bool(_BEFORE_SCRIPTS.search(selector))
    )


class SelectorStates:
    """A selector with its states rewritten, and what its pseudo-classes and pseudo-elements say of it."""

    __slots__ = ("is_valid", "pseudo_element", "text")

    def __init__(self, text: str, pseudo_element: str, *, is_valid: bool) -> None:
        self.text = text
        self.pseudo_element = pseudo_element
        self.is_valid = is_valid


@lru_cache(maxsize=4096)
def rewrite_states(selector: str, *, opened: bool = False) -> SelectorStates:
    """The selector as it matches a page that nobody touches.

    With `opened`, boxes are ticked and targets chosen: what a reader can do with a click.
    """
    if ":" not in selector:
        return SelectorStates(selector, "", is_valid=True)
    pieces: list[str] = []
    place, pseudo_element, is_valid = 0, "", True
    for match in _PSEUDO.finditer(selector):
        if match.start() < place or not match[1]:
            continue
        colons, name = match[1], match[2].lower()
        pieces.append(selector[place : match.start()])
        place = match.end() - bool(match[3])
        if colons == "::" or name in _OLD_PSEUDO_ELEMENTS:
            pseudo_element = name
            is_valid = is_valid and (name in _PSEUDO_ELEMENTS or name.startswith("-webkit-"))
            continue
        written, place = _rewrite_state(selector, name, place, has_bracket=bool(match[3]))
        if opened and name in {"checked", "target"}:
            written = ALWAYS_MATCHES
        is_valid = is_valid and written is not None
        pieces.append(written or "")
    pieces.append(selector[place:])
    return SelectorStates("".join(pieces), pseudo_element, is_valid=is_valid)


def _rewrite_state(
    selector: str, name: str, place: int, *, has_bracket: bool
) -> tuple[str | None, int]:
    """What the engine is asked instead of a state, and where the rest of the selector begins."""
    if name in {"-webkit-any", "matches"}:
        return ":is", place
    if name in _ENGINE_STATES:
        return f":{name}", place
    if has_bracket:
        match = _ARGUMENT.match(selector, place + 1)
        if match is None:
            return None, place
        return _rewrite_function(name, match[0][:-1].strip()), match.end()
    if name in _CERTAIN_STATES:
        return ALWAYS_MATCHES, place
    if name in _UNMATCHED_STATES:
        return NEVER_MATCHES, place
    if name.startswith("-webkit-"):
        return NEVER_MATCHES, place
    return _REWRITTEN_STATES.get(name), place


def _rewrite_function(name: str, argument: str) -> str | None:
    word = argument.strip("\"'").lower()
    if name == "lang" and re.fullmatch(r"[\w-]+", word):
        return f":is([lang|='{word}' i], [lang|='{word}' i] *)"
    if name == "dir":
        inside = ":is([dir=rtl i], [dir=rtl i] *)"
        return inside if word == "rtl" else f":not({inside})"
    if name in {"host", "host-context", "state", "active-view-transition-type", "current"}:
        return NEVER_MATCHES
    return None
