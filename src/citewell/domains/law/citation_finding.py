"""Finds the citations in a piece of a brief, with eyecite and with patterns of our own; a worker does this.

eyecite takes years, courts and names from neighbouring citations, so only its places, reporters and
kinds are used; what stands beside a citation is read from the text itself.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from citewell.core.values.court_case import LegalCitation
from citewell.domains.law import near_misses
from citewell.domains.law.case_names import read_case_name, read_following_name
from citewell.domains.law.citation_forms import find_code_citations
from citewell.domains.law.citation_groups import REFERRING_FORMS, CitationForm, FoundCitation
from citewell.domains.law.citation_service import (
    PARAGRAPH_MARK,
    PreparedText,
    find_quoted_sentence,
    prepare_brief_text,
)

_PIN_REGEX = r"(?:at |¶¶? ?|slip op\. at |\*)?\*?\d{1,6}(?:\.\d{1,3})?(?:[-–]\*?\d{1,6})?(?: ?(?:&|and) ?)?(?: ?nn?\. ?\d{1,4}(?:[-–]\d{1,4})?)?"
_PIN_CITES_PATTERN = re.compile(rf"(?:, ?| )(?P<pins>{_PIN_REGEX}(?:, ?{_PIN_REGEX}){{0,5}})")
_OWN_PARENTHESIS_PATTERN = re.compile(r",? ?[(\[](?P<inside>[^()\[\]\n]{0,90})[)\]]")
_LEADING_YEAR_PATTERN = re.compile(r"\((?P<inside>[^()\n]{0,60})\) ?$")
_DATE_REGEX = (
    r"(?:(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.? ?(?:\d{1,2},? ?)?)?"
)
_YEAR_INSIDE_PATTERN = re.compile(rf"(?P<court>[^\d].{{0,70}}?|.{{0,70}}?)[, ]?{_DATE_REGEX}(?P<year>1[6-9]\d\d|2[01]\d\d)(?:[-–/]\d{{2,4}})?$")  # fmt: skip
_COURT_INSIDE_PATTERN = re.compile(
    r"[\w.' &-]{0,60}\b(?:Cir\.|D\. ?[A-Z]|Ct\.|App\.|Sup\.)", re.IGNORECASE
)

_MAX_GAP_CHARS = 60  # characters between parallel citations
_GAP_CHARS = frozenset("0123456789,.*-–&n¶ at")  # pin cites may stand between parallel citations


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A citation's place in the prepared text, with its parts."""

    start: int
    end: int
    form: CitationForm
    citation: LegalCitation
    antecedent: str = ""
    is_certain: bool = True


def find_piece_citations(
    text: str, core_start: int, core_end: int, *, is_single: bool = False
) -> list[FoundCitation]:
    """The citations that begin in the core of a piece, in order, with offsets in the piece.

    `is_single` is for one citation by itself, whose name may stand behind it.
    """
    prepared = prepare_brief_text(text)
    places = _collect_places(prepared.text, is_single=is_single)
    found = _describe_places(prepared, places, is_single=is_single)
    return [
        citation for citation in found if core_start <= (citation.citation.start or 0) < core_end
    ]


def _collect_places(text: str, *, is_single: bool) -> list[_Place]:
    """Every place in order; where two overlap, the earlier kind in this list wins."""
    groups: tuple[Iterable[_Place], ...] = (
        (
            _Place(start=citation.start or 0, end=citation.end or 0, form="full", citation=citation)
            for citation in find_code_citations(text)
        ),
        (
            _build_place(match, match["reporter"], "invented_series")
            for match in near_misses.INVENTED_SERIES_PATTERN.finditer(text)
        ),
        _find_eyecite_places(text),
        _find_loose_places(text, is_single=is_single),
        _find_unknown_reporters(text),
    )
    taken: list[_Place] = []
    for group in groups:
        known = sorted((place.start, place.end) for place in taken)
        taken += [place for place in group if not _overlaps_any(place, known)]
    return sorted(taken, key=lambda item: item.start)


def _overlaps_any(place: _Place, known: list[tuple[int, int]]) -> bool:
    index = bisect_left(known, (place.end, 0))
    return index > 0 and known[index - 1][1] > place.start


def _find_loose_places(text: str, *, is_single: bool) -> Iterable[_Place]:
    for match in near_misses.LOOSE_CITATION_PATTERN.finditer(text):
        reporter = near_misses.normalize_loose_reporter(match["reporter"])
        if reporter is not None:
            place = _build_place(match, reporter, "full")
            yield replace(place, is_certain=is_single)


def _find_unknown_reporters(text: str) -> Iterable[_Place]:
    for match in near_misses.UNKNOWN_REPORTER_PATTERN.finditer(text):
        if read_case_name(text[max(0, match.start() - 330) : match.start()]) is not None:
            yield _build_place(match, match["reporter"], "unknown_reporter")


