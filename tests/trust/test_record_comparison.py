"""Every field of a citation is held beside the record: authors, words of the title, year, place."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from citewell.citations import references
from citewell.citations.title_matching import compare_venues
from citewell.core.values.paper import Paper, RecordReading, WorkAuthor
from citewell.trust.record_comparison import is_elsewhere, list_field_reports
from citewell.trust.work_identity import CitedWork, FieldAgreement, compare_with_record
from tests.requirements import requires

TITLE = "Federated learning for the detection of rare diseases in rural clinics"
MATCH, MISMATCH, NOT_CHECKED = FieldAgreement.MATCH, FieldAgreement.MISMATCH, FieldAgreement.NOT_CHECKED  # fmt: skip


def person(name: str) -> WorkAuthor:
    family, _, given = name.partition(", ")
    return WorkAuthor(name=f"{given} {family}".strip(), family=family, given=given)


def people(*names: str) -> tuple[WorkAuthor, ...]:
    return tuple(map(person, names))


REAL = people("Okafor, Ngozi", "van der Berg, Jan", "Müller, Käthe", "Li, Wei")


def record(**changes: object) -> Paper:
    known = Paper(
        title=TITLE, source="crossref", authors=REAL, year=2019, venue="Journal of Rural Medicine", volume="12", pages="34-41"
    )  # fmt: skip
    return known.with_changes(**changes)


def agreed(*lists: tuple[WorkAuthor, ...]) -> Paper:
    """A record merged of the readings of several registries."""
    readings = tuple(
        RecordReading(source=f"registry {at}", title=TITLE, authors=authors, year=2019)
        for at, authors in enumerate(lists)
    )
    return record(authors=lists[0], readings=readings)


def cited(*names: str, title: str = TITLE, **more: object) -> CitedWork:
    return CitedWork(title=title, authors=people(*names), year=2019, structured=True, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "names",
    [
        ("Okafor, N.", "van der Berg, J.", "Mueller, K.", "Li, W."),
        ("Okafor, N", "Berg, J. van der", "Muller, K", "Li, W"),
        ("Okafor, Ngozi", "Van Der Berg, Jan", "Müller, Kathe", "Wei, Li"),
        ("Okafor, N.", "van der Berg, J."),  # the later ones left out
        ("Okafor, N.", "Vandenberg, J.", "Müler, K.", "Li, W."),
    ],
)
def test_the_same_authors_written_otherwise_agree(names: tuple[str, ...]) -> None:
    assert compare_with_record(cited(*names), record()).author.state is MATCH


@pytest.mark.parametrize(
    "names",
    [
        ("Okafor, N.", "Castellanos, R.", "van der Berg, J.", "Müller, K.", "Li, W."),
        ("Okafor, N.", "Castellanos, R.", "Müller, K.", "Li, W."),
        ("Okafor, N.", "Castellanos, R."),
        ("Okafor, N.", "Müller, K.", "Li, W."),  # one left out
        ("van der Berg, J.", "Okafor, N.", "Müller, K.", "Li, W."),
        ("Okafor, Peter", "van der Berg, Thomas", "Müller, Emil", "Li, Gang"),
    ],
)
def test_an_altered_list_of_authors_is_told(names: tuple[str, ...]) -> None:
    assert compare_with_record(cited(*names), record()).author.state is MISMATCH


def test_the_reason_counts_the_authors_that_the_record_lacks() -> None:
    names = ("Okafor, N.", "Castellanos, R.", "Brandt, E.", "Li, W.")

    reason = compare_with_record(cited(*names), record()).author.reason

    assert reason.startswith("two of its four authors are not on the record (Castellanos, Brandt)")


def test_one_registry_that_agrees_acquits() -> None:
    wrong = people("Okafor, Ngozi", "Somebody, Else")
    names = ("Okafor, N.", "van der Berg, J.", "Müller, K.", "Li, W.")

    assert compare_with_record(cited(*names), agreed(wrong, REAL)).author.state is MATCH
    assert compare_with_record(cited(*names), agreed(wrong)).author.state is MISMATCH


def test_a_single_registry_may_hold_only_the_first_authors() -> None:
    names = ("Okafor, N.", "van der Berg, J.", "Müller, K.")
    short = REAL[:1]

    alone = compare_with_record(cited(*names), agreed(short)).author
    again = compare_with_record(cited(*names), agreed(short, people("Okafor, N."))).author

    assert (alone.state, alone.is_open) == (NOT_CHECKED, True)
    assert again.state is MISMATCH


@pytest.mark.parametrize(
    "authors",
    [
        (),
        (WorkAuthor(name="The Rural Clinics Consortium", organisation=True),),
        people("奥卡福, 恩戈齐", "李, 伟"),
        (*REAL[:1], WorkAuthor(name="Rural Clinics Group", organisation=True)),
    ],
)
def test_authors_that_cannot_be_compared_accuse_nobody(authors: tuple[WorkAuthor, ...]) -> None:
    names = ("Okafor, N.", "Castellanos, R.")

    assert compare_with_record(cited(*names), record(authors=authors)).author.state is not MISMATCH


def test_et_al_in_the_middle_leaves_authors_out() -> None:
    text = f"Okafor N, et al., Li W. {TITLE}. J Rural Med. 2019;12:34-41."
    [parsed] = references.parse_bibliography(text, format="prose").references
    own = CitedWork(text=text, title=parsed.title, authors=parsed.authors, year=parsed.year)

    assert compare_with_record(own, record()).author.state is MATCH


def test_a_collaboration_of_thousands_is_compared_at_once() -> None:
    letters = "abcdefghijklmnopqrst"
    many = [
        f"Fa{a}{b}{c}mily, {d}." for a in letters for b in letters for c in "bdfg" for d in "AB"
    ]
    began = time.process_time()

    same = compare_with_record(cited(*many), record(authors=people(*many)))
    other = compare_with_record(
        cited(*(f"Zu{name[::-1].strip(' .,')}, Q." for name in many)),
        record(authors=people(*many)),
    )

    assert len(many) > 3000
    assert (same.author.state, other.author.state) == (MATCH, MISMATCH)
    assert time.process_time() - began < 15


@pytest.mark.parametrize(
    "title",
    [
        TITLE.replace("Federated", "Centralized"),
        TITLE.replace("rare", "common"),
        TITLE.replace("rural clinics", "urban clinics"),
        TITLE.replace("clinics", "hospitals"),
        TITLE.replace("learning", "unsupervised learning"),
        TITLE.replace("in rural", "without rural"),
    ],
)
@pytest.mark.parametrize("form", ["fields", "words"])
@requires("verify_citation.fields")
def test_one_word_that_says_something_else_is_told(title: str, form: str) -> None:
    own = cited("Okafor, N.", title=title)
    if form == "words":
        text = (
            f"Okafor, N., & van der Berg, J. (2019). {title}. Journal of Rural Medicine, 12, 34–41."
        )
        own = replace(own, text=text, structured=False)

    found = compare_with_record(own, record()).title

    assert found.state is MISMATCH
    assert found.is_altered


@pytest.mark.parametrize(
    ("title", "added"),
    [
        (f"{TITLE} and autonomous submarines", "autonomous submarines"),
        (f"{TITLE} using drones: a multicentre study", "drones"),
    ],
)
@requires("verify_citation.fields")
def test_words_that_run_on_around_the_title_are_reported(title: str, added: str) -> None:
    found = compare_with_record(cited("Okafor, N.", title=title), record()).title

    assert (found.state, found.is_altered) == (MISMATCH, True)
    assert all(word in found.reason for word in added.split())


@pytest.mark.parametrize(
    "title",
    [
        TITLE.upper(),
        f"{TITLE} – a multicentre study",
        f"{TITLE} (with discussion)",
        "Federated learning for the detection of rare diseases",  # cut short
        f"{TITLE}: a multicentre study",
        TITLE.replace("detection", "detecton"),
        TITLE.replace("the detection", "detection").replace("clinics", "clinic"),
        f"<i>{TITLE}</i>.",
        TITLE.replace("rural", "ru- ral"),
    ],
)
def test_a_title_that_is_only_written_otherwise_agrees(title: str) -> None:
    found = compare_with_record(cited("Okafor, N.", title=title), record()).title

    assert (found.state, found.is_open) == (MATCH, False)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The treatment of hypertension in adults", "The treatment of hypotension in adults"),
        ("A supervised method for texts", "An unsupervised method for texts"),
        ("Aspirin is effective in old patients", "Aspirin is not effective in old patients"),
    ],
)
def test_a_prefix_or_a_negation_makes_another_title(first: str, other: str) -> None:
    for ours, theirs in ((first, other), (other, first)):
        found = compare_with_record(cited("Okafor, N.", title=ours), record(title=theirs)).title

        assert found.state is MISMATCH


def test_a_title_of_one_word_accuses_nobody() -> None:
    found = compare_with_record(cited("Okafor, N.", title="Reply"), record(title="Editorial"))

    assert found.title.state is NOT_CHECKED


def test_a_lost_word_is_reported_and_held_against_nobody() -> None:
    own = cited("Okafor, N.", title=TITLE.replace("rare ", ""))

    found = compare_with_record(own, record())
    states = {report.field: report.state for report in list_field_reports(own, found, record())}

    assert found.title.state is MATCH
    assert found.is_open
    assert states["title"] == "differs"


def test_each_field_is_reported_with_both_values() -> None:
    own = cited("Okafor, N.", "Castellanos, R.", venue="J. Rural Med.", volume="13", pages="34–41")
    own = replace(own, year=2018)

    reports = list_field_reports(own, compare_with_record(own, record()), record())

    assert [(report.field, report.state) for report in reports] == [
        ("title", "match"),
        ("authors", "differs"),
        ("year", "differs slightly"),
        ("venue", "match"),
        ("volume", "differs"),
        ("pages", "match"),
    ]
    assert (reports[1].cited, reports[4].cited, reports[4].record) == (
        "N. Okafor, R. Castellanos", "13", "12",
    )  # fmt: skip


def test_what_either_side_lacks_is_said() -> None:
    own = CitedWork(title=TITLE, volume="3", structured=True)
    bare = record(authors=(), volume=None)

    reports = list_field_reports(own, compare_with_record(own, bare), bare)

    states = {report.field: report.state for report in reports}
    assert states["authors"] == states["volume"] == "not in record"
    assert states["year"] == states["pages"] == states["venue"] == "not given"


def test_another_venue_with_another_volume_is_elsewhere() -> None:
    own = cited("Okafor, N.", venue="Annals of Glass Physics", volume="99")
    reports = list_field_reports(own, compare_with_record(own, record()), record())

    assert is_elsewhere(reports)


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [
        ("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences of the United States of America", True),
        ("PNAS", "Proceedings of the National Academy of Sciences", True),
        ("J. Am. Chem. Soc.", "Journal of the American Chemical Society", True),
        ("Lancet", "The Lancet", True),
        ("arXiv", "Nature", None),
        ("Nature Medicine", "Gut", False),
    ],
)  # fmt: skip
def test_venues_are_told_apart_despite_abbreviations(
    first: str, other: str, *, same: bool | None
) -> None:
    assert compare_venues(first, other) is same


@pytest.mark.parametrize(
    ("text", "year", "volume"),
    [
        ("Z. Wang, Y. Li, A survey of sensor fusion, Journal of Sensors 2016 (2020) 1–8.", 2020, "2016"),
        ("A. Kim, B. Lee, Sensing the sea floor, J. Sens. 2018 (2019), Article ID 12345.", 2019, "2018"),
        ("Wang, Z. Fusion in networks of robots. Journal of Sensors 2016, 2016, 1–8.", 2016, "2016"),
    ],
)  # fmt: skip
def test_a_volume_that_looks_like_a_year_is_a_volume(text: str, year: int, volume: str) -> None:
    [parsed] = references.parse_bibliography(text, format="prose").references

    assert (parsed.year, parsed.volume) == (year, volume)
