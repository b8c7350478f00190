"""Which addresses may be connected to: URL grammar, public IP ranges, operator rules."""
