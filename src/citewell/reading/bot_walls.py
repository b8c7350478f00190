"""Detects pages shown instead of the content: bot walls, consent, login, paywall, soft 404, empty shell.

An article about such pages uses the same words but is long, so every sign counts only on a page
with few visible words, except for response headers, which are proof by themselves. A short page is
judged by what it is made of: a login form in the header of a page with results is no wall, and a
title that only begins like an error message is no error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from citewell.core.values.counted_words import pluralize
from citewell.reading import wall_phrases
from citewell.reading.page_nodes import iterate_upwards
from citewell.text.language.scripts import HAN_KANA_RANGES, THAI_RANGES

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN_SELECTOR = "script, style, noscript, template, svg, head, [hidden]"
_FRAME_SELECTOR = "header, nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo]"
_APP_ROOT_SELECTOR = "#root, #app, #__next, #__nuxt, #___gatsby, #main-app, #react-root, #svelte, app-root"  # fmt: skip
_BUTTON_SELECTOR = "button, input[type=submit], input[type=button], a"
_CAPTCHA_SELECTOR = ".g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha, #challenge-container"
_OTHER_FIELD_SELECTOR = "form input[type=search], form input[type=text], form input[name=q], form select, form textarea"  # fmt: skip
_ARTICLE_KINDS = ('"@type":"article"', '"@type":"newsarticle"', '"@type":"blogposting"')
_MIN_LIST_ROWS = 3
_MAX_SIGN_NODES = 200  # nodes looked at for each sign; walls have few
_MAX_SIGN_CHARS = 200


class WallKind(StrEnum):
    BOT = "bot"
    CONSENT = "consent"
    LOGIN = "login"
    PAYWALL = "paywall"
    MISSING = "soft_404"
    SHELL = "shell"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWall:
    kind: WallKind
    detected_by: str  # the product, or the sign by which the wall was detected


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedPage:
    """A response prepared for the wall detectors."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    html: str
    text: str  # the visible text of the whole page, with menus and footers
    title: str = ""
    path: str = ""  # of the address after redirects
    asked_path: str = ""  # of the address before redirects
    redirected: bool = False
    extracted_words: int = 0  # words of main content; some sites hide it from people

    @property
    def visible_words(self) -> int:
        """How many words are visible; two characters of a script without spaces count as one word."""
        visible = len(self.text.split())
        if not self.text.isascii():
            visible += len(_UNSPACED_CHARACTER.findall(self.text)) // 2
        return max(visible, self.extracted_words)


_UNSPACED_CHARACTER = re.compile(f"[{THAI_RANGES}{HAN_KANA_RANGES}]")
MAX_WALL_WORDS = 150  # words; real walls have fewer, menus and legal lines included
_MAX_SHELL_WORDS = 30
_MAX_NAMED_WORDS = 60  # words of a wall that has nothing but its name
_MAX_PHRASE_WORDS = 40  # words of a wall that has nothing but a phrase in its text
_MAX_BESIDE_LOGIN_WORDS = 60  # words beside the form of a page that is named as a login
_MAX_LONE_FORM_WORDS = 15  # words beside the form of a page that is nothing but the form
_MAX_DEMAND_WORDS = 25  # words of a page without a form that asks to log in
_MAX_VAGUE_ERROR_WORDS = 40
_MAX_EMPTY_ROOT_WORDS = 10

_WALL_HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare challenge"),
    ("x-amzn-waf-action", "challenge", "AWS WAF challenge"),
    ("x-amzn-waf-action", "captcha", "AWS WAF captcha"),
    ("x-vercel-mitigated", "challenge", "Vercel challenge"),
    ("x-sucuri-block", "", "Sucuri block"),
)


def find_page_wall(seen: InspectedPage) -> PageWall | None:
    """The wall, or None if the page is content. For a response that is not 2xx use `find_bot_wall`."""
    if wall := _find_header_sign(seen):
        return wall
    if seen.visible_words >= MAX_WALL_WORDS:
        return None
    signs = read_markup_signs(seen.html)
    return (
        _find_bot_sign(seen, signs)
        or _find_login_wall(seen, signs)
        or _find_consent_wall(seen, signs)
        or _find_soft_404(seen, signs)
        or _find_paywall(seen, signs)
        or _find_empty_shell(seen, signs)
    )


def find_bot_wall(seen: InspectedPage) -> PageWall | None:
    if wall := _find_header_sign(seen):
        return wall
    if seen.visible_words >= MAX_WALL_WORDS or not (seen.html or seen.text):
        return None
    return _find_bot_sign(seen, read_markup_signs(seen.html))


