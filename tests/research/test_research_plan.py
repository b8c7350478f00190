from __future__ import annotations

from citewell.core.values.research import RESEARCH_TIERS
from citewell.jobs.step_values import PageReadings
from citewell.research.pages.page_analysis import analyse_pages
from citewell.research.planning.research_plan import build_research_plan
from tests import local_research
from tests.research.page_sets import analyse_texts, answer_texts, read_pages, take_section

COMPARED = (
    "A cast iron skillet is slow to heat and holds its warmth for a long time."
    " A carbon steel skillet reacts quickly and weighs a third less in the hand."
)
NEW_MACHINE = "A new dishwasher uses about 10 litres of water for a full load of plates."
OWN_WORDS = "For one load of plates a modern dishwasher needs 10 litres of water, we measured."
OLD_MACHINE = "The dishwasher of today takes 25 litres of water for a normal load of plates."
WATER = "How much water does a dishwasher use for a load of plates?"


def test_a_comparison_begins_with_a_table_of_its_two_sides() -> None:
    found = answer_texts("Cast iron or carbon steel: which skillet is better?", COMPARED)
    lines = take_section(found.synthesis, "Answer").splitlines()

    assert lines[0] == "| compared | as stated |"
    assert lines[2].startswith("| Cast iron | A cast iron skillet is slow")
    assert lines[3].startswith("| carbon steel | A carbon steel skillet reacts")
    assert all(line.endswith("[src_1] |") for line in lines[2:4])
    assert found.synthesis.count("reacts quickly") == 1


def test_a_side_that_no_page_speaks_of_alone_makes_no_table() -> None:
    both = "A cast iron skillet and a carbon steel skillet are both heavy, and both want seasoning."

    found = answer_texts("Cast iron or carbon steel: which skillet is better?", both)

    assert "| compared |" not in found.synthesis
    assert "both want seasoning" in take_section(found.synthesis, "Answer")


def test_figures_that_differ_stand_side_by_side_with_how_many_agree() -> None:
    found = answer_texts(WATER, NEW_MACHINE, OWN_WORDS, OLD_MACHINE)
    (table,) = found.value_tables

    assert table.subject.endswith("2 of 3 sources say 10 litres")
    assert sorted(row.value for row in table.rows) == ["10 litres", "10 litres", "25 litres"]
    assert "25 litres" in take_section(found.synthesis, "Where sources disagree")


def test_a_figure_that_is_only_copied_counts_once() -> None:
    copy = f"Somebody wrote about kitchens on this page. {NEW_MACHINE} It goes on about sinks."

    found = answer_texts(WATER, NEW_MACHINE, copy, OLD_MACHINE)

    assert len(found.value_tables[0].rows) == 2


def test_figures_that_agree_make_no_table() -> None:
    assert answer_texts(WATER, NEW_MACHINE, OWN_WORDS).value_tables == ()


def test_a_question_that_wants_no_number_gets_no_table_of_figures() -> None:
    found = answer_texts("Why does a dishwasher need so little water?", NEW_MACHINE, OLD_MACHINE)

    assert "sources say" not in found.synthesis


def test_a_page_about_a_name_that_the_first_page_brings_is_raised() -> None:
    film = "The Seventh Seal is a Swedish film of 1957 that was directed by Ingmar Bergman."
    person = "Ingmar Bergman came to the world in Uppsala, the son of a minister of the church."
    other = "A director is only one of the many people who work on a picture together."

    found = analyse_texts(
        "Where was the director of the film The Seventh Seal born?",
        film,
        other,
        person,
        titles=("The Seventh Seal", "On directors", "Ingmar Bergman"),
    )
    order = [window.page for window in found.windows[0]]

    assert order.index(2) < order.index(1)


def test_where_the_latest_state_is_asked_newer_pages_come_first() -> None:
    text = "The latest release of the browser brings tabs that are grouped by subject, {} says."
    pages = read_pages(text.format("the first page"), text.format("the other page")).pages
    dated = (
        pages[0].model_copy(update={"published": "2019-05-01"}),
        pages[1].model_copy(update={"published": "2026-05-01"}),
    )
    plan = build_research_plan(
        "What is new in the latest release of the browser?", RESEARCH_TIERS["S"], year=2026
    )

    found = analyse_pages(plan, PageReadings(pages=dated))

    assert found.windows[0][0].page == 1


def test_a_belief_that_is_told_as_a_myth_denies_nothing() -> None:
    found = answer_texts(
        "Is frozen spinach as nutritious as fresh spinach?",
        "Frozen spinach is as nutritious as fresh spinach from the market.",
        "It is a myth that frozen spinach is not as nutritious as fresh spinach from the market.",
    )

    assert "Where sources disagree" not in found.synthesis


def test_a_slip_in_the_subject_is_understood() -> None:
    found = answer_texts("How much water does a dishwsher use?", NEW_MACHINE)

    assert "10 litres" in take_section(found.synthesis, "Answer")


def test_a_compound_is_found_by_its_first_half() -> None:
    found = answer_texts(
        "Wann ist die Komposterde aus dem Garten fertig?",
        "Nach neun bis zwölf Monaten ist der Kompost im Garten reif und riecht nach Waldboden.",
    )

    assert "neun bis zwölf Monaten" in take_section(found.synthesis, "Answer")


def test_a_tier_keeps_pages_for_what_the_first_round_leads_to() -> None:
    plan = build_research_plan("How do heat pumps work?", RESEARCH_TIERS["S"], year=2026)

    assert plan.count_pages_left(1, 0) == 12
    assert plan.count_pages_left(2, 12) == 4
    assert local_research.analyse_readings(plan, PageReadings()).claims == ()
