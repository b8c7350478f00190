"""Findings as a SARIF 2.1.0 log, which editors and code hosts show at the places they name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citewell import __version__
from citewell.cli.command_app import STDIN_NAME
from citewell.core.errors import InvalidInput
from citewell.drafts.commands.checking.checked_draft import (
    CheckedDraft,
    describe_verdict,
    grade_verdict,
    list_shown_findings,
    locate_draft_file,
    shorten_text,
)
from citewell.drafts.draft_findings import DraftFinding, DraftRepair, DraftVerdict, FindingPlace
from citewell.text.data_tables import load_table

_VERSION = 1
_FINGERPRINT_CHARS = 32
_MAX_TEXT_CHARS = 80  # of the text beside a fingerprint, for people who read the file

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS_BY_GRADE = {"failed": "error", "warning": "warning", "idle": "note", "ok": "none"}


def build_sarif_log(checked: list[CheckedDraft]) -> dict[str, Any]:
    """One run with all findings that are not in order."""
    verdicts = list(DraftVerdict)
    results = [
        _build_sarif_result(draft, finding, verdicts.index(finding.verdict))
        for draft in checked
        for finding in list_shown_findings(draft.report)
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
        "fullDescription": {
            "text": load_table(__package__, "verdict_words")["rules"][verdict.value]
        },
        "defaultConfiguration": {"level": _LEVELS_BY_GRADE[grade_verdict(verdict)]},
    }


def _build_sarif_result(checked: CheckedDraft, finding: DraftFinding, rule: int) -> dict[str, Any]:
    uri = _build_file_uri(locate_draft_file(checked, finding.place))
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
    fixes = [
        _build_fix(checked, repair, repair.place, repair.new)
        for repair in finding.repairs or ()
        if repair.is_certain and repair.place is not None and repair.new is not None
    ]
    return result | ({"fixes": fixes} if fixes else {})


def _describe_sarif_finding(finding: DraftFinding) -> str:
    """The reason, the passage that shows it, and the first repair."""
    parts = [finding.reason]
    parts += [
        f"The source says: “{evidence.passage}” {evidence.url or ''}".strip()
        for evidence in finding.evidence or ()
    ][:1]
    parts += [repair.text for repair in finding.repairs or ()][:1]
    return "\n".join(parts)


def _build_fix(
    checked: CheckedDraft, repair: DraftRepair, place: FindingPlace, new: str
) -> dict[str, Any]:
    change = {
        "artifactLocation": {"uri": _build_file_uri(locate_draft_file(checked, place))},
        "replacements": [{"deletedRegion": _build_region(place), "insertedContent": {"text": new}}],
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


# Findings that are known and accepted, so that a check fails only for new ones.


def build_fingerprint(finding: DraftFinding) -> str:
    """The same for the same finding after lines were added above it."""
    parts = (
        finding.verdict.value,
        finding.subject,
        " ".join(finding.text.split()),
        finding.citation or finding.reference or "",
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_FINGERPRINT_CHARS]


def read_baseline(path: Path) -> frozenset[str]:
    """The fingerprints of a file that `write_baseline` wrote; raises InvalidInput if it is none."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return frozenset(str(row["fingerprint"]) for row in known["findings"])
    except OSError as error:
        raise InvalidInput(
            f"{path}: {error.strerror or 'the file cannot be read'}. Make it with --write-baseline."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(
            f"{path} is not a baseline. Make a new one with --write-baseline."
        ) from None


def write_baseline(path: Path, checked: list[CheckedDraft]) -> int:
    """Write the fingerprints of all findings that are not in order, and return their number."""
    rows: dict[str, dict[str, Any]] = {}
    for draft in checked:
        for finding in list_shown_findings(draft.report):
            fingerprint = build_fingerprint(finding)
            rows[fingerprint] = {
                "fingerprint": fingerprint,
                "verdict": finding.verdict.value,
                "text": shorten_text(finding.text, _MAX_TEXT_CHARS),
            }
    document = {"version": _VERSION, "findings": list(rows.values())}
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return len(rows)


def omit_known_findings(checked: CheckedDraft, known: frozenset[str]) -> CheckedDraft:
    """The draft without the findings that the baseline lists."""
    report = checked.report
    kept = tuple(finding for finding in report.findings if build_fingerprint(finding) not in known)
    return replace(
        checked,
        report=report.model_copy(update={"findings": kept}),
        known_count=len(report.findings) - len(kept),
    )
