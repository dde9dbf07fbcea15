"""Stores sync with a hub that lies, with new seeds, until it has lied in so many syncs.
A seed says what is written and which lies are told; the sessions have new ids each time, so a failure may take some runs to come again."""

import re
from collections import Counter

from hubtests import Tests, seeds

WORDS = "Stores whose hub lies"
STEPS = 120
# So many of a hundred answers are lies: more than in the check, so that most syncs meet one.
PERCENT = 50
COUNTS = re.compile(r"^seed \d+: (\d+) of (\d+) syncs with lies: (.*)$", re.MULTILINE)


def run(stage):
    goal = 50 if stage.is_short else 10_000
    tests = Tests(stage, "hub-lies", WORDS)
    first = next_seed = stage.chance.randrange(1, 1 << 30)
    syncs = lying = 0
    lies = Counter()
    for count in tests.rounds(4, 200):
        if lying:
            # About as many seeds as are still needed.
            count = max(1, min(count, (goal - lying) * (next_seed - first) // lying + 1))
        text = tests.run(**seeds(next_seed, count), KEEPSAKE_HISTORY_STEPS=STEPS, KEEPSAKE_HISTORY_LIES=PERCENT)
        next_seed += count
        for found in COUNTS.findall(text):
            lying, syncs = lying + int(found[0]), syncs + int(found[1])
            for each in found[2].split(", "):
                kind, _, number = each.strip().partition(" ")
                lies[kind] += int(number or 0)
        tests.tell(f"{lying:,} syncs with lies of {syncs:,}, {lies.total():,} lies")
        if lying >= goal:
            break
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in lies.most_common())
    return tests.end(
        f"{lying:,} of {goal:,} syncs with lies, among {syncs:,}; {lies.total():,} lies ({kinds}); "
        f"seeds {first} to {next_seed - 1}, {STEPS} steps each")
