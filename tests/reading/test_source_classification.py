"""What kind of source a page is, and which DOI it declares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations.dois import find_doi
from citewell.core.values.scrape_results import StructuredData
from citewell.reading.metadata.host_standing import find_host_standing
from citewell.reading.source_classification import classify_source
from citewell.text.addresses import find_registered_domain
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
        ("www.mit.edu", "unknown"),
        ("www.ox.ac.uk", "unknown"),
        ("arxiv.org", "unknown"),
        ("www.medrxiv.org", "unknown"),
        ("www.infowars.com", "unknown"),
        ("www.omicsonline.org", "unknown"),
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
    assert find_host_standing(host).source_type == kind


@requires("defect.authority")
@pytest.mark.parametrize(
    "host",
    ["nature.com.evil.example", "notnature.com", "gov.example.com", "cdc.gov.example.org", "whitehouse.gov.ai", "blog.com"],
)  # fmt: skip
def test_a_name_inside_another_name_earns_nothing(host: str) -> None:
    assert find_host_standing(host).source_type == "unknown"
    assert classify_source(f"https://{host}/?ref=nature.com.gov").authority == 0.5


def _ld(kind: str) -> StructuredData:
    return StructuredData(json_ld=({"@graph": [{"@type": "WebSite"}, {"@type": ["Thing", kind]}]},))


@requires("scrape_page.source_type")
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("ScholarlyArticle", "unknown"),  # its peer review is not confirmed
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

    assert classify_source("https://example.com/a", data).kind == "scholarly_work"


@pytest.mark.parametrize(
    "marks",
    [
        {"citation_title": "T", "citation_author": "A. Author"},
        {"citation_title": "T", "citation_doi": "10.1234/abc.5"},
    ],
)
def test_no_type_claims_the_peer_review_that_its_basis_denies(marks: dict[str, str]) -> None:
    found = classify_source("https://example.com/a", StructuredData(citation=marks))

    assert "peer review was not confirmed" in found.basis
    assert (found.source_type, found.kind) == ("unknown", "scholarly_work")
    assert found.domain_category == "academic"


@pytest.mark.parametrize(
    ("url", "marks"),
    [
        ("https://example.com/a", {"citation_title": "T", "citation_issn": "1234-5678"}),
        ("https://example.com/a", {"citation_title": "T", "citation_journal_title": "J. of X"}),
        ("https://www.nature.com/articles/s41586-020-2649-2", {"citation_title": "T"}),
    ],
)
def test_an_article_of_a_known_journal_is_peer_reviewed(url: str, marks: dict[str, str]) -> None:
    found = classify_source(url, StructuredData(citation=marks))

    assert (found.source_type, found.kind) == ("peer_reviewed", "journal")


def test_a_platform_stays_what_it_is_whatever_its_pages_claim() -> None:
    assert classify_source("https://medium.com/@a/b", _ld("NewsArticle")).source_type == "blog"


STUDENT = "https://people.csail.mit.edu/~student/notes.html"


@requires("scrape_page.source_kind")
@pytest.mark.parametrize(
    ("url", "kind", "source_type"),
    [
        ("https://www.nature.com/articles/s41586-020-2649-2", "journal", "peer_reviewed"),
        ("https://www.nature.com/articles/d41586-023-03974-8", "journal_news", "news_publication"),
        ("https://www.science.org/content/article/a-finding", "journal_news", "news_publication"),
        ("https://www.science.org/doi/10.1126/science.1", "journal", "peer_reviewed"),
        ("https://www.thelancet.com/about", "journal_news", "news_publication"),
        ("https://arxiv.org/abs/2001.00001", "preprint", "unknown"),
        ("https://pubmed.ncbi.nlm.nih.gov/1/", "bibliographic_database", "unknown"),
        ("https://news.mit.edu/2024/a-finding", "university", "unknown"),
        ("https://www.tu-berlin.de/a", "university", "unknown"),
        ("https://www.univ-lyon1.fr/a", "university", "unknown"),
        ("https://www.kth.se/a", "university", "unknown"),
        (STUDENT, "personal_page", "blog"),
        ("https://www.uni-bonn.de/de/pressemitteilungen/a", "press_release", "unknown"),
        ("https://www.example.com/press-releases/2024/a", "press_release", "unknown"),
        ("https://www.eurekalert.org/news-releases/1", "press_release", "unknown"),
        ("https://www.justice.gov/press-release/a", "government", "government"),
        ("https://www.britannica.com/a", "reference", "unknown"),
        ("https://example.com/a", "unknown", "unknown"),
    ],
)
def test_the_address_tells_a_finer_kind(url: str, kind: str, source_type: str) -> None:
    standing = classify_source(url)

    assert (standing.kind, standing.source_type) == (kind, source_type)
    assert standing.basis.endswith(".")


@pytest.mark.parametrize(
    ("url", "marks", "kind", "source_type"),
    [
        ("https://example.com/a", {"citation_journal_title": "J. of X"}, "journal", "peer_reviewed"),
        ("https://journals.example.edu/a", {"citation_issn": "1234-5678"}, "journal", "peer_reviewed"),
        ("https://example.com/a", {"citation_title": "T"}, "scholarly_work", "unknown"),
        ("https://www.mit.edu/a", {"citation_title": "T"}, "university", "unknown"),
        ("https://arxiv.org/abs/1", {"citation_journal_title": "J. of X"}, "preprint", "unknown"),
        ("https://pmc.ncbi.nlm.nih.gov/1", {"citation_journal_title": "bioRxiv"}, "preprint", "unknown"),
        ("https://example.com/a", {"citation_doi": "10.48550/arXiv.1", "citation_title": "T"}, "preprint", "unknown"),
        ("https://example.com/a", {"citation_title": "T", "citation_arxiv_id": "1"}, "preprint", "unknown"),
        ("https://example.com/a", {"citation_title": "T", "citation_dissertation_institution": "U"}, "thesis", "unknown"),
        ("https://www.reuters.com/a", {"citation_title": "T"}, "news", "news_publication"),
        ("https://www.infowars.com/a", {"citation_journal_title": "J. of X"}, "unreliable", "unknown"),
    ],
)  # fmt: skip
def test_metadata_never_make_a_work_peer_reviewed_that_is_known_not_to_be(
    url: str, marks: dict[str, str], kind: str, source_type: str
) -> None:
    standing = classify_source(url, StructuredData(citation=marks))

    assert (standing.kind, standing.source_type) == (kind, source_type)


def test_a_news_article_on_a_publishers_site_is_not_peer_reviewed() -> None:
    standing = classify_source("https://www.nature.com/articles/x", _ld("NewsArticle"))

    assert (standing.kind, standing.source_type) == ("journal_news", "news_publication")


@requires("defect.contradicting_standing")
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("https://www.reuters.com/a", STUDENT),
        ("https://www.bbc.com/a", "https://web.mit.edu/a"),
        ("https://www.nature.com/a", "https://arxiv.org/abs/1"),
        ("https://stackoverflow.com/q/1", "https://www.infowars.com/a"),
    ],
)
def test_a_better_reputation_has_more_authority(better: str, worse: str) -> None:
    assert classify_source(better).authority > classify_source(worse).authority


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
