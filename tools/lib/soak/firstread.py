"""Kills a writer, loses or damages the shared memory of its store, and reads it: with every reading command first."""

import shutil
import subprocess
import time

from stage import CHILD, Trouble, copy

READING = (("ls",), ("show", "last"), ("stats",), ("search", "keepsake"), ("doctor",), ("artifacts",), ("log",), ("verify",))


def run(stage):
    states = 0
    commands = set()
    while not states or not stage.is_over:
        source = stage.place / "Source.keepsake"
        acknowledgements = killed(stage, source)
        expected = None
        for memory in ("kept", "missing", "zeroed", "random", "short"):
            for words in READING if stage.chance.random() < 0.3 or not states else (stage.chance.choice(READING),):
                store = copy(source, stage.place / "First.keepsake")
                damage(store / "store.sqlite-shm", memory, stage.chance)
                done = stage.keepsake(*words, store=store, ok=False)
                if done.returncode != 0:
                    raise Trouble(
                        f"shared memory {memory}: 'keepsake {words[0]}' ended with {done.returncode}: "
                        f"{(done.stdout + done.stderr).strip()}")
                # Whatever became of the shared memory, all that was acknowledged is seen, and seen alike.
                seen = stage.keepsake("ls", "--json", store=store).stdout
                expected = expected or seen
                if seen != expected:
                    raise Trouble(f"shared memory {memory}: 'keepsake ls' after 'keepsake {words[0]}' shows something else")
                states += 1
                commands.add(words[0])
            stage.check(store, acknowledgements)
            if stage.is_over and memory == "short":
                break
        shutil.rmtree(source)
    return f"{states} openings of crashed stores, {len(commands)} reading commands first, each whole"


def killed(stage, store):
    """A store whose writer was killed while its log had something in it."""
    acknowledgements = store.with_suffix(".txt")
    with acknowledgements.open("wb") as file:
        writer = stage.start(
            CHILD, "write", str(store), str(stage.chance.randrange(1 << 30)), "--tasks", "2", "--budget", str(1 << 20),
            stdout=file)
        while not acknowledgements.stat().st_size:
            if writer.poll() is not None:
                raise Trouble("the writer ended by itself")
            time.sleep(0.01)
        time.sleep(stage.chance.uniform(0.05, 0.3))
        writer.kill()
        writer.wait()
    text = acknowledgements.read_bytes()
    acknowledgements.write_bytes(text[: text.rfind(b"\n") + 1])
    return acknowledgements


def damage(memory, how, chance):
    if how == "missing":
        memory.unlink(missing_ok=True)
    elif how != "kept":
        size = memory.stat().st_size if memory.exists() else 32768
        content = {"zeroed": bytes(size), "random": chance.randbytes(size), "short": chance.randbytes(100)}[how]
        memory.write_bytes(content)
