"""Simplification of straight-line programs: fewer operations, the same numbers."""
