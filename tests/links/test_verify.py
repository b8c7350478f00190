from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import Blocked, InvalidInput
from citewell.core.values.paper import IdentifierScheme
from citewell.core.values.scrape_results import StructuredData
from citewell.links.link_checks import LinkState
from tests.internet.papers import register
from tests.requirements import requires
from tests.trust.desk import Desk, page, paper, work

PROSE = (
    "Kucsko G, Maurer PC. Nanometre-scale thermometry in a living cell. Nature 500, 54-58 (2013)"
)
FILLER = " ".join(f"Sentence number {number} speaks of something else." for number in range(60))


def verify(citation: str, *, desk: Desk | None = None, claim: str | None = None) -> dict[str, Any]:
    found = asyncio.run((desk or Desk()).verify().verify_citation(citation, claim=claim))
    return found.to_wire()


@pytest.fixture(scope="module")
def dois() -> list[str]:
    return [work.key for work in register().works]


@requires("verify_citation.matched_record", "verify_citation.exists")
def test_a_registered_doi_is_confirmed_with_its_own_record(dois: list[str]) -> None:
    found = verify(dois[0])

    assert found["inputType"] == "doi"
    assert found["exists"] is True
    assert found["existence"] == "found"
    assert found["verificationStatus"] == "confirmed"
    assert found["matchedRecord"]["doi"] == dois[0]
    assert found["matchConfidence"] == "high"
    assert found["titleMatch"] == "not_checked"
    assert found["trust"] == "untrusted-external-content"
    assert "suggestedDoi" not in found


@pytest.mark.parametrize(
    "form",
    [
        "{}.",
        "https://doi.org/{}",
        "http://dx.doi.org/{}/",
        "doi:{}",
        "DOI: {},",
        "({})",
        "https://doi.org/{}/full",
        "{}/pdf",
    ],
)
def test_a_doi_in_any_dress_is_the_same_doi(form: str, dois: list[str]) -> None:
    wanted = next(doi for doi in dois if doi.replace("/", "").replace(".", "").isalnum())

    found = verify(form.format(wanted.upper()))

    assert found["inputType"] == "doi"
    assert found["matchedRecord"]["doi"] == wanted


@requires("verify_citation.exists", "verify_citation.matched_record")
def test_a_doi_that_the_registry_denies_does_not_exist() -> None:
    found = verify("10.1000/invented.2024.001")

    assert found["exists"] is False
    assert found["existence"] == "not_registered"
    assert found["verificationStatus"] == "not_found"
    assert "matchedRecord" not in found
    assert "matchConfidence" not in found


def test_an_invented_doi_with_a_real_title_is_told_the_right_one(dois: list[str]) -> None:
    real = work(dois[3])
    names = real.names[0] if real.names else ""

    found = verify(f"{names} ({real.year}). {real.title}. {real.venue}. doi:10.1000/invented.1")

    assert found["exists"] is False
    assert found["suggestedDoi"] == real.key
    assert found["possibleMatch"]["doi"] == real.key


def test_a_right_title_with_a_neighbours_doi_is_a_mismatch_and_the_right_doi_is_offered() -> None:
    works = [work for work in register().works if len(work.title.split()) > 6 and work.authors]
    cited, neighbour = works[0], works[1]

    found = verify(f"{cited.names[0]} ({cited.year}). {cited.title}. doi:{neighbour.key}")

    assert found["exists"] is True
    assert found["titleMatch"] == "mismatch"
    assert found["verificationStatus"] == "uncertain"
    assert found["matchedRecord"]["doi"] == neighbour.key
    assert found["suggestedDoi"] == cited.key
    assert found["mismatches"]


@requires("verify_citation.outage", "verify_citation.exists", "defect.registry_down")
def test_with_the_registries_down_nothing_is_ever_said_not_to_exist(dois: list[str]) -> None:
    desk = Desk(down=True)
    asked = [
        dois[0], f"https://doi.org/{dois[1]}", PROSE, f"{PROSE} doi:{dois[2]}", "arXiv:1706.03762",
        "PMID: 12345678", "ISBN 978-3-16-148410-0", "347 U.S. 483 (1954)",
    ]  # fmt: skip

    found = [verify(citation, desk=desk) for citation in asked]

    assert all(result["exists"] is None for result in found)
    assert {result["existence"] for result in found} == {"unchecked"}
    assert {result["verificationStatus"] for result in found} == {"uncertain"}
    assert not any("mismatches" in result for result in found)
    assert any("rate_limited" in line for line in found[0]["provenance"])


