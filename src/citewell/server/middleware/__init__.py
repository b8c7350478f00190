"""What surrounds every tool call, one concern a file; the order stands in `server.app`."""
