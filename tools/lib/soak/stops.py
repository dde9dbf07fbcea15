"""Stops one of eight writers at random moments: the others must go on, unless the stopped one holds the lock itself."""

import os
import signal
import time

from stage import Trouble

WRITERS = 8
PATIENCE = 3.0


def run(stage):
    store, session = stage.new_store()
    stage.append(session, "before", store=store)
    seconds = max(6, int(stage.seconds))
    writers = stage.writers(store, WRITERS, seconds)
    end = time.monotonic() + seconds - PATIENCE
    stops = holding = 0
    while time.monotonic() < end:
        time.sleep(stage.chance.uniform(0, 0.1))
        stopped = stage.chance.choice(writers)
        os.kill(stopped.process.pid, signal.SIGSTOP)
        stops += 1
        try:
            holding += not goes_on(store, stopped, writers)
        finally:
            os.kill(stopped.process.pid, signal.SIGCONT)
    appends = sum(writer.finish()[0] for writer in writers)
    stage.verify(store)
    return (
        f"{stops} stops, in {holding} of them the stopped process held the lock itself; in no other one was anybody "
        f"kept waiting; {appends:,} appends")


def goes_on(store, stopped, writers):
    """Whether somebody else writes though one is stopped; not, where that one holds the lock."""
    time.sleep(0.02)
    before = [writer.size for writer in writers if writer is not stopped]
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if [writer.size for writer in writers if writer is not stopped] != before:
            return True
        if holds(stopped.process.pid, store / "store.lock"):
            return False
        time.sleep(0.005)
    raise Trouble(f"a stopped process that does not hold the lock kept all others waiting for {PATIENCE} s")


def holds(process, lock):
    """Whether the system says that a process holds a lock; that of one which only waits for it begins with an arrow."""
    inode = lock.stat().st_ino
    for line in open("/proc/locks"):
        fields = line.split()
        if fields[1] == "FLOCK" and int(fields[4]) == process and int(fields[5].split(":")[2]) == inode:
            return True
    return False
