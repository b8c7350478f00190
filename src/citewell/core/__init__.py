"""What every room builds on: settings, errors, how tools are declared, and values that many rooms use."""
