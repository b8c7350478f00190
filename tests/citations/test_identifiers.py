from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citewell.citations import dois, identifiers, references
from citewell.citations.identifiers import CitationKind, identify_citation
from tests.requirements import requires

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"
BRACKETS = "10.1890/0012-9658(2006)87[1450:tmopr]2.0.co;2"
NATURE = "10.1038/nature12373"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (NATURE, NATURE),
        ("10.1038/NATURE12373", NATURE),
        ("10.1038/nature12373.", NATURE),
        ("(10.1038/nature12373),", NATURE),
        ("doi:10.1038/nature12373", NATURE),
        ("DOI 10.1038/nature12373;", NATURE),
        ("https://doi.org/10.1038/nature12373", NATURE),
        ("http://dx.doi.org/10.1038%2Fnature12373", NATURE),
        ("<https://doi.org/10.1038/nature12373>", NATURE),
        ("https://doi.org/10.1038/nature12373?utm_source=x#abstract", NATURE),
        ("https://example.org/?u=10.1038%252Fnature12373", NATURE),
        ('<a href="https://doi.org/10.1038/nature12373">here</a>', NATURE),
        ("[10.1038/nature12373](https://doi.org/10.1038/nature12373)", NATURE),
        ("10.1038/nature12373;10.1038/nature14539", NATURE),
        ("10.1038/nature12373, 10.1038/nature14539", NATURE),
        ("10.1038/nature12373/full", NATURE),
        ("10.1038/nature12373/pdf/x.pdf", NATURE),
        ("10.3389/fpsyg.2014.00001/full#h3", "10.3389/fpsyg.2014.00001"),
        ("https://example.org/content/10.1101/2020.01.01.123456v2.full.pdf+html", "10.1101/2020.01.01.123456"),
        ("https://example.org/article?id=10.1371/journal.pone.0000308&type=printable", "10.1371/journal.pone.0000308"),
        ("10.1016/S0140-6736(20)30183-5).", "10.1016/s0140-6736(20)30183-5"),
        (SICI.upper(), SICI),
        (SICI.replace("<", "&lt;").replace(">", "&gt;"), SICI),
        (f"https://doi.org/{SICI.replace('<', '%3C').replace('>', '%3E')}", SICI),
        (f"{BRACKETS}.", BRACKETS),
        (r"10.1007/978-3-319-24574-4\_28", "10.1007/978-3-319-24574-4_28"),
        ("10.1016/j.cell.2019‐01‑001", "10.1016/j.cell.2019-01-001"),
        ("１０．１０３８／ｎａｔｕｒｅ１２３７３。", NATURE),
        ("10.1016/j.\ncell.2019.01.001", "10.1016/j.cell.2019.01.001"),
        ("10.1016/j.cell-\n  2019.01.001 more", "10.1016/j.cell-2019.01.001"),
        ("10.1000/full", "10.1000/full"),
        (f"<{SICI}>.", SICI),
        (f"&lt;{SICI.replace('<', '&lt;').replace('>', '&gt;')}&gt;", SICI),
        (f"doi:{SICI.replace('<', '&amp;lt;').replace('>', '&amp;gt;')}.", SICI),
        (f"https://doi.org/{SICI[:-1]}#", f"{SICI[:-1]}#"),
        (f"{SICI[:-1]}+)", f"{SICI[:-1]}+"),
        (f"{SICI}/abstract", SICI),
        (f"<p>doi:{NATURE}</p>", NATURE),
        (f"doi:{NATURE}[PubMed]", NATURE),
        (f"{NATURE}PMID:23903748", NATURE),
        (f"{NATURE}.Accessed", NATURE),
        (f"«{NATURE}»", NATURE),
        (f"https://example.org/find?q={NATURE}+diamond", NATURE),
        ("10.3760/cma.j.issn.0376-2491.2016.31.007", "10.3760/cma.j.issn.0376-2491.2016.31.007"),
        ("10.1000.10/123", "10.1000.10/123"),
        ("Retrieved from 10.1038/nature12373. Retrieved 2019", NATURE),
        ("110.1038/nature12373", None),
        ("10.12/x", None),
        ("version 10.1234", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_doi_is_found_in_any_dress(text: str, wanted: str | None) -> None:
    assert dois.find_doi(text) == wanted


_SUFFIX = st.text("abcdefghij0123456789-_.()", min_size=1, max_size=30)


@given(st.integers(1000, 99999), _SUFFIX)
@example(1000, "(.")
def test_normalising_twice_is_normalising_once(prefix: int, suffix: str) -> None:
    once = dois.find_doi(f"10.{prefix}/{suffix}")

    assert once is None or dois.find_doi(once) == once


@given(st.text(max_size=200))
def test_any_text_is_something(text: str) -> None:
    found = identify_citation(text)

    assert found.kind in CitationKind
    assert found.kind is not CitationKind.DOI or found.value == found.value.lower()


@given(st.integers(1000, 99999), st.from_regex(r"[a-z][a-z0-9]{1,12}\.[0-9]{1,8}", fullmatch=True))
def test_dress_does_not_change_a_doi(prefix: int, suffix: str) -> None:
    plain = f"10.{prefix}/{suffix}"
    dressed = [
        f"https://doi.org/{plain}", f"doi: {plain.upper()}.", f"({plain}),", f"“{plain}”",
        f"See {plain}; and more", f"https://dx.doi.org/{plain.replace('/', '%2F')}?a=b",
    ]  # fmt: skip

    assert {dois.find_doi(text) for text in dressed} == {dois.find_doi(plain)}


PLUS = "10.1021/ja067125+"


@requires("verify_citation.doi_plus")
@pytest.mark.parametrize(
    "text",
    [
        PLUS, f"{PLUS}.", f"{PLUS},", f"({PLUS})", f"<{PLUS}>", f"{PLUS}>", f"“{PLUS}.”", f"{PLUS};",
        f"{PLUS}&gt;", f"https://doi.org/{PLUS}", "https://doi.org/10.1021/ja067125%2B",
        f"https://pubs.example.org/doi/{PLUS}?cookieSet=1", f"doi = {{{PLUS}}},", f"[{PLUS}](x)",
    ],
)  # fmt: skip
def test_a_doi_that_ends_in_a_plus_sign_keeps_it(text: str) -> None:
    assert dois.find_doi(text) == PLUS
    assert dois.list_doi_readings(text)[0] == PLUS
    assert PLUS.rstrip("+") in dois.list_doi_readings(text)
    assert dois.find_doi_in_address(text) == PLUS


def test_the_title_before_a_doi_with_a_plus_sign_is_read() -> None:
    text = f"Okafor N. Ligand exchange on gold clusters. J Clust Chem. 2006;12:1-9. doi:{PLUS}."

    (reference,) = references.parse_bibliography(text, format="prose").references

    assert (reference.doi, reference.title) == (PLUS, "Ligand exchange on gold clusters")


def test_other_ways_to_read_a_doi_are_kept_for_when_the_first_is_nobodys() -> None:
    assert dois.list_doi_readings("10.1000/abc.pdf") == ("10.1000/abc", "10.1000/abc.pdf")
    assert dois.list_doi_readings("(10.1000/abc).") == ("10.1000/abc",)
    assert dois.list_doi_readings("nothing") == ()


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://www.nature.com/articles/s41586-020-2649-2.pdf", "10.1038/s41586-020-2649-2"),
        ("https://www.nature.com/articles/nature12373?error=x", NATURE),
        ("https://elifesciences.org/articles/32822", "10.7554/elife.32822"),
        ("https://zenodo.org/records/3509134", "10.5281/zenodo.3509134"),
        ("https://arxiv.org/abs/1706.03762v5", "10.48550/arxiv.1706.03762"),
        ("https://link.springer.com/article/10.1007/s00125-020-05180-x/figures/1", "10.1007/s00125-020-05180-x"),
        ("https://example.org/articles/s41586-020-2649-2", None),
    ],
)  # fmt: skip
def test_an_address_tells_its_doi(url: str, wanted: str | None) -> None:
    assert dois.find_doi_in_address(url) == wanted


