"""How many cited statements of each kind the citation check of deep research tells for what they are."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.report import Goal, Section, table
from tests.evidence import evaluate
from tests.evidence.cases import GOOD, LOST, cases
from tests.evidence.evaluate import MEANT, Judged
from tests.internet.serve import Internet

SIDES = ("seen", "unseen")
FLOOR = 0.8


def evidence(_: object) -> Section:
    with Internet() as web:
        found = {side: _judged(side, web) for side in SIDES}
    bare = {side: evaluate.score(found[side], "unsupported").precision for side in SIDES}
    return Section(
        title="Evidence: citations of reports checked",
        command="python -m benchmarks evidence",
        body=f"{_flags(found)}\n\n{_kinds(found)}",
        notes=_NOTES,
        goals=(
            Goal(
                text="unsupported statements flagged with precision of at least .8",
                measured=" / ".join(f"{value:.2f}" for value in bare.values()),
                met=min(bare.values()) >= FLOOR,
            ),
        ),
    )


_NOTES = (
    "Each cell has the side that the check was improved on, then the side with other pages and other luck. The"
    " statements are ours, about pages of the loopback web, a fifth of them copied by chance; they are put into reports"
    " with inline links, numbers and spans, and every page is read by the server's own reader. `unsupported` is"
    " meant for all statements that are not so, and finds those that share few words with the page; a wrong number"
    " or a denial has flags of its own. A page's own sentence with one wrong name passes: words are compared, not"
    " what they stand for."
)


def _judged(side: str, web: Internet) -> list[Judged]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(evaluate.judge(cases(side, web.world), environ(web, folder)))


def environ(web: Internet, folder: str) -> dict[str, str]:
    return web.env() | {
        "CITEWELL_CONFIG": f"{folder}/none.toml",
        "CITEWELL_DATA_DIR": folder,
        "HOME": folder,
        "CITEWELL_STEALTH": "false",
        "CHROME_PATH": "disabled",
    }


def _flags(found: Mapping[str, Sequence[Judged]]) -> str:
    rows = []
    for flag in MEANT:
        scores = [evaluate.score(found[side], flag) for side in SIDES]
        rows.append(
            [
                flag,
                " / ".join(str(one.flagged) for one in scores),
                " / ".join(f"{one.precision:.2f}" for one in scores),
                " / ".join(f"{one.recall:.2f}" for one in scores),
            ]
        )
    return table(("flag, seen / unseen", "given", "precision", "recall"), rows)


def _kinds(found: Mapping[str, Sequence[Judged]]) -> str:
    sides = [evaluate.kinds(found[side]) for side in SIDES]
    order = [*GOOD, *(kind for kind in sorted(sides[0]) if kind not in {*GOOD, *LOST}), *LOST]
    rows = [
        [f"{kind} (sound)" if kind in GOOD else kind, *_row([side[kind] for side in sides], kind)]
        for kind in order
    ]
    return table(
        ("statement, seen / unseen", "count", "unsupported", "any doubt", "page not there"), rows
    )


def _row(counts: Sequence[Counter[str]], kind: str) -> list[str]:
    columns = ("count", "unsupported", "doubted", LOST.get(kind, "dead"))
    return [" / ".join(str(one[name]) for one in counts) for name in columns]
