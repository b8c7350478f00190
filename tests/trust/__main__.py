"""`python -m tests.trust [seen|unseen]`: runs one half of the evaluation and writes what went wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

from tests.trust import evaluate, ground, item, score
from tests.trust.score import Score


def main() -> None:
    items = item.read(sys.argv[1] if sys.argv[1:] else "seen")
    with ground.standing() as internet:
        made = score.score(asyncio.run(evaluate.run(items, internet)))
    sys.stdout.writelines(f"{line}\n" for line in _lines(made))


def _lines(made: Score) -> Iterator[str]:
    for row in made.sound.values():
        yield f"{row.kind:30} {row.count:4}  accused {row.accused}, confirmed {row.confirmed}"
    for unsound in made.rows.values():
        precision = made.precision(unsound.label)
        shown = "none" if precision is None else f"{precision:.2f}"
        yield (
            f"{unsound.kind:30} {unsound.count:4}  recall {unsound.recall:.2f}, precision {shown},"
            f" not confirmed {unsound.doubted}"
        )
    for attempt in made.wrong:
        labels = ", ".join(sorted(attempt.said)) or "nothing"
        yield f"\n{attempt.item.id} ({attempt.item.kind}; {attempt.item.form}): told {labels}"
        yield f"    {' '.join(attempt.item.citation.split())} {attempt.item.claim}".rstrip()


if __name__ == "__main__":
    main()
