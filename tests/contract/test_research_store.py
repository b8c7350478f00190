"""What is kept of research on either engine: reports, and claims with evidence."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.jobs.store.thread_store import UnknownClaim, UnknownJob
from citewell.research.research_rows import ClaimEvent
from citewell.research.research_store import ClaimWithEvidence, FoundClaims
from citewell.server.state.state_store import StateStore
from tests.contract.finished_jobs import LIGHT, claim, findings, job_of, nothing
from tests.contract.offices import OWNER, ended, order, working
from tests.contract.states import Kept
from tests.requirements import requires

KEEPER = claim(2, "Keepers lived in their lighthouse with the family", "low")


PAINT = claim(3, "Paint protects steel from rust", "medium")


def test_findings_come_back_as_they_were_kept(store: Kept) -> None:
    kept_ones = findings(LIGHT, KEEPER)

    async def keep(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state)
        before = await state.research.load_findings(OWNER, job)
        await state.research.store_findings(OWNER, job, kept_ones)
        return job, before

    job, before = store.run(keep)
    after = store.run(lambda state: state.research.load_findings(OWNER, job))
    report = store.run(lambda state: state.research.load_report(OWNER, job))

    assert after is not None
    assert report is not None
    bare = tuple(
        one.model_copy(update={"job_id": None, "created_at": None}) for one in after.claims
    )
    assert before is None
    assert (report.synthesis, report.follow_ons) == (kept_ones.synthesis, kept_ones.follow_ons)
    assert report.claims == ()
    assert after.model_copy(update={"claims": bare}) == kept_ones
    assert {one.job_id for one in after.claims} == {job}


def test_keeping_again_replaces_what_the_job_had(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state)
        await state.research.store_findings(OWNER, job, findings(LIGHT, KEEPER))
        await state.research.store_findings(OWNER, job, findings(PAINT))
        found = await state.research.load_findings(OWNER, job)
        gone = await state.research.search_stored_claims(OWNER, query="lighthouse")
        return found, gone

    found, gone = store.run(scenario)

    assert [one.id for one in found.claims] == ["claim-3"]
    assert gone.total == 0


def test_claims_are_found_by_any_of_their_words_the_best_first(store: Kept) -> None:
    async def scenario(state: StateStore) -> list[Any]:
        job = await job_of(store, state)
        await state.research.store_findings(OWNER, job, findings(LIGHT, KEEPER, PAINT))
        queries = ("automated lighthouse", "keeper's families", "rusting", "giraffe", "the", "")
        found = [await state.research.search_stored_claims(OWNER, query=query) for query in queries]
        return [([one.id for one in one.claims], one.total) for one in found]

    assert store.run(scenario) == [
        (["claim-1", "claim-2"], 2),
        (["claim-2"], 1),
        (["claim-3"], 1),
        ([], 0),
        ([], 0),
        ([], 0),
    ]


@requires("search_claims.confidence_level", "search_claims.limit")
def test_claims_are_filtered_by_job_and_level_and_counted_beyond_the_limit(store: Kept) -> None:
    async def scenario(state: StateStore) -> list[Any]:
        first, second = await job_of(store, state), await job_of(store, state)
        await state.research.store_findings(OWNER, first, findings(LIGHT, KEEPER, PAINT))
        store.clock.now += 1
        await state.research.store_findings(
            OWNER, second, findings(claim(9, "Lighthouses are tall"))
        )
        research = state.research
        found = (
            await research.search_stored_claims(OWNER, job=first),
            await research.search_stored_claims(OWNER, job=first, level="low"),
            await research.search_stored_claims(OWNER, query="lighthouse", job=second),
            await research.search_stored_claims(OWNER, query="lighthouse", level="high", limit=1),
            await research.search_stored_claims(OWNER, query="lighthouse"),
        )
        return [([one.id for one in one.claims], one.total) for one in found]

    assert store.run(scenario)[:4] == [
        (["claim-1", "claim-2", "claim-3"], 3),
        (["claim-2"], 1),
        (["claim-9"], 1),
        (["claim-9"], 2),
    ]


@pytest.mark.parametrize("words", ["東京の灯台", "灯台"])
def test_claims_in_unspaced_scripts_are_found(store: Kept, words: str) -> None:
    async def scenario(state: StateStore) -> FoundClaims:
        job = await job_of(store, state)
        await state.research.store_findings(
            OWNER, job, findings(claim(1, "東京の灯台は1998年に自動化された"))
        )
        return await state.research.search_stored_claims(OWNER, query=words)

    assert store.run(scenario).total == 1


def test_a_claim_comes_with_its_evidence_sources_and_history(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state)
        await state.research.store_findings(OWNER, job, findings(LIGHT, KEEPER))
        changed = ClaimEvent(
            happened=store.clock() + 5, type="confidence_changed", payload={"to": 0.5}
        )
        await state.research.add_claim_event(OWNER, "claim-1", changed)
        return (
            await state.research.load_claim(OWNER, "claim-1"),
            await state.research.list_claim_events(OWNER, "claim-1"),
        )

    supported, history = store.run(scenario)

    assert supported.claim.content == LIGHT.content
    assert [one.id for one in supported.evidence] == ["evidence-claim-1"]
    assert supported.sources["src_2"].url == "https://example.org/2"
    assert [one.type for one in history] == ["claim_created", "confidence_changed"]
    assert history[0].payload == {"confidence": 0.8, "sources": ["src_1"]}


def test_an_id_that_two_jobs_gave_means_the_newer_claim(store: Kept) -> None:
    async def scenario(state: StateStore) -> ClaimWithEvidence:
        first, second = await job_of(store, state), await job_of(store, state)
        await state.research.store_findings(OWNER, first, findings(LIGHT))
        store.clock.now += 1
        await state.research.store_findings(OWNER, second, findings(claim(1, "Something newer")))
        return await state.research.load_claim(OWNER, "claim-1")

    assert store.run(scenario).claim.content == "Something newer"


def test_nobody_reads_or_changes_what_another_owner_found(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state)
        await job_of(store, state, "other")
        await state.research.store_findings(OWNER, job, findings(LIGHT))
        with pytest.raises(UnknownJob):
            await state.research.store_findings("other", job, findings(PAINT))
        for ask in (state.research.load_claim, state.research.list_claim_events):
            with pytest.raises(UnknownClaim):
                await ask("other", "claim-1")
        event = ClaimEvent(happened=0.0, type="x", payload={})
        with pytest.raises(UnknownClaim):
            await state.research.add_claim_event("other", "claim-1", event)
        return (
            await state.research.load_findings("other", job),
            (await state.research.search_stored_claims("other", query="lighthouses")).total,
            (await state.research.search_stored_claims("other", job=job)).total,
            await state.research.find_similar_jobs("other", "Why lighthouses?"),
            await state.research.load_findings(OWNER, job),
        )

    *theirs, mine = store.run(scenario)

    assert theirs == [None, 0, 0, ()]
    assert [one.id for one in mine.claims] == ["claim-1"]


def test_completed_jobs_are_found_by_a_question_like_theirs(store: Kept) -> None:
    async def scenario(state: StateStore) -> tuple[Any, ...]:
        async with working(store, state, nothing) as jobs:
            for question in ("Why do lighthouses blink?", "What paint resists rust?"):
                view = await jobs.dispatch_job(
                    OWNER, order(question=question, args={"q": question})
                )
                await ended(jobs, view.job.id)
        await job_of(store, state, question="Why do lighthouses blink today?")
        same, near, far = [
            await state.research.find_similar_jobs(OWNER, question)
            for question in ("why lighthouses blink", "lighthouse keepers' wages", "giraffes")
        ]
        views = [await state.jobs.require_job_view(OWNER, one.job) for one in same]
        return [view.job.args["q"] for view in views], same, near, far

    questions, same, near, far = store.run(scenario)

    assert questions == ["Why do lighthouses blink?"]
    assert same[0].score == pytest.approx(1.0)
    assert 0.2 < near[0].score < 0.5
    assert far == ()


def test_a_report_of_hundreds_of_claims_is_kept_and_searched(store: Kept) -> None:
    claims = tuple(
        claim(number, f"Statement {number} about subject {number % 7}") for number in range(500)
    )

    async def scenario(state: StateStore) -> tuple[Any, ...]:
        job = await job_of(store, state)
        await state.research.store_findings(OWNER, job, findings(*claims))
        found = await state.research.load_findings(OWNER, job)
        assert found is not None
        return len(found.evidence), await state.research.search_stored_claims(
            OWNER, query="statement 342"
        )

    evidence, matches = store.run(scenario)

    assert evidence == 500
    assert matches.claims[0].id == "claim-342"
    assert matches.total == 500


def test_no_finding_is_on_disk_in_the_clear(store: Kept) -> None:
    async def scenario(state: StateStore) -> None:
        job = await job_of(store, state)
        await state.research.store_findings(OWNER, job, findings(LIGHT, KEEPER))

    store.run(scenario)

    disk = store.on_disk()
    assert b"ighthouse" not in disk
    assert b"example.org" not in disk
