"""`python -m tests.trust.generate`: writes seen.jsonl and unseen.jsonl anew, the same ones every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.trust import item, places, sound, unsound
from tests.trust.item import Item

SEEDS = {"seen": 20261, "unseen": 94713}
MAKERS: tuple[Callable[[str, random.Random], Iterator[Item]], ...] = (
    sound.identifiers, sound.prose, sound.records, sound.untitled, sound.foreign, sound.bodies, sound.books,
    unsound.unregistered, unsound.invented, unsound.neighbours, unsound.misattributed, unsound.misdated, unsound.noticed,
    places.dead, places.soft, places.alive, places.claims, places.legal,
)  # fmt: skip


def items(side: str) -> Iterator[Item]:
    """One half of the evaluation; each maker has luck of its own, so that none disturbs another."""
    for make in MAKERS:
        rng = random.Random(f"{SEEDS[side]}:{make.__name__}")
        for number, made in enumerate(make(side, rng), start=1):
            yield replace(made, id=f"{make.__name__}-{number:03d}")


def main() -> None:
    for side, path in item.FILES.items():
        item.write(path, items(side))


if __name__ == "__main__":
    main()
