"""How well citations are judged: every kind of fault, and the genuine ones that must never be accused.

Run: python benchmarks/trust.py. All registries, links and pages are those of the loopback web; the
works are real ones, and so are the faults that people and models make in citing them.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.report import Goal, Section, table
from citewell import config
from citewell.server.app import App
from tests.internet.faults import ALWAYS, Fault
from tests.internet.papers import Work, register
from tests.internet.serve import Internet
from tests.internet.world import World

AT_ONCE = 16
REGISTRIES = (
    "crossref", "openalex", "datacite", "doi", "pubmed", "europepmc", "semanticscholar", "arxiv",
    "unpaywall", "core", "exa",
)  # fmt: skip
OUTAGES = {
    "429": Fault(status=429, body="slow down"),
    "500": Fault(status=500, body="oops"),
    "HTML": Fault(status=200, body="<html><body>Log in</body></html>", headers={"content-type": "text/html"}),
    "nothing": Fault(status=200, body="", headers={"content-type": "application/json"}),
    "bare 404": Fault(status=404, body="Resource not found.", headers={"content-type": "application/json"}),
}  # fmt: skip
SOFT_404 = "<html><head><title>Page not found</title></head><body><h1>Page not found</h1><p>Sorry, the page you are looking for does not exist.</p></body></html>"
# Which finding each kind must lead to; all others must lead to none of them.
EXPECTED = {
    "genuine": "",
    "invented DOI": "not registered",
    "neighbour's DOI": "mismatch",
    "wrong author": "mismatch",
    "wrong year": "mismatch",
    "retracted": "retracted",
    "corrected only": "",
    "dead link": "dead link",
    "soft 404": "dead link",
    "live page": "",
    "mischaracterised": "mischaracterised",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    kind: str
    citation: str
    claim: str = ""
    right: str = ""  # the DOI that should be offered


def initials(given: str) -> str:
    return " ".join(f"{word[0]}." for word in given.replace("-", " ").split() if word)


def names(work: Work, *, turned: bool) -> str:
    written = []
    for author in work.authors[:6]:
        if isinstance(author, str):
            written.append(author)
        elif turned:
            written.append(f"{author[1]} {initials(author[0]).replace('. ', '').strip('.')}")
        else:
            written.append(f"{author[1]}, {initials(author[0])}")
    return ", ".join(written)


def apa(work: Work, *, author: str = "", year: int | None = None) -> str:
    return f"{author or names(work, turned=False)} ({year or work.year}). {work.title}. {work.venue}, {work.volume or 1}({work.issue or 1}), {work.pages or '1-9'}."


def vancouver(work: Work, *, author: str = "", year: int | None = None) -> str:
    return f"{author or names(work, turned=True)}. {work.title}. {work.venue}. {year or work.year};{work.volume or 1}({work.issue or 1}):{work.pages or '1-9'}."


def cases(world: World, internet: Internet) -> Iterator[Case]:
    works = [one for one in register().works if one.authors and one.year]
    for place, work in enumerate(works):
        style = (apa, vancouver)[place % 2]
        other = works[(place + 7) % len(works)]
        kind = "genuine" if not work.retracted else "retracted"
        if work.events and {event.kind for event in work.events} == {"correction"}:
            kind = "corrected only"
        yield Case(kind=kind, citation=f"{style(work)} https://doi.org/{work.doi}")
        yield Case(kind=kind, citation=style(work))
        if work.retracted:
            continue
        yield Case(
            kind="invented DOI",
            citation=f"{style(work)} doi:10.1000/invented.{place}",
            right=work.key,
        )
        yield (
            Case(kind="neighbour's DOI", citation=f"{style(work)} doi:{other.doi}", right=work.key)
            if not other.retracted
            else Case(kind=kind, citation=work.doi)
        )
        if work.kind == "article-journal":
            yield Case(
                kind="wrong author",
                citation=f"{style(work, author='Abernathy, Q., Zimbalist, R.')} doi:{work.doi}",
            )
            yield Case(
                kind="wrong year",
                citation=f"{style(work, year=(work.year or 0) - 5)} doi:{work.doi}",
            )
    yield from pages(world, internet)


def pages(world: World, internet: Internet) -> Iterator[Case]:
    hosts = sorted({page.host for page in world.pages if page.language == "en"})
    for number, host in enumerate(hosts):
        url = internet.page(host, f"gone-{number}")
        yield Case(kind="dead link", citation=url)
        yield Case(kind="soft 404", citation=internet.page(host, f"soft-{number}"))
        world.fail(
            f"/{host}/soft-{number}",
            Fault(status=200, body=SOFT_404, headers={"content-type": "text/html"}),
            times=ALWAYS,
        )
    for page, claim in long_pages(world):
        yield Case(
            kind="mischaracterised",
            citation=page,
            claim="Zirconium cladding embrittles after hydride precipitation.",
        )
        yield Case(kind="live page", citation=page, claim=claim)


def long_pages(world: World) -> list[tuple[str, str]]:
    """Each host's pages in one, long enough to say what it leaves out, with a claim of its own."""
    found, made = [], []
    for host in sorted({page.host for page in world.pages if page.language == "en"}):
        texts = [page for page in world.pages if page.host == host]
        text = "\n\n".join(page.markdown for page in texts)
        if len(text.split()) < 200:
            continue
        made.append(replace(texts[0], path="whole", markdown=text, url=""))
        found.append((world.address(host, "whole"), texts[0].snippet(length=300)))
    world.add(*made)
    return found