@requires("verify_citation.match_confidence", "verify_citation.citation")
def test_words_that_fit_a_work_confirm_it() -> None:
    real = next(work for work in register().works if len(work.title.split()) > 6 and work.authors)

    found = verify(f"{real.names[0]}. {real.title}. {real.venue}, {real.year}.")

    assert found["inputType"] == "reference"
    assert found["exists"] is True
    assert found["verificationStatus"] == "confirmed"
    assert found["matchConfidence"] == "high"
    assert found["matchedRecord"]["doi"] == real.key
    assert "words" in found["authenticityCaveat"]


def test_words_that_nothing_fits_are_no_proof_of_absence() -> None:
    found = verify(
        "Abernathy Q. (2019). Quilted harbours and the economics of lantern festivals in Ruritania. Imaginary Letters 4."
    )

    assert found["exists"] is None
    assert found["existence"] == "unchecked"
    assert found["verificationStatus"] in {"not_found", "uncertain"}
    assert "matchedRecord" not in found


def test_a_work_that_shares_a_word_or_two_is_not_offered_as_the_one_meant() -> None:
    found = verify(
        "Smith J. The imaginary effects of nonexistent phenomena on learning gorillas. 2019."
    )

    assert "suggestedDoi" not in found
    assert not any("fit the work" in note for note in found.get("notes", ()))


def test_a_retracted_work_is_confirmed_and_said_to_be_retracted() -> None:
    bad = next(work for work in register().works if work.retracted)

    found = verify(bad.key)

    assert found["verificationStatus"] == "confirmed"
    assert found["retractionStatus"]["retracted"] is True


@requires("verify_citation.retraction_status")
def test_a_correction_is_no_retraction() -> None:
    only = next(
        work
        for work in register().works
        if work.events and {event.kind for event in work.events} == {"correction"}
    )

    found = verify(only.key)

    assert found["retractionStatus"]["retracted"] is False
    assert found["retractionStatus"]["kind"] == "correction"


@requires("verify_citation.retraction_status")
def test_a_clean_record_says_nothing_of_retraction(dois: list[str]) -> None:
    clean = next(work for work in register().works if not work.events)

    assert "retractionStatus" not in verify(clean.key)


def test_other_identifiers_are_looked_up_as_what_they_are() -> None:
    by_pmid = next(work for work in register().works if "pmid" in work.ids)
    desk = Desk()

    found = verify(f"PMID {by_pmid.ids['pmid']}", desk=desk)

    assert found["inputType"] == "pmid"
    assert found["matchedRecord"]["doi"] == by_pmid.key
    assert desk.asked[0] == f"pmid:{by_pmid.ids['pmid']}"


@pytest.mark.parametrize(
    "citation",
    [
        "347 U.S. 483 (1954)",
        "Brown v. Board of Education",
        "[2019] UKSC 41",
        "ECLI:EU:C:2014:317",
        "Case C-131/12 Google Spain",
    ],
)
def test_a_legal_citation_is_never_looked_up_as_a_paper(citation: str) -> None:
    desk = Desk()

    found = verify(citation, desk=desk)

    assert found["inputType"] == "legal"
    assert found["existence"] == "unchecked"
    assert found["exists"] is None
    assert not desk.asked
    assert "CourtListener" in found["notes"][0]


def test_a_wrong_check_digit_is_said_and_nobody_is_asked_for_that_number() -> None:
    desk = Desk()

    found = verify("ISBN 978-3-16-148410-1", desk=desk)

    assert found["inputType"] == "isbn"
    assert "check digit" in " ".join(found["notes"])
    assert "later" not in " ".join(found["notes"])
    assert found["exists"] is None
    assert not desk.asked


@requires("verify_citation.not_scholarly")
def test_a_live_page_that_is_no_paper_is_only_said_to_answer() -> None:
    desk = Desk()
    url = "https://blog.example.org/post"
    desk.pages[url] = page(url, f"A post that mentions 10.1000/other. {FILLER}")

    found = verify(url, desk=desk)

    assert found["inputType"] == "url"
    assert found["exists"] is True
    assert found["httpStatus"] == 200
    assert "detectedDoi" not in found
    assert not desk.asked


