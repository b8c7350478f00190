from __future__ import annotations

from citewell.research.reporting.model_synthesis import SOURCES_HEADING, strip_source_section


def test_the_list_of_sources_is_taken_out_and_nothing_else() -> None:
    report = f"# T\n\n## Answer\n\nYes.\n\n{SOURCES_HEADING}\n\n- [src_1] A\n\n## Method\n\nNone.\n"

    assert strip_source_section(report) == "# T\n\n## Answer\n\nYes.\n\n## Method\n\nNone.\n"


def test_a_report_without_such_a_list_stays_as_it_is() -> None:
    assert (
        strip_source_section("## Sources of error\n\nMany.\n") == "## Sources of error\n\nMany.\n"
    )
