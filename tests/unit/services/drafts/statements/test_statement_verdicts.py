"""Statements of a draft judged by the texts of their sources."""

from __future__ import annotations

import asyncio

import pytest

from citewell.errors import Blocked, NotFound
from citewell.model.draft_findings import DraftVerdict as V
from citewell.services.drafts.other_sources import FoundWork, OtherSourceFinder
from citewell.services.links.link_checks import LinkState
from tests.requirements import requires
from tests.unit.services.drafts.manuscripts import (
    OWNER,
    PAGE,
    check,
    checker,
    find,
    manuscript,
    verdicts,
)
from tests.unit.services.trust.desk import Desk, page

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


@pytest.mark.parametrize(
    "statement",
    [
        "Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles [1].",
        "After 3,000 cycles, lithium iron phosphate cells retained 82 percent of capacity [1].",
        "The study followed 412 households in Norway between 2016 and 2021 [1].",
        "A high storage temperature increases the loss of capacity [1].",
        "No module was replaced by the operator during the trial [1].",
        "The project's leader said: “Heat is the one enemy that no warranty mentions” [1].",
        'Its leader said that "heat is the one enemy … no warranty mentions" [1].',
    ],
)
def test_what_the_source_says_is_supported(statement: str) -> None:
    assert judge(statement) is V.SUPPORTED


@requires("check_draft.values")
@pytest.mark.parametrize(
    ("statement", "draft", "source"),
    [
        ("Lithium iron phosphate cells kept 92 % of their capacity after 3,000 cycles [1].", "92 %", "82 %"),
        ("The study followed 142 households in Norway between 2016 and 2021 [1].", "142 households", "412 households"),
        ("Costs fell to 240 dollars per kilowatt hour in 2021 [1].", "240 dollars", "140 dollars"),
        ("Lithium iron phosphate cells kept 82 % of their capacity after 9,000 cycles [1].", "9,000 cycles", "3,000 cycles"),
    ],
)  # fmt: skip
def test_a_changed_number_is_told_with_the_number_of_the_source(
    statement: str, draft: str, source: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    [difference] = found.differences or ()
    assert (difference.kind, difference.draft, difference.source) == ("number", draft, source)
    [shown] = found.evidence or ()
    assert source.split(maxsplit=1)[0] in shown.passage
    assert shown.url == PAGE
    assert [one.kind for one in found.repairs or ()] == ["statement"]


@requires("check_draft.values")
@pytest.mark.parametrize(
    ("statement", "source", "reason"),
    [
        ("The programme reached 300 school districts in its first year [1].", "In its first year the programme reached 30 school districts. Teachers liked it.", "The source gives another number: 30, not 300."),
        ("Die Stadt hat 300 öffentliche Schulen [1].", "Die Stadt hat 30 öffentliche Schulen und zwei Museen. Sie liegt am Rhein.", "The source gives another number: 30, not 300."),
        ("The firm employs 1,200 people in Spain [1].", "The firm employs 2,100 people in Spain and 300 in Portugal.", "The source gives another number: 2,100 people, not 1,200 people."),
        ("The model reached a high AUC (.696) on the test set [1].", "The model reached a high AUC (.796) on the test set. The mean age was 54 years.", "The source gives another number: .796, not .696."),
        ("The survey found that 41 percent of people trust the news [1].", "The survey was done in May. 65 percent of people watch the news, and 14 percent of people trust the news.", "The source gives another number: 14 percent, not 41 percent."),
    ],
    ids=["modifier", "adjective", "counted thing", "decimals without a zero", "number of the same clause"],
)  # fmt: skip
def test_a_reason_names_the_number_that_belongs_to_the_statement(
    statement: str, source: str, reason: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(source)))

    assert found.reason == reason


def test_a_changed_year_is_told_as_a_date() -> None:
    draft = manuscript("Costs fell to 140 dollars per kilowatt hour in 2018 [1].", {"1": PAGE})

    found = find(check(draft, desk_with(SOURCE)))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    assert [(one.kind, one.draft, one.source) for one in found.differences or ()] == [
        ("date", "2018", "2021")
    ]


