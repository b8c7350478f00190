"""Which Host and Origin headers are accepted, and what browsers of other origins may do."""