def finding(answer: dict[str, Any]) -> str:
    """What the answer accuses the citation of; empty for nothing."""
    if answer.get("retractionStatus", {}).get("retracted"):
        return "retracted"
    if answer.get("existence") == "not_registered":
        return "not registered"
    if answer.get("mismatches"):
        return "mismatch"
    if answer.get("claimSupport") == "not_addressed":
        return "mischaracterised"
    return "dead link" if answer.get("linkState") == "dead" else ""


async def judged(app: App, chosen: Sequence[Case]) -> list[dict[str, Any]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(case: Case) -> dict[str, Any]:
        given = {"citation": case.citation} | ({"claim": case.claim} if case.claim else {})
        async with gate:
            outcome = await app.call("verify_citation", given)
        return dict(outcome.body)

    return await asyncio.gather(*map(one, chosen))


def scores(chosen: Sequence[Case], answers: Sequence[dict[str, Any]]) -> list[list[str]]:
    told = [finding(answer) for answer in answers]
    wrongly = Counter(
        said for case, said in zip(chosen, told, strict=True) if said != EXPECTED[case.kind]
    )
    rows = []
    for kind, expected in EXPECTED.items():
        own = [said for case, said in zip(chosen, told, strict=True) if case.kind == kind]
        right = sum(said == expected for said in own)
        every = sum(said == expected for said in told)
        precision = f"{1 - wrongly[expected] / every:.3f}" if expected and every else "-"
        rows.append(
            [kind, str(len(own)), f"{right / len(own):.3f}", precision, str(len(own) - right)]
        )
    return rows


def offered(chosen: Sequence[Case], answers: Sequence[dict[str, Any]]) -> str:
    wanted = [(case, answer) for case, answer in zip(chosen, answers, strict=True) if case.right]
    right = sum(answer.get("suggestedDoi") == case.right for case, answer in wanted)
    return f"{right} of {len(wanted)}"


async def down(environ: dict[str, str], world: World, name: str) -> tuple[int, int]:
    """How many genuine citations were judged, and how many accused, while the registries fail so."""
    for registry in REGISTRIES:
        world.fail(registry, OUTAGES[name], times=ALWAYS)
    app = App(config.load(environ | {"CITEWELL_SEARCH_TIMEOUT": "1"}))
    genuine = [Case(kind="genuine", citation=one.doi) for one in register().works[:60]]
    genuine += [Case(kind="genuine", citation=apa(one)) for one in register().works[:20]]
    answers = await judged(app, genuine)
    await app.aclose()
    accused = sum(finding(one) != "" or one.get("exists") is False for one in answers)
    return len(genuine), accused


def environment(internet: Internet, folder: Path) -> dict[str, str]:
    return internet.env() | {
        "CITEWELL_CONFIG": str(folder / "none.toml"),
        "CITEWELL_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
        "CITEWELL_PROFILE": "all",
        "AUDIT_ENABLED": "false",
        "CITEWELL_LINK_THRESHOLD": "10000000",
    }


async def run(internet: Internet, folder: Path) -> Section:
    world, environ = internet.world, environment(internet, folder)
    chosen = list(cases(world, internet))
    app = App(config.load(environ))
    answers = await judged(app, chosen)
    await app.aclose()
    rows = scores(chosen, answers)
    outages = []
    for number, name in enumerate(OUTAGES):
        world.reset()
        outages.append(
            (
                name,
                *await down(
                    environ | {"CITEWELL_DATA_DIR": str(folder / f"{number}")}, world, name
                ),
            )
        )
    accused = sum(count for _, _, count in outages)
    fair = next(row for row in rows if row[0] == "genuine")
    return Section(
        title="Trust in citations",
        command="python benchmarks/trust.py",
        body=table(("kind", "citations", "judged rightly", "precision of its finding", "missed or accused"), rows),
        notes=(
            f"{len(chosen)} citations of {len(register().works)} works and the loopback web's pages, through the"
            f" verify_citation tool. The right DOI was offered for {offered(chosen, answers)} wrong ones. With every"
            " registry failing (" + ", ".join(f"{name}: {count} of {total} accused" for name, total, count in outages)
            + "). Misses are on the safe side: books have editions, and titles in other scripts are not compared."
        ),
        goals=(
            Goal(text="genuine citations accused while registries are down", measured=str(accused), met=accused == 0),
            Goal(text="genuine citations accused while they answer", measured=fair[4], met=fair[4] == "0"),
        ),
    )  # fmt: skip


def main() -> None:
    with Internet() as internet, tempfile.TemporaryDirectory() as folder:
        section = asyncio.run(run(internet, Path(folder)))
    print(section.markdown())
    for goal in section.goals:
        print(f"{goal.text}: {goal.measured} ({'met' if goal.met else 'missed'})")


if __name__ == "__main__":
    main()
