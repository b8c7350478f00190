"""Errors of requests about jobs, threads, claims and credit."""

from __future__ import annotations

from citewell import errors
from citewell.model.counted_words import pluralize


class UnknownJob(errors.JobNotFound):
    """No job has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No research job has this id.")


class UnknownThread(errors.ThreadNotFound):
    """No thread has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No research thread has this id.")


class UnknownClaim(errors.ClaimNotFound):
    """No claim has this id, or it belongs to another owner."""

    def __init__(self) -> None:
        super().__init__("No claim has this id.")


class UnknownStep(errors.NotFound):
    """The job has no such step."""


class ThreadInUse(errors.ThreadBusy):
    """The thread has an unfinished job; a new one can start once it has finished."""

    def __init__(self) -> None:
        super().__init__("This thread has research in progress. Wait for it to complete.")


class BalanceTooLow(errors.InsufficientBalance):
    """The balance does not cover the maximum cost of the job; nothing was started."""

    def __init__(self, *, balance_cents: int, required_cents: int) -> None:
        cents = {"balanceCents": max(0, balance_cents), "requiredCents": required_cents}
        super().__init__(
            f"The balance of {cents['balanceCents']} {pluralize(cents['balanceCents'], 'cent')} does not cover the "
            f"{cents['requiredCents']} {pluralize(cents['requiredCents'], 'cent')} this may cost.",
            extra=cents,
        )


class TenantBudgetTooLow(errors.InsufficientBalance):
    """The budget that the users of a tenant share does not cover the job; nothing was started."""

    def __init__(self, *, balance_cents: int, required_cents: int) -> None:
        cents = {"balanceCents": balance_cents, "requiredCents": required_cents}
        super().__init__(
            f"The budget that you share with the other users of your tenant has {balance_cents} "
            f"{pluralize(balance_cents, 'cent')} left, which does not cover the {required_cents} {pluralize(required_cents, 'cent')} this may cost.",
            extra=cents | {"limit": "tenant-budget"},
        )
