"""Applies the filters that a patent provider did not apply itself, and reports who applied which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from citewell.model.domains.patent import PatentFilter, PatentRecord
from citewell.model.search_results import FilterReport
from citewell.services.domains.patents.patent_request import PatentSearchRequest
from citewell.services.web.result_filters import APPLIED_AFTERWARDS
from citewell.text.patents.class_codes import match_class_code
from citewell.text.patents.party_names import match_assignee, match_inventor

# Cheap and certain, so they are checked even if the provider applied them.
_ALWAYS_CHECKED = frozenset({PatentFilter.OFFICE, PatentFilter.YEAR_FROM, PatentFilter.YEAR_TO})
_WAYS_TO_CHECK = {
    PatentFilter.ASSIGNEE: ("compared with the assignee's name without its legal form", "an assignee"),
    PatentFilter.INVENTOR: ("compared with the inventors' names", "an inventor"),
    PatentFilter.CPC: ("checked by their CPC codes", "a CPC code"),
    PatentFilter.OFFICE: ("checked by the first letters of their numbers", "an office"),
    PatentFilter.YEAR_FROM: ("checked by filing date", "a filing date"),
    PatentFilter.YEAR_TO: ("checked by filing date", "a filing date"),
}  # fmt: skip


class PatentSieve:
    """Drops records that do not fit the request; those that do not state what is asked are kept."""

    def __init__(self, ask: PatentSearchRequest, applied: Collection[PatentFilter] = ()) -> None:
        self._ask = ask
        self._native = frozenset(applied)
        self.unstated: Counter[PatentFilter] = Counter()  # records kept without what is asked for
        self.dropped_count = 0

    def fits_request(self, record: PatentRecord) -> bool:
        checks: Mapping[PatentFilter, Callable[[PatentRecord], bool | None]] = {
            PatentFilter.ASSIGNEE: self._has_assignee,
            PatentFilter.INVENTOR: self._has_inventor,
            PatentFilter.CPC: self._has_class,
            PatentFilter.OFFICE: lambda one: one.office == self._ask.office,
            PatentFilter.YEAR_FROM: self._is_filed_after,
            PatentFilter.YEAR_TO: self._is_filed_before,
        }
        unstated = []
        for name in self._ask.list_constraints():
            if name in self._native and name not in _ALWAYS_CHECKED:
                continue
            verdict = checks[name](record)
            if verdict is False:
                self.dropped_count += 1
                return False
            if verdict is None:
                unstated.append(name)
        self.unstated.update(unstated)
        return True

    def report_patent_filters(self, *, name: str, title: str) -> tuple[FilterReport, ...]:
        """One report for each filter of the request: who applied it to these results, and how."""
        return tuple(
            FilterReport(filter=one, by=name)
            if one in self._native
            else FilterReport(
                filter=one, by=APPLIED_AFTERWARDS, note=self._describe_patent_check(one, title)
            )
            for one in self._ask.list_constraints()
        )

    def _describe_patent_check(self, name: PatentFilter, title: str) -> str:
        how, what = _WAYS_TO_CHECK[name]
        kept = self.unstated[name]
        rest = f"; {kept} that do not state {what} were kept" if kept else ""
        return f"Results of {title} were {how}{rest}."

    def _has_assignee(self, record: PatentRecord) -> bool | None:
        wanted = self._ask.assignee or ""
        return match_assignee(wanted, record.assignees) if record.assignees else None

    def _has_inventor(self, record: PatentRecord) -> bool | None:
        wanted = self._ask.inventor or ""
        return match_inventor(wanted, record.inventors) if record.inventors else None

    def _has_class(self, record: PatentRecord) -> bool | None:
        wanted = self._ask.cpc_code or ""
        return match_class_code(wanted, record.cpc_codes) if record.cpc_codes else None

    def _is_filed_after(self, record: PatentRecord) -> bool | None:
        return int(record.filed[:4]) >= (self._ask.year_from or 0) if record.filed else None

    def _is_filed_before(self, record: PatentRecord) -> bool | None:
        return int(record.filed[:4]) <= (self._ask.year_to or 9999) if record.filed else None
