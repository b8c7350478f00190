"""Durable jobs: workflows whose steps are stored, and whose paid calls are never sent twice."""

# What other rooms may import.
API = (
    "dbos_host",
    "durable_job",
    "job_engine",
    "job_service",
    "run_record",
    "step_values",
    "store.job_rows",
    "store.job_store",
    "store.ledger_rows",
    "store.ledger_store",
    "store.thread_store",
)
