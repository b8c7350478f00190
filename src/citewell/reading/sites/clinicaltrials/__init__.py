"""Reads study pages of ClinicalTrials.gov through its API: design, arms, outcomes and results."""

from __future__ import annotations

import json
import re
from collections import Counter

from citewell.core.errors import MalformedResponse
from citewell.core.values.page import Page
from citewell.reading import page_errors
from citewell.reading.sites import site_kit, site_markdown
from citewell.reading.sites.clinicaltrials.study_results import (
    RecordPart,
    escape_inline,
    format_fact_list,
    render_study_results,
)

CLINICALTRIALS_API = site_kit.SiteEndpoint(
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

_FILE_NAME_PATTERN = re.compile(r"[\w.-]{1,100}", re.ASCII)
_MAX_PUBLICATIONS = 30

_STUDY_NUMBER_PATTERN = re.compile(r"NCT\d{4,12}", re.ASCII)
_MAX_LOCATIONS = 40
_MAX_CONTACTS = 3
_OUTCOME_KINDS = (
    ("primaryOutcomes", "Primary"),
    ("secondaryOutcomes", "Secondary"),
    ("otherOutcomes", "Other"),
)


def find_route(url: str) -> site_kit.SiteRoute | None:
    at = site_kit.parse_site_address(url)
    number = _find_study_number(at) if at and at.host in _STUDY_HOSTS else ""
    return site_kit.SiteRoute(url=url, kind="study", id=number) if number else None


def _find_study_number(at: site_kit.SiteAddress) -> str:
    for place, part in enumerate(at.parts):
        if _NCT_PATTERN.fullmatch(part.upper()):
            is_last = place == len(at.parts) - 1 or at.parts[:1] == ("study",)
            return part.upper() if at.parts[:place] in _STUDY_PATHS and is_last else ""
    return ""


@site_kit.fall_back_to_ladder
async def read_page(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> Page | None:
    response = await kit.open_upstream(CLINICALTRIALS_API).send_get(
        f"/studies/{route.id}", params={"format": "json"}, accept=_REFUSED_STATUSES
    )
    if response.status in _REFUSED_STATUSES:
        raise page_errors.build_soft_404_error(
            route.url, "ClinicalTrials.gov has no study with this number"
        )
    parts = await kit.run_apart(read_study_page, response.body)
    if parts is None:
        raise MalformedResponse("The response holds no study.", provider=CLINICALTRIALS_API.name)
    return kit.build_parts_page(route, parts)


# A study's record as a page of markdown; done in a worker.


def read_study_page(body: bytes) -> site_kit.SitePageParts | None:
    """The parts of a study's page, from an API response; None if the response holds no study."""
    try:
        record = RecordPart(json.loads(body))
    except (ValueError, RecursionError):
        return None
    protocol = record.find_subpart("protocolSection")
    about = protocol.find_subpart("identificationModule")
    number = about.find_plain_text("nctId").upper()
    if not _STUDY_NUMBER_PATTERN.fullmatch(number):
        return None
    title = about.find_plain_text("briefTitle") or about.find_plain_text("officialTitle") or number
    has_results = bool(record.find_subpart("resultsSection"))
    status = protocol.find_subpart("statusModule")
    sponsor = protocol.find_plain_text("sponsorCollaboratorsModule", "leadSponsor", "name")
    return site_kit.SitePageParts(
        content=_render_study_record(record, protocol, number, title),
        content_type="clinicaltrials",
        title=title,
        final_url=f"https://clinicaltrials.gov/study/{number}",
        author=sponsor or None,
        site="ClinicalTrials.gov",
        language="en",
        published=_find_study_posted(status, "studyFirst"),
        modified=_find_study_posted(status, "lastUpdate"),
        notes=() if has_results else ("No results are posted for this study.",),
    )


def _render_study_record(record: RecordPart, protocol: RecordPart, number: str, title: str) -> str:
    statement = protocol.find_subpart("ipdSharingStatementModule")
    sharing = (statement.find_code("ipdSharing"), statement.find_inline_markdown("description"))
    return site_markdown.join_blocks(
        [
            f"# {escape_inline(title)}",
            _format_study_overview(record, protocol, number),
            _format_study_section("Summary", protocol.find_markdown("descriptionModule", "briefSummary")),
            _format_study_section("Description", protocol.find_markdown("descriptionModule", "detailedDescription")),
            _format_study_section("Design", _format_study_design(protocol.find_subpart("designModule"))),
            _format_study_section("Arms", _format_study_arms(protocol.find_subpart("armsInterventionsModule"))),
            _format_study_section("Interventions", _format_study_interventions(protocol)),
            _format_study_section("Outcomes", _format_study_outcomes(protocol.find_subpart("outcomesModule"))),
            _format_study_section("Eligibility", _format_study_eligibility(protocol.find_subpart("eligibilityModule"))),
            render_study_results(record.find_subpart("resultsSection"), _list_outcome_texts(protocol)),
            _format_study_section("Contacts", _format_study_contacts(protocol)),
            _format_study_section("Locations", _format_study_locations(protocol)),
            _format_study_section("Publications", format_publications(protocol)),
            _format_study_section("Documents", format_documents(record, number)),
            _format_study_section("Sharing of participants' data", ": ".join(filter(None, sharing))),
        ]
    )  # fmt: skip


def _format_study_section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}" if text else ""


def _find_study_posted(status: RecordPart, event: str) -> str | None:
    found = status.find_date(f"{event}PostDateStruct", "date")
    return found if len(found) == len("2024-01-31") else None


def _format_study_overview(record: RecordPart, protocol: RecordPart, number: str) -> str:
    about, status = (
        protocol.find_subpart("identificationModule"),
        protocol.find_subpart("statusModule"),
    )
    sponsors, design = protocol.find_subpart("sponsorCollaboratorsModule"), protocol.find_subpart("designModule")  # fmt: skip
    others = [about.format_text("orgStudyIdInfo", "id")]
    others += [entry.format_text("id") for entry in about.list_parts("secondaryIdInfos")]
    enrolled = design.find_subpart("enrollmentInfo")
    return format_fact_list(
        [
            ("Number", number),
            ("Official title", about.format_text("officialTitle")),
            ("Acronym", about.format_text("acronym")),
            ("Other numbers", ", ".join(filter(None, others))),
            ("Status", _format_study_status(status)),
            ("Why stopped", status.format_text("whyStopped")),
            ("Sponsor", sponsors.format_text("leadSponsor", "name")),
            ("Collaborators", ", ".join(entry.format_text("name") for entry in sponsors.list_parts("collaborators"))),
            ("Conditions", ", ".join(protocol.list_texts("conditionsModule", "conditions"))),
            ("Keywords", ", ".join(protocol.list_texts("conditionsModule", "keywords"))),
            ("Study type", design.find_code("studyType")),
            ("Phase", "/".join(part.find_code() for part in design.list_parts("phases"))),
            ("Enrollment", _format_study_dated(enrolled.find_plain_text("count"), enrolled)),
            *(
                (label, _format_study_dated(part.find_date("date"), part))
                for label, name in (("Start", "start"), ("Primary completion", "primaryCompletion"), ("Completion", "completion"))
                if (part := status.find_subpart(f"{name}DateStruct"))
            ),
            ("First posted", status.find_date("studyFirstPostDateStruct", "date")),
            ("Results first posted", status.find_date("resultsFirstPostDateStruct", "date")),
            ("Last update posted", status.find_date("lastUpdatePostDateStruct", "date")),
            ("Results", "posted" if record.find_subpart("resultsSection") else ""),
        ]
    )  # fmt: skip


def _format_study_status(status: RecordPart) -> str:
    known = status.find_code("lastKnownStatus")
    verified = status.find_date("statusVerifiedDate")
    facts = [f"last known: {known}" if known else "", f"verified {verified}" if verified else ""]
    more = ", ".join(filter(None, facts))
    found = status.find_code("overallStatus")
    return f"{found} ({more})" if found and more else found


def _format_study_dated(text: str, part: RecordPart) -> str:
    """The value with its type, which is actual or estimated."""
    kind = part.find_code("type")
    return f"{text} ({kind})" if text and kind else text


def _format_study_design(design: RecordPart) -> str:
    info = design.find_subpart("designInfo")
    masked = [entry.find_code() for entry in info.list_parts("maskingInfo", "whoMasked")]
    masking = info.find_code("maskingInfo", "masking")
    return format_fact_list(
        [
            ("Allocation", info.find_code("allocation")),
            ("Intervention model", info.find_code("interventionModel")),
            ("Model description", info.find_inline_markdown("interventionModelDescription")),
            ("Observational model", info.find_code("observationalModel")),
            ("Time perspective", info.find_code("timePerspective")),
            ("Primary purpose", info.find_code("primaryPurpose")),
            ("Masking", f"{masking} ({', '.join(masked)})" if masking and masked else masking),
            ("Masking description", info.find_inline_markdown("maskingInfo", "maskingDescription")),
            ("Target duration", design.format_text("targetDuration")),
            ("Biospecimens", design.find_code("bioSpec", "retention")),
            ("Biospecimen description", design.find_inline_markdown("bioSpec", "description")),
        ]
    )


def _format_study_arms(module: RecordPart) -> str:
    lines = []
    for arm in module.list_parts("armGroups"):
        kind, text = arm.find_code("type"), arm.find_inline_markdown("description")
        given = ", ".join(arm.list_texts("interventionNames"))
        head = f"**{arm.format_text('label') or 'Arm'}**" + (f" ({kind})" if kind else "")
        end = "." if text and given and text[-1].isalnum() else ""
        more = [f"{text}{end}", f"Receives: {given}." if given else ""]
        lines.append(": ".join(filter(None, [f"- {head}", " ".join(filter(None, more))])))
    return "\n".join(lines)


def _format_study_interventions(protocol: RecordPart) -> str:
    lines = []
    for entry in protocol.list_parts("armsInterventionsModule", "interventions"):
        names = ", ".join(entry.list_texts("otherNames"))
        facts = "; ".join(filter(None, [entry.find_code("type"), f"also {names}" if names else ""]))
        text = entry.find_inline_markdown("description")
        head = f"**{entry.format_text('name') or 'Intervention'}**" + (
            f" ({facts})" if facts else ""
        )
        lines.append(f"- {head}" + (f": {text}" if text else ""))
    return "\n".join(lines)


def _format_study_outcomes(module: RecordPart) -> str:
    blocks = []
    for name, label in _OUTCOME_KINDS:
        lines = []
        for entry in module.list_parts(name):
            frame, text = entry.format_text("timeFrame"), entry.find_inline_markdown("description")
            head = f"**{entry.format_text('measure') or 'Measure'}**"
            lines.append(f"- {head}" + (f" ({frame})" if frame else "") + (f": {text}" if text else ""))  # fmt: skip
        if lines:
            blocks += [f"### {label} outcomes", "\n".join(lines)]
    return "\n\n".join(blocks)


def _list_outcome_texts(protocol: RecordPart) -> frozenset[str]:
    return frozenset(
        entry.find_inline_markdown("description")
        for name, _ in _OUTCOME_KINDS
        for entry in protocol.list_parts("outcomesModule", name)
    )


def _format_study_eligibility(module: RecordPart) -> str:
    youngest, oldest = module.format_text("minimumAge"), module.format_text("maximumAge")
    healthy = module.find_subpart("healthyVolunteers").value
    accepted = "accepted" if healthy is True else "not accepted" if healthy is False else ""
    facts = format_fact_list(
        [
            ("Ages", f"{youngest or 'no minimum'} to {oldest or 'no maximum'}" if youngest or oldest else ""),
            ("Sex", module.find_code("sex")),
            ("Gender", module.find_inline_markdown("genderDescription")),
            ("Healthy volunteers", accepted),
            ("Study population", module.find_inline_markdown("studyPopulation")),
            ("Sampling", module.find_code("samplingMethod")),
        ]
    )  # fmt: skip
    return "\n\n".join(filter(None, [facts, module.find_markdown("eligibilityCriteria")]))


def _format_study_contacts(protocol: RecordPart) -> str:
    module = protocol.find_subpart("contactsLocationsModule")
    rows = [
        *module.list_parts("centralContacts")[:_MAX_CONTACTS],
        *module.list_parts("overallOfficials")[:_MAX_CONTACTS],
    ]
    facts = (
        site_markdown.join_facts(
            entry.format_text("name"),
            entry.find_code("role"),
            entry.format_text("affiliation"),
            entry.format_text("phone"),
            entry.format_text("email"),
        )
        for entry in rows
    )
    return "\n".join(f"- {line}" for line in facts if line)


def _format_study_locations(protocol: RecordPart) -> str:
    places = protocol.list_parts("contactsLocationsModule", "locations")
    if not places:
        return ""
    countries = Counter(entry.format_text("country") or "unknown country" for entry in places)
    counted = ", ".join(f"{country} ({count})" for country, count in countries.most_common())
    # One paragraph: as a list, dozens of clinics would push the findings out of sight.
    shown = []
    for entry in places[:_MAX_LOCATIONS]:
        names = (entry.format_text(name) for name in ("facility", "city", "state", "country"))
        status = entry.find_code("status")
        shown.append(", ".join(filter(None, names)) + (f" ({status})" if status else ""))
    left = len(places) - len(shown)
    named = "; ".join([*shown, *([f"and {left} more"] if left > 0 else [])])
    return f"{site_markdown.format_count(len(places), 'location')}: {counted}\n\n{named}"


# What a study's record refers to: publications, documents, and data that will be shared.


def format_publications(protocol: RecordPart) -> str:
    """The cited publications, and the links that the sponsor gives."""
    module = protocol.find_subpart("referencesModule")
    lines = []
    for entry in module.list_parts("references")[:_MAX_PUBLICATIONS]:
        number, kind = entry.find_plain_text("pmid"), entry.find_code("type")
        link = f" [PMID {number}](https://pubmed.ncbi.nlm.nih.gov/{number}/)" if number.isdecimal() and number.isascii() else ""  # fmt: skip
        if cited := entry.format_text("citation"):
            lines.append(f"- {cited}" + (f" ({kind})" if kind else "") + link)
    shown = (
        site_markdown.format_markdown_link(
            entry.find_plain_text("label") or entry.find_plain_text("url"),
            entry.find_plain_text("url"),
        )
        for entry in module.list_parts("seeAlsoLinks")[:_MAX_PUBLICATIONS]
    )
    lines += [f"- {link}" for link in shown if link]
    return "\n".join(lines)


def format_documents(record: RecordPart, number: str) -> str:
    """Links to the protocol and other documents that were posted with the study."""
    lines = []
    for entry in record.list_parts("documentSection", "largeDocumentModule", "largeDocs"):
        name, label = entry.find_plain_text("filename"), entry.find_plain_text("label")
        if not _FILE_NAME_PATTERN.fullmatch(name):
            continue
        address = f"https://cdn.clinicaltrials.gov/large-docs/{number[-2:]}/{number}/{name}"
        dated = entry.find_date("date")
        link = site_markdown.format_markdown_link(label or name, address)
        lines.append(f"- {link}" + (f", {dated}" if dated else ""))
    return "\n".join(lines)
