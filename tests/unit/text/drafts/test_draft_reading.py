from __future__ import annotations

import pytest

from citewell.errors import InvalidInput
from citewell.model.draft import CitationForm, StatementSign
from citewell.text.drafts.draft_reading import MAX_DRAFT_CHARS
from tests.unit.text.drafts.draft_samples import NAMED, NUMBERED, map_citations
from tests.unit.text.drafts.given_drafts import read_draft


def test_numbers_lead_to_the_entries_of_the_list() -> None:
    draft = read_draft(NUMBERED)

    assert map_citations(draft) == {
        "[1]": ["Walker 2004"],
        "[2, 4-5]": ["Mednick 2003", "Rasch 2013", "Stickgold 2005"],
        "[3]": ["Diekelmann 2010"],
        "[9]": ["missing 9"],
        "[source](https://example.org/caffeine)": ["https://example.org/caffeine"],
    }
    assert [one.reference.title for one in draft.references if one.id in draft.uncited_reference_ids] == ["Never cited work"]  # fmt: skip


def test_a_citation_in_the_middle_stands_for_its_clause() -> None:
    draft = read_draft(NUMBERED)

    said = {one.text: one for one in draft.statements}
    first = said["Sleep deprivation reduces recall by about 20% in adults"]
    assert first.citation_ids == ("c1",)
    assert said["whereas naps of 90 minutes improve it."].citation_ids == ("c2",)
    assert StatementSign.NUMBER in first.signs
    assert draft.text[first.place.start : first.place.end].endswith("[1]")
    assert (first.place.line, first.place.column) == (3, 1)


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
    assert {one.form for one in draft.citations} == {CitationForm.AUTHOR_YEAR}


def test_an_uncited_statement_with_a_number_is_kept_and_the_authors_own_doing_is_not() -> None:
    draft = read_draft("Wheat grew by 12% in 2005. We measured 30 plants. What is 12% of it?")

    assert [one.text for one in draft.statements] == ["Wheat grew by 12% in 2005."]
    assert draft.notes == ("No citation was found in the text.",)


