"""Says in a sentence how a query was understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from citewell.model.domains.company_filing import FilingCompany, FilingQuery
from citewell.providers.edgar.company_resolution import CompanyResolution
from citewell.providers.edgar.filing_rows import FilingRow, is_within_window
from citewell.text.safety.markup_cleaning import clean_markup

_SEARCH_TEXT_ADVICE = 'To search the text of all filings instead, put the words in "quotes".'
_MAX_LISTED_FORMS = 6


def describe_company_choice(found: CompanyResolution, query: FilingQuery) -> tuple[str, ...]:
    """How the company was found, if the query could have meant another."""
    notes: list[str] = []
    company = found.company
    if company is None:
        return ()
    if found.former_name is not None:
        until = f" (until {found.former_name.to[:10]})" if found.former_name.to else ""
        notes.append(
            f"{clean_markup(found.former_name.name)} is a former name of {company.name}{until}."
        )
    if found.basis == "spelling":
        notes.append(f"No company is called {found.text!r}; the nearest name is {company.name}. {_SEARCH_TEXT_ADVICE}")  # fmt: skip
    elif found.basis in {"start", "part"}:
        notes.append(f"{found.text!r} was taken for {company.name}. {_SEARCH_TEXT_ADVICE}")
    if found.others:
        notes.append(f"It could also mean {'; '.join(map(_format_filer, found.others))}.")
    if query.year is not None:
        notes.append(f"{query.year} was read as the year that the filings report on.")
    return tuple(notes)


def describe_unknown_company(query: FilingQuery, found: CompanyResolution) -> str:
    text = query.ticker or query.company_text or query.text
    if found.basis == "cik":
        return f"The SEC has no filer with the CIK {text!r}."
    if query.ticker:
        return f"No filer has the ticker {text!r}; search by the company's name in query."
    return f"No filer is called {text!r}; give its ticker, CIK or registered name."


def describe_filed_forms(rows: Iterable[FilingRow], query: FilingQuery) -> tuple[str, ...]:
    """Which forms were filed in the time asked for, if none of the wanted ones was."""
    counted = Counter(row.form for row in rows if is_within_window(row, query))
    if not counted:
        return ()
    told = ", ".join(f"{form} ({count})" for form, count in counted.most_common(_MAX_LISTED_FORMS))
    return (f"Filed in this time: {told}.",)


def _format_filer(company: FilingCompany) -> str:
    known = company.tickers[0] if company.tickers else f"CIK {company.cik}"
    return f"{company.name} ({known})"