def _build_place(match: re.Match[str], reporter: str, form: CitationForm) -> _Place:
    citation = LegalCitation(
        kind="us_case",
        normalized=f"{match['volume']} {reporter} {match['page']}",
        text=match[0],
        volume=match["volume"],
        reporter=reporter,
        page=match["page"],
    )
    return _Place(start=match.start(), end=match.end(), form=form, citation=citation)


def _find_eyecite_places(text: str) -> Iterable[_Place]:
    """The places by eyecite's tokens alone: what it adds to them is wrong, and superlinear."""
    logging.getLogger("eyecite").setLevel(logging.CRITICAL)  # it logs pieces of the draft
    from eyecite.models import CitationToken, IdToken, SupraToken
    from eyecite.tokenizers import default_tokenizer

    _words, tokens = default_tokenizer.tokenize(text)
    for _index, token in tokens:
        if isinstance(token, CitationToken):
            place = _build_token_place(token, text)
            if place is not None:
                yield place
        elif isinstance(token, SupraToken):
            yield _refer("supra", text, token.start, token.end)
        elif isinstance(token, IdToken):
            yield _refer("id", text, token.start, token.end)


def _refer(form: CitationForm, text: str, start: int, end: int) -> _Place:
    citation = LegalCitation(kind="us_case", normalized="", text=text[start:end].strip())
    antecedent = _read_antecedent(text, start) if form == "supra" else ""
    return _Place(start=start, end=end, form=form, citation=citation, antecedent=antecedent)


def _build_token_place(token: Any, text: str) -> _Place | None:
    """The place of a case; None for journals and statutes."""
    editions = (*token.exact_editions, *token.variation_editions)
    if "reporters" not in {edition.reporter.source for edition in editions}:
        return None
    groups = token.groups
    page, volume = groups.get("page"), groups.get("volume") or ""
    reporter = _choose_reporter(token)
    form: CitationForm = "short" if token.short else "full"
    if not near_misses.DATABASE_REPORTERS.isdisjoint(reporter.split()):
        form = "database"  # a number of Westlaw or Lexis, which has no printed report
    elif not page or not any(char.isalnum() for char in page):
        form, page = "pending", None
    elif (written := str(groups.get("reporter") or "")) in near_misses.FOREIGN_REPORTERS:
        form, reporter = "unknown_reporter", written
    citation = LegalCitation(
        kind="us_case",
        normalized=f"{volume} {reporter} {page or '___'}".strip(),
        text=text[token.start : token.end],
        volume=volume or None,
        reporter=reporter,
        page=page,
    )
    named = len(reporter) > 2 and any(char in ".0123456789'" for char in reporter)
    plain = form == "full" and not named
    antecedent = _read_antecedent(text, token.start) if form == "short" else ""
    return _Place(
        start=token.start,
        end=token.end,
        form=form,
        citation=citation,
        antecedent=antecedent,
        is_certain=not plain,
    )


def _choose_reporter(token: Any) -> str:
    """The reporter as registries write it, or as written if several are meant by the spelling."""
    editions = token.exact_editions or token.variation_editions
    names = {edition.short_name for edition in editions}
    written = str(token.groups.get("reporter") or "").strip()
    return names.pop() if len(names) == 1 else written


def _read_antecedent(text: str, start: int) -> str:
    found = read_case_name(text[max(0, start - 120) : start])
    return found.text if found else ""


def _describe_places(
    prepared: PreparedText, places: list[_Place], *, is_single: bool
) -> list[FoundCitation]:
    """Add name, court, year and pin cite to every place, each from the text directly beside it."""
    text = prepared.text
    found: list[FoundCitation] = []
    barrier = 0  # names do not reach back over the previous citation
    group_start = 0  # in `found`: where the current group of parallel citations begins
    quoted: set[tuple[str, str | None, int | None]] = set()  # only first citations are quoted
    previous: _Place | None = None
    for number, place in enumerate(places):
        follower = places[number + 1].start if number + 1 < len(places) else len(text)
        parallel = previous is not None and _is_parallel(text, previous, place)
        details = _read_details(text, place, follower)
        if parallel:
            made = _complete_parallel(found[-1], place)
        else:
            group_start = len(found)
            made = _complete_first(text, place, barrier, is_single=is_single)
        if details.pin_cite and not made.citation.pin_cite:
            made = _with_citation(made, pin_cite=details.pin_cite)
        shown = (made.citation.normalized, made.citation.case_name, made.citation.year)
        found.append(_locate(made, prepared, place, has_quote=shown not in quoted))
        quoted.add(shown)
        if details.year or details.court:
            _spread_details(found, group_start, details)
        barrier = place.end + details.end
        previous = place
    # Words that only look like a citation have neither name nor year beside them.
    return [
        made
        for made in found
        if is_single or made.is_certain or made.has_full_name or made.citation.year
    ]


def _read_details(text: str, place: _Place, follower: int) -> OwnDetails:
    if place.form in {"id", "supra"}:
        return OwnDetails()
    end = text.find(PARAGRAPH_MARK, place.end, place.end + 400)
    limit = min(follower, end if end >= 0 else len(text), place.end + 400)
    return read_following_details(text[place.end : limit])


