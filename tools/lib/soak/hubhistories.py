"""Random histories of stores that joined a hub or share its sessions, with new seeds, and connections that are cut."""

import re

from hubtests import Tests, seeds

WORDS = "Stores with random histories that (joined a hub|share sessions)|Stores that write to the same sessions"
CASES = re.compile(r"^✔ Test .* with (\d+) test cases? passed", re.MULTILINE)


def run(stage):
    # Some faults need a session that is deleted, forked and deleted again, which short histories rarely reach.
    goal, steps = (2, 60) if stage.is_short else (10_000, 300)
    tests = Tests(stage, "hub-histories", WORDS)
    first = next_seed = stage.chance.randrange(1, 1 << 30)
    sound = 0
    for count in tests.rounds(2, 200):
        count = min(count, first + goal - next_seed)
        text = tests.run(**seeds(next_seed, count), KEEPSAKE_HISTORY_STEPS=steps)
        next_seed += count
        sound += sum(int(cases) for cases in CASES.findall(text))
        tests.tell(f"{next_seed - first} seeds, {sound:,} histories ended as they should")
        if next_seed - first >= goal:
            break
    return tests.end(f"{sound:,} histories of {steps} steps, of three kinds; seeds {first} to {next_seed - 1}")
