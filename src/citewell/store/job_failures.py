"""What can be wrong with a request about jobs, threads, claims and money."""

from __future__ import annotations

from citewell import errors
from citewell.model.research import TICKS_PER_CENT


class JobNotFound(errors.JobNotFound):
    """No job has this id, or it is not the caller's."""

    def __init__(self) -> None:
        super().__init__("No research job has this id.")


class ThreadNotFound(errors.ThreadNotFound):
    """No thread has this id, or it is not the caller's."""

    def __init__(self) -> None:
        super().__init__("No research thread has this id.")


class ClaimNotFound(errors.ClaimNotFound):
    """No claim has this id, or it is not the caller's."""

    def __init__(self) -> None:
        super().__init__("No claim has this id.")


class StepNotFound(errors.NotFound):
    """The job has no such step."""


class ThreadBusy(errors.ThreadBusy):
    """The thread has a job under way; another may begin once it has ended."""

    def __init__(self) -> None:
        super().__init__("This thread has research in progress. Wait for it to complete.")


class InsufficientBalance(errors.InsufficientBalance):
    """The budget does not cover what the job may cost; nothing was begun."""

    def __init__(self, *, balance: int, required: int) -> None:
        cents = {
            "balanceCents": max(0, balance // TICKS_PER_CENT),
            "requiredCents": -(-required // TICKS_PER_CENT),
        }
        super().__init__(
            f"The balance of {cents['balanceCents']} cents does not cover the "
            f"{cents['requiredCents']} cents this may cost.",
            extra=cents,
        )
