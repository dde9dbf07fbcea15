"""The server that writes, of a pair of PostgreSQL, is killed again and again in the middle of appends of stores that share.
Nothing in it follows from the seed: when a server dies decides what happens."""

import re

from hubtests import Tests

WORDS = "have each acknowledged entry once when a standby takes over"
COUNTS = re.compile(r"^(\d+) times: (\d+) appends, (\d+) unknown", re.MULTILINE)


def run(stage):
    goal = 3 if stage.is_short else 100
    tests = Tests(stage, "hub-failovers", WORDS, usual=240)
    failovers = appends = unknown = 0
    # A test without a second failover would not have the killed server join again.
    for count in tests.rounds(3 if stage.is_short else 5, 25):
        text = tests.run(KEEPSAKE_FAILOVERS=max(2, min(count, goal - failovers)))
        for found in COUNTS.findall(text):
            failovers, appends, unknown = (
                before + int(more) for before, more in zip((failovers, appends, unknown), found))
        tests.tell(f"{failovers} failovers, {appends:,} appends acknowledged, {unknown} not")
        if failovers >= goal:
            break
    return tests.end(
        f"{failovers} of {goal} failovers; {appends:,} appends were acknowledged and are there once, "
        f"{unknown} were not, and are there at most once")
