"""EUR-Lex through CELLAR, the repository of the EU's Publications Office: a SPARQL service, no key."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field

from citewell.core.values import court_case
from citewell.domains.law.citation_forms import CELEX_PATTERN, ECLI_PATTERN, find_celex_numbers
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.providers.dialects.remembered_matches import LawRegistry
from citewell.routing.ports import Offer, ProviderSpec
from citewell.routing.upstream_refusals import read_stated_json
from citewell.text.calendar_dates import parse_partial_date
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="eurlex",
    title="EUR-Lex (CELLAR)",
    homepage="https://eur-lex.europa.eu/content/help/data-reuse/linked-data.html",
    base_url="https://publications.europa.eu/webapi/rdf/sparql",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"jurisdiction", "date_from", "date_to"})},
    max_results=50,
    per_second=1.0,
    burst=3,
    rank=30,
    covers_whole_web=False,
    terms="Reuse allowed with the source named; queries end after 60 seconds.",
    test_evidence="one recorded look-up by ECLI",
)

_PAGE = "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:"
_PREFIXES = (
    "PREFIX cdm: <http://publications.europa.eu/ontology/cdm#> "
    "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
)
_ENGLISH = "<http://publications.europa.eu/resource/authority/language/ENG>"
_BAD_REQUEST = 400
_MAX_SEARCH_WORDS = 8
_MIN_WORD_CHARS = 3  # the full-text index has no shorter words
_WORD_PATTERN = re.compile(r"[^\W_]{1,40}")
_COURT_NAMES = {"C": "Court of Justice", "T": "General Court", "F": "Civil Service Tribunal"}
# What a filter by court means for CELEX numbers: the sector, and the letters of the document.
_CELEX_FORMS = {"cjeu": "^6....C", "egc": "^6....T", "eu-legislation": "^3", "eu-cases": "^6"}
_KINDS = {"6": "decision", "3": "legislation"}


class _BoundTerm(wire.ResponsePart):
    value: str


class _CelexValue(wire.ResponsePart):
    value: Annotated[str, Field(pattern=r"^[0-9A-Z][0-9A-Z/()_.-]{2,39}$")]


class _WorkBinding(wire.ResponsePart):
    celex: _CelexValue
    ecli: wire.OptionalField[_BoundTerm] = None
    date: wire.OptionalField[_BoundTerm] = None
    title: wire.OptionalField[_BoundTerm] = None


class _BindingList(wire.ResponsePart):
    bindings: wire.TolerantItems[_WorkBinding]


class _SparqlAnswer(wire.JsonResponse):
    results: _BindingList


class Provider(LawRegistry):
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"eu_celex", "eu_ecli"})

    async def search_cases(self, query: court_case.CaseQuery) -> court_case.CaseHits:
        """Texts by their number if the query names one, else by the words of their English titles."""
        ecli = ECLI_PATTERN.search(query.text)
        numbers = find_celex_numbers(query.text)
        if ecli or numbers:
            named = _build_ecli_choice(ecli.group()) if ecli else _build_celex_choice(numbers)
            return court_case.CaseHits(
                cases=(await self._select_works(named, query))[: query.count]
            )
        # Letters and digits only, so that no word can end a literal.
        found = dict.fromkeys(_WORD_PATTERN.findall(query.text))
        words = [word for word in found if len(word) >= _MIN_WORD_CHARS][:_MAX_SEARCH_WORDS]
        if not words:
            return court_case.CaseHits(notes=("EUR-Lex needs a word of at least three letters.",))
        response = await self._send_sparql(_build_select(_build_index_search(words), query))
        if response.status == _BAD_REQUEST:  # no full-text index: the titles are compared instead
            response = await self._send_sparql(_build_select(_build_title_filter(words), query))
        return court_case.CaseHits(cases=_read_works(response)[: query.count])

    async def _find_citation(self, citation: court_case.LegalCitation) -> court_case.CitationMatch:
        pattern = ECLI_PATTERN if citation.kind == "eu_ecli" else CELEX_PATTERN
        written = citation.normalized.strip().upper()
        if pattern.fullmatch(written) is None:
            return court_case.CitationMatch(provider=SPEC.name, is_reporter_known=False)
        build = _build_ecli_choice if citation.kind == "eu_ecli" else _build_celex_choice
        cases = await self._select_works(build(written), court_case.CaseQuery(text=written))
        return court_case.CitationMatch(provider=SPEC.name, cases=cases)

    async def _select_works(
        self, choice: str, query: court_case.CaseQuery
    ) -> tuple[court_case.CourtCase, ...]:
        return _read_works(await self._send_sparql(_build_select(choice, query)))

    async def _send_sparql(self, sparql: str) -> HttpResponse:
        return await self._upstream.send_get(
            params={"query": sparql, "format": "application/sparql-results+json"},
            headers={"accept": "application/sparql-results+json"},
            accept=(400,),
        )


def _build_select(choice: str, query: court_case.CaseQuery) -> str:
    """The whole query; every text in it that a user wrote has passed a `_build_` function below."""
    conditions = []
    if form := _CELEX_FORMS.get(query.court or ""):
        conditions.append(f'FILTER(REGEX(STR(?celex), "{form}"))')
    if query.date_from:
        conditions.append(f'FILTER(?date >= "{query.date_from}"^^xsd:date)')
    if query.date_to:
        conditions.append(f'FILTER(?date <= "{query.date_to}"^^xsd:date)')
    # A work may be stored twice, and a title in several forms: more rows than works are needed.
    return (
        f"{_PREFIXES}SELECT DISTINCT ?work ?celex ?ecli ?date ?title WHERE {{ {choice} "
        "?work cdm:resource_legal_id_celex ?celex . "
        "OPTIONAL { ?work cdm:case-law_ecli ?ecli . } "
        f"OPTIONAL {{ ?work cdm:work_date_document ?date . }} {' '.join(conditions)} "
        "OPTIONAL { ?expression cdm:expression_belongs_to_work ?work ; "
        f"cdm:expression_uses_language {_ENGLISH} ; cdm:expression_title ?title . }} }} "
        f"ORDER BY DESC(?date) LIMIT {3 * query.count}"
    )


def _build_celex_choice(numbers: str | Iterable[str]) -> str:
    listed = (numbers,) if isinstance(numbers, str) else numbers
    values = " ".join(f'"{_escape_literal(number)}"^^xsd:string' for number in listed)
    return f"VALUES ?celex {{ {values} }}"


def _build_ecli_choice(ecli: str) -> str:
    return f'?work cdm:case-law_ecli "{_escape_literal(ecli.upper())}"^^xsd:string .'


def _build_index_search(words: Iterable[str]) -> str:
    wanted = " AND ".join(f"'{word}'" for word in words)
    return (
        f"?found cdm:expression_title ?words ; cdm:expression_uses_language {_ENGLISH} ; "
        f'cdm:expression_belongs_to_work ?work . ?words <bif:contains> "{wanted}" .'
    )


def _build_title_filter(words: Iterable[str]) -> str:
    conditions = " && ".join(f'CONTAINS(LCASE(STR(?words)), "{word.lower()}")' for word in words)
    return (
        f"?found cdm:expression_title ?words ; cdm:expression_uses_language {_ENGLISH} ; "
        f"cdm:expression_belongs_to_work ?work . FILTER({conditions})"
    )


def _escape_literal(text: str) -> str:
    """The text with the signs escaped that end or change a SPARQL literal."""
    return "".join(f"\\u{ord(sign):04x}" if sign in '"\\\n\r\t{}<>' else sign for sign in text)


def _read_works(response: HttpResponse) -> tuple[court_case.CourtCase, ...]:
    """One case for each CELEX number, in the order of the rows."""
    rows = read_stated_json(_SparqlAnswer, response).results.bindings
    cases: dict[str, court_case.CourtCase] = {}
    for row in rows:
        cases.setdefault(row.celex.value, _parse_work(row))
    return tuple(cases.values())


def _parse_work(row: _WorkBinding) -> court_case.CourtCase:
    celex = row.celex.value
    ecli = clean_markup(row.ecli.value) if row.ecli else ""
    parts = [clean_markup(part) for part in (row.title.value if row.title else "").split("#")]
    parts = [part for part in parts if part]
    is_decision = celex.startswith("6")
    name = parts[1] if is_decision and len(parts) > 2 else next(iter(parts), celex)
    docket = parts[-1] if is_decision and len(parts) > 1 else ""
    subject = parts[2:-1] if is_decision else parts[1:]
    ids = {"celex": celex, "ecli": ecli}
    letter = ecli.split(":")[2] if ecli.count(":") >= 4 else ""
    return court_case.CourtCase(
        name=name.rstrip(".").replace("<", "") or celex,
        url=_PAGE + celex,
        source=SPEC.name,
        kind=_KINDS.get(celex[0], "notice"),
        citations=tuple(dict.fromkeys(value for value in (ecli, celex) if value)),
        court=_COURT_NAMES.get(letter),
        court_id={"C": "cjeu", "T": "egc"}.get(letter),
        date_filed=parse_partial_date(row.date.value if row.date else "") or None,
        docket_number=docket.rstrip(".") or None,
        snippet=" ".join(subject),
        full_name=" ".join(parts) or None,
        ids={kind: value for kind, value in ids.items() if value},
    )
