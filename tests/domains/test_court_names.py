from __future__ import annotations

import pytest

from citewell.core.errors import InvalidInput
from citewell.domains.law.court_names import load_us_courts, resolve_jurisdiction
from tests.requirements import requires


@requires("legal_search.jurisdiction")
@pytest.mark.parametrize(
    ("written", "court"),
    [
        ("scotus", "scotus"),
        ("SCOTUS", "scotus"),
        ("Supreme Court", "scotus"),
        ("Supreme Court of the United States", "scotus"),
        ("ca9", "ca9"),
        ("9th Circuit", "ca9"),
        ("Ninth Circuit", "ca9"),
        ("9th Cir.", "ca9"),
        ("Court of Appeals for the Ninth Circuit", "ca9"),
        ("Second Circuit", "ca2"),
        ("2d Cir.", "ca2"),
        ("11th Cir.", "ca11"),
        ("D.C. Circuit", "cadc"),
        ("DC Circuit", "cadc"),
        ("Fed. Cir.", "cafc"),
        ("S.D.N.Y.", "nysd"),
        ("SDNY", "nysd"),
        ("Southern District of New York", "nysd"),
        ("U.S. District Court for the Southern District of New York", "nysd"),
        ("M.D. Pa.", "pamd"),
        ("D.D.C.", "dcd"),
        ("Bankr. S.D.N.Y.", "nysb"),
        ("New York Court of Appeals", "ny"),
        ("N.Y.", "ny"),
        ("California Supreme Court", "cal"),
        ("Supreme Court of California", "cal"),
        ("Cal. Ct. App.", "calctapp"),
        ("Tax Court", "tax"),
        ("Delaware Court of Chancery", "delch"),
        ("  new   york court of appeals ", "ny"),
    ],
)
def test_a_us_court_is_known_by_id_name_and_label(written: str, court: str) -> None:
    choice = resolve_jurisdiction(written)

    assert (choice.providers, choice.court) == (("courtlistener",), court)


@pytest.mark.parametrize(
    ("written", "providers", "court"),
    [
        ("uksc", ("findcaselaw",), "uksc"),
        ("UK Supreme Court", ("findcaselaw",), "uksc"),
        ("Court of Appeal (Civil Division)", ("findcaselaw",), "ewca/civ"),
        ("uk", ("findcaselaw",), None),
        ("CJEU", ("eurlex",), "cjeu"),
        ("European Court of Justice", ("eurlex",), "cjeu"),
        ("General Court", ("eurlex",), "egc"),
        ("EU", ("eurlex",), None),
        ("cfr", ("ecfr",), None),
        ("Code of Federal Regulations", ("ecfr",), None),
        ("Federal Register", ("federalregister",), None),
        ("us-regulations", ("ecfr", "federalregister"), None),
        ("United States", ("courtlistener",), None),
    ],
)
def test_other_jurisdictions_choose_their_registry(
    written: str, providers: tuple[str, ...], court: str | None
) -> None:
    choice = resolve_jurisdiction(written)

    assert (choice.providers, choice.court) == (providers, court)


def test_a_state_stands_for_its_appellate_courts() -> None:
    choice = resolve_jurisdiction("California")

    assert choice.court is not None
    assert choice.court.split()[:2] == ["cal", "calctapp"]


def test_a_named_registry_is_searched_for_its_own_court() -> None:
    assert resolve_jurisdiction("Supreme Court", provider="findcaselaw").court == "uksc"


@pytest.mark.parametrize(
    ("written", "provider", "message"),
    [
        ("scotsu", None, "scotus (Supreme Court of the United States)"),
        ("ca99", None, "ca9 (Court of Appeals for the Ninth Circuit)"),
        ("cjue", None, "cjeu (Court of Justice of the European Union)"),
        ("Atlantis High Court", None, "For example: scotus"),
        ("x" * 5000, None, "For example: scotus"),
        ("uksc", "courtlistener", "UK Supreme Court is served by findcaselaw"),
        ("ca9", "ecfr", "served by courtlistener, not by ecfr"),
    ],
)
def test_an_unknown_court_is_refused_with_what_is_near(
    written: str, provider: str | None, message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        resolve_jurisdiction(written, provider=provider)

    assert message in caught.value.message
    assert len(caught.value.message) < 700


def test_every_id_of_the_table_means_itself() -> None:
    courts = load_us_courts()

    assert len(courts.names) > 2000
    assert all(courts.find_court_ids(code) == (code,) for code in courts.names)
