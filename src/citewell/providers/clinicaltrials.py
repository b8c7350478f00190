"""ClinicalTrials.gov, the registry of the US National Library of Medicine, version 2 of its API; no key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import AliasPath, Field

from citewell.domains.trials import Trial, TrialHits, TrialQuery
from citewell.net.upstream import json_responses as wire
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="clinicaltrials",
    title="ClinicalTrials.gov",
    homepage="https://clinicaltrials.gov/data-api/api",
    base_url="https://clinicaltrials.gov/api/v2",
    offers=frozenset({Offer.TRIALS}),
    applied_arguments={Offer.TRIALS: frozenset(TrialQuery.list_filters())},
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
_NOT_FOUND = 404


_StudyDay = Annotated[str, Field(pattern=r"^\d{4}-\d\d(?:-\d\d)?$", max_length=_MAX_DATE_CHARS)]


class _TrialIntervention(wire.ResponsePart):
    name: str


class _TrialProtocol(wire.ResponsePart):
    nct_id: Annotated[
        str,
        Field(pattern=r"^NCT\d{8}$", validation_alias=AliasPath("identificationModule", "nctId")),
    ]
    brief_title: wire.OptionalField[str] = wire.nested_field("identificationModule.briefTitle")
    official_title: wire.OptionalField[str] = wire.nested_field(
        "identificationModule.officialTitle"
    )
    status: wire.OptionalField[str] = wire.nested_field("statusModule.overallStatus")
    start: wire.OptionalField[_StudyDay] = wire.nested_field("statusModule.startDateStruct.date")
    end: wire.OptionalField[_StudyDay] = wire.nested_field(
        "statusModule.primaryCompletionDateStruct.date"
    )
    sponsor: wire.OptionalField[str] = wire.nested_field(
        "sponsorCollaboratorsModule.leadSponsor.name"
    )
    conditions: wire.OptionalField[wire.TolerantItems[str]] = wire.nested_field(
        "conditionsModule.conditions"
    )
    phases: wire.OptionalField[wire.TolerantItems[str]] = wire.nested_field("designModule.phases")
    enrolled: wire.OptionalField[int] = wire.nested_field("designModule.enrollmentInfo.count")
    interventions: wire.OptionalField[wire.TolerantItems[_TrialIntervention]] = wire.nested_field(
        "armsInterventionsModule.interventions"
    )


class _TrialStudy(wire.CamelCasePart):
    protocol_section: _TrialProtocol
    has_results: wire.OptionalField[bool] = None


class _StudyPage(wire.JsonResponse, wire.CamelCasePart):
    studies: wire.TolerantItems[_TrialStudy]
    total_count: wire.OptionalField[int] = None
    next_page_token: wire.OptionalField[str] = None


class Provider(KitProvider):
    async def search_trials(self, query: TrialQuery) -> TrialHits:
        response = await self._upstream.send_get(
            "/studies", params=_build_trial_params(query), accept=(400, _NOT_FOUND)
        )
        if response.status == _NOT_FOUND:
            return TrialHits()  # nothing fits the search
        page = read_stated_json(_StudyPage, response)
        return TrialHits(
            trials=tuple(map(_parse_study, page.studies[: query.count])),
            total=wire.drop_negative_count(page.total_count),
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
        "query.term": query.query,
        "query.cond": query.condition,
        "query.intr": query.intervention,
        "query.spons": query.sponsor,
        "filter.overallStatus": query.status,
        "aggFilters": ",".join(filters),
        "pageToken": query.page_token,
    }
    return {name: value for name, value in params.items() if value}


def _parse_study(study: _TrialStudy) -> Trial:
    protocol = study.protocol_section
    return Trial(
        nct_id=protocol.nct_id,
        title=clean_markup(protocol.brief_title or protocol.official_title) or protocol.nct_id,
        url=_STUDY_PAGE + protocol.nct_id,
        source=SPEC.name,
        status=clean_markup(protocol.status) or None,
        phases=_clean_names(protocol.phases or ()),
        conditions=_clean_names(protocol.conditions or ()),
        interventions=_clean_names(item.name for item in protocol.interventions or ()),
        sponsor=clean_markup(protocol.sponsor) or None,
        start_date=protocol.start,
        completion_date=protocol.end,
        enrollment=wire.drop_negative_count(protocol.enrolled),
        has_results=bool(study.has_results),
    )


def _clean_names(names: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(name) for name in names)
    return tuple(dict.fromkeys(name for name in cleaned if name))