@requires("check_draft.values")
def test_an_altered_quotation_is_told_with_the_words_of_the_source() -> None:
    said = "The leader said: “Heat is the only enemy that every warranty mentions” [1]."

    found = find(check(manuscript(said, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.PARTLY
    [difference] = found.differences or ()
    assert difference.kind == "quotation"
    assert "no warranty mentions" in (difference.source or "")


def test_the_opposite_of_a_sentence_is_contradicted_with_that_sentence() -> None:
    found = find(
        check(
            manuscript("High storage temperature decreases the loss of capacity [1].", {"1": PAGE}),
            desk_with(SOURCE),
        )
    )

    assert found.verdict is V.CONTRADICTED
    assert "increases" in (found.evidence or ())[0].passage


REFUSAL = f"The authority refused to publish the contract with the builder. {FILLER}"


@pytest.mark.parametrize(
    ("statement", "source", "expected"),
    [
        ("The authority published the contract with the builder [1].", REFUSAL, V.CONTRADICTED),
        (
            "The authority refused to publish the contract with the builder [1].",
            REFUSAL,
            V.SUPPORTED,
        ),
        (
            "Sales of the builder came to 40 million euros in 2021 [1].",
            f"Sales of the builder declined to 40 million euros in 2021. {FILLER}",
            V.SUPPORTED,
        ),
    ],
)
def test_a_refusal_is_the_opposite_of_the_deed(statement: str, source: str, expected: V) -> None:
    assert judge(statement, source) is expected


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("Holcomb met the teachers [1].", "Teachers didn't see Holcomb, who was in Florida."),
        ("Several workers were injured in the fire [1].", "No worker was injured in the fire."),
    ],
)
def test_a_denial_in_other_words_is_pointed_out(statement: str, said: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(f"{said} {FILLER}")))

    assert found.verdict is V.RELATED
    assert found.reason.startswith("A passage of the source may say the opposite")


def test_a_subject_that_the_whole_source_does_not_touch_is_not_in_the_source() -> None:
    assert (
        judge("Vaccination campaigns halved measles outbreaks among toddlers [1].")
        is V.NOT_IN_SOURCE
    )


@pytest.mark.parametrize("more", [{"quality": "partial"}, {"truncated": True}])
def test_what_was_read_in_part_is_never_said_not_to_be_in_the_source(more: dict[str, str]) -> None:
    said = "Vaccination campaigns halved measles outbreaks among toddlers [1]."

    assert judge(said, **more) is V.UNCHECKED


def test_a_source_that_cannot_be_read_is_unavailable_with_its_reason() -> None:
    desk = Desk(pages={PAGE: Blocked("A bot wall.")})

    found = find(check(manuscript("Cells kept 82 % of their capacity [1].", {"1": PAGE}), desk))

    assert found.verdict is V.SOURCE_UNAVAILABLE
    assert "the site blocks automated access" in found.reason


def test_one_source_that_supports_is_enough() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, FILLER * 2)
    said = "The study followed 412 households in Norway between 2016 and 2021 [1, 2]."

    assert find(check(manuscript(said, {"1": other, "2": PAGE}), desk)).verdict is V.SUPPORTED


def test_a_source_that_was_not_read_forbids_an_accusation_by_the_other() -> None:
    desk = desk_with(SOURCE)
    said = "The study followed 142 households in Norway between 2016 and 2021 [1, 2]."
    draft = manuscript(said, {"1": PAGE, "2": "https://reports.example.org/unread"})

    found = find(check(draft, desk))

    assert found.verdict is V.UNCHECKED
    assert found.is_unanswered  # the failure may pass


def test_a_number_that_one_source_lacks_may_be_in_another_that_settles_nothing() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"{FILLER} There were 57 grants.", quality="partial")
    said = "The trial was funded by the agency with 57 grants"

    together = check(manuscript(f"{said} [1, 2].", {"1": PAGE, "2": other}), desk)
    alone = check(manuscript(f"{said} [1].", {"1": PAGE}), desk)

    assert find(together).verdict is V.RELATED
    assert find(alone).verdict is V.PARTLY
    assert "57 grants appears nowhere" in find(alone).reason


