"""What we export is read back as it was, and files in any encoding are read alike.

An item of a tool's answer gives the fields of a source; a key that nobody returns stays.
"""

from __future__ import annotations

import unicodedata
from datetime import date
from typing import Any

import pytest

from citewell.citations import bibliographies
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import (
    SOURCE_FIELDS,
    CitableWork,
    convert_reference,
    convert_result_item,
)
from citewell.citations.references import parse_bibliography
from tests.citations.test_format_readers import DEEP_LEARNING, SAMPLES, describe
from tests.requirements import requires

BINARY = {"utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-8", "latin-1", "cp1252"}
PERSON = AuthorName.from_parts(family="van der Berg", given="Åsa J.", suffix="")
GROUP = AuthorName(name="The Example Group", organisation=True)
WORKS = (
    CitableWork(url="https://doi.org/10.1234/a", doi="10.1234/a", title="A & B: 100% of C_1 in {braces}", authors=(PERSON, GROUP),
                site="Journal of $ and #", published="2019-05-12", kind="article-journal", volume="3", issue="2", pages="11-19"),
    CitableWork(url="https://doi.org/10.1234/b", doi="10.1234/b", title="“Quoted” title — with dashes", authors=(PERSON,),
                site="Proceedings of X", published="2001-02", kind="paper-conference", pages="e5", publisher="A House"),
    CitableWork(url="https://example.org/b?x=1&y=~2", title="Ein Buch über Ärger", authors=(PERSON,), published="1999", kind="book", publisher="Verlag"),
    CitableWork(url="https://doi.org/10.1234/c", doi="10.1234/c", title="A chapter", authors=(PERSON,), site="The Book", published="2010", kind="chapter", pages="1-2", publisher="A House"),
    CitableWork(url="https://example.org/thesis", title="A thesis", authors=(PERSON,), published="2011", kind="thesis", publisher="A University"),
    CitableWork(url="https://example.org/report", title="A report", authors=(GROUP,), published="2012", kind="report", publisher="An Institute"),
)  # fmt: skip


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.kind)
@requires("format_bibliography.round_trip")
def test_what_we_write_is_read_back_as_it_was(work: CitableWork, style: str) -> None:
    text = bibliographies.render_bibliography([work], style=style, accessed=date(2026, 1, 2))

    found = parse_bibliography(text)

    assert (found.format, found.malformed) == (style, ())
    [again] = map(convert_reference, found.references)
    assert (
        bibliographies.render_bibliography([again], style=style, accessed=date(2026, 1, 2)) == text
    )


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("encoding", sorted(BINARY))
def test_every_encoding_is_read(name: str, encoding: str) -> None:
    text = SAMPLES[name].replace("–", "-").replace("Deep", "D\u00e9ep")
    body = text.replace("\n", "\r\n").encode(encoding)

    found = parse_bibliography(body)

    assert describe(found.references[0]) == ("Déep learning", *DEEP_LEARNING[1:])


def test_accents_in_parts_hard_spaces_and_soft_hyphens_make_no_difference() -> None:
    text = "TY\u00a0\u00a0- JOUR\nAU  - Mu\u0308ller,\u00a0Kai\nTI  - The ef\ufb01cient soft\u00adware\nPY  - 2001\nER  - \n"

    [found] = parse_bibliography(text).references

    assert (found.title, found.authors[0].family) == ("The efficient software", "Müller")
    assert unicodedata.is_normalized("NFC", found.raw)


def test_a_soft_hyphen_at_the_end_of_a_line_joins_the_word() -> None:
    text = "[1] Doe, J. (2001). Soft\u00ad\nware of old. Things, 1, 1–2.\n\f[2] Roe, K. (2002). More. Things, 2, 3–4."

    first, second = parse_bibliography(text, format="prose").references

    assert "Software of old" in first.raw
    assert second.raw.startswith("Roe")


PAPER = {
    "title": "A title",
    "url": "https://doi.org/10.5555/1",
    "source": "openalex",
    "doi": "10.5555/1",
    "authors": ["Ada Lovelace", "Alan Turing", "and 12 others"],
    "journal": "A Journal",
    "year": 2020,
    "abstract": "Words.",
    "citationCount": 3,
    "kind": "article-journal",
    "publishedAt": "2020-05-01",
    "ids": {"pmid": "1"},
    "retractionStatus": {"retracted": True, "kind": "retraction"},
}


