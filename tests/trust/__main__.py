"""`python -m tests.trust [seen|unseen]`: runs one half of the evaluation and prints what went wrong."""

from __future__ import annotations

import asyncio
import sys

from tests.trust import evaluate, ground, item, score


def main() -> None:
    items = item.read(sys.argv[1] if sys.argv[1:] else "seen")
    with ground.standing() as internet:
        made = score.score(asyncio.run(evaluate.run(items, internet)))
    for row in made.sound.values():
        print(f"{row.kind:30} {row.count:4}  accused {row.accused}, confirmed {row.confirmed}")
    for unsound in made.rows.values():
        precision = made.precision(unsound.label)
        print(
            f"{unsound.kind:30} {unsound.count:4}  recall {unsound.recall:.2f}, precision "
            f"{'none' if precision is None else format(precision, '.2f')}, not confirmed {unsound.doubted}"
        )
    for one in made.wrong:
        said = ", ".join(sorted(one.said)) or "nothing"
        print(f"\n{one.item.id} ({one.item.kind}; {one.item.form}): told {said}")
        print(f"    {' '.join(one.item.citation.split())} {one.item.claim}".rstrip())


if __name__ == "__main__":
    main()
