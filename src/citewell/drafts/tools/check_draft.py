"""Check a draft against its own citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citewell.core.errors import InvalidInput
from citewell.core.tooling import Tool, ToolArguments, ToolCall
from citewell.core.values.argument_types import BLANK_IS_ABSENT, BibliographyStyle
from citewell.drafts import draft_check
from citewell.drafts.draft_findings import DraftReport
from citewell.reading.pages.artifacts import ArtifactReader

if TYPE_CHECKING:
    from citewell.drafts.check_jobs import QueuedCheck


class Args(ToolArguments):
    """Check a draft against its citations: do they exist, were they retracted, do they support what they are cited for? Each statement gets a verdict with the passage behind it, worst first, and repairs. The draft is sent to nobody; `shared` lists what was looked up where."""

    text: Annotated[
        str | None,
        Field(
            default=None,
            max_length=4_000_000,
            description="With citations and references: markdown, plain, HTML or LaTeX.",
        ),
        BLANK_IS_ABSENT,
    ]
    artifact: Annotated[
        str | None,
        Field(default=None, max_length=120, description="Its id, instead of text."),
        BLANK_IS_ABSENT,
    ]
    bibliography: Annotated[
        str | None,
        Field(
            default=None,
            max_length=10_000_000,
            description="A separate reference list: BibTeX, RIS, CSL-JSON or prose.",
        ),
        BLANK_IS_ABSENT,
    ]
    format: Literal["auto", "markdown", "plain", "html", "latex"] = "auto"
    focus: Literal["existence", "support", "links", "all"] = "all"
    max_statements: Annotated[int, Field(ge=1, le=draft_check.MAX_STATEMENTS)] = (
        draft_check.DEFAULT_MAX_STATEMENTS
    )
    style: Annotated[
        BibliographyStyle | None,
        Field(description="Also write corrected references in it."),
        BLANK_IS_ABSENT,
    ] = None
    find_sources: Annotated[
        bool,
        Field(
            description="Search for other sources where the cited ones fail; search providers see the statement's words."
        ),
    ] = False


async def run(args: Args, call: ToolCall) -> DraftReport | QueuedCheck:
    request = draft_check.DraftRequest(
        text=await _load_text(args, call),
        format=args.format,
        bibliography=args.bibliography or "",
        focus=args.focus,
        max_statements=args.max_statements,
        style=args.style,
        find_sources=args.find_sources,
    )
    owner = str(call.owner)
    if call.can_wait:
        from citewell.drafts.check_jobs import DraftCheckJobs

        return await call.require_service(DraftCheckJobs).start_check(owner, request)
    requests = call.require_service(draft_check.DraftRequests)
    return await requests.check_request(
        request, owner=owner, progress=call.report_progress, seconds=requests.call_seconds
    )


async def _load_text(args: Args, call: ToolCall) -> str:
    if args.text and args.artifact:
        raise InvalidInput("Give text or artifact, not both.")
    if args.text:
        return args.text
    if args.artifact:
        reader = call.require_service(ArtifactReader)
        return (await reader.read_whole_artifact(call.owner, args.artifact))[0]
    raise InvalidInput("Give text or artifact.")


TOOL = Tool(
    args=Args,
    result=DraftReport,
    run=run,
    toolset="trust",
    in_default_profile=True,
    has_long_timeout=True,
)
