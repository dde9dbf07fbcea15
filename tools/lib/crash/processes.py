"""Lets processes append to one store at the same time: all is there, and each gets its turns.

They commit, and write the log back, at the same time (F8 of the list of attacks).
"""

import subprocess

from checking import CHILD, Checker, Trouble

ATTEMPTS = 3


class Unfair(Trouble):
    """A process had too few turns; nothing is lost."""


def run(count, sessions, seconds, seed, place):
    """What is lost counts at once. Turns count over time: where a busy machine kept a process from its processor for most
    of a short run, a longer one tells whether it was the machine or the store."""
    for attempt in range(ATTEMPTS):
        try:
            return contend(count, sessions, seconds * 4 ** attempt, seed, place.with_name(f"{place.name}-{attempt}"))
        except Unfair as trouble:
            last = trouble
    raise last


def contend(count, sessions, seconds, seed, place):
    place.mkdir()
    store, acknowledgements = place / "Shared.keepsake", place / "acknowledgements"
    prepare(store, seed)
    writers = [
        subprocess.Popen(
            [CHILD, "contend", str(store), str(seed + number), "--sessions", sessions, "--seconds", str(seconds)],
            stdin=subprocess.PIPE, stdout=(place / f"{number}.txt").open("wb"), stderr=subprocess.PIPE)
        for number in range(count)]
    try:
        wait_until_ready(writers, place)
        for writer in writers:
            writer.stdin.write(b"go\n")
            writer.stdin.close()
        for number, writer in enumerate(writers):
            errors = writer.stderr.read().decode(errors="replace").strip()
            if writer.wait() or errors:
                raise Trouble(f"process {number} of {count} met an error: {errors}")
    finally:
        for writer in writers:
            if writer.poll() is None:
                writer.kill()
                writer.wait()
            writer.stderr.close()
    texts = [(place / f"{number}.txt").read_text() for number in range(count)]
    acknowledgements.write_text("".join(texts))
    with Checker() as checker:
        verdict = checker.check(store, acknowledgements)
    if not verdict.is_good:
        raise Trouble(f"{count} processes on {sessions}: {verdict.faults}")
    return summary(texts, count, sessions, verdict)


def prepare(store, seed):
    """Makes the store, with sessions to share."""
    subprocess.run(
        [CHILD, "write", str(store), str(seed), "--tasks", "1", "--budget", "1", "--finish"],
        stdout=subprocess.DEVNULL, check=True)


def wait_until_ready(writers, place):
    """Watches for the line; a process that ends without it has said why."""
    waiting = dict(enumerate(writers))
    while waiting:
        for number, writer in list(waiting.items()):
            if b"ready\n" in (place / f"{number}.txt").read_bytes():
                del waiting[number]
                continue
            try:
                writer.wait(timeout=0.01)
            except subprocess.TimeoutExpired:
                continue
            raise Trouble(f"process {number} did not open the store: {writer.stderr.read().decode(errors='replace')}")


def summary(texts, count, sessions, verdict):
    turns = [
        [(int(moment), int(wait)) for moment, wait in (line.split("\t")[5:7] for line in text.splitlines()
                                                       if line.startswith("entry"))]
        for text in texts]
    if not all(turns):
        raise Unfair(f"a process of {count} got no turn at all")
    # Only while all of them ran.
    begin, end = max(each[0][0] for each in turns), min(each[-1][0] for each in turns)
    inside = [sum(begin <= moment <= end for moment, _ in each) for each in turns]
    share = min(inside) * count / max(1, sum(inside))
    waits = sorted(wait for each in turns for _, wait in each)

    def at(part):
        return waits[min(len(waits) - 1, int(len(waits) * part))] / 1e6

    rate = sum(inside) / max(1e-9, (end - begin) / 1e9)
    what = (
        f"{sessions} session{'s' if sessions == 'many' else ''}, {verdict.acknowledged:,} acknowledged and there, "
        f"{rate:,.0f} appends/s, waits {at(0.5):.2f} / {at(0.99):.2f} / {waits[-1] / 1e6:.1f} ms "
        f"(median / 99 % / longest), the least fair share {share:.2f}")
    if share < 0.5:
        raise Unfair(f"a process got less than half of its fair share: {what}; turns {inside}")
    return what