def _is_parallel(text: str, previous: _Place, place: _Place) -> bool:
    """Whether only a comma, and perhaps a pin cite, stands between two citations in different reporters."""
    if {previous.form, place.form} & {"id", "supra", "short"}:
        return False
    gap = text[previous.end : place.start]
    if not 0 < len(gap) <= _MAX_GAP_CHARS or "(" in gap or ";" in gap:
        return False
    first, second = previous.citation, place.citation
    if first.kind != second.kind:
        # A case number and its ECLI; the name of the case may stand between them.
        return first.kind.startswith("eu_") and second.kind.startswith("eu_") and ". " not in gap
    if first.kind != "us_case" or first.reporter == second.reporter:
        return False
    return "," in gap and all(char in _GAP_CHARS for char in gap)


def _complete_parallel(first: FoundCitation, place: _Place) -> FoundCitation:
    return FoundCitation(
        citation=replace(place.citation, case_name=first.citation.case_name, year=None),
        form=place.form,
        has_full_name=first.has_full_name,
        is_parallel=True,
        is_certain=True,
    )


def _complete_first(text: str, place: _Place, barrier: int, *, is_single: bool) -> FoundCitation:
    if place.form in REFERRING_FORMS:
        return FoundCitation(citation=place.citation, form=place.form, antecedent=place.antecedent)
    before = text[barrier : place.start]
    year, court, begin = read_leading_year(before)
    name = read_case_name(before[:begin])
    if name is None and (is_single or place.citation.kind.startswith("eu_")):
        details = read_following_details(text[place.end : place.end + 400])
        name = read_following_name(text[place.end + details.end :])
    return FoundCitation(
        citation=replace(
            place.citation,
            case_name=name.text if name else None,
            year=place.citation.year or year,
            court=court,
        ),
        form=place.form,
        has_full_name=bool(name and name.is_full),
        long_name=name.long_text if name else "",
        is_certain=place.is_certain,
    )


def _spread_details(found: list[FoundCitation], group_start: int, details: OwnDetails) -> None:
    """The parentheses behind the last of several parallel citations belong to all of them."""
    for index in range(group_start, len(found)):
        known = found[index].citation
        found[index] = _with_citation(
            found[index],
            year=known.year or details.year,
            court=known.court or details.court,
        )


def _locate(
    citation: FoundCitation, prepared: PreparedText, place: _Place, *, has_quote: bool
) -> FoundCitation:
    made = _with_citation(
        citation,
        start=prepared.find_origin(place.start),
        end=prepared.find_origin(place.end - 1) + 1,
    )
    if not has_quote or citation.form in {"id", "supra"}:
        return made
    return replace(made, quote=find_quoted_sentence(prepared.text, place.start, place.end))


def _with_citation(citation: FoundCitation, **changes: Any) -> FoundCitation:
    return replace(citation, citation=replace(citation.citation, **changes))


# Reads what a citation of a case says of itself right after its page: pin cite, court and year.


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDetails:
    """What stands in the citation's own parentheses; None where it does not say."""

    year: int | None = None
    court: str | None = None
    pin_cite: str | None = None
    end: int = 0  # characters of the text that were read


def read_following_details(after: str) -> OwnDetails:
    """The details in the text directly after a citation's page; `after` may go on for long."""
    after = after[:400]
    pins = _PIN_CITES_PATTERN.match(after)
    position = pins.end() if pins else 0
    pin_cite = pins["pins"] if pins else None
    found = _OWN_PARENTHESIS_PATTERN.match(after, position)
    if found is None:
        return OwnDetails(pin_cite=pin_cite, end=position)
    year, court = read_parenthesis(found["inside"])
    if year is None and court is None:
        return OwnDetails(pin_cite=pin_cite, end=position)
    return OwnDetails(year=year, court=court, pin_cite=pin_cite, end=found.end())


def read_leading_year(before: str) -> tuple[int | None, str | None, int]:
    """Year and court in parentheses right before the volume, as California writes them, and where they begin."""
    found = _LEADING_YEAR_PATTERN.search(before[-80:])
    if found is None:
        return None, None, len(before)
    year, court = read_parenthesis(found["inside"])
    if year is None:
        return None, None, len(before)
    return year, court, len(before) - len(before[-80:]) + found.start()


def read_parenthesis(inside: str) -> tuple[int | None, str | None]:
    """The year and the court of a parenthesis such as "9th Cir. June 3, 2019"; None for other content."""
    inside = " ".join(inside.split()).strip()
    found = _YEAR_INSIDE_PATTERN.fullmatch(inside)
    if found is None:
        return None, inside if _COURT_INSIDE_PATTERN.match(inside) else None
    court = found["court"].strip(" ,")
    if any(word.isalpha() and word.islower() and len(word) > 3 for word in court.split()):
        return None, None  # a sentence that ends in a year
    return int(found["year"]), court if "." in court else None
