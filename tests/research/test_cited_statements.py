from __future__ import annotations

from citewell.core.values.research import ProviderReport, ReportCitation
from citewell.research.claims.cited_statements import extract_statements

A, B = "https://a.example.org/x", "https://b.example.org/y_(z)"


def report(text: str, *cited: ReportCitation) -> ProviderReport:
    return ProviderReport(provider="openai", text=text, citations=cited)


def test_a_link_in_brackets_is_the_citation_of_its_sentence() -> None:
    text = f"Batteries age with heat ([Page]({A})). Cold only slows them down."

    first, second = extract_statements(report(text))

    assert (first.text, first.urls) == ("Batteries age with heat.", (A,))
    assert second.urls == ()
    assert text[second.start : second.end] == second.text


def test_the_words_of_a_link_within_a_sentence_are_spoken() -> None:
    (statement,) = extract_statements(report(f"According to the [World Bank]({B}) it grew by 5 %."))

    assert statement.text == "According to the World Bank it grew by 5 %."
    assert statement.urls == (B,)


def test_numbers_lead_to_the_list_that_came_with_the_report() -> None:
    text = "Alpha is the first letter [1]. Beta is the second one [2][1]. Gamma has none [9]."

    statements = extract_statements(report(text, ReportCitation(url=A), ReportCitation(url=B)))

    assert [statement.urls for statement in statements] == [(A,), (B, A), ()]


def test_a_citation_that_covers_a_passage_stands_behind_all_its_sentences() -> None:
    text = "First we say one thing. Then we say another thing. A third thing follows here."
    end = text.index(" A third")

    statements = extract_statements(report(text, ReportCitation(url=A, start=0, end=end)))

    assert [statement.urls for statement in statements] == [(A,), (A,), ()]


def test_headings_tables_and_scraps_say_nothing() -> None:
    text = "# A heading of five words\n\n| a | table | row | here |\n\nToo short.\n\n- A bullet that says something. "

    assert [statement.text for statement in extract_statements(report(text))] == [
        "A bullet that says something."
    ]


def test_a_mark_in_another_paragraph_is_nobodys() -> None:
    text = f"This sentence stands alone here.\n\n[Source]({A})"

    (statement,) = extract_statements(report(text))

    assert statement.urls == ()


def test_five_hundred_citations_are_read_in_time() -> None:
    text = " ".join(f"Fact number {n} stands here ([p]({A}?n={n}))." for n in range(600))

    statements = extract_statements(report(text))

    assert len(statements) == 500
    assert all(statement.urls for statement in statements)


def test_a_citation_behind_a_full_stop_ends_the_sentence_even_after_an_initial() -> None:
    text = f"Winter light holds little ultraviolet B. ([a]({A})) Oily fish supplies some of it. ([b]({B}))"

    found = extract_statements(ProviderReport(provider="openai", text=text))

    assert [(statement.text, statement.urls) for statement in found] == [
        ("Winter light holds little ultraviolet B.", (A,)),
        ("Oily fish supplies some of it.", (B,)),
    ]


def test_a_citation_at_the_end_of_a_run_stands_for_the_sentences_before_it() -> None:
    text = "Alpha is the first letter. Beta is the second one. Gamma is the third one. [1]"

    statements = extract_statements(report(text, ReportCitation(url=A)))

    assert [(statement.urls, statement.run_urls) for statement in statements] == [
        ((), (A,)),
        ((), (A,)),
        ((A,), ()),
    ]


def test_a_run_begins_after_the_citation_before() -> None:
    text = "Alpha is the first letter [2]. Beta is the second one. Gamma is the third one [1]."

    statements = extract_statements(report(text, ReportCitation(url=A), ReportCitation(url=B)))

    assert [(statement.urls, statement.run_urls) for statement in statements] == [
        ((B,), ()),
        ((), (A,)),
        ((A,), ()),
    ]


def test_two_citations_together_both_stand_for_their_run() -> None:
    text = "Alpha is the first letter. Beta is the second one. [1][2]"

    statements = extract_statements(report(text, ReportCitation(url=A), ReportCitation(url=B)))

    assert [(statement.urls, statement.run_urls) for statement in statements] == [
        ((), (A, B)),
        ((A, B), ()),
    ]


def test_a_run_ends_with_its_paragraph_and_with_its_list_item() -> None:
    text = (
        "Alpha is the first letter.\n\nBeta is the second one. [1]\n\n"
        "- Gamma is the third letter.\n- Delta is the fourth letter. [1]"
    )

    statements = extract_statements(report(text, ReportCitation(url=A)))

    assert [statement.run_urls for statement in statements] == [(), (), (), ()]
