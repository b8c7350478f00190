"""The worker process that holds the model of an encoder or a judge; fenced in like the others, with no other task."""

from __future__ import annotations

from citewell.workers.task_table import ENCODER_TASK_PATHS
from citewell.workers.worker_process import run_worker

ENCODER_MODULE = "citewell.workers.encoder_process"

if __name__ == "__main__":
    run_worker(preload=(), tasks=ENCODER_TASK_PATHS)
