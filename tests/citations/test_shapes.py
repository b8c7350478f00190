from __future__ import annotations

import time

import pytest

from citewell.citations import references
from citewell.citations.references.reference_fields import Reference


def read(text: str) -> Reference:
    [found] = references.parse_bibliography(text, format="prose").references
    return found


@pytest.mark.parametrize(
    ("text", "first", "venue", "volume"),
    [
        ("J. D. Watson, F. H. C. Crick, Nature, 1953, 171, 737–738.", "Watson", "Nature", "171"),
        ("Family AB, Second C and Third D, Nat Struct Biol, 2000, 7, 918–925.", "Family", "Nat Struct Biol", "7"),
        ("Family AB, Second C, J. Am. Chem. Soc. 2010, 132, 1234–1240.", "Family", "J. Am. Chem. Soc", "132"),
        ("Family AB, Second C, Physiol. Rev., 2018, 98, 1765–1803.", "Family", "Physiol. Rev", "98"),
        ("Family AB, Second C, Biol. Psychiatry, 1997, 41, 58–64.", "Family", "Biol. Psychiatry", "41"),
        ("B. P. Abbott et al., Phys. Rev. Lett. 116, 061102 (2016).", "Abbott", "Phys. Rev. Lett", "116"),
    ],
)  # fmt: skip
def test_a_reference_that_leaves_its_title_out_has_none(
    text: str, first: str, venue: str, volume: str
) -> None:
    found = read(text)

    assert found.title == ""
    assert found.authors[0].family == first
    assert (found.venue, found.volume) == (venue, volume)


def test_a_title_before_its_journal_is_not_taken_for_a_journal() -> None:
    found = read("L. Breiman, Random Forests. Machine Learning 45, 5 (2001).")

    assert (found.title, found.venue) == ("Random Forests", "Machine Learning")


@pytest.mark.parametrize(
    "text",
    [
        "“Deep learning” by Yann LeCun, Yoshua Bengio and Geoffrey Hinton (2015, Nature)",
        '"Deep learning" by Yann LeCun, Yoshua Bengio and Geoffrey Hinton, 2015',
    ],
)
def test_a_title_may_come_first(text: str) -> None:
    found = read(text)

    assert (found.title, found.year) == ("Deep learning", 2015)
    assert [person.family for person in found.authors] == ["LeCun", "Bengio", "Hinton"]


@pytest.mark.parametrize(
    "names", ["Jumper et al.", "van der Merwe et al.", "Watson and Crick", "Watson & Crick"]
)
def test_the_year_may_stand_between_names_and_title(names: str) -> None:
    found = read(f"{names} 2021, Highly accurate protein structure prediction. Nature 596, 583")

    assert found.title == "Highly accurate protein structure prediction"
    assert found.year == 2021
    assert found.authors


@pytest.mark.parametrize(
    "text", ["A B, " * 700, "“a” by " + "B " * 1500, "X et al. 2020, " * 200, "J. " * 1300]
)
def test_no_shape_takes_long_to_be_told(text: str) -> None:
    begun = time.process_time()

    references.parse_bibliography(text, format="prose")

    assert time.process_time() - begun < 5
