"""The tests of the store, on stores that share the sessions of a hub."""

import re

from hubtests import Tests

WORDS = r"^KeepsakeTests\."
# The runner's own count includes skipped tests, so the lines of tests that passed are counted.
PASSED = re.compile(r"^✔ Test (?!run |case ).* passed after ", re.MULTILINE)


def run(stage):
    # A store refuses files below /dev, where files in memory are.
    tests = Tests(stage, "hub-stores", WORDS, is_in_memory=False)
    text = tests.run(KEEPSAKE_SHARED=1)
    return tests.end(f"{len(PASSED.findall(text)):,} tests of the store passed on stores that share the sessions of a hub")
