"""Who wrote a page: the poster of a question, the people of a byline, a channel, a site."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.citations.author_names import AuthorName
from citewell.reading.metadata.page_metadata import read_page_metadata
from tests.requirements import requires


def authors(html: str) -> list[tuple[str, bool]]:
    """The names, and whether each is cited as it is."""
    found = read_page_metadata(LexborHTMLParser(html)).authors
    return [(author.name, author.is_indivisible) for author in found]


def card(name: str, marked: str = "") -> str:
    """A user card as question sites have it: name, reputation and badges."""
    return (
        '<div class="user-info"><div class="user-details" itemprop="author" itemscope'
        f' itemtype="http://schema.org/Person"><a href="/users/7">{name}</a>{marked}'
        '<div class="-flair"><span class="reputation-score">171</span>'
        '<span title="33 bronze badges"><span class="badgecount">33</span></span>'
        '<span class="v-visible-sr">33 bronze badges</span></div></div></div>'
    )


def thread(asker: str) -> str:
    return (
        '<html><body><div itemscope itemtype="https://schema.org/QAPage"><div itemprop="mainEntity"'
        ' itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">Why?</h1>'
        f'<div class="question">{asker}<div class="comments"><p>Hm. – <a class="comment-user"'
        ' href="/users/8">anongoodnurse</a></p></div></div><div id="answers"><div class="answer"'
        ' itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer">'
        f"{card('anongoodnurse')}</div><div class='answer' itemprop='acceptedAnswer' itemscope"
        f" itemtype='https://schema.org/Answer'>{card('–')}</div></div></div></div></body></html>"
    )


def linked(**thing: object) -> str:
    thing = {name.replace("at_", "@"): value for name, value in thing.items()}
    return f'<script type="application/ld+json">{json.dumps(thing)}</script>'


@requires("scrape_page.thread_author")
@pytest.mark.parametrize("marked", ["", '<span class="d-none" itemprop="name">FindingNemo</span>'])
def test_a_question_is_by_who_asked_it(marked: str) -> None:
    assert authors(thread(card("FindingNemo", marked))) == [("FindingNemo", True)]


@requires("scrape_page.thread_author")
def test_the_name_of_an_account_is_literal_even_if_it_looks_like_a_persons() -> None:
    assert authors(thread(card("Grace Hopper"))) == [("Grace Hopper", True)]


@requires("scrape_page.thread_author")
def test_those_who_answer_in_json_ld_are_no_authors() -> None:
    question = {
        "@type": "Question",
        "author": {"@type": "Person", "name": "FindingNemo"},
        "acceptedAnswer": {"@type": "Answer", "author": {"@type": "Person", "name": "Other One"}},
    }

    assert authors(linked(at_type="QAPage", mainEntity=question)) == [("FindingNemo", True)]


@requires("scrape_page.thread_author")
@pytest.mark.parametrize("name", ["post-author", "author-name"])
def test_a_forum_without_structured_data_is_by_its_first_poster(name: str) -> None:
    post = '<div class="post"><div class="profile"><a class="{}">{}</a> 1,204 posts</div><p>…</p></div>'
    html = "".join(post.format(name, who) for who in ("Tidewatcher", "Mira Sol", "Jo"))

    assert authors(f"<html><body>{html}</body></html>") == [("Tidewatcher", True)]


def test_figures_beside_a_name_are_no_part_of_it() -> None:
    html = (
        '<div class="byline"><span class="author">Nils Berg 1,204 12 33 bronze badges</span></div>'
    )

    assert authors(html) == [("Nils Berg", False)]


def test_commenters_are_no_co_authors_of_an_article() -> None:
    html = (
        '<article><div class="byline">By <a href="/a">Grace Hopper</a> and <a href="/b">Ada'
        ' Lovelace</a></div><p>Text.</p><ul class="comments"><li><a rel="author">Mira</a></li></ul>'
        '</article><aside class="related"><a rel="author">Someone Else</a></aside>'
    )

    assert authors(html) == [("Grace Hopper", False), ("Ada Lovelace", False)]


def test_all_names_of_a_list_of_authors_count() -> None:
    items = "".join(
        f'<li><span class="author-name">{name}</span></li>'
        for name in ("Grace Hopper", "Ada Lovelace", "Alan Turing")
    )

    assert [name for name, _ in authors(f"<article><ul>{items}</ul></article>")] == [
        "Grace Hopper",
        "Ada Lovelace",
        "Alan Turing",
    ]


@requires("scrape_page.literal_author")
@pytest.mark.parametrize(
    "name", ["MIT OpenCourseWare", "Steve Mould", "Crash Course", "3Blue1Brown"]
)
def test_a_channel_is_literal_though_its_page_calls_it_a_person(name: str) -> None:
    marked = (
        '<div itemscope itemtype="http://schema.org/VideoObject"><span itemprop="author" itemscope'
        f' itemtype="http://schema.org/Person"><link itemprop="name" content="{name}"></span></div>'
    )
    declared = linked(at_type="VideoObject", author={"@type": "Person", "name": name})

    assert authors(marked) == authors(declared) == [(name, True)]


@requires("scrape_page.literal_author")
@pytest.mark.parametrize(
    "kind", ["Organization", "NewsMediaOrganization", "ResearchOrganization", "Corporation"]
)
def test_an_organisation_is_literal(kind: str) -> None:
    html = linked(at_type="NewsArticle", author={"@type": kind, "name": "Anna Lind"})

    assert authors(html) == [("Anna Lind", True)]


@requires("scrape_page.literal_author")
def test_a_site_that_names_itself_as_author_is_literal() -> None:
    html = '<meta property="og:site_name" content="Steady Ground"><meta name="author" content="Steady Ground">'

    assert authors(html) == [("Steady Ground", True)]


@requires("scrape_page.literal_author")
@pytest.mark.parametrize(
    "name",
    [
        "Centers for Disease Control and Prevention",
        "National Institute of Standards and Technology",
        "Department of Health and Human Services",
        "Food and Agriculture Organization of the United Nations",
    ],
)
def test_an_organisation_with_and_in_its_name_is_one(name: str) -> None:
    assert authors(f'<meta name="author" content="{name}">') == [(name, True)]


def test_two_people_joined_by_and_are_two() -> None:
    assert authors('<meta name="author" content="Hans Muster und Eva Muster">') == [
        ("Hans Muster", False),
        ("Eva Muster", False),
    ]


@requires("scrape_page.literal_author")
@pytest.mark.parametrize(
    "name",
    [
        "MIT OpenCourseWare", "BBC Earth", "TED Talks", "PBS Eons", "Two Minute Papers", "Khan Academy",
        "Kurzgesagt – In a Nutshell", "3Blue1Brown", "Veritasium", "Real Engineering", "The Conversation",
        "Stanford Online", "Friends of the Earth", "Our World in Data", "NASA Goddard", "freeCodeCamp.org",
        "Doctors Without Borders", "u/tidewatcher", "@noaa", "Example Robotics Inc.", "UNESCO Courier",
    ],
)  # fmt: skip
def test_names_that_no_person_has_are_literal_without_other_evidence(name: str) -> None:
    assert AuthorName(name=name).is_indivisible


@pytest.mark.parametrize(
    "name",
    [
        "Grace Hopper", "Ludwig van Beethoven", "Juan de la Cruz", "JRR Tolkien", "LeBron James",
        "Leonardo DiCaprio", "Mary-Jane O'Neil", "Gabriel García Márquez", "Wakefield AJ", "Ian McEwan",
        "Gretchen Daily", "Anna-Lena Müller-Schmidt", "JOHN SMITH", "Martin Luther King Jr.",
    ],
)  # fmt: skip
def test_people_are_still_split_into_given_and_family_name(name: str) -> None:
    assert not AuthorName(name=name).is_indivisible
