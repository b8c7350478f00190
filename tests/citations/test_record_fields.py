"""Fields as registries print them."""

from __future__ import annotations

import pytest

from citewell.citations import record_fields


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("1998 Feb 6", "1998-02-06"), ("2010 Feb", "2010-02"), ("2000 Nov-Dec", "2000-11"),
        ("1998 Dec-1999 Jan", "1998-12"), ("2000 Spring", "2000"), ("Spring 2000", "2000"),
        ("1978 Mar 15-31", "1978-03-15"), ("2019-03-27", "2019-03-27"), ("2019/3", "2019-03"),
        ("2015-06-01T00:00:00", "2015-06-01"), ("2019-13-40", "2019"), ("2021 Feb 30", "2021-02"),
        ("n.d.", None), ("", None), (None, None), ("12345", None), ("0", None),
    ],
)  # fmt: skip
def test_a_date_is_as_exact_as_it_is_printed(printed: str | None, kept: str | None) -> None:
    assert record_fields.parse_issued_date(printed) == kept


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("Plain title.", "Plain title"), ("[Titre traduit].", "Titre traduit"),
        ("[18F]FDG in [x].", "[18F]FDG in [x]"), ("A study in the U.S.", "A study in the U.S."),
        ("What then...", "What then..."), ("Vitamin D.", "Vitamin D"), ("Why?", "Why?"),
        ("<i>Gekko gecko</i>\n at rest.", "Gekko gecko at rest"), ("", ""), (None, ""),
    ],
)  # fmt: skip
def test_a_title_loses_what_the_index_added(printed: str | None, kept: str) -> None:
    assert record_fields.clean_title_field(printed) == kept


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("637-41", "637-641"), ("2149 - 2160", "2149-2160"), ("E4832 – E4841", "E4832-E4841"),
        ("235306", "235306"), ("S12-9", "S12-9"), ("", None), (None, None),
    ],
)  # fmt: skip
def test_pages_are_written_out(printed: str | None, kept: str | None) -> None:
    assert record_fields.expand_page_range(printed) == kept


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("http://arxiv.org/abs/quant-ph/0201082v1", "quant-ph/0201082"), ("2304.05376", "2304.05376"),
        ("https://arxiv.org/pdf/2304.05376v2.pdf", "2304.05376"), ("arXiv:0704.0001", "0704.0001"),
        ("https://arxiv.org/api/errors#incorrect_id_format_for_abc", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_an_arxiv_number_is_bare(printed: str | None, kept: str | None) -> None:
    assert record_fields.normalize_arxiv_field(printed) == kept


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("https://doi.org/10.1000/ABC", "10.1000/abc"), ("doi: 10.1000/x", "10.1000/x"),
        ("10.1002/(SICI)1097-4571(1998)49:8<693::AID-ASI4>3.0.CO;2-O", "10.1002/(sici)1097-4571(1998)49:8<693::aid-asi4>3.0.co;2-o"),
        ("S0004-28032013000100035", None), ("10.1000/", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_doi_is_bare_and_in_lower_case(printed: str | None, kept: str | None) -> None:
    assert record_fields.normalize_doi_field(printed) == kept


def test_numbers_of_pubmed_and_its_archive_have_one_form_each() -> None:
    assert [
        record_fields.normalize_pmid_field(text) for text in ("36972469", "007", "0", "x", None)
    ] == [
        "36972469",
        "7",
        None,
        None,
        None,
    ]
    assert [
        record_fields.normalize_pmcid_field(text)
        for text in ("10134429", "pmc9.2", "PMC9", "PMCx", None)
    ] == [
        "PMC10134429",
        "PMC9",
        "PMC9",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("Lancet (London, England)", "Lancet"), ("Science (New York, N.Y.)", "Science"),
        ("Genetics in medicine : official journal of a society", "Genetics in medicine"),
        ("Environmental science. Processes & impacts", "Environmental science. Processes & impacts"),
        ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_journal_goes_by_its_name_alone(printed: str | None, kept: str | None) -> None:
    assert record_fields.clean_journal_name(printed) == kept


def test_a_language_is_two_letters_or_unknown() -> None:
    assert [record_fields.convert_language_code(code) for code in ("eng", "GER", "und", None)] == [
        "en",
        "de",
        None,
        None,
    ]
