"""Straight lines as few loop nests: views instead of copies, and operations that go along the same rows in one loop."""