@pytest.mark.parametrize(
    ("citation", "kind", "value"),
    [
        ("https://doi.org/10.1038/nature12373", CitationKind.DOI, NATURE),
        ("https://doi-org.proxy.example.edu/10.1038/nature12373", CitationKind.DOI, NATURE),
        ("arXiv:1706.03762v5", CitationKind.ARXIV, "1706.03762"),
        ("1706.03762", CitationKind.ARXIV, "1706.03762"),
        ("1706.03762v2 [cs.CL]", CitationKind.ARXIV, "1706.03762"),
        ("hep-th/9901001", CitationKind.ARXIV, "hep-th/9901001"),
        ("arXiv:math.GT/0309136v1", CitationKind.ARXIV, "math/0309136"),
        ("Vaswani et al., arXiv preprint arXiv:1706.03762, 2017", CitationKind.ARXIV, "1706.03762"),
        ("PMID: 35726897", CitationKind.PMID, "35726897"),
        ("pmid35726897", CitationKind.PMID, "35726897"),
        ("PMC9274343", CitationKind.PMCID, "PMC9274343"),
        ("ISBN 978-3-16-148410-0", CitationKind.ISBN, "9783161484100"),
        ("ISBN-10: 0-306-40615-2", CitationKind.ISBN, "9780306406157"),
        ("0306406152", CitationKind.ISBN, "9780306406157"),
        ("080442957X", CitationKind.ISBN, "9780804429573"),
        ("https://example.org/page", CitationKind.URL, "https://example.org/page"),
        ("www.example.org/page", CitationKind.URL, "https://www.example.org/page"),
        ("https://arxiv.org/abs/1706.03762", CitationKind.URL, "https://arxiv.org/abs/1706.03762"),
        ("Some words about a work", CitationKind.REFERENCE, "Some words about a work"),
        ("1234567", CitationKind.REFERENCE, "1234567"),
        ("1913.03762", CitationKind.REFERENCE, "1913.03762"),
    ],
)
def test_a_citation_is_recognised_as_what_it_is(
    citation: str, kind: CitationKind, value: str
) -> None:
    found = identify_citation(citation)

    assert (found.kind, found.value) == (kind, value)


