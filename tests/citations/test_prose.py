"""Reference lists in words: how much of each style is read, and where one reference ends."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from citewell.citations.references import parse_bibliography
from citewell.citations.references.reference_fields import Reference

WRITTEN = json.loads((Path(__file__).parent / "prose.json").read_text("utf-8"))
STYLES = sorted({entry["style"] for entry in WRITTEN})
# The least share of a style's references in which each part is read as it was written.
FLOORS = {"first": 0.95, "year": 0.95, "title": 0.9, "venue": 0.85, "volume": 0.98, "issue": 0.98}
FLOORS |= {"pages": 0.95, "doi": 1.0, "count": 0.95}


def plain(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(re.findall(r"\w+", "".join(c for c in flat if not unicodedata.combining(c))))


def agrees(part: str, wanted: object, found: Reference) -> bool:
    if part == "first":
        name = found.authors[0].family or found.authors[0].name if found.authors else ""
        return plain(name) == plain(str(wanted))
    if part == "count":
        return found.and_others or len(found.authors) == wanted or len(found.authors) == 20
    if part == "pages":
        return plain(found.pages).split()[:1] == plain(str(wanted)).split()[:1]
    if part in {"title", "venue"}:
        return plain(getattr(found, part)) == plain(str(wanted))
    return getattr(found, part) == wanted


def shares(style: str) -> dict[str, float]:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for entry in WRITTEN:
        if entry["style"] != style:
            continue
        found = parse_bibliography(entry["text"], format="prose").references[0]
        for part, wanted in entry["says"].items():
            total[part] += 1
            right[part] += agrees(part, wanted, found)
    return {part: right[part] / total[part] for part in total}


def test_the_set_is_large_enough_to_mean_something() -> None:
    assert len(WRITTEN) >= 60
    assert len(STYLES) >= 5


@pytest.mark.parametrize("style", STYLES)
def test_the_parts_of_a_reference_are_read(style: str) -> None:
    short = {part: round(share, 3) for part, share in shares(style).items() if share < FLOORS[part]}

    assert not short


def test_three_dashes_stand_for_the_authors_before() -> None:
    document = (
        'Kahneman, Daniel, and Amos Tversky. "Prospect Theory." Econometrica, vol. 47, no. 2, 1979, pp. 263-91.\n'
        '---. "Choices, Values, and Frames." American Psychologist, vol. 39, no. 4, 1984, pp. 341-50.\n'
    )

    first, second = parse_bibliography(document, format="prose").references

    assert second.authors == first.authors
    assert second.title == "Choices, Values, and Frames"
    assert (second.volume, second.issue, second.pages) == ("39", "4", "341-50")


def test_identifiers_of_every_kind_are_found() -> None:
    text = (
        "Vaswani A, et al. Attention is all you need. arXiv:1706.03762 [cs.CL]. 2017. PMID: 12345678. "
        "PMCID: PMC1234567. ISBN 978-0-306-40615-7. doi:10.48550/arXiv.1706.03762"
    )

    found = parse_bibliography(text, format="prose").references[0]

    assert [str(each) for each in found.ids] == [
        "doi:10.48550/arxiv.1706.03762",
        "arxiv:1706.03762",
        "pmid:12345678",
        "pmcid:PMC1234567",
        "isbn:9780306406157",
    ]
    assert found.and_others


def test_what_holds_no_words_is_listed_with_its_line() -> None:
    found = parse_bibliography(
        "Doe, J. (2019). A title. A journal, 1(2), 3–4.\n\n* * *\n", format="prose"
    )

    assert len(found.references) == 1
    assert [(each.line, each.excerpt) for each in found.malformed] == [(3, "* * *")]


def test_only_what_stands_under_the_heading_of_a_manuscript_is_read() -> None:
    document = (
        "# A manuscript\n\nSome words (Doe, 2019).\n\n## References\n\n"
        "Doe, J. (2019). A title. A journal, 1(2), 3–4.\n\n## Appendix\n\nMore words.\n"
    )

    (found,) = parse_bibliography(document, format="prose").references

    assert (found.title, found.line) == ("A title", 7)


@pytest.mark.parametrize(
    ("text", "families", "title", "where"),
    [
        (
            "Huang C, Wang Y, et al. Clinical features of patients infected with 2019 novel coronavirus in Wuhan, China. Lancet. 2020;395(10223):497-506.",
            ["Huang", "Wang"], "Clinical features of patients infected with 2019 novel coronavirus in Wuhan, China", ("Lancet", "395", "10223", "497-506"),
        ),
        (
            "Smith AB, O'Brien C-D, de la Cruz J. Is it real? A randomised trial. BMJ 2019;364:l236.",
            ["Smith", "O'Brien", "de la Cruz"], "Is it real? A randomised trial", ("BMJ", "364", "", "l236"),
        ),
        (
            "Abramson, J. et al. Accurate structure prediction of biomolecular interactions with AlphaFold 3. Nature 630, 493–500 (2024).",
            ["Abramson"], "Accurate structure prediction of biomolecular interactions with AlphaFold 3", ("Nature", "630", "", "493-500"),
        ),
        (
            "Ashish Vaswani, Noam Shazeer, Niki Parmar, and Jakob Uszkoreit. 2017. Attention is all you need. In Advances in Neural Information Processing Systems, pages 5998–6008.",
            ["Vaswani", "Shazeer", "Parmar", "Uszkoreit"], "Attention is all you need", ("Advances in Neural Information Processing Systems", "", "", "5998-6008"),
        ),
        (
            "Müller, K.-R.; Mika, S.; Rätsch, G. An introduction to kernel-based learning algorithms. IEEE Trans. Neural Netw. 2001, 12, 181–201.",
            ["Müller", "Mika", "Rätsch"], "An introduction to kernel-based learning algorithms", ("IEEE Trans. Neural Netw", "12", "", "181-201"),
        ),
        (
            "R. S. Sutton and A. G. Barto, Reinforcement Learning: An Introduction, 2nd ed. Cambridge, MA, USA: MIT Press, 2018.",
            ["Sutton", "Barto"], "Reinforcement Learning: An Introduction", ("", "", "", ""),
        ),
        (
            "王小明, 李华. 深度学习综述. 计算机学报, 2018, 41(3): 1-20.",
            ["王小明", "李华"], "深度学习综述", ("计算机学报", "41", "3", "1-20"),
        ),
    ],
)  # fmt: skip
def test_styles_of_single_publishers_are_read(
    text: str, families: list[str], title: str, where: tuple[str, ...]
) -> None:
    (found,) = parse_bibliography(text, format="prose").references

    assert [who.family or who.name for who in found.authors] == families
    assert found.title == title
    assert (found.venue, found.volume, found.issue, found.pages) == where
