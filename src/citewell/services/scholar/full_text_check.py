"""Checks whether a page is the full text of a given paper."""

from __future__ import annotations

import re

from citewell.model.page import Page
from citewell.text.citations import title_matching
from citewell.text.language.scripts import classify_script

_HEAD_CHARS = 12_000  # characters that contain a paper's own title; later ones name other works
_MIN_TITLE_COVERAGE = 0.8  # share of the title's words
_MIN_FILE_WORDS = 250  # words of a short letter as a file
_MIN_ARTICLE_WORDS = 1500  # words; more than an abstract with the rest of its page has
_MIN_SECTIONED_WORDS = 500  # words, if the sections of a paper are present
_MAX_PREVIEW_WORDS = 3000  # words; below it an offer to buy means a preview
_MIN_SECTION_COUNT = 3
_SECTION_HEADING_PATTERN = re.compile(
    r"^\W{0,6}(?:\d{1,2}(?:\.\d{1,2})*\.?\s+|[IVX]{1,5}\.\s+)?(introduction|background|methods?|materials and methods"
    r"|results?|results and discussion|discussion|conclusions?|concluding remarks|references|bibliography|related work"
    r"|acknowledge?ments?|einleitung|methoden|ergebnisse|diskussion|literatur(?:verzeichnis)?|références|méthodes"
    r"|résultats|introducción|métodos|resultados|discusión|conclusiones|referencias|введение|методы|результаты"
    r"|обсуждение|заключение|литература|引言|方法|结果|讨论|结论|参考文献|はじめに|結果|考察|結論)\W{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)  # fmt: skip
_RETRACTION_LABEL_PATTERN = re.compile(
    r"^\W*(?:retracted|withdrawn|removed)(?:\s+article)?\s*[:\]]\s*", re.IGNORECASE
)
_PAYWALL_PATTERN = re.compile(
    r"access through your institution|buy (?:this )?article|purchase (?:pdf|access|article)|rent (?:this )?article"
    r"|get (?:full )?access|preview of subscription content|subscribe to (?:this )?journal|log in (?:to|for) (?:full )?access"
    r"|this is a preview|institutional (?:login|access)|check access|full text (?:is )?(?:not|un)available"
    r"|unlock (?:this|full)|request full[- ]text",
    re.IGNORECASE,
)  # fmt: skip


def find_full_text_fault(page: Page, title: str) -> str | None:
    """Why the page is not this paper's full text; None if it is.

    Without a title only the length and structure of the text are checked.
    """
    if title and not has_own_title(page, title):
        return "it is another document"
    if page.page_count is not None:
        return None if page.word_count >= _MIN_FILE_WORDS else "the file holds hardly any text"
    if page.word_count < _MAX_PREVIEW_WORDS and _PAYWALL_PATTERN.search(page.content):
        return "it is a preview before a paywall"
    if page.word_count >= _MIN_ARTICLE_WORDS or _has_paper_sections(page):
        return None
    return "it holds the abstract at most"


def has_own_title(page: Page, title: str) -> bool:
    """Whether the title, or most of its words, is at the beginning of the page."""
    title = _RETRACTION_LABEL_PATTERN.sub("", title)
    head = f"{page.title}\n{page.content[:_HEAD_CHARS]}"
    if classify_script(title) != classify_script(head) and title_matching.is_translated_title(
        title
    ):
        return True  # a catalogue's translation of the title is not in the text
    if not title_matching.extract_title_words(title_matching.strip_translation_marks(title)):
        return True
    return title_matching.measure_title_coverage(title, head) >= _MIN_TITLE_COVERAGE


def _has_paper_sections(page: Page) -> bool:
    if page.word_count < _MIN_SECTIONED_WORDS:
        return False
    found = {match.lower() for match in _SECTION_HEADING_PATTERN.findall(page.content)}
    return len(found) >= _MIN_SECTION_COUNT
