"""`citewell check`: a draft against its own citations; the exit code suits CI."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from citewell.cli.checking import draft_intake, finding_baseline, finding_table
from citewell.cli.checking.certain_repairs import (
    FileRepair,
    plan_file_repairs,
    render_diff,
    write_file_repair,
)
from citewell.cli.checking.checked_draft import CheckedDraft, count_unanswered
from citewell.cli.running.gate_exit import AllowUnchecked, choose_gate_exit
from citewell.cli.running.shared_options import STDIN_NAME
from citewell.cli.terminal import screen
from citewell.errors import InvalidInput
from citewell.model.argument_types import BIBLIOGRAPHY_STYLES
from citewell.model.draft_findings import CHANGE_VERDICTS, WRONG_VERDICTS, DraftVerdict

_FOCUS_NAMES = ("all", "existence", "support", "links")
_FAIL_ON_WRONG, _FAIL_ON_CHANGES, _FAIL_ON_NOTHING = "wrong", "changes", "none"
_DEFAULT_MAX_STATEMENTS = 1000


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Drafts in markdown, LaTeX, Word, HTML, PDF or plain text; - for standard input.",
        ),
    ],
    *,
    bibliography: Annotated[
        Path | None,
        typer.Option(help="The references, if the draft does not name the file itself."),
    ] = None,
    focus: Annotated[str, typer.Option(help=f"{', '.join(_FOCUS_NAMES)}.")] = "all",
    max_statements: Annotated[
        int, typer.Option(min=1, max=10_000, help="How many statements of a draft are checked.")
    ] = _DEFAULT_MAX_STATEMENTS,
    style: Annotated[
        str | None, typer.Option(help="The citation style of repaired references, such as apa.")
    ] = None,
    find_sources: Annotated[
        bool,
        typer.Option(
            "--find-sources",
            help="Search for other sources where the cited ones do not carry a statement; search providers are told its words.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the reports as JSON.")] = False,
    sarif: Annotated[
        Path | None, typer.Option(help="Write the findings for editors and code hosts; - prints.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the marked draft as a page; a folder for several drafts."),
    ] = None,
    md: Annotated[
        Path | None,
        typer.Option(help="Write an annotated markdown copy; a folder for several drafts."),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Rewrite references where the repair is certain.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --fix: do not ask.")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            help="What makes the command exit with 1: wrong, changes, none, or verdicts with commas between."
        ),
    ] = _FAIL_ON_WRONG,
    baseline: Annotated[
        Path | None, typer.Option(help="Leave out the findings that this file lists.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(help="Write all findings to this file, as known.")
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the tables, without explanations.")
    ] = False,
    allow_unchecked: AllowUnchecked = False,
) -> int:
    failing = _parse_fail_on(fail_on)
    if focus not in _FOCUS_NAMES:
        raise InvalidInput(f"--focus must be one of {', '.join(_FOCUS_NAMES)}.")
    if style is not None and style not in BIBLIOGRAPHY_STYLES:
        raise InvalidInput(f"--style must be one of {', '.join(BIBLIOGRAPHY_STYLES)}.")
    known = finding_baseline.read_baseline(baseline) if baseline else frozenset()
    names = list(dict.fromkeys(files))
    _check_targets(
        {"--sarif": sarif, "--write-baseline": write_baseline},
        {"--html": html, "--md": md},
        draft_count=len(names),
    )
    checked = asyncio.run(
        draft_intake.check_draft_files(
            names,
            draft_intake.CheckWish(
                bibliography=bibliography,
                focus=focus,
                max_statements=max_statements,
                style=style,
                find_sources=find_sources,
            ),
        )
    )
    if write_baseline:
        count = finding_baseline.write_baseline(write_baseline, checked)
        _report_file(write_baseline, f"{count:,} {'finding' if count == 1 else 'findings'}")
    checked = [finding_baseline.omit_known_findings(one, known) for one in checked]
    _write_copies(checked, sarif=sarif, html=html, md=md)
    if as_json:
        shown = [{"file": one.name, **one.report.to_wire()} for one in checked]
        screen.print_json(shown[0] if len(shown) == 1 else shown)
    elif sarif != Path("-"):
        for one in checked:
            finding_table.print_findings(one, explained=not quiet, offers_repairs=not fix)
    if fix:
        _repair_drafts(checked, asks=not yes)
    found = {finding.verdict for one in checked for finding in one.report.findings}
    return choose_gate_exit(
        is_wrong=bool(found & failing),
        unchecked_count=sum(map(count_unanswered, checked)),
        # Whoever fails on nothing wants the report only.
        allow_unchecked=allow_unchecked or not failing,
    )


def _parse_fail_on(text: str) -> frozenset[DraftVerdict]:
    """The verdicts that fail the command; raises InvalidInput for an unknown word."""
    sets = {
        _FAIL_ON_WRONG: WRONG_VERDICTS,
        _FAIL_ON_CHANGES: CHANGE_VERDICTS,
        _FAIL_ON_NOTHING: frozenset[DraftVerdict](),
    }
    names = {one.value: frozenset({one}) for one in DraftVerdict}
    chosen: frozenset[DraftVerdict] = frozenset()
    for word in text.split(","):
        name = word.strip().lower().replace("-", "_").replace(" ", "_")
        found = sets.get(name, names.get(name))
        if found is None:
            raise InvalidInput(
                f"--fail-on does not know {word.strip()!r}. It takes {', '.join(sets)}, or verdicts: {', '.join(names)}."
            )
        chosen |= found
    return chosen


def _check_targets(
    files: Mapping[str, Path | None], copies: Mapping[str, Path | None], *, draft_count: int
) -> None:
    """Raise InvalidInput, before a long check, for what could not be written after it."""
    for option, path in {**files, **copies}.items():
        if path is None or str(path) == STDIN_NAME:
            continue
        if option in copies and (draft_count > 1 or path.is_dir()):
            if path.exists() and not path.is_dir():
                raise InvalidInput(
                    f"{path} is a file. Name a folder for the copies of several drafts."
                )
        elif path.is_dir():
            raise InvalidInput(f"{option}: {path} is a folder. Name a file.")
        elif not path.parent.is_dir():
            raise InvalidInput(f"{option}: there is no folder {path.parent}.")


def _write_copies(
    checked: list[CheckedDraft], *, sarif: Path | None, html: Path | None, md: Path | None
) -> None:
    if sarif is not None:
        from citewell.cli.checking.sarif_log import build_sarif_log

        log = build_sarif_log(checked)
        if sarif == Path("-"):
            screen.print_json(log)
        else:
            text = json.dumps(log, ensure_ascii=False, indent=1) + "\n"
            _write_copy_file(sarif, text)
    if html is not None:
        from citewell.cli.checking.draft_page import render_draft_page

        for one, path in _pair_paths(checked, html, ".html"):
            _write_copy_file(path, render_draft_page(one))
    if md is not None:
        from citewell.cli.checking.annotated_copy import render_annotated_copy

        for one, path in _pair_paths(checked, md, ".checked.md"):
            _write_copy_file(path, render_annotated_copy(one))


def _pair_paths(
    checked: list[CheckedDraft], target: Path, suffix: str
) -> list[tuple[CheckedDraft, Path]]:
    """Where each copy goes: into the file that was named, or into the folder of that name."""
    if len(checked) == 1 and not target.is_dir():
        return [(checked[0], target)]
    target.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    pairs: list[tuple[CheckedDraft, Path]] = []
    for one in checked:
        base = "stdin" if one.name == "-" else Path(one.name).name
        name, number = f"{base}{suffix}", 2
        while name in taken:
            name, number = f"{base}-{number}{suffix}", number + 1
        taken.add(name)
        pairs.append((one, target / name))
    return pairs


def _write_copy_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or 'it cannot be written'}.") from None
    _report_file(path)


def _report_file(path: Path, about: str = "") -> None:
    sys.stderr.write(f"citewell: wrote {path}{f' ({about})' if about else ''}.\n")


def _repair_drafts(checked: list[CheckedDraft], *, asks: bool) -> None:
    plans = [plan for one in checked for plan in plan_file_repairs(one)]
    wanted = [plan for plan in plans if plan.before != plan.after]
    for plan in plans:
        sys.stderr.write(render_diff(plan))
        for text in plan.left:
            sys.stderr.write(f"citewell: left for you in {plan.path}: {text}\n")
    if not wanted:
        sys.stderr.write("citewell: no repair is certain; nothing was changed.\n")
        return
    if asks and not _confirm_repairs(wanted):
        sys.stderr.write("citewell: nothing was changed.\n")
        return
    for plan in wanted:
        write_file_repair(plan)
        _report_file(plan.path, _count_repairs(plan.count))


def _confirm_repairs(plans: list[FileRepair]) -> bool:
    """Ask on a terminal; without one nothing is written, because nobody has seen the diff."""
    if not sys.stdin.isatty():
        sys.stderr.write("citewell: to write these repairs without being asked, add --yes.\n")
        return False
    count = sum(plan.count for plan in plans)
    return bool(typer.confirm(f"Write {_count_repairs(count)}?", default=False, err=True))


def _count_repairs(count: int) -> str:
    return f"{count:,} {'repair' if count == 1 else 'repairs'}"
