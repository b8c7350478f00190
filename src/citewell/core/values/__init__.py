"""Values that many rooms use."""
