"""A set of drafts as people and models write them, with what each of their citations means.

The expectations were written from the drafts, not from what is read of them. A name after `*` only has
to be a part of what was read; `uncited` are the statements without a citation, in order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewell.drafts.draft import Draft
from tests.drafts.given_drafts import read_draft

FOLDER = Path(__file__).with_name("drafts")
DRAFTS = sorted(
    path for path in FOLDER.iterdir() if path.suffix in {".md", ".txt", ".tex", ".html"}
)


def read_sample(path: Path) -> tuple[Draft, dict[str, Any]]:
    bibliography = path.with_suffix(".bib")
    draft = read_draft(
        path.read_text(encoding="utf-8"),
        name=path.name,
        bibliography=bibliography.read_text(encoding="utf-8") if bibliography.exists() else "",
    )
    return draft, json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def name_references(draft: Draft) -> dict[str, str]:
    named: dict[str, str] = {}
    for one in draft.references:
        reference = one.reference
        author = reference.authors[0] if reference.authors else None
        name = (author.family or author.name) if author else ""
        shown = f"{name} {reference.year}" if name else reference.url or reference.raw
        named[one.id] = f"{shown}\0{reference.raw} {reference.url}"
    return named


def agrees(found: str, expected: str) -> bool:
    if expected.startswith("*"):
        return expected[1:] in found
    return found.partition("\0")[0] == expected


def show_all(found: list[tuple[str, list[str]]]) -> str:
    return "\n".join(
        f"{mark!r} -> {[name.partition(chr(0))[0] for name in names]}" for mark, names in found
    )


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_every_citation_means_what_its_author_meant(path: Path) -> None:
    draft, expected = read_sample(path)

    named = name_references(draft)
    found = [
        (one.text, [*(named[key] for key in one.reference_ids), *(f"missing {key}" for key in one.missing)])
        for one in draft.citations
    ]  # fmt: skip
    wanted = expected["citations"]
    assert len(found) == len(wanted), show_all(found)
    for (mark, names), (wanted_mark, wanted_names) in zip(found, wanted, strict=True):
        assert agrees(mark, wanted_mark), show_all(found)
        assert len(names) == len(wanted_names), show_all(found)
        assert all(map(agrees, names, wanted_names)), show_all(found)


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_statements_are_those_that_a_reader_would_name(path: Path) -> None:
    draft, expected = read_sample(path)

    texts = [one.text for one in draft.statements]
    uncited = [
        one.text for one in draft.statements if not one.citation_ids and not one.shared_citation_ids
    ]
    assert expected.get("uncited", uncited) == uncited
    assert set(expected.get("statements", texts)) <= set(texts), texts
    assert expected.get("statements") != [] or not texts
    marks = {one.id: one.text for one in draft.citations}
    shared = {one.text: [marks[key] for key in one.shared_citation_ids] for one in draft.statements}
    for text, wanted in expected.get("shared", {}).items():
        assert shared.get(text) == wanted, texts


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_places_lead_back_to_the_text(path: Path) -> None:
    draft, expected = read_sample(path)

    lines = draft.text.split("\n")
    places = [one.place for one in draft.citations] + [one.place for one in draft.statements]
    for place in places:
        assert lines[place.line - 1][place.column - 1 :].startswith(
            draft.text[place.start : place.end].partition("\n")[0]
        )
    for citation in draft.citations:
        assert citation.text == " ".join(
            draft.text[citation.place.start : citation.place.end].split()
        )
    if "uncited_references" in expected:
        named = name_references(draft)
        assert [named[key].partition("\0")[0] for key in draft.uncited_reference_ids] == expected[
            "uncited_references"
        ]
