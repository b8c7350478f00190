"""Numbers that an author reckoned from those of the source, or from each other, are borne out; others are not."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.value_comparison import compare_values
from citewell.evidence.signs.claim_support import SourceText

MATS = "The floor of the gym is laid with rubber mats. We use 12 of them, and they cost $35 each."
FEES = "A basic membership of the gym costs $10 to $50 per month."
COURSE = (
    "The price of the course is $199. It has many lessons. Its teacher is well known. He lives nearby. With a"
    " call to the teacher the course costs $269."
)
GASES = "Of the emissions, 46.6 percent are nitrous oxide, 41.7 percent methane and 11.6 percent carbon dioxide."
TRAILS = (
    "The park has six trails: the Green Trail (1.7 miles), the Triangle (0.8 miles), the Yellow Trail"
    " (0.8 miles), the Orange Trail (0.8 miles), the Blue Trail (1 mile) and the Purple Trail (1.8 miles)."
)
PLANS = (
    "The basic plan is $79 per user. It has payroll and taxes. Many small firms begin with it. Support answers"
    " on all working days. The plus plan is $109 per user."
)
TRIP = "The rail pass was $300. We slept in small inns. The food was good. A pocket wifi was $63."
DIET = "Over a 14-day period the diet brought a reduction of 369 kcal per day."
PROGRAMMES = "The college offers 43 programmes, including 10 in technical fields."
LESSONS = "The lessons last 4 hours a day. Then 3.5 hours go into exercises."
ROBOT = "The robot maps 100 square metres in six minutes."
SAVINGS = "If a 25-year-old saves $240 per month, there will be a million by the time they are 65."
CLINIC = "The clinic offers therapy to queer persons ages 12 to 25; weekly support groups are free."
BOOK = "Part 2 (chapters 8-13) is about type classes like functors."
BEES = "Wild bees are in trouble: half of our 560 species are on the red list."
LISTS = "Six lists of 21 names take turns, so a list returns after a while."
METAL = "The metal is superconducting at 93 kelvin."
BAG = "The bag holds 40 lbs of sand."


def find_doubtful(statement: str, source: str) -> list[str]:
    found = compare_values(statement, SourceText(text=source, language="en"))
    conflicts = [
        conflict.draft.text
        for conflict in found.conflicts
        if conflict.is_strong or conflict.is_in_place
    ]
    return [*conflicts, *(value.draft.text for value in found.unstated)]


@pytest.mark.parametrize(
    ("source", "statement"),
    [
        (MATS, "Twelve rubber mats at $35 apiece are an outlay of $420."),
        (MATS, "The rubber mats are $35 each, so that a pair of them comes to $70."),
        (FEES, "A basic membership of the gym may cost as little as $120 a year."),
        (COURSE, "The call to the teacher adds $70 to the price of the course."),
        (PLANS, "The plus plan is $30 more per user than the basic plan."),
        (PLANS, "The basic plan is thirty dollars a user cheaper than the plus plan."),
        (TRIP, "Taken together, the rail pass and the pocket wifi were roughly $360."),
        (GASES, "Methane and nitrous oxide jointly make up some 88% of the emissions."),
        (TRAILS, "The six trails of the park add up to just under seven miles."),
        (DIET, "Over 14 days the diet brought something like 5,000 fewer calories."),
        (PROGRAMMES, "The college offers 43 programmes, and ten, not quite a quarter, are technical."),
        (PROGRAMMES, "Of the 43 programmes of the college, 33 are not among the 10 technical ones."),
        (LESSONS, "It takes 7.5 hours a day: four hours of lessons and three and a half hours of exercises."),
        (ROBOT, "At nearly 17 square metres per minute, the robot maps 100 square metres in six minutes."),
        (SAVINGS, "Who saves $240 a month from the age of 25 has a million forty years later."),
        (CLINIC, "The clinic offers therapy to queer people from 12 to 25 years of age."),
        (BOOK, "Six chapters make up part 2, which is about type classes like functors."),
        (BEES, "About 280 species of wild bees are on the red list."),
        (LISTS, "Together the lists hold 126 names."),
        (METAL, "The metal is superconducting at about minus 180 °C."),
        (BAG, "The bag holds 40 pounds of sand."),
        (BAG, "The bag holds about 18 kilograms of sand."),
    ],
)  # fmt: skip
def test_a_number_that_was_reckoned_is_borne_out(source: str, statement: str) -> None:
    assert find_doubtful(statement, source) == []


@pytest.mark.parametrize(
    ("source", "statement", "doubtful"),
    [
        (MATS, "Twelve rubber mats at $35 apiece are an outlay of $450.", "$450"),
        (FEES, "A basic membership of the gym may cost as little as $140 a year.", "$140"),
        (COURSE, "The call to the teacher adds $80 to the price of the course.", "$80"),
        (GASES, "Methane and nitrous oxide jointly make up 78% of the emissions.", "78%"),
        (TRAILS, "The six trails of the park add up to just under nine miles.", "nine miles"),
        (DIET, "Over 14 days the diet brought something like 7,000 fewer calories.", "7,000 fewer calories"),
        (ROBOT, "At nearly 23 square metres per minute, the robot maps 100 square metres in six minutes.", "23 square metres"),
        (SAVINGS, "Who saves $240 a month from the age of 25 has a million fifty years later.", "fifty years"),
        (CLINIC, "The clinic offers therapy to queer people from 12 to 28 years of age.", "28 years"),
        (BOOK, "Seven chapters make up part 2, which is about type classes like functors.", "Seven chapters"),
        (BEES, "About 230 species of wild bees are on the red list.", "230 species"),
        (LISTS, "Together the lists hold 136 names.", "136 names"),
        (METAL, "The metal is superconducting at about minus 150 °C.", "150 °C"),
        (BAG, "The bag holds 60 pounds of sand.", "60 pounds"),
    ],
)  # fmt: skip
def test_a_number_that_does_not_follow_is_told(source: str, statement: str, doubtful: str) -> None:
    assert find_doubtful(statement, source) == [doubtful]
