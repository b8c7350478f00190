""""""

from __future__ import annotations

import pytest

from citewell.drafts.draft import CitationForm
from tests.drafts.draft_samples import NAMED, map_citations
from tests.drafts.given_drafts import read_draft


def test_names_and_years_lead_to_the_entries_of_the_list() -> None:
    draft = read_draft(NAMED)

    assert map_citations(draft) == {
        "(Lobell et al., 2011; Schlenker & Roberts, 2009)": ["Lobell 2011", "Schlenker 2009"],
        "Lobell et al. (2011)": ["Lobell 2011"],
        "Ray and Foley (2013)": ["missing Ray, Foley 2013"],
        "World Bank (2020)": ["World Bank 2020"],
        "Doe (2021a, 2021b)": ["Doe 2021", "Doe 2021"],
        "Müller und Schmidt (2018)": ["Müller 2018"],
        "(vgl. Meyer 2017, S. 12)": ["Meyer 2017"],
        "Smith and Jones 2020, p. 12": ["Smith 2020"],
        "(IPCC, 2014, p. 33)": ["IPCC 2014"],
    }
    assert {citation.form for citation in draft.citations} == {CitationForm.AUTHOR_YEAR}


def test_a_name_that_may_open_a_sentence_is_a_name_before_et_al() -> None:
    draft = read_draft(
        "Nets are deep. He et al. (2015) trained 152 layers.\n\nReferences\n\nHe, K., Zhang, X., Ren, S. (2015). Deep residual learning. arXiv.\n"
    )

    assert map_citations(draft) == {"He et al. (2015)": ["He 2015"]}


@pytest.mark.parametrize(
    ("mark", "entry"),
    [
        ("(U.S. Bureau of Wells, n.d.)", "U.S. Bureau of Wells. (n.d.). Deep wells. https://example.org/w"),
        ("(U.K. Well Office, 2021)", "U.K. Well Office. (2021). Deep wells. https://example.org/w"),
        ("(law.example.org, n.d.)", "law.example.org. Regulation (EU) 2016/679 on wells. https://law.example.org/w"),
    ],
)  # fmt: skip
def test_an_organisation_is_found_with_its_initials_and_without_a_year(
    mark: str, entry: str
) -> None:
    draft = read_draft(f"Wells run dry {mark}.\n\n## References\n\n{entry}\n")

    assert [citation.reference_ids for citation in draft.citations] == [("r1",)]


@pytest.mark.parametrize(
    "organisation",
    ["Conseil constitutionnel", "Instituto nacional de estadística", "Santé en clair"],
)
def test_an_organisation_with_small_letters_in_its_name_is_linked_by_name_and_year(
    organisation: str,
) -> None:
    text = (
        "# The river\n\nThe flow of the river is known well enough for planning in dry years. Its level fell"
        f" ({organisation}, 2019). Other things matter too (Table of contents, 2019).\n\n"
        f"## References\n\n{organisation}. (2019). Rivers and levels. https://www.example.org/rivers\n\n"
        "Zhang, H., & Liu, C. (2018). Quantized conductance. Nature, 556, 74-79.\n"
    )

    draft = read_draft(text)

    assert [(citation.text, citation.reference_ids) for citation in draft.citations] == [
        (f"({organisation}, 2019)", ("r1",))
    ]


def test_an_organisation_whose_name_begins_with_an_article_is_linked() -> None:
    draft = read_draft(
        "The tower has 1,665 steps (The Open Almanac, n.d.).\n\n## References\n\n"
        "The Open Almanac (n.d.). Towers. https://almanac.example.net/towers\n",
        format="markdown",
    )

    assert [citation.reference_ids for citation in draft.citations] == [("r1",)]
