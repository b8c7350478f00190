"""Deep research: plans a job, runs it in durable steps, checks citations and writes the report."""
