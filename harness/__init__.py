"""Programs, checks and measurements."""