@pytest.mark.parametrize(
    ("text", "form", "word"),
    [
        ("", "auto", "empty"),
        ("a text", "odd", "Unknown format"),
        ("a " * (MAX_DRAFT_CHARS // 2 + 1), "plain", "in parts"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_a_clear_word(
    text: str, form: str, word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        read_draft(text, format=form)


def test_a_remark_in_a_footnote_is_no_part_of_its_sentence() -> None:
    draft = read_draft(
        "The constant is 67.4 km/s.\\footnote{The Paris group prefers 70 km/s in 2019.} It has an error of 0.5~\\cite{planck}.",
        format="latex",
        bibliography="@article{planck, author={Aghanim, N.}, title={Planck results}, year={2020}}",
    )

    assert [one.text for one in draft.statements] == [
        "The constant is 67.4 km/s.",
        "The Paris group prefers 70 km/s in 2019.",
        "It has an error of 0.5.",
    ]


def test_a_name_that_may_open_a_sentence_is_a_name_before_et_al() -> None:
    draft = read_draft(
        "Nets are deep. He et al. (2015) trained 152 layers.\n\nReferences\n\nHe, K., Zhang, X., Ren, S. (2015). Deep residual learning. arXiv.\n"
    )

    assert map_citations(draft) == {"He et al. (2015)": ["He 2015"]}


def test_a_thousand_copies_of_a_citation_are_one_reference() -> None:
    entry = "1. Smith J, Doe A. On the growth of things. Nature. 2019;1:2-3."

    draft = read_draft(f"{'Things grow by 5% in spring [1]. ' * 1000}\n\n# References\n\n{entry}\n")

    assert len(draft.citations) == len(draft.statements) == 1000
    assert [one.reference_ids for one in draft.citations] == [("r1",)] * 1000
    assert len(draft.references) == 1


BIBLIOGRAPHY = (
    "@article{ruiz20, author={Ruiz, Ana}, title={On tides}, year={2020}, doi={10.5555/t1}}\n"
    "@article{oba19, author={Oba, Kei and Lind, Eva}, title={On ice}, year={2019}}\n"
    "@article{mey18, author={Mey, A. and Roe, B. and Sun, C.}, title={On salt}, year={2018}}\n"
)


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("latex", r"\citet{ruiz20} shows that tides rise by 4 metres.", "Ruiz shows that tides rise by 4 metres."),
        ("latex", r"As \textcite[12]{oba19} argue, 45 percent of the ice is old.", "As Oba and Lind argue, 45 percent of the ice is old."),
        ("latex", r"Work by \citet{mey18} finds 20 percent more salt.", "Work by Mey finds 20 percent more salt."),
        ("markdown", "@ruiz20 shows that tides rise by 4 metres.", "Ruiz shows that tides rise by 4 metres."),
    ],
)  # fmt: skip
def test_a_key_that_is_a_word_of_its_sentence_is_read_as_its_authors(
    form: str, text: str, said: str
) -> None:
    draft = read_draft(text, format=form, bibliography=BIBLIOGRAPHY)

    assert [one.text for one in draft.statements] == [said]


@pytest.mark.parametrize(
    ("note", "reference"),
    [
        ("Ruiz, A. (2020). On tides. *Journal of Sea* 3, 1-9. https://doi.org/10.5555/t1", "On tides"),
        ("See [the page](https://example.org/ice) for more.", "https://example.org/ice"),
        ("@oba19, p. 3", "On ice"),
    ],
)  # fmt: skip
def test_a_note_that_is_written_in_place_stands_for_its_sentence(note: str, reference: str) -> None:
    draft = read_draft(
        f"Tides rise by 4 metres.^[{note}] Ships wait.",
        format="markdown",
        bibliography=BIBLIOGRAPHY,
    )

    [citation] = draft.citations
    [cited] = [one for one in draft.references if one.id in citation.reference_ids]
    assert reference in {cited.reference.title, cited.reference.url}
    assert [one.text for one in draft.statements if one.citation_ids] == ["Tides rise by 4 metres."]


def test_a_remark_that_is_written_in_place_cites_nothing() -> None:
    draft = read_draft("Salt makes up 3 percent.^[Of the open sea, that is.]", format="markdown")

    assert draft.citations == ()
    assert [one.text for one in draft.statements] == ["Salt makes up 3 percent."]


def test_a_cite_element_without_a_link_is_a_reference_if_it_is_one() -> None:
    draft = read_draft(
        "<p>Tides rise by 4 metres <cite>Ruiz, A. (2020). On tides. Journal of Sea 3, 1-9.</cite>."
        " In <cite>The Ice Book</cite> there are 40 pictures.</p>",
        format="html",
    )

    assert [one.reference.title for one in draft.references] == ["On tides"]
    assert [one.text for one in draft.statements if one.citation_ids] == ["Tides rise by 4 metres."]


@pytest.mark.parametrize(
    "pointer",
    [
        "Both dates are from the bureau's guide",
        "These figures come from the yearly report",
        "Alle Zahlen stammen aus dem Jahresbericht",
        "Ces chiffres proviennent du rapport annuel",
        "Las cifras proceden del informe anual",
    ],
)
def test_a_sentence_that_only_says_where_something_is_from_is_no_statement(pointer: str) -> None:
    draft = read_draft(
        f"The pact was signed on 3 May 1921 by 12 towns. {pointer}.[^1]\n\n[^1]: Guide, https://example.org/guide\n"
    )

    assert [one.text for one in draft.statements] == [
        "The pact was signed on 3 May 1921 by 12 towns."
    ]
    assert draft.statements[0].citation_ids == ("c1",)


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

    assert [one.reference_ids for one in draft.citations] == [("r1",)]


@pytest.mark.parametrize("form", ["markdown", "plain"])
def test_an_ordered_list_at_the_end_is_the_list_that_numbers_cite(form: str) -> None:
    draft = read_draft(
        "Tides rise by 4 metres [1], and ice melts [2].\n\n"
        "1. Ruiz, A. On tides. https://example.org/tides\n2. Ice Office. Melting. https://example.org/ice\n",
        format=form,
    )

    assert [one.reference_ids for one in draft.citations] == [("r1",), ("r2",)]
    assert all(not one.missing for one in draft.citations)


def test_an_ordered_list_of_steps_is_no_list_of_references() -> None:
    draft = read_draft(
        "See [1].\n\n1. Open the valve in 2019.\n2. Close the lid.\n", format="markdown"
    )

    assert [one.is_listed for one in draft.references if one.place is not None] == []


def test_the_column_of_sources_is_no_part_of_what_a_row_says() -> None:
    draft = read_draft(
        "| Item | Value | Source |\n| --- | --- | --- |\n| Wells | 64% | [Office](https://example.org/w) |\n",
        format="markdown",
    )

    assert [one.text for one in draft.statements] == ["Wells; Value: 64%"]


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

    assert [(one.text, one.reference_ids) for one in draft.citations] == [
        (f"({organisation}, 2019)", ("r1",))
    ]


@pytest.mark.parametrize("title", ["Note", "Notes", "Notas", "Sources"])
def test_a_title_that_could_head_a_list_heads_the_text(title: str) -> None:
    text = (
        f"# {title}\n\nThe flow of the river is known well enough for planning (Zhang & Liu, 2018). Many people"
        " live beside it.\n\n## References\n\n"
        "Zhang, H., & Liu, C. (2018). Quantized conductance. Nature, 556, 74-79.\n"
    )

    draft = read_draft(text)

    assert [one.reference_ids for one in draft.citations] == [("r1",)]
    assert len(draft.references) == 1


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("html", '<p>Failures rose in cities (<a href="https://doi.org/10.1038/onc.12">Raman et al.</a>, <a href="https://doi.org/10.1002/ehf2.18">Maffeis et al.</a>). So much for this.</p>'),
        ("markdown", "Failures rose in cities ([Raman et al.](https://doi.org/10.1038/onc.12), [Maffeis et al.](https://doi.org/10.1002/ehf2.18)). So much for this."),
    ],
)  # fmt: skip
def test_several_links_that_name_authors_stand_for_one_statement(form: str, text: str) -> None:
    [statement] = read_draft(text, format=form).statements

    assert statement.text.startswith("Failures rose in cities")
    assert len(statement.citation_ids) == 2


