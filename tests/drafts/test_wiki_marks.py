from __future__ import annotations

from tests.drafts.given_drafts import read_draft


def test_fields_of_a_template_are_those_of_the_reference() -> None:
    text = "Midges live here.<ref>{{cite journal |last1=Gardarsson |first1=A. |last2=Einarsson |first2=Á. |date=12 May 2004 |title=Numbers of [[midge]]s |journal=Aquatic Ecology |volume=38 |issue=2 |pages=1–9 |doi=10.1000/midges}}</ref>"

    [entry] = read_draft(text).references

    found = entry.reference
    assert [author.family for author in found.authors] == ["Gardarsson", "Einarsson"]
    assert (found.title, found.venue, found.volume, found.issue, found.pages, found.year, found.doi) == ("Numbers of midges", "Aquatic Ecology", "38", "2", "1–9", 2004, "10.1000/midges")  # fmt: skip
    assert entry.place is not None
    assert text[entry.place.start : entry.place.end].startswith("{{cite journal")


def test_a_remark_in_a_reference_tag_cites_nothing() -> None:
    draft = read_draft(
        "Midges live here.<ref>Not all of them bite.</ref> They bite 12% of visitors."
    )

    assert draft.citations == ()
    assert [statement.text for statement in draft.statements] == ["They bite 12% of visitors."]
