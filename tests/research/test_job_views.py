"""What callers are told of a job while it is under way and when it has ended."""

from __future__ import annotations

from dataclasses import replace

from citewell.core.values.research import ResearchStatus
from citewell.jobs.durable_job import Job, JobEvent, JobStep, JobStepState, JobView
from citewell.jobs.step_values import ResearchAssignment
from citewell.research.job_views import (
    build_partial_view,
    build_report_key,
    build_status_view,
    describe_next_step,
)

WORK = ResearchAssignment(query="How hot?", tier="S", providers=("local", "exa"), mode="methodical")
JOB = Job(id="j", owner="o", kind="research", args=WORK.to_json(), thread="t", created=100.0)
RUNNING = JobView(
    job=JOB,
    status=ResearchStatus.RUNNING,
    seq=3,
    started=101.0,
    steps=(
        JobStep(key="local:search:1", state=JobStepState.DONE, started=102.0, finished=103.0),
        JobStep(
            key=build_report_key("local"),
            state=JobStepState.DONE,
            started=104.0,
            finished=109.0,
        ),
        JobStep(key=build_report_key("exa"), state=JobStepState.SUBMITTED, started=104.0),
    ),
)


def test_the_progress_of_each_provider_is_shown_with_what_was_read() -> None:
    events = [JobEvent(seq=1, happened=1.0, type="pages_read", payload={"count": 4})] * 2

    shown = build_status_view(RUNNING, events, now=110.0)

    assert shown["progress"]["local"]["durationSeconds"] == 7  # from its first search
    assert shown["progress"]["exa"]["status"] == "running"
    assert (shown["providersComplete"], shown["providersTotal"]) == (1, 2)
    assert (shown["pagesRead"], shown["elapsedMs"]) == (8, 10_000)
    assert shown["updatedAt"] == "1970-01-01T00:01:49Z"


def test_a_job_whose_worker_is_lost_says_that_another_will_continue() -> None:
    lost = replace(RUNNING, worker_lost_at=105.0, attempts=1)

    shown = build_status_view(lost, now=110.0)

    assert shown["waitingForWorker"] == {"since": "1970-01-01T00:01:45Z", "attempt": 2}
    assert "attempt 2" in shown["nextStep"]


def test_the_next_step_follows_from_the_status() -> None:
    assert describe_next_step(RUNNING).startswith("1/2 providers complete.")
    for status, word in (
        (ResearchStatus.COMPLETED, "Call get_results"),
        (ResearchStatus.FAILED, "the error says why"),
        (ResearchStatus.CANCELLED, "whatever was paid for"),
    ):
        assert word in describe_next_step(replace(RUNNING, status=status))


def test_a_failed_job_shows_what_was_written_before() -> None:
    failed = replace(RUNNING, status=ResearchStatus.FAILED, finished=111.0)

    shown = build_partial_view(failed, {"exa": "It is hot."})

    assert shown["synthesisBy"] == "none"
    assert shown["synthesis"].endswith("## exa\n\nIt is hot.")
    assert shown["duration"]["totalSeconds"] == 11
