from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.citations import title_matching
from citewell.core.values.paper import Paper, WorkAuthor
from citewell.trust.work_identity import CitedWork, FieldAgreement, compare_with_record
from tests.internet.papers import register
from tests.trust.desk import paper

MATCH, MISMATCH, NOT_CHECKED = (
    FieldAgreement.MATCH,
    FieldAgreement.MISMATCH,
    FieldAgreement.NOT_CHECKED,
)
WORKS = [
    work
    for work in register().works
    if work.authors and title_matching.extract_title_words(work.title)
]


def person(name: str) -> WorkAuthor:
    family, comma, given_ = name.partition(", ")
    if not comma:
        return WorkAuthor(name=name)
    return WorkAuthor(name=f"{given_} {family}", family=family, given=given_)


def record(**changes: object) -> Paper:
    base = Paper(
        title="Nanometre-scale thermometry in a living cell",
        source="crossref",
        authors=(person("Kucsko, G."), person("Maurer, P. C.")),
        year=2013,
        venue="Nature",
    )
    return base.with_changes(**changes)


def cited(title: str = "", author: str = "", year: int | None = None) -> CitedWork:
    authors = (person(author),) if author else ()
    return CitedWork(title=title, authors=authors, year=year, structured=True)


def test_a_wrong_first_author_is_a_mismatch_with_its_reason() -> None:
    found = compare_with_record(
        cited("Nanometre-scale thermometry in a living cell", "Smith, J."), record()
    )

    assert found.author.state is MISMATCH
    assert found.state is MISMATCH
    assert "Smith" in found.reasons[0]
    assert "Kucsko" in found.reasons[0]


def test_a_later_author_named_first_is_only_noted() -> None:
    found = compare_with_record(cited("Nanometre-scale thermometry", "Maurer, P."), record())

    assert found.author.state is MATCH
    assert "not the first" in found.notes[0]


@pytest.mark.parametrize(
    ("year", "state"),
    [(2013, MATCH), (2012, MATCH), (2014, MATCH), (2011, MISMATCH), (2015, MISMATCH), (None, NOT_CHECKED)],
)  # fmt: skip
def test_two_years_apart_is_another_year(year: int | None, state: FieldAgreement) -> None:
    assert (
        compare_with_record(cited("Nanometre-scale thermometry", year=year), record()).year.state
        is state
    )


def test_books_have_editions_and_preprints_appear_later() -> None:
    assert compare_with_record(cited(year=2020), record(kind="book")).year.state is NOT_CHECKED
    assert compare_with_record(cited(year=2015), record(kind="article")).year.state is NOT_CHECKED
    assert compare_with_record(cited(year=2005), record(kind="article")).year.state is MISMATCH


def test_what_a_record_leaves_out_was_not_checked() -> None:
    found = compare_with_record(
        cited("Some title here", "Smith, J.", 1999), Paper(title="", source="doi")
    )

    assert found.state is NOT_CHECKED
    assert {part.state for part in found.parts} == {NOT_CHECKED}


@pytest.mark.parametrize(
    ("text", "title", "author", "year"),
    [
        ("Kucsko et al. Nanometre-scale thermometry in a living cell. Nature 500, 54-58 (2013)", MATCH, MATCH, MATCH),
        ("Nature 2013", NOT_CHECKED, NOT_CHECKED, MATCH),
        ("Kucsko, 2009", NOT_CHECKED, MATCH, MISMATCH),
        ("Smith J. (2013). Nanometre-scale thermometry in a living cell. Nature.", MATCH, MISMATCH, MATCH),
        ("Vaswani A. Attention is all you need. NeurIPS, 2017.", MISMATCH, NOT_CHECKED, MISMATCH),
        ("see the supplement", NOT_CHECKED, NOT_CHECKED, NOT_CHECKED),
    ],
)  # fmt: skip
def test_words_beside_an_identifier_are_compared_as_they_stand(
    text: str, title: FieldAgreement, author: FieldAgreement, year: FieldAgreement
) -> None:
    found = compare_with_record(CitedWork(text=text), record())

    assert (found.title.state, found.author.state, found.year.state) == (title, author, year)


def test_every_work_is_itself() -> None:
    for work in WORKS:
        known = paper(work)
        own = CitedWork(title=work.title, authors=known.authors, year=known.year, structured=True)
        assert compare_with_record(own, known).state is MATCH, work.title


def test_no_work_is_its_neighbour() -> None:
    accused = 0
    for work, neighbour in pairwise(WORKS):
        known = paper(work)
        own = CitedWork(title=work.title, authors=known.authors, year=known.year, structured=True)
        accused += compare_with_record(own, paper(neighbour)).state is MISMATCH

    assert accused >= 0.97 * (len(WORKS) - 1)


