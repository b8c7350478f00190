from __future__ import annotations

from collections import Counter

import pytest

from benchmarks import audit
from benchmarks.audit import LARGE, SHARES, SMALL, Case, Run


def address(host: str, path: str) -> str:
    return f"http://{host}/{path}"


def run(*flags: tuple[str, ...], **calls: int) -> Run:
    return Run(seconds=1.0, cpu=0.5, peak=90.0, flags=flags, calls=calls)


def test_the_bibliography_has_every_kind_in_its_share_and_no_entry_twice() -> None:
    cases = audit.bibliography(LARGE, address)

    assert Counter(case.kind for case in cases) == SHARES
    assert len({str(case.entry) for case in cases}) == LARGE == sum(SHARES.values())


def test_a_smaller_one_is_made_of_the_same_kinds() -> None:
    cases = audit.bibliography(SMALL, address)

    assert set(SHARES) == {case.kind for case in cases}
    assert SMALL - len(SHARES) <= len(cases) <= SMALL


def test_a_flag_too_many_and_a_flag_too_few_are_mistakes() -> None:
    cases = [Case(entry={}), Case(entry={}, flags=frozenset({"retracted"}))]

    assert audit.wrong(cases, run((), ("retracted",))) == []
    assert len(audit.wrong(cases, run(("unchecked",), ()))) == 2


@pytest.mark.parametrize(("pages", "seconds"), [(0, 0.0), (8, 0.1), (9, 0.2), (64, 0.8)])
def test_links_take_as_many_waves_as_the_rule_makes_of_them(pages: int, seconds: float) -> None:
    assert audit.at_a_time(run(pages=pages)) == pytest.approx(seconds)
