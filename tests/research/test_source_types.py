"""What a source is called, and where a person opens it."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.values.page import Page
from citewell.core.values.research import ResearchSource
from citewell.core.values.scrape_results import StructuredData
from citewell.research.claims import source_kinds
from tests.requirements import requires


@requires("get_claim_evidence.source_type")
@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://www.nature.com/articles/x", "paper"),
        ("https://doi.org/10.1/x", "paper"),
        ("https://web.mit.edu/page", "university"),
        ("https://eur-lex.europa.eu/eli/reg/2016/679", "law"),
        ("https://www.cdc.gov/flu", "government"),
        ("https://en.wikipedia.org/wiki/Sleep", "encyclopedia"),
        ("https://stackoverflow.com/questions/1", "forum"),
        ("https://www.bbc.co.uk/news/1", "news"),
        ("https://docs.python.org/3/", "documentation"),
        ("https://example.org/docs/start", "documentation"),
        ("https://github.com/a/b", "code"),
        ("https://data.un.org/x", "dataset"),
        ("https://www.youtube.com/watch?v=1", "video"),
        ("https://clinicaltrials.gov/study/NCT04207047", "trial"),
        ("https://www.courtlistener.com/opinion/1/a-v-b/", "case"),
        ("https://patents.google.com/patent/US10165245B2/en", "patent"),
        ("https://www.sec.gov/Archives/edgar/data/1/2/a.htm", "filing"),
        ("https://data.worldbank.org/indicator/NY.GDP.MKTP.CD", "dataset"),
        ("https://www.federalregister.gov/documents/2024/1/x", "law"),
        ("https://example.org/page", "article"),
    ],
)
def test_a_source_is_named_by_what_it_is(url: str, kind: str) -> None:
    assert source_kinds.name_source_type(url) == kind


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"page_kind": "forum"}, "forum"),
        ({"page_kind": "product"}, "product"),
        ({"page_kind": "documentation"}, "documentation"),
        ({"file_kind": "csv"}, "dataset"),
        ({"file_kind": "pdf"}, "file: pdf"),
        ({"file_kind": "html"}, "article"),
        ({"data": StructuredData(citation={"citation_doi": "10.1/x"})}, "paper"),
    ],
    ids=str,
)
def test_a_page_of_an_unknown_host_is_named_by_what_it_holds(
    facts: dict[str, Any], kind: str
) -> None:
    assert source_kinds.name_source_type("https://example.org/a", **facts) == kind


@pytest.mark.parametrize(
    ("opens_at", "kind"),
    [
        ("/srv/papers/a.pdf", "file: pdf"),
        ("https://www.bbc.co.uk/news/1", "news"),
        ("", "file: pdf"),
    ],
)
def test_a_document_of_the_library_is_named_by_its_link_or_its_file(
    opens_at: str, kind: str
) -> None:
    page = Page(
        url="library:1", final_url="library:1", content="x", content_type="pdf", opens_at=opens_at
    )

    assert source_kinds.name_page_type(page) == kind


@pytest.mark.parametrize(
    ("address", "shown", "link"),
    [
        (None, "library:1", None),
        ("/srv/papers/a.pdf", "/srv/papers/a.pdf", None),
        ("https://example.org/a", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_a_library_source_is_opened_at_its_file_or_link(
    address: str | None, shown: str, link: str | None
) -> None:
    source = ResearchSource(ref="src_1", url="library:1", address=address, is_private=True)

    assert source_kinds.format_source_address(source) == shown
    assert source_kinds.find_source_link(source) == link


def test_facts_that_are_unknown_leave_no_comma() -> None:
    source = ResearchSource(ref="src_1", url="library:1", published="2017-01-23T10:00:00Z")

    assert source_kinds.format_source_facts(source) == "article, 2017-01-23"
