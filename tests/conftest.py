"""Settings of the property tests: examples follow from the test alone, and no clock decides."""

from hypothesis import settings

settings.register_profile("adjudge", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("adjudge")
