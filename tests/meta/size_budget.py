"""The committed limits of the tree's size, in `budget.json`, with the reason of every raise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

RAISE_COMMAND = 'python -m tests.meta.tree_figures --raise "why the tree has to grow"'


@dataclass(frozen=True, kw_only=True)
class SizeBudget:
    limits: Mapping[str, int]
    reasons: tuple[str, ...] = ()

    @classmethod
    def load_budget(cls, path: Path) -> Self:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return cls(limits=stored["limits"], reasons=tuple(stored["reasons"]))

    def save_budget(self, path: Path) -> None:
        stored = {"limits": dict(self.limits), "reasons": list(self.reasons)}
        path.write_text(json.dumps(stored, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def list_overruns(self, sizes: Mapping[str, int]) -> dict[str, str]:
        """What to say about each size that is above its limit; a size without a limit is not checked."""
        return {
            key: f"{key} is {sizes[key]:,} and its budget {limit:,}. Make it smaller, or raise the budget"
            f" in the same commit: {RAISE_COMMAND}"
            for key, limit in self.limits.items()
            if sizes[key] > limit
        }

    def lower_limits(self, sizes: Mapping[str, int]) -> SizeBudget:
        """The budget with the limits of smaller sizes lowered to them."""
        return replace(
            self, limits={key: min(limit, sizes[key]) for key, limit in self.limits.items()}
        )

    def raise_limits(
        self, sizes: Mapping[str, int], reason: str, *, worse_names: Iterable[str] = ()
    ) -> SizeBudget:
        """The budget with every limit at the present size; the reason is kept with what it raised."""
        raised = [
            f"{key} {limit:,} → {sizes[key]:,}"
            for key, limit in self.limits.items()
            if sizes[key] > limit
        ]
        raised.extend(f"{key} is worse" for key in worse_names)
        reasons = (f"{', '.join(raised)}: {reason}",) if raised else ()
        return SizeBudget(
            limits={key: sizes[key] for key in self.limits}, reasons=(*self.reasons, *reasons)
        )
