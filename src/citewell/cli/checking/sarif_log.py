"""Findings as a SARIF 2.1.0 log, which editors and code hosts show at the places they name."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from citewell import __version__
from citewell.cli.checking.checked_draft import (
    CheckedDraft,
    describe_verdict,
    find_file_name,
    grade_verdict,
    list_shown_findings,
    locate_draft_file,
)
from citewell.cli.checking.finding_baseline import build_fingerprint
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.model.draft_findings import DraftFinding, DraftRepair, DraftVerdict, FindingPlace

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS_BY_GRADE = {"failed": "error", "warning": "warning", "idle": "note", "ok": "none"}
_RULE_TEXTS = {
    DraftVerdict.RETRACTED: "The cited work was retracted.",
    DraftVerdict.CONTRADICTED: "The cited source has a passage that says otherwise.",
    DraftVerdict.REFERENCE_NOT_FOUND: "No registry knows the cited work.",
    DraftVerdict.WRONG_WORK: "The identifier belongs to another work than the one that is cited.",
    DraftVerdict.WRONG_DETAILS: "Authors, year or title differ from the record of the work.",
    DraftVerdict.NOT_IN_SOURCE: "The cited source was read, and nothing in it carries the statement.",
    DraftVerdict.DEAD_LINK: "The cited address does not work any more.",
    DraftVerdict.MOVED: "The cited address leads to another one for good.",
    DraftVerdict.NO_REFERENCE: "The citation has no entry in the list of references.",
    DraftVerdict.PARTLY: "The cited source carries a part of the statement.",
    DraftVerdict.CORRECTED: "A correction or a notice of concern was published on the cited work.",
    DraftVerdict.UNCITED: "The statement has a number, date, quotation or name, and no citation.",
    DraftVerdict.UNUSED_REFERENCE: "Nothing in the text cites this reference.",
    DraftVerdict.SOURCE_UNAVAILABLE: "The cited source could not be read.",
    DraftVerdict.UNCHECKED: "The citation could not be checked.",
    DraftVerdict.RELATED: "The cited source uses words of the statement; whether it says this was not confirmed.",
    DraftVerdict.SUPPORTED: "A passage of the cited source supports the statement.",
    DraftVerdict.FOUND: "The reference exists.",
}


def build_sarif_log(checked: list[CheckedDraft]) -> dict[str, Any]:
    """One run with all findings that are not in order."""
    verdicts = list(DraftVerdict)
    results = [
        _build_sarif_result(one, finding, verdicts.index(finding.verdict))
        for one in checked
        for finding in list_shown_findings(one.report)
    ]
    driver = {
        "name": "citewell",
        "semanticVersion": __version__,
        "rules": [_build_rule(verdict) for verdict in verdicts],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _build_rule(verdict: DraftVerdict) -> dict[str, Any]:
    return {
        "id": verdict.value,
        "name": verdict.value.title().replace("_", ""),
        "shortDescription": {"text": describe_verdict(verdict)},
        "fullDescription": {"text": _RULE_TEXTS[verdict]},
        "defaultConfiguration": {"level": _LEVELS_BY_GRADE[grade_verdict(verdict)]},
    }


def _build_sarif_result(checked: CheckedDraft, finding: DraftFinding, rule: int) -> dict[str, Any]:
    uri = _build_file_uri(find_file_name(checked, finding))
    location: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if finding.place is not None:
        location["region"] = _build_region(finding.place)
    result: dict[str, Any] = {
        "ruleId": finding.verdict.value,
        "ruleIndex": rule,
        "level": _LEVELS_BY_GRADE[grade_verdict(finding.verdict)],
        "message": {"text": _describe_sarif_finding(finding)},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"citewell/v1": build_fingerprint(finding)},
    }
    fixes = [_build_fix(checked, one) for one in finding.repairs or () if _is_replacement(one)]
    return result | ({"fixes": fixes} if fixes else {})


def _describe_sarif_finding(finding: DraftFinding) -> str:
    """The reason, the passage that shows it, and the first repair."""
    parts = [finding.reason]
    parts += [
        f"The source says: “{one.passage}” {one.url or ''}".strip()
        for one in finding.evidence or ()
    ][:1]
    parts += [one.text for one in finding.repairs or ()][:1]
    return "\n".join(parts)


def _is_replacement(repair: DraftRepair) -> bool:
    return repair.is_certain and repair.place is not None and repair.new is not None


def _build_fix(checked: CheckedDraft, repair: DraftRepair) -> dict[str, Any]:
    place = repair.place
    if place is None:
        raise ValueError(repair)
    change = {
        "artifactLocation": {"uri": _build_file_uri(locate_draft_file(checked, place))},
        "replacements": [
            {"deletedRegion": _build_region(place), "insertedContent": {"text": repair.new or ""}}
        ],
    }
    return {"description": {"text": repair.text}, "artifactChanges": [change]}


def _build_region(place: FindingPlace) -> dict[str, int]:
    return {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }


def _build_file_uri(name: str) -> str:
    """A path relative to where the command runs, as code hosts expect it."""
    if name == STDIN_NAME:
        return "stdin"
    path = Path(name)
    if path.is_absolute():
        try:
            path = path.relative_to(Path.cwd())
        except ValueError:
            return path.as_uri()
    return quote(path.as_posix())
