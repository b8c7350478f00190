"""ClinicalTrials.gov, the registry of the US National Library of Medicine, version 2 of its API; no key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from citewell.dialects.json_responses import (
    CamelCasePart,
    JsonResponse,
    OptionalField,
    TolerantItems,
    drop_negative_count,
    read_json_response,
)
from citewell.dialects.stated_refusals import build_stated_refusal
from citewell.model.domains.clinical_trial import ClinicalTrial, TrialHits, TrialQuery
from citewell.ports import Offer, ProviderKit, ProviderSpec
from citewell.text.safety.markup_cleaning import clean_markup

SPEC = ProviderSpec(
    name="clinicaltrials",
    title="ClinicalTrials.gov",
    homepage="https://clinicaltrials.gov/data-api/api",
    base_url="https://clinicaltrials.gov/api/v2",
    offers=frozenset({Offer.TRIALS}),
    applied_arguments={
        Offer.TRIALS: frozenset(
            {"condition", "intervention", "sponsor", "status", "phase", "with_results"}
        )
    },
    max_results=100,
    per_second=1.0,
    burst=3,
    rank=10,
    covers_whole_web=False,
    terms="Public; cite ClinicalTrials.gov and the date of the data.",
    test_evidence="six recorded studies and one recorded search",
)

_STUDY_PAGE = "https://clinicaltrials.gov/study/"
_FIELDS = (
    "NCTId", "BriefTitle", "OverallStatus", "LastKnownStatus", "Phase", "Condition",
    "InterventionName", "LeadSponsorName", "StartDate", "PrimaryCompletionDate", "EnrollmentCount",
    "HasResults",
)  # fmt: skip
# The API names a phase by a number in `aggFilters`, and by a word in its records.
_PHASE_FILTERS = {
    "EARLY_PHASE1": "0",
    "PHASE1": "1",
    "PHASE2": "2",
    "PHASE3": "3",
    "PHASE4": "4",
}
_MAX_DATE_CHARS = 10
_BAD_REQUEST, _NOT_FOUND = 400, 404


class _StudyIdentity(CamelCasePart):
    nct_id: Annotated[str, Field(pattern=r"^NCT\d{8}$")]
    brief_title: OptionalField[str] = None
    official_title: OptionalField[str] = None


class _DateStruct(CamelCasePart):
    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d(?:-\d\d)?$", max_length=_MAX_DATE_CHARS)]


class _StudyStatus(CamelCasePart):
    overall_status: OptionalField[str] = None
    start_date_struct: OptionalField[_DateStruct] = None
    primary_completion_date_struct: OptionalField[_DateStruct] = None


class _LeadSponsor(CamelCasePart):
    name: OptionalField[str] = None


class _StudySponsors(CamelCasePart):
    lead_sponsor: OptionalField[_LeadSponsor] = None


class _StudyConditions(CamelCasePart):
    conditions: OptionalField[TolerantItems[str]] = None


class _EnrollmentInfo(CamelCasePart):
    count: OptionalField[int] = None


class _StudyDesign(CamelCasePart):
    phases: OptionalField[TolerantItems[str]] = None
    enrollment_info: OptionalField[_EnrollmentInfo] = None


class _TrialIntervention(CamelCasePart):
    name: str


class _StudyArms(CamelCasePart):
    interventions: OptionalField[TolerantItems[_TrialIntervention]] = None


class _StudyProtocol(CamelCasePart):
    identification_module: _StudyIdentity
    status_module: OptionalField[_StudyStatus] = None
    sponsor_collaborators_module: OptionalField[_StudySponsors] = None
    conditions_module: OptionalField[_StudyConditions] = None
    design_module: OptionalField[_StudyDesign] = None
    arms_interventions_module: OptionalField[_StudyArms] = None


class _TrialStudy(CamelCasePart):
    protocol_section: _StudyProtocol
    has_results: OptionalField[bool] = None


class _StudyPage(JsonResponse, CamelCasePart):
    studies: TolerantItems[_TrialStudy]
    total_count: OptionalField[int] = None
    next_page_token: OptionalField[str] = None


class Provider:
    def __init__(self, kit: ProviderKit) -> None:
        self._upstream = kit.upstream

    async def search_trials(self, query: TrialQuery) -> TrialHits:
        response = await self._upstream.send_get(
            "/studies", params=_build_trial_params(query), accept=(_BAD_REQUEST, _NOT_FOUND)
        )
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        if response.status == _NOT_FOUND:
            return TrialHits()  # nothing fits the search
        page = read_json_response(_StudyPage, response)
        return TrialHits(
            trials=tuple(map(_parse_study, page.studies[: query.count])),
            total=drop_negative_count(page.total_count),
            next_page_token=clean_markup(page.next_page_token) or None,
        )


def _build_trial_params(query: TrialQuery) -> dict[str, str]:
    filters = [f"phase:{_PHASE_FILTERS[query.phase]}"] if query.phase in _PHASE_FILTERS else []
    if query.with_results:
        filters.append("results:with")
    params = {
        "format": "json",
        "pageSize": str(min(query.count, SPEC.max_results)),
        "countTotal": "" if query.page_token else "true",  # told on the first page only
        "fields": "|".join(_FIELDS),
        "query.term": query.text,
        "query.cond": query.condition,
        "query.intr": query.intervention,
        "query.spons": query.sponsor,
        "filter.overallStatus": query.status,
        "aggFilters": ",".join(filters),
        "pageToken": query.page_token,
    }
    return {name: value for name, value in params.items() if value}


def _parse_study(study: _TrialStudy) -> ClinicalTrial:
    protocol = study.protocol_section
    about, status = protocol.identification_module, protocol.status_module or _StudyStatus()
    sponsors = protocol.sponsor_collaborators_module or _StudySponsors()
    design = protocol.design_module or _StudyDesign()
    conditions = protocol.conditions_module or _StudyConditions()
    arms = protocol.arms_interventions_module or _StudyArms()
    start, end = status.start_date_struct, status.primary_completion_date_struct
    lead = sponsors.lead_sponsor or _LeadSponsor()
    enrolled = design.enrollment_info or _EnrollmentInfo()
    return ClinicalTrial(
        nct_id=about.nct_id,
        title=clean_markup(about.brief_title or about.official_title) or about.nct_id,
        url=_STUDY_PAGE + about.nct_id,
        source=SPEC.name,
        status=clean_markup(status.overall_status) or None,
        phases=_clean_names(design.phases or ()),
        conditions=_clean_names(conditions.conditions or ()),
        interventions=_clean_names(item.name for item in arms.interventions or ()),
        sponsor=clean_markup(lead.name) or None,
        start_date=start.date if start else None,
        completion_date=end.date if end else None,
        enrollment=drop_negative_count(enrolled.count),
        has_results=bool(study.has_results),
    )


def _clean_names(names: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(name) for name in names)
    return tuple(dict.fromkeys(name for name in cleaned if name))
