from __future__ import annotations

import pytest

from citewell.text.questions.question_domains import QuestionDomain, find_question_domains


@pytest.mark.parametrize(
    ("question", "domain"),
    [
        ("Which clinical trials tested melatonin for insomnia?", "trials"),
        ("What did NCT04207047 find?", "trials"),
        ("Is semaglutide better than placebo for weight loss?", "trials"),
        ("Welche klinischen Studien gibt es zu Metformin?", "trials"),
        ("What did the Supreme Court decide in Obergefell v. Hodges?", "law"),
        ("Is 17 C.F.R. § 240.10b-5 still in force?", "law"),
        ("Which courts held that scraping is lawful?", "law"),
        ("What does Apple's 10-K say about supply risks?", "filings"),
        ("What was the net income of Microsoft in 2023?", "filings"),
        ("How did the GDP of Germany grow after 2019?", "statistics"),
        ("What is the unemployment rate in Spain?", "statistics"),
        ("Who patented the folding display?", "patents"),
        ("Is there prior art for US 10,165,245 B2?", "patents"),
    ],
)
def test_a_question_names_its_domain_by_its_words(question: str, domain: str) -> None:
    assert QuestionDomain(domain) in find_question_domains(question)


@pytest.mark.parametrize(
    "question",
    [
        "Do street trees lower summer temperatures in cities?",
        "How does a heat pump work in winter?",
        "Python vs. Ruby for web servers",
        "What is the best way to learn to court a friend?",
        "How do I descale a kettle?",
        "",
    ],
)
def test_an_everyday_question_is_for_no_registry(question: str) -> None:
    assert find_question_domains(question) == frozenset()
