"""What kind of source a page is, and which DOI it declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.fetch.metadata.page_doi import detect_page_doi, find_doi
from citewell.fetch.metadata.source_types import (
    classify_host_name,
    classify_source,
    is_scholarly_host,
)
from citewell.model.scrape_results import StructuredData
from citewell.text.web.registered_domains import find_registered_domain
from tests.requirements import requires


@requires("scrape_page.source_type")
@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("www.cdc.gov", "government"),
        ("data.gov.uk", "government"),
        ("www.economie.gouv.fr", "government"),
        ("www.meti.go.jp", "government"),
        ("www.army.mil", "government"),
        ("en.wikipedia.org", "wiki"),
        ("www.mit.edu", "peer_reviewed"),
        ("www.ox.ac.uk", "peer_reviewed"),
        ("www.nature.com", "peer_reviewed"),
        ("law.cornell.edu", "government"),
        ("docs.python.org", "official_docs"),
        ("docs.example.com", "official_docs"),
        ("requests.readthedocs.io", "official_docs"),
        ("www.bbc.co.uk", "news_publication"),
        ("old.reddit.com", "forum"),
        ("forum.example.com", "forum"),
        ("x.com", "social_media"),
        ("someone.substack.com", "blog"),
        ("someone.github.io", "blog"),
        ("blog.example.com", "blog"),
        ("example.com", "unknown"),
        ("127.0.0.1", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_host_is_known_by_its_registered_domain(host: str, kind: str) -> None:
    assert classify_host_name(host) == kind


@requires("defect.authority")
@pytest.mark.parametrize(
    "host",
    ["nature.com.evil.example", "notnature.com", "gov.example.com", "cdc.gov.example.org", "whitehouse.gov.ai", "blog.com"],
)  # fmt: skip
def test_a_name_inside_another_name_earns_nothing(host: str) -> None:
    assert classify_host_name(host) == "unknown"
    assert classify_source(f"https://{host}/?ref=nature.com.gov").authority == 0.5


def _ld(kind: str) -> StructuredData:
    return StructuredData(json_ld=({"@graph": [{"@type": "WebSite"}, {"@type": ["Thing", kind]}]},))


@requires("scrape_page.source_type")
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ScholarlyArticle", "peer_reviewed"),
        ("https://schema.org/NewsArticle", "news_publication"),
        ("GovernmentOrganization", "government"),
        ("BlogPosting", "blog"),
        ("APIReference", "official_docs"),
        ("QAPage", "forum"),
        ("SocialMediaPosting", "social_media"),
        ("Recipe", "unknown"),
    ],
)
def test_the_page_says_what_it_is(kind: str, wanted: str) -> None:
    assert classify_source("https://example.com/a", _ld(kind)).source_type == wanted


@requires("scrape_page.source_type")
def test_highwire_marks_come_before_json_ld() -> None:
    data = StructuredData(json_ld=({"@type": "BlogPosting"},), citation={"citation_title": "T"})

    assert classify_source("https://example.com/a", data).source_type == "peer_reviewed"


def test_a_platform_stays_what_it_is_whatever_its_pages_claim() -> None:
    assert classify_source("https://medium.com/@a/b", _ld("NewsArticle")).source_type == "blog"


def test_a_claim_earns_no_authority() -> None:
    assert classify_source("https://example.com/a", _ld("ScholarlyArticle")).authority == 0.5
    assert classify_source("https://www.nature.com/a").authority == 0.9
    assert classify_source("https://bit.ly/a").authority == 0.3
    assert classify_source("http://192.0.2.1/a").authority == 0.3


@requires("scrape_page.domain_category")
@pytest.mark.parametrize(
    ("url", "subject"),
    [
        ("https://www.cdc.gov/a", "medical"),
        ("https://www.sec.gov/a", "financial"),
        ("https://www.courtlistener.com/a", "legal"),
        ("https://github.com/a/b", "technical"),
        ("https://arxiv.org/abs/1", "academic"),
        ("https://example.com", "general"),
    ],
)
def test_the_subject_is_the_hosts(url: str, subject: str) -> None:
    assert classify_source(url).domain_category == subject


def test_a_lens_settles_the_subject() -> None:
    assert classify_source("https://github.com/a", lens="legal").domain_category == "legal"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("a.b.example.com", "example.com"),
        ("x.github.io", "x.github.io"),
        ("co.uk", "co.uk"),
        ("192.0.2.1", "192.0.2.1"),
        ("", ""),
    ],
)
def test_what_was_registered_is_found_by_the_suffix_list(host: str, domain: str) -> None:
    assert find_registered_domain(host) == domain


@given(st.text(max_size=40))
def test_any_address_can_be_classified(text: str) -> None:
    assert classify_source(f"https://{text}/").source_type


_MARKS = StructuredData(citation={"citation_doi": "doi:10.1000/Marked.1"})
_PATH = "https://www.nejm.org/doi/full/10.1056/NEJMoa2034577"


@requires("scrape_page.detected_doi")
def test_the_mark_comes_before_the_address_and_the_address_before_the_text() -> None:
    text = "Original paper. https://doi.org/10.1000/text.3."

    assert detect_page_doi(_PATH, _MARKS, text, source_type="peer_reviewed") == "10.1000/marked.1"
    assert detect_page_doi(_PATH, None, text, source_type="unknown") == "10.1056/nejmoa2034577"
    assert (
        detect_page_doi("https://www.nature.com/a", None, text, source_type="unknown")
        == "10.1000/text.3"
    )


@requires("scrape_page.detected_doi_own")
def test_a_doi_among_the_references_is_not_the_pages_own() -> None:
    text = "Text.\n\n## References\n\n1. https://doi.org/10.1000/other"

    assert (
        detect_page_doi("https://www.nature.com/a", None, text, source_type="peer_reviewed") is None
    )
    late = "word " * 2000 + "10.1000/late"
    assert (
        detect_page_doi("https://www.nature.com/a", None, late, source_type="peer_reviewed") is None
    )


def test_a_page_that_is_not_scholarly_has_none() -> None:
    assert detect_page_doi("https://example.com/10.1000/x", _MARKS, "", source_type="blog") is None
    assert not is_scholarly_host("https://www.mit.edu/")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(https://doi.org/10.1000/abc).", "10.1000/abc"),
        ("10.1016/S0140-6736(20)30183-5,", "10.1016/s0140-6736(20)30183-5"),
        ("/doi/pdf/10.1000/abc.pdf", "10.1000/abc"),
        ("/10.1000/abc/full/html", "10.1000/abc"),
        ("10.12/x", None),
        ("", None),
    ],
)
def test_a_doi_is_found_bare(text: str, wanted: str | None) -> None:
    assert find_doi(text) == wanted
