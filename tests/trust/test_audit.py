from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from citewell.citations import references
from citewell.citations.references.reference_fields import (
    BibliographyDocument,
    MalformedEntry,
    Reference,
)
from citewell.core.errors import InvalidInput
from citewell.core.values.paper import PaperId
from citewell.links.link_checks import LinkState
from citewell.scholar.registry_records import WorkRecord
from citewell.trust import bibliography_audit
from citewell.trust.bibliography_audit import MAX_AUDIT_ENTRIES, AuditRequest
from tests.internet.papers import Work, register
from tests.links.test_verify import verify
from tests.requirements import requires
from tests.trust.desk import Desk, page

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
FILLER = " ".join(f"Sentence number {number} speaks of something else." for number in range(60))
WORKS = [
    work for work in register().works if len(work.title.split()) > 5 and work.authors and work.year
]
CLEAN = [work for work in WORKS if not work.events]


def audit(request: AuditRequest, desk: Desk | None = None, **more: Any) -> dict[str, Any]:
    service = (desk or Desk()).audit(now=lambda: NOW)
    return asyncio.run(service.audit_bibliography(request, **more)).to_wire()


def entry(work: Work, **changes: Any) -> dict[str, Any]:
    given = {
        "title": work.title,
        "author": "; ".join(work.names[:2]),
        "date": str(work.year),
        "doi": work.key,
    }
    return given | changes


def of(*entries: dict[str, Any]) -> AuditRequest:
    return bibliography_audit.build_entries_request(entries)


@requires("audit_bibliography.answer", "audit_bibliography.reason")
def test_a_clean_list_is_clean() -> None:
    found = audit(of(*(entry(work) for work in CLEAN[:5])))

    assert found["source"] == "entries"
    assert found["entryCount"] == 5
    assert found["checkedAt"] == "2026-11-15T12:00:00Z"
    assert found["summary"]["ok"] == 5
    assert all(entry["flags"] == [] and "reason" not in entry for entry in found["entries"])
    assert all(entry["exists"] for entry in found["entries"])
    assert "skipped" not in found


@requires(
    "audit_bibliography.summary",
    "audit_bibliography.reason",
    "audit_bibliography.retracted",
    "audit_bibliography.dead_link",
    "audit_bibliography.not_found",
    "audit_bibliography.unchecked",
)
def test_each_fault_has_its_flag_and_every_flag_its_reason() -> None:
    bad = next(work for work in WORKS if work.retracted)
    request = of(
        entry(CLEAN[0]),
        entry(bad),
        entry(CLEAN[1], doi="10.1000/invented.7"),
        entry(CLEAN[2], doi=CLEAN[3].key),
        entry(CLEAN[4], url="https://example.org/gone"),
        entry(CLEAN[0]),
        {"title": "A pamphlet that nobody registered about quilted lanterns in Ruritania"},
        {},
    )
    desk = Desk(links={"https://example.org/gone": LinkState(state="dead", status=404)})

    found = audit(request, desk)

    flags = [entry["flags"] for entry in found["entries"]]
    assert flags == [
        [], ["retracted"], ["not_found"], ["mismatch"], ["dead_link"], ["duplicate"], ["unchecked"], ["unchecked"],
    ]  # fmt: skip
    assert all(entry["reason"] for entry in found["entries"] if entry["flags"])
    assert found["entries"][2]["suggestedDoi"] == CLEAN[1].key
    assert found["entries"][3]["suggestedDoi"] == CLEAN[2].key
    assert found["summary"] == {
        "total": 8, "retracted": 1, "deadLink": 1, "notFound": 1, "unchecked": 2, "mischaracterized": 0,
        "ok": 1, "mismatched": 1, "duplicates": 1, "malformed": 0,
    }  # fmt: skip


@requires("audit_bibliography.equal_entries")
def test_a_work_cited_for_two_claims_is_no_duplicate_but_one_claim_twice_is() -> None:
    claims = ("It measures heat.", "It was done in cells.", "It  measures heat.")

    found = audit(of(*(entry(CLEAN[0], claim=claim) for claim in claims)))

    assert ["duplicate" in entry["flags"] for entry in found["entries"]] == [False, False, True]


def test_two_parts_of_one_title_are_not_the_same_work() -> None:
    parts = ("part 1", "part 2", "Part II")

    found = audit(
        of(*({"title": f"Guidelines for acute care: {part}", "date": "2020"} for part in parts))
    )

    assert not any("duplicate" in entry["flags"] for entry in found["entries"])


