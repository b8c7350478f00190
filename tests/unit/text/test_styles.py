"""Citations in every style, held against what the official styles make of the same works.

`official.json` is what citeproc-js 2.4.63 makes of `citable.json` with the official CSL styles, written by
`python -m benchmarks.styles --golden`. Where we differ on purpose, `tests/style_judge.py` says how.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.citations import bibliographies
from citewell.text.citations.author_names import AuthorName
from citewell.text.citations.citable_works import CitableWork
from citewell.text.citations.styles import apa, chicago, harvard, ieee, mla, vancouver
from citewell.text.citations.styles.page_ranges import format_labelled_pages, format_page_range
from citewell.text.citations.styles.quotation_marks import (
    nest_quotation_marks,
    set_quotation_marks,
)
from citewell.text.citations.styles.style_parts import format_ordinal
from citewell.text.citations.styles.title_case import capitalize_headline
from citewell.text.references import parse_bibliography
from tests.requirements import requires
from tests.style_judge import OFFICIAL_STYLES, READ_ON, accept_differences, is_equal_entry
from tests.unit.text.citable_fixtures import FIXTURES_PATH, read_fixture_works

WORKS = read_fixture_works()
OFFICIAL: dict[str, dict[str, str]] = json.loads(
    FIXTURES_PATH.with_name("official.json").read_text("utf-8")
)
STYLES = {
    "apa": apa.format_apa_entry,
    "mla": mla.format_mla_entry,
    "chicago": chicago.format_chicago_entry,
    "harvard": harvard.format_harvard_entry,
    "vancouver": vancouver.format_vancouver_entry,
    "ieee": ieee.format_ieee_entry,
}


def test_the_set_holds_every_kind_of_difficulty() -> None:
    counts = {len(work.authors) for work in WORKS.values()}
    kinds = {work.kind for work in WORKS.values()}

    assert len(WORKS) >= 65
    assert {0, 1, 2, 3, 7, 20} < counts
    assert max(counts) > 21
    assert {
        *("article", "article-journal", "article-newspaper", "book", "chapter", "dataset"),
        *("paper-conference", "report", "software", "thesis", "webpage"),
    } < kinds
    assert set(OFFICIAL) == set(OFFICIAL_STYLES) == set(STYLES)


@requires("format_bibliography.official_styles")
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("style", STYLES)
def test_the_official_style_says_the_same(style: str, name: str) -> None:
    ours = STYLES[style](WORKS[name], accessed=READ_ON)
    official = accept_differences(style, WORKS[name], OFFICIAL[style][name])

    assert is_equal_entry(WORKS[name], ours, official), f"{ours}\n{official}"


EXPECTED = {
    ("chicago", "deep-learning"): "LeCun, Yann, Yoshua Bengio, and Geoffrey Hinton. 2015. “Deep Learning.” Nature 521 (7553): 436–44. https://doi.org/10.1038/nature14539.",
    ("chicago", "wakefield"): "Wakefield, Andrew J., Simon H. Murch, Andrew Anthony, et al. 1998. “Ileal-Lymphoid-Nodular Hyperplasia, Non-Specific Colitis, and Pervasive Developmental Disorder in Children.” The Lancet 351 (9103): 637–41. https://doi.org/10.1016/S0140-6736(97)11096-0.",
    ("chicago", "tsne"): "Maaten, Laurens van der, and Geoffrey Hinton. 2008. “Visualizing Data Using t-SNE.” Journal of Machine Learning Research 9 (86): 2579–605. http://jmlr.org/papers/v9/vandermaaten08a.html.",
    ("chicago", "bourdieu"): "Bourdieu, Pierre. 1986. “The Forms of Capital.” In Handbook of Theory and Research for the Sociology of Education, edited by John G. Richardson. Greenwood. https://www.bloomsbury.com.",
    ("chicago", "king"): "King, Martin Luther, Jr. 1964. Why We Can’t Wait. Harper & Row. https://www.beacon.org/Why-We-Cant-Wait-P828.aspx.",
    ("vancouver", "deep-learning"): "LeCun Y, Bengio Y, Hinton G. Deep learning. Nature. 2015 May 28;521(7553):436–44. doi:10.1038/nature14539",
    ("vancouver", "numpy"): "Harris CR, Millman KJ, van der Walt SJ, Gommers R, Virtanen P, Cournapeau D, et al. Array programming with NumPy. Nature. 2020 Sep 17;585(7825):357–62. doi:10.1038/s41586-020-2649-2",
    ("vancouver", "kuhn"): "Kuhn TS. The structure of scientific revolutions [Internet]. University of Chicago Press; 1962. Available from: https://archive.org/details/structureofscie00kuhn",
    ("vancouver", "bourdieu"): "Bourdieu P. The forms of capital. In: Richardson JG, editor. Handbook of theory and research for the sociology of education [Internet]. Greenwood; 1986. p. 241–58. Available from: https://www.bloomsbury.com",
    ("vancouver", "avramova"): "Avramova N. CNN [Internet]. 2019 [cited 2026 Mar 14]. The secret to a long, happy, healthy life? Think age-positive. Available from: https://www.cnn.com/2019/01/03/health/respect-toward-elderly-leads-to-long-life-intl/index.html",
    ("ieee", "deep-learning"): "Y. LeCun, Y. Bengio, and G. Hinton, “Deep learning,” Nature, vol. 521, no. 7553, pp. 436–444, May 2015, doi: 10.1038/nature14539.",
    ("ieee", "nash"): "J. F. Nash Jr., “Equilibrium points in n-person games,” Proceedings of the National Academy of Sciences, vol. 36, no. 1, pp. 48–49, Jan. 1950, doi: 10.1073/pnas.36.1.48.",
    ("ieee", "alphago"): "D. Silver et al., “Mastering the game of Go with deep neural networks and tree search,” Nature, vol. 529, no. 7587, pp. 484–489, Jan. 2016, doi: 10.1038/nature16961.",
    ("ieee", "bert"): "J. Devlin, M.-W. Chang, K. Lee, and K. Toutanova, “BERT: Pre-training of deep bidirectional transformers for language understanding,” in Proceedings of the 2019 Conference of the North American Chapter of the Association for Computational Linguistics, 2019, pp. 4171–4186. doi: 10.18653/v1/N19-1423.",
    ("ieee", "python-docs"): "Python Software Foundation, “Data structures,” Python documentation. Accessed: Mar. 14, 2026. [Online]. Available: https://docs.python.org/3/tutorial/datastructures.html",
    ("harvard", "deep-learning"): "LeCun, Y., Bengio, Y. and Hinton, G. (2015) ‘Deep learning’, Nature, 521(7553), pp. 436–444. Available at: https://doi.org/10.1038/nature14539.",
    ("harvard", "crispr"): "Jinek, M. et al. (2012) ‘A programmable dual-RNA–guided DNA endonuclease in adaptive bacterial immunity’, Science, 337(6096), pp. 816–821. Available at: https://doi.org/10.1126/science.1225829.",
    ("harvard", "python-docs"): "Python Software Foundation (no date) Data structures, Python documentation. Available at: https://docs.python.org/3/tutorial/datastructures.html (Accessed: 14 March 2026).",
    ("harvard", "bulgakov"): "Булгаков, М. (1967) Мастер и Маргарита. YMCA-Press. Available at: https://ru.wikipedia.org/wiki/Мастер_и_Маргарита.",
}  # fmt: skip


@pytest.mark.parametrize(("style", "name"), EXPECTED)
def test_the_other_styles_are_written_out(style: str, name: str) -> None:
    assert STYLES[style](WORKS[name], accessed=READ_ON) == EXPECTED[style, name]


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


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
def test_what_a_manager_takes_in_says_what_the_work_said(style: str) -> None:
    text = bibliographies.render_bibliography(WORKS.values(), style=style, accessed=READ_ON)

    found = {each.url: each for each in parse_bibliography(text).references}

    for name, given_work in WORKS.items():
        back = found[given_work.url]
        assert back.title == given_work.title, name
        assert [plain(who.family or who.name) for who in back.authors] == [
            plain(who.family) for who in given_work.authors or given_work.editors
        ], name
        number = given_work.issue or (given_work.number if style == "bibtex" else "")
        assert (back.volume, back.issue) == (given_work.volume, number), name
        assert (back.doi or "") == given_work.doi.lower(), name
        assert back.published[:4] == given_work.published[:4], name


def plain(text: str) -> str:
    return text.casefold()


def test_numbered_styles_keep_the_order_of_citation() -> None:
    several = [WORKS["turing"], WORKS["dna"]]

    ieee_list = bibliographies.render_bibliography(several, style="ieee", accessed=READ_ON)
    apa_list = bibliographies.render_bibliography(several, style="apa", accessed=READ_ON)

    assert ieee_list.startswith("[1] A. M. Turing")
    assert "\n\n[2] J. D. Watson" in ieee_list
    assert apa_list.startswith("Turing")


@given(
    st.text(max_size=30),
    st.text(max_size=30),
    st.sampled_from(["", *{work.kind for work in WORKS.values()}]),
    st.text(max_size=12),
    st.sampled_from(sorted(STYLES)),
)
def test_anything_can_be_cited_in_any_style(
    title: str, name: str, kind: str, odd: str, style: str
) -> None:
    given_work = CitableWork(
        url="https://example.org/x", title=title, kind=kind, authors=(AuthorName(name=name),) * 3,
        published=odd, volume=odd, issue=odd, pages=odd, edition=odd, publisher=odd, editors=(AuthorName(name=odd),),
        language="en",
    )  # fmt: skip

    assert "https://example.org/x" in STYLES[style](given_work, accessed=READ_ON)


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


@pytest.mark.parametrize("style", STYLES)
def test_long_and_odd_titles_are_cited_whole(style: str) -> None:
    long_title = "'\"“‘ word " * 2_000

    text = STYLES[style](
        replace(WORKS["dna"], title=long_title, pages="1-" * 2_000), accessed=READ_ON
    )

    assert text.count("ord") >= 2_000


def test_accents_and_quotation_marks_do_not_change_the_order_of_a_list() -> None:
    names = ("Zeta", "Öhman", "Oslo", "Abel")
    works = [
        replace(
            WORKS["dna"],
            url=f"https://works.example/{number}",
            authors=(AuthorName.from_parts(family=name, given="A."),),
        )
        for number, name in enumerate(names)
    ]
    unsigned = replace(WORKS["dna"], url="https://works.example/u", title="Middle", authors=())

    listed = bibliographies.render_bibliography(
        [*works, unsigned], style="mla", accessed=READ_ON
    ).split("\n\n")

    assert [line.lstrip("“")[:4] for line in listed] == ["Abel", "Midd", "Öhma", "Oslo", "Zeta"]


@pytest.mark.parametrize("style", STYLES)
def test_a_site_without_a_title_is_named_once(style: str) -> None:
    page = CitableWork(url="https://works.example/x", site="Harbour News", kind="webpage")

    assert STYLES[style](page, accessed=READ_ON).count("Harbour News") == 1


@pytest.mark.parametrize("style", STYLES)
def test_the_host_that_stands_for_a_site_keeps_its_letters(style: str) -> None:
    page = CitableWork(url="https://works.example/x", title="The weight of water", language="en")

    assert "works.example" in STYLES[style](page, accessed=READ_ON).partition("http")[0]
