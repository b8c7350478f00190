"""Response formats and billing rules that several providers share."""
