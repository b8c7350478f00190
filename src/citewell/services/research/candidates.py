"""The sentences of all pages that may be quoted, with their places, headings and what they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.services.research.material import Reading
from citewell.text import injection, sentences, worth
from citewell.text.bags import Bag, bag

MOST_OF_A_PAGE = 150
_LOOKED_AT = 200_000  # characters of a page
_HEADING = re.compile(r"#{1,6}\s+(.{2,200})")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_NOTES = re.compile(r"(?:\[(?:\d{1,3}|[a-z]|note \d+|citation needed)\])+\Z")
_CITED = re.compile(r"\[\^?src_", re.IGNORECASE)  # what would pass for a citation of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    page: int
    start: int  # in the page's text
    end: int
    bag: Bag
    heading: str = ""
    place: int = 0  # among the page's sentences
    before: tuple[int, int] | None = None  # the sentence it points back to

    @property
    def text(self) -> str:
        return self.bag.text


def candidates(pages: Sequence[Reading], *, among: Sequence[int]) -> tuple[Candidate, ...]:
    """What is worth quoting on the pages named by `among`, in the order of pages and of text."""
    return tuple(one for page in among for one in _of(page, pages[page]))


def _of(number: int, page: Reading) -> Iterator[Candidate]:
    text = page.text[:_LOOKED_AT]
    commands = {signal.sentence for signal in injection.signals(text)}
    heading, kept, seen = "", 0, set[str]()
    before: tuple[int, int] | None = None
    for place, (start, end) in enumerate(_prose(text)):
        sentence = text[start:end]
        if match := _HEADING.match(sentence):
            heading, before = match[1], None
            continue
        begin, stop = start + worth.lead(sentence), _unnoted(sentence, start)
        said = text[begin:stop]
        fit = _quotable(said, page.language, commands)
        alone = before is None and worth.points(said)
        if kept < MOST_OF_A_PAGE and said not in seen and fit and not alone:
            kept += 1
            seen.add(said)
            yield Candidate(
                page=number,
                start=begin,
                end=stop,
                bag=bag(said, language=page.language),
                heading=heading,
                place=place,
                before=before if worth.leans(said) else None,
            )
        before = (begin, stop) if fit else None


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """The sentences outside code blocks."""
    fences = [match.start() for match in _FENCE.finditer(text)]
    blocks = list(zip(fences[::2], fences[1::2], strict=False))
    at = 0
    for start, end in sentences.spans(text):
        while at < len(blocks) and blocks[at][1] < start:
            at += 1
        if at == len(blocks) or end <= blocks[at][0]:
            yield start, end


def _unnoted(sentence: str, start: int) -> int:
    """Where the sentence ends without the numbers of its footnotes."""
    match = _NOTES.search(sentence)
    return start + (match.start() if match else len(sentence))


def _quotable(said: str, language: str | None, commands: set[str]) -> bool:
    if not said or worth.fault(said, language=language) is not None or _CITED.search(said):
        return False
    return not any(said in command or command in said for command in commands)
