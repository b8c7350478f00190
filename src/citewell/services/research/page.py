"""A job's report as one page that needs nothing else: no script, no address but the sources'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib import resources

from citewell.model.research import Claim, Evidence, Findings, Source, ValueTable
from citewell.text.hypertext import rendered

_MARK = re.compile(r"\[src_(\d+)\]")
_TITLE = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_SOURCES = re.compile(r"^## Sources\s*$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_MOST_CLAIMS = 60
_STATES = {
    "unreachable": "could not be read",
    "refused": "address refused",
    "never_existed": "does not exist",
    "unchecked": "not checked",
}
_BAD = frozenset(("unsupported", "never_existed", "contradicted"))
_ODD = frozenset(("number_not_found", "values_differ", "unreachable"))
_RELATIONS = {
    "supports": "supports",
    "contradicts": "contradicts",
    "mentions": "mentions",
    "qualifies": "gives another value",
}


def html(findings: Findings, *, facts: Mapping[str, str]) -> str:
    """`facts` are the few lines under the title: when, by whom, at what cost."""
    known = {source.ref: source for source in findings.sources}
    title = _title(findings)
    parts = (
        f"<h1>{escape(title, quote=False)}</h1>",
        _facts({name: value for name, value in facts.items() if value != title}),
        *_notes(findings),
        f'<section class="report">{_body(findings)}</section>',
        *_claims(findings, known),
        *_tables(_untold(findings), known),
        *_sources(findings),
        _footer(findings),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_style()}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _style() -> str:
    file = resources.files("citewell.services.research") / "report.css"
    return file.read_text(encoding="utf-8")


def _title(findings: Findings) -> str:
    found = _TITLE.search(findings.synthesis)
    return " ".join((found[1] if found else findings.query).split())[:200]


def _body(findings: Findings) -> str:
    """The synthesis without its title and list of sources, which the page has places for."""
    text = _TITLE.sub("", findings.synthesis, count=1)
    text = _SOURCES.sub("", text)
    return rendered(text, marks=_marked)


def _marked(text: str) -> str:
    return _MARK.sub(r'<a class="mark" href="#src_\1">\1</a>', text)


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{rows}</dl>'


def _notes(findings: Findings) -> Iterator[str]:
    if findings.notes:
        rows = "".join(f"<li>{escape(note, quote=False)}</li>" for note in findings.notes)
        yield f'<aside class="notes"><ul>{rows}</ul></aside>'


def _claims(findings: Findings, known: Mapping[str, Source]) -> Iterator[str]:
    if not findings.claims:
        return
    held: dict[str, list[Evidence]] = {}
    for item in findings.evidence:
        held.setdefault(item.claim_id, []).append(item)
    shown = findings.claims[:_MOST_CLAIMS]
    rows = "".join(_claim(claim, held.get(claim.id, ()), known) for claim in shown)
    left = len(findings.claims) - len(shown)
    more = f"<p>{left} more claims are in the JSON export.</p>" if left > 0 else ""
    yield f'<section class="claims"><h2>Claims and their evidence</h2>{rows}{more}</section>'


def _claim(claim: Claim, evidence: Iterable[Evidence], known: Mapping[str, Source]) -> str:
    level = escape(claim.confidence_level)
    flags = "".join(
        f'<span class="flag {_weight(flag)}">{escape(flag.replace("_", " "))}</span>'
        for flag in claim.flags
    )
    quotes = "".join(_quote(rows, known.get(rows[0].source)) for rows in _alike(evidence))
    return (
        f'<details class="claim {level}"><summary>'
        f'<span class="level" title="confidence {claim.confidence:.2f}">{level}</span>'
        f'<span class="said">{escape(claim.content, quote=False)}</span>{flags}</summary>'
        f"{quotes or '<p>No source was found that says this.</p>'}</details>\n"
    )


def _weight(flag: str) -> str:
    """How much a reader should mind: the class that colours it."""
    return "bad" if flag in _BAD else "odd" if flag in _ODD else "plain"


def _alike(evidence: Iterable[Evidence]) -> Iterable[list[Evidence]]:
    """One place in one source is quoted once, whoever found it."""
    places: dict[tuple[str, int, int, str], list[Evidence]] = {}
    for item in evidence:
        key = (item.source, item.start, item.end, item.relation.value)
        places.setdefault(key, []).append(item)
    return places.values()


def _quote(found: list[Evidence], source: Source | None) -> str:
    item = found[0]
    relation = _RELATIONS.get(item.relation.value, item.relation.value)
    where = _linked(source) if source is not None else escape(item.source)
    names = ", ".join(dict.fromkeys(one.discovered_by_provider for one in found))
    return (
        f'<figure class="{item.relation.value}"><blockquote>{escape(item.snippet, quote=False)}</blockquote>'
        f"<figcaption>{relation} · score {item.relevance_score:.2f} · {where}"
        f" · characters {item.start}–{item.end} · found by {escape(names)}</figcaption></figure>"
    )


def _linked(source: Source) -> str:
    label = escape(source.title or source.url, quote=False)
    if not source.url.startswith(("http://", "https://")):
        return label
    return f'<a href="{escape(source.url)}" rel="noopener noreferrer nofollow">{label}</a>'


def _untold(findings: Findings) -> list[ValueTable]:
    """The tables that do not stand in the report already."""
    return [
        table
        for table in findings.value_tables
        if f"**{' '.join(table.subject.split())}**" not in findings.synthesis
    ]


def _tables(tables: Iterable[ValueTable], known: Mapping[str, Source]) -> Iterator[str]:
    made = [_table(table, known) for table in tables]
    if made:
        yield f'<section class="values"><h2>Where values differ</h2>{"".join(made)}</section>'


def _table(table: ValueTable, known: Mapping[str, Source]) -> str:
    unit = f" ({escape(table.unit)})" if table.unit else ""
    rows = "".join(
        "<tr>"
        f'<td data-label="Value"><strong>{escape(row.value)}</strong></td>'
        f'<td data-label="Source">{_linked(known[row.source]) if row.source in known else escape(row.source)}</td>'
        f'<td data-label="Date">{escape((row.date or "")[:10])}</td>'
        f'<td data-label="What it says">{escape(row.snippet, quote=False)}</td></tr>'
        for row in table.rows
    )
    return (
        f'<div class="wide"><table><caption>{escape(table.subject, quote=False)}{unit}</caption>'
        "<thead><tr><th>Value</th><th>Source</th><th>Date</th><th>What it says</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _sources(findings: Findings) -> Iterator[str]:
    used = {ref for claim in findings.claims for ref in claim.sources}
    used |= {item.source for item in findings.evidence}
    rows = "".join(_source(source, used=source.ref in used) for source in findings.sources)
    if rows:
        yield f'<section class="sources"><h2>Sources</h2><ol>{rows}</ol></section>'


def _source(source: Source, *, used: bool) -> str:
    number = source.ref.removeprefix("src_")
    details = [
        source.domain,
        source.type,
        (source.published or "")[:10],
        f"{source.reputation} reputation" if source.reputation else "",
        _STATES.get(source.state, "") or ("" if used else "read, not quoted"),
        f"a copy of {source.copy_of}" if source.copy_of else "",
    ]
    line = " · ".join(escape(part) for part in details if part)
    archived = ""
    if source.archived_url:
        archived = f' · <a href="{escape(source.archived_url)}" rel="noopener noreferrer nofollow">archived copy</a>'
    return (
        f'<li id="{escape(source.ref)}" value="{escape(number)}">{_linked(source)}'
        f'<div class="about">{line}{archived}</div></li>'
    )


def _footer(findings: Findings) -> str:
    by = (
        "The report is put together from quotations, each word for word from its source."
        if findings.synthesis_by == "extractive"
        else f"The report was written by {findings.synthesis_by}; its citations were checked by Citewell."
    )
    return f"<footer>{escape(by, quote=False)} What pages say is theirs; check it before relying on it.</footer>"
