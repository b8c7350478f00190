"""One extractor alone in its process: pages in, their texts, its processor time and its peak out.

Started by reading.py with the interpreter that has the extractor; imports nothing but that.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citewell.reading.page_charset import decode_body


def citewell() -> Callable[[bytes, str], str]:
    from citewell.reading.html.main_content import extract_markdown
    from citewell.reading.page_charset import decode_body

    return lambda body, url: extract_markdown(decode_body(body).text, url)


def whole() -> Callable[[bytes, str], str]:
    """All that a page's reader does: also metadata, hidden text, walls, language, words and signals."""
    from citewell.core.errors import CitewellError
    from citewell.reading.extracted_page import PageResponse
    from citewell.reading.page_reading import read_page

    def read(body: bytes, url: str) -> str:
        response = PageResponse(url=url, final_url=url, headers={"content-type": "text/html"})
        try:
            return read_page(body, response).extracted.content
        except CitewellError:  # a wall
            return ""

    return read


def stages() -> Callable[[bytes, str], str]:
    """The same, with the processor time of each stage."""
    from citewell.reading import bot_walls, extracted_page, page_reading
    from citewell.reading.html import main_content
    from citewell.text.language import word_forms

    for module, name, label in (
        (page_reading, "decode_body", "decode"),
        (page_reading, "bound_markup", "limits of the markup"),
        (page_reading, "LexborHTMLParser", "parse"),
        (page_reading, "read_page_metadata", "metadata"),
        (page_reading, "remove_hidden_text", "hidden text"),
        (page_reading, "extract_from_tree", "main content, with markdown"),
        (main_content, "render_markdown", "of it markdown"),
        (page_reading, "_inspect_html", "walls, visible text"),
        (bot_walls, "find_page_wall", "walls, signs"),
        (extracted_page, "strip_invisible_characters", "invisible characters"),
        (page_reading, "detect_language", "language"),
        (word_forms, "count_words", "words"),
        (extracted_page, "find_injection_signals", "signals of injection"),
    ):
        setattr(module, name, _timed(getattr(module, name), label))
    return whole()


def _timed(function: Callable[..., Any], label: str) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        begun = time.process_time()
        try:
            return function(*arguments, **named)
        finally:
            STAGES[label] = STAGES.get(label, 0.0) + time.process_time() - begun

    return run


def earlier() -> Callable[[bytes, str], str]:
    """The same work in the tree before pages were read in worker processes, in the same order."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.hidden_text import remove_hidden_text
    from citewell.reading.html.main_content import extract_from_tree
    from citewell.reading.html.markup_limits import limit_markup
    from citewell.reading.metadata.page_metadata import read_page_metadata
    from citewell.text.language import word_forms
    from citewell.text.language.detection import detect_language
    from citewell.text.safety.injection_signals import find_injection_signals
    from citewell.text.safety.text_cleaning import extract_visible_text

    def read(body: bytes, url: str) -> str:
        tree = LexborHTMLParser(limit_markup(decode_body(body).text))
        about = read_page_metadata(tree, url=url)
        remove_hidden_text(tree)
        text = extract_visible_text(extract_from_tree(tree, url=url).markdown)
        _ = about.language or detect_language(text)
        sum(1 for _ in word_forms.split_words(text))
        find_injection_signals(text)
        return text

    return read


def trafilatura() -> Callable[[bytes, str], str]:
    from trafilatura import extract

    return lambda body, url: extract(body, url=url, include_links=False) or ""


def trafilatura_whole() -> Callable[[bytes, str], str]:
    """What comes nearest to a whole reading: markdown with links, and metadata."""
    from trafilatura import extract

    def read(body: bytes, url: str) -> str:
        options = {"output_format": "markdown", "include_links": True, "with_metadata": True}
        return extract(body, url=url, **options) or ""

    return read


EXTRACTORS = {
    "citewell": citewell,
    "whole": whole,
    "stages": stages,
    "earlier": earlier,
    "trafilatura": trafilatura,
    "trafilatura_whole": trafilatura_whole,
}
STAGES: dict[str, float] = {}


def peak() -> float:
    """Most megabytes ever resident; getrusage would count the parent before the exec."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    name, pages, answers = sys.argv[1:]
    extract = EXTRACTORS[name]()
    spent, texts = 0.0, {}
    with Path(pages).open() as lines:
        for number, line in enumerate(lines):
            page = json.loads(line)
            body = base64.b64decode(page["body"])
            if number == 0:
                extract(body, page["url"])  # what is loaded once
                STAGES.clear()
            begun = time.process_time()
            texts[page["id"]] = extract(body, page["url"])
            spent += time.process_time() - begun
    found = {"cpu": spent, "peak": peak(), "texts": texts, "stages": STAGES}
    Path(answers).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
