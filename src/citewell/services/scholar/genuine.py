"""Whether a page that was read is the whole text of a certain paper."""

from __future__ import annotations

import re

from citewell.model.page import Page
from citewell.text import titles

_HEAD = 12_000  # characters in which a paper names itself; further down it names others
_NAMED = 0.8  # of the title's telling words
_DOCUMENT = 250  # words that a file of a short letter has
_ARTICLE = 1500  # words that no abstract with its page's furniture has
_SECTIONED = 500  # words, where the sections of a paper are there too
_STUB = 3000  # words below which an offer to buy tells of a preview
_SECTIONS = 3
_SECTION = re.compile(
    r"^\W{0,6}(?:\d{1,2}(?:\.\d{1,2})*\.?\s+|[IVX]{1,5}\.\s+)?(introduction|background|methods?|materials and methods"
    r"|results?|results and discussion|discussion|conclusions?|concluding remarks|references|bibliography|related work"
    r"|acknowledge?ments?|einleitung|methoden|ergebnisse|diskussion|literatur(?:verzeichnis)?|références|méthodes"
    r"|résultats|introducción|métodos|resultados|discusión|conclusiones|referencias|введение|методы|результаты"
    r"|обсуждение|заключение|литература|引言|方法|结果|讨论|结论|参考文献|はじめに|結果|考察|結論)\W{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_LABEL = re.compile(r"^\W*(?:retracted|withdrawn|removed)(?:\s+article)?\s*[:\]]\s*", re.IGNORECASE)
_OFFER = re.compile(
    r"access through your institution|buy (?:this )?article|purchase (?:pdf|access|article)|rent (?:this )?article"
    r"|get (?:full )?access|preview of subscription content|subscribe to (?:this )?journal|log in (?:to|for) (?:full )?access"
    r"|this is a preview|institutional (?:login|access)|check access|full text (?:is )?(?:not|un)available"
    r"|unlock (?:this|full)|request full[- ]text",
    re.IGNORECASE,
)  # fmt: skip


def fault(page: Page, title: str) -> str | None:
    """Why the page is not this paper's text; None when it is. Without a title only its form counts."""
    if title and not names(page, title):
        return "it is another document"
    if page.page_count is not None:
        return None if page.word_count >= _DOCUMENT else "the file holds hardly any text"
    if page.word_count < _STUB and _OFFER.search(page.content):
        return "it is a preview before a paywall"
    if page.word_count >= _ARTICLE or _sectioned(page):
        return None
    return "it holds the abstract at most"


def names(page: Page, title: str) -> bool:
    """Whether the page gives this title as its own."""
    title = _LABEL.sub("", title)
    head = f"{page.title}\n{page.content[:_HEAD]}"
    if titles.script(title) != titles.script(head) and titles.translated(title):
        return True  # a catalogue's translation stands nowhere in the text
    if not titles.telling(titles.bare(title)):
        return True
    return titles.coverage(title, head) >= _NAMED


def _sectioned(page: Page) -> bool:
    if page.word_count < _SECTIONED:
        return False
    found = {match.lower() for match in _SECTION.findall(page.content)}
    return len(found) >= _SECTIONS
