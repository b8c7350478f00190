"""Whether the pages that providers cite say what they are cited for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from citewell.model.research import ProviderReport, Relation
from citewell.services.research import confidence, kinds
from citewell.services.research.claims import Statement
from citewell.services.research.material import Lead, Plan, Reading
from citewell.services.research.statements import stated
from citewell.text import similar, urls
from citewell.text.bags import bag
from citewell.text.support import Text, assess, comparable

MOST = 500  # cited pages of one report that are read


def cited(reports: Iterable[ProviderReport], *, known: Iterable[str] = ()) -> tuple[Lead, ...]:
    """The pages that the reports cite and nobody has read yet, each once, in their order."""
    seen = {urls.key(url) for url in known}
    leads: dict[str, Lead] = {}
    for report in reports:
        titles = {urls.key(one.url): one.title for one in report.citations}
        for url in list(_cited(report))[:MOST]:
            key = urls.key(url)
            if key not in seen:
                leads.setdefault(key, Lead(url=url, title=titles.get(key, "")))
    return tuple(leads.values())


def _cited(report: ProviderReport) -> dict[str, None]:
    found = dict.fromkeys(url for one in stated(report) for url in one.urls)
    return found | dict.fromkeys(one.url for one in report.citations)


class Check:
    """Judges reports against the pages they cite; both maps go by `urls.key` of a cited address."""

    def __init__(self, pages: Mapping[str, Reading], refs: Mapping[str, str]) -> None:
        self._pages = pages
        self._refs = refs
        self._texts = {
            key: Text(text=page.text, language=page.language)
            for key, page in pages.items()
            if page.read
        }

    def statements(self, plan: Plan, report: ProviderReport) -> tuple[Statement, ...]:
        """Each sentence of a report once for every page it cites."""
        asked = bag(plan.query, language=plan.language)
        found: list[Statement] = []
        for one in stated(report):
            said = bag(one.text, language=plan.language)
            interest = round(similar.coverage(asked, said.terms), 6)
            keys = [key for key in dict.fromkeys(map(urls.key, one.urls)) if key in self._refs]
            found += [self._judged(one.text, report.provider, key, interest) for key in keys]
        return tuple(found)

    def _judged(self, text: str, provider: str, key: str, interest: float) -> Statement:
        page = self._pages.get(key)
        url = page.url if page else key
        bare = Statement(
            text=text,
            provider=provider,
            source=self._refs[key],
            owner=kinds.owner(url),
            worth=kinds.worth(kinds.kind(url), page.reputation if page else None),
            relation=Relation.MENTIONS,
            state=page.state if page else "unchecked",
            interest=interest,
            origin=provider,
        )
        if page is None or key not in self._texts:
            lost = bare.state in {"never_existed", "refused"}
            return replace(bare, support=0.0 if lost else confidence.UNCHECKED)
        if not comparable(text, self._texts[key]):  # another language cannot be held against it
            return replace(bare, state="unchecked", support=confidence.UNCHECKED)
        found = assess(text, self._texts[key])
        return replace(
            bare,
            support=found.score,
            relation=found.relation,
            snippet=found.snippet,
            start=found.start,
            end=found.end,
            missing=found.missing,
            published=page.published,
        )


def uncited(reports: Sequence[ProviderReport]) -> tuple[str, ...]:
    """A line for each report of which nothing, or not everything, is cited."""
    notes = []
    for report in reports:
        said = stated(report)
        bare = sum(1 for one in said if not one.urls)
        if said and bare == len(said):
            notes.append(
                f"{report.provider} cites nothing: none of its statements could be checked."
            )
        elif bare:
            notes.append(
                f"{bare} of {len(said)} statements of {report.provider} carry no citation."
            )
    return tuple(notes)