def test_what_stands_beside_an_identifier_is_kept() -> None:
    found = identify_citation(
        "Kucsko G. Nanometre-scale thermometry. Nature 2013. https://doi.org/10.1038/nature12373 PMID: 23903748"
    )

    assert found.surrounding_text.startswith("Kucsko G. Nanometre-scale thermometry. Nature 2013")
    assert [str(paper_id) for paper_id in found.ids] == ["doi:10.1038/nature12373", "pmid:23903748"]


def test_addresses_of_archives_carry_their_identifiers() -> None:
    found = identify_citation("https://pubmed.ncbi.nlm.nih.gov/35726897/")

    assert [str(paper_id) for paper_id in found.ids] == ["pmid:35726897"]


@pytest.mark.parametrize("wrong", ["978-3-16-148410-1", "ISBN 0-306-40615-3", "ISBN 9771234567898"])
def test_a_wrong_check_digit_is_said(wrong: str) -> None:
    found = identify_citation(wrong)

    assert found.kind is CitationKind.ISBN
    assert "check digit" in found.fault
    assert not found.ids


def test_the_two_lengths_of_an_isbn_are_one_number() -> None:
    assert (
        identifiers.parse_isbn("0-306-40615-2").value
        == identifiers.parse_isbn("978-0-306-40615-7").value
    )
