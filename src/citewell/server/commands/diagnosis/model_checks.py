"""The doctor's checks of the encoder and of the judge: which one is chosen, and whether it works."""

from __future__ import annotations

import importlib.util

from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.core.values.counted_words import pluralize
from citewell.evidence.encoding.encoders import find_model_folder, find_server_address
from citewell.evidence.encoding.passage_similarity import PassageSimilarity
from citewell.evidence.judging.claim_judge import NLI_NAME, ClaimJudge, ClaimPair, Judgement
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.evidence.settings import EvidenceSettings
from citewell.evidence.signs.claim_support import SourceText
from citewell.server.app import App
from citewell.server.commands.diagnosis.installation_checks import InstallationCheck

_PROBE_TEXT = "What is an encoder?"
SEMANTIC_LIBRARIES = ("onnxruntime", "tokenizers")
INSTALL_COMMAND = 'pip install "citewell[semantic]"'

_PROBE_PAIR = ClaimPair(
    claim="The bridge was finished in 1932.",
    source=SourceText(
        text="Workers finished the bridge in 1932. It spans the river.", language="en"
    ),
)


async def check_judge(app: App, *, offline: bool, paid: bool) -> InstallationCheck:
    """Which judge decides, and whether it answers; a model that costs something only with `paid`."""
    judging = app.require_service(ClaimJudging)
    if judging.is_lexical:
        if app.settings[EvidenceSettings].judge_model:
            detail = "lexical; CITEWELL_JUDGE_MODEL is set but not used"
            return InstallationCheck(
                name="judge", state="warning", detail=detail, change="CITEWELL_JUDGE=nli"
            )
        return InstallationCheck(name="judge", detail="lexical: words are compared")
    if judging.kind == NLI_NAME and not has_semantic_libraries():
        detail = "nli needs the extra `semantic`; words decide instead"
        return InstallationCheck(
            name="judge", state="warning", detail=detail, change=INSTALL_COMMAND
        )
    try:
        judge = await judging.open_chosen_judge(JudgeContext(owner=str(Owner())))
        is_free = judging.kind == NLI_NAME or judge.is_local
        if (not is_free and not paid) or (offline and judging.kind != NLI_NAME):
            return InstallationCheck(name="judge", detail=f"{judge.name}, not tried")
        return await _try_chosen_judge(judge)
    except CitewellError as error:
        return InstallationCheck(
            name="judge",
            state="warning",
            detail=f"{error.message} Words decide instead.",
            change=error.remedy or "mend CITEWELL_JUDGE, or set CITEWELL_JUDGE=lexical",
        )


async def _try_chosen_judge(judge: ClaimJudge) -> InstallationCheck:
    [verdict] = await judge.judge_claims([_PROBE_PAIR])
    if isinstance(verdict, Judgement):
        detail = f"{judge.name} works: it says {verdict.relation.value}"
        return InstallationCheck(name="judge", detail=detail)
    detail = f"{judge.name} answers, but not usably: {verdict.reason}"
    return InstallationCheck(name="judge", state="warning", detail=detail)


# The doctor's check of the encoder: which one is chosen, and whether it works.


def has_semantic_libraries() -> bool:
    """Whether the libraries that run a local model are installed; they are not loaded."""
    return all(importlib.util.find_spec(name) for name in SEMANTIC_LIBRARIES)


async def check_encoder(app: App, *, offline: bool) -> InstallationCheck:
    """Whether passages are ranked by meaning, and with what; a server is not asked with `offline`."""
    server, folder = find_server_address(app.settings), find_model_folder(app.settings)
    if server is None and folder is None:
        return _describe_absence(app)
    if server is not None and offline:
        return InstallationCheck(name="encoder", detail=f"{server}, not tried")
    if folder is not None and not has_semantic_libraries():
        detail = f"{folder} cannot be used without the extra `semantic`; words alone rank"
        return InstallationCheck(
            name="encoder", state="warning", detail=detail, change=INSTALL_COMMAND
        )
    return await _try_encoder(app, str(server or folder))


def _describe_absence(app: App) -> InstallationCheck:
    if app.settings[EvidenceSettings].encoder.strip().lower() not in {"", "auto"}:
        return InstallationCheck(name="encoder", detail="off; words alone rank passages")
    detail = "none; words alone rank passages"
    steps = ["citewell data encoder"]
    if not has_semantic_libraries():
        steps.insert(0, INSTALL_COMMAND)
    change = f"{' && '.join(steps)} (optional)"
    return InstallationCheck(name="encoder", detail=detail, change=change)


async def _try_encoder(app: App, place: str) -> InstallationCheck:
    try:
        encoder = await app.require_service(PassageSimilarity).find_encoder()
        vectors = await encoder.embed_texts([_PROBE_TEXT]) if encoder is not None else ()
    except CitewellError as error:
        detail = f"{error.message} Words alone rank passages."
        change = error.remedy or "mend CITEWELL_ENCODER, or set CITEWELL_ENCODER=off"
        return InstallationCheck(name="encoder", state="warning", detail=detail, change=change)
    sizes = ", ".join(f"{len(vector)} {pluralize(len(vector), 'dimension')}" for vector in vectors)
    return InstallationCheck(name="encoder", detail=f"{place} works: {sizes}")
