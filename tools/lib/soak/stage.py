"""Where a run takes place: a folder, a source of chance, a time, and the programs that it starts."""

import json
import os
import shutil
import signal
import subprocess
import time

from checking import CHILD, Checker, Trouble

__all__ = ["Stage", "Trouble", "CHILD"]
COMMAND = os.environ["KEEPSAKE"] if "KEEPSAKE" in os.environ else None


class Stage:
    def __init__(self, place, seconds, chance, is_short):
        self.place, self.seconds, self.chance, self.is_short = place, seconds, chance, is_short
        self.began = time.monotonic()
        self.started = []
        place.mkdir()

    @property
    def is_over(self):
        return time.monotonic() - self.began > self.seconds

    def keepsake(self, *words, store, ok=True, text=None, **more):
        """Runs the command to its end; with `ok` it must succeed."""
        done = subprocess.run(
            [COMMAND, *words, "--store", str(store)], input=text or "", capture_output=True, text=True,
            errors="replace", timeout=600, **more)
        if ok and done.returncode != 0:
            raise Trouble(f"'keepsake {' '.join(words)}' ended with {done.returncode}: {done.stderr.strip()}")
        return done

    def start(self, *words, **more):
        """Starts a program, which ends with the stage at the latest."""
        process = subprocess.Popen(words, **more)
        self.started.append(process)
        return process

    def command(self, *words, store, **more):
        """Starts the command, to be killed."""
        more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | more
        return self.start(COMMAND, *words, "--store", str(store), **more)

    def new_store(self, name="Soak.keepsake", title="Soak"):
        """A store with a session, and the session's id."""
        store = self.place / name
        return store, self.keepsake("new", title, store=store).stdout.split()[0]

    def fill(self, store, seed=None):
        """A store with sessions of every kind; what was acknowledged stands in the file that is given back."""
        acknowledgements = store.with_suffix(".txt")
        with acknowledgements.open("wb") as file:
            subprocess.run(
                [CHILD, "write", str(store), str(seed or self.chance.randrange(1 << 30)), "--tasks", "2", "--budget",
                 str(2 << 20), "--largest", str(400_000), "--finish"], stdout=file, check=True)
        return acknowledgements

    def writers(self, store, count, seconds, sessions="many"):
        """Processes that append as fast as they can, each into a file of acknowledgements."""
        writers = [Appender(self, store, number, seconds, sessions) for number in range(count)]
        for writer in writers:
            writer.wait_until_ready()
        for writer in writers:
            writer.go()
        return writers

    def append(self, session, text, *, store, **more):
        return self.keepsake("append", session, "--kind", "prompt", store=store, text=text, **more)

    def entries(self, session, *, store):
        """The texts of a session, as the command gives them."""
        shown = json.loads(self.keepsake("show", session, "--json", store=store).stdout)
        return [entry["text"].rstrip("\n") for entry in shown["entries"]]

    def check(self, store, acknowledgements):
        with Checker() as checker:
            verdict = checker.check(store, acknowledgements)
        if not verdict.is_good:
            raise Trouble(f"{store}: {verdict.faults}")
        return verdict

    def verify(self, store, **more):
        done = self.keepsake("verify", "--read-data", store=store, ok=False, **more)
        if done.returncode != 0:
            raise Trouble(f"'keepsake verify' ended with {done.returncode}: {(done.stdout + done.stderr).strip()}")

    def end(self):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()


class Appender:
    """A process that appends in a loop, and what it has acknowledged."""

    def __init__(self, stage, store, number, seconds, sessions):
        self.path = stage.place / f"appender-{len(stage.started)}.txt"
        with self.path.open("wb") as file:
            self.process = stage.start(
                CHILD, "contend", str(store), str(stage.chance.randrange(1 << 30)), "--sessions", sessions,
                "--seconds", str(seconds), stdin=subprocess.PIPE, stdout=file, stderr=subprocess.PIPE)

    def wait_until_ready(self):
        while b"ready\n" not in self.path.read_bytes():
            if self.process.poll() is not None:
                raise Trouble(f"a writer did not open the store: {self.errors()}")
            time.sleep(0.01)

    def go(self):
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    @property
    def size(self):
        """Grows with each acknowledgement."""
        return self.path.stat().st_size

    def errors(self):
        return self.process.stderr.read().decode(errors="replace").strip()

    def finish(self):
        """Waits for its end; gives how many appends it made, and the longest wait in seconds."""
        errors = self.errors()
        if self.process.wait() or errors:
            raise Trouble(f"a writer met an error: {errors}")
        lines = [line.split("\t") for line in self.path.read_text().splitlines() if line.startswith("entry")]
        return len(lines), max((int(line[6]) for line in lines), default=0) / 1e9


def copy(store, goal):
    """A store as a person copies its folder, with nobody in it."""
    if goal.exists():
        shutil.rmtree(goal)
    shutil.copytree(store, goal)
    return goal
