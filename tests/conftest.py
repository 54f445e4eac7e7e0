"""Hypothesis draws the same examples in every run, so that what passed here passes elsewhere.

`pytest --hypothesis-profile=default` draws others, to look further.
"""

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.load_profile("same")
