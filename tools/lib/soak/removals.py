"""Kills whoever deletes a large session, or takes it in again, at any moment; each time the same must still be possible."""

import json
import time

from stage import Trouble

CANARY = "canary-7f1c"


def run(stage):
    count = 3_000 if stage.is_short else 100_000
    source, session = stage.new_store("Source.keepsake")
    lines = (json.dumps({"kind": "prompt", "text": f"{CANARY} entry {number}"}) for number in range(count))
    stage.keepsake("append", session, store=source, text="\n".join(lines))
    bundle = stage.place / "session.tar"
    stage.keepsake("export", session, "--format", "bundle", "-o", str(bundle), store=source)

    store = stage.place / "Soak.keepsake"
    stage.keepsake("new", "Own", store=store)
    taking_in = ("import", str(bundle))
    deleting = ("rm", session)
    span = {taking_in: duration(stage, taking_in, store), deleting: duration(stage, deleting, store)}
    kills = rounds = 0
    while rounds < 3 or not stage.is_over and not stage.is_short:
        rounds += 1
        # The second one is killed while it clears up what the first one left.
        for _ in range(stage.chance.randint(1, 2)):
            kills += kill(stage, taking_in, store, span)
        stage.keepsake(*taking_in, store=store)
        held = len(stage.entries(session, store=store))
        if held != count:
            raise Trouble(f"round {rounds}: {held} entries were taken in, of {count}")
        for _ in range(stage.chance.randint(1, 2)):
            kills += kill(stage, deleting, store, span)
        if stage.chance.random() < 0.5:
            stage.keepsake(*taking_in, store=store)
        stage.verify(store)
        # It may be gone already, but for what is still to be cleared.
        if stage.keepsake(*deleting, store=store, ok=False).returncode != 0:
            stage.keepsake("sweep", store=store)
        expect_gone(stage, store, session)
    return f"{kills} kills in {rounds} rounds of {count} entries"


def duration(stage, words, store):
    began = time.monotonic()
    stage.keepsake(*words, store=store)
    return time.monotonic() - began


def kill(stage, words, store, span):
    process = stage.command(*words, store=store)
    time.sleep(stage.chance.uniform(0, span[words]))
    was_early = process.poll() is None
    process.kill()
    process.wait()
    return was_early


def expect_gone(stage, store, session):
    if stage.keepsake("show", session, store=store, ok=False).returncode == 0:
        raise Trouble("a session that was deleted is shown")
    for file in store.rglob("*"):
        if file.is_file() and CANARY.encode() in file.read_bytes():
            raise Trouble(f"text of a deleted session stands in {file.name}")
    stage.verify(store)
