"""Drafts as people and models paste them, and what a reader takes from each.

The expectations were written from the drafts, not from what is read of them. A name after `*` only has
to be a part of what was read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citewell.drafts.draft import Draft
from tests.drafts.given_drafts import read_draft
from tests.drafts.test_draft import agrees, name_references, show_all

CASES: list[dict[str, Any]] = [
    case
    for name in ("pasted_drafts.json", "pasted_forms.json")
    for case in json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
]
HEADINGS = {
    "en": ("References", "Bibliography", "Works Cited", "Sources", "Reference List"),
    "de": ("Literaturverzeichnis", "Literatur", "Quellen", "Quellenverzeichnis"),
    "fr": ("Références", "Bibliographie", "Sources", "Références bibliographiques"),
    "es": ("Referencias", "Bibliografía", "Fuentes", "Obras citadas"),
    "it": ("Riferimenti bibliografici", "Bibliografia", "Fonti", "Riferimenti"),
    "pt": ("Referências", "Bibliografia", "Fontes", "Referências bibliográficas"),
    "nl": ("Referenties", "Literatuurlijst", "Bronnen", "Bronvermelding"),
    "sv": ("Referenser", "Källor", "Källförteckning", "Litteraturförteckning"),
    "pl": ("Bibliografia", "Literatura", "Źródła", "Piśmiennictwo"),
}
FORMS = (
    "{}", "{}:", "{}.", "**{}**", "**{}:**", "**{}**:", "__{}__", "*{}*", "# {}", "## {}", "### {}:",
    "## **{}**", "## **{}:**", "## {} ##", "{}\n=====", "{}\n-----", "5. {}", "5 {}", "5.2. {}", "V. {}",
    "## 5. {}", "**5. {}**", "## V. {}", "<u>{}</u>", "<b>{}</b>", "<h2>{}</h2>", "== {} ==", "## 📚 {}",
    "[{}]", "--- {} ---", "**{} (APA 7)**", "{} (3)", "> **{}**", "- **{}**", "***{}***", "\\*\\*{}\\*\\*", "VI) {}", "A. {}", "\u200b{}\u00a0",
)  # fmt: skip
NAMED_BODY = """Reefs lost half of their coral since 1950 (Eddy et al., 2021). Bleaching recurs every six years (Hughes, 2018).

{}

Eddy, T. D., Lam, V. W. Y., & Reygondeau, G. (2021). Global decline in capacity of coral reefs. One Earth, 4(9), 1278-1285.
Hughes, T. P. (2018). Spatial and temporal patterns of mass bleaching. Science, 359, 80-83.
"""
NUMBERED_BODY = """Reefs lost half of their coral since 1950 [1]. Bleaching recurs every six years [2].
{}
1. Eddy TD, Lam VWY, Reygondeau G. Global decline in capacity of coral reefs. One Earth. 2021;4(9):1278-85.
2. Hughes TP. Spatial and temporal patterns of mass bleaching. Science. 2018;359:80-3.
"""
SHOWN = ["Eddy 2021"], ["Hughes 2018"]


def list_citations(draft: Draft) -> list[tuple[str, list[str]]]:
    named = name_references(draft)
    return [
        (citation.text, [*(named[key] for key in citation.reference_ids), *(f"missing {key}" for key in citation.missing)])
        for citation in draft.citations
    ]  # fmt: skip


def list_faults(body: str, headings: list[str]) -> list[str]:
    faults = []
    for heading in headings:
        draft = read_draft(body.replace("{}", heading))
        read = [[name.partition("\0")[0] for name in names] for _, names in list_citations(draft)]
        if tuple(read) != SHOWN or len(draft.references) != 2 or len(draft.statements) != 2:
            faults.append(
                f"{heading!r}: {read}, {[statement.text for statement in draft.statements]}"
            )
    return faults


@pytest.mark.parametrize("language", HEADINGS)
@pytest.mark.parametrize("body", [NAMED_BODY, NUMBERED_BODY], ids=["named", "numbered"])
def test_a_heading_of_any_form_opens_the_list(language: str, body: str) -> None:
    words = HEADINGS[language]
    headings = [
        form.format((*words, words[0].upper())[number % (len(words) + 1)])
        for number, form in enumerate(FORMS)
    ]

    faults = list_faults(body, headings)

    assert not faults, f"{len(faults)} of {len(headings)}\n" + "\n".join(faults)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_citations_of_a_pasted_draft_mean_what_their_author_meant(case: dict[str, Any]) -> None:
    draft = read_draft(case["text"])

    found = list_citations(draft)

    wanted = case["citations"]
    assert len(draft.references) == case["references"], [
        reference.reference for reference in draft.references
    ]
    if case.get("optional_citations"):
        found = [row for row in found if any(agrees(row[0], mark) for mark, _ in wanted)]
    assert len(found) == len(wanted), show_all(found)
    for (mark, names), (wanted_mark, wanted_names) in zip(found, wanted, strict=True):
        assert agrees(mark, wanted_mark), show_all(found)
        assert len(names) == len(wanted_names), show_all(found)
        assert all(map(agrees, names, wanted_names)), show_all(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_statements_of_a_pasted_draft_have_their_own_citations(case: dict[str, Any]) -> None:
    draft = read_draft(case["text"])

    marks = {citation.id: citation.text for citation in draft.citations}
    texts = {
        statement.text: [marks[key] for key in statement.citation_ids]
        for statement in draft.statements
    }

    assert set(case.get("statements", ())) <= texts.keys(), texts
    for text, wanted in case.get("linked", {}).items():
        assert texts.get(text) == wanted, texts
    if count := case.get("each_statement_has"):
        assert [len(held) for held in texts.values()] == [count] * len(texts), texts
