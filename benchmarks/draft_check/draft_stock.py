"""What the built texts of the evaluation have to cite: works, retracted works and statements about sources."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.draft_check.draft_gold import CitationKind, DraftSpecimen
from benchmarks.draft_check.draft_sources import SourceStatement, StatedSource, load_sources
from tests.internet.papers import Work
from tests.trust import shelf

_HALVED_PARTS = ("first", "second")


def split_works(part: str) -> list[Work]:
    """Journal articles that the texts of the first or the second part may cite."""
    return [work for work in _list_articles() if _find_part(work) == part]


def split_retracted(part: str) -> list[Work]:
    return [
        work
        for work in shelf.everything()
        if work.retracted and not work.doi.startswith("10.50505") and _find_part(work) == part
    ]


def list_uncited_works(texts: Iterable[DraftSpecimen]) -> list[Work]:
    """Journal articles that none of the texts cites, not even by a wrong DOI."""
    written = "\n".join(f"{text.body}\n{text.bibliography}".lower() for text in texts)
    sources = {one.source for text in texts for one in text.citations}
    return [
        work for work in _list_articles() if work.key not in sources and work.key not in written
    ]


def _list_articles() -> list[Work]:
    return [
        work
        for work in shelf.everything()
        if shelf.plain(work)
        and shelf.personal(work)
        and work.kind == "article-journal"
        and not re.search(r"\d{4}|[<>${}\\]", work.title)
        and 5 <= len(work.title.split()) <= 22
    ]


def _find_part(work: Work) -> str:
    return _HALVED_PARTS[zlib.crc32(b"draft" + work.key.encode()) % 2]


@dataclass(slots=True)
class DraftStock:
    """What one part has to cite; each statement and each work is used once while they last."""

    part: str
    rng: random.Random
    works: list[Work]
    retracted: list[Work]
    invented_titles: Mapping[str, str] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng.shuffle(self.works)
        self.rng.shuffle(self.retracted)

    def take_work(self) -> Work:
        self.works.append(self.works.pop(0))
        return self.works[-1]

    def take_work_with_neighbour(self) -> Work:
        """One whose journal has another article in the stock."""
        journals = [work.venue for work in self.works]
        place = next(at for at, name in enumerate(journals) if journals.count(name) > 1)
        self.works.append(self.works.pop(place))
        return self.works[-1]

    def take_invented(self) -> Work:
        """The one with an invented title that was not taken for longest."""
        place = next(at for at, work in enumerate(self.works) if work.key in self.invented_titles)
        self.works.append(self.works.pop(place))
        return self.works[-1]

    def take_retracted(self) -> Work:
        self.retracted.append(self.retracted.pop(0))
        return self.retracted[-1]

    def take_statement(
        self, kind: CitationKind, language: str, taken: set[str], *, is_page: bool = False
    ) -> tuple[StatedSource, SourceStatement] | None:
        """The one used least so far, of those that this text does not have yet."""
        found = [
            (self.used.get(row.text, 0), self.rng.random(), source, row)
            for source in load_sources()
            for row in source.statements
            if source.part == self.part
            and row.kind is kind
            and row.language == language
            and row.text not in taken
            and (source.url or not is_page)
        ]
        if not found:
            return None
        _, _, source, row = min(found, key=lambda one: one[:2])
        self.used[row.text] = self.used.get(row.text, 0) + 1
        taken.add(row.text)
        return source, row
