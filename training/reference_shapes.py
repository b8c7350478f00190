"""References in shapes that no CSL style has: the BibTeX styles, footnotes, and how people type them.

A template has fields in braces and optional groups in square brackets, which are left out if one of
their fields is missing. The result is a list of (label, text) parts; text of the template has "?".
"""

from __future__ import annotations

import random
import re
from typing import Any

Parts = list[tuple[str, str]]
LABELS = {
    "A": "A", "T": "T", "J": "J", "S": "J", "Y": "D", "M": "D", "V": "V", "N": "I", "P": "P", "U": "U",
    "L": "?", "E": "?", "X": "X", "W": "X", "G": "?", "B": "?", "C": "?", "R": "?", "K": "?",
}  # fmt: skip
ARTICLES = """{A}. {T}. {J}, {V}[({N})][:{P}], {Y}.|{A}. {T}. {J}, {V}[({N})][:{P}], {M} {Y}.|{A}. {T}. {J}, vol. {V}[, no. {N}][, pp. {P}], {M} {Y}.
{A}, {T}, {J}, {V} ({Y})[, pp. {P}].|{A}. {T}. {J} {V}[, {N}] ({Y})[, {P}].|{A}, {T}, {S} {V} ({Y})[ {P}].|{A}, {T}, {S} {V}[ ({N})] ({Y})[ {P}]. [doi:{X}.]
{A}, “{T},” {J}, vol. {V}[, no. {N}][, pp. {P}], {M} {Y}.|{A}, "{T}", {J}, Vol. {V}[, No. {N}][, pp. {P}], {Y}.|{A}: {T}. {J} {V}[({N})][, {P}] ({Y})
{A}: {T}. {S} {Y}; {V}[({N})][:{P}].|{A}. {T}. {S}. {Y};{V}[({N})][:{P}].|{A}. {T}. {S} {Y}[ {M}];{V}[({N})][:{P}]. [doi: {X}]|{A} ({Y}). {T}. {J}, {V}[({N})][, {P}].
{A} ({Y}) {T}. {S} {V}[({N})][:{P}]|{A} ({Y}): {T}, in: {J}, Jg. {V}[, H. {N}][, S. {P}].|{A}: {T}, in: {J} {V} ({Y})[, S. {P}].|{A}, {T}, in: {J}, {V}/{Y}[, S. {P}].
{A}, « {T} », {J}, vol. {V}[, n° {N}], {Y}[, p. {P}].|{A}. « {T} ». {J}, {Y}, {V}[ ({N})][, pp. {P}].|{A}. "{T}". {J}, v. {V}[, n. {N}][, p. {P}], {Y}.|{A}. {T}. {J}, v. {V}[, n. {N}][, p. {P}], {Y}.
{A}, {S} {V}[, {P}] ({Y}).|{A}, {S}, {Y}, {V}[, {P}].|{A} {Y}, {S}, {V}[, {P}]|{A} {Y}. {T}. {J} {V}[: {P}].|{A}. {Y}. {T}. {J} {V}[({N})][: {P}].|“{T}” by {A} ({Y}, {J})|"{T}" by {A}, {Y}|“{T}”, by {A}. {J} {V} ({Y})[, {P}].|{A}. {T}. {J}, {Y}, {V}[({N})][: {P}].|{A}. {T}⟦J⟧. {J}, {Y}, {V}[({N})][: {P}].|{A} {Y}, {T}. {J} {V}[, {P}]|{A}, {T}. {J} {V}[, {P}] ({Y}).|{A}. {Y}. {T}. {S} {V}[:{P}].
{A}, {Y}. {T}. {J} {V}[, {P}].|{A}, {Y}, {T}: {J}, v. {V}[, no. {N}][, p. {P}].|{A} {Y} {T} {S} {V}[ {P}]|{A}, {T}, {V} {S} {P} ({Y}).|{A}. {T}. {J} {V} ({Y})[, {P}].|{T}. {A}. {J}. {Y};{V}[({N})][:{P}].
{T}. {A}, {J} {V} ({Y})[ {P}].|{A}; {T}, {S} {Y}, {V}[, {P}].|{A} '{T}', {J}, {V}[:{N}] ({Y})[, {P}].|{A}, ‘{T}’, {J}, {V}[/{N}] ({Y})[, pp. {P}].|{A}, “{T}”, {J} {V}[.{N}] ({Y})[: {P}].
{A}. “{T}.” {J} {V}[, no. {N}] ({Y})[: {P}].|{A}. ``{T}.'' {J} {V}[({N})][:{P}], {Y}.|{A}, ``{T},'' {S}, vol. {V}[, pp. {P}], {Y}.|{A} ({Y}), "{T}", {J}, Vol. {V}[ No. {N}][, pp. {P}].|{A}. {T} // {J}. – {Y}. – Vol. {V}[. – P. {P}].
{A}, {T}. {S}, {Y}. {V}[({N})][: p. {P}].|{A}, {T} {J} {V} ({Y})[, {P}]|{A} et al. {S} {V}[, {P}] ({Y})|{J}, {V}[, {N}][, {P}] ({Y})|{A}: {T}, {S} {V}[, {P}] ({Y}), arXiv:1201.01234|{A}, {T} [{J} {V}[, {P}] ({Y})]|{A}. {J} {V}, {P} ({Y}).
{A} {T}. {S} {Y}[ {M}]; {V}[: {P}] [PMID: 1234567]|{Y}. {A}. {T}. {J} {V}[, {P}].|{J}, Vol. {V}[, No. {N}][, pp. {P}], {M} {Y}|{A}, "{T}," {J} {V}[, {P}], {Y}.|{A}, {Y}. "{T}". {S}, vol. {V}[, p. {P}].""".replace("\n", "|").split("|")  # fmt: skip
BOOKS = """{A}. {T}. {U}, {Y}.|{A}. {T}. {U}, {L}, {Y}.|{A}. {T}. {L}: {U}, {Y}.|{A} ({Y}). {T}. {L}: {U}.|{A}, {T}, {U}, {L}, {Y}.|{A}, {T} ({L}: {U}, {Y}).|{A}, {T} ({U}, {L}, {Y}).|{A}, {T} ({L}, {Y}).|{A}: {T}. {U}, {L} ({Y})
{A}, {Y}. {T}. {U}, {L}.|{A} {Y}. {T}. {L}: {U}.|{A}: {T}. {L}: {U} {Y}.|{A}: {T}, {L} {Y}.|{A}: {T}, {B}, {L}: {U}, {Y}.|{A}, {T}, {B} ({L}: {U}, {Y})[, p. {P}].|{A}. {T}. {B}. {U}, {Y}.|{A}. {T}. {B}. {L}: {U}, {Y}. {W}
{A}, {T}, {L}, {U}, {Y}.|{A}, {T}, {L}, {U}, {Y}, 324 p.|{A} ({Y}), {T}, {U}, {L}.|{A} {T} {L}: {U} {Y}|{A}. {T}. {U}; {Y}.|{A}. {T}. {B}. {L}: {U}; {Y}.|{A} (eds.) ({Y}) {T}. {L}: {U}.|{A} (Hrsg.): {T}. {L}: {U}, {Y}.|{A} (Hg.), {T}, {L} {Y}.
{A}, eds. {T}. {L}: {U}, {Y}.|{A}, {T} ({B}, {Y})[ {P}].|{T}. {A}. {U}, {Y}.|{T}, by {A}. {L}: {U}, {Y}.|{A} (dir.), {T}, {L}, {U}, {Y}.|{A}. {T}. {U}, {B}, {Y}.|{A}. {T}, volume {V} of {R}. {U}, {L}, {Y}.|{A}. {T}. {R}. {U}, {Y}.|{A}. {T}. {Y}. {U}.|{A}. {Y}. {T}. {U}, {L}.
{A} {T}. {L}: {U}; {Y}. [p. {P}.]|{A}. {Y}. {T}. Trans. {E}. {L}: {U}.|{A}, {T}, trans. {E} ({L}: {U}, {Y}).|{A}. {T}. {U}. {Y}""".replace("\n", "|").split("|")  # fmt: skip
CHAPTERS = """{A}. {T}. In {J}[, pages {P}]. {U}, {Y}.|{A}. {T}. In {E}, editors, {J}[, pages {P}]. {U}, {L}, {Y}.|{A}. {T}. In {E}, editor, {J}, volume {V} of {R}[, pages {P}]. {U}, {M} {Y}.|{A}. {T}. In {J}[, pages {P}], {C}, {M} {Y}. {U}.|{A}. {T}. In {J} ({C}, {Y})[, pp. {P}].
{A}, {T}, in: {J}, {U}, {L}, {Y}[, pp. {P}].|{A}, {T}, in: {E} (Eds.), {J}, {U}, {L}, {Y}[, pp. {P}].|{A}: {T}. In: {E} (eds.) {J}, LNCS, vol. {V}[, pp. {P}]. {U}, {L} ({Y})|{A}: {T}. In: {E} (Hrsg.): {J}. {L}: {U}, {Y}[, S. {P}].|{A}: {T}, in: {E} (Hg.), {J}, {L} {Y}[, S. {P}].
{A} ({Y}). {T}. In {E} (Eds.), {J}[ (pp. {P})]. {L}: {U}.|{A} ({Y}) {T}. In: {E} (eds) {J}. {U}, {L}[, pp {P}]|{A}, "{T}," in {J}, {C}[, pp. {P}], {M} {Y}.|{A}, “{T},” in {J}, {C}, {M} {Y}[, pp. {P}].|{A}, “{T},” in {J}, {E}, Eds. {L}: {U}, {Y}[, pp. {P}].
{A}, « {T} », dans {E} (dir.), {J}, {L}, {U}, {Y}[, p. {P}].|{A} ({Y}). « {T} ». Dans {E} (éd.), {J}[ (p. {P})]. {L}: {U}.|{A}, « {T} », in {E} (dir.), {J}, {U}, {Y}[, p. {P}].|{A}. "{T}". En: {E} (ed.), {J}. {L}: {U}, {Y}[, pp. {P}].|{A}. {T}. In: {E} (Org.). {J}. {L}: {U}, {Y}[. p. {P}].
{A}. “{T}.” In {J}, edited by {E}[, {P}]. {L}: {U}, {Y}.|{A}. {Y}. “{T}.” In {J}, ed. {E}[, {P}]. {L}: {U}.|{A}, ‘{T}’, in {E} (eds), {J} ({L}: {U}, {Y})[, pp. {P}].|{A}, ‘{T}’, in {J}, ed. by {E} ({L}: {U}, {Y})[, pp. {P}].|{A}. {T}. In: {E}, eds. {J}. {L}: {U}; {Y}[:{P}].
{A}. {T}. In: {E}, editors. {J}. {B}. {L}: {U}; {Y}[. p. {P}].|{A}. {Y}. {T}. In {J}[, {P}]. {U}.|{A}. {Y}. {T}. In {E}, editors, {J}[, pages {P}], {C}. {U}.|{A} {Y}. {T}. Pages {P} in {E}, editors. {J}. {U}, {L}.|{A}. {T}. {J}[, pp. {P}], {Y}.|{A}. {T}. {J}, {C}, {Y}.|{A}, "{T}", {J}, {C}[, pp. {P}], {Y}.|{A}, {T}, {J}, {C}, {Y}[, {P}].
{A}. ``{T}.'' In {J}[, pp. {P}], {Y}.|{A}. {T}. In {J} [({Y}), {U}], [pp. {P}.]|{A}. {Y}. {T}. {J}. {C}. [pp. {P}]|{A}, {T}, in {J} ({U}, {L}, {Y})[, p. {P}].|{A}, in {J}, edited by {E} ({U}, {L}, {Y})[, p. {P}].""".replace("\n", "|").split("|")  # fmt: skip
OTHERS = """{A}. {T}. {G}, {U}, {Y}.|{A}. {T}. {G}, {U}, {L}, {M} {Y}.|{A}, {T}, {G}, {U} ({Y}).|{A} ({Y}). {T}. {G}. {U}.|{A}. {T}. {G} {K}, {U}, {Y}.|{A}, "{T}," {G} {K}, {U}, {M} {Y}.|{A}, {Y}. {T}. {G} {K}. {U}.|{A}: {T}. {G}, {U} ({Y})|{A}: {T}. {G}, {U}, {Y}.|{A} ({Y}): {T}. {G}. {U}
{A}. {T}. {J}, {M} {Y}.|{A}. “{T}.” {J}, {M} {Y}.|{A} ({Y}, {M}). {T}. {J}. [Retrieved from {W}]|{A}. {T}. {J}. {Y}. [Available at: {W} (accessed 12 May 2014).]|{A}. {T}. [{W}], {Y}.|{T} ⟦Internet⟧. {J} ⟦cited 2019 Mar 14⟧. Available from: {W}|{A}. {T} ⟦Internet⟧. {J}; {Y}[ {M}] ⟦cited 2021 Mar 14⟧. Available from: {W}|"{T}." {J}, {W}. Accessed 14 Mar. 2020.|{T}. (n.d.). {J}. {W}|{A} (no date) {T}, {J}. Available at: {W} (Accessed: 14 March 2020).|{A} (no date) ‘{T}’, {J}. {W}|{A}. n.d. “{T}.” {J}. Accessed March 14, 2022. {W}.|{A}. (n.d.). {T}. {J}. Retrieved March 3, 2020, from {W}|{A}, “{T},” {J}. Accessed: Mar. 14, 2018. ⟦Online⟧. Available: {W}|{A}. {T}. arXiv preprint arXiv:1907.01{K}, {Y}.|{A}. {T}. Unpublished manuscript, {Y}.|{A}. {T}. In preparation.|{T}. {W}|{A}, {T}, {W}[, {Y}].
{A} ({Y}). {T}. {J}.|{A}. {T}. Submitted to {J}, {Y}.|{A}, private communication ({Y}).|{A}. {T}. {Y}.|{A} {Y}. {T}. {G}, {U}, {L}.""".replace("\n", "|").split("|")  # fmt: skip
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
FOREIGN_MONTHS = [
    "Januar",
    "Februar",
    "März",
    "Mai",
    "Juni",
    "Oktober",
    "janvier",
    "février",
    "juillet",
    "septembre",
    "enero",
    "abril",
    "octubre",
]


