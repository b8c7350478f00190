from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.core.values.paper import (
    IdentifierScheme,
    IntegrityNotice,
    NoticeKind,
    OpenCopy,
    Paper,
    WorkAuthor,
)
from citewell.scholar.record_merging import merge_papers, merge_records
from tests.core.doubles import paper

ADA = (WorkAuthor(name="Ada Stone", family="Stone", given="Ada"),)


def test_records_with_one_doi_are_one_work_whatever_their_titles_say() -> None:
    works = merge_papers(
        [paper("Of Water"), paper("OF WATER AND STONE: an essay", source="openalex")]
    )

    assert len(works) == 1
    assert works[0].source == "crossref"


def test_records_with_different_dois_are_never_merged() -> None:
    twins = [paper(doi="10.1234/a"), paper(doi="10.1234/b", source="openalex")]

    assert len(merge_papers(twins)) == 2


def test_a_preprint_with_a_doi_of_its_own_is_kept_beside_the_article() -> None:
    preprint = paper(doi="10.48550/arxiv.2001.00001", kind="article", preprint_of="10.1234/first")

    assert [work.doi for work in merge_papers([paper(), preprint])] == [
        "10.1234/first",
        "10.48550/arxiv.2001.00001",
    ]


@pytest.mark.parametrize(
    "title",
    [
        "of water and stone",
        "Of <i>Water</i> &amp; Stone",
        "Of Water and  Stone.",
        "Of Wáter and Stone",
        "OF WATER AND STONE",
    ],
)
def test_a_record_without_a_doi_joins_by_title_year_and_first_author(title: str) -> None:
    other = paper(title, doi=None, source="semanticscholar", authors=(WorkAuthor(name="A. Stone"),))

    assert len(merge_papers([paper(), other])) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"year": 2018},
        {"authors": (WorkAuthor(name="Bo Rivers", family="Rivers"),)},
        {"title": "Of water and stones in the long run"},
    ],
)
def test_a_record_that_differs_in_year_author_or_title_stays_apart(
    changes: dict[str, object],
) -> None:
    other = paper(doi=None, source="core").with_changes(**changes)

    assert len(merge_papers([paper(), other])) == 2


def test_a_preprint_without_a_doi_may_be_a_year_older() -> None:
    preprint = paper(
        doi=None, year=2019, source="arxiv", ids={IdentifierScheme.ARXIV: "1901.00001"}
    )

    [work] = merge_papers([paper(), preprint])

    assert work.ids[IdentifierScheme.ARXIV] == "1901.00001"
    assert work.year == 2020


def test_a_missing_year_or_author_is_no_difference() -> None:
    bare = paper(doi=None, source="core", year=None, authors=())

    assert len(merge_papers([paper(), bare])) == 1


def test_editorials_of_one_author_in_two_journals_stay_apart() -> None:
    one_ = paper("Editorial", doi=None, venue="Journal of Rivers")
    other = paper("Editorial", doi=None, venue="Journal of Hills", source="core")

    assert len(merge_papers([one_, other])) == 2


def test_titles_in_other_scripts_are_compared_too() -> None:
    first = paper("深度学习综述", doi=None, authors=(WorkAuthor(name="李华"),))
    again = paper("深度学习综述", source="openalex", authors=(WorkAuthor(name="李华"),))
    another = paper("强化学习综述", doi=None, source="core", authors=(WorkAuthor(name="李华"),))

    assert len(merge_papers([first, again, another])) == 2


def test_organisations_are_first_authors_like_people() -> None:
    body = (WorkAuthor(name="World Health Organization", organisation=True),)
    first = paper("Guidelines on clean water", doi=None, authors=body)
    again = paper("Guidelines on clean water", authors=body, source="openalex")

    assert len(merge_papers([first, again])) == 1