@requires("verify_citation.detected_doi")
def test_a_papers_page_is_read_once_and_its_doi_drives_the_rest() -> None:
    desk, real = Desk(), register().works[5]
    url = "https://journal.example.org/article"
    marks = StructuredData(citation={"citation_doi": real.doi, "citation_title": real.title})
    desk.pages[url] = page(
        url, FILLER, title=f"{real.title} | Journal", structured=marks, declared_doi=real.key
    )

    found = verify(url, desk=desk)

    assert found["detectedDoi"] == real.key
    assert found["matchedRecord"]["doi"] == real.key
    assert found["titleMatch"] == "match"
    assert desk.read_ == [url]


@requires("verify_citation.detected_doi_own")
def test_metadata_that_name_another_paper_are_reported_and_not_believed() -> None:
    desk, real = Desk(), register().works[5]
    url = "https://daily.example.com/news"
    desk.pages[url] = page(
        url,
        FILLER,
        title="Shellfish farmers watch the calendar more closely",
        author="Grace Hopper",
        declared_doi=real.key,
    )

    found = verify(url, desk=desk)

    assert "detectedDoi" not in found
    assert "matchedRecord" not in found
    assert "another work" in " ".join(found["notes"])


@requires("verify_citation.detected_doi_own")
def test_a_doi_at_the_beginning_of_the_text_counts_if_the_record_is_the_pages() -> None:
    desk = Desk()
    real = next(work for work in register().works if work.key == "10.1056/nejmoa2007621")
    own, other = "https://old.example.org/p17", "https://blog.example.org/p17"
    text = f"https://doi.org/{real.doi} {FILLER}"
    desk.pages[own] = page(own, text, title=real.title, author="; ".join(real.names))
    desk.pages[other] = page(other, text, title=real.title, author="Grace Hopper")

    assert verify(own, desk=desk)["detectedDoi"] == real.key
    assert "detectedDoi" not in verify(other, desk=desk)


@requires("verify_citation.http_status", "verify_citation.detected_doi")
def test_an_address_that_carries_a_doi_needs_no_readable_page() -> None:
    desk, real = Desk(), register().works[5]
    url = f"https://publisher.example.org/doi/full/{real.doi}"
    desk.links[url] = LinkState(state="blocked", status=403)
    desk.pages[url] = Blocked("A wall.")

    found = verify(url, desk=desk)

    assert found["detectedDoi"] == real.key
    assert found["exists"] is True
    assert found["httpStatus"] == 403
    assert found["linkState"] == "blocked"


@requires("verify_citation.archived_url")
def test_a_gone_page_does_not_exist_and_its_archived_copy_is_offered() -> None:
    desk, url = Desk(), "https://example.org/gone"
    copy = f"https://web.archive.org/web/2020/{url}"
    desk.links[url] = LinkState(state="dead", status=404, archived=copy, reason="http_404")

    found = verify(url, desk=desk)

    assert found["exists"] is False
    assert found["existence"] == "gone"
    assert found["archivedUrl"] == copy
    assert found["httpStatus"] == 404


@requires("verify_citation.unread")
@pytest.mark.parametrize("status", [401, 403, 429, 451, 503])
def test_a_page_that_was_refused_exists_and_is_unread(status: int) -> None:
    desk, url = Desk(), "https://example.org/walled"
    desk.links[url] = LinkState(state="blocked", status=status, reason=f"http_{status}")
    desk.pages[url] = Blocked("A wall.")

    found = verify(url, desk=desk)

    assert (found["exists"], found["verificationStatus"]) == (True, "unread")
    assert f"HTTP {status}" in found["notes"][0]
    assert ("legal reasons" in found["notes"][0]) == (status == 451)


@requires("verify_citation.unread")
def test_a_page_is_confirmed_once_its_content_was_read_by_whatever_way() -> None:
    desk, url = Desk(), "https://example.org/coffee"
    desk.links[url] = LinkState(state="blocked", status=403)
    desk.pages[url] = page(url, FILLER)

    found = verify(url, desk=desk)

    assert found["verificationStatus"] == "confirmed"
    assert "notes" not in found


@requires("verify_citation.unread")
def test_a_refused_page_with_an_unregistered_doi_in_its_address_is_unread() -> None:
    desk, url = Desk(), "https://publisher.example.org/doi/full/10.9999/nothing.here"
    desk.links[url] = LinkState(state="blocked", status=403)

    found = verify(url, desk=desk)

    assert (found["exists"], found["verificationStatus"]) == (True, "unread")
    assert any("not registered" in note for note in found["notes"])


