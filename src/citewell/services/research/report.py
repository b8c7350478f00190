"""The report that needs no model: every sentence of substance is a quotation with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from citewell.model.research import Claim, Evidence, Relation, Source, ValueTable
from citewell.services.research.asking import titled
from citewell.services.research.claims import Built
from citewell.services.research.material import Plan
from citewell.text import similar
from citewell.text.bags import Bag, bag
from citewell.text.rank import Corpus, Ranked, diverse

_ANSWER, _SECTION, _ALONE, _DISPUTES, _TABLES = 5, 6, 6, 6, 5
_REFS = 4  # citations after one sentence
_MARKS = {
    "contradicted": "disputed",
    "values_differ": "values differ",
    "number_not_found": "number not found in the source",
}
_METHOD = (
    "This report was put together without a language model. {sentences} sentences of {pages} were"
    " ranked by how much of the question they speak to; sentences of different sources that say the same"
    " were taken as one claim. Every quoted sentence stands word for word in its source, at the place that"
    " the claim's evidence gives. Confidence grows with the number and kind of independent sources:"
    " it is not a judgement of truth."
)


class _Shown:
    """Claims with what is needed to print them, and a memory of what has been printed."""

    def __init__(self, built: Built) -> None:
        self.claims = built.claims
        self._evidence: dict[str, list[Evidence]] = {}
        for one in built.evidence:
            self._evidence.setdefault(one.claim_id, []).append(one)
        self._bags = {claim.id: bag(claim.content) for claim in built.claims}
        self._weigh = Corpus(list(self._bags.values())).weigh
        self.printed: set[str] = set()
        self._quoted: set[str] = set()

    def line(self, claim: Claim) -> str:
        """The claim as its best source writes it, with every source that says so."""
        self.printed.add(claim.id)
        backing = self._backing(claim)
        quoted = self._quote(claim)
        if quoted.removesuffix(claim.content).strip() in self._quoted:
            quoted = claim.content  # what it points back to is there already
        self._quoted |= {quoted, claim.content}
        refs = list(dict.fromkeys(one.source for one in backing)) or list(claim.sources)
        marks = [f"{claim.confidence_level} confidence"]
        marks += [said for flag, said in _MARKS.items() if flag in claim.flags]
        marks += [] if backing else ["no source is quoted"]
        return f"- {quoted} {cites(refs)} *({', '.join(marks)})*"

    def lines(self, claims: Sequence[Claim], count: int) -> list[str]:
        """The best of these that a source can be quoted for and that the report does not hold yet."""
        made: list[str] = []
        quotable = [claim for claim in claims if self._backing(claim)]
        for claim in self._best(quotable, 2 * count):
            if len(made) < count and not self._told(claim):
                made.append(self.line(claim))
        return made

    def _backing(self, claim: Claim) -> list[Evidence]:
        """What bears the claim out: the snippet that holds it word for word, else the nearest, first."""
        rows = self._evidence.get(claim.id, ())
        found = [one for one in rows if one.relation is Relation.SUPPORTS]
        return sorted(
            found, key=lambda one: (claim.content not in _flat(one.snippet), -one.relevance_score)
        )

    def _quote(self, claim: Claim) -> str:
        return next((_flat(one.snippet) for one in self._backing(claim)), claim.content)

    def _best(self, claims: Sequence[Claim], count: int) -> list[Claim]:
        """The first of these that are not yet printed and do not repeat one another."""
        fresh = [claim for claim in claims if not self._told(claim)]
        ranking = [
            Ranked(place=place, score=(1 + claim.confidence) / (1 + place / 8))
            for place, claim in enumerate(fresh)
        ]

        def alike(first: int, second: int) -> float:
            return similar.likeness(self._bag(fresh[first]), self._bag(fresh[second]), self._weigh)

        order = sorted(ranking, key=lambda one: (-one.score, one.place))[: 4 * count]
        return [fresh[one.place] for one in diverse(order, alike, count=count)]

    def _told(self, claim: Claim) -> bool:
        """Whether it is printed already, or stands in what was quoted with another claim."""
        said = {claim.content, self._quote(claim)}
        return claim.id in self.printed or any(each in one for each in said for one in self._quoted)

    def _bag(self, claim: Claim) -> Bag:
        return self._bags[claim.id]


def extractive(
    plan: Plan,
    built: Built,
    sources: Sequence[Source],
    *,
    not_found: Sequence[str],
    pages: int,
    sentences: int,
) -> str:
    """Markdown: the answer first, then each side, what is disputed, what one source alone says."""
    shown = _Shown(built)
    parts = [f"# {titled(_flat(plan.query))}", *_answer(shown, built)]
    for place, side in enumerate(plan.sides):
        parts += _section(side.title if place else "More findings", _of(shown, side.title))
    parts += _disputed(shown, built)
    parts += _alone(shown)
    if not_found:
        parts += [
            "## Not found",
            "\n".join(f"- Nothing was found on: {_flat(one)}" for one in not_found),
        ]
    parts += _sources(built, sources)
    parts += ["## Method", _METHOD.format(sentences=sentences, pages=_pages(pages))]
    return "\n\n".join(parts) + "\n"


def _answer(shown: _Shown, built: Built) -> list[str]:
    first = shown.lines(_standing(built), _ANSWER)
    return ["## Answer", "\n".join(first) or "No page was found that speaks to this question."]


def _standing(built: Built) -> list[Claim]:
    """The claims less those that a claim of more confidence denies."""
    sure = {claim.id: claim.confidence for claim in built.claims}
    beaten = {min(pair, key=lambda each: (sure[each], each)) for pair in built.conflicts}
    return [claim for claim in built.claims if claim.id not in beaten]


def _of(shown: _Shown, title: str) -> list[str]:
    own = [claim for claim in shown.claims if claim.facet == title and len(claim.sources) > 0]
    return shown.lines(own, _SECTION)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {_flat(title)}", "\n".join(lines)] if lines else []


def _disputed(shown: _Shown, built: Built) -> list[str]:
    by_id = {claim.id: claim for claim in built.claims}
    pairs = [
        f"{shown.line(by_id[one])}\n  against:\n  {shown.line(by_id[other])}"
        for one, other in built.conflicts[:_DISPUTES]
    ]
    tables = [_table(table) for table in built.tables[:_TABLES]]
    if not pairs and not tables:
        return []
    return ["## Where sources disagree", *(["\n".join(pairs)] if pairs else []), *tables]


def _table(table: ValueTable) -> str:
    rows = "\n".join(
        f"| {_cell(row.value)} | {(row.date or '')[:10]} | {_cell(row.snippet)} | {cites([row.source])} |"
        for row in table.rows
    )
    return f"**{_flat(table.subject)}**\n\n| value | date | as stated | source |\n|---|---|---|---|\n{rows}"


def _alone(shown: _Shown) -> list[str]:
    single = [claim for claim in shown.claims if "single_source" in claim.flags]
    return _section("Only one source says", shown.lines(single, _ALONE))


def _sources(built: Built, sources: Sequence[Source]) -> list[str]:
    used = {ref for claim in built.claims for ref in claim.sources}
    used |= {one.source for one in built.evidence}
    quoted = [one for one in sources if one.ref in used]
    others = len(sources) - len(quoted)
    parts = ["## Sources", "\n".join(_listed(quoted)) or "None."]
    were = "was" if others == 1 else "were"
    told = f"{_pages(others, 'further ')} {were} read and not quoted."
    return [*parts, told] if others else parts


def _listed(sources: Iterable[Source]) -> Iterator[str]:
    for one in sources:
        told = [one.type, one.published[:10] if one.published else "", one.domain]
        told += [f"repeats {one.copy_of}" if one.copy_of else ""]
        told += [f"archived: {one.archived_url}" if one.archived_url else ""]
        yield f"- [{one.ref}] {_flat(one.title) or one.url} ({', '.join(filter(None, told))}): {one.url}"


def cites(refs: Sequence[str]) -> str:
    return " ".join(f"[{ref}]" for ref in refs[:_REFS])


def _pages(count: int, kind: str = "") -> str:
    return f"{count} {kind}page{'' if count == 1 else 's'}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _flat(text).replace("|", "\\|")
