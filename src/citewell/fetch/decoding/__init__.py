"""From the bytes of a response to its content kind, charset and text."""
