""""""

from __future__ import annotations

import pytest

from citewell.drafts.draft import StatementSign
from tests.drafts.draft_samples import NUMBERED
from tests.drafts.given_drafts import read_draft


def test_a_citation_in_the_middle_stands_for_its_clause() -> None:
    draft = read_draft(NUMBERED)

    statements = {statement.text: statement for statement in draft.statements}
    first = statements["Sleep deprivation reduces recall by about 20% in adults"]
    assert first.citation_ids == ("c1",)
    assert statements["whereas naps of 90 minutes improve it."].citation_ids == ("c2",)
    assert StatementSign.NUMBER in first.signs
    assert draft.text[first.place.start : first.place.end].endswith("[1]")
    assert (first.place.line, first.place.column) == (3, 1)


def test_an_uncited_statement_with_a_number_is_kept_and_the_authors_own_doing_is_not() -> None:
    draft = read_draft("Wheat grew by 12% in 2005. We measured 30 plants. What is 12% of it?")

    assert [statement.text for statement in draft.statements] == ["Wheat grew by 12% in 2005."]
    assert draft.notes == ("No citation was found in the text.",)


@pytest.mark.parametrize(
    "pointer",
    [
        "Both dates are from the bureau's guide",
        "These figures come from the yearly report",
        "Alle Zahlen stammen aus dem Jahresbericht",
        "Ces chiffres proviennent du rapport annuel",
        "Las cifras proceden del informe anual",
    ],
)
def test_a_sentence_that_only_says_where_something_is_from_is_no_statement(pointer: str) -> None:
    draft = read_draft(
        f"The pact was signed on 3 May 1921 by 12 towns. {pointer}.[^1]\n\n[^1]: Guide, https://example.org/guide\n"
    )

    assert [statement.text for statement in draft.statements] == [
        "The pact was signed on 3 May 1921 by 12 towns."
    ]
    assert draft.statements[0].citation_ids == ("c1",)


def test_the_column_of_sources_is_no_part_of_what_a_row_says() -> None:
    draft = read_draft(
        "| Item | Value | Source |\n| --- | --- | --- |\n| Wells | 64% | [Office](https://example.org/w) |\n",
        format="markdown",
    )

    assert [statement.text for statement in draft.statements] == ["Wells; Value: 64%"]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("html", '<p>Failures rose in cities (<a href="https://doi.org/10.1038/onc.12">Raman et al.</a>, <a href="https://doi.org/10.1002/ehf2.18">Maffeis et al.</a>). So much for this.</p>'),
        ("markdown", "Failures rose in cities ([Raman et al.](https://doi.org/10.1038/onc.12), [Maffeis et al.](https://doi.org/10.1002/ehf2.18)). So much for this."),
    ],
)  # fmt: skip
def test_several_links_that_name_authors_stand_for_one_statement(form: str, text: str) -> None:
    [statement] = read_draft(text, format=form).statements

    assert statement.text.startswith("Failures rose in cities")
    assert len(statement.citation_ids) == 2
