"""What the providers of patents answered in one search."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.errors import CitewellError
from citewell.model.domains.patent import PatentRecord
from citewell.model.search_results import FilterReport
from citewell.services.domains.patents.patent_merging import merge_patent_records

WEB_DISCOVERY = "web_discovery"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatentReply:
    """One provider's patents after our own filters, and who applied which filter."""

    provider: str
    patents: tuple[PatentRecord, ...]
    reports: tuple[FilterReport, ...] = ()
    dropped_count: int = 0


@dataclass(slots=True)
class PatentHarvest:
    """The replies and failures of all providers that were asked."""

    replies: list[PatentReply] = field(default_factory=list)
    failures: dict[str, CitewellError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def list_patents(self) -> tuple[PatentRecord, ...]:
        """The patents of all replies, each publication once."""
        return merge_patent_records(one for reply in self.replies for one in reply.patents)

    def list_asked_databases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(reply.provider for reply in self.replies), *self.failures]))

    def find_source(self) -> str:
        """The provider that found something, else the first that answered."""
        able = [reply for reply in self.replies if reply.patents] or self.replies
        return able[0].provider if able else WEB_DISCOVERY
