"""Lists of references as they come out of PDFs, slides and mails: every reference is found whole."""

from __future__ import annotations

import re

import pytest

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_splitting import (
    drop_references,
    find_reference_list,
    split_reference_items,
)
from tests.citations.list_damages import damage_list, number
from tests.requirements import requires

ARTICLE = """# Tide

Tides rise and fall.[^1] They are long waves.[^note2]

## Causes

The moon.[^1]

## References

[^1]: Reddy, M. *A long reference*. 2001.

    A second paragraph of the note.

[^note2]: Tomczak, M.

### Further reading

- A book

## External links

- A link"""
# Made up; in the manner of four styles.
REFERENCES = (
    "Abend, R. and Castell, M. (2011) ‘Tidal mixing in shallow estuaries’, Journal of Coastal Studies, 12(3), pp. 45–61.",
    "Bruun, K., Dahl, T., & Eide, S. (2015). A survey of lichen growth on northern stone walls. Boreal Botany, 7(2), 101–119. https://doi.org/10.1234/bb.2015.071",
    "Corrigan P, Ndiaye A, Owens LM, et al. Sleep and shift work in rural hospitals: a cohort study. Rural Health Rev. 2018;9:88-97.",
    "Delacroix, Jeanne. 1998. Bread and Law in Old Lyon. Lyon: Presses du Rhône.",
    "Engström, L. (2020). Measuring very small clocks with very large telescopes. Annals of Timekeeping, 3, 1–20. https://doi.org/10.1234/at.2020.0301",
    "Fujita H, Okafor C (2009) Robots that knit. In: Proceedings of the Workshop on Soft Machines. Kyoto, pp 210–219",
    "Grant, W. & Hale, B. (1976). The economics of lighthouse keeping. Quarterly Review of Harbours, 41, 5–33.",
)  # fmt: skip
DAMAGES = damage_list(REFERENCES)


def test_reference_lists_notes_and_their_marks_are_dropped_and_nothing_else() -> None:
    assert drop_references(ARTICLE) == (
        "# Tide\n\nTides rise and fall. They are long waves.\n\n## Causes\n\nThe moon.\n\n"
        "## External links\n\n- A link"
    )


def test_notes_without_a_heading_are_dropped_too() -> None:
    text = "One.[^a]\n\n[^a]: The note.\n\nTwo."

    assert drop_references(text) == "One.\n\nTwo."


@pytest.mark.parametrize("text", ["", "# Title\n\nNo references [1] here.", "References are good."])
def test_a_text_without_references_stays_as_it_is(text: str) -> None:
    assert drop_references(text) == text


@pytest.mark.parametrize(
    "heading", ["## References", "**Literatur**", "7. Références", "参考文献", "Works cited:"]
)
def test_the_heading_of_a_reference_list_is_found(heading: str) -> None:
    text = f"Some text.\n\n{heading}\n\n1. A work."

    assert find_reference_list(text) == text.index(heading)


def bare(text: str) -> str:
    return re.sub(r"[\s-]+", "", text).rstrip(".;")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@requires("audit_bibliography.copied_lists")
def test_a_copied_list_is_split_where_its_references_end(damage: str, ending: str) -> None:
    text = ending.join(["References", "", *DAMAGES[damage]]).replace("\r\n", "\n")

    found = [bare(item.text) for item in split_reference_items(text)]

    assert found == [bare(text) for text in REFERENCES]


def test_every_item_knows_its_line_and_number() -> None:
    items = split_reference_items("\n".join(["References", *number(REFERENCES, "[{}] ")]))

    assert [item.number for item in items] == [str(place) for place in range(1, 8)]
    assert [item.line for item in items] == sorted({item.line for item in items})
    assert items[0].line == 2


def test_an_address_on_a_line_of_its_own_is_a_reference_of_its_own() -> None:
    lines = [
        REFERENCES[1] + " And more words, so that the lines are long.",
        "https://example.org/page",
        REFERENCES[0],
    ]

    assert len(split_reference_items("\n".join(lines))) == 3


def test_a_number_inside_a_reference_starts_nothing() -> None:
    lines = [
        "[1] Doe, J. (2001). On [2] and other marks. Things, 1, 1–2.",
        "[2] Roe, K. (2002). More. Things, 2,",
        "3. Springer.",
    ]

    assert len(split_reference_items("\n".join(lines))) == 2


def test_a_publisher_that_fills_lines_of_several_references_is_kept() -> None:
    lines = [
        part
        for place in range(1, 6)
        for part in (
            f"[{place}] Doe, J. (200{place}). A title that is long enough to be wrapped.",
            "Cambridge University Press",
        )
    ]

    found = split_reference_items("\n".join(lines))

    assert [item.text.endswith("Cambridge University Press") for item in found] == [True] * 5


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("\n\n\n", 0), ("2019", 0), ("References\n", 0), ("[1]", 0), ("1.\n2.\n3.\n", 0)],
)
def test_what_holds_no_reference_gives_none(text: str, count: int) -> None:
    assert len(parse_bibliography(text, format="prose").references) == count


def test_a_year_alone_is_reported_and_a_wrapped_number_is_kept() -> None:
    found = parse_bibliography("2019", format="prose")
    lines = [
        *number(REFERENCES, "[{}] "),
        "[8] Doe, J. Things that end in a year. Journal of Ends, vol. 3, pp.",
        "412",
    ]
    ended = [
        *number(REFERENCES, "[{}] "),
        "[8] Doe, J. Things that end in a year, and nothing after it,",
        "2019",
    ]

    assert [damage.reason for damage in found.malformed] == ["The reference has no words."]
    assert split_reference_items("\n".join(lines))[-1].text.endswith("pp. 412")
    assert split_reference_items("\n".join(ended))[-1].text.endswith("2019")


def test_the_same_reference_many_times_is_kept_each_time() -> None:
    same, other = REFERENCES[1], REFERENCES[4]
    numbered = "\n".join(f"[{place}] {same if place <= 150 else other}" for place in range(1, 201))
    plain = "\n".join([same] * 150 + [other] * 50)

    assert len(split_reference_items(numbered)) == 200
    assert len(split_reference_items(plain)) == 200
