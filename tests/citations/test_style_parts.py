"""Citations in every style, held against what the official styles make of the same works.

`official.json` is what citeproc-js 2.4.63 makes of `citable.json` with the official CSL styles, written by
`python -m benchmarks.styles --golden`. Where we differ on purpose, `tests/style_judge.py` says how.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from citewell.citations.author_names import AuthorName
from citewell.citations.styles import apa, chicago, harvard, ieee, mla, vancouver
from citewell.citations.styles.style_parts import (
    capitalize_headline,
    format_labelled_pages,
    format_ordinal,
    format_page_range,
    nest_quotation_marks,
    set_quotation_marks,
)
from tests.citations.citable_fixtures import read_fixture_works
from tests.style_judge import READ_ON

WORKS = read_fixture_works()
STYLES = {
    "apa": apa.format_apa_entry,
    "mla": mla.format_mla_entry,
    "chicago": chicago.format_chicago_entry,
    "harvard": harvard.format_harvard_entry,
    "vancouver": vancouver.format_vancouver_entry,
    "ieee": ieee.format_ieee_entry,
}


def test_names_in_scripts_without_spaces_or_capitals_stay_whole() -> None:
    natsume = AuthorName.from_parts(family="夏目", given="漱石")
    khaldun = AuthorName.from_parts(family="ابن خلدون", given="عبد الرحمن")
    book = replace(WORKS["kokoro"], authors=(natsume, khaldun))

    for style in STYLES.values():
        text = style(book, accessed=READ_ON)
        assert "夏目漱石" in text
        assert "خلدون" in text
        assert ". ." not in text


@pytest.mark.parametrize(
    ("given", "initials"),
    [("Jean-Paul", "J.-P."), ("J.A.", "J. A."), ("JA", "J. A."), ("K. Jarrod", "K. J."), ("José", "J."), ("", ""), ("Łukasz", "Ł."), ("ab", "A.")],
)  # fmt: skip
def test_initials_are_taken_from_names_of_any_shape(given: str, initials: str) -> None:
    assert AuthorName.from_parts(family="Doe", given=given).initials == initials


@pytest.mark.parametrize(
    ("span", "form", "shown"),
    [
        ("436-444", "expanded", "436–444"), ("436-44", "expanded", "436–444"), ("436--444", "minimal-two", "436–44"),
        ("508-509", "minimal-two", "508–09"), ("508-509", "chicago", "508–9"), ("100-104", "chicago", "100–104"),
        ("1-29", "minimal-two", "1–29"), ("2579-2605", "chicago", "2579–605"), ("1735-1780", "chicago", "1735–80"),
        ("48-49", "minimal", "48–9"), ("48-49", "chicago", "48–49"), ("S224-S225", "minimal", "S224–5"), ("S224-S225", "chicago", "S224–25"),
        ("e124", "minimal", "e124"), ("", "chicago", ""), ("iv-vi", "chicago", "iv–vi"),
        ("333-333", "chicago", "333"), ("333-333", "minimal-two", "333"), ("e12-e12", "expanded", "e12"), ("4-6, 9-12", "expanded", "4–6, 9–12"),
        ("12a-14b", "minimal", "12a–14b"), ("12991-13001", "chicago", "12991–3001"), ("505-506", "chicago", "505–6"),
    ],
)  # fmt: skip
def test_page_ranges_are_shortened_as_each_style_asks(span: str, form: str, shown: str) -> None:
    assert format_page_range(span, form=form) == shown


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("the rise and fall of an empire: a history", "The Rise and Fall of an Empire: A History"),
        ("mRNA vaccines and the pH of iPhones", "mRNA Vaccines and the pH of iPhones"),
        ("long short-term memory", "Long Short-Term Memory"),
        ("state-of-the-art in of", "State-of-the-Art in Of"),
        ("études sur l’homme: e.g. a study", "Études Sur l’homme: E.g. a Study"),
    ],
)  # fmt: skip
def test_capitals_are_only_ever_added(title: str, shown: str) -> None:
    assert capitalize_headline(title, "en") == shown
    assert capitalize_headline(title, "") == title
    assert capitalize_headline(title, "de") == title


def test_editions_are_numbered_in_words() -> None:
    assert [format_ordinal(n) for n in ("1", "2", "3", "4", "11", "12", "21", "112", "rev.")] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th", "rev.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('Is it "true"?', "Is it “true”?"), ("don't and dogs' tails", "don’t and dogs’ tails"),
        ("'Quoted start' of a title", "“Quoted start” of a title"), ("the '90s", "the ’90s"),
        ('a "b \'cd\' e"', "a “b ‘cd’ e”"), ('10" discs', '10" discs'), ("rock 'n' roll", "rock ’n’ roll"),
        ('a "quoted" 10" disc', 'a “quoted” 10" disc'), ("“already” set", "“already” set"), ("", ""),
    ],
)  # fmt: skip
def test_straight_marks_become_typographic(text: str, shown: str) -> None:
    assert set_quotation_marks(text) == shown
    assert set_quotation_marks(shown) == shown


def test_marks_inside_a_quoted_title_change_places() -> None:
    assert nest_quotation_marks("a “b ‘c’ d” e’s") == "a ‘b “c” d’ e’s"
    assert nest_quotation_marks("the “rock’n’roll” of O’Neil") == "the ‘rock’n’roll’ of O’Neil"
    assert nest_quotation_marks("‘single’ marks") == "‘single’ marks"
    assert nest_quotation_marks("an “open mark") == "an ‘open mark"


@pytest.mark.parametrize(
    ("span", "shown"), [("12", "p. 12"), ("12-19", "pp. 12–19"), ("e124", "p. e124"), ("3, 9", "pp. 3, 9"), ("", "")]
)  # fmt: skip
def test_one_page_has_another_label_than_several(span: str, shown: str) -> None:
    assert format_labelled_pages(span) == shown


@pytest.mark.parametrize(
    ("family", "given", "sorted_names"),
    [
        ("van der Berg", "Jan", ("van der Berg, J.", "Berg, Jan van der", "van der Berg J")),
        ("Van Dyke", "Dick", ("Van Dyke, D.", "Van Dyke, Dick", "Van Dyke D")),
        ("de Oliveira", "Vânia", ("de Oliveira, V.", "Oliveira, Vânia de", "de Oliveira V")),
        ("Neves", "Vânia de Oliveira", ("Neves, V. de O.", "Neves, Vânia de Oliveira", "Neves V de O")),
        ("d'Alembert", "Jean", ("d’Alembert, J.", "Alembert, Jean d’", "d’Alembert J")),
        ("Smith", "J.-P.", ("Smith, J.-P.", "Smith, J.-P.", "Smith JP")),
        ("Smith", "Jane A", ("Smith, J. A.", "Smith, Jane A.", "Smith JA")),
        ("Kim", "Min-jun", ("Kim, M.", "Kim, Min-jun", "Kim M")),
        ("Plato", "", ("Plato", "Plato", "Plato")),
    ],
)  # fmt: skip
def test_particles_keep_their_case_and_their_place(
    family: str, given: str, sorted_names: tuple[str, str, str]
) -> None:
    cited = replace(WORKS["dna"], authors=(AuthorName.from_parts(family=family, given=given),))

    shown = [STYLES[style](cited, accessed=READ_ON) for style in ("apa", "chicago", "vancouver")]

    for text, expected in zip(shown, sorted_names, strict=True):
        assert text.startswith(f"{expected} " if expected.endswith(".") else f"{expected}."), text


def test_a_title_without_a_language_is_capitalised_only_if_it_looks_english() -> None:
    english = replace(WORKS["dna"], title="the weight of water in small harbours", language="")
    spanish = replace(WORKS["dna"], title="el peso del agua en los puertos pequeños", language="")

    assert "“The Weight of Water in Small Harbours.”" in mla.format_mla_entry(
        english, accessed=READ_ON
    )
    assert "“el peso del agua en los puertos pequeños.”" in mla.format_mla_entry(
        spanish, accessed=READ_ON
    )
