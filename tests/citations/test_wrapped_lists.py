from __future__ import annotations

import pytest

from citewell.citations.references import parse_bibliography
from tests.citations.test_prose import STYLES, WRITTEN


@pytest.mark.parametrize("style", STYLES)
def test_a_whole_list_is_split_where_references_end(style: str) -> None:
    texts = [entry["text"] for entry in WRITTEN if entry["style"] == style][:20]

    for between in ("\n", "\n\n"):
        found = parse_bibliography("References\n" + between.join(texts), format="prose").references
        assert [reference.raw for reference in found] == texts


def wrapped(text: str, width: int, indent: str) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            lines.append(line)
            line = indent
        line = f"{line} {word}" if line.strip() else f"{line}{word}"
    return "\n".join([*lines, line])


@pytest.mark.parametrize("mark", ["[{}] ", "{}. ", "({}) ", "{}) "])
def test_a_numbered_list_may_be_wrapped_anywhere(mark: str) -> None:
    texts = [entry["text"] for entry in WRITTEN if entry["style"] == "ieee"][:15]
    document = "\n".join(
        wrapped(mark.format(number) + text, 60, "") for number, text in enumerate(texts, start=1)
    )

    found = parse_bibliography(document, format="prose").references

    assert [reference.raw for reference in found] == texts
    assert [reference.key for reference in found] == [str(number) for number in range(1, 16)]


def test_hanging_indents_part_references() -> None:
    texts = [entry["text"] for entry in WRITTEN if entry["style"] == "mla"][:15]

    found = parse_bibliography(
        "\n".join(wrapped(text, 70, "    ") for text in texts), format="prose"
    ).references

    assert [reference.raw for reference in found] == texts


def test_lines_copied_from_a_pdf_are_put_together() -> None:
    document = (
        "LeCun, Y., Bengio, Y., & Hinton, G. (2015). Deep learn-\n"
        "ing. Nature, 521(7553), 436–444. https://doi.org/10.1038/\n"
        "nature14539\n"
        "Kahneman, D., & Tversky, A. (1979). Prospect theory: An analysis of decision\n"
        "under risk. Econometrica, 47(2), 263–291. https://doi.org/10.2307/1914185\n"
    )

    first, second = parse_bibliography(document, format="prose").references

    assert (first.title, first.doi) == ("Deep learning", "10.1038/nature14539")
    assert (first.line, second.line) == (1, 4)
    assert second.title == "Prospect theory: An analysis of decision under risk"