def test_with_the_registries_down_and_no_network_nobody_is_accused() -> None:
    works = CLEAN[:20]
    desk = Desk(
        down=True, links={f"https://e.example.org/{n}": LinkState(state="dead") for n in range(20)}
    )
    request = of(*(entry(work, url=f"https://e.example.org/{n}") for n, work in enumerate(works)))

    found = audit(request, desk)

    assert {flag for entry in found["entries"] for flag in entry["flags"]} == {"unchecked"}
    assert all(entry["exists"] is None for entry in found["entries"])
    assert all(
        "no registry that could know" in entry["reason"].lower() for entry in found["entries"]
    )
    assert "could not be checked" in found["summary"]["warning"]


def test_a_live_link_corroborates_what_no_registry_has() -> None:
    found = audit(of({"title": "Harbour notes", "url": "https://example.org/notes"}))

    assert found["entries"][0]["flags"] == []
    assert found["entries"][0]["exists"] is True
    assert found["entries"][0]["linkLive"] is True


@requires("audit_bibliography.dead_link")
def test_a_blocked_link_is_not_dead() -> None:
    desk = Desk(links={"https://example.org/x": LinkState(state="blocked", status=403)})

    found = audit(of({"title": "Harbour notes", "url": "https://example.org/x"}), desk)

    assert found["entries"][0]["linkLive"] is True
    assert found["entries"][0]["httpStatus"] == 403
    assert found["entries"][0]["flags"] == ["unchecked"]
    assert "not shown to us (HTTP 403)" in found["entries"][0]["reason"]


@pytest.mark.parametrize(
    ("link", "existence"),
    [
        ({"was_archived": False}, "probably_never_existed"),
        ({"status": 410}, "gone"),
        ({}, "dead"),
    ],
)
def test_an_address_without_a_page_is_judged_as_when_it_is_verified(
    link: dict[str, Any], existence: str
) -> None:
    url = "https://example.org/no-page"
    given: dict[str, Any] = {"state": "dead", "status": 404} | link
    desk = Desk(links={url: LinkState(**given)})

    [audited] = audit(of({"url": url}), desk)["entries"]
    verified = verify(url, desk=desk)

    assert (audited["exists"], audited["existence"]) == (False, existence)
    assert (verified["exists"], verified["existence"]) == (False, existence)


def test_a_report_whose_page_is_missing_may_exist_elsewhere() -> None:
    url = "https://example.org/no-page"
    link = LinkState(state="dead", status=404, was_archived=False)
    desk = Desk(links={url: link}, papers=[])

    [audited] = audit(of({"title": "Harbour notes of the northern coast", "url": url}), desk)[
        "entries"
    ]
    verified = verify(f"Harbour notes of the northern coast. 2020. {url}", desk=desk)

    assert (audited["exists"], verified["exists"]) == (None, None)


@requires("verify_citation.fields")
@pytest.mark.parametrize("is_identified", [True, False])
def test_a_title_is_said_to_exist_only_where_the_work_does(*, is_identified: bool) -> None:
    real = CLEAN[0]
    given = entry(real, author="Zoran Invented; Ada Nobody")
    text = f"Invented, Z., & Nobody, A. ({real.year}). {real.title}. {real.venue}."
    if is_identified:
        text += f" https://doi.org/{real.key}"
    else:
        del given["doi"]

    [audited] = audit(of(given))["entries"]
    verified = verify(text)

    known = True if is_identified else None
    assert (audited["exists"], verified["exists"]) == (known, known)
    assert ("The title exists" in audited["reason"]) is is_identified
    assert any("The title exists" in note for note in verified["notes"]) is is_identified
    assert is_identified or "A registered work has this title" in audited["reason"]
    assert is_identified or any("has this title, but" in note for note in verified["notes"])


@requires("audit_bibliography.server_error")
def test_a_page_whose_server_is_in_trouble_is_unchecked() -> None:
    ill = LinkState(state="unchecked", status=500, reason="http_500")
    desk = Desk(links={"https://example.org/x": ill})

    found = audit(of({"title": "Harbour notes", "url": "https://example.org/x"}), desk)

    assert found["entries"][0]["flags"] == ["unchecked"]
    assert found["entries"][0]["httpStatus"] == 500
    assert "HTTP 500" in found["entries"][0]["reason"]
    assert "linkLive" not in found["entries"][0]


