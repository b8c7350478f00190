"""The bar for research: BM25 over passages of about 500 characters, the top three as the answer."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.answer_scoring import GivenAnswer

PASSAGE_CHARS = 500
PASSAGES_SHOWN = 3
_SATURATION, _LENGTH_SHARE = 1.2, 0.75
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "es", "ed", "er", "ly", "s")
_STOPWORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the of to in on for and or is are was were be been do does did i my me it its what how when"
        " who which why where should would could can will much many by with at as that this these those"
        " from you your one not there they into about than then has have had if so",
    )
)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*`>#\\]+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(r"[a-z0-9à-öø-ÿ]+")
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A page by its name, with the text that the product reads on it."""

    name: str
    title: str
    markdown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePassage:
    page: str
    title: str
    text: str


def cut_passages(source: SourceText) -> Iterator[PagePassage]:
    """Blocks of the page put together until they hold enough characters, marks taken off."""
    held = ""
    for part in _list_parts(source.markdown):
        held = f"{held} {' '.join(part.split())}".strip()
        if len(held) >= PASSAGE_CHARS:
            yield PagePassage(page=source.name, title=source.title, text=held)
            held = ""
    if held:
        yield PagePassage(page=source.name, title=source.title, text=held)


class PassageIndex:
    """Ranks passages by BM25; the title counts as part of each of them."""

    def __init__(self, sources: Iterable[SourceText]) -> None:
        self._passages = [passage for source in sources for passage in cut_passages(source)]
        bags = [split_stems(f"{one.title} {one.text}") for one in self._passages]
        self._lengths = [len(bag) for bag in bags]
        self._average = sum(self._lengths) / max(1, len(bags))
        self._places: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for place, bag in enumerate(bags):
            for stem, often in Counter(bag).items():
                self._places[stem][place] = often

    def answer_question(self, question: str) -> GivenAnswer:
        """The best passages as the items of an Answer, each with its page."""
        found = [self._passages[place] for place in self._rank_passages(question)[:PASSAGES_SHOWN]]
        items = [f"- {one.text} [src_{number}]" for number, one in enumerate(found, start=1)]
        return GivenAnswer(
            report="## Answer\n\n" + "\n".join(items),
            pages={f"src_{number}": one.page for number, one in enumerate(found, start=1)},
        )

    def _rank_passages(self, question: str) -> list[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        for stem in dict.fromkeys(split_stems(question)):
            places = self._places.get(stem, {})
            rarity = (len(self._passages) - len(places) + 0.5) / (len(places) + 0.5)
            for place, often in places.items():
                length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * self._lengths[place] / self._average
                frequency = often * (_SATURATION + 1) / (often + _SATURATION * length)
                scores[place] += math.log(1 + rarity) * frequency
        return sorted(scores, key=lambda place: (-scores[place], place))


def split_stems(text: str) -> list[str]:
    """Words without their usual endings and without stop words; Chinese and Japanese as pairs."""
    low = text.lower()
    pairs = [
        run[at : at + 2] for run in _CJK_RUN.findall(low) for at in range(max(1, len(run) - 1))
    ]
    return [_strip_ending(word) for word in _WORD.findall(low) if word not in _STOPWORDS] + pairs


def _strip_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _list_parts(markdown: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", markdown):
        clean = _MARKS.sub("", _LINK.sub(r"\1", _PICTURE.sub("", block)))
        if len(block) > 2 * PASSAGE_CHARS:
            yield from re.split(r"(?<=[.!?])\s+", clean)
        else:
            yield clean