def plain(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return "".join(char for char in parts if not unicodedata.combining(char))


_CHANGES: dict[str, Callable[[str], str]] = {
    "shouted": str.upper,
    "whispered": str.lower,
    "plain": plain,
    "marked": lambda text: f"<i>{text}</i>.",
    "spaced": lambda text: text.replace("-", " ").replace(" ", "  "),
    "dashed": lambda text: text.replace("-", "–"),
}


def initialled(author: WorkAuthor, *, turned: bool) -> WorkAuthor:
    if not author.family:
        return author
    initials = " ".join(f"{word[0]}." for word in author.given.split() if word)
    name = f"{author.family} {initials}" if turned else f"{initials} {author.family}"
    return WorkAuthor(name=name.strip())


@given(st.sampled_from(WORKS), st.sampled_from(sorted(_CHANGES)), st.booleans(), st.integers(-1, 1))
def test_a_work_stays_itself_however_it_is_written(
    work: Any, change: Any, turned: Any, drift: Any
) -> None:
    known = paper(work)
    own = CitedWork(
        title=_CHANGES[change](work.title),
        authors=tuple(initialled(author, turned=turned) for author in known.authors),
        year=known.year + drift if known.year else None,
        structured=True,
    )

    assert compare_with_record(own, known).state is not MISMATCH


def listed(*names: str, text: str = "", title: str = "") -> CitedWork:
    """A reference in words, as far as it could be taken apart."""
    reference = text or f"{'; '.join(names)}. {title}. Nature 500, 54 (2013)."
    return CitedWork(text=reference, title=title, authors=tuple(map(person, names)), year=2013)


def test_a_first_author_put_before_the_true_others_is_told() -> None:
    title = "Nanometre-scale thermometry in a living cell"
    swapped = listed("Abernathy, Q.", "Maurer, P. C.", title=title)

    assert compare_with_record(swapped, record()).author.state is MISMATCH


@pytest.mark.parametrize(
    "names",
    [
        ("Kuscko, G.", "Maurer, P. C."),  # misspelt
        ("Maurer, P. C.",),  # the first left out
    ],
)
def test_other_spellings_of_the_authors_are_no_contradiction(
    names: tuple[str, ...],
) -> None:
    title = "Nanometre-scale thermometry in a living cell"

    assert compare_with_record(listed(*names, title=title), record()).author.state is MATCH


@pytest.mark.parametrize(
    "names",
    [
        ("Maurer, P. C.", "Kucsko, G."),  # in another order
        ("Abernathy, Q.", "Fiennes, R.", "Maurer, P. C."),
        ("Kucsko, G.", "Abernathy, Q.", "Maurer, P. C."),
    ],
)
def test_another_order_and_strangers_among_the_authors_are_told(names: tuple[str, ...]) -> None:
    title = "Nanometre-scale thermometry in a living cell"

    assert compare_with_record(listed(*names, title=title), record()).author.state is MISMATCH


@pytest.mark.parametrize("venue", ["Nature Structural Biology", "Nat Struct Biol"])
def test_a_reference_without_a_title_is_not_held_to_be_another_work(venue: str) -> None:
    text = "Kucsko G, Maurer PC, Nat Struct Biol, 2013, 7, 918–925."
    untitled = listed("Kucsko, G.", "Maurer, P. C.", text=text)

    found = compare_with_record(untitled, record(venue=venue))

    assert found.title.state is NOT_CHECKED
    assert found.author.state is found.year.state is MATCH


def test_names_and_a_journal_taken_for_a_title_are_not_held_against_a_work() -> None:
    guess = "Kucsko Georg, Maurer Peter, Example Letters: heat, light, sound"
    untitled = CitedWork(text=f"{guess}, 2013, 22, 136.", title=guess, year=2013)

    found = compare_with_record(untitled, record(venue="Example letters"))

    assert found.title.state is NOT_CHECKED
    assert found.author.state is found.year.state is MATCH


@pytest.mark.parametrize("mark", [":", ",", "?"])
def test_a_word_of_the_title_that_was_read_as_an_author_is_no_stranger(mark: str) -> None:
    people = (
        WorkAuthor(name="Dana Prasad", family="Prasad", given="Dana"),
        WorkAuthor(name="Anton Berg", family="Berg", given="Anton"),
    )
    title = f"TrackGAN{mark} Making driving manoeuvres for scenario-based in-the-loop testing"
    record = Paper(title=title, source="crossref", url="", authors=people, year=2021)
    rest = "Making driving manoeuvres for scenario based in the loop testing"
    text = f"D. Prasad, A. Berg, TrackGAN{mark} {rest}. arXiv (2021)."

    def judge(stray: str) -> FieldAgreement:
        names = (*people, WorkAuthor(name=stray, family=stray, given=""))
        cited = CitedWork(title=rest, authors=names, year=2021, text=text)
        return compare_with_record(cited, record).author.state

    assert judge("TrackGAN") is FieldAgreement.MATCH
    assert judge("Stranger") is not FieldAgreement.MATCH
