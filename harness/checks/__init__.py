"""The battery: every check, each with the question it serves, a tolerance with its reason, and a measured error."""