def test_a_number_of_which_the_source_says_nothing_is_named_but_accuses_nobody() -> None:
    found = find(check(manuscript("Depots numbered 57 [1].", {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.RELATED
    assert "57 appears nowhere" in found.reason


def test_a_shared_citation_supports_or_says_nothing() -> None:
    draft = manuscript(
        "Lithium iron phosphate cells kept 82 % of their capacity after 3,000 cycles [1].\n"
        "Vaccination campaigns halved measles outbreaks among toddlers [1].",
        {"1": PAGE},
    )
    shared = tuple(
        type(one)(id=one.id, text=one.text, place=one.place, shared_citation_ids=one.citation_ids)
        for one in draft.statements
    )
    draft = type(draft)(
        text=draft.text,
        format=draft.format,
        statements=shared,
        citations=draft.citations,
        references=draft.references,
    )

    assert verdicts(check(draft, desk_with(SOURCE))) == [V.SUPPORTED]


def test_an_uncited_number_and_a_missing_reference_are_told() -> None:
    draft = manuscript("Prices rose by 40 % within a year.\nThis was to be expected [7].", {})

    report = check(draft, Desk())

    assert [one.verdict for one in report.findings] == [V.NO_REFERENCE, V.UNCITED]
    assert "7" in report.findings[0].reason
    assert report.findings[1].place is not None
    assert report.findings[1].place.line == 1


def test_the_summary_counts_and_names_the_worst_first() -> None:
    draft = manuscript(
        "Prices rose by 40 % within a year.\n"
        "High storage temperature decreases the loss of capacity [1].\n"
        "The study followed 412 households in Norway between 2016 and 2021 [1].",
        {"1": PAGE},
    )

    report = check(draft, desk_with(SOURCE))

    assert report.findings[0].verdict is V.CONTRADICTED
    assert report.summary.verdicts == {"contradicted": 1, "uncited": 1, "supported": 1, "found": 1}
    assert [line.split(":")[0] for line in report.summary.worst] == ["line 2"]
    assert not report.summary.is_clean
    assert report.judge == "lexical"


GUIDE = f"""# A guide to sleep, food and tax

Not getting enough potassium can increase blood pressure and increase the risk of kidney stones. Short naps
of 20 to 90 minutes can restore some of that capacity. Human performance is 86.8 %, and a simple baseline
reaches 20 %. The share of adults who practised yoga more than doubled between 2002 and 2022, from 7.5 to 17.3
percent. The detector looks at only 300 proposals per image. Use was measured in 2012 and in 2017.

{FILLER}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "Short naps of 50 to 190 minutes can restore some of the capacity [1].",  # ranges overlap
        "Human performance is 66.8 % [1].",  # the difference of two numbers, but nothing says so
        "Among adults, those who practise yoga went from 7.5 percent in 2002 to 27.3 percent in 2022 [1].",
        "This method gets by with 700 proposals per image [1].",
    ],
)
def test_a_changed_number_is_told_by_the_numbers_and_the_words_beside_it(statement: str) -> None:
    assert judge(statement, GUIDE) in {V.CONTRADICTED, V.PARTLY}


@pytest.mark.parametrize(
    "statement",
    [
        "Too little potassium can increase blood pressure and increase the risk of kidney stones [1].",
        "Human performance is higher than the simple baseline by 66.8 points [1].",
        "In 2021, human performance was 86.8 % [1].",  # a year that the source need not give
        "2. Short naps of 20 to 90 minutes can restore some of that capacity [1].",
    ],
)
def test_a_sound_statement_is_not_accused_for_a_number_or_a_denial(statement: str) -> None:
    assert judge(statement, GUIDE) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


@requires("check_draft.find_sources")
def test_another_source_of_the_draft_is_offered_where_the_cited_one_is_silent() -> None:
    other = "https://reports.example.org/measles"
    text = "Vaccination campaigns halved measles outbreaks among toddlers in rural districts."
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"# Measles\n\n{text}\n\n{FILLER}")
    draft = manuscript(
        "Vaccination campaigns halved measles outbreaks among toddlers [1].\n"
        "Vaccination campaigns halved measles outbreaks among toddlers in rural districts [2].",
        {"1": PAGE, "2": other},
    )

    report = asyncio.run(
        checker(desk, others=OtherSourceFinder(desk)).check_draft(draft, owner=OWNER)
    )

    [found] = [one for one in report.findings if one.verdict is V.NOT_IN_SOURCE]
    [repair] = found.repairs or ()
    assert (repair.kind, repair.new, repair.is_certain) == ("other_source", other, False)
    assert repair.evidence is not None
    assert "measles" in repair.evidence.passage


@requires("check_draft.find_sources")
@pytest.mark.parametrize("where", ["abstract", "copy"])
def test_a_work_of_the_literature_is_offered_with_its_passage_before_the_web_is_asked(
    where: str,
) -> None:
    doi, copy = "https://doi.org/10.5555/measles", "https://repository.example.org/measles.pdf"
    text = "Vaccination campaigns halved measles outbreaks among toddlers."
    desk = desk_with(SOURCE)
    desk.pages[copy] = page(copy, f"# Measles\n\n{text} {FILLER}")
    told: list[tuple[str, str]] = []

    async def search_works(words: str) -> list[FoundWork]:
        told.append(("literature", words))
        abstract = f"We asked nurses. {text}" if where == "abstract" else "We asked nurses."
        return [FoundWork(url=doi, title="Measles", abstract=abstract, copy_url=copy)]

    async def search(words: str) -> list[str]:
        told.append(("web", words))
        return []

    others = OtherSourceFinder(desk, literature=search_works, search=search)
    draft = manuscript(text[:-1] + " [1].", {"1": PAGE})
    report = asyncio.run(
        checker(desk, others=others).check_draft(draft, owner=OWNER, find_sources=True)
    )

    [repair] = find(report).repairs or ()
    assert told == [("literature", text)]
    assert (repair.kind, repair.new, repair.is_certain) == ("other_source", doi, False)
    assert repair.evidence is not None
    assert "halved measles" in repair.evidence.passage
    assert any("literature" in line for line in report.shared)


@requires("check_draft.find_sources")
def test_the_web_is_asked_where_the_literature_has_nothing_or_is_down() -> None:
    told: list[str] = []

    async def fail(_words: str) -> list[FoundWork]:
        raise Blocked("Not today.")

    async def search(words: str) -> list[str]:
        told.append(words)
        return []

    desk = desk_with(SOURCE)
    others = OtherSourceFinder(desk, literature=fail, search=search)
    draft = manuscript("Penguins of southern islands moult in a warm season [1].", {"1": PAGE})

    asyncio.run(checker(desk, others=others).check_draft(draft, owner=OWNER, find_sources=True))

    assert len(told) == 1


@requires("check_draft.find_sources")
@pytest.mark.parametrize("may_search", [True, False])
def test_search_providers_are_asked_only_if_the_caller_says_so(*, may_search: bool) -> None:
    found_at = "https://reports.example.org/found"
    text = "Vaccination campaigns halved measles outbreaks among toddlers."
    desk = desk_with(SOURCE)
    desk.pages[found_at] = page(found_at, f"{text} {FILLER}")
    told: list[str] = []

    async def search(words: str) -> list[str]:
        told.append(words)
        return [found_at]

    others = OtherSourceFinder(desk, search=search)
    report = asyncio.run(
        checker(desk, others=others).check_draft(
            manuscript(text[:-1] + " [1].", {"1": PAGE}), owner=OWNER, find_sources=may_search
        )
    )

    assert bool(told) is may_search
    assert any("search providers" in line for line in report.shared) is may_search
    offered = [one.new for one in find(report).repairs or ()]
    assert offered == ([found_at] if may_search else [])


@pytest.mark.parametrize(
    "statement",
    [
        "High storage temperature decreases the loss of capacity [1].",
        "High storage temperature does not increase the loss of capacity [1].",
        "The operator replaced modules during the trial [1].",
    ],
)
def test_a_contrary_of_an_equal_sentence_is_contradicted(statement: str) -> None:
    assert judge(statement) is V.CONTRADICTED


@pytest.mark.parametrize(
    "statement",
    [
        "Fishermen in Patagonia mend their nets with recycled parachute silk [1].",
        "Two thirds of Portuguese bakeries sell sourdough to hospitals [1].",
    ],
)
def test_what_no_part_of_a_long_source_speaks_of_is_not_in_it(statement: str) -> None:
    assert judge(statement) is V.NOT_IN_SOURCE


@pytest.mark.parametrize(
    "statement",
    [
        "An older guide to the subject can still be found at this address [1].",
        "Warm cellars wear them out sooner, as 412 homes showed [1].",
        "Keeping them cool pays off [1].",
    ],
)
def test_what_is_said_of_the_text_itself_or_in_other_words_is_not_called_absent(
    statement: str,
) -> None:
    assert judge(statement) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


@pytest.mark.parametrize(
    "statement",
    [
        "For 95 dollars a kilowatt hour, prices came down [1].",
        "In 2021 costs came down to 104 dollars for each kilowatt hour [1].",
        "The households that the study in Norway looked at were 421 [1].",
    ],
)
def test_a_number_in_the_place_of_another_is_told_in_a_paraphrase_too(statement: str) -> None:
    assert judge(statement) in {V.PARTLY, V.CONTRADICTED}


def test_a_short_page_with_an_end_is_read_as_a_whole_and_a_preview_is_not() -> None:
    short = (
        "The canal is 82 kilometres long from deep water to deep water, and a passage takes ten hours."
        " It was opened in 1914. Ships are lifted 26 metres to the lake by locks and lowered again."
        " Each passage through the old locks lets fresh water flow into the sea, and side basins of the"
        " new locks keep most of theirs. Pilots board at the anchorage."
    )
    absent = "Penguins in Patagonia sleep beside abandoned railway carriages every winter [1]."

    assert judge(absent, short) is V.NOT_IN_SOURCE
    assert judge(absent, f"{short} Continue reading with a subscription.") is V.UNCHECKED


def test_a_finding_names_the_reference_whose_source_decided_it() -> None:
    other = "https://reports.example.org/other"
    desk = desk_with(SOURCE)
    desk.pages[other] = page(other, f"# Other things\n\nNothing here is about cells. {FILLER}")
    draft = manuscript(
        "Lithium iron phosphate cells kept 62 % of their capacity after 3,000 cycles at 25 degrees Celsius [1, 2].",
        {"1": other, "2": PAGE},
    )

    found = find(check(draft, desk))

    assert found.verdict in {V.CONTRADICTED, V.PARTLY}
    assert found.reference_id == "r2"


def test_the_sentence_that_is_offered_has_no_mark_of_a_list() -> None:
    source = f"# Costs\n\n- Costs fell to 140 dollars per kilowatt hour in 2021.\n\n{FILLER}"

    found = find(
        check(
            manuscript("Costs fell to 240 dollars per kilowatt hour in 2021 [1].", {"1": PAGE}),
            desk_with(source),
        )
    )

    assert [one.text for one in found.repairs or ()] == [
        "The source says: “Costs fell to 140 dollars per kilowatt hour in 2021.”"
    ]


@pytest.mark.parametrize("order", ["[1, 2]", "[2, 1]"])
def test_a_lost_source_beside_one_that_was_read_is_not_called_the_only_one(order: str) -> None:
    gone = "https://reports.example.org/gone"
    desk = desk_with(SOURCE)
    desk.links[gone] = LinkState(state="dead", status=404, reason="http_404")
    desk.pages[gone] = NotFound("There is nothing.")
    said = f"Penguins of the south breed in winter {order}."

    both = find(check(manuscript(said, {"1": PAGE, "2": gone}), desk))
    alone = find(check(manuscript(said.replace(order, "[2]"), {"2": gone}), desk))

    assert both.verdict is alone.verdict is V.SOURCE_UNAVAILABLE
    assert "There is no source to read" not in both.reason
    assert alone.reason.startswith("There is no source to read. The link is dead (HTTP 404).")


HUTS = f"""# Three mountain huts

The Larch Hut stands above the tree line. A night in the Larch Hut costs 38 euros, and it sleeps 24 guests.

The Lake Hut lies on the northern shore. A night in the Lake Hut costs 52 euros, and it sleeps 60 guests.

The Summit Hut is the oldest. A night in the Summit Hut costs 27 euros, and it sleeps 16 guests. Chapter 4
of the guide shows the way to the Summit Hut. Chapter 6 of the guide shows birds and flowers of the lake.

{FILLER}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "For its night the Larch Hut takes 52 euros from walkers [1].",
        "In the Larch Hut a night is 52 euros [1].",
        "The Larch Hut takes 60 guests [1].",
    ],
)
def test_a_number_of_another_thing_in_the_source_is_not_supported(statement: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(HUTS)))

    assert found.verdict in {V.PARTLY, V.RELATED}
    assert found.evidence is not None
    assert "Larch Hut costs 38 euros, and it sleeps 24 guests" in found.evidence[0].passage


def test_a_number_that_stands_nowhere_is_told_with_the_one_in_its_place() -> None:
    statement = "Whoever stays at the oldest of the huts, on the summit, pays 73 euros [1]."

    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(HUTS)))

    assert found.verdict is V.PARTLY
    assert found.differences is not None
    assert [(one.draft, one.source) for one in found.differences] == [("73 euros", "27 euros")]


