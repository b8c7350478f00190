"""`python -m tests.trust.generate`: writes seen.jsonl and unseen.jsonl anew, the same ones every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.trust import existence, item, places, sound, unsound
from tests.trust.item import Item

SEEDS = {"first": 20261, "second": 94713, "third": 55109}
FILED = {"seen": ("first", "second"), "unseen": ("third",)}
MAKERS: tuple[Callable[[str, random.Random], Iterator[Item]], ...] = (
    sound.identifiers, sound.prose, sound.records, sound.untitled, sound.foreign, sound.bodies, sound.books,
    unsound.unregistered, unsound.invented, unsound.neighbours, unsound.misattributed, unsound.misdated, unsound.noticed,
    places.dead, places.soft, places.alive, places.claims, places.legal,
    existence.absent, existence.strangers, existence.postdated, existence.cut, existence.endings, existence.searched,
)  # fmt: skip


def items(side: str) -> Iterator[Item]:
    """What one file holds; each maker has luck of its own, so that none disturbs another."""
    for part in FILED[side]:
        for make in MAKERS:
            rng = random.Random(f"{SEEDS[part]}:{make.__name__}")
            for number, made in enumerate(make(part, rng), start=1):
                yield replace(made, id=f"{part}-{make.__name__}-{number:03d}")


def main() -> None:
    for side, path in item.FILES.items():
        item.write(path, items(side))


if __name__ == "__main__":
    main()
