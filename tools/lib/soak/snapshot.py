"""Holds a snapshot while others write, and looks how long the log is once it is let go of."""

import sqlite3
import time

from stage import Trouble

# Above this the log is written from its beginning again, and a little more may come before that is tried.
BOUND = 72 << 20


def run(stage):
    store, session = stage.new_store()
    stage.append(session, "before", store=store)
    seconds = max(6, int(stage.seconds))
    log = store / "store.sqlite-wal"
    writers = stage.writers(store, 2, seconds)
    reader = sqlite3.connect(f"file:{store / 'store.sqlite'}?mode=ro", uri=True, isolation_level=None)
    reader.execute("BEGIN")
    held = reader.execute("SELECT count(*) FROM entry").fetchone()
    time.sleep(seconds * 0.6)
    if reader.execute("SELECT count(*) FROM entry").fetchone() != held:
        raise Trouble("a snapshot changed while it was held")
    reader.execute("COMMIT")
    reader.close()
    longest = log.stat().st_size
    # While they go on: the last one to close a store cuts the log in any case.
    after = longest
    while all(writer.process.poll() is None for writer in writers):
        after = log.stat().st_size
        time.sleep(0.01)
    appends = sum(writer.finish()[0] for writer in writers)
    if after > BOUND:
        raise Trouble(f"the log was {longest:,} bytes beside a reader, and is {after:,} without one")
    stage.verify(store)
    return f"{appends:,} appends beside a snapshot; the log {longest / 1e6:.0f} MB with it, {after / 1e6:.0f} MB after it"
