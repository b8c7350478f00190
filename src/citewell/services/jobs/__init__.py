"""Durable jobs: workflows whose steps are recorded, and whose paid calls are never paid twice."""
