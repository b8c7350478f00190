"""Judges for tests: models that answer as they are told to, and the tiny entailment model in a thread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from citewell.core.errors import CitewellError
from citewell.core.values.research import WritingRequest
from citewell.evidence.judging import nli_model
from citewell.evidence.judging.claim_judge import ClaimJudge, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.model_judge import ModelJudge
from citewell.evidence.judging.nli_judge import NliJudge
from citewell.evidence.judging.nli_model import open_nli_folder
from citewell.evidence.signs.claim_support import SourceText
from citewell.workers.worker_tasks import PoolFigures, WorkerTask
from tests.encoders import build_tiny_judge
from tests.internet.judgements import quote_honestly

R = TypeVar("R")
Answer = Callable[[dict[str, Any]], str]


def pair(claim: str, text: str, *, language: str | None = "en", **more: Any) -> ClaimPair:
    return ClaimPair(claim=claim, source=SourceText(text=text, language=language), **more)


def judge(judging: ClaimJudge, *pairs: ClaimPair) -> tuple[Opinion, ...]:
    return asyncio.run(judging.judge_claims(pairs))


def judged(judging: ClaimJudge, one: ClaimPair) -> Judgement:
    [found] = judge(judging, one)
    assert isinstance(found, Judgement), found
    return found


def answer(*rows: dict[str, Any]) -> str:
    return json.dumps({"judgements": list(rows)})


def row(relation: str, quote: str | None, claim: int = 1) -> dict[str, Any]:
    return {"claim": claim, "relation": relation, "quote": quote}


class ScriptedModel:
    """A `ModelCaller` whose model answers what a function makes of the material."""

    provider = "scripted"

    def __init__(
        self, reply: Answer | str | CitewellError, *, is_local: bool = True, together: int = 1
    ) -> None:
        """The first `together` calls are answered once all of them run."""
        self.is_local = is_local
        self._together = together
        self._are_together = asyncio.Event()
        self.asked: list[WritingRequest] = []
        self.running = self.most_running = 0
        self._reply = reply

    async def ask_model(
        self, build: Callable[[str], WritingRequest], *, part: int, seconds: float
    ) -> str:
        assert seconds > 0
        request = build(f"tag-{part}")
        self.asked.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        if self.running >= self._together:
            self._are_together.set()
        await self._are_together.wait()
        await asyncio.sleep(0)
        self.running -= 1
        if isinstance(self._reply, CitewellError):
            raise self._reply
        if isinstance(self._reply, str):
            return self._reply
        return self._reply(json.loads(request.material))

    @property
    def materials(self) -> list[dict[str, Any]]:
        return [json.loads(one.material) for one in self.asked]


def model_judge(reply: Answer | str | CitewellError = quote_honestly, **more: Any) -> ModelJudge:
    return ModelJudge(ScriptedModel(reply, **more), seconds=30.0)


class ThreadedModel:
    """Runs the entailment model in a thread of the test, without its process."""

    async def run_task(
        self, task: WorkerTask[R], *, limit_seconds: float | None = None, **arguments: Any
    ) -> R:
        assert task.path.endswith(":classify_text_pairs")
        assert limit_seconds
        found: Any = await asyncio.to_thread(nli_model.classify_text_pairs, **arguments)
        return found

    def prepare_worker(self) -> None:
        pass

    def measure_pool(self) -> PoolFigures:
        return PoolFigures()

    async def aclose(self) -> None:
        pass


def nli_judge(folder: Path, labels: Sequence[str] | None = None) -> NliJudge:
    made = build_tiny_judge(folder, labels=labels) if labels else build_tiny_judge(folder)
    return NliJudge(open_nli_folder(made), ThreadedModel(), seconds=30.0)