def shape_reference(item: dict[str, Any], rng: random.Random) -> Parts:
    kind = item["type"]
    pool = (
        ARTICLES if kind == "article-journal" else BOOKS if kind == "book"
        else CHAPTERS if kind in {"chapter", "paper-conference"} else OTHERS
    )  # fmt: skip
    values = _field_values(item, rng)
    for _ in range(8):
        template = rng.choice(pool)
        bare = (
            re.sub(r"\[[^\[\]]*\]", "", template)
            if template.count("[") == template.count("]")
            else template
        )
        if all(values.get(name) for name in re.findall(r"\{(\w)\}", bare)):
            break
    return [part for part in _fill_template(template, values) if part[1]]


def _fill_template(template: str, values: dict[str, str]) -> Parts:
    kept = re.sub(
        r"\[([^\[\]]*)\]",
        lambda group: (
            group[1] if all(values.get(name) for name in re.findall(r"\{(\w)\}", group[1])) else ""
        ),
        template,
    )
    parts: Parts = []
    for piece in re.split(r"(\{\w\})", kept):
        if re.fullmatch(r"\{\w\}", piece):
            parts.append((LABELS[piece[1]], values.get(piece[1], "")))
        elif parts and parts[-1][1].endswith(".") and piece.startswith("."):
            parts.append(("?", piece[1:]))
        elif not any(text for _, text in parts):
            parts.append(("?", piece.lstrip(".,:; ")))  # nobody wrote it
        else:
            parts.append(("?", piece))
    return [(label, text.replace("⟦", "[").replace("⟧", "]")) for label, text in parts]


