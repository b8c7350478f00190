"""Reads the page in the bytes of a response. Pure functions that worker processes run."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from citewell.core.errors import CitewellError, ContentEmpty
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import MAX_PAGE_BYTES
from citewell.reading import bot_walls, page_errors
from citewell.reading.content_kinds import PAGE_KINDS, detect_document_kind, detect_page_kind
from citewell.reading.documents import document_text
from citewell.reading.documents.document_reader import add_address_to_error, check_document_size
from citewell.reading.documents.readers_by_kind import read_document_request
from citewell.reading.extracted_page import (
    ExtractedPage,
    PageReading,
    PageResponse,
    clean_page_text,
)
from citewell.reading.hidden_text import remove_hidden_text
from citewell.reading.html import discourse_topics
from citewell.reading.html.main_content import extract_from_tree
from citewell.reading.html.markup_limits import bound_markup, limit_markup
from citewell.reading.metadata.page_metadata import ExtractedMetadata, read_page_metadata
from citewell.reading.missing_parts import (
    SUBSCRIPTION_NOTE,
    drop_subscription_offer,
    find_missing_parts,
)
from citewell.reading.page_charset import DecodedText, decode_body
from citewell.text.language.detection import detect_language
from citewell.text.passages.markdown_blocks import find_first_heading
from citewell.text.safety.text_cleaning import clean_markup

MAX_ERROR_PAGE_BYTES = 256 * 1024
_MAX_PAGE_CHARS = MAX_PAGE_BYTES  # characters; the rest is cut, because no caller gets more
_MIN_TEXT_BYTES = 100  # bytes of text; shorter pages are doubtful
_MARKDOWN_LINE = re.compile(
    r"^(?:#{1,6} \S|[-*+] \S|\d+\. \S|> |```|\|[^\n|]+\|)|\[[^\[\]]+\]\([^()]+\)|\*\*\S",
    re.MULTILINE,
)
_HTML_MARKUP = re.compile(r"<!doctype html|<html[\s>]|<body[\s>]", re.IGNORECASE)
_SCRIPT_TAG = re.compile(rb"<(script|noscript)\b", re.IGNORECASE)
_SCRIPT_ENDS = {
    name: re.compile(rb"</" + name + rb"\s*+>", re.IGNORECASE) for name in (b"script", b"noscript")
}


def read_page(
    body: bytes,
    response: PageResponse,
    documents: document_text.DocumentLimits | None = None,
    *,
    is_rendered: bool = False,
) -> PageReading:
    """The page or, if there are `documents` limits and the body is one, the document.

    `is_rendered` says that a browser has run the page's scripts. Raises the errors of walls,
    ContentEmpty if there is no text, and the errors of documents.
    """
    if documents is not None and _is_document(body, response):
        return PageReading(
            extracted=finish_extracted_page(extract_document_page(body, response, documents))
        )
    try:
        return _read_text_body(body, response)
    except ContentEmpty:
        if not is_rendered:
            raise
        # The page has been rendered. If it still looks like an empty shell, it is a short page:
        # without its scripts it is not mistaken for a shell.
        return _read_text_body(_remove_scripts(body), response)


def _remove_scripts(body: bytes) -> bytes:
    """The page without its scripts and what it shows without them; JSON-LD stays."""
    kept: list[bytes] = []
    position = search_from = 0
    unclosed: set[bytes] = set()  # after this place they are not closed, so none is looked for
    while opening := _SCRIPT_TAG.search(body, search_from):
        name = opening[1].lower()
        search_from = body.find(b">", opening.end()) + 1
        if not search_from:
            break
        if name in unclosed or b"ld+json" in body[opening.end() : search_from].lower():
            continue
        end = _SCRIPT_ENDS[name].search(body, search_from)
        if end is None:
            unclosed.add(name)
            continue
        kept.append(body[position : opening.start()])
        position = search_from = end.end()
    return b"".join((*kept, body[position:]))


def read_document_page(
    body: bytes, response: PageResponse, documents: document_text.DocumentLimits
) -> PageReading | None:
    """The document; None if the body is a page."""
    if not _is_document(body, response):
        return None
    return PageReading(
        extracted=finish_extracted_page(extract_document_page(body, response, documents))
    )


def read_markdown_page(body: bytes, response: PageResponse) -> PageReading | None:
    """A page that its server sent as markdown; None if it is HTML nevertheless."""
    text = decode_body(body, content_type=response.content_type or "charset=utf-8")
    if _HTML_MARKUP.search(text.text[:2000]):
        return None
    if wall := bot_walls.find_bot_wall(_inspect_text(response, text.text)):
        raise page_errors.build_wall_error(response.url, wall.detected_by)
    extracted = ExtractedPage(
        final_url=response.final_url,
        content=text.text,
        content_type="markdown",
        metadata=ExtractedMetadata(title=find_first_heading(text.text)),
        charset=text.charset,
        extracted_by="markdown",
    )
    return judge_extracted_page(
        extracted, response.url, sure=bool(_MARKDOWN_LINE.search(text.text))
    )


def read_copied_page(extracted: ExtractedPage, address: str) -> PageReading:
    """A page that somebody else read for us: cleaned, checked for walls, and finished."""
    text, about = extracted.content, extracted.metadata
    about = replace(
        about, title=clean_markup(about.title), author=clean_markup(about.author) or None
    )
    seen = bot_walls.InspectedPage(status=200, headers={}, html=text, text=text, title=about.title)
    if wall := bot_walls.find_bot_wall(seen):
        raise page_errors.build_wall_error(address, wall.detected_by)
    return judge_extracted_page(replace(extracted, metadata=about), address)


def find_error_wall(body: bytes, response: PageResponse) -> str | None:
    """What gave the bot wall in the body of an error page away; None if there is no wall."""
    decoded = decode_body(body[:MAX_ERROR_PAGE_BYTES], content_type=response.content_type)
    tree = LexborHTMLParser(limit_markup(decoded.text))
    wall = bot_walls.find_bot_wall(_inspect_html(response, decoded.text, tree))
    return wall.detected_by if wall is not None else None


def judge_extracted_page(
    extracted: ExtractedPage, url: str, *, sure: bool = True, min_bytes: int = _MIN_TEXT_BYTES
) -> PageReading:
    """The finished page, in doubt if it is short or not `sure`; raises ContentEmpty if it is empty."""
    size = len(extracted.content.strip().encode("utf-8", "replace"))
    if size == 0:
        raise page_errors.build_empty_error(url, "empty")
    doubt = f"{size} {pluralize(size, 'byte')}" if size < min_bytes or not sure else None
    return PageReading(extracted=finish_extracted_page(extracted), doubt=doubt)


def finish_extracted_page(extracted: ExtractedPage) -> ExtractedPage:
    """The page with its content cut and cleaned, and what is counted and found in it."""
    cleaned = clean_page_text(extracted.content[:_MAX_PAGE_CHARS])
    comments = clean_page_text(extracted.comments[:_MAX_PAGE_CHARS])
    return replace(
        extracted,
        content=cleaned.text,
        hidden_counts=dict(Counter(extracted.hidden_counts) + Counter(cleaned.hidden_counts)),
        language=extracted.metadata.language or detect_language(cleaned.text),
        word_count=cleaned.word_count,
        truncated=len(extracted.content) > _MAX_PAGE_CHARS,
        signals=cleaned.signals,
        comments=comments.text,
        comment_signals=comments.signals,
    )


def _is_document(body: bytes, response: PageResponse) -> bool:
    """Whether the body is a document, readable or not, and no web page."""
    kind = detect_document_kind(body, content_type=response.content_type, url=response.url)
    return kind not in PAGE_KINDS


def _read_text_body(body: bytes, response: PageResponse) -> PageReading:
    kind = detect_page_kind(body, response.media_type)
    if not kind.is_text:
        raise page_errors.build_unreadable_kind_error(response.url, kind.name)
    decoded = decode_body(body, content_type=response.content_type)
    if kind.name == "html":
        return read_html_page(response, decoded)
    extracted = _build_text_page(response, decoded, kind.name)
    return judge_extracted_page(extracted, response.url, min_bytes=1)


def read_html_page(response: PageResponse, decoded: DecodedText) -> PageReading:
    """The main content of a decoded HTML page; raises the errors of walls, and ContentEmpty."""
    markup = bound_markup(decoded.text)
    tree, limit_notes = LexborHTMLParser(markup.data), markup.notes
    del markup  # it is as large as the page
    about = read_page_metadata(tree, url=response.final_url)
    missing = find_missing_parts(tree, decoded.text, url=response.final_url, data=about.structured)
    tree = discourse_topics.show_crawler_view(tree)
    unseen = remove_hidden_text(tree)
    found = extract_from_tree(tree, url=response.final_url)
    topic = discourse_topics.find_discourse_topic(tree, url=response.final_url)
    if topic is not None:
        found = replace(found, markdown=topic.markdown, kind="forum", word_count=topic.word_count)
        missing = ()  # the topic says itself where it goes on
    look = _inspect_text(response, "")
    if found.word_count < bot_walls.MAX_WALL_WORDS:  # else nothing but the headers can be a wall
        look = _inspect_html(response, decoded.text, tree)
    if wall := bot_walls.find_page_wall(replace(look, extracted_words=found.word_count)):
        free_part = drop_subscription_offer(found.markdown)
        if wall.kind is not bot_walls.WallKind.PAYWALL or free_part is None:
            raise page_errors.build_page_wall_error(response.url, wall)
        found = replace(found, markdown=free_part)
        missing = tuple(dict.fromkeys((SUBSCRIPTION_NOTE, *missing)))
    elif SUBSCRIPTION_NOTE in missing:
        found = replace(found, markdown=drop_subscription_offer(found.markdown) or found.markdown)
    extracted = ExtractedPage(
        final_url=response.final_url,
        content=found.markdown,
        content_type="html",
        kind=found.kind,
        charset=decoded.charset,
        metadata=about,
        extracted_by="html",
        quality="partial" if found.is_partial or limit_notes or missing else "complete",
        notes=(
            *limit_notes,
            *missing,
            *unseen.notes,
            *found.notes,
            *(topic.notes if topic is not None else ()),
        ),
        hidden_counts=unseen.counts,
        etag=response.headers.get("etag"),
        last_modified=response.headers.get("last-modified"),
        comments=found.comments_markdown if topic is None else "",
    )
    if unseen.is_mostly_hidden:  # a script would have shown it, so the browser tier may read more
        return PageReading(extracted=finish_extracted_page(extracted), doubt="mostly hidden")
    return judge_extracted_page(extracted, response.url)


def _inspect_html(
    response: PageResponse, html: str, tree: LexborHTMLParser
) -> bot_walls.InspectedPage:
    """The page as the wall detectors need it. Removes scripts, styles and the head from the tree."""
    title = tree.css_first("title")
    name = " ".join(title.text().split()) if title is not None else ""
    for node in tree.css("script, style, noscript, template, svg, head"):
        node.decompose()
    text = tree.body.text(separator=" ") if tree.body is not None else ""
    return replace(_inspect_text(response, " ".join(text.split())), html=html, title=name)


def _inspect_text(response: PageResponse, text: str) -> bot_walls.InspectedPage:
    return bot_walls.InspectedPage(
        status=response.status,
        headers=response.headers,
        html=text,
        text=text,
        path=urlsplit(response.final_url).path,
        asked_path=urlsplit(response.url).path,
        redirected=response.redirected,
    )


def _build_text_page(response: PageResponse, decoded: DecodedText, kind: str) -> ExtractedPage:
    return ExtractedPage(
        final_url=response.final_url,
        content=decoded.text,
        content_type=kind,
        metadata=ExtractedMetadata(title=urlsplit(response.final_url).path.rpartition("/")[2]),
        charset=decoded.charset,
        extracted_by="html",
    )


# Reads a document that stands where a page was asked for, as a page.


def extract_document_page(
    body: bytes, response: PageResponse, limits: document_text.DocumentLimits
) -> ExtractedPage:
    """The document's text and metadata; raises the errors of documents, with the address in them."""
    check_document_size(body, response.url, limits)
    job = document_text.DocumentRequest(body, response.url, response.content_type, limits, None)
    try:
        found = _read_without_bugs(job)
    except (document_text.UnreadableDocument, document_text.TookTooMuch) as error:
        raise add_address_to_error(error, response.url) from None
    return _build_document_page(found, response, size=len(body))


def _read_without_bugs(job: document_text.DocumentRequest) -> document_text.DocumentText:
    try:
        return read_document_request(job)
    except (CitewellError, MemoryError, RecursionError):
        raise
    except Exception as error:
        kind = type(error).__name__
        message = f"The document is damaged or malformed: reading it failed ({kind})."
        raise document_text.Broken(message) from error


def _build_document_page(
    found: document_text.DocumentText, response: PageResponse, *, size: int
) -> ExtractedPage:
    about = ExtractedMetadata(
        title=found.title or "",
        author=found.author,
        language=found.language,
        published=found.published,
        published_basis="document" if found.published else None,
    )
    return ExtractedPage(
        final_url=response.final_url,
        content=found.markdown,
        content_type=found.kind,
        metadata=about,
        page_count=found.page_count,
        file_size=size,
        created=found.created,
        notes=found.notes,
        quality="partial" if found.is_partial else "complete",
    )
