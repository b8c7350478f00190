"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

from citewell.drafts.draft_findings import DraftVerdict as V
from tests.drafts.manuscripts import PAGE, check, find, manuscript
from tests.trust.desk import Desk, page

FILLER = " ".join(
    f"Paragraph {word} describes the test bench, its wiring and the way in which staff logged the runs."
    for word in [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
    ]
)


SOURCE = f"""# Ageing of grid batteries

Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles at 25 degrees Celsius.
The study followed 412 households in Norway between 2016 and 2021. High storage temperature increases
the loss of capacity. The operator did not replace any module during the trial. Costs fell to 140 dollars
per kilowatt hour in 2021. “Heat is the one enemy that no warranty mentions,” said the project's leader,
Ingrid Solberg. The trial was funded by the Norwegian Energy Agency.

{FILLER}
"""


def judge(statement: str, source: str = SOURCE, **more: str) -> V:
    return find(check(manuscript(statement, {"1": PAGE}), desk_with(source, **more))).verdict


def desk_with(source: str, **more: str) -> Desk:
    return Desk(pages={PAGE: page(PAGE, source, title="Ageing of grid batteries", **more)})


REFUSAL = f"The authority refused to publish the contract with the builder. {FILLER}"


GUIDE = f"""# A guide to sleep, food and tax

Not getting enough potassium can increase blood pressure and increase the risk of kidney stones. Short naps
of 20 to 90 minutes can restore some of that capacity. Human performance is 86.8 %, and a simple baseline
reaches 20 %. The share of adults who practised yoga more than doubled between 2002 and 2022, from 7.5 to 17.3
percent. The detector looks at only 300 proposals per image. Use was measured in 2012 and in 2017.

{FILLER}
"""


HUTS = f"""# Three mountain huts

The Larch Hut stands above the tree line. A night in the Larch Hut costs 38 euros, and it sleeps 24 guests.

The Lake Hut lies on the northern shore. A night in the Lake Hut costs 52 euros, and it sleeps 60 guests.

The Summit Hut is the oldest. A night in the Summit Hut costs 27 euros, and it sleeps 16 guests. Chapter 4
of the guide shows the way to the Summit Hut. Chapter 6 of the guide shows birds and flowers of the lake.

{FILLER}
"""
