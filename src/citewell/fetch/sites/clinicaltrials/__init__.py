"""Reads study pages of ClinicalTrials.gov through its API: design, arms, outcomes and results."""

from __future__ import annotations

import re

from citewell.errors import MalformedResponse
from citewell.fetch import page_errors
from citewell.fetch.sites.clinicaltrials import study_page
from citewell.fetch.sites.site_kit import (
    SiteAddress,
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    parse_site_address,
)
from citewell.model.page import Page

CLINICALTRIALS_API = SiteEndpoint(
    name="site_clinicaltrials",
    base_url="https://clinicaltrials.gov/api/v2",
    timeout=15,
    per_second=1.0,
    burst=3,
)
ENDPOINTS = (CLINICALTRIALS_API,)

_STUDY_HOSTS = {f"{name}clinicaltrials.gov" for name in ("", "www.", "classic.", "beta.")}
_NCT_PATTERN = re.compile(r"NCT\d{8}", re.ASCII)
# The paths before the number: of today, of the old site, and short ones.
_STUDY_PATHS = {
    ("study",),
    ("studies",),
    ("show",),
    ("ct2", "show"),
    ("ct2", "show", "results"),
    ("ct2", "show", "record"),
    ("ct2", "show", "study"),
    ("ct", "show"),
    (),
}
_REFUSED_STATUSES = (400, 404)


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    number = _find_study_number(at) if at and at.host in _STUDY_HOSTS else ""
    return SiteRoute(url=url, kind="study", id=number) if number else None


def _find_study_number(at: SiteAddress) -> str:
    for place, part in enumerate(at.parts):
        if _NCT_PATTERN.fullmatch(part.upper()):
            is_last = place == len(at.parts) - 1 or at.parts[:1] == ("study",)
            return part.upper() if at.parts[:place] in _STUDY_PATHS and is_last else ""
    return ""


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await kit.open_upstream(CLINICALTRIALS_API).send_get(
        f"/studies/{route.id}", params={"format": "json"}, accept=_REFUSED_STATUSES
    )
    if response.status in _REFUSED_STATUSES:
        raise page_errors.build_soft_404_error(
            route.url, "ClinicalTrials.gov has no study with this number"
        )
    study = await kit.run_apart(study_page.read_study_page, response.body)
    if study is None:
        raise MalformedResponse("The response holds no study.", provider=CLINICALTRIALS_API.name)
    return kit.build_page(
        route,
        content=study.content,
        content_type="clinicaltrials",
        title=study.title,
        final_url=f"https://clinicaltrials.gov/study/{study.number}",
        author=study.sponsor,
        site="ClinicalTrials.gov",
        language="en",
        published=study.first_posted,
        modified=study.last_updated,
        notes=study.notes,
    )
