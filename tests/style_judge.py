"""What citeproc-js is given of a work, and where our styles differ from its answer on purpose.

`docs/citations.md` lists the same differences for readers.
"""

from __future__ import annotations

import re
from datetime import date

from citewell.citations.citable_works import CitableWork
from citewell.citations.styles.style_parts import format_long_day, format_short_day, typeset_work

# The official CSL style that each of ours is held against, and its locale.
OFFICIAL_STYLES = {
    "apa": ("apa", "en-US"),
    "mla": ("modern-language-association", "en-US"),
    "chicago": ("chicago-author-date", "en-US"),
    "harvard": ("harvard-cite-them-right", "en-GB"),
    "vancouver": ("nlm-citation-sequence", "en-US"),
    "ieee": ("ieee", "en-US"),
}
READ_ON = date(2026, 3, 14)
_NUMBER_PATTERN = re.compile(r"^(?:\d+\.|\[\d+\])\s*")
_LETTER_HYPHEN_PATTERN = re.compile(r" ([a-z])-")
_PLAIN_SPACES = {0xA0: " ", 0x202F: " "}  # before a colon or question mark, as in French
_QUOTES_PATTERN = re.compile("[“”\"‘’'„«»]")
_DASHES_PATTERN = re.compile("[‐‑–—−-]+")


def accept_differences(style: str, work: CitableWork, official: str) -> str:
    """The official line with what we write differently on purpose."""
    text = _NUMBER_PATTERN.sub("", official.strip()).translate(_PLAIN_SPACES)
    if work.is_web_page:
        text = _accept_page_differences(style, work, text)
    elif style == "apa":  # "Retrieved" without a day says nothing
        text = text.replace(f"Retrieved {work.url}", work.url)
    if style in {"mla", "chicago"}:  # t-SNE and n-person keep their small letters
        for letter in _LETTER_HYPHEN_PATTERN.findall(work.title):
            text = text.replace(f" {letter.upper()}-", f" {letter}-")
    if style == "chicago" and work.kind == "software":  # a release without its day
        text = text.replace(", released.", ".").replace(" Released.", "")
    if style == "vancouver" and not work.site:  # in nothing
        text = text.replace(" In. ", " ")
    if style == "ieee" and work.kind == "standard" and work.place:  # two marks after a place
        text = text.replace(f"{work.place}.,", f"{work.place},")
    return text


def _accept_page_differences(style: str, work: CitableWork, text: str) -> str:
    """Pages carry the day they were read, and a site that is its own author is named once."""
    if len(work.authors) == 1 and work.authors[0].name == work.site:
        text = text.replace(f"{work.site}, ", "", 1) if style == "mla" else text
        text = text.replace(f"{work.site}. http", "http", 1) if style == "apa" else text
        text = text.replace(f"” {work.site}, ", "” ", 1) if style == "chicago" else text
    if style == "apa" and "Retrieved" not in text:
        text = text.replace(work.url, f"Retrieved {format_long_day(READ_ON)}, from {work.url}")
    if style == "mla" and "Accessed" not in text:
        text += f" Accessed {format_short_day(READ_ON)}."
    return text


def is_equal_entry(work: CitableWork, ours: str, official: str) -> bool:
    """Whether the lines are the same; of a title that is not known to be English, but for capitals."""
    if typeset_work(work).language:
        return ours == official
    return ours.casefold() == official.casefold()


def level_marks(text: str) -> str:
    """The text without a view on capitals, quotation marks and dashes."""
    bare = _DASHES_PATTERN.sub("-", _QUOTES_PATTERN.sub("", text.casefold()))
    return " ".join(bare.split())
