"""TCP connections of the HTTP server: strict parsing, time limits, numbers and efficient writes."""