def test_an_organisation_whose_name_begins_with_an_article_is_linked() -> None:
    draft = read_draft(
        "The tower has 1,665 steps (The Open Almanac, n.d.).\n\n## References\n\n"
        "The Open Almanac (n.d.). Towers. https://almanac.example.net/towers\n",
        format="markdown",
    )

    assert [one.reference_ids for one in draft.citations] == [("r1",)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Bees see the sun (Abernathy et al., 2019, https://doi.org/10.5555/bees).", ("Abernathy",)),
        ("Bees see the sun [Abernathy & Li, 2019](https://doi.org/10.5555/bees).", ("Abernathy", "Li")),
        ("Abernathy and Li (2019, doi:10.5555/bees) say that bees see the sun.", ("Abernathy", "Li")),
        ("Bees see the sun (https://doi.org/10.5555/bees).", ()),
        ("Bees saw the sun in 2019 (see https://doi.org/10.5555/bees).", ()),
        ("Bees see the sun (WHO, 2019, https://doi.org/10.5555/bees).", ()),
        ("Bees see the sun (Science Advances, 2019, https://doi.org/10.5555/bees).", ()),
    ],
)  # fmt: skip
def test_an_address_in_the_text_keeps_the_authors_and_the_year_beside_it(
    text: str, names: tuple[str, ...]
) -> None:
    [one] = [each.reference for each in read_draft(text).references if each.reference.ids]

    assert tuple(author.family for author in one.authors) == names
    assert one.year == (2019 if names else None)
