"""What a command prints: text, tables, JSON, spinners and progress."""
