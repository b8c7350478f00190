"""What we export is read back as it was, and files in any encoding are read alike."""

from __future__ import annotations

import unicodedata
from datetime import date

import pytest

from citewell.citations import bibliographies
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork, convert_reference
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
