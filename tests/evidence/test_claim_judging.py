"""The chosen judge with words behind it: whatever fails, there is a judgement, and it says whose."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from citewell.core.errors import CitewellError, Misconfigured, UpstreamUnavailable
from citewell.core.values.research import ClaimRelation
from citewell.evidence.judging.claim_judge import ClaimJudge, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.claim_judging import (
    MAX_JUDGED_PAIRS,
    REST_SECONDS,
    ClaimJudging,
    JudgeContext,
    build_lexical_judging,
    list_judging_notes,
)
from citewell.evidence.judging.model_judge import ModelJudge
from tests.internet.judgements import quote_honestly
from tests.judges import ScriptedModel, answer, model_judge, pair, row
from tests.requirements import requires

CLAIM = "The drug lowered mortality in the trial."
SOURCE = "The drug lowered mortality in the trial. It was safe for all patients."
PRIVATE_MARK = "zanzibar-4711"


def judging_with(
    found: ClaimJudge | CitewellError, kind: str = "model", **more: Any
) -> ClaimJudging:
    async def open_judge(_context: JudgeContext, _seconds: float) -> ClaimJudge:
        if isinstance(found, CitewellError):
            raise found
        return found

    return ClaimJudging(kind, open_judge, **{"seconds": 30.0, **more})


def ask(judging: ClaimJudging, *pairs: ClaimPair) -> list[Judgement]:
    found = asyncio.run(judging.judge_claims(pairs))
    assert all(isinstance(opinion, Judgement) for opinion in found)
    return [opinion for opinion in found if isinstance(opinion, Judgement)]


def test_by_default_words_decide_and_the_result_says_so() -> None:
    [found] = ask(build_lexical_judging(), pair(CLAIM, SOURCE))

    assert (found.judge, found.relation, found.note) == ("lexical", ClaimRelation.SUPPORTS, "")


def test_the_chosen_judge_decides_and_is_named() -> None:
    [found] = ask(judging_with(model_judge()), pair(CLAIM, SOURCE))

    assert (found.judge, found.note) == ("model:scripted", "")


@requires("judge.falls_back")
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Misconfigured("no model is configured."), "no model is configured"),
        (model_judge(UpstreamUnavailable("It is down.")), "It is down"),
        (model_judge("Certainly! It does."), "something else than judgements"),
        (
            model_judge(answer(row("supports", "The drug cures everything."))),
            "is not in the source",
        ),
    ],
)
def test_a_judge_that_fails_leaves_it_to_words_with_a_note(broken: Any, reason: str) -> None:
    [found] = ask(judging_with(broken), pair(CLAIM, SOURCE))

    assert (found.judge, found.relation) == ("lexical", ClaimRelation.SUPPORTS)
    assert found.note.startswith("Judged by words alone: ")
    assert reason in found.note


@requires("judge.private_text")
def test_text_of_the_library_goes_to_no_model_on_another_machine() -> None:
    remote, near = ScriptedModel(quote_honestly, is_local=False), ScriptedModel(quote_honestly)
    pairs = (
        pair(CLAIM, SOURCE),
        pair(CLAIM, f"{SOURCE} {PRIVATE_MARK}", is_private=True),
        pair(f"{PRIVATE_MARK} lowered mortality.", SOURCE, is_private=True),
    )

    for model in (remote, near):
        found = ask(judging_with(ModelJudge(model, seconds=30)), *pairs)
        material = str(model.asked)

        assert found[0].judge == "model:scripted"
        assert (PRIVATE_MARK in material) is model.is_local
        assert all(("library stays" in opinion.note) is not model.is_local for opinion in found[1:])


def test_more_claims_than_a_check_may_give_away_are_judged_by_words() -> None:
    pairs = [pair(f"{CLAIM} {'very ' * n}", SOURCE) for n in range(MAX_JUDGED_PAIRS + 2)]

    found = ask(judging_with(model_judge()), *pairs)

    assert [opinion.judge for opinion in found[-3:]] == ["model:scripted", "lexical", "lexical"]
    [note] = list_judging_notes(found)
    assert note.endswith(
        "at most 60 claims of one check are given to model:scripted. (2 of 62 claims)"
    )


def test_a_number_that_the_source_gives_nowhere_is_not_called_supported() -> None:
    says = answer(row("supports", "The drug lowered mortality in the trial."))

    [found] = ask(
        judging_with(model_judge(says)), pair("The drug lowered mortality by 34 %.", SOURCE)
    )

    assert found.relation is ClaimRelation.QUALIFIES
    assert found.missing_numbers == ("34 %",)
    assert "number" in found.note


def test_a_place_is_shown_where_the_judge_names_none() -> None:
    [found] = ask(judging_with(model_judge(answer(row("mentions", "")))), pair(CLAIM, SOURCE))

    assert (found.judge, found.relation) == ("model:scripted", ClaimRelation.MENTIONS)
    assert found.quote == "The drug lowered mortality in the trial."


def test_a_model_can_compare_languages_and_words_cannot() -> None:
    german = pair(CLAIM, "Das Medikament senkte die Sterblichkeit in der Studie.", language="de")
    says = answer(row("supports", "Das Medikament senkte die Sterblichkeit"))

    [found] = ask(judging_with(model_judge(says)), german)
    [unjudged] = asyncio.run(build_lexical_judging().judge_claims([german]))

    assert found.relation is ClaimRelation.SUPPORTS
    assert not isinstance(unjudged, Judgement)


def test_a_call_that_has_no_time_left_is_judged_by_words() -> None:
    model = ScriptedModel(quote_honestly)
    judging = judging_with(ModelJudge(model, seconds=30), call_seconds=110.0, clock=lambda: 200.0)

    late, early = (
        asyncio.run(judging.judge_claims([pair(CLAIM, SOURCE)], JudgeContext(begun=begun)))[0]
        for begun in (88.0, 150.0)
    )

    assert isinstance(late, Judgement)
    assert "left no time" in late.note
    assert isinstance(early, Judgement)
    assert early.judge == "model:scripted"
    assert len(model.asked) == 1


class SlowJudge:
    name = "nli"
    is_local = True
    asked = closed = 0

    async def judge_claims(self, _pairs: Any) -> tuple[Opinion, ...]:
        self.asked += 1
        await asyncio.get_running_loop().create_future()
        return ()

    async def aclose(self) -> None:
        self.closed += 1


def test_a_slow_entailment_model_is_given_up_and_rests_for_a_while() -> None:
    judge, now = SlowJudge(), 0.0
    judging = judging_with(judge, "nli", seconds=0.01, clock=lambda: now)
    found = []

    for moment in (0.0, REST_SECONDS - 1, REST_SECONDS + 1):
        now = moment
        found += ask(judging, pair(CLAIM, SOURCE))

    note = "Judged by words alone: nli took longer than 0.01 seconds."
    assert [opinion.note for opinion in found] == [note] * 3
    assert judge.asked == 2


def test_a_broken_entailment_model_is_opened_anew_when_it_has_rested() -> None:
    judge = SlowJudge()
    judging = judging_with(judge, "nli", seconds=0.01)

    async def run() -> None:
        await judging.judge_claims([pair(CLAIM, SOURCE)])
        await judging.aclose()
        await judging.aclose()

    asyncio.run(run())

    assert judge.closed == 1
