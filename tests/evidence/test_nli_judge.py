"""An entailment model in a folder: what it says, in what order it says it, and files that are none."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from citewell.core.errors import Misconfigured
from citewell.core.values.research import ClaimRelation
from citewell.evidence.encoding.encoders import open_model_workers
from citewell.evidence.judging.claim_judge import Judgement, Unjudged
from citewell.evidence.judging.nli_judge import (
    MAX_CLAIM_CHARS,
    MAX_WINDOWS,
    NliJudge,
    choose_source_windows,
)
from citewell.evidence.judging.nli_model import open_nli_folder
from citewell.evidence.signs.claim_support import SourceText
from tests.encoders import AGREEING_WORD, DENYING_WORD, build_tiny_encoder, build_tiny_judge
from tests.judges import ThreadedModel, judge, judged, nli_judge, pair
from tests.requirements import requires

CLAIM = "The bridge was finished in 1932."
PLAIN = " ".join(f"The town has a market on day {n} of the week." for n in range(40))
AGREEING = f"The bridge was {AGREEING_WORD} finished in 1932."
DENYING = f"The bridge was {DENYING_WORD} dated and was finished in 1935."


@requires("judge.nli")
@pytest.mark.parametrize(
    "labels",
    [
        ("contradiction", "entailment", "neutral"),
        ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
        ("Neutral", "Entails", "Contradicts"),
        ("entailment", "not_entailment"),
    ],
)
def test_the_order_and_spelling_of_labels_is_read_from_the_configuration(
    tmp_path: Path, labels: tuple[str, ...]
) -> None:
    model = nli_judge(tmp_path / "model", labels)

    supported = judged(model, pair(CLAIM, f"{PLAIN} {AGREEING} {PLAIN}"))
    plain = judged(model, pair(CLAIM, PLAIN))

    assert (supported.relation, supported.quote) == (ClaimRelation.SUPPORTS, AGREEING)
    assert plain.relation is ClaimRelation.MENTIONS
    assert supported.score > 0.9
    assert plain.score < 0.5


def test_a_contradiction_is_quoted_if_the_sentence_has_the_claims_subject(tmp_path: Path) -> None:
    model = nli_judge(tmp_path / "model")

    denied = judged(model, pair(CLAIM, f"{PLAIN} {DENYING} {PLAIN}"))
    other = judged(model, pair(CLAIM, f"{PLAIN} Tulips are {DENYING_WORD} sold as bulbs. {PLAIN}"))

    assert (denied.relation, denied.quote) == (ClaimRelation.CONTRADICTS, DENYING)
    assert other.relation is ClaimRelation.MENTIONS


def test_markup_is_not_shown_to_the_model_and_stays_in_the_quote(tmp_path: Path) -> None:
    text = f"The [bridge](https://example.org) was **{AGREEING_WORD}** finished in 1932."

    found = judged(nli_judge(tmp_path / "model"), pair(CLAIM, text))

    assert (found.relation, found.quote) == (ClaimRelation.SUPPORTS, text)


def test_a_text_without_full_stops_is_compared_in_pieces(tmp_path: Path) -> None:
    text = "market day; " * 400 + f"the bridge was {AGREEING_WORD} finished in 1932; " * 30

    found = judged(nli_judge(tmp_path / "model"), pair(CLAIM, text))

    assert found.relation is ClaimRelation.SUPPORTS
    assert AGREEING_WORD in found.quote
    assert len(found.quote) <= 1600


def test_a_claim_that_leaves_no_room_for_the_passage_is_not_judged(tmp_path: Path) -> None:
    [found] = judge(nli_judge(tmp_path / "model"), pair("b" * (MAX_CLAIM_CHARS + 1), AGREEING))

    assert isinstance(found, Unjudged)


def test_what_was_judged_before_the_time_was_up_is_kept(tmp_path: Path) -> None:
    ticks = iter(range(0, 1000, 10))
    folder = open_nli_folder(build_tiny_judge(tmp_path / "model"))
    model = NliJudge(folder, ThreadedModel(), seconds=25.0, clock=lambda: float(next(ticks)))

    found = judge(model, *[pair(CLAIM, AGREEING)] * 4)

    assert [isinstance(opinion, Judgement) for opinion in found] == [True, True, False, False]


def damage(folder: Path, fault: str) -> None:
    if fault == "no folder":
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    elif fault.startswith("no "):
        (folder / fault.removeprefix("no ")).unlink()
    else:
        config = {"plain labels": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}}.get(fault)
        text = {"broken config": "{", "deep config": "[" * 100_000, "unlabelled config": "{}"}.get(
            fault
        )
        (folder / "config.json").write_text(text or json.dumps({"id2label": config}))


@requires("judge.nli_broken")
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("no folder", "no such folder"),
        ("no model.onnx", "no model.onnx"),
        ("no tokenizer.json", "no tokenizer.json"),
        ("no config.json", "no config.json"),
        ("broken config", "config.json cannot be read"),
        ("deep config", "config.json cannot be read"),
        ("unlabelled config", "must name entailment"),
        ("plain labels", "LABEL_0, LABEL_1, LABEL_2"),
    ],
)
def test_a_folder_that_cannot_be_used_says_what_is_wrong_with_it(
    tmp_path: Path, fault: str, says: str
) -> None:
    folder = build_tiny_judge(tmp_path / "model")
    damage(folder, fault)

    with pytest.raises(Misconfigured, match=says) as caught:
        open_nli_folder(folder)

    assert caught.value.settings == ("CITEWELL_JUDGE_MODEL",)
    assert caught.value.remedy


@requires("judge.nli_broken")
@pytest.mark.parametrize("fault", ["ONNX", "tokenizer", "outputs", "input"])
def test_files_that_cannot_be_run_say_so_at_their_first_use(tmp_path: Path, fault: str) -> None:
    folder = build_tiny_judge(tmp_path / "model")
    if fault == "ONNX":
        (folder / "model.onnx").write_bytes(b"no model " * 99)
    elif fault == "tokenizer":
        (folder / "tokenizer.json").write_text("{}")
    elif fault == "outputs":  # an encoder's, which gives a vector for each word
        build_tiny_encoder(folder)
    else:  # two labels for a model with three outputs
        (folder / "config.json").write_text(
            json.dumps({"id2label": {"0": "entailment", "1": "neutral"}})
        )
    model = NliJudge(open_nli_folder(folder), ThreadedModel(), seconds=30.0)

    with pytest.raises(Misconfigured, match="The entailment model") as caught:
        judge(model, pair(CLAIM, AGREEING))

    assert caught.value.settings == ("CITEWELL_JUDGE_MODEL",)


@pytest.mark.process
def test_the_model_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    folder = open_nli_folder(build_tiny_judge(tmp_path / "model"))

    async def run() -> Judgement | Unjudged:
        model = NliJudge(folder, open_model_workers(folder.model_bytes), seconds=30.0)
        try:
            [found] = await model.judge_claims([pair(CLAIM, f"{PLAIN} {AGREEING}")])
        finally:
            await model.aclose()
        return found

    found = asyncio.run(run())

    assert isinstance(found, Judgement)
    assert (found.relation, found.quote) == (ClaimRelation.SUPPORTS, AGREEING)


@pytest.mark.process
def test_a_file_that_is_no_model_is_told_by_its_process(tmp_path: Path) -> None:
    made = build_tiny_judge(tmp_path / "model")
    (made / "model.onnx").write_bytes(b"no model " * 99)
    folder = open_nli_folder(made)

    async def run() -> None:
        model = NliJudge(folder, open_model_workers(folder.model_bytes), seconds=30.0)
        try:
            await model.judge_claims([pair(CLAIM, AGREEING)])
        finally:
            await model.aclose()

    with pytest.raises(Misconfigured, match="files are damaged"):
        asyncio.run(run())


def test_a_long_source_is_read_in_three_windows_of_whole_sentences() -> None:
    red = "The bridge is red."
    text = f"{PLAIN} {CLAIM} {PLAIN} {red} {PLAIN} {red} {PLAIN} {red} {PLAIN}"
    source = SourceText(text=text, language="en")

    windows = choose_source_windows(CLAIM, source)

    texts = [source.text[window.start : window.end] for window in windows]
    assert len(windows) == MAX_WINDOWS
    assert CLAIM in texts[0]
    assert red in texts[1]
    assert all(len(text.split()) <= 110 and text.endswith(".") for text in texts)
    assert source.text[slice(*windows[0].quote)] == CLAIM


def test_a_source_without_a_word_of_the_claim_is_read_from_its_beginning() -> None:
    source = SourceText(text=f"Tulips are sold. {PLAIN}", language="en")

    [window] = choose_source_windows("Quantum computers factor integers.", source)

    assert window.start == 0


def test_a_contradiction_needs_the_nearest_passage(tmp_path: Path) -> None:
    far = f"The bridge is {DENYING_WORD} called high."

    found = judged(nli_judge(tmp_path / "model"), pair(CLAIM, f"{CLAIM} {PLAIN} {far} {PLAIN}"))

    assert found.relation is ClaimRelation.MENTIONS


def test_a_contradiction_needs_a_difference_that_can_be_shown(tmp_path: Path) -> None:
    same = f"The bridge was {DENYING_WORD} finished in 1932."

    found = judged(nli_judge(tmp_path / "model"), pair(CLAIM, same))

    assert found.relation is ClaimRelation.MENTIONS
