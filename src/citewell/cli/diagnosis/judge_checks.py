"""The doctor's check of the judge of claims: which one is chosen, and whether it works."""

from __future__ import annotations

from citewell.cli.diagnosis.encoder_checks import INSTALL_COMMAND, has_semantic_libraries
from citewell.cli.diagnosis.installation_checks import InstallationCheck
from citewell.errors import CitewellError
from citewell.server.app import App
from citewell.services.judging.claim_judge import NLI_NAME, ClaimJudge, ClaimPair, Judgement
from citewell.services.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.text.evidence.claim_support import SourceText
from citewell.tooling import Owner

_NAME = "judge"
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
        if app.settings.judge_model:
            detail = "lexical; CITEWELL_JUDGE_MODEL is set but not used"
            return InstallationCheck(
                name=_NAME, state="warning", detail=detail, change="CITEWELL_JUDGE=nli"
            )
        return InstallationCheck(name=_NAME, state="ok", detail="lexical: words are compared")
    if judging.kind == NLI_NAME and not has_semantic_libraries():
        detail = "nli needs the extra `semantic`; words decide instead"
        return InstallationCheck(name=_NAME, state="warning", detail=detail, change=INSTALL_COMMAND)
    try:
        judge = await judging.open_chosen_judge(JudgeContext(owner=str(Owner())))
        is_free = judging.kind == NLI_NAME or judge.is_local
        if (not is_free and not paid) or (offline and judging.kind != NLI_NAME):
            return InstallationCheck(name=_NAME, state="ok", detail=f"{judge.name}, not tried")
        return await _try_chosen_judge(judge)
    except CitewellError as error:
        return InstallationCheck(
            name=_NAME,
            state="warning",
            detail=f"{error.message} Words decide instead.",
            change=error.remedy or "mend CITEWELL_JUDGE, or set CITEWELL_JUDGE=lexical",
        )


async def _try_chosen_judge(judge: ClaimJudge) -> InstallationCheck:
    [found] = await judge.judge_claims([_PROBE_PAIR])
    if isinstance(found, Judgement):
        detail = f"{judge.name} works: it says {found.relation.value}"
        return InstallationCheck(name=_NAME, state="ok", detail=detail)
    detail = f"{judge.name} answers, but not usably: {found.reason}"
    return InstallationCheck(name=_NAME, state="warning", detail=detail)