@pytest.mark.parametrize(
    "statement",
    [
        "For its night the Larch Hut takes 38 euros from walkers [1].",
        "The Lake Hut on the northern shore has beds for 60 guests [1].",
        "A night at the lake costs 14 euros more than one above the tree line [1].",
    ],
)
def test_a_sound_number_among_others_of_its_kind_is_not_accused(statement: str) -> None:
    assert judge(statement, HUTS) in {V.SUPPORTED, V.RELATED, V.UNCHECKED}


def test_a_number_is_not_said_to_stand_in_a_place_that_speaks_of_something_else() -> None:
    soup = "The soup for the tables boils for two hours, and dinner is served beside the stove."
    source = HUTS.replace("The Summit Hut is the oldest.", soup)

    found = find(
        check(
            manuscript("The way is half an hour shorter by boat [1].", {"1": PAGE}),
            desk_with(source),
        )
    )

    assert found.verdict is V.RELATED
    assert found.reason.startswith("Half an hour appears nowhere")


def test_a_label_that_names_another_part_is_not_said_to_stand_nowhere() -> None:
    found = find(
        check(
            manuscript(
                "Birds and flowers of the lake are in chapter 4 of the guide [1].", {"1": PAGE}
            ),
            desk_with(HUTS),
        )
    )

    assert found.verdict is V.PARTLY
    assert "nowhere" not in found.reason
    assert "Chapter 6" in found.reason


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("The trial of grid batteries was funded by Boeing [1].", "Boeing"),
        ("The study followed households in Norway and Portugal [1].", "Portugal"),
        ("The Gates Foundation funded the trial of the modules [1].", "The Gates Foundation"),
    ],
)
def test_a_name_that_the_source_does_not_mention_is_not_in_it(statement: str, missing: str) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is V.NOT_IN_SOURCE
    assert found.reason.endswith(f"does not mention {missing.removeprefix('The ')}.")


def test_the_site_of_a_page_may_be_named_in_a_statement() -> None:
    statement = "Grid Observatory followed 412 households in Norway between 2016 and 2021 [1]."

    assert judge(statement, site="Grid Observatory") is V.SUPPORTED


@pytest.mark.parametrize(
    ("statement", "verdict", "reason"),
    [
        (
            "Its leader said that “heat is the mild enemy that no warranty mentions” [1].",
            V.PARTLY,
            "The source has “one” where the quotation has “mild”.",
        ),
        (
            "Its leader said that “cold winters ruin every single battery” [1].",
            V.NOT_IN_SOURCE,
            "The quotation “cold winters ruin every single battery” is not in the source.",
        ),
        (
            "The operator called the trial “catastrophic” [1].",
            V.NOT_IN_SOURCE,
            "The quotation “catastrophic” is not in the source.",
        ),
    ],
)
def test_a_quotation_that_differs_or_is_missing_is_named(
    statement: str, verdict: V, reason: str
) -> None:
    found = find(check(manuscript(statement, {"1": PAGE}), desk_with(SOURCE)))

    assert found.verdict is verdict
    assert found.reason == reason
