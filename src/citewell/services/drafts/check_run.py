"""The state of one running check: what is known so far of each source and statement."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.model.counted_words import pluralize
from citewell.services.drafts.check_plan import CheckFocus, CheckPlan
from citewell.services.drafts.other_sources import OtherSource
from citewell.services.judging.claim_judge import Opinion
from citewell.services.judging.claim_judging import JudgeContext
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.judging.statements.source_opinions import SourceOpinion
from citewell.services.trust.audit_findings import ExaminedEntry

_MAX_KEPT_CHARS = 4_000_000  # of all sources together


@dataclass(slots=True, kw_only=True)
class CheckRun:
    """Sources are named by their place in the plan."""

    plan: CheckPlan
    focus: CheckFocus
    context: JudgeContext
    tenant: str | None
    judged_left: int  # statements that the chosen judge may still be given
    entries: dict[int, ExaminedEntry] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    reads: dict[int, ReadSource] = field(default_factory=dict)  # without their texts
    opinions: dict[tuple[str, int], SourceOpinion] = field(default_factory=dict)
    said: tuple[Opinion, ...] = ()
    texts: dict[int, ReadSource] = field(default_factory=dict)  # kept while there is room
    kept_chars: int = 0  # of these texts
    others: dict[str, OtherSource] = field(default_factory=dict)  # by the statement's text
    searched_count: int = 0  # statements whose words search providers were told
    finished_count: int = 0

    def keep_text(self, place: int, read: ReadSource) -> None:
        """Keep a source's text for a second look, unless too much is kept already."""
        if self.kept_chars + len(read.text) <= _MAX_KEPT_CHARS:
            self.kept_chars += len(read.text)
            self.texts[place] = read

    def count_search(self) -> None:
        self.searched_count += 1

    @property
    def read_count(self) -> int:
        return sum(one.was_read for one in self.reads.values())

    @property
    def progress_total(self) -> float:
        """The sources, and the report as the last part."""
        return len(self.plan.sources) + 1.0

    def describe_progress(self) -> str:
        done, total = self.finished_count, len(self.plan.sources)
        if self.focus.asks_support:
            return f"{done} of {total} {pluralize(total, 'source')} read"
        return f"{done} of {total} {pluralize(total, 'reference')} looked up"
