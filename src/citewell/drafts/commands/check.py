"""Check a draft against its own citations.

Which of its references exist, stand, and say what they are cited for? A table lists what was found, with the passage of the source and a repair; --html, --md and --sarif show it in place, --fix rewrites references where the repair is certain, after it has shown the difference. Exits with 1 if something is wrong (--fail-on says what that is), and with 3 if something could not be checked.

The draft goes to nobody: registries and cited sites get the identifiers, titles and addresses that it cites. Only if a model is configured as judge, single statements and passages go to that model.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from citewell.cli import screen
from citewell.cli.command_app import STDIN_NAME, open_command_app
from citewell.cli.exit_codes import AllowUnchecked, choose_gate_exit
from citewell.core.errors import CitewellError, InvalidInput
from citewell.core.values.argument_types import BIBLIOGRAPHY_STYLES
from citewell.drafts.commands.checking import certain_repairs, checked_draft, sarif_log
from citewell.drafts.commands.checking.checked_draft import (
    CheckedDraft,
    count_unanswered,
    describe_totals,
    grade_finding,
    label_finding,
    list_shown_findings,
)
from citewell.drafts.draft import Draft
from citewell.drafts.draft_check import DraftCheck
from citewell.drafts.draft_files import DraftFileReader, list_bibliography_names
from citewell.drafts.draft_findings import (
    CHANGE_VERDICTS,
    WRONG_VERDICTS,
    DraftFinding,
    DraftVerdict,
)
from citewell.library.local_files import describe_import_error
from citewell.trust.commands import reference_files

if TYPE_CHECKING:
    from citewell.server.app import App


_MARKS_BY_GRADE = {"failed": "✗", "warning": "!", "idle": "?"}
_MARKUP_PATTERN = re.compile(r"([\\`*_\[\]<>#|])")


def render_annotated_copy(checked: CheckedDraft) -> str:
    """The text of the draft, with footnotes that every markdown program shows as such."""
    shown = list_shown_findings(checked.report)
    numbers = {finding.id: number for number, finding in enumerate(shown, start=1)}
    marks: dict[int, list[DraftFinding]] = {}
    elsewhere: list[DraftFinding] = []
    for finding in shown:
        if finding.place is None:
            elsewhere.append(finding)
        else:
            marks.setdefault(_find_mark_offset(checked.draft.text, finding), []).append(finding)
    text = checked.draft.text
    parts: list[str] = []
    last = 0
    for offset in sorted(marks):
        parts += [
            text[last:offset],
            *(f"[^citewell-{numbers[finding.id]}]" for finding in marks[offset]),
        ]
        last = offset
    parts.append(text[last:].rstrip())
    notes = [
        f"[^citewell-{numbers[finding.id]}]: " + _render_finding(finding).replace("\n", "\n    ")
        for finding in shown
        if finding not in elsewhere
    ]
    listed = [f"- {_render_finding(finding)}" for finding in elsewhere]
    return (
        "\n\n".join(
            [
                "".join(parts),
                "---",
                "**Citation check.** " + _escape_markup(describe_totals(checked)),
                *listed,
                *notes,
            ]
        )
        + "\n"
    )


def _find_mark_offset(text: str, finding: DraftFinding) -> int:
    """The end of the finding's words, before the spaces that follow them; never within a heading's mark."""
    place = finding.place
    end = min(place.end if place else 0, len(text))
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end


def _render_finding(finding: DraftFinding) -> str:
    mark = _MARKS_BY_GRADE.get(grade_finding(finding), "")
    lines = [f"{mark} **{label_finding(finding)}**: {_escape_markup(finding.reason)}"]
    for difference in finding.differences or ():
        source = difference.source or "not given"
        lines.append(
            _escape_markup(f"{difference.kind}: {difference.draft}; in the source: {source}.")
        )
    for evidence in finding.evidence or ():
        link = f" <{evidence.url}>" if evidence.url else ""
        title = f" ({_escape_markup(evidence.title)})" if evidence.title else ""
        lines.append(f"“{_escape_markup(evidence.passage)}”{title}{link}")
    lines += [f"Repair: {_escape_markup(repair.text)}" for repair in finding.repairs or ()]
    return "\n".join(" ".join(line.split()) for line in lines)


def _escape_markup(text: str) -> str:
    """Text from outside as plain words: nothing in it is read as markup."""
    return _MARKUP_PATTERN.sub(r"\\\1", text)


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
    known = sarif_log.read_baseline(baseline) if baseline else frozenset()
    names = list(dict.fromkeys(files))
    _check_targets(
        {"--sarif": sarif, "--write-baseline": write_baseline},
        {"--html": html, "--md": md},
        draft_count=len(names),
    )
    checked = asyncio.run(
        check_draft_files(
            names,
            CheckOptions(
                bibliography=bibliography,
                focus=focus,
                max_statements=max_statements,
                style=style,
                find_sources=find_sources,
            ),
        )
    )
    if write_baseline:
        count = sarif_log.write_baseline(write_baseline, checked)
        _report_file(write_baseline, f"{count:,} {'finding' if count == 1 else 'findings'}")
    checked = [sarif_log.omit_known_findings(draft, known) for draft in checked]
    _write_copies(checked, sarif=sarif, html=html, md=md)
    if as_json:
        shown = [{"file": draft.name, **draft.report.to_wire()} for draft in checked]
        screen.print_json(shown[0] if len(shown) == 1 else shown)
    elif sarif != Path("-"):
        for draft in checked:
            checked_draft.print_findings(draft, explained=not quiet, offers_repairs=not fix)
    if fix:
        _repair_drafts(checked, asks=not yes)
    found = {finding.verdict for draft in checked for finding in draft.report.findings}
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
    names = {verdict.value: frozenset({verdict}) for verdict in DraftVerdict}
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
        log = sarif_log.build_sarif_log(checked)
        if sarif == Path("-"):
            screen.print_json(log)
        else:
            _write_copy_file(sarif, json.dumps(log, ensure_ascii=False, indent=1) + "\n")
    if html is not None:
        from citewell.drafts.commands.checking.draft_page import render_draft_page

        for draft, path in _pair_paths(checked, html, ".html"):
            _write_copy_file(path, render_draft_page(draft))
    if md is not None:
        for draft, path in _pair_paths(checked, md, ".checked.md"):
            _write_copy_file(path, render_annotated_copy(draft))


def _pair_paths(
    checked: list[CheckedDraft], target: Path, suffix: str
) -> list[tuple[CheckedDraft, Path]]:
    """Where each copy goes: into the file that was named, or into the folder of that name."""
    if len(checked) == 1 and not target.is_dir():
        return [(checked[0], target)]
    target.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    pairs: list[tuple[CheckedDraft, Path]] = []
    for draft in checked:
        base = "stdin" if draft.name == "-" else Path(draft.name).name
        name, number = f"{base}{suffix}", 2
        while name in taken:
            name, number = f"{base}-{number}{suffix}", number + 1
        taken.add(name)
        pairs.append((draft, target / name))
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
    plans = [plan for draft in checked for plan in certain_repairs.plan_file_repairs(draft)]
    wanted = [plan for plan in plans if plan.before != plan.after]
    for plan in plans:
        sys.stderr.write(certain_repairs.render_diff(plan))
        for text in plan.left:
            sys.stderr.write(f"citewell: left for you in {plan.path}: {text}\n")
    if not wanted:
        sys.stderr.write("citewell: no repair is certain; nothing was changed.\n")
        return
    if asks and not _confirm_repairs(wanted):
        sys.stderr.write("citewell: nothing was changed.\n")
        return
    for plan in wanted:
        certain_repairs.write_file_repair(plan)
        _report_file(plan.path, _count_repairs(plan.count))


def _confirm_repairs(plans: list[certain_repairs.FileRepair]) -> bool:
    """Ask on a terminal; without one nothing is written, because nobody has seen the diff."""
    if not sys.stdin.isatty():
        sys.stderr.write("citewell: to write these repairs without being asked, add --yes.\n")
        return False
    count = sum(plan.count for plan in plans)
    return bool(typer.confirm(f"Write {_count_repairs(count)}?", default=False, err=True))


def _count_repairs(count: int) -> str:
    return f"{count:,} {'repair' if count == 1 else 'repairs'}"


# Reads the files that `citewell check` is given, and checks them one after the other.


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """What the options of the command ask for."""

    bibliography: Path | None = None
    focus: str = "all"
    max_statements: int
    style: str | None = None
    find_sources: bool = False


async def check_draft_files(names: list[str], options: CheckOptions) -> list[CheckedDraft]:
    """All drafts are read before the first is checked, so that a missing file is told at once."""
    listed = (
        reference_files.read_text_file(str(options.bibliography)) if options.bibliography else ""
    )
    async with open_command_app(is_gate=True) as app:
        with screen.show_spinner("Reading"):
            drafts = {name: await _read_one_draft(app, name, listed) for name in names}
        return [await _check_one_draft(app, name, draft, options) for name, draft in drafts.items()]


async def _read_one_draft(app: App, name: str, bibliography: str) -> Draft:
    reader = app.require_service(DraftFileReader)
    if name == STDIN_NAME:
        text = await asyncio.to_thread(reference_files.read_text_file, name)
        return await reader.read_draft_text(text, bibliography=bibliography)
    if await asyncio.to_thread(Path(name).is_dir):
        raise InvalidInput(f"{name} is a folder. Name the drafts in it, such as {name}/*.md.")
    try:
        return await reader.read_draft_file(Path(name), bibliography=bibliography)
    except CitewellError as error:
        raise InvalidInput(f"{name}: {describe_import_error(error)}") from None


async def _check_one_draft(
    app: App, name: str, draft: Draft, options: CheckOptions
) -> CheckedDraft:
    with screen.show_spinner(f"Checking {name}") as progress:
        report = await app.require_service(DraftCheck).check_draft(
            draft,
            owner=str(app.local_owner),
            focus=options.focus,
            max_statements=options.max_statements,
            style=options.style,
            progress=progress.update_progress,
            find_sources=options.find_sources,
        )
    return CheckedDraft(
        name=name,
        draft=draft,
        report=report,
        bibliographies=_list_bibliographies(name, draft, options),
    )


def _list_bibliographies(name: str, draft: Draft, options: CheckOptions) -> tuple[str, ...]:
    """The files of references that were read beside the draft."""
    if options.bibliography is not None:
        return (str(options.bibliography),)
    if name == STDIN_NAME or draft.format not in {"latex", "markdown"}:
        return ()
    beside = (
        Path(name).parent / file_name
        for file_name in list_bibliography_names(draft.text, draft.format)
    )
    return tuple(str(path) for path in beside if path.is_file())
