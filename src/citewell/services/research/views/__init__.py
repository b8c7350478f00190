"""Jobs, threads, budgets and exports in the form callers receive."""
