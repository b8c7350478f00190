"""Which judge the settings choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from citewell.core.config import Settings
from citewell.core.errors import Misconfigured
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, MODEL_NAME, NLI_NAME
from citewell.evidence.judging.nli_model import JUDGE_MODEL_SETTING
from citewell.evidence.settings import EvidenceSettings

JUDGE_SETTING = "CITEWELL_JUDGE"
_OFF_WORDS = frozenset({"", "off", "none", "words", LEXICAL_NAME})


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChoice:
    """The kind of judge, and of a model the provider that is named; empty if any will do."""

    kind: str
    provider: str = ""


def read_judge_choice(settings: Settings) -> JudgeChoice:
    """What CITEWELL_JUDGE says: lexical, nli, model or the name of a provider of models."""
    name = settings[EvidenceSettings].judge.strip().lower()
    if name in _OFF_WORDS:
        return JudgeChoice(kind=LEXICAL_NAME)
    if name in {NLI_NAME, MODEL_NAME}:
        return JudgeChoice(kind=name)
    return JudgeChoice(kind=MODEL_NAME, provider=name.removeprefix(f"{MODEL_NAME}:"))


def require_nli_path(settings: Settings) -> Path:
    """The folder of the entailment model; raises Misconfigured if none is named."""
    evidence_settings = settings[EvidenceSettings]
    if not evidence_settings.judge_model:
        raise Misconfigured(
            f"{JUDGE_SETTING}=nli needs an entailment model: {JUDGE_MODEL_SETTING} names none.",
            action="inform_user",
            settings=(JUDGE_MODEL_SETTING,),
            remedy=f"{JUDGE_MODEL_SETTING}=<a folder with model.onnx, tokenizer.json and config.json>",
        )
    return Path(evidence_settings.judge_model).expanduser()


def choose_judging_provider(
    named: str, able: Iterable[str], estimate: Callable[[str], int], known: Iterable[str]
) -> str:
    """The provider that judges: the named one, else the cheapest of those that can write.

    A server of your own costs nothing, so it comes first. Raises Misconfigured without any.
    """
    usable = tuple(able)
    if named and named in usable:
        return named
    if named or not usable:
        reason = (
            f"{named!r} is not configured"
            if named in set(known)
            else f"there is no model provider {named!r}"
            if named
            else "no model is configured"
        )
        raise Misconfigured(
            f"{JUDGE_SETTING}={named or MODEL_NAME}: {reason}.",
            action="inform_user",
            settings=(JUDGE_SETTING,),
            remedy=f"{JUDGE_SETTING}={usable[0] if usable else LEXICAL_NAME}",
            alternatives=(*usable, LEXICAL_NAME, NLI_NAME),
        )
    return min(usable, key=estimate)
