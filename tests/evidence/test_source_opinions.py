"""A name that a whole source lacks is reported; a paraphrase with other words or forms is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from citewell.evidence.judging.claim_judge import ClaimPair
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import ReadSource, SourceOpinion, SourceStance
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText

PAGES = json.loads(Path(__file__).with_name("mentions.json").read_text("utf-8"))
REPORTED = {SourceStance.ABSENT, SourceStance.PARTLY, SourceStance.CONTRADICTS}


def judge(page: dict[str, str], statement: str) -> SourceOpinion:
    source = SourceText(text=page["text"], language=page["language"])
    read = ReadSource(text=source.text, language=source.language, is_whole=True)
    return judge_statement(
        statement, source, read, judge_by_words(ClaimPair(claim=statement, source=source))
    )


@pytest.mark.parametrize(
    ("page", "statement", "missing"),
    [(page, *row) for page in PAGES for row in page["absent"].items()],
)
def test_a_name_that_the_source_lacks_is_reported(
    page: dict[str, str], statement: str, missing: str
) -> None:
    opinion = judge(page, statement)

    assert opinion.stance in {SourceStance.ABSENT, SourceStance.PARTLY}
    assert missing in opinion.reason


@pytest.mark.xfail(strict=True, reason="rare words and most German names are not looked for alone")
@pytest.mark.parametrize(
    ("page", "statement"), [(page, each) for page in PAGES for each in page["undetected"]]
)
def test_a_single_word_that_the_source_lacks_is_reported(
    page: dict[str, str], statement: str
) -> None:
    assert judge(page, statement).stance in REPORTED


@pytest.mark.parametrize(
    ("page", "statement"), [(page, each) for page in PAGES for each in page["present"]]
)
def test_a_paraphrase_is_not_reported(page: dict[str, str], statement: str) -> None:
    assert judge(page, statement).stance not in REPORTED


def test_a_name_with_an_error_of_a_scan_is_not_another_name() -> None:
    page = {
        "language": "en",
        "text": "In the port Captain O1sen was very disappointed with the crane.",
    }

    assert (
        judge(page, "In the port Captain Olsen was disappointed with the crane.").stance
        not in REPORTED
    )


def test_a_source_that_contradicts_itself_is_reported_as_such() -> None:
    statement = "The vaccine reduced infections in adults over sixty."
    denied = "The vaccine did not reduce infections in adults over sixty."
    page = {"language": "en", "text": f"{statement} {PAGES[0]['text']} {denied}"}

    opinion = judge(page, statement)

    assert opinion.stance is SourceStance.RELATED
    assert "may say the opposite" in opinion.reason
