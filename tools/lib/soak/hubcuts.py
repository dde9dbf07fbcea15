"""Connections to a database and to a bucket are cut in any message, and some messages come late, or twice."""

import re

from hubtests import Tests, seeds

WORDS = "takes each commit once, and loses none that it acknowledged|connections that are cut anywhere double nothing"
DATABASE = re.compile(
    r"^seed \d+: (\d+) connections cut, (\d+) of them with bytes that came late; (\d+) commits, (\d+) unknown", re.MULTILINE)
BUCKET = re.compile(r"^seed \d+: (\d+) cuts, (\d+) of (\d+) offers are in, (\d+) acknowledged", re.MULTILINE)


def run(stage):
    goal = 2 if stage.is_short else 300
    tests = Tests(stage, "hub-cuts", WORDS, has_bucket=True)
    first = next_seed = stage.chance.randrange(1, 1 << 30)
    database, bucket = [0] * 4, [0] * 4
    for count in tests.rounds(2, 40):
        count = min(count, first + goal - next_seed)
        text = tests.run(**seeds(next_seed, count))
        next_seed += count
        for pattern, sums in ((DATABASE, database), (BUCKET, bucket)):
            for found in pattern.findall(text):
                sums[:] = (before + int(more) for before, more in zip(sums, found))
        tests.tell(f"{database[0]:,} connections to a database and {bucket[0]:,} to a bucket were cut")
        if next_seed - first >= goal:
            break
    told = (
        f"a database: {database[0]:,} connections cut, {database[1]:,} with bytes that came late, {database[2]:,} commits, "
        f"{database[3]:,} unknown; a bucket: {bucket[0]:,} cut, {bucket[1]:,} of {bucket[2]:,} offers in, "
        f"{bucket[3]:,} acknowledged; seeds {first} to {next_seed - 1}")
    missing = [name for name, sums in (("database", database), ("bucket", bucket)) if not sums[0]]
    if missing:
        told += f"; no server for a {' or a '.join(missing)} is here (tools/hub-servers list)"
    return tests.end(told)