def test_every_field_is_the_best_registrys_and_says_whose_it_is() -> None:
    openalex = paper(
        "of water and stone",
        source="openalex",
        venue="J. Stones",
        citation_count=40,
        open_access=True,
        in_doaj=False,
        year=2021,
    )
    crossref = paper(venue="Journal of Stones", citation_count=12, volume="7", pages="1-9")
    s2 = paper(source="semanticscholar", tldr="Water wins.", citation_count=50)

    work = merge_records([openalex, crossref, s2])

    assert (work.title, work.venue, work.year) == ("Of Water and Stone", "Journal of Stones", 2020)
    assert (work.citation_count, work.open_access, work.tldr) == (40, True, "Water wins.")
    assert work.provenance["venue"] == "crossref"
    assert work.provenance["citation_count"] == "openalex"
    assert work.provenance["tldr"] == "semanticscholar"
    assert work.source == "openalex"


def test_the_longest_abstract_wins_unless_it_is_a_whole_text() -> None:
    short, long, text = "Short.", "A longer abstract of the work.", "word " * 4000
    records = [
        paper(abstract=short),
        paper(abstract=long, source="pubmed"),
        paper(abstract=text, source="core"),
    ]

    assert merge_records(records).abstract == long


def test_authors_come_from_the_list_with_parted_names_unless_it_is_much_shorter() -> None:
    loose = tuple(WorkAuthor(name=f"Writer {letter}") for letter in "abcdefghij")
    parted = tuple(WorkAuthor(name=f"W {letter}", family=letter) for letter in "abcdefghi")
    only_first = parted[:1]

    kept = merge_records([paper(authors=loose, source="openalex"), paper(authors=parted)])
    full = merge_records([paper(authors=loose, source="openalex"), paper(authors=only_first)])

    assert kept.authors == parted
    assert full.authors == loose


def test_a_title_in_capitals_yields_to_one_that_does_not_shout() -> None:
    work = merge_records([paper("OF WATER AND STONE"), paper(source="openalex")])

    assert work.title == "Of Water and Stone"


def test_copies_events_and_identifiers_are_gathered_from_all() -> None:
    retraction = IntegrityNotice(kind=NoticeKind.RETRACTION, source="publisher")
    copy = OpenCopy(url="https://example.org/a.pdf", pdf=True)

    work = merge_records(
        [
            paper(copies=(copy,), ids={IdentifierScheme.PMID: "1"}),
            paper(
                source="openalex",
                copies=(copy,),
                events=(retraction,),
                ids={IdentifierScheme.S2: "x"},
            ),
        ]
    )

    assert work.copies == (copy,)
    assert work.events == (retraction,)
    assert set(work.ids) == {IdentifierScheme.DOI, IdentifierScheme.PMID, IdentifierScheme.S2}


def test_the_date_is_the_most_exact_one_in_the_best_registrys_year() -> None:
    work = merge_records(
        [
            paper(published="2020"),
            paper(source="openalex", year=2020, published="2020-03-05"),
            paper(source="semanticscholar", year=2019, published="2019-11-30"),
        ]
    )

    assert (work.year, work.published) == (2020, "2020-03-05")


_works = st.builds(
    paper,
    st.sampled_from(["Of Water and Stone", "of water & stone", "Editorial", "", "水と石"]),
    source=st.sampled_from(["crossref", "openalex", "core"]),
    doi=st.sampled_from([None, "10.1234/a", "10.1234/b"]),
    year=st.sampled_from([None, 2019, 2020]),
    authors=st.sampled_from([(), ADA, (WorkAuthor(name="李华"),), (WorkAuthor(name=""),)]),
)


@given(st.lists(_works, max_size=8))
def test_merging_never_raises_loses_no_doi_and_joins_no_two(works: list[Paper]) -> None:
    found = merge_papers(works)

    dois = [work.doi for work in found if work.doi]
    assert len(dois) == len(set(dois))
    assert set(dois) == {work.doi for work in works if work.doi}
    assert len(found) <= len(works)
