"""A set of drafts as people and models write them, with what each of their citations means.

The expectations were written from the drafts, not from what is read of them. A name after `*` only has
to be a part of what was read; `uncited` are the statements without a citation, in order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewell.drafts.draft import Draft, iterate_printed_pieces, print_document_text
from citewell.drafts.draft_reading import DraftSource, read_draft_source
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
    for cited in draft.references:
        reference = cited.reference
        author = reference.authors[0] if reference.authors else None
        name = (author.family or author.name) if author else ""
        shown = f"{name} {reference.year}" if name else reference.url or reference.raw
        named[cited.id] = f"{shown}\0{reference.raw} {reference.url}"
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
        (citation.text, [*(named[key] for key in citation.reference_ids), *(f"missing {key}" for key in citation.missing)])
        for citation in draft.citations
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

    texts = [statement.text for statement in draft.statements]
    uncited = [
        statement.text
        for statement in draft.statements
        if not statement.citation_ids and not statement.shared_citation_ids
    ]
    assert expected.get("uncited", uncited) == uncited
    assert set(expected.get("statements", texts)) <= set(texts), texts
    assert expected.get("statements") != [] or not texts
    marks = {citation.id: citation.text for citation in draft.citations}
    shared = {
        statement.text: [marks[key] for key in statement.shared_citation_ids]
        for statement in draft.statements
    }
    for text, wanted in expected.get("shared", {}).items():
        assert shared.get(text) == wanted, texts


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_places_lead_back_to_the_text(path: Path) -> None:
    draft, expected = read_sample(path)

    lines = draft.text.split("\n")
    places = [part.place for part in draft.citations] + [part.place for part in draft.statements]
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


def read_document(text: str, draft_format: str = "docx") -> Draft:
    entry = "1\\. Doe, J. (2019). On rest. Nature, 1(2), 3–4."
    return read_draft_source(
        DraftSource(text=f"{text}\n\n## References\n\n{entry}\n", format=draft_format)
    )


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (r"Rest has \*five\* stars", "Rest has *five* stars"),
        (r"The C# tools use \<script>alert(1)\</script> tags", "The C# tools use <script>alert(1)</script> tags"),
        ("Rest helps **80** % and *un*—likely—***all*** adults", "Rest helps 80 % and un—likely—all adults"),
        ("Adults (**80**) slept *well*, often", "Adults (80) slept well, often"),
        (r"The path C:\\temp\\\*.txt has 3 files", r"The path C:\temp\*.txt has 3 files"),
        ("Rest ~~never~~ helps `a_b` in 7 cases", "Rest never helps a_b in 7 cases"),
        (r"AT\&amp;T wrote R\&amp;D in 1999", "AT&T wrote R&D in 1999"),
        ("Cells have 10^6 parts and f_score * 2 > 1", "Cells have 10^6 parts and f_score * 2 > 1"),
        ("Rest was worse (*p* < .05) in adults", "Rest was worse (p < .05) in adults"),
        ("Mail [the *chief* author](mailto:a@example.org) of 12 works", "Mail the chief author of 12 works"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("draft_format", ["docx", "odt", "pdf"])
def test_a_statement_of_a_document_is_what_its_reader_sees(
    written: str, seen: str, draft_format: str
) -> None:
    draft = read_document(f"{written} [1].", draft_format)

    assert [statement.text for statement in draft.statements] == [f"{seen}."]
    place = draft.statements[0].place
    assert draft.text[place.start : place.end].endswith("[1].")


def test_a_bar_in_a_cell_does_not_split_it() -> None:
    draft = read_document(
        "| Model | Layers \\| depth | Source |\n| --- | --- | --- |\n| ResNet_50 | 152 \\* | [1] |"
    )

    assert [statement.text for statement in draft.statements] == [
        "ResNet_50; Layers | depth: 152 *"
    ]
    assert draft.statements[0].place.line == 2


def test_citations_of_a_document_are_shown_as_they_are_printed() -> None:
    draft = read_document(
        "Rest was studied in 1999.[^1] Naps are on [a *long* page](https://example.org/naps) of 12 works.\n\n"
        "[^1]: Doe, J. (2011). On naps. Nature, 1(2), 3–4."
    )

    assert [citation.text for citation in draft.citations] == ["¹", "a long page"]


def test_the_last_entry_of_a_list_ends_before_the_notes_below_it() -> None:
    draft = read_draft_source(
        DraftSource(
            text="Rest was studied in 1999.[^1] Naps help 12 adults [1].\n\n## References\n\n"
            "1\\. Doe, J. (2019). On rest. Nature, 1(2), 3–4.\n\n"
            "[^1]: Roe, J. (2011). On naps. Nature, 1(2), 3–4.\n",
            format="docx",
        )
    )

    places = [reference.place for reference in draft.references if reference.place]
    assert [draft.text[place.start : place.end] for place in places] == [
        "1\\. Doe, J. (2019). On rest. Nature, 1(2), 3–4.",
        "Roe, J. (2011). On naps. Nature, 1(2), 3–4.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"\*\*\*", "***a*****b**", "`a", "``a`b``", "[^1][^x]", "[[1]](https://example.org) ](x)",
        "a\n> b", "10^6 x^(n+1) ^", "$x_{1}\\{$ and $5 or $6", "\\", "![a picture]()", "~~", "",
    ],
)  # fmt: skip
def test_the_pieces_of_a_text_are_all_of_it(text: str) -> None:
    pieces = list(iterate_printed_pieces(text, 0, len(text)))

    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(piece.end > piece.start for piece in pieces)


def test_neighbouring_styles_end_where_they_end() -> None:
    text = "*a***b*****c*** d **e** f^2"

    pieces = [piece for piece in iterate_printed_pieces(text, 0, len(text)) if not piece.is_mark]

    assert [(text[piece.start : piece.end], sorted(piece.styles)) for piece in pieces] == [
        ("a", ["em"]),
        ("b", ["strong"]),
        ("c", ["em", "strong"]),
        (" d ", []),
        ("e", ["strong"]),
        (" f", []),
        ("2", ["sup"]),
    ]
    assert print_document_text("[**Doe**](https://example.org)  \n*et al.*[^12]") == "Doe et al.¹²"