@requires("verify_citation.address_history")
@pytest.mark.parametrize(
    ("link", "existence", "status", "note"),
    [
        ({"archived": "https://web.archive.org/web/2020/x"}, "gone", "uncertain", "no longer"),
        ({"status": 410}, "gone", "uncertain", "no longer"),
        ({"was_archived": False}, "probably_never_existed", "not_found", "probably never existed"),
        ({}, "dead", "uncertain", "not known"),
    ],
)
def test_a_dead_address_and_one_that_never_existed_are_told_apart(
    link: dict[str, Any], existence: str, status: str, note: str
) -> None:
    desk, url = Desk(), "https://example.org/no-page"
    given: dict[str, Any] = {"state": "dead", "status": 404} | link
    desk.links[url] = LinkState(**given)

    found = verify(url, desk=desk)

    assert found["exists"] is False
    assert (found["existence"], found["verificationStatus"]) == (existence, status)
    assert note in found["notes"][0]


def test_a_reference_whose_address_may_once_have_existed_is_not_said_to_be_none() -> None:
    url = "https://example.org/reports/lanterns"
    text = f"Example Foundation. Quilted lanterns in Ruritania, an annual report. {url}"
    desk = Desk(links={url: LinkState(state="dead", status=404)}, papers=[])

    found = verify(text, desk=desk)

    assert found["verificationStatus"] == "uncertain"


def test_an_address_that_no_server_answers_for_is_not_said_to_be_gone() -> None:
    desk, url = Desk(), "https://example.org/quiet"
    desk.links[url] = LinkState(state="dead", reason="dns")

    found = verify(url, desk=desk)

    assert found["exists"] is None
    assert found["existence"] == "unchecked"
    assert found["httpStatus"] == 0
    assert found["verificationStatus"] == "uncertain"


@requires(
    "verify_citation.claim",
    "verify_citation.claim_support",
    "verify_citation.contrast_signal",
)
def test_a_claim_is_held_against_the_sources_own_sentences() -> None:
    desk, url = Desk(), "https://example.org/coffee"
    desk.pages[url] = page(
        url, f"{FILLER} Coffee did not lower mortality among older adults. {FILLER}"
    )

    found = verify(url, desk=desk, claim="coffee lowers mortality in older adults")

    assert found["claim"] == "coffee lowers mortality in older adults"
    assert found["claimSupport"] == "addressed"
    assert found["contrastSignal"] is True
    assert "Coffee did not lower mortality" in found["claimEvidence"][0]
    assert found["claimSourceUrl"] == url
    assert found["contentWords"] > 150


@requires("verify_citation.claim_support")
def test_a_source_that_shares_no_term_does_not_address_the_claim() -> None:
    desk, url = Desk(), "https://example.org/stars"
    desk.pages[url] = page(url, FILLER)

    found = verify(url, desk=desk, claim="coffee lowers mortality in older adults")

    assert found["claimSupport"] == "not_addressed"
    assert "claimEvidence" not in found


@requires("verify_citation.claim_support")
@pytest.mark.parametrize("error", [Blocked("A bot wall."), Blocked("A consent page.")])
def test_a_wall_is_never_evidence(error: Blocked) -> None:
    desk, url = Desk(), "https://example.org/walled"
    desk.pages[url] = error

    found = verify(url, desk=desk, claim="coffee lowers mortality")

    assert found["claimSupport"] == "source_unavailable"
    assert error.message in found["claimFetchError"]
    assert "claimEvidence" not in found


def test_a_stub_never_shows_that_a_source_leaves_something_out() -> None:
    desk, url = Desk(), "https://example.org/stub"
    desk.pages[url] = page(url, "Log in to read on. Stars form in clouds.")

    found = verify(url, desk=desk, claim="coffee lowers mortality in older adults")

    assert found["claimSupport"] == "source_unavailable"
    assert found["sparsityNote"]
    assert found["contentWords"] < 150


@requires("verify_citation.claim_snapshot")
def test_a_dead_links_archived_copy_is_what_is_read() -> None:
    desk, url = Desk(), "https://example.org/gone"
    copy = "https://web.archive.org/web/2020/x"
    desk.links[url] = LinkState(state="dead", status=404, archived=copy)
    desk.pages[copy] = page(copy, f"Coffee lowers mortality. {FILLER}")

    found = verify(url, desk=desk, claim="coffee lowers mortality")

    assert found["claimSourceUrl"] == copy
    assert found["claimSupport"] == "addressed"


