"""One request to check a draft, from its text to the report; for calls of the tool and for jobs."""

from __future__ import annotations

from dataclasses import dataclass

from citewell.model.draft_findings import DraftReport
from citewell.services.drafts.draft_check import DEFAULT_MAX_STATEMENTS, DraftCheck
from citewell.services.drafts.draft_files import DraftFileReader
from citewell.services.drafts.repeated_findings import merge_repeated_findings
from citewell.tooling import ProgressCallback


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRequest:
    """What is asked of a check; the arguments of check_draft, with the text of its artifact."""

    text: str
    format: str = "auto"
    bibliography: str = ""
    focus: str = "all"
    max_statements: int = DEFAULT_MAX_STATEMENTS
    style: str | None = None
    find_sources: bool = False


class DraftRequests:
    def __init__(self, reader: DraftFileReader, check: DraftCheck) -> None:
        self._reader = reader
        self._check = check

    @property
    def call_seconds(self) -> float:
        """How long a check may take within one call of a tool."""
        return self._check.call_seconds

    async def check_request(
        self,
        request: DraftRequest,
        *,
        owner: str,
        progress: ProgressCallback | None = None,
        seconds: float | None = None,
    ) -> DraftReport:
        """The report, with findings that differ only in their place once.

        After `seconds` the rest is unchecked. Raises InvalidInput for a bad draft.
        """
        draft = await self._reader.read_draft_text(
            request.text, format=request.format, bibliography=request.bibliography
        )
        report = await self._check.check_draft(
            draft,
            owner=owner,
            focus=request.focus,
            max_statements=request.max_statements,
            progress=progress,
            style=request.style,
            seconds=seconds,
            find_sources=request.find_sources,
        )
        return merge_repeated_findings(report)
