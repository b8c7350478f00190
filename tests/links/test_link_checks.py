"""A web reference with a title: the page's own title is compared with it, gently."""

from __future__ import annotations

import pytest

from citewell.links.link_checks import LinkState
from citewell.trust.record_comparison import compare_page_title
from tests.links.test_verify import verify
from tests.requirements import requires
from tests.trust.desk import Desk
from tests.trust.test_audit import audit, of

URL = "https://example.org/page"
PAGE = ("Sodium-ion batteries explained | Battery Notes", "Sodium-ion batteries explained")


def live(*titles: str) -> LinkState:
    return LinkState(state="live", status=200, titles=titles)


@pytest.mark.parametrize(
    ("cited", "titles", "state"),
    [
        ("Sodium-ion batteries explained", PAGE, "match"),
        ("Sodium ion batteries, explained simply", PAGE, "match"),
        ("Ancient Roman aqueduct engineering and repair", PAGE, "mismatch"),
        ("Batteries of the future and what they cost", PAGE, "not_checked"),
        ("Aqueducts", PAGE, "not_checked"),
        ("Ancient Roman aqueduct engineering", ("Home",), "not_checked"),
        ("Ancient Roman aqueduct engineering", (), "not_checked"),
        ("Die Wasserleitungen der Römer und ihre Wartung im Alltag", PAGE, "not_checked"),
        ("الخلايا الشمسية في المدن الكبرى", PAGE, "not_checked"),
        ("", PAGE, "not_checked"),
    ],
)  # fmt: skip
def test_only_a_page_that_shares_hardly_a_word_is_told(
    cited: str, titles: tuple[str, ...], state: str
) -> None:
    assert compare_page_title(cited, live(*titles)).state == state


@pytest.mark.parametrize("state", ["blocked", "dead", "unchecked"])
def test_a_page_that_could_not_be_read_is_not_compared(state: str) -> None:
    link = LinkState(state=state, titles=PAGE)

    assert compare_page_title("Ancient Roman aqueduct engineering", link).state == "not_checked"


@requires("audit_bibliography.page_title")
def test_another_title_leaves_an_entry_unchecked_in_an_audit() -> None:
    entry = {"title": "Ancient Roman aqueduct engineering and repair", "url": URL}

    [found] = audit(of(entry), Desk(links={URL: live(*PAGE)}))["entries"]

    assert (found["flags"], found["titleMatch"]) == (["unchecked"], "mismatch")
    assert "titled “Sodium-ion batteries explained" in found["reason"]


@requires("audit_bibliography.page_title")
def test_another_title_is_told_when_one_citation_is_verified() -> None:
    cited = f"Ancient Roman aqueduct engineering and repair. 2020. {URL}"

    found = verify(cited, desk=Desk(links={URL: live(*PAGE)}, papers=[]))

    assert found["titleMatch"] == "mismatch"
    assert any("Sodium-ion" in note for note in found["notes"])
    assert found["exists"] is True
