"""What the markup of a short page shows: its forms, headings, buttons, and how much else there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN_SELECTOR = "script, style, noscript, template, svg, head, [hidden]"
_FRAME_SELECTOR = "header, nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo]"
_APP_ROOT_SELECTOR = "#root, #app, #__next, #__nuxt, #___gatsby, #main-app, #react-root, #svelte, app-root"  # fmt: skip
_BUTTON_SELECTOR = "button, input[type=submit], input[type=button], a"
_CAPTCHA_SELECTOR = ".g-recaptcha, .h-captcha, .cf-turnstile, #px-captcha, #challenge-container"
_OTHER_FIELD_SELECTOR = "form input[type=search], form input[type=text], form input[name=q], form select, form textarea"  # fmt: skip
_MIN_LIST_ROWS = 3
_MAX_SIGN_NODES = 200  # nodes looked at for each sign; walls have few
_MAX_SIGN_CHARS = 200


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

    from citewell.fetch.html.markup_limits import limit_markup

    tree = LexborHTMLParser(limit_markup(html))
    metadata = _read_metadata_text(tree)
    has_script = tree.css_first("script") is not None
    for node in tree.css(_UNSEEN_SELECTOR):
        node.decompose()
    root = tree.css_first(_APP_ROOT_SELECTOR)
    password = tree.css_first("input[type=password]")
    return MarkupSigns(
        headings=_read_headings(tree),
        buttons=_read_buttons(tree),
        has_captcha=tree.css_first(_CAPTCHA_SELECTOR) is not None,
        app_root_words=_count_node_words(root) if root is not None else None,
        has_password=password is not None,
        has_script=has_script,
        article_kind=_is_dated_article(metadata),
        free_access=_read_free_access(metadata),
        other_words=_count_other_words(tree),  # takes parts out of the tree
        has_other_parts=_has_other_parts(tree),
    )


def _read_metadata_text(tree: LexborHTMLParser) -> str:
    """The JSON-LD of the page and its article dates, without spaces and in lower case."""
    scripts = tree.css('script[type="application/ld+json"]')[:_MAX_SIGN_NODES]
    dated = tree.css_first('meta[property="article:published_time"]') is not None
    text = "".join("".join(node.text().split()) for node in scripts).lower()
    return text + ('"article:published_time"' if dated else "")


def _is_dated_article(metadata: str) -> bool:
    if '"article:published_time"' in metadata:
        return True
    kinds = ('"@type":"article"', '"@type":"newsarticle"', '"@type":"blogposting"')
    return '"datepublished"' in metadata and any(kind in metadata for kind in kinds)


def _read_free_access(metadata: str) -> bool | None:
    if '"isaccessibleforfree":false' in metadata or '"isaccessibleforfree":"false' in metadata:
        return False
    known = '"isaccessibleforfree":true' in metadata or '"isaccessibleforfree":"true' in metadata
    return True if known else None


def _read_headings(tree: LexborHTMLParser) -> tuple[str, ...]:
    first = tree.css_first("h1")
    first = first if first is not None else tree.css_first("h2")
    return (_read_node_text(first),) if first is not None else ()


def _read_buttons(tree: LexborHTMLParser) -> tuple[str, ...]:
    nodes = tree.css(_BUTTON_SELECTOR)[:_MAX_SIGN_NODES]
    labels = (node.attributes.get("value") or _read_node_text(node) for node in nodes)
    return tuple(label for label in labels if label)


def _count_other_words(tree: LexborHTMLParser) -> int:
    """Words that remain when the frame of the page and every form with a password are taken out."""
    for node in tree.css("input[type=password]")[:_MAX_SIGN_NODES]:
        form = _find_form(node)
        if form is not None:
            form.decompose()
    for node in tree.css(_FRAME_SELECTOR):
        node.decompose()
    return _count_node_words(tree.body) if tree.body is not None else 0


def _has_other_parts(tree: LexborHTMLParser) -> bool:
    """Whether the rest of the page, without frame and password forms, has a form, list or table."""
    rows = len(tree.css("li, tr"))
    return rows >= _MIN_LIST_ROWS or tree.css_first(_OTHER_FIELD_SELECTOR) is not None


def _find_form(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    while parent is not None and parent.tag != "form":
        parent = parent.parent
    return parent


def _count_node_words(node: LexborNode) -> int:
    return len(node.text(separator=" ").split())


def _read_node_text(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ")[:_MAX_SIGN_CHARS].split())