def _field_values(item: dict[str, Any], rng: random.Random) -> dict[str, str]:
    date = item.get("issued", {}).get("date-parts", [[None]])[0]
    month = MONTHS[date[1] - 1] if len(date) > 1 else rng.choice(MONTHS)
    month = rng.choice((month, month[:3] + ".", month[:3], month, rng.choice(FOREIGN_MONTHS)))
    if len(date) > 2:
        month = rng.choice((f"{month} {date[2]},", f"{date[2]} {month}"))
    people = item.get("author") or []
    pages = str(item.get("page") or "")
    if rng.random() < 0.5:
        pages = re.sub(r"[-–]", rng.choice(("–", "--", "-", " - ")), pages)
    venue = str(item.get("container-title") or "")
    doi = str(item.get("DOI") or "")
    return {
        "A": format_names(people, rng), "E": format_names(item.get("editor") or [], rng),
        "T": vary_case(str(item.get("title") or ""), rng).rstrip("."), "J": venue, "S": str(item.get("container-title-short") or venue),
        "Y": f"{date[0] or ''}" + (rng.choice("abc") if rng.random() < 0.05 else ""), "M": month, "V": str(item.get("volume") or ""),
        "N": str(item.get("issue") or ""), "P": pages, "U": str(item.get("publisher") or ""), "L": str(item.get("publisher-place") or ""),
        "X": doi, "W": str(item.get("URL") or ""), "G": str(item.get("genre") or ""), "K": str(item.get("number") or ""),
        "B": rng.choice(("2nd ed.", "second edition", "3rd edn", "2. Aufl.", "2e éd.", "Vol. 2", "2nd edition")),
        "C": str(item.get("event-place") or ""), "R": str(item.get("collection-title") or ""),
    }  # fmt: skip


