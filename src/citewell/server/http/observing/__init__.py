"""What operators see of an HTTP server: request ids, health, metrics, logs and traces."""
