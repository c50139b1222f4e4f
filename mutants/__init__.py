"""Deliberately wrong versions of the transformation."""