def test_a_paper_gives_its_fields_and_nothing_else() -> None:
    source = convert_result_item(PAPER)

    assert source == {
        "title": "A title",
        "url": "https://doi.org/10.5555/1",
        "doi": "10.5555/1",
        "author": ["Ada Lovelace", "Alan Turing"],
        "site": "A Journal",
        "date": "2020-05-01",
        "kind": "article-journal",
    }


def test_a_source_in_our_own_fields_stays_as_it_is() -> None:
    source = {"url": "https://example.org", "author": "Ada Lovelace", "volume": "3", "kind": "book"}

    assert convert_result_item(source) == source


@pytest.mark.parametrize("key", ["tittle", "rank", "DOI", "Source"])
def test_a_key_that_no_tool_returns_stays_to_be_named(key: str) -> None:
    assert key in convert_result_item(PAPER | {key: "x"})


def test_a_registrys_own_word_for_the_kind_is_left_out() -> None:
    assert "kind" not in convert_result_item(PAPER | {"kind": "posted-content"})


def test_a_kind_of_the_callers_own_stays_to_be_judged() -> None:
    source = {"url": "https://example.org", "authors": ["Ada Lovelace"], "kind": "novel"}

    assert convert_result_item(source)["kind"] == "novel"


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        ({"caseName": "Roe v. Wade", "citation": "Roe v. Wade, 410 U.S. 113 (1973)", "court": "Supreme Court", "dateFiled": "1973-01-22"},
         {"title": "Roe v. Wade, 410 U.S. 113 (1973)", "kind": "legal_case", "date": "1973-01-22"}),
        ({"caseName": "A v. B", "court": "D. Mass."}, {"title": "A v. B", "kind": "legal_case", "authority": "D. Mass."}),
        ({"title": "Battery", "number": "US1234567B2", "inventor": "Ada Lovelace", "granted": "2020-01-01", "kind": "granted patent"},
         {"title": "Battery", "number": "US1234567B2", "author": "Ada Lovelace", "date": "2020-01-01", "kind": "patent"}),
        ({"nctId": "NCT04280705", "title": "A trial", "sponsor": "NIAID", "startDate": "2020-02"},
         {"title": "A trial", "author": "NIAID", "date": "2020-02", "kind": "report", "site": "ClinicalTrials.gov",
          "number": "ClinicalTrials.gov identifier NCT04280705", "publisher": "U.S. National Library of Medicine"}),
        ({"title": "News", "source": "The Paper", "snippet": "…", "publishedAt": "2026-01-02T03:04:05Z"},
         {"title": "News", "site": "The Paper", "date": "2026-01-02T03:04:05Z"}),
        ({"name": "A café", "website": "https://cafe.example.org", "lat": 1.0}, {"title": "A café", "url": "https://cafe.example.org"}),
        ({"title": "A picture", "link": "https://example.org/a.png", "contextLink": "https://example.org/page"},
         {"title": "A picture", "url": "https://example.org/page"}),
        ({"url": "https://example.org", "content": "…", "citation": {"url": "https://example.org", "metadata": {"title": "T", "author": "A. B.", "site": "S", "date": "2020"}}},
         {"url": "https://example.org", "title": "T", "author": "A. B.", "site": "S", "date": "2020"}),
    ],
)  # fmt: skip
def test_records_of_other_tools_give_the_fields_of_a_source(
    item: dict[str, Any], wanted: dict[str, Any]
) -> None:
    assert convert_result_item(item) == wanted
    assert set(wanted) <= set(SOURCE_FIELDS)


def test_authors_may_be_objects_and_empty_ones_are_left_out() -> None:
    people = [{"name": "Ada Lovelace"}, {"family": "Turing", "given": "Alan"}, {"literal": "WHO"}, None, "", {}]  # fmt: skip

    source = convert_result_item({"title": "T", "authors": people})

    assert source["author"] == ["Ada Lovelace", "Turing, Alan", "{WHO}"]


@pytest.mark.parametrize(
    "item", [{}, {"citation": {"metadata": 3}}, {"authors": None}, {"authors": [None, 3]}, {"year": []}]
)  # fmt: skip
def test_damaged_items_raise_nothing(item: dict[str, Any]) -> None:
    assert isinstance(convert_result_item(item), dict)
