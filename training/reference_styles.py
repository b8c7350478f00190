"""Formats works in CSL styles by citeproc-js, with the variable that each piece of text comes from."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference_shapes import Parts

HERE = Path(__file__).parent
LABELS = {
    "author": "A", "composer": "A", "title": "T", "container-title": "J", "container-title-short": "J",
    "issued": "D", "volume": "V", "issue": "I", "page": "P", "page-first": "P", "publisher": "U",
    "DOI": "X", "URL": "X", "collection-number": "?",
}  # fmt: skip


def list_styles(folder: Path) -> list[Path]:
    """The styles that format by themselves and have a bibliography, in order of name."""
    found = []
    for path in sorted(folder.glob("*.csl")):
        text = path.read_text("utf-8")
        if 'rel="independent-parent"' not in text and "<bibliography" in text:
            found.append(path)
    return found


def format_items(
    jobs: list[tuple[Path, list[dict[str, Any]]]], *, citeproc: Path, locales: Path
) -> Iterator[tuple[str, dict[str, Any], Parts]]:
    """The name of the style, the item and the parts of its reference, where the style prints one."""
    lines = "\n".join(json.dumps({"style": str(style), "items": items}) for style, items in jobs)
    done = subprocess.run(
        ["node", str(HERE / "format_items.js"), str(citeproc), str(locales)],
        input=lines, capture_output=True, text=True, check=True,
    )  # fmt: skip
    results = iter(done.stdout.splitlines())
    for style, items in jobs:
        for item in items:
            parts = json.loads(next(results))
            if parts:
                yield style.stem, item, _label_variables(parts, item)


def _label_variables(parts: list[list[str]], item: dict[str, Any]) -> Parts:
    labelled: Parts = []
    for variables, text in parts:
        label = next((LABELS[name] for name in variables.split(",") if name in LABELS), "?")
        if not item.get("author") and _names_people(text, item.get("editor", [])):
            label = "A"  # editors in the place of authors
        elif label == "A" and not _names_people(text, item.get("author", [])):
            label = "?"
        labelled.append((label, text))
    return labelled


def _names_people(text: str, people: list[dict[str, str]]) -> bool:
    words = {
        word for who in people for word in (who.get("family") or who["literal"]).lower().split()
    }
    return any(word in text.lower() for word in words)


def pick_jobs(
    styles: list[Path], items: list[dict[str, Any]], per_style: int, rng: random.Random
) -> list[tuple[Path, list[dict[str, Any]]]]:
    jobs = []
    for style in styles:
        chosen = [
            dict(item, id=f"{number}") for number, item in enumerate(rng.sample(items, per_style))
        ]
        jobs.append((style, chosen))
    return jobs
