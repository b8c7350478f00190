"""What the pages that an answer cites say to its sentences."""

from __future__ import annotations

from citewell.core.values.research import ProviderReport, ReportCitation
from citewell.jobs.step_values import PageLead, PageReading
from citewell.research.checked_answers import AnswerCheck, CheckedAnswer

HEARTS = "https://ocean.example.org/octopus"
BRAINS = "https://magazine.example.net/brains"
PAGES = {
    HEARTS: "An octopus has three hearts. Two of them pump blood through the gills.",
    BRAINS: "The octopus does not have nine brains. It has one brain and large nerves in its arms.",
}


def checked(text: str, *urls: str, marked: bool = True, **pages: PageReading) -> CheckedAnswer:
    """The check of a text whose marks [n] name these pages."""
    cited = []
    for number, url in enumerate(urls, start=1):
        start = text.find(f"[{number}]")
        place = (start, start + 3) if marked and start >= 0 else (None, None)
        cited.append(ReportCitation(url=url, title="T", start=place[0], end=place[1]))
    report = ProviderReport(provider="exa", text=text, citations=tuple(cited))
    leads = [PageLead(url=url, title="T") for url in urls]
    readings = [
        pages.get(url.partition("//")[2].partition(".")[0])
        or PageReading(url=url, title="T", text=PAGES.get(url, ""), language="en")
        for url in urls
    ]
    return AnswerCheck(
        report, leads, readings, query="How many hearts has an octopus?"
    ).build_checked_answer()


def test_a_page_that_says_it_supports_the_sentence_with_its_place() -> None:
    answer = checked("An octopus has three hearts. [1]", HEARTS)

    [cited] = answer.citations
    assert (cited.checked, cited.relation, cited.snippet) == (
        True,
        "supports",
        "An octopus has three hearts.",
    )
    assert answer.text == "An octopus has three hearts. [1]"
    assert answer.notes == ()


def test_a_page_that_says_the_opposite_contradicts() -> None:
    answer = checked("The octopus has nine brains. [1]", BRAINS)

    assert answer.citations[0].relation == "contradicts"
    assert answer.citations[0].unsupported == ("The octopus has nine brains.",)


def test_a_contradiction_is_told_even_if_another_sentence_is_supported() -> None:
    text = "The octopus has one brain and large nerves in its arms. [1] The octopus has nine brains. [1]"
    cited = tuple(
        ReportCitation(url=BRAINS, start=at, end=at + 3)
        for at in (text.find("[1]"), text.rfind("[1]"))
    )
    report = ProviderReport(provider="exa", text=text, citations=cited)
    page = PageReading(url=BRAINS, text=PAGES[BRAINS], language="en")

    answer = AnswerCheck(
        report, [PageLead(url=BRAINS)], [page], query="Brains?"
    ).build_checked_answer()

    assert answer.citations[0].relation == "contradicts"


def test_a_page_that_was_not_read_is_unchecked_with_its_reason() -> None:
    gone = PageReading(url=HEARTS, state="dead", reason="The page does not exist.")

    answer = checked("An octopus has three hearts. [1]", HEARTS, ocean=gone)

    [cited] = answer.citations
    assert (cited.checked, cited.relation, cited.reason) == (
        False,
        None,
        "The page does not exist.",
    )
    assert "nothing in this answer was checked" in answer.notes[0]


def test_a_page_in_another_language_is_not_compared() -> None:
    german = PageReading(
        url=HEARTS,
        language="de",
        text="Ein Oktopus hat drei Herzen und blaues Blut. Zwei davon pumpen Blut durch die Kiemen.",
    )

    answer = checked("An octopus has three hearts and blue blood. [1]", HEARTS, ocean=german)

    assert (answer.citations[0].checked, answer.citations[0].relation) == (False, None)
    assert "another language" in (answer.citations[0].reason or "")


def test_without_marks_each_sentence_gets_the_page_that_supports_it() -> None:
    text = "An octopus has three hearts. It has one brain and large nerves in its arms."

    answer = checked(text, HEARTS, BRAINS, marked=False)

    assert answer.text == (
        "An octopus has three hearts. [1] It has one brain and large nerves in its arms. [2]"
    )
    assert "the marks are ours" in answer.notes[0]


def test_an_answer_of_one_word_is_compared_with_its_question() -> None:
    answer = checked("Three hearts", HEARTS, marked=False)

    assert answer.citations[0].snippet == "An octopus has three hearts."


def test_links_become_marks_and_are_not_repeated() -> None:
    text = f"An octopus has three hearts ([T]({HEARTS})). It has one brain and large nerves. [T]({BRAINS})"
    report = ProviderReport(
        provider="exa",
        text=text,
        citations=(ReportCitation(url=HEARTS), ReportCitation(url=BRAINS)),
    )
    leads = [PageLead(url=HEARTS), PageLead(url=BRAINS)]
    pages = [PageReading(url=url, text=PAGES[url], language="en") for url in (HEARTS, BRAINS)]

    answer = AnswerCheck(report, leads, pages, query="?").build_checked_answer()

    assert "http" not in answer.text
    assert (answer.text.count("[1]"), answer.text.count("[2]")) == (1, 1)


def test_links_and_images_to_other_pages_are_not_passed_on() -> None:
    text = (
        "An octopus has three hearts. ![x](https://evil.example/?leak=1) It is"
        " [here](https://evil.example/a), as we said."
    )

    unmarked = checked(text, HEARTS, marked=False)
    marked = checked(f"{text} An octopus has three hearts. [1]", HEARTS)

    assert "evil" not in unmarked.text
    assert "evil" not in marked.text


def test_an_answer_that_cites_nothing_says_so() -> None:
    assert checked("An octopus has three hearts.").notes == (
        "exa cites nothing, so this answer could not be checked.",
    )


def test_an_empty_answer_has_nothing_to_check() -> None:
    answer = checked("", HEARTS)

    assert answer.text == ""
    assert answer.citations[0].relation == "mentions"
