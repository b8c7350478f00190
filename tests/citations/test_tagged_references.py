"""RIS as databases export it."""

from __future__ import annotations

import pytest

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_fields import Reference


def one(*lines: str) -> Reference:
    found = parse_bibliography("\n".join(("TY  - JOUR", *lines, "ER  - ")), format="ris")
    assert not found.malformed
    (reference,) = found.references
    return reference


def test_every_part_of_an_article_is_read() -> None:
    found = one(
        "AU  - van der Berg, Jan, Jr.", "AU  - World Health Organization", "TI  - A title",
        "  that goes on", "JO  - J. Things", "JF  - Journal of Things", "PY  - 2019/05/12/",
        "VL  - 12", "IS  - 3", "SP  - 100", "EP  - 110", "DO  - https://doi.org/10.1000/ABC.",
        "UR  - https://a.example/x; https://b.example/y", "PB  - Press", "ID  - ref1",
    )  # fmt: skip

    assert (found.title, found.venue, found.kind) == (
        "A title that goes on",
        "Journal of Things",
        "article-journal",
    )
    assert [(who.given, who.family, who.suffix) for who in found.authors[:1]] == [
        ("Jan", "van der Berg", "Jr.")
    ]
    assert found.authors[1].organisation
    assert (found.published, found.year) == ("2019-05-12", 2019)
    assert (found.volume, found.issue, found.pages) == ("12", "3", "100-110")
    assert (found.doi, found.url, found.publisher) == (
        "10.1000/abc",
        "https://a.example/x",
        "Press",
    )
    assert (found.key, found.line) == ("ref1", 1)


@pytest.mark.parametrize(
    ("tag", "authors"), [("AU", 2), ("A1", 2), ("A2", 2)]
)  # fmt: skip
def test_a_tag_may_stand_more_than_once(tag: str, authors: int) -> None:
    assert len(one(f"{tag}  - Doe, J.", f"{tag}  - Roe, R.").authors) == authors


@pytest.mark.parametrize(
    ("tag", "value", "published"),
    [
        ("PY", "2019", "2019"), ("PY", "2019///", "2019"), ("Y1", "2019/05//", "2019-05"),
        ("DA", "2019/05/12", "2019-05-12"), ("PY", "May 2019", "2019-05"), ("PY", "n.d.", ""),
    ],
)  # fmt: skip
def test_dates_are_as_exact_as_written(tag: str, value: str, published: str) -> None:
    assert one(f"{tag}  - {value}").published == published


def test_an_isbn_is_told_from_an_issn() -> None:
    assert [str(each) for each in one("SN  - 978-0-306-40615-7").ids] == ["isbn:9780306406157"]
    assert one("SN  - 1234-5678").ids == ()


def test_latin_1_is_read() -> None:
    document = "TY  - BOOK\r\nAU  - Müller, Jürgen\r\nTI  - Über Größe – “alles”\r\nER  - \r\n"

    for encoding in ("cp1252", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"):
        (found,) = parse_bibliography(document.encode(encoding)).references
        assert (found.authors[0].family, found.title) == ("Müller", "Über Größe – “alles”")
    (found,) = parse_bibliography("TY  - BOOK\nTI  - Über\nER  - \n".encode("latin-1")).references
    assert found.title == "Über"


def test_one_space_or_none_about_the_hyphen_is_no_fault() -> None:
    found = parse_bibliography(
        "TY - JOUR\nTI - A title\nER -\n\n  TY  - BOOK\n  TI  - Other\n  ER  -\n", format="ris"
    )

    assert [each.title for each in found.references] == ["A title", "Other"]
    assert not found.malformed


def test_damage_is_listed_by_line_and_nothing_readable_is_lost() -> None:
    document = (
        "exported by something\n"
        "TY  - JOUR\nTI  - No end\n\n"
        "TY  - BOOK\nTI  - Whole\nER  - \n"
        "stray words\nand more\n"
        "TI  - No type\nER  - \n"
        "ER  - \n"
        "TY  - JOUR\nER  - \n"
    )

    found = parse_bibliography(document)

    assert [each.title for each in found.references] == ["No end", "Whole", "No type", ""]
    assert [each.line for each in found.malformed] == [1, 2, 8, 10, 12]
