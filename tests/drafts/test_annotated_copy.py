"""What is written of a checked draft: the page, the annotated copy, SARIF, the baseline, the repairs."""

from __future__ import annotations

import re

from citewell.drafts.commands.check import render_annotated_copy
from tests.checked_drafts import HOSTILE, TEXT, make_checked_draft


def test_the_annotated_copy_keeps_the_draft_and_has_a_footnote_for_each_finding() -> None:
    copy = render_annotated_copy(make_checked_draft())

    assert "SciPy was first released in 1999 [1].[^citewell-1] It is used" in copy
    assert re.sub(r"\[\^citewell-\d\]", "", copy.split("\n\n---\n")[0]) == TEXT.rstrip()
    notes = re.findall(r"^\[\^citewell-(\d)\]: ", copy, re.MULTILINE)
    assert notes == ["1", "2", "3", "4", "5"]
    assert HOSTILE not in copy
    assert r"\<script\>" in copy
