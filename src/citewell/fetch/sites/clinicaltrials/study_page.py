"""A study's record as a page of markdown; done in a worker."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass

from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.clinicaltrials import study_sources
from citewell.fetch.sites.clinicaltrials.study_record import (
    RecordPart,
    escape_inline,
    format_fact_list,
)
from citewell.fetch.sites.clinicaltrials.study_results import render_study_results

_NCT_PATTERN = re.compile(r"NCT\d{4,12}", re.ASCII)
_MAX_LOCATIONS = 40
_MAX_CONTACTS = 3
_OUTCOME_KINDS = (
    ("primaryOutcomes", "Primary"),
    ("secondaryOutcomes", "Secondary"),
    ("otherOutcomes", "Other"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    number: str
    title: str
    content: str
    sponsor: str | None = None
    first_posted: str | None = None
    last_updated: str | None = None
    notes: tuple[str, ...] = ()


def read_study_page(body: bytes) -> StudyPage | None:
    """The page of the study in an API response; None if the response holds none."""
    try:
        record = RecordPart(json.loads(body))
    except (ValueError, RecursionError):
        return None
    protocol = record.find_subpart("protocolSection")
    about = protocol.find_subpart("identificationModule")
    number = about.find_plain_text("nctId").upper()
    if not _NCT_PATTERN.fullmatch(number):
        return None
    title = about.find_plain_text("briefTitle") or about.find_plain_text("officialTitle") or number
    has_results = bool(record.find_subpart("resultsSection"))
    status = protocol.find_subpart("statusModule")
    return StudyPage(
        number=number,
        title=title,
        content=_render_study_record(record, protocol, number, title),
        sponsor=protocol.find_plain_text("sponsorCollaboratorsModule", "leadSponsor", "name")
        or None,
        first_posted=_find_study_posted(status, "studyFirst"),
        last_updated=_find_study_posted(status, "lastUpdate"),
        notes=() if has_results else ("No results are posted for this study.",),
    )


def _render_study_record(record: RecordPart, protocol: RecordPart, number: str, title: str) -> str:
    return markdown_parts.join_blocks(
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
            _format_study_section("Publications", study_sources.format_publications(protocol)),
            _format_study_section("Documents", study_sources.format_documents(record, number)),
            _format_study_section("Sharing of participants' data", study_sources.format_data_sharing(protocol)),
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
    others += [one.format_text("id") for one in about.list_parts("secondaryIdInfos")]
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
            ("Collaborators", ", ".join(one.format_text("name") for one in sponsors.list_parts("collaborators"))),
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
    told = [f"last known: {known}" if known else "", f"verified {verified}" if verified else ""]
    more = ", ".join(filter(None, told))
    found = status.find_code("overallStatus")
    return f"{found} ({more})" if found and more else found


def _format_study_dated(text: str, part: RecordPart) -> str:
    """The value with its type, which is actual or estimated."""
    kind = part.find_code("type")
    return f"{text} ({kind})" if text and kind else text


def _format_study_design(design: RecordPart) -> str:
    info = design.find_subpart("designInfo")
    masked = [one.find_code() for one in info.list_parts("maskingInfo", "whoMasked")]
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
        kind, told = arm.find_code("type"), arm.find_inline_markdown("description")
        given = ", ".join(arm.list_texts("interventionNames"))
        head = f"**{arm.format_text('label') or 'Arm'}**" + (f" ({kind})" if kind else "")
        end = "." if told and given and told[-1].isalnum() else ""
        more = [f"{told}{end}", f"Receives: {given}." if given else ""]
        lines.append(": ".join(filter(None, [f"- {head}", " ".join(filter(None, more))])))
    return "\n".join(lines)


def _format_study_interventions(protocol: RecordPart) -> str:
    lines = []
    for one in protocol.list_parts("armsInterventionsModule", "interventions"):
        names = ", ".join(one.list_texts("otherNames"))
        facts = "; ".join(filter(None, [one.find_code("type"), f"also {names}" if names else ""]))
        told = one.find_inline_markdown("description")
        head = f"**{one.format_text('name') or 'Intervention'}**" + (f" ({facts})" if facts else "")
        lines.append(f"- {head}" + (f": {told}" if told else ""))
    return "\n".join(lines)


def _format_study_outcomes(module: RecordPart) -> str:
    blocks = []
    for name, label in _OUTCOME_KINDS:
        lines = []
        for one in module.list_parts(name):
            frame, told = one.format_text("timeFrame"), one.find_inline_markdown("description")
            head = f"**{one.format_text('measure') or 'Measure'}**"
            lines.append(f"- {head}" + (f" ({frame})" if frame else "") + (f": {told}" if told else ""))  # fmt: skip
        if lines:
            blocks += [f"### {label} outcomes", "\n".join(lines)]
    return "\n\n".join(blocks)


def _list_outcome_texts(protocol: RecordPart) -> frozenset[str]:
    return frozenset(
        one.find_inline_markdown("description")
        for name, _ in _OUTCOME_KINDS
        for one in protocol.list_parts("outcomesModule", name)
    )


def _format_study_eligibility(module: RecordPart) -> str:
    youngest, oldest = module.format_text("minimumAge"), module.format_text("maximumAge")
    accepts = module.find_flag("healthyVolunteers")
    facts = format_fact_list(
        [
            ("Ages", f"{youngest or 'no minimum'} to {oldest or 'no maximum'}" if youngest or oldest else ""),
            ("Sex", module.find_code("sex")),
            ("Gender", module.find_inline_markdown("genderDescription")),
            ("Healthy volunteers", "" if accepts is None else "accepted" if accepts else "not accepted"),
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
        markdown_parts.join_facts(
            one.format_text("name"),
            one.find_code("role"),
            one.format_text("affiliation"),
            one.format_text("phone"),
            one.format_text("email"),
        )
        for one in rows
    )
    return "\n".join(f"- {line}" for line in facts if line)


def _format_study_locations(protocol: RecordPart) -> str:
    places = protocol.list_parts("contactsLocationsModule", "locations")
    if not places:
        return ""
    countries = Counter(one.format_text("country") or "unknown country" for one in places)
    counted = ", ".join(f"{country} ({count})" for country, count in countries.most_common())
    # One paragraph: as a list, dozens of clinics would push the findings out of sight.
    shown = [_format_study_place(one) for one in places[:_MAX_LOCATIONS]]
    left = len(places) - len(shown)
    named = "; ".join([*shown, *([f"and {left} more"] if left > 0 else [])])
    return f"{markdown_parts.format_count(len(places), 'location')}: {counted}\n\n{named}"


def _format_study_place(one: RecordPart) -> str:
    names = (one.format_text(name) for name in ("facility", "city", "state", "country"))
    status = one.find_code("status")
    return ", ".join(filter(None, names)) + (f" ({status})" if status else "")
