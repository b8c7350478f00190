"""Every DOI of the register, and old and odd ones, read back from the places where DOIs stand."""

from __future__ import annotations

import html
from urllib.parse import quote

import pytest

from citewell.citations import dois, references
from tests.internet.papers import register
from tests.requirements import requires

SICI = "10.1002/(SICI)1521-3773(19980202)37:1/2<137::AID-ANIE137>3.3.CO;2-"
ODD = (
    "10.1021/ja067125+", *(f"{SICI}{sign}" for sign in "M7#+@$*~=!"), "10.1175/1520-0442(2000)013<0123:XYZABC>2.0.CO;2",
    "10.1890/0012-9658(2006)87[1445:ROLA]2.0.CO;2", "10.1061/(ASCE)0733-9429(2006)132:5(445)",
    "10.1016/S0140-6736(05)67889-0", "10.1093/acprof:oso/9780199256044.001.0001", "10.1051/0004-6361:20021326",
    "10.1037//0022-3514.77.6.1121", "10.1522/030145180_x", "10.3760/cma.j.issn.0376-2491.2016.31.007",
)  # fmt: skip
# The example with every sign in it can only be told by the registry, among several readings.
DOIS = (*ODD, *(work.doi for work in register().works if "?" not in work.doi))
SURROUNDINGS = {
    "alone": "{doi}",
    "full stop": "Okafor N. A title. J Chem. 2006;12:1-4. doi:{doi}.",
    "address": "Available at https://doi.org/{doi}, accessed 2 May 2020.",
    "brackets": "A title (doi: {doi}); see also.",
    "square brackets": "[{doi}]",
    "angle brackets": "Text <{doi}>.",
    "address in angle brackets": "<https://doi.org/{doi}>",
    "quotes": "“{doi},”",
    "French quotes": "«{doi}»",
    "question": "Is it {doi}?",
    "list": "{doi}; 10.1000/other",
    "glued mark": "doi:{doi}[PubMed]",
    "before a PMID": "doi: {doi}. PMID: 123456",
}
ESCAPED = {
    "percent": lambda doi: f"[link](https://doi.org/{quote(doi, safe='/')})",
    "entities": lambda doi: f"&lt;{html.escape(doi)}&gt;",
    "double entities": lambda doi: f"doi:{html.escape(html.escape(doi))}.",
    "markup": lambda doi: f"<p>doi:{html.escape(doi)}</p>",
    "link": lambda doi: f'<a href="https://doi.org/{html.escape(doi)}">{html.escape(doi)}</a>',
}


@requires("verify_citation.doi_plus")
@pytest.mark.parametrize("form", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_a_doi_is_read_back_from_its_surroundings(form: str) -> None:
    wrong = [doi for doi in DOIS if dois.find_doi(form.replace("{doi}", doi)) != doi.lower()]

    assert wrong == []


@pytest.mark.parametrize("escape", ESCAPED.values(), ids=ESCAPED)
def test_a_doi_is_read_back_from_its_escapes(escape: object) -> None:
    assert callable(escape)

    assert [doi for doi in DOIS if dois.find_doi(escape(doi)) != doi.lower()] == []


@pytest.mark.parametrize("doi", ODD)
def test_a_list_keeps_the_doi_and_the_title_before_it(doi: str) -> None:
    text = f"Okafor N. Ligand exchange on gold clusters. J Clust Chem. 2006;12:1-9. doi:{doi}."

    (reference,) = references.parse_bibliography(text, format="prose").references

    assert (reference.doi, reference.title) == (doi.lower(), "Ligand exchange on gold clusters")


def test_a_hostile_text_costs_no_more_than_its_length() -> None:
    for hostile in (
        "10.1000/" + "<a:" * 20_000,
        "10.1000/" + "&amp;" * 20_000,
        "10.1000/x" + "(" * 50_000,
    ):
        dois.list_doi_readings(hostile)
