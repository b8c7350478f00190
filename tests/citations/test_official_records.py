"""Cases, patents, filings, trials and statistics in every style, known by their address alone."""

from __future__ import annotations

from datetime import date

import pytest

from citewell.citations.bibliographies import render_bibliography
from citewell.citations.citable_works import CitableWork, parse_author_line
from citewell.citations.official_records import format_patent_number, recognize_official_record

TODAY = date(2026, 11, 16)
CASE_URL = "https://www.courtlistener.com/opinion/2812209/obergefell-v-hodges/"
PATENT_URL = "https://patents.google.com/patent/US10165245B2/en"
TRIAL_URL = "https://clinicaltrials.gov/study/NCT04207047"
CASE = CitableWork(
    url=CASE_URL, title="Obergefell v. Hodges, 576 U.S. 644 (2015) – CourtListener.com"
)
PATENT = CitableWork(
    url=PATENT_URL,
    title="US10165245B2 - Folding display - Google Patents",
    authors=parse_author_line("Ann Smith; Bob Lee"),
    published="2018-12-25",
)
TRIAL = CitableWork(
    url=TRIAL_URL,
    title="Light and sleep",
    authors=parse_author_line("Example University"),
    published="2018-10-02",
)


@pytest.mark.parametrize(
    ("work", "style", "entry"),
    [
        (CASE, "apa", f"Obergefell v. Hodges, 576 U.S. 644 (2015). {CASE_URL}"),
        (CASE, "mla", f"Obergefell v. Hodges, 576 U.S. 644 (2015). {CASE_URL}."),
        (CASE, "chicago", f"Obergefell v. Hodges, 576 U.S. 644 (2015). {CASE_URL}."),
        (CASE, "harvard", f"Obergefell v. Hodges (2015) 576 U.S. 644. Available at: {CASE_URL}."),
        (CASE, "vancouver", f"1. Obergefell v. Hodges, 576 U.S. 644 (2015). Available from: {CASE_URL}"),
        (CASE, "ieee", f"[1] Obergefell v. Hodges, 576 U.S. 644 (2015). [Online]. Available: {CASE_URL}"),
        (PATENT, "apa", f"Smith, A., & Lee, B. (2018). Folding display (U.S. Patent No. 10,165,245 B2). U.S. Patent and Trademark Office. {PATENT_URL}"),
        (PATENT, "mla", f"Smith, Ann, and Bob Lee. Folding display. U.S. Patent 10,165,245 B2, U.S. Patent and Trademark Office, 25 Dec. 2018, {PATENT_URL}."),
        (PATENT, "chicago", f"Smith, Ann, and Bob Lee. 2018. “Folding display.” U.S. Patent 10,165,245 B2, issued December 25, 2018. {PATENT_URL}."),
        (PATENT, "harvard", f"Smith, A. and Lee, B. (2018) ‘Folding display’. U.S. Patent no. 10,165,245 B2. Available at: {PATENT_URL}."),
        (PATENT, "vancouver", f"1. Smith A, Lee B, inventors. Folding display. United States patent US 10,165,245 B2. 2018 Dec 25. Available from: {PATENT_URL}"),
        (PATENT, "ieee", f"[1] A. Smith and B. Lee, “Folding display,” U.S. Patent 10 165 245 B2, Dec. 25, 2018. [Online]. Available: {PATENT_URL}"),
        (TRIAL, "apa", f"Example University. (2018). Light and sleep (ClinicalTrials.gov identifier NCT04207047). U.S. National Library of Medicine. {TRIAL_URL}"),
        (TRIAL, "chicago", f"Example University. 2018. Light and Sleep. ClinicalTrials.gov identifier NCT04207047. U.S. National Library of Medicine. {TRIAL_URL}."),
    ],
)  # fmt: skip
def test_a_record_has_the_form_that_its_style_gives_it(
    work: CitableWork, style: str, entry: str
) -> None:
    assert render_bibliography([work], style=style, accessed=TODAY) == entry


@pytest.mark.parametrize(
    ("url", "title", "kind", "number"),
    [
        ("https://www.sec.gov/Archives/edgar/data/320193/1/a.htm", "Form 10-K", "report", ""),
        ("https://data.worldbank.org/indicator/NY.GDP.MKTP.CD", "GDP", "dataset", ""),
        ("https://ec.europa.eu/eurostat/databrowser/view/une_rt_m", "Jobs", "dataset", ""),
        ("https://caselaw.nationalarchives.gov.uk/uksc/2019/41", "R (Miller) v The Prime Minister [2019] UKSC 41", "legal_case", "[2019] UKSC 41"),
        ("https://eur-lex.europa.eu/eli/reg/2016/679/oj", "Regulation (EU) 2016/679", "legislation", ""),
        ("https://www.federalregister.gov/documents/2024/1/x", "A rule", "regulation", ""),
        ("https://example.org/patent/US1A", "A page about patents", "", ""),
        ("https://clinicaltrials.gov/about", "About", "", ""),
    ],
)  # fmt: skip
def test_a_record_is_known_by_its_address(url: str, title: str, kind: str, number: str) -> None:
    known = recognize_official_record(CitableWork(url=url, title=title))

    assert (known.kind, known.number) == (kind, number)


def test_the_court_of_a_case_stands_before_its_year() -> None:
    title = "Lenz v. Universal Music Corp., 815 F.3d 1145 (9th Cir. 2016)"

    shown = render_bibliography(
        [CitableWork(url=CASE_URL, title=title)], style="apa", accessed=TODAY
    )

    assert shown == f"{title}. {CASE_URL}"


def test_a_work_that_says_what_it_is_keeps_its_kind() -> None:
    work = CitableWork(url=PATENT_URL, title="A chapter", kind="chapter")

    assert recognize_official_record(work) is work


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("US10165245B2", "10,165,245 B2"),
        ("US20140131102A1", "2014/0131102 A1"),
        ("EP1000000A1", "EP 1000000 A1"),
        ("USD456723S", "USD456723S"),
    ],
)
def test_patent_numbers_are_written_as_people_write_them(number: str, shown: str) -> None:
    assert format_patent_number(number) == shown


def test_reference_managers_get_the_type_and_number_of_a_record() -> None:
    ris = render_bibliography([CASE, PATENT], style="ris", accessed=TODAY)
    csl = render_bibliography([CASE, PATENT], style="csl-json", accessed=TODAY)

    assert "TY  - CASE" in ris
    assert "TY  - PAT" in ris
    assert "M1  - US10165245B2" in ris
    assert '"type": "legal_case"' in csl
    assert '"number": "US10165245B2"' in csl
