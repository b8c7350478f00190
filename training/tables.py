"""Learn how often each class word and each text word goes with main content, site by site."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citewell.reading.html.block_features import sample_block_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pages import Sample

_PRIOR_SITES = 3.0
_MAX_SHORT_WORDS = 14


@dataclass(kw_only=True)
class Evidence:
    """Per token: the sum over pages of (content share, 1), and the same per site."""

    total: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))
    sites: dict[str, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    )

    def add(self, site: str, token: str, share: float) -> None:
        for cell in (self.total[token], self.sites[site][token]):
            cell[0] += share
            cell[1] += 1.0

    def list_odds(self, least: float) -> dict[str, float]:
        """Log odds for tokens seen on enough pages."""
        base = self._base
        return {
            token: score
            for token, (share, count) in self.total.items()
            if count >= least and abs(score := _log_odds(share, count, base)) > 0.05
        }

    def leave_site_out(self, site: str, least: float, odds: dict[str, float]) -> dict[str, float]:
        """The same table as if this site had never been seen."""
        base = self._base
        changed = dict(odds)
        for token, (share, count) in self.sites.get(site, {}).items():
            whole = self.total[token]
            left = whole[1] - count
            changed.pop(token, None)
            if left >= least:
                score = _log_odds(whole[0] - share, left, base)
                if abs(score) > 0.05:
                    changed[token] = score
        return changed

    @functools.cached_property
    def _base(self) -> float:
        share = sum(cell[0] for cell in self.total.values())
        count = sum(cell[1] for cell in self.total.values())
        return share / count if count else 0.5


def _log_odds(share: float, count: float, base: float) -> float:
    p = (share + _PRIOR_SITES * base) / (count + _PRIOR_SITES)
    p = min(max(p, 0.001), 0.999)
    return round(math.log(p / (1 - p)) - math.log(base / (1 - base)), 2)


def gather_evidence(samples: Iterable[Sample]) -> tuple[Evidence, Evidence]:
    """Evidence for class words and for the words of short blocks."""
    names, words = Evidence(), Evidence()
    for sample in samples:
        page = sample.page
        held: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        said: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for block, label, size in zip(page.blocks, sample.labels, sample.sizes, strict=True):
            box = block.box
            tokens: dict[str, None] = {}
            while box.parent is not None:
                tokens.update(dict.fromkeys(box.tokens))
                box = box.parent
            for token in tokens:
                held[token][0] += label * size
                held[token][1] += size
            if block.words <= _MAX_SHORT_WORDS:
                for word in dict.fromkeys(sample_block_words(block.text)):
                    said[word][0] += label
                    said[word][1] += 1
        for evidence, cells in ((names, held), (words, said)):
            for token, (share, total) in cells.items():
                if total:
                    evidence.add(sample.site, token, share / total)
    return names, words