def _find_header_sign(seen: InspectedPage) -> PageWall | None:
    for name, value, by in _WALL_HEADERS:
        if name in seen.headers and value in seen.headers[name].lower():
            return PageWall(kind=WallKind.BOT, detected_by=by)
    return None


def _find_bot_sign(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    by = next((by for mark, by in wall_phrases.STRONG_WALL_MARKS if mark.search(seen.html)), "")
    is_block = any(map(wall_phrases.BLOCK_WORDS.search, (seen.title, seen.text)))
    if not by and is_block and wall_phrases.BLOCK_REFERENCE.search(seen.text):
        by = "block page with a reference number"
    named = any(wall_phrases.BOT_CHECK_TITLE.fullmatch(part) for part in _list_names(seen, signs))
    phrase = any(map(wall_phrases.BOT_CHECK_PHRASES.search, (seen.text, seen.title)))
    words = seen.visible_words
    if not by and not signs.article_kind:
        weak = next((by for mark, by in wall_phrases.WEAK_WALL_MARKS if mark.search(seen.html)), "")
        by = weak if named or phrase or words < _MAX_SHELL_WORDS else ""
    if not by and (named or phrase) and signs.has_captcha:
        by = "captcha"
    if not by and not signs.article_kind:
        asks = (named and words < _MAX_NAMED_WORDS) or (phrase and words < _MAX_PHRASE_WORDS)
        is_help = any("how to" in name.lower() for name in _list_names(seen, signs))
        if not asks and words < _MAX_SHELL_WORDS and not is_help:
            asks = bool(wall_phrases.NEEDS_JAVASCRIPT.search(seen.text))
        if asks:
            by = "asks for proof of being human, or for JavaScript"
    return PageWall(kind=WallKind.BOT, detected_by=by) if by else None


def _list_names(seen: InspectedPage, signs: MarkupSigns) -> tuple[str, ...]:
    """What the page calls itself: its title, the title's parts, and its first heading."""
    return tuple(
        part for name in (seen.title, *signs.headings) for part in wall_phrases.split_title(name)
    )


def _find_login_wall(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    sent = seen.redirected and wall_phrases.LOGIN_PATH.search(seen.path)
    if sent and not wall_phrases.LOGIN_PATH.search(seen.asked_path):
        return PageWall(kind=WallKind.LOGIN, detected_by="login redirect")
    words = f"{seen.title} {seen.text} {' '.join(signs.buttons)}"
    if not wall_phrases.LOGIN_WORDS.search(words) or signs.article_kind:
        return None
    named = any(wall_phrases.LOGIN_TITLE.fullmatch(part) for part in _list_names(seen, signs))
    demands = bool(wall_phrases.LOGIN_DEMAND.search(seen.text))
    beside = signs.other_words
    if signs.has_password:
        is_wall = (named or demands) and beside < _MAX_BESIDE_LOGIN_WORDS
        is_wall = is_wall or (beside < _MAX_LONE_FORM_WORDS and not signs.has_other_parts)
    else:
        is_wall = demands and beside < (_MAX_BESIDE_LOGIN_WORDS if named else _MAX_DEMAND_WORDS)
    return PageWall(kind=WallKind.LOGIN, detected_by="login form") if is_wall else None


def _find_consent_wall(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    if signs.article_kind or not wall_phrases.CONSENT_TEXT.search(seen.text):
        return None
    named = any(wall_phrases.CONSENT_TITLE.fullmatch(part) for part in _list_names(seen, signs))
    if named and any(wall_phrases.CONSENT_BUTTON.match(label) for label in signs.buttons):
        return PageWall(kind=WallKind.CONSENT, detected_by="consent page")
    return None


def _find_soft_404(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    names = _list_names(seen, signs)
    is_missing = any(wall_phrases.NOT_FOUND_TITLE.fullmatch(name) for name in names)
    if not is_missing and any(wall_phrases.VAGUE_NOT_FOUND_TITLE.fullmatch(name) for name in names):
        few = seen.visible_words < _MAX_VAGUE_ERROR_WORDS
        is_missing = few or bool(wall_phrases.ABSENCE_WORDS.search(seen.text))
    if is_missing and not signs.article_kind:
        return PageWall(kind=WallKind.MISSING, detected_by="page says it was not found")
    return None


def _find_paywall(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    if signs.free_access or not wall_phrases.PAYWALL_TEXT.search(seen.text):
        return None
    if signs.free_access is False or wall_phrases.PAYWALL_MARKUP.search(seen.html):
        return PageWall(kind=WallKind.PAYWALL, detected_by="subscription wall")
    return None


def _find_empty_shell(seen: InspectedPage, signs: MarkupSigns) -> PageWall | None:
    if seen.visible_words >= _MAX_SHELL_WORDS or not signs.has_script:
        return None
    root = signs.app_root_words
    # A server may fill the root of an application with a short page.
    is_empty = root < _MAX_EMPTY_ROOT_WORDS if root is not None else wall_phrases.NEEDS_JAVASCRIPT.search(seen.html)  # fmt: skip
    if is_empty:
        size = len(seen.text.encode())
        return PageWall(
            kind=WallKind.SHELL,
            detected_by=f"empty shell, {size} {pluralize(size, 'byte')}",
        )
    return None


# What the markup of a short page shows: its forms, headings, buttons, and how much else there is.


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkupSigns:
    headings: tuple[str, ...] = ()  # the first h1, or the first h2 if there is none
    buttons: tuple[str, ...] = ()  # labels of buttons and links
    has_password: bool = False
    has_other_parts: bool = False  # a form for something else, such as a search, or a list or table
    has_captcha: bool = False
    has_script: bool = False
    other_words: int = 0  # words outside of password forms, headers, menus and footers
    app_root_words: int | None = None  # words in the root of a script application; None without one
    article_kind: bool = False  # metadata say that the page is a dated article
    free_access: bool | None = None  # whether its metadata call the article free


def read_markup_signs(html: str) -> MarkupSigns:
    """The signs of a page. Takes time in proportion to its length."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.html.markup_limits import limit_markup

    tree = LexborHTMLParser(limit_markup(html))
    # The JSON-LD of the page and its article dates, without spaces and in lower case.
    scripts = tree.css('script[type="application/ld+json"]')[:_MAX_SIGN_NODES]
    metadata = "".join("".join(node.text().split()) for node in scripts).lower()
    if tree.css_first('meta[property="article:published_time"]') is not None:
        metadata += '"article:published_time"'
    has_script = tree.css_first("script") is not None
    for node in tree.css(_UNSEEN_SELECTOR):
        node.decompose()
    root = tree.css_first(_APP_ROOT_SELECTOR)
    password = tree.css_first("input[type=password]")
    heading = tree.css_first("h1") or tree.css_first("h2")
    buttons = tree.css(_BUTTON_SELECTOR)[:_MAX_SIGN_NODES]
    labels = (node.attributes.get("value") or _read_node_text(node) for node in buttons)
    return MarkupSigns(
        headings=(_read_node_text(heading),) if heading is not None else (),
        buttons=tuple(label for label in labels if label),
        has_captcha=tree.css_first(_CAPTCHA_SELECTOR) is not None,
        app_root_words=_count_node_words(root) if root is not None else None,
        has_password=password is not None,
        has_script=has_script,
        article_kind='"article:published_time"' in metadata
        or ('"datepublished"' in metadata and any(kind in metadata for kind in _ARTICLE_KINDS)),
        free_access=_read_free_access(metadata),
        other_words=_count_other_words(tree),  # takes parts out of the tree
        # In what is left there is a form, a list or a table.
        has_other_parts=len(tree.css("li, tr")) >= _MIN_LIST_ROWS
        or tree.css_first(_OTHER_FIELD_SELECTOR) is not None,
    )


def _read_free_access(metadata: str) -> bool | None:
    if '"isaccessibleforfree":false' in metadata or '"isaccessibleforfree":"false' in metadata:
        return False
    known = '"isaccessibleforfree":true' in metadata or '"isaccessibleforfree":"true' in metadata
    return True if known else None


def _count_other_words(tree: LexborHTMLParser) -> int:
    """Words that remain when the frame of the page and every form with a password are taken out."""
    for node in tree.css("input[type=password]")[:_MAX_SIGN_NODES]:
        form = next((above for above in iterate_upwards(node.parent) if above.tag == "form"), None)
        if form is not None:
            form.decompose()
    for node in tree.css(_FRAME_SELECTOR):
        node.decompose()
    return _count_node_words(tree.body) if tree.body is not None else 0


def _count_node_words(node: LexborNode) -> int:
    return len(node.text(separator=" ").split())


def _read_node_text(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ")[:_MAX_SIGN_CHARS].split())
