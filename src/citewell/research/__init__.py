"""Deep research: plans a job, runs it in durable steps, checks citations and writes the report."""

# What other rooms may import.
API = ("judge_calls", "research_service", "research_store", "settings")
