from __future__ import annotations

from tests.e2e.test_trust import Environ, talk, verify
from tests.internet.serve import Internet
from tests.requirements import requires


@requires("verify_citation.http_status")
def test_a_dead_link_is_told_with_its_status(environ: Environ, internet: Internet) -> None:
    url = internet.page("sleep.example.org", "no-such-page")

    found = verify(environ, url)

    assert found["inputType"] == "url"
    assert found["linkState"] == "dead"
    assert found["httpStatus"] == 404
    assert found["exists"] is False


@requires("verify_citation.claim_support")
def test_a_claim_is_held_against_the_page(environ: Environ, internet: Internet) -> None:
    url = internet.page("sleep.example.org", "sleep-and-memory")

    spoken, unspoken = talk(
        environ,
        ("verify_citation", {"citation": url, "claim": "Sleep after learning helps memory"}),
        ("verify_citation", {"citation": url, "claim": "Zirconium alloys resist corrosion"}),
    )

    assert spoken["claimSupport"] == "addressed"
    assert spoken["claimEvidence"]
    assert unspoken["claimSupport"] in {"not_addressed", "source_unavailable"}
    assert "claimEvidence" not in unspoken