@requires("audit_bibliography.retracted")
def test_a_correction_is_shown_and_not_flagged() -> None:
    only = next(
        work
        for work in WORKS
        if work.events and {event.kind for event in work.events} == {"correction"}
    )

    found = audit(of(entry(only)))

    assert found["entries"][0]["retractionStatus"]["kind"] == "correction"
    assert found["entries"][0]["flags"] == []


def test_legal_entries_are_sent_to_the_courts() -> None:
    found = audit(of({"title": "Brown v. Board of Education"}))

    assert found["entries"][0]["flags"] == ["unchecked"]
    assert "CourtListener" in found["entries"][0]["reason"]


@requires("audit_bibliography.bounded")
def test_entries_that_registries_keep_waiting_are_unchecked_in_time() -> None:
    class SlowDesk(Desk):
        async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord:
            if paper_id.value == CLEAN[0].key:
                await asyncio.Event().wait()
            return await super().find_record(paper_id, tenant=tenant)

    service = SlowDesk().audit(max_lookup_seconds=0.2)

    found = asyncio.run(service.audit_bibliography(of(entry(CLEAN[0]), entry(CLEAN[1]))))

    assert [entry.flags for entry in found.entries] == [("unchecked",), ()]


def test_a_registry_of_law_that_is_slow_leaves_entries_unchecked() -> None:
    class SlowLaw:
        async def check_citation_text(self, _text: str) -> Any:
            await asyncio.Event().wait()

        check_case_name = check_brief = check_citation_text

    service = Desk().audit(legal=SlowLaw(), max_legal_seconds=0.0)

    found = asyncio.run(service.audit_bibliography(of({"title": "Roe v. Wade, 410 U.S. 113"})))

    assert found.entries[0].flags == ("unchecked",)


@requires("audit_bibliography.mischaracterized")
def test_a_source_that_does_not_speak_of_the_claim_is_mischaracterised() -> None:
    url = "https://example.org/harbour"
    desk = Desk(pages={url: page(url, FILLER)})
    given = {"title": "Harbour notes", "url": url}

    found = audit(
        of(given | {"claim": "coffee lowers mortality"}, given | {"title": "Other"}), desk
    )

    first, second = found["entries"]
    assert first["flags"] == ["mischaracterized"]
    assert first["claimSupport"] == "not_addressed"
    assert "claimSupport" not in second
    assert found["summary"]["claimCheckSkippedCount"] == 0


@requires("audit_bibliography.claim")
def test_a_claim_whose_source_cannot_be_read_is_counted_and_not_held_against_it() -> None:
    found = audit(
        of({"title": "Notes", "url": "https://example.org/wall", "claim": "coffee kills"})
    )

    assert found["entries"][0]["claimSupport"] == "source_unavailable"
    assert found["entries"][0]["flags"] == []
    assert found["summary"]["claimCheckSkippedCount"] == 1


@pytest.mark.slow
@requires("audit_bibliography.limit")
def test_what_is_over_the_cap_is_said_to_be_skipped() -> None:
    found = audit(of(*({"title": f"Pamphlet number {n}"} for n in range(MAX_AUDIT_ENTRIES + 1))))

    assert found["entryCount"] == MAX_AUDIT_ENTRIES
    assert found["skipped"] == 1
    assert "second call" in found["skippedNote"]


@requires("defect.malformed_records")
def test_damaged_records_are_listed_with_their_lines() -> None:
    document = BibliographyDocument(
        format="bibtex",
        references=(Reference(raw="x", title=CLEAN[0].title, key="a", line=1),),
        malformed=(
            MalformedEntry(line=12, reason="The closing brace is missing.", excerpt="@book{"),
        ),
    )

    found = audit(bibliography_audit.build_document_request(document))

    assert found["source"] == "bibliography:bibtex"
    assert found["malformed"] == [
        {"line": 12, "reason": "The closing brace is missing.", "excerpt": "@book{"}
    ]
    assert found["summary"]["malformed"] == 1
    assert "malformed" in found["summary"]["warning"]


def test_a_doi_that_is_none_is_listed_and_the_words_are_looked_up() -> None:
    found = audit(of(entry(CLEAN[0], doi="see publisher")))

    assert found["malformed"][0]["line"] == 1
    assert found["entries"][0]["flags"] == []
    assert found["entries"][0]["matchConfidence"] == "high"


