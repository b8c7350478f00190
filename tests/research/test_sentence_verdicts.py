"""How reliable the verdicts on single sentences are, on statements whose truth is known."""

from __future__ import annotations

from collections import Counter

import pytest

from citewell.evidence.signs.claim_support import SourceText
from citewell.research.claims.sentence_verdicts import SentenceJudge, SentenceVerdict
from tests.evidence.cases import Case, cases
from tests.internet.world import World


def judged(side: str) -> dict[str, Counter[SentenceVerdict]]:
    world = World()
    found: dict[str, Counter[SentenceVerdict]] = {}
    for case in cases(side, world):
        if case.page:
            found.setdefault(case.kind, Counter())[_judge(case, world)] += 1
    return found


def _judge(case: Case, world: World) -> SentenceVerdict:
    host, _, path = case.page.partition("/")
    page = world.page(host, path)
    assert page is not None
    text = SourceText(text=page.markdown, language="en")
    judge = SentenceJudge({"src_1": text}, titles={"src_1": page.title}, question="What is so?")
    return judge.judge_citation(case.text, "src_1").verdict


@pytest.mark.parametrize("side", ["seen", "unseen"])
def test_sound_sentences_are_hardly_ever_refused(side: str) -> None:
    found = judged(side)

    for kind in ("verbatim", "shortened"):
        assert set(found[kind]) == {SentenceVerdict.SUPPORTED}
    merged, paraphrased = found["merged"], found["paraphrased"]
    assert merged[SentenceVerdict.REFUSED] == 0
    assert merged[SentenceVerdict.SUPPORTED] >= 0.8 * merged.total()
    # Words cannot tell most paraphrases from false statements: those are left open, not refused.
    assert paraphrased[SentenceVerdict.REFUSED] <= 0.06 * paraphrased.total()
    assert paraphrased[SentenceVerdict.SUPPORTED] >= 0.2 * paraphrased.total()


@pytest.mark.parametrize("side", ["seen", "unseen"])
def test_false_sentences_are_hardly_ever_supported(side: str) -> None:
    found = judged(side)

    for kind in ("number", "elsewhere"):
        assert set(found[kind]) == {SentenceVerdict.REFUSED}
    for kind in ("subject", "general"):
        assert SentenceVerdict.SUPPORTED not in found[kind]
    negated = found["negated"]
    assert negated[SentenceVerdict.REFUSED] >= 0.94 * negated.total()
