"""Durable jobs: workflows whose steps are stored, and whose paid calls are never sent twice."""
