"""Drafts in documents are read as their readers see them, without the marks of our markdown."""

from __future__ import annotations

import pytest

from citewell.drafts.draft import Draft
from citewell.drafts.draft_reading import DraftSource, read_draft_source
from citewell.drafts.views.document_markup import iterate_printed_pieces, print_document_text


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

    assert [one.text for one in draft.statements] == [f"{seen}."]
    place = draft.statements[0].place
    assert draft.text[place.start : place.end].endswith("[1].")


def test_a_bar_in_a_cell_does_not_split_it() -> None:
    draft = read_document(
        "| Model | Layers \\| depth | Source |\n| --- | --- | --- |\n| ResNet_50 | 152 \\* | [1] |"
    )

    assert [one.text for one in draft.statements] == ["ResNet_50; Layers | depth: 152 *"]
    assert draft.statements[0].place.line == 2


def test_citations_of_a_document_are_shown_as_they_are_printed() -> None:
    draft = read_document(
        "Rest was studied in 1999.[^1] Naps are on [a *long* page](https://example.org/naps) of 12 works.\n\n"
        "[^1]: Doe, J. (2011). On naps. Nature, 1(2), 3–4."
    )

    assert [one.text for one in draft.citations] == ["¹", "a long page"]


def test_the_last_entry_of_a_list_ends_before_the_notes_below_it() -> None:
    draft = read_draft_source(
        DraftSource(
            text="Rest was studied in 1999.[^1] Naps help 12 adults [1].\n\n## References\n\n"
            "1\\. Doe, J. (2019). On rest. Nature, 1(2), 3–4.\n\n"
            "[^1]: Roe, J. (2011). On naps. Nature, 1(2), 3–4.\n",
            format="docx",
        )
    )

    places = [one.place for one in draft.references if one.place]
    assert [draft.text[one.start : one.end] for one in places] == [
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

    pieces = [one for one in iterate_printed_pieces(text, 0, len(text)) if not one.is_mark]

    assert [(text[one.start : one.end], sorted(one.styles)) for one in pieces] == [
        ("a", ["em"]),
        ("b", ["strong"]),
        ("c", ["em", "strong"]),
        (" d ", []),
        ("e", ["strong"]),
        (" f", []),
        ("2", ["sup"]),
    ]
    assert print_document_text("[**Doe**](https://example.org)  \n*et al.*[^12]") == "Doe et al.¹²"
