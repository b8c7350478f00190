from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations import bibliographies
from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.citations.references import parse_bibliography
from tests.citations.citable_fixtures import FIXTURES_PATH
from tests.citations.test_style_parts import STYLES, WORKS
from tests.requirements import requires
from tests.style_judge import OFFICIAL_STYLES, READ_ON, accept_differences, is_equal_entry

OFFICIAL: dict[str, dict[str, str]] = json.loads(
    FIXTURES_PATH.with_name("official.json").read_text("utf-8")
)


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
