"""Finds signs that a page holds only part of its text: a subscription, a button, more pages, scripts.

The part that is there is always kept; the notes say what is missing and, if known, where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from citewell.core.values.scrape_results import StructuredData
from citewell.reading.metadata.meta_elements import wrap_in_list
from citewell.reading.page_nodes import iterate_upwards
from citewell.reading.wall_phrases import PAYWALL_MARKUP, PAYWALL_STEMS, PAYWALL_TEXT

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

SUBSCRIPTION_NOTE = (
    "Only the free part of the article is here; the rest needs a subscription or an account."
)
_NOT_FREE_NOTE = (
    "The page's metadata say that the article is not free to read, so part of it may be missing."
)
_BUTTON_NOTE = "A button on the page (“{label}”) shows more text, which may be missing here."
_SCRIPT_NOTE = "Part of the page is loaded by a script and may be missing here."
_NEXT_PAGE_NOTE = "The text continues on another page: {address}"

_MAIN_SELECTOR = "article, main, [role=main]"
_FRAME_TAGS = frozenset({"nav", "footer", "aside", "header", "form"})
_LOADER_SELECTOR = "[aria-busy=true], include-fragment[src], turbo-frame[src], [hx-get][hx-trigger]"
_HX_LOAD_TRIGGERS = ("load", "revealed", "intersect")
# The text of an element that a script replaces.
_PLACEHOLDER_PATTERN = re.compile(
    r">\s{0,20}(?:loading|wird geladen|chargement|cargando|caricamento|carregando|загрузка|加载中|読み込み中)"
    r"(?: (?:content|article|story|data|text|inhalte?|en cours|contenido))?\s?(?:\.{3}|…)\s{0,20}<",
    re.IGNORECASE,
)
_MORE_LABEL_PATTERN = re.compile(
    r"(?:read (?:more|on|the rest)|(?:read|show|view|see) (?:the )?full (?:text|article|story)|(?:continue|keep) reading"
    r"|(?:mehr|ganzen artikel) (?:lesen|anzeigen)|weiterlesen|lire (?:la suite|plus)|afficher la suite|leer más|seguir leyendo"
    r"|leggi (?:tutto|di più)|continua a leggere|ler mais|continuar lendo|(?:meer|verder) lezen|читать (?:далее|полностью)|展开全文|阅读全文|続きを読む)"
    r"\W{0,4}",
    re.IGNORECASE,
)
# A page number as sites write it: ?page=2, /page/2, /2, -2.html, _p2.
_PAGE_NUMBER_PATTERN = re.compile(
    r"[?&;](?:page|p|pg|seite|pagina|página|start|pageno|page_?num(?:ber)?)=\d{1,4}\b"
    r"|/(?:page|seite|pagina|p)[/-]?\d{1,4}(?=/?$|[?#])|/\d{1,2}(?=/?$|[?#])|[-_,](?:p|page)?-?\d{1,2}(?=\.\w{2,5}$)",
    re.IGNORECASE,
)
_NEXT_LABEL_PATTERN = re.compile(
    r"(?:next|next page|continue|nächste(?: seite)?|weiter|(?:page )?suivante?|siguiente|successiva|próxima|volgende|далее|下一页|次へ)\W{0,3}",
    re.IGNORECASE,
)
_SIGN_LABEL_PATTERN = re.compile(r"\W{0,3}")  # an arrow, or an image without words
_MAX_WALL_WORDS = 40  # words of the block that asks for a subscription
_MIN_FREE_WORDS = 20  # words beside the wall that are worth keeping
_MAX_LOADER_PAGE_WORDS = 300
_MAX_LABEL_CHARS = 40
_MAX_NODES = 300
_MAX_LINKS = 3000
_MAX_MORE_BUTTONS = 2  # more than these are the entries of a list


def find_missing_parts(
    tree: LexborHTMLParser, html: str, *, url: str, data: StructuredData | None
) -> tuple[str, ...]:
    """Notes on what the page leaves out, from its tree before anything was removed from it."""
    nodes = tree.css(_MAIN_SELECTOR)[:_MAX_NODES]
    main = max(nodes, key=lambda node: len(node.text()), default=tree.body)
    if main is None:
        return ()
    text = main.text(separator=" ")
    notes = (
        _find_subscription_note(main, text, html, data),
        _find_button_note(main, url),
        _SCRIPT_NOTE if _has_loader(main, text, html) else None,
        _find_next_page_note(tree, url),
    )
    return tuple(note for note in notes if note is not None)


def drop_subscription_offer(markdown: str) -> str | None:
    """The free part of a page before a subscription wall; None if there is none worth keeping."""
    paragraphs = markdown.split("\n\n")
    kept = [part for part in paragraphs if not _is_wall_text(part)]
    words = sum(len(part.split()) for part in kept if not part.startswith("#"))
    return "\n\n".join(kept).strip() if words >= _MIN_FREE_WORDS else None


def _is_wall_text(text: str) -> bool:
    return len(text.split()) <= _MAX_WALL_WORDS and PAYWALL_TEXT.search(text) is not None


def _find_subscription_note(
    main: LexborNode, text: str, html: str, data: StructuredData | None
) -> str | None:
    is_free = find_free_access(data.json_ld if data is not None and data.json_ld else ())
    if is_free:
        return None
    lowered = text.lower()
    parts = main.css("p, div, section, button, a, h2, h3, h4, span")[: _MAX_NODES * 10]
    has_offer = any(stem in lowered for stem in PAYWALL_STEMS) and any(
        len(part) < _MAX_WALL_WORDS * 12 and _is_wall_text(part)
        for part in (node.text(separator=" ") for node in parts)
    )
    if has_offer and (is_free is False or PAYWALL_MARKUP.search(html)):
        return SUBSCRIPTION_NOTE
    return _NOT_FREE_NOTE if is_free is False else None


def find_free_access(blocks: Iterable[Any]) -> bool | None:
    """Whether JSON-LD calls the work free to read; None if it does not say."""
    for block in blocks:
        for thing in wrap_in_list(block):
            if not isinstance(thing, dict):
                continue
            value = str(thing.get("isAccessibleForFree", "")).lower()
            if value in {"true", "false"}:
                return value == "true"
            nested = find_free_access(wrap_in_list(thing.get("@graph")))
            if nested is not None:
                return nested
    return None


def _find_button_note(main: LexborNode, url: str) -> str | None:
    labels = [
        label
        for node in main.css("button, a, [role=button]")[:_MAX_NODES]
        if (label := _read_more_label(node, url))
    ]
    return _BUTTON_NOTE.format(label=labels[0]) if 0 < len(labels) <= _MAX_MORE_BUTTONS else None


def _read_more_label(node: LexborNode, url: str) -> str | None:
    """The label of a control that shows more of this page; None for anything else."""
    label = " ".join(node.text(separator=" ").split())
    if len(label) > _MAX_LABEL_CHARS or not _MORE_LABEL_PATTERN.fullmatch(label):
        return None
    target = node.attributes.get("href") or ""
    stays = (
        not target
        or target.startswith(("#", "javascript:"))
        or _join_address(url, target).partition("#")[0] == url.partition("#")[0]
    )
    is_framed = any(above.tag in _FRAME_TAGS for above in iterate_upwards(node.parent))
    return label if stays and not is_framed else None


def _has_loader(main: LexborNode, text: str, html: str) -> bool:
    """Whether a script fills a part of a short page; on a long one it is mostly comments and offers."""
    if len(text.split()) > _MAX_LOADER_PAGE_WORDS:
        return False
    for node in main.css(_LOADER_SELECTOR)[:_MAX_NODES]:
        trigger = node.attributes.get("hx-trigger")
        if trigger is None or trigger.strip().startswith(_HX_LOAD_TRIGGERS):
            return True
    return _PLACEHOLDER_PATTERN.search(html) is not None


def _find_next_page_note(tree: LexborHTMLParser, url: str) -> str | None:
    for node in tree.css("link[rel~=next], a[rel~=next]")[:_MAX_NODES]:
        address = _join_address(url, node.attributes.get("href") or "")
        if _is_next_page(url, address):
            return _NEXT_PAGE_NOTE.format(address=address)
    for node in tree.css("a[href]")[:_MAX_LINKS]:
        label = " ".join(node.text(separator=" ").split())
        address = _join_address(url, node.attributes.get("href") or "")
        if _is_labelled_next(url, address, label):
            return _NEXT_PAGE_NOTE.format(address=address)
    return None


def _join_address(url: str, target: str) -> str:
    """The whole address of a link on the page; that of the page itself for a damaged one."""
    try:
        address = urljoin(url, target)
        urlsplit(address)
    except ValueError:
        return url
    return address


def _is_labelled_next(url: str, address: str, label: str) -> bool:
    """Whether a link without rel=next leads to the next page; one without words needs its number."""
    if _NEXT_LABEL_PATTERN.fullmatch(label):
        return _is_next_page(url, address)
    if not _SIGN_LABEL_PATTERN.fullmatch(label):
        return False
    return _is_next_page(url, address) and (
        _read_page_number(address) == _read_page_number(url) + 1
    )


def _is_next_page(url: str, address: str) -> bool:
    """Whether the address is that of this page with another page number; a next article is not."""
    if urlsplit(address).hostname != urlsplit(url).hostname or address == url:
        return False
    return _strip_page_number(address) == _strip_page_number(url)


def _read_page_number(address: str) -> int:
    """The page number in an address; 1 if it has none."""
    place = _PAGE_NUMBER_PATTERN.search(address.partition("#")[0])
    return int(re.findall(r"\d+", place[0])[-1]) if place else 1


def _strip_page_number(address: str) -> str:
    return _PAGE_NUMBER_PATTERN.sub("", address.partition("#")[0]).rstrip("/?&")
