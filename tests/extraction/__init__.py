"""Whole pages that we wrote, each with the text that a reader came for.

`<name>.html` is the page, with menus, banners and lists of other pages as the web has them;
`<name>.txt` is its main content. The large public sets are for benchmarks; these hold the rule here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
_WORD_PATTERN = re.compile(r"[\u3400-\u9fff]|\w+")
_LINK_TARGET_PATTERN = re.compile(r"\]\([^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPage:
    name: str
    html: str
    text: str

    def measure_agreement(self, markdown: str) -> float:
        """F1 of the words of `markdown` against those of the main content, from 0 to 1."""
        found = _count_words(_LINK_TARGET_PATTERN.sub("]", markdown))
        wanted = _count_words(self.text)
        return 2 * (found & wanted).total() / (found.total() + wanted.total())

    def __str__(self) -> str:
        return self.name


def load_gold_pages() -> list[GoldPage]:
    """Every page of this folder, by name."""
    return [
        GoldPage(
            name=path.stem,
            html=path.read_text(encoding="utf-8"),
            text=path.with_suffix(".txt").read_text(encoding="utf-8"),
        )
        for path in sorted(FOLDER.glob("*.html"))
    ]


def _count_words(text: str) -> Counter[str]:
    return Counter(_WORD_PATTERN.findall(text.lower()))
