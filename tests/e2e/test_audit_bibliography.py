from __future__ import annotations

import pytest

from tests.e2e.test_trust import CLEAN, WORKS, Environ, talk
from tests.requirements import requires


@requires(
    "audit_bibliography.bibliography",
    "audit_bibliography.not_found",
    "audit_bibliography.retracted",
    "defect.malformed_records",
)
@pytest.mark.parametrize("transport", ["memory", "stdio"])
def test_a_bibtex_file_is_audited(transport: str, environ: Environ) -> None:
    good, other = CLEAN[0], CLEAN[1]
    retracted = next(one for one in WORKS if one.retracted)
    text = "\n".join(
        f"@article{{{key},\n title = {{{work.title}}},\n author = {{{' and '.join(work.names)}}},\n"
        f" year = {{{work.year}}},\n doi = {{{doi}}}\n}}"
        for key, work, doi in (
            ("good", good, good.doi),
            ("wrong", other, "10.1000/invented.3"),
            ("bad", retracted, retracted.doi),
        )
    )
    text += "\n@article{broken,\n title = {No end"

    [found] = talk(environ, ("audit_bibliography", {"bibliography": text}), transport=transport)

    flags = {one["key"]: one["flags"] for one in found["entries"]}
    assert found["source"] == "bibliography:bibtex"
    assert flags["good"] == []
    assert flags["wrong"] == ["not_found"]
    assert flags["bad"] == ["retracted"]
    assert found["entries"][1]["suggestedDoi"] == other.key
    assert found["malformed"][0]["line"] > 15
