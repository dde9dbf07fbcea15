"""Readers beside twelve writers: handles that stay open, handles that are opened for each read, and the command."""

import subprocess
import time

from stage import CHILD, Trouble

WRITERS = 12
HANDLES = {
    "kept open": ("--each", "1000000000"),
    "opened for reading": ("--each", "2"),
    "opened for writing": ("--each", "2", "--writable"),
}
# Where the machine is slow, or the run short, what is looked for is whoever waits for SQLite's own five seconds.
LONGEST = {"short": 4.0, "long": 1.0}


def run(stage):
    store, session = stage.new_store()
    stage.append(session, "before", store=store)
    seconds = max(2, int(stage.seconds))
    writers = stage.writers(store, WRITERS, seconds)
    readers = [
        stage.start(
            CHILD, "read", str(store), *options, "--seconds", str(seconds), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        for options in HANDLES.values()]
    runs, longest = 0, {}
    while any(reader.poll() is None for reader in readers):
        for words in (("ls",), ("show", session), ("stats",), ("search", "before")):
            began = time.monotonic()
            done = stage.keepsake(*words, store=store, ok=False)
            longest[words[0]] = max(longest.get(words[0], 0), time.monotonic() - began)
            runs += 1
            if done.returncode != 0:
                raise Trouble(f"'keepsake {words[0]}', run {runs}, ended with {done.returncode}: {done.stderr.strip()}")
    reads, waits = {}, {}
    for handle, reader in zip(HANDLES, readers):
        output, errors = reader.communicate()
        # "reads 17 failed 0 slowest-ms 3", and each failure on a line
        fields = output.split("\n")[0].split()
        if reader.returncode != 0 or fields[3] != "0":
            raise Trouble(f"a reader, {handle}, met errors: {(output + errors).strip()}")
        reads[handle], waits[handle] = int(fields[1]), int(fields[5]) / 1e3
    appends, wait = zip(*(writer.finish() for writer in writers))
    waits["append"] = max(wait)
    waits.update(longest)
    stage.verify(store)
    limit = LONGEST["short" if stage.is_short else "long"]
    late = {name: wait for name, wait in waits.items() if wait > limit}
    said = ", ".join(f"{name} {wait:.2f} s" for name, wait in waits.items())
    if late:
        raise Trouble(f"somebody waited longer than {limit} s: {said}")
    return (
        f"{sum(reads.values()):,} reads ({', '.join(f'{count:,} {name}' for name, count in reads.items())}) and "
        f"{runs:,} commands beside {sum(appends):,} appends of {WRITERS} writers, none failed; longest: {said}")
