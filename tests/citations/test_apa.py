"""Sources written out in three styles."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations.author_names import AuthorName
from citewell.citations.bibliographies import build_citation_key, format_bibtex_entry
from citewell.citations.citable_works import CitableWork, parse_author_line
from citewell.citations.styles.apa import format_apa_entry
from citewell.citations.styles.mla import format_mla_entry
from tests.requirements import requires

TODAY = date(2026, 3, 14)
PAGE = CitableWork(
    url="https://example.org/a",
    title="A Study of Boats",
    authors=(AuthorName(name="Ada Example"),),
    site="Example Review",
    published="2024-09-05T10:00:00+00:00",
)


def by(*names: str, **changes: str) -> CitableWork:
    given: dict[str, Any] = {
        "url": PAGE.url,
        "title": PAGE.title,
        "site": PAGE.site,
        "published": PAGE.published,
    }
    return CitableWork(
        authors=tuple(AuthorName(name=name) for name in names), **{**given, **changes}
    )


def test_apa_has_author_day_title_site_and_retrieval() -> None:
    assert format_apa_entry(PAGE, accessed=TODAY) == (
        "Example, A. (2024, September 5). A Study of Boats. Example Review. "
        "Retrieved March 14, 2026, from https://example.org/a"
    )


@requires("defect.mla_days")
def test_mla_writes_days_its_own_way() -> None:
    assert format_mla_entry(PAGE, accessed=TODAY) == (
        "Example, Ada. “A Study of Boats.” Example Review, 5 Sept. 2024, https://example.org/a. "
        "Accessed 14 Mar. 2026."
    )


def test_bibtex_is_misc_for_a_page_and_article_with_a_doi() -> None:
    assert format_bibtex_entry(PAGE, accessed=TODAY) == (
        "@misc{example2024study,\n"
        "  author = {Example, Ada},\n"
        "  title = {{A Study of Boats}},\n"
        "  howpublished = {Example Review},\n"
        "  year = {2024},\n"
        "  month = {09},\n"
        "  url = {https://example.org/a},\n"
        "  urldate = {2026-03-14}\n"
        "}"
    )
    assert format_bibtex_entry(by("Ada Example", doi="10.1000/x")).startswith("@article{")


@pytest.mark.parametrize(
    ("names", "in_apa", "in_mla"),
    [
        (("Ada B. Example",), "Example, A. B.", "Example, Ada B."),
        (("Example, Ada",), "Example, A.", "Example, Ada"),
        (("Ada Example", "Ben Sample"), "Example, A., & Sample, B.", "Example, Ada, and Ben Sample"),
        (("Ada Example", "Ben Sample", "Cy Third"), "Example, A., Sample, B., & Third, C.", "Example, Ada, et al."),
        (("Ludwig van der Example",), "van der Example, L.", "van der Example, Ludwig"),
        (("Ana de los Example",), "de los Example, A.", "de los Example, Ana"),
        (("Jean-Paul Example",), "Example, J.-P.", "Example, Jean-Paul"),
        (("Dr. Ada Example, PhD",), "Example, A.", "Example, Ada"),
        (("Ada Example MD",), "Example, A.", "Example, Ada"),
        (("Ada Ma",), "Ma, A.", "Ma, Ada"),
        (("World Example Organization",), "World Example Organization", "World Example Organization"),
        (("山田太郎",), "山田太郎", "山田太郎"),
        (("Example",), "Example", "Example"),
    ],
)  # fmt: skip
def test_names_are_turned_as_each_style_wants(
    names: tuple[str, ...], in_apa: str, in_mla: str
) -> None:
    assert format_apa_entry(by(*names), accessed=TODAY).startswith(
        f"{in_apa} (2024" if in_apa.endswith(".") else f"{in_apa}. (2024"
    )
    assert format_mla_entry(by(*names), accessed=TODAY).startswith(
        f"{in_mla} “" if in_mla.endswith(".") else f"{in_mla}. “"
    )


def test_an_organisation_that_the_page_marks_as_such_is_not_taken_apart() -> None:
    work = CitableWork(
        url="https://example.org",
        title="T",
        authors=(AuthorName(name="Blue Harbour", organisation=True),),
    )

    assert format_apa_entry(work, accessed=TODAY).startswith("Blue Harbour. (n.d.). T.")


@pytest.mark.parametrize(
    ("published", "in_apa", "in_mla"),
    [
        ("2024", "(2024).", "2024,"),
        ("2024-05", "(2024, May).", "May 2024,"),
        ("2024-05-06", "(2024, May 6).", "6 May 2024,"),
        ("", "(n.d.).", "Example Review, https"),
    ],
)
def test_a_date_is_as_exact_as_the_page_says(published: str, in_apa: str, in_mla: str) -> None:
    work = by("Ada Example", published=published)

    assert in_apa in format_apa_entry(work, accessed=TODAY)
    assert in_mla in format_mla_entry(work, accessed=TODAY)


def test_without_an_author_the_title_leads() -> None:
    assert format_apa_entry(by(), accessed=TODAY).startswith(
        "A Study of Boats. (2024, September 5). Example Review."
    )
    assert format_mla_entry(by(), accessed=TODAY).startswith("“A Study of Boats.” Example Review")


def test_with_nothing_known_the_host_stands_for_the_rest() -> None:
    bare = CitableWork(url="https://www.example.org/x")

    assert format_apa_entry(bare, accessed=TODAY) == (
        "example.org. (n.d.). Retrieved March 14, 2026, from https://www.example.org/x"
    )
    assert format_mla_entry(bare, accessed=TODAY) == (
        "example.org, https://www.example.org/x. Accessed 14 Mar. 2026."
    )


def test_a_site_that_is_its_own_author_is_named_once() -> None:
    work = by("Example Review")

    assert format_apa_entry(work, accessed=TODAY).count("Example Review") == 1


def test_bibtex_escapes_what_it_would_read_as_commands() -> None:
    entry = format_bibtex_entry(by("Ada Example", title="50% of {A} & B_1 \\ $x$"))

    assert r"50\% of \{A\} \& B\_1 \textbackslash{} \$x\$" in entry


def test_a_key_is_plain_letters() -> None:
    assert build_citation_key(by("Zoë Müller", title="The Über-Boat")) == "muller2024uber"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ada Example; Ben Sample", ["Ada Example", "Ben Sample"]),
        ("Ada Example and Ben Sample", ["Ada Example", "Ben Sample"]),
        ("Ada Example, Ben Sample", ["Ada Example", "Ben Sample"]),
        ("Example, Ada", ["Example, Ada"]),
        ("", []),
    ],
)
def test_a_line_of_authors_is_parted(line: str, names: list[str]) -> None:
    assert [author.name for author in parse_author_line(line)] == names


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_any_metadata_can_be_cited(title: str, name: str, published: str) -> None:
    work = CitableWork(
        url="https://example.org",
        title=title,
        authors=(AuthorName(name=name),),
        published=published,
    )

    assert format_apa_entry(work, accessed=TODAY)
    assert format_mla_entry(work, accessed=TODAY)
    assert format_bibtex_entry(work, accessed=TODAY).count("\n}") == 1
