"""Research jobs, their queue, steps, threads and the credit ledger."""
