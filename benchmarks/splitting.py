"""How many references of a damaged list come out exactly, for every kind of damage.

    python -m benchmarks.splitting ../shared/recorded

The works are those of a folder of recorded answers and others mixed of their parts, in our six styles,
twelve to a list. The mixed ones are others than those that the rules were written with.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from datetime import date
from pathlib import Path

from benchmarks.recorded_works import mix_recorded_works, read_recorded_works
from citewell.citations.bibliographies import format_style_entry
from citewell.citations.references.reference_splitting import split_reference_items
from tests.citations.list_damages import damage_list

STYLES = ("apa", "mla", "chicago", "harvard", "vancouver", "ieee")
MIXED_COUNT, LIST_SIZE, LISTS_PER_STYLE = 600, 12, 20
MIN_REFERENCE_CHARS = 30
SEED = 20_261_116
NOISE = re.compile(r"[\s-]+")


def bare(text: str) -> str:
    return NOISE.sub("", text).rstrip(".;")


def measure_splitting(folder: Path) -> dict[str, float]:
    """The share of exact references for each kind of damage."""
    mixed = mix_recorded_works(folder, registry=MIXED_COUNT, user=0, seed=SEED)
    works = [work for work in (*read_recorded_works(folder), *mixed) if work.title]
    rng = random.Random(SEED)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for style in STYLES:
        lines = [
            format_style_entry(work, style=style, accessed=date(2026, 11, 16)) for work in works
        ]
        lines = [" ".join(line.split()) for line in lines if len(line) > MIN_REFERENCE_CHARS]
        for _ in range(LISTS_PER_STYLE):
            texts = sorted(rng.sample(lines, LIST_SIZE), key=str.casefold)
            for kind, damaged in damage_list(texts).items():
                found = {bare(item.text) for item in split_reference_items("\n".join(damaged))}
                counts[kind][0] += sum(bare(text) in found for text in texts)
                counts[kind][1] += len(texts)
    return {kind: exact / total for kind, (exact, total) in counts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for kind, share in measure_splitting(parser.parse_args().folder).items():
        print(f"{share:.3f} {kind}")


if __name__ == "__main__":
    main()
