"""A study's record, whatever is missing or damaged in it, and the results that were posted for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from citewell.reading.markdown.markdown_text import escape_markdown
from citewell.text.safety.text_cleaning import extract_visible_text

_UNESCAPED_MARKUP_PATTERN = re.compile(r"(?<!\\)(<(?=[A-Za-z/!?])|\](?=\((?!https?://)))")
_HEADING_START_PATTERN = re.compile(r"(?m)^([ \t]{0,8})(?=#)")
_DAY_PATTERN = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?", re.ASCII)
_MAX_NUMBER_CHARS = 30
_WORDS_BY_CODE = {
    "NA": "not applicable",
    "EARLY_PHASE1": "Early Phase 1",
    "NIH": "NIH",
}
_MAX_MEASURES = 60
_MAX_TABLE_ROWS = 80
_MAX_COLUMNS = 8  # of groups; more become rows
_MAX_ANALYSES = 6
_MAX_EVENTS = 40
_NO_VALUE = "–"

Groups = Sequence[tuple[str, str]]  # id and title


class RecordPart:
    """A part of the record; missing and damaged parts are empty."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __bool__(self) -> bool:
        return bool(self.value)

    def find_subpart(self, *names: str) -> RecordPart:
        value = self.value
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        return RecordPart(value)

    def list_parts(self, *names: str) -> list[RecordPart]:
        value = self.find_subpart(*names).value
        return [RecordPart(item) for item in value if item] if isinstance(value, list) else []

    def find_plain_text(self, *names: str) -> str:
        """A plain text or number on one line; "" if it is anything else."""
        value = self.find_subpart(*names).value
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        text = str(value) if not isinstance(value, str) else value
        if not isinstance(value, str) and len(text) > _MAX_NUMBER_CHARS:
            return ""
        return " ".join(extract_visible_text(text).split())

    def format_text(self, *names: str) -> str:
        """A plain text, escaped for a line of markdown."""
        return escape_inline(self.find_plain_text(*names))

    def list_texts(self, *names: str) -> list[str]:
        found = (part.format_text() for part in self.list_parts(*names))
        return [text for text in found if text]

    def find_markdown(self, *names: str) -> str:
        """A text that the registry writes in markdown, made unable to start headings or tags."""
        value = self.find_subpart(*names).value
        if not isinstance(value, str):
            return ""
        safe = _UNESCAPED_MARKUP_PATTERN.sub(r"\\\1", extract_visible_text(value))
        return _HEADING_START_PATTERN.sub(r"\1\\", safe).strip()

    def find_inline_markdown(self, *names: str) -> str:
        """The same on one line, its list items separated by semicolons."""
        lines = (line.strip() for line in self.find_markdown(*names).split("\n"))
        items = [line.removeprefix("* ") for line in lines if line]
        return " ".join(
            f"{item};"
            if place + 1 < len(items) and not item.endswith((".", ":", ";", ","))
            else item
            for place, item in enumerate(items)
        )

    def find_code(self, *names: str) -> str:
        """A code of the registry in words: ACTIVE_NOT_RECRUITING is "active not recruiting"."""
        return format_registry_code(self.find_plain_text(*names))

    def find_date(self, *names: str) -> str:
        """An ISO date, perhaps without its day; "" if it is none."""
        text = self.find_plain_text(*names)
        return text if _DAY_PATTERN.fullmatch(text) else ""


def capitalize_first(text: str) -> str:
    """The text with its first letter a capital; the rest stays."""
    return text[:1].upper() + text[1:]


def escape_inline(text: str) -> str:
    return escape_markdown(text).replace("[", "\\[").replace("]", "\\]").replace("|", "\\|")


def format_registry_code(code: str) -> str:
    if code in _WORDS_BY_CODE:
        return _WORDS_BY_CODE[code]
    if code.startswith("PHASE") and code[5:].isdigit():
        return f"Phase {code[5:]}"
    is_code = code == code.upper() and any(map(str.isalpha, code))
    return escape_inline(code.replace("_", " ").lower() if is_code else code)