def test_a_bibtex_file_is_audited_from_end_to_end() -> None:
    good, other = CLEAN[0], CLEAN[1]
    text = (
        f"@article{{good,\n title = {{{good.title}}},\n author = {{{' and '.join(good.names)}}},\n"
        f" year = {good.year},\n doi = {{{good.doi}}}\n}}\n"
        f"@article{{bad,\n title = {{{other.title}}},\n year = {other.year},\n doi = {{10.1000/invented.9}}\n}}\n"
    )

    found = audit(bibliography_audit.build_document_request(references.parse_bibliography(text)))

    assert [entry["key"] for entry in found["entries"]] == ["good", "bad"]
    assert [entry["flags"] for entry in found["entries"]] == [[], ["not_found"]]


@requires("defect.prose_references", "audit_bibliography.bibliography")
def test_a_list_in_prose_is_audited() -> None:
    lines = [
        f"{work.names[0]} ({work.year}). {work.title}. {work.venue}. https://doi.org/{work.doi}"
        for work in CLEAN[:3]
    ]

    found = audit(
        bibliography_audit.build_document_request(
            references.parse_bibliography("\n\n".join(lines), format="prose")
        )
    )

    assert found["source"] == "bibliography:prose"
    assert found["summary"]["ok"] == 3


def test_progress_grows_to_the_whole() -> None:
    heard: list[float] = []

    async def progress(done: float, total: float | None, _message: str | None) -> None:
        heard.append(done)
        assert total == 4

    audit(of(*(entry(work) for work in CLEAN[:4])), progress=progress)

    assert heard == [1, 2, 3, 4]


def test_the_doi_answers_for_its_own_address() -> None:
    desk = Desk(links={f"https://doi.org/{CLEAN[0].key}": LinkState(state="dead", status=404)})

    found = audit(of(entry(CLEAN[0], url=f"https://doi.org/{CLEAN[0].key}")), desk)

    assert found["entries"][0]["flags"] == []
    assert "linkLive" not in found["entries"][0]


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [({"isbn": "1"}, "isbn"), ({"claim": "x" * 5000}, "5000 characters")],
)
def test_entries_that_cannot_be_used_are_refused_by_number(
    bad: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        of({"title": "fine"}, bad)


def test_a_wrong_check_digit_is_the_reason_given() -> None:
    found = audit(
        AuditRequest(
            source="x",
            references=(Reference(raw="Some book. ISBN 978-3-16-148410-1"),),
            structured=False,
        )
    )

    assert "check digit" in found["entries"][0]["reason"]


@pytest.mark.parametrize(
    "form", ["{}", "https://doi.org/{}", "https://doi.org/{}?utm_source=feed", "doi: {}."]
)
def test_the_letters_of_a_doi_are_not_taken_for_a_title(form: str) -> None:
    work = next(work for work in CLEAN if work.key == "10.1021/acs.jctc.2c01235")
    document = references.parse_bibliography(
        f"{form.format(work.doi)}\n\n{form.format(CLEAN[0].doi)}", format="prose"
    )

    found = audit(bibliography_audit.build_document_request(document))

    assert [entry["flags"] for entry in found["entries"]] == [[], []]


def test_an_answer_that_fits_nothing_is_not_called_an_outage() -> None:
    text = "Fiennes R, Abernathy Q, J Antimicrob Chemother, 2021, 76, 1511–1522."
    document = references.parse_bibliography(text, format="prose")

    [heard] = audit(bibliography_audit.build_document_request(document))["entries"]
    [unheard] = audit(bibliography_audit.build_document_request(document), Desk(down=True))[
        "entries"
    ]

    assert heard["flags"] == unheard["flags"] == ["unchecked"]
    assert "No registry that answered" in heard["reason"]
    assert "No registry that could know" in unheard["reason"]


@pytest.mark.parametrize(
    "case", ["410 U.S. 113 (1973)", "42 U.S.C. § 1983", "[2019] UKSC 41", "29 C.F.R. § 1910.134"]
)
def test_a_case_without_a_name_is_an_entry_of_its_own(case: str) -> None:
    document = references.parse_bibliography(f"[1] {CLEAN[0].doi}\n\n[2] {case}", format="prose")

    found = audit(bibliography_audit.build_document_request(document))

    assert "malformed" not in found
    assert found["entries"][1]["flags"] == ["unchecked"]
    assert "legal citation" in found["entries"][1]["reason"]