def vary_case(title: str, rng: random.Random) -> str:
    choice = rng.random()
    if choice < 0.2:
        small = {"of", "the", "and", "in", "on", "for", "a", "an", "to", "with", "by", "from"}
        return " ".join(
            word if word.lower() in small and at else word[:1].upper() + word[1:]
            for at, word in enumerate(title.split())
        )
    return title.upper() if choice > 0.98 else title


def format_names(people: list[dict[str, str]], rng: random.Random) -> str:
    """The people in one of the orders and separators of reference lists."""
    if not people:
        return ""
    style = rng.choice(
        (
            "G F",
            "G F",
            "I F",
            "I F",
            "IF",
            "F, I",
            "F, I",
            "F I",
            "F GI",
            "F, G",
            "F I.",
            "first",
            "F, GI",
            "F;I",
        )
    )
    glue, last = rng.choice(((", ", " and "), (", ", ", and "), (", ", " & "), (", ", ", & "), (", ", ", "), ("; ", "; "), (", ", " und "), (", ", " et "),
                             ("; ", " and "), (" and ", " and "), (", ", " y "), ("/", "/"), (" & ", " & ")))  # fmt: skip
    upper = rng.random() < 0.08
    names = [
        _format_name(
            who,
            "F, G" if style == "first" and not at else "G F" if style == "first" else style,
            upper=upper,
        )
        for at, who in enumerate(people)
    ]
    if len(names) > 1 and rng.random() < (0.25 if len(names) > 3 else 0.05):
        keep = rng.choice((1, 1, 2, 3))
        return glue.join(names[:keep]) + rng.choice(
            (
                " et al.",
                ", et al.",
                " et al",
                ", et al",
                " u. a.",
                " and others",
                ", et al.",
                " Et Al.",
            )
        )
    return names[0] if len(names) == 1 else glue.join(names[:-1]) + last + names[-1]


def _format_name(who: dict[str, str], style: str, *, upper: bool) -> str:
    if "literal" in who:
        return who["literal"]
    family = who["family"].upper() if upper else who["family"]
    letters = [word[0] for word in re.split(r"[\s.-]+", who["given"]) if word]
    spaced, tight = (
        " ".join(f"{letter}." for letter in letters),
        "".join(f"{letter}." for letter in letters),
    )
    return {
        "G F": f"{who['given']} {family}", "I F": f"{spaced} {family}", "IF": f"{tight} {family}",
        "F, I": f"{family}, {spaced}", "F I": f"{family} {tight}", "F GI": f"{family} {''.join(letters)}",
        "F, G": f"{family}, {who['given']}", "F I.": f"{family} {spaced}", "F, GI": f"{family}, {''.join(letters)}",
        "F;I": f"{family}, {tight}",
    }[style]  # fmt: skip
