"""The form types of the SEC: brings what callers write into the names that EDGAR uses."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache

from citewell.core.errors import InvalidInput
from citewell.text.data_tables import load_table

USUAL_FORMS = (
    "10-K", "10-Q", "8-K", "20-F", "40-F", "6-K", "S-1", "DEF 14A", "13F-HR", "SC 13D", "SC 13G", "4",
)  # fmt: skip
_OTHER_FORMS = (
    "10-K405", "10-KSB", "10-KT", "10-QSB", "10-QT", "10-D", "10-12B", "10-12G", "11-K", "8-A12B",
    "8-A12G", "8-K12B", "15-12B", "15-12G", "15-15D", "18-K", "25", "25-NSE", "NT 10-K", "NT 10-Q",
    "NT 20-F", "S-3", "S-3ASR", "S-4", "S-6", "S-8", "S-11", "S-1MEF", "S-8 POS", "POS AM", "POSASR",
    "F-1", "F-3", "F-3ASR", "F-4", "F-6", "F-6EF", "F-10", "424B1", "424B2", "424B3", "424B4", "424B5",
    "424B7", "FWP", "EFFECT", "DEFA14A", "DEFM14A", "DEFC14A", "DEFR14A", "PRE 14A", "PREM14A", "PREC14A",
    "DEF 14C", "PRE 14C", "DFAN14A", "ARS", "SC 13E3", "SC 14D9", "SC 14F1", "SC TO-T", "SC TO-I", "SC TO-C",
    "3", "5", "144", "D", "C", "1-A", "1-K", "1-SA", "1-U", "13F-NT", "N-CSR", "N-CSRS", "N-PX",
    "N-CEN", "N-1A", "N-2", "NPORT-P", "N-Q", "485BPOS", "485APOS", "497", "497K", "CORRESP", "UPLOAD",
    "LETTER", "CERT", "SD", "ABS-15G", "ABS-EE", "425", "CT ORDER", "IRANNOTICE", "X-17A-5", "MA-I",
)  # fmt: skip
_MAX_FORMS = 5
_MAX_FORM_CHARS = 20
_FORM_SHAPE_PATTERN = re.compile(r"[A-Z0-9](?:[A-Z0-9 -]{0,18}[A-Z0-9])?", re.ASCII)
# Forms that are not mistaken for other words; short ones such as 4 or D only after "form".
_FORM_IN_TEXT_PATTERN = re.compile(
    r"(?<![\w-])(?:"
    r"(?:forms?\s{1,3})?(?P<form>10-?K(?:T|405|SB)?|10-?QT?|8-?K|6-?K|11-?K|20-?F|40-?F|S-[1348]|F-[134]"
    r"|DEFA?M?\s?14A|PREM?\s?14A|13F(?:-HR)?|(?:(?:SC|SCHEDULE)\s?)?13[DG]|424B[1-7]|N-CSRS?|NPORT-P)"
    r"|forms?\s{1,3}(?P<short>3|4|5|144|D|C|1-A|SD)"
    r"|(?P<phrase>annual\s{1,3}report|quarterly\s{1,3}report|proxy\s{1,3}statement|current\s{1,3}report)s?"
    r")(?P<amendment>/A)?(?![\w-])",
    re.IGNORECASE,
)


def _squeeze_form_name(text: str) -> str:
    return "".join(letter for letter in text.upper() if letter.isalnum())


_FORMS_BY_KEY = {_squeeze_form_name(form): form for form in (*_OTHER_FORMS, *USUAL_FORMS)}


def normalize_form_types(text: str | None) -> tuple[str, ...]:
    """The forms that the text names, one or several separated by commas: 10k/a is 10-K/A.

    A form that we do not know is passed on as written, if it looks like one; otherwise raises
    InvalidInput with the usual forms.
    """
    named = [part.strip() for part in (text or "").split(",") if part.strip()]
    if len(named) > _MAX_FORMS:
        raise InvalidInput(f"form_type takes at most {_MAX_FORMS} forms.")
    return tuple(dict.fromkeys(form for part in named for form in _normalize_form(part)))


def _normalize_form(text: str) -> tuple[str, ...]:
    upper = " ".join(text.upper().split()).removeprefix("FORM ")
    base, mark, rest = upper.partition("/")
    if (mark and rest.strip() not in {"A", ""}) or len(upper) > _MAX_FORM_CHARS:
        raise _build_unknown_form_error(text)
    ending = "/A" if rest.strip() == "A" else ""
    key = _squeeze_form_name(base)
    known = _load_synonyms().get(key) or ((_FORMS_BY_KEY[key],) if key in _FORMS_BY_KEY else ())
    if known:
        return tuple(form + ending for form in known)
    if not _FORM_SHAPE_PATTERN.fullmatch(base.strip()) or not any(map(str.isdigit, base)):
        raise _build_unknown_form_error(text)
    return (base.strip() + ending,)


def _build_unknown_form_error(text: str) -> InvalidInput:
    usual = ", ".join(USUAL_FORMS)
    return InvalidInput(
        f"form_type {text[:40]!r} is not a form of the SEC.{_suggest_forms(text)} Usual forms: {usual};"
        " an amendment ends in /A."
    )


def describe_unknown_forms(forms: tuple[str, ...]) -> tuple[str, ...]:
    """A sentence for each form that is not among those we know, for an answer without results."""
    bases = {form: form.removesuffix("/A") for form in forms}
    known = {
        *_FORMS_BY_KEY.values(),
        *(form for group in _load_synonyms().values() for form in group),
    }
    return tuple(
        f"{form} is not a form that we know.{_suggest_forms(base)} Usual forms: {', '.join(USUAL_FORMS)}."
        for form, base in bases.items()
        if base not in known
    )


def _suggest_forms(text: str) -> str:
    near = get_close_matches(
        _squeeze_form_name(text[:_MAX_FORM_CHARS]), _FORMS_BY_KEY, n=2, cutoff=0.6
    )
    return f" Did you mean {' or '.join(_FORMS_BY_KEY[key] for key in near)}?" if near else ""


def extract_text_forms(text: str) -> tuple[tuple[str, ...], str]:
    """The forms that a free text names, such as "Apple 10-K", and the text without them."""
    forms: list[str] = []
    for found in _FORM_IN_TEXT_PATTERN.finditer(text):
        named = found["form"] or found["short"] or found["phrase"]
        forms += _normalize_form(named + (found["amendment"] or ""))
    rest = " ".join(_FORM_IN_TEXT_PATTERN.sub(" ", text).split())
    return tuple(dict.fromkeys(forms)), rest


@cache
def _load_synonyms() -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(row) for name, row in load_table(__package__, "form_types")["synonyms"].items()
    }
