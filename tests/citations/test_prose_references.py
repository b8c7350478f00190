"""References that the tagger alone misreads: what their marks leave no doubt about is mended."""

from __future__ import annotations

import pytest

from citewell.citations.references.prose_references import parse_prose_reference


@pytest.mark.parametrize("dash", ["-", "–", "--", "‐"])
def test_volume_issue_and_pages_are_parted_whatever_the_dash(dash: str) -> None:
    found = parse_prose_reference(
        f"D. E. Knuth. Literate programming. The Computer Journal, 27(2):97{dash}111, 1984."
    )
    assert (found.volume, found.issue, found.pages) == ("27", "2", "97-111")
    assert found.title == "Literate programming"


@pytest.mark.parametrize(
    ("text", "title", "venue", "volume", "pages", "year"),
    [
        (
            "Cass R. Sunstein, On the Expressive Function of Law, 144 U. PA. L. REV. 2021, 2024–25 (1996).",
            "On the Expressive Function of Law",
            "U. PA. L. REV",
            "144",
            "2021",
            1996,
        ),
        (
            "Charles A. Reich, The New Property, 73 Yale L.J. 733 (1964).",
            "The New Property",
            "Yale L.J",
            "73",
            "733",
            1964,
        ),
        (
            "Richard A. Posner, Economic Analysis of Law 12 (9th ed. 2014).",
            "Economic Analysis of Law",
            "",
            "",
            "12",
            2014,
        ),
    ],
)
def test_footnotes_of_law_reviews_are_read(
    text: str, title: str, venue: str, volume: str, pages: str, year: int
) -> None:
    found = parse_prose_reference(text)
    assert (found.title, found.venue, found.volume) == (title, venue, volume)
    assert (found.pages, found.year, len(found.authors)) == (pages, year, 1)


@pytest.mark.parametrize(
    ("text", "authors", "title"),
    [
        (
            "The PageRank Citation Ranking: Bringing Order to the Web. Page, Lawrence; Brin, Sergey; Motwani, Rajeev; Winograd, Terry. Technical Report 1999-66, Stanford InfoLab, 1999.",
            ["Page", "Brin", "Motwani", "Winograd"],
            "The PageRank Citation Ranking: Bringing Order to the Web",
        ),
        (
            "Attention is all you need. Ashish Vaswani, Noam Shazeer, Niki Parmar. NeurIPS 2017.",
            ["Vaswani", "Shazeer", "Parmar"],
            "Attention is all you need",
        ),
    ],
)
def test_authors_may_stand_after_the_title(text: str, authors: list[str], title: str) -> None:
    found = parse_prose_reference(text)
    assert [person.family for person in found.authors] == authors
    assert found.title == title


@pytest.mark.parametrize(
    ("text", "family", "given", "title"),
    [
        (
            "BOURDIEU Pierre, La Distinction. Critique sociale du jugement, Paris, Éditions de Minuit, 1979.",
            "BOURDIEU",
            "Pierre",
            "La Distinction. Critique sociale du jugement",
        ),
        (
            "FOUCAULT (Michel), « Des espaces autres », Architecture, Mouvement, Continuité, n° 5, octobre 1984, p. 46-49.",
            "FOUCAULT",
            "Michel",
            "Des espaces autres",
        ),
        (
            "Schumpeter, J.A., Capitalism, Socialism and Democracy, Harper & Brothers, New York, 1942.",
            "Schumpeter",
            "J.A.",
            "Capitalism, Socialism and Democracy",
        ),
        (
            "ابن خلدون، عبد الرحمن. المقدمة. القاهرة: بولاق، 1858.",
            "ابن خلدون",
            "عبد الرحمن",
            "المقدمة",
        ),
    ],
)
def test_a_single_author_is_parted_from_the_title(
    text: str, family: str, given: str, title: str
) -> None:
    found = parse_prose_reference(text)
    assert [(person.family, person.given) for person in found.authors] == [(family, given)]
    assert found.title == title


@pytest.mark.parametrize(
    "note", ["(in press)", "(forthcoming)", "(n.d.)", "(submitted)", "(im Druck)", "(à paraître)"]
)
def test_a_reference_without_a_year_keeps_its_whole_title(note: str) -> None:
    found = parse_prose_reference(
        f"Perez-Lopez, M., & O'Neill, P. {note}. Norms in small groups. Journal of Personality."
    )
    assert (found.title, found.venue, found.year) == (
        "Norms in small groups",
        "Journal of Personality",
        None,
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "World Health Organization. Global tuberculosis report 2021. Geneva: World Health Organization; 2021.",
            "Global tuberculosis report 2021",
        ),
        (
            "United Nations. World population prospects 2019. New York: United Nations; 2019.",
            "World population prospects 2019",
        ),
        ("Long Short-Term Memory", "Long Short-Term Memory"),
        (
            "Bradner S. Key words for use in RFCs to Indicate Requirement Levels. RFC 2119. 1997.",
            "Key words for use in RFCs to Indicate Requirement Levels",
        ),
    ],
)
def test_a_title_keeps_its_own_words_and_no_others(text: str, title: str) -> None:
    assert parse_prose_reference(text).title == title


def test_a_bare_title_has_no_authors() -> None:
    assert parse_prose_reference("Long Short-Term Memory").authors == ()


def test_brackets_of_japanese_lists_part_title_and_journal() -> None:
    found = parse_prose_reference(
        "山田太郎, 「日本経済の構造変化」, 『経済研究』, 第52巻第3号, 2001年, 193-205頁."
    )
    assert (found.title, found.venue) == ("日本経済の構造変化", "経済研究")
    assert (found.volume, found.issue, found.pages) == ("52", "3", "193-205")


def test_a_numbered_volume_belongs_to_a_journal_and_not_to_a_publisher() -> None:
    found = parse_prose_reference(
        "Crenshaw, K., 1989. Demarginalizing the Intersection of Race and Sex."
        " University of Chicago Legal Forum, 1989(1), pp.139-167."
    )
    assert (found.venue, found.publisher) == ("University of Chicago Legal Forum", "")