def format_fact_list(rows: Iterable[tuple[str, str]]) -> str:
    """A list of named facts; those without a value are left out."""
    return "\n".join(f"- {name}: {value}" for name, value in rows if value)


def format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A pipe table; "" if it has no rows."""
    lines = [f"| {' | '.join(cell or ' ' for cell in row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join(
        [f"| {' | '.join(cell or ' ' for cell in head)} |", "|" + " --- |" * len(head), *lines]
    )


# The posted results: flow of participants, baseline, outcome measures, adverse events.


def render_study_results(results: RecordPart, known_texts: Collection[str] = ()) -> str:
    """The results as sections of markdown; "" if none are posted.

    Descriptions among `known_texts` stand elsewhere on the page and are not repeated.
    """
    blocks = [
        _render_trial_flow(results.find_subpart("participantFlowModule")),
        _render_trial_baseline(results.find_subpart("baselineCharacteristicsModule")),
        _render_trial_measures(results.find_subpart("outcomeMeasuresModule"), known_texts),
        _render_trial_events(results.find_subpart("adverseEventsModule")),
    ]
    limits = results.find_inline_markdown("moreInfoModule", "limitationsAndCaveats", "description")
    if limits:
        blocks.append(f"### Limitations\n\n{limits}")
    found = "\n\n".join(filter(None, blocks))
    return f"## Results\n\n{found}" if found else ""


def _list_trial_groups(part: RecordPart, name: str = "groups") -> Groups:
    rows = (
        (entry.find_plain_text("id"), entry.format_text("title")) for entry in part.list_parts(name)
    )
    return [(number, title or number) for number, title in rows if number]


def _describe_trial_groups(part: RecordPart, name: str = "groups") -> str:
    lines = (
        f"- {entry.format_text('title')}: {entry.find_inline_markdown('description')}"
        for entry in part.list_parts(name)
        if entry.find_plain_text("title") and entry.find_plain_text("description")
    )
    return "\n".join(lines)


def _read_trial_row(parts: Iterable[RecordPart], groups: Groups, name: str) -> list[str]:
    """The values of one row by group; a dash where there is none."""
    found = {entry.find_plain_text("groupId"): entry.format_text(name) for entry in parts}
    return [found.get(number) or _NO_VALUE for number, _ in groups]


def _render_trial_flow(module: RecordPart) -> str:
    groups = _list_trial_groups(module)
    blocks = []
    for period in module.list_parts("periods"):
        rows = [
            [
                capitalize_first(entry.find_code("type")),
                *_read_trial_row(entry.list_parts("achievements"), groups, "numSubjects"),
            ]
            for entry in period.list_parts("milestones")
        ]
        rows += [
            [f"Withdrawn: {entry.find_code('type')}", *_read_trial_row(entry.list_parts("reasons"), groups, "numSubjects")]
            for entry in period.list_parts("dropWithdraws")
        ]  # fmt: skip
        head = [period.format_text("title") or "Period", *(title for _, title in groups)]
        blocks.append(format_markdown_table(head, rows[:_MAX_TABLE_ROWS]))
    notes = format_fact_list(
        [
            ("Recruitment", module.find_inline_markdown("recruitmentDetails")),
            ("Before assignment", module.find_inline_markdown("preAssignmentDetails")),
        ]
    )
    text = "\n\n".join(filter(None, [notes, _describe_trial_groups(module), *blocks]))
    return f"### Participant flow\n\n{text}" if text else ""


def _render_trial_baseline(module: RecordPart) -> str:
    groups = _list_trial_groups(module)
    rows = _list_trial_denominators(module, groups)
    for measure in module.list_parts("measures"):
        kind = _describe_measure_kind(measure)
        label = ", ".join(filter(None, [measure.format_text("title"), kind]))
        for name, values in _list_value_rows(measure, groups):
            rows.append([f"{label}: {name}" if name else label, *values])
    head = ["Baseline", *(title for _, title in groups)]
    table = format_markdown_table(head, rows[:_MAX_TABLE_ROWS])
    population = module.find_inline_markdown("populationDescription")
    text = "\n\n".join(filter(None, [population, table]))
    return f"### Baseline characteristics\n\n{text}" if text else ""


def _list_trial_denominators(part: RecordPart, groups: Groups) -> list[list[str]]:
    return [
        [f"{entry.format_text('units') or 'Units'} analysed", *_read_trial_row(entry.list_parts("counts"), groups, "value")]
        for entry in part.list_parts("denoms")
    ]  # fmt: skip


def _describe_measure_kind(measure: RecordPart) -> str:
    """What the numbers are: "mean (standard deviation), years"."""
    kind, spread = measure.find_plain_text("paramType"), measure.find_plain_text("dispersionType")
    shown = format_registry_code(kind)
    if spread and spread != "NONE":
        name = format_registry_code(spread)
        shown += f" ({name if '_' in spread else name.lower()})"
    unit = "" if kind.startswith("COUNT_OF_") else measure.format_text("unitOfMeasure")
    return ", ".join(filter(None, ["" if kind == "NUMBER" and not spread else shown, unit]))


def _list_value_rows(measure: RecordPart, groups: Groups) -> list[tuple[str, list[str]]]:
    """A name and the values by group for each class and category of a measure."""
    rows = []
    for part in measure.list_parts("classes"):
        for category in part.list_parts("categories"):
            names = [part.format_text("title"), category.format_text("title")]
            values = {
                entry.find_plain_text("groupId"): _format_trial_measurement(entry)
                for entry in category.list_parts("measurements")
            }
            row = [values.get(number) or _NO_VALUE for number, _ in groups]
            rows.append((", ".join(filter(None, names)), row))
    return rows


def _format_trial_measurement(entry: RecordPart) -> str:
    value, spread = entry.format_text("value"), entry.format_text("spread")
    low, high = entry.format_text("lowerLimit"), entry.format_text("upperLimit")
    if low or high:
        value += f" ({low or '?'} to {high or '?'})"
    elif spread:
        value += f" ({spread})"
    comment = entry.find_inline_markdown("comment")
    return f"{value}; {comment}" if comment else value


def _render_trial_measures(module: RecordPart, known_texts: Collection[str]) -> str:
    measures = module.list_parts("outcomeMeasures")
    if not measures:
        return ""
    blocks = [_render_trial_measure(entry, known_texts) for entry in measures[:_MAX_MEASURES]]
    if len(measures) > _MAX_MEASURES:
        blocks.append(f"{len(measures) - _MAX_MEASURES} more outcome measures are not shown.")
    return "\n\n".join(["### Outcome measures", *blocks])


def _render_trial_measure(measure: RecordPart, known_texts: Collection[str]) -> str:
    groups = _list_trial_groups(measure)
    kind, title = measure.find_code("type"), measure.format_text("title") or "Measure"
    status = measure.find_plain_text("reportingStatus")
    description = measure.find_inline_markdown("description")
    facts = format_fact_list(
        [
            ("Time frame", measure.format_text("timeFrame")),
            ("Measured", _describe_measure_kind(measure)),
            ("Description", "" if description in known_texts else description),
            ("Population", measure.find_inline_markdown("populationDescription")),
            ("Results", "" if status in {"", "POSTED"} else format_registry_code(status)),
        ]
    )
    analyses = "\n".join(
        f"- {text}"
        for entry in measure.list_parts("analyses")[:_MAX_ANALYSES]
        if (text := _describe_trial_analysis(entry, dict(groups)))
    )
    head = f"#### {capitalize_first(kind)}: {title}" if kind else f"#### {title}"
    return "\n\n".join(filter(None, [head, facts, _build_measure_table(measure, groups), analyses]))


def _build_measure_table(measure: RecordPart, groups: Groups) -> str:
    """Groups as rows if there is one value for each or too many groups, else as columns."""
    counts = _list_trial_denominators(measure, groups)
    rows = _list_value_rows(measure, groups)
    if not rows:
        return ""
    if len(rows) == 1 or len(groups) > _MAX_COLUMNS:
        unnamed = capitalize_first(_describe_measure_kind(measure)) or "Value"
        head = ["Group", *(row[0] for row in counts), *(name or unnamed for name, _ in rows)]
        columns = [*(row[1:] for row in counts), *(values for _, values in rows)]
        lines = [
            [title, *(column[place] for column in columns)]
            for place, (_, title) in enumerate(groups)
        ]
    else:
        head = ["", *(title for _, title in groups)]
        lines = [*counts, *([name or "Value", *values] for name, values in rows)]
    return format_markdown_table(head, lines[:_MAX_TABLE_ROWS])


def _describe_trial_analysis(entry: RecordPart, titles: dict[str, str]) -> str:
    compared = [titles.get(number.find_plain_text(), "") for number in entry.list_parts("groupIds")]
    estimate = entry.format_text("paramValue")
    name = entry.format_text("paramType")
    limits = [entry.format_text("ciLowerLimit"), entry.format_text("ciUpperLimit")]
    if estimate and any(limits):
        level = entry.format_text("ciPctValue")
        span = " to ".join(limit or "?" for limit in limits)
        estimate += f" ({f'{level}% ' if level else ''}CI {span})"
    method, chance = entry.format_text("statisticalMethod"), entry.find_plain_text("pValue")
    tested = method
    if chance:
        sign = "" if chance.startswith(("<", ">", "=")) else "= "
        tested = f"p {sign}{chance}" + (f" ({method})" if method else "")
    kind = entry.find_code("nonInferiorityType")
    parts = [
        tested,
        f"{name} {estimate}" if name and estimate else estimate,
        kind if kind not in {"", "other", "superiority"} else "",
        entry.find_inline_markdown("nonInferiorityComment"),
        entry.find_inline_markdown("pValueComment"),
        entry.find_inline_markdown("groupDescription"),
    ]
    text = "; ".join(filter(None, parts))
    who = " vs ".join(filter(None, compared))
    return f"{who}: {text}" if who and text else text


def _render_trial_events(module: RecordPart) -> str:
    parts = module.list_parts("eventGroups")
    if not parts:
        return ""
    rows = [
        [
            entry.format_text("title") or entry.find_plain_text("id"),
            *(_format_trial_share(entry, f"{kind}NumAffected", f"{kind}NumAtRisk") for kind in ("deaths", "serious", "other")),
        ]
        for entry in parts
    ]  # fmt: skip
    threshold = module.format_text("frequencyThreshold")
    facts = format_fact_list(
        [
            ("Time frame", module.format_text("timeFrame")),
            ("Threshold of other events", f"{threshold}%" if threshold else ""),
            ("Description", module.find_inline_markdown("description")),
        ]
    )
    groups = _list_trial_groups(module, "eventGroups")
    table = format_markdown_table(
        ["Affected of those at risk", "Died", "Serious events", "Other events"], rows
    )
    lists = [
        _render_event_list(module.list_parts("seriousEvents"), groups, "Serious events"),
        _render_event_list(module.list_parts("otherEvents"), groups, "Other events"),
    ]
    return "\n\n".join(filter(None, ["### Adverse events", facts, table, *lists]))


def _render_event_list(events: list[RecordPart], groups: Groups, title: str) -> str:
    """The events that most participants had, with how many of each group."""
    ranked = sorted(events, key=_count_trial_affected, reverse=True)
    rows = []
    for entry in ranked[:_MAX_EVENTS]:
        shares = {
            part.find_plain_text("groupId"): _format_trial_share(part, "numAffected", "numAtRisk")
            for part in entry.list_parts("stats")
        }
        rows.append([entry.format_text("term"), *(shares.get(number) or _NO_VALUE for number, _ in groups)])  # fmt: skip
    table = format_markdown_table([title, *(name for _, name in groups)], rows)
    left = len(events) - len(rows)
    return f"{table}\n\n{left} more are not shown." if table and left > 0 else table


def _count_trial_affected(event: RecordPart) -> int:
    numbers = (entry.find_plain_text("numAffected") for entry in event.list_parts("stats"))
    return sum(int(number) for number in numbers if number.isascii() and number.isdigit())


def _format_trial_share(part: RecordPart, affected: str, at_risk: str) -> str:
    some, every = part.find_plain_text(affected), part.find_plain_text(at_risk)
    if not some and not every:
        return _NO_VALUE
    return f"{some or '?'}/{every or '?'}"
