"""References without an identifier: said to be absent, to differ from the record, or neither."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.citations import references
from citewell.core.values.paper import IdentifierScheme, Paper, WorkAuthor
from citewell.trust import bibliography_audit
from tests.requirements import requires
from tests.trust.desk import Desk

THREE = ("crossref", "openalex", "semanticscholar")
INVENTED = (
    "Quarles B, Ferrante M. Quilted lantern resonance in harbour sediments: a longitudinal study of tidal"
    " acoustics. Journal of Marine Acoustics. 2019;12(3):145-162."
)
ALPHAFOLD = "Highly accurate protein structure prediction with AlphaFold"


def audit(*texts: str, desk: Desk | None = None, form: str = "prose") -> dict[str, Any]:
    listed = "\n\n".join(f"[{n}] {text}" for n, text in enumerate(texts, 1))
    document = references.parse_bibliography(listed if form == "prose" else texts[0], format=form)
    request = bibliography_audit.build_document_request(document)
    service = (desk or Desk(answering=THREE)).audit()
    return asyncio.run(service.audit_bibliography(request)).to_wire()


def verify(text: str, desk: Desk | None = None) -> dict[str, Any]:
    service = (desk or Desk(answering=THREE)).verify()
    return asyncio.run(service.verify_citation(text)).to_wire()


def paper(title: str, *names: str, year: int, **more: Any) -> Paper:
    doi = f"10.1234/{abs(hash(title)) % 10**6}"
    people = tuple(WorkAuthor(name=name, family=name.split()[-1]) for name in names)
    return Paper(
        title=title, source="crossref", ids={IdentifierScheme.DOI: doi}, authors=people, year=year, **more
    )  # fmt: skip


@requires("audit_bibliography.absent_reference")
def test_a_title_that_nobody_has_is_not_found_and_the_registries_are_named() -> None:
    [entry] = audit(INVENTED)["entries"]

    assert entry["flags"] == ["not_found"]
    assert entry["existence"] == "not_found"
    assert "Crossref, OpenAlex or Semantic Scholar" in entry["reason"]
    assert "out of reach" not in entry["reason"]


@requires("audit_bibliography.absent_reference")
def test_verify_says_the_same_of_a_title_that_nobody_has() -> None:
    found = verify(INVENTED)

    assert (found["existence"], found["verificationStatus"]) == ("not_found", "not_found")
    assert "does not prove" in found["authenticityCaveat"]
    assert "matchedRecord" not in found


def test_the_nearest_records_are_shown_few_and_short() -> None:
    title = "Quilted lantern resonance in river sediments: a longitudinal study of acoustics"
    near = paper(title, "Ada Vance", year=2011)
    desk = Desk(answering=THREE, papers=[near])

    [entry] = audit(INVENTED, desk=desk)["entries"]

    assert entry["flags"] == ["not_found"]
    [shown] = entry["nearestRecords"]
    assert (shown["title"], shown["year"], shown["doi"]) == (near.title, 2011, near.doi)
    assert near.title in entry["reason"]


@pytest.mark.parametrize(
    "title",
    [
        "Tidal acoustics of river sediments in summer",
        "Quilted lantern resonance in river sediments",
    ],
)
def test_another_work_on_the_same_subject_is_not_offered_as_the_nearest(title: str) -> None:
    other = paper(title, "Ada Vance", year=2011)

    [entry] = audit(INVENTED, desk=Desk(answering=THREE, papers=[other]))["entries"]

    assert "nearestRecords" not in entry
    assert other.title not in entry["reason"]


@pytest.mark.parametrize(
    ("answering", "silent"),
    [
        (("crossref",), ()),
        (("crossref", "openalex"), ("semanticscholar",)),
        (("crossref", "datacite", "openlibrary"), ("openalex", "semanticscholar")),
        (("europepmc", "datacite", "arxiv"), THREE),
    ],
)
def test_too_few_registries_accuse_nobody(
    answering: tuple[str, ...], silent: tuple[str, ...]
) -> None:
    desk = Desk(answering=answering, silent=silent)

    [entry] = audit(INVENTED, desk=desk)["entries"]

    assert entry["flags"] == ["unchecked"]
    assert "too few" in entry["reason"]


def test_one_registry_that_fails_does_not_matter_if_three_answer() -> None:
    desk = Desk(answering=THREE, silent=("datacite", "europepmc"))

    assert audit(INVENTED, desk=desk)["entries"][0]["flags"] == ["not_found"]


def test_a_registry_of_medicine_counts_for_a_medical_title() -> None:
    medical = (
        "Quarles B, Ferrante M. Nocturnal vaccine uptake of lighthouse keepers with diabetes: a stepped-wedge"
        " trial. Clin Med. 2019;12(3):145-162."
    )
    desk = Desk(answering=("crossref", "openalex", "europepmc"), silent=("semanticscholar",))

    assert audit(medical, desk=desk)["entries"][0]["flags"] == ["not_found"]
    assert audit(INVENTED, desk=desk)["entries"][0]["flags"] == ["unchecked"]


def test_registries_that_offer_nothing_at_all_accuse_nobody() -> None:
    assert audit(INVENTED, desk=Desk(answering=THREE, papers=[]))["entries"][0]["flags"] == ["unchecked"]  # fmt: skip


@requires("audit_bibliography.covered_kinds")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Vance, A. (2011). Lanterns and their quilted harbours through the ages. New York: Farrar.", "a book"),
        ("Vance A. The lantern economy of coastal Ruritania and its harbours. PhD thesis, University of Ruritania, 2014.", "a thesis"),
        ("Lantern Institute. Annual report on the state of quilted harbours. Technical Report 14, 2015.", "a report"),
        ("Vance A. Why every harbour needs its quilted lanterns now. The Guardian, 3 May 2019.", "a newspaper"),
        ("Vance A. Quilted lanterns in the harbours of tomorrow. Accessed 3 May 2020 from www.example.org", "a web page"),
        ("Vance A. Quilted lantern resonance in harbours of the north. J Acoust. In press.", "an unpublished"),
        ("ISO 12345:2019. Quilted lanterns for harbours: requirements and test methods.", "a standard"),
        ("Vance A. (1887). On the quilted lanterns of northern harbours. Journal of Lanterns, 12, 4-19.", "before 1950"),
        ("Vance A. Die Laternen der Häfen und ihre Geschichte in der Neuzeit. Z Laternen. 2001;12:4-19.", "not in English"),
        ("فانس، أ. الفوانيس المبطنة في الموانئ الشمالية عبر العصور. مجلة الفوانيس 2012; 4: 12-19.", "another script"),
        ("Vance A. Quilted lanterns of harbours. In: Doe J, editor. Handbook of coastal lights. Cambridge: Harbour Press; 2010.", "a chapter"),
    ],
)  # fmt: skip
def test_what_registries_often_lack_is_not_accused_and_its_kind_is_named(
    text: str, why: str
) -> None:
    [entry] = audit(text)["entries"]

    assert entry["flags"] == ["unchecked"]
    assert why in entry["reason"]


@pytest.mark.parametrize(
    ("kind", "flag"),
    [("article", "not_found"), ("inproceedings", "not_found"), ("book", "unchecked"), ("phdthesis", "unchecked"),
     ("techreport", "unchecked"), ("misc", "unchecked")],
)  # fmt: skip
def test_a_record_is_judged_by_the_kind_that_it_states(kind: str, flag: str) -> None:
    venue = {"article": "journal", "inproceedings": "booktitle"}.get(kind, "publisher")
    entry = (
        f"@{kind}{{a, author = {{Vance, Ada}}, title = {{Quilted lantern resonance in northern harbours}},"
        f" year = 2014, {venue} = {{Lantern Letters}}, volume = 3, pages = {{4--9}}}}"
    )

    assert audit(entry, form="bibtex")["entries"][0]["flags"] == [flag]


def test_a_short_record_title_does_not_match_every_text() -> None:
    text = (
        "Quarles B, Ferrante M. Patient questions and the quality of answers in harbour clinics: a survey of"
        " lantern keepers. Journal of Marine Medicine. 2019;12(3):145-162."
    )
    desk = Desk(answering=THREE, papers=[paper("Questions and Answers", "Mira Ferrante", year=2019)])  # fmt: skip

    [entry] = audit(text, desk=desk)["entries"]

    assert entry["flags"] == ["not_found"]
    assert entry["matchConfidence"] in {"low", "none"}


def test_a_title_that_stands_in_the_text_is_found_whatever_was_taken_for_it() -> None:
    text = f"2021, Nature 596, 583. {ALPHAFOLD}. By John Jumper and Richard Evans."

    [entry] = audit(text)["entries"]

    assert entry["flags"] == []
    assert entry["matchedTitle"] == ALPHAFOLD


@requires("audit_bibliography.other_authors")
@pytest.mark.parametrize(
    "text",
    [
        f"Abernathy Q, Sutherland K. {ALPHAFOLD}. Nature. 2021;596:583-589.",
        f"Abernathy, Q., & Sutherland, K. (2021). {ALPHAFOLD}. Nature, 596, 583–589.",
        f"[4] Q. Abernathy and K. Sutherland, “{ALPHAFOLD},” Nature, vol. 596, pp. 583–589, 2021.",
    ],
)
def test_a_right_title_with_other_authors_is_a_mismatch_that_names_the_right_ones(
    text: str,
) -> None:
    [entry] = audit(text)["entries"]

    assert entry["flags"] == ["mismatch"]
    assert "Jumper, Evans, Pritzel et al." in entry["reason"]
    [correction] = entry["corrections"]
    assert correction["field"] == "authors"
    assert "Jumper" in correction["record"]
    assert "Abernathy" in correction["cited"]
    assert entry["suggestedDoi"] == "10.1038/s41586-021-03819-2"


@requires("audit_bibliography.own_year")
@pytest.mark.parametrize(
    "text",
    [
        f"Jumper J, Evans R. {ALPHAFOLD}. Nature. 2025;2021:583-589.",
        f"Jumper, J., & Evans, R. (2025). {ALPHAFOLD}. Nature, 2021(3), 583–589.",
        f"Jumper, J. 2025. “{ALPHAFOLD}.” Nature 596: 2021–2029.",
        f"Jumper, J. (2025) ‘{ALPHAFOLD}’, Nature, vol. 2021. Accessed 4 March 2021.",
    ],
)
def test_only_the_references_own_year_counts(text: str) -> None:
    [entry] = audit(text)["entries"]

    assert "mismatch" in entry["flags"]
    assert entry["yearMatch"] == "mismatch"
    assert "2025, the record 2021" in entry["reason"]


@pytest.mark.parametrize("year", [2020, 2021, 2022])
def test_a_year_more_or_less_is_no_mismatch(year: int) -> None:
    [entry] = audit(f"Jumper J, Evans R. {ALPHAFOLD}. Nature. {year};596:583-589.")["entries"]

    assert entry["flags"] == []


def test_the_year_of_a_preprint_is_no_mismatch_if_both_are_registered() -> None:
    title = "Quilted lantern resonance in harbour sediments of the north"
    names = ("Ada Vance", "Mira Ferrante")
    article = paper(title, *names, year=2021, kind="article-journal", venue="Lantern Letters")
    preprint = Paper(
        title=title, source="arxiv", authors=article.authors, year=2017, kind="article", venue="arXiv",
        ids={IdentifierScheme.DOI: "10.48550/arxiv.1701.00001"},
    )  # fmt: skip
    desk = Desk(answering=THREE, papers=[article, preprint])
    words = f"Vance A, Ferrante M. {title}. Lantern Letters. 2017;3:4-9."

    worded, numbered = audit(words, f"{words} doi:{article.doi}", desk=desk)["entries"]

    assert "mismatch" not in worded["flags"]
    assert "mismatch" not in numbered["flags"]


def test_a_year_that_neither_the_preprint_nor_its_article_has_is_a_mismatch() -> None:
    title = "Quilted lantern resonance in harbour sediments of the north"
    names = ("Ada Vance", "Mira Ferrante")
    article = paper(title, *names, year=2016, kind="paper-conference", venue="Lantern Days")
    preprint = Paper(
        title=title, source="arxiv", authors=article.authors, year=2015, kind="article", venue="arXiv",
        ids={IdentifierScheme.DOI: "10.48550/arxiv.1501.00001"},
    )  # fmt: skip
    desk = Desk(answering=THREE, papers=[article, preprint])

    [entry] = audit(
        f"Vance A, Ferrante M. (2012). {title}. https://doi.org/{preprint.doi}", desk=desk
    )["entries"]

    assert "mismatch" in entry["flags"]


def test_a_preprint_that_became_an_article_names_it() -> None:
    preprint = paper(
        "Quilted lantern resonance in harbour sediments", "Ada Vance", year=2017, preprint_of="10.1234/final"
    )  # fmt: skip
    desk = Desk(answering=THREE, papers=[preprint])

    found = verify(str(preprint.doi), desk)

    assert found["publishedDoi"] == "10.1234/final"
    assert any("10.1234/final" in note for note in found["notes"])


@requires("audit_bibliography.corrections")
def test_half_a_title_at_the_same_page_is_told_with_the_right_title() -> None:
    text = "Jumper J, Evans R. Highly accurate protein structure prediction of coastal erosion by kelp. Nature. 2021;596:583-589."
    desk = Desk(answering=THREE)

    [entry] = audit(text, desk=desk)["entries"]

    assert entry["flags"] == ["mismatch"]
    assert entry["corrections"][0]["field"] == "title"
    assert entry["corrections"][0]["record"] == ALPHAFOLD


@requires("audit_bibliography.equal_entries")
def test_equal_entries_are_looked_up_once_and_flagged() -> None:
    desk = Desk(answering=THREE)
    texts = [f"Vance A. Lantern study number {n} of quilted harbours. J Acoust. 2010;{n}:1-9." for n in range(50)]  # fmt: skip

    found = audit(*([INVENTED] * 150 + texts), desk=desk)

    assert desk.asked.count("match") == 51
    assert found["summary"]["duplicates"] == 149
    assert found["summary"]["notFound"] == 200


def test_answers_that_fit_nothing_are_not_called_an_outage_in_the_summary() -> None:
    text = (
        "Vance, A. (2011). Lanterns and their quilted harbours through the ages. New York: Farrar."
    )

    heard = audit(text)["summary"]["warning"]
    unheard = audit(text, desk=Desk(down=True))["summary"]["warning"]

    assert "unreachable" not in heard
    assert "unreachable" in unheard


@pytest.mark.parametrize(
    "text",
    [
        "Vance A, Ferrante M, J Lantern Chem, 2021, 76, 1511–1522.",
        "Vance A. Untitled. 2019.",
        "Vance, 2019",
        "Ibid., p. 4.",
        "x " * 3000,
        "Vance A. " + "quilted lantern harbour resonance " * 150 + ". J Acoust. 2010;4:1-9.",
    ],
)
def test_an_odd_entry_has_a_clear_result(text: str) -> None:
    found = audit(text)

    assert found["entryCount"] + len(found.get("malformed", ())) >= 1
    assert all(entry["flags"] in (["unchecked"], ["not_found"]) for entry in found["entries"])
    assert all(entry["reason"] for entry in found["entries"])


def test_a_record_without_a_title_matches_nothing() -> None:
    desk = Desk(answering=THREE, papers=[paper("", "Mira Ferrante", year=2019)])

    [entry] = audit(INVENTED, desk=desk)["entries"]

    assert entry["flags"] == ["not_found"]


def test_authors_that_come_last_are_still_the_authors() -> None:
    [entry] = audit(f"{ALPHAFOLD}. Nature 2021; 596: 583. Jumper J, Evans R, Pritzel A.")["entries"]

    assert entry["flags"] == []


def test_a_reference_without_a_title_is_found_by_author_year_volume_and_page() -> None:
    known = paper(
        "Quilted lantern resonance", "Ada Vance", year=2021, venue="Lantern Chem", volume="76", pages="1511-1522"
    )  # fmt: skip
    desk = Desk(answering=THREE, papers=[known])

    right, wrong = audit(
        "Vance A, Ferrante M, Lantern Chem, 2021, 76, 1511–1522.",
        "Vance A, Ferrante M, Lantern Chem, 2021, 77, 1411–1422.",
        desk=desk,
    )["entries"]

    assert right["flags"] == []
    assert right["matchedTitle"] == known.title
    assert wrong["flags"] == ["unchecked"]


def test_a_similar_title_of_other_people_is_not_the_work_meant() -> None:
    known = paper("Lung organoids as model to study lantern infection", "Li Peng", year=2022)
    desk = Desk(answering=THREE, papers=[known])

    [entry] = audit(
        "Vance A. Human organoid models to study lantern infection. Nat Methods. 2022;19:418-428.",
        desk=desk,
    )["entries"]

    assert entry["flags"] == ["not_found"]
    assert entry["nearestRecords"][0]["doi"] == known.doi
