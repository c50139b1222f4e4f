"""The efficiency theorem: its languages, its transformation and its cost model."""