def test_an_abstract_stands_in_for_a_text_behind_a_wall_but_never_against_it() -> None:
    real = next(work for work in register().works if work.abstract)
    spoken = verify(real.key, claim=real.title)
    unspoken = verify(real.key, claim="volcanic lightning sterilises zebras")

    assert spoken["claimSupport"] == "addressed"
    assert "abstract" in spoken["sparsityNote"]
    assert unspoken["claimSupport"] == "source_unavailable"


@requires("verify_citation.claim")
def test_without_a_claim_no_source_is_read(dois: list[str]) -> None:
    desk = Desk()

    verify(dois[0], desk=desk)

    assert not desk.read_


@pytest.mark.parametrize("citation", ["", "   ", "\n"])
def test_an_empty_citation_is_refused(citation: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        verify(citation)


def test_an_address_within_a_reference_is_checked_beside_its_words() -> None:
    desk, url = Desk(), "https://example.org/report.pdf"
    desk.links[url] = LinkState(state="dead", status=410, reason="gone")

    found = verify(f"Harbour Board (2020). Lantern report. {url}", desk=desk)

    assert found["inputType"] == "reference"
    assert found["linkState"] == "dead"
    assert found["httpStatus"] == 410
    assert found["exists"] is None


def test_a_doi_that_ends_like_a_viewers_word_is_found_by_its_other_reading() -> None:
    real = paper(register().works[0])
    odd = real.with_changes(ids={IdentifierScheme.DOI: "10.1000/annual.full"})

    found = verify("10.1000/annual.full", desk=Desk(papers=[odd]))

    assert found["exists"] is True
    assert found["matchedRecord"]["doi"] == "10.1000/annual.full"


def test_the_title_of_one_work_under_other_names_is_told_without_a_doi() -> None:
    found = verify(
        "Abernathy Q. Highly accurate protein structure prediction with AlphaFold. Nature. 2021;596:583."
    )

    assert found["verificationStatus"] == "uncertain"
    assert found["authorMatch"] == "mismatch"
    assert "Jumper" in found["mismatches"][0]
    assert found["possibleMatch"]["doi"] == "10.1038/s41586-021-03819-2"
    assert found["exists"] is None


def test_half_a_title_with_the_right_author_and_year_is_not_confirmed() -> None:
    found = verify(
        "Jumper J. Highly accurate protein structure prediction of coastal erosion by drifting kelp. Nature. 2021;596:583."
    )

    assert found["verificationStatus"] != "confirmed"
    assert found["exists"] is None


def test_a_reference_without_a_title_is_never_said_to_be_none() -> None:
    found = verify(
        "Fiennes R, Abernathy Q, Sutherland K, J Antimicrob Chemother, 2021, 76, 1511–1522."
    )

    assert found["verificationStatus"] == "uncertain"
    assert "too little" in found["notes"][0]


@pytest.mark.parametrize(("state", "status"), [("live", "uncertain"), ("blocked", "unread")])
def test_a_page_that_answers_is_not_missing_for_want_of_a_registered_work(
    state: str, status: str
) -> None:
    url = "https://example.org/reports/lanterns"
    text = f"Example Foundation. Quilted lanterns in Ruritania, an annual report. {url}"
    there = Desk(links={url: LinkState(state=state, status=200)}, papers=[])
    dead = LinkState(state="dead", status=404, was_archived=False)
    gone = Desk(links={url: dead}, papers=[])

    found, missing = verify(text, desk=there), verify(text, desk=gone)

    assert (found["exists"], found["verificationStatus"]) == (True, status)
    assert "does not show" in found["authenticityCaveat"]
    assert (missing["exists"], missing["verificationStatus"]) == (None, "not_found")


def test_a_doi_that_one_reading_knows_is_not_missing_for_want_of_a_description() -> None:
    odd = "10.50505/example.(odd)[doi];v=1<2>#3?4%25"
    desk = Desk(mute=frozenset({odd.lower()}))

    found = verify(f"Example Data Centre. An example work. 2003. https://doi.org/{odd}", desk=desk)

    assert found["existence"] == "found"
    assert found["exists"] is True
