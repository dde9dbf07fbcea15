"""Kills writing processes at random moments; what they acknowledged before must be there."""

import hashlib
import random
import shutil
import sqlite3
import subprocess
import threading
import time

from checking import CHILD, Checker, Trouble

KILLS_A_STORE = 10


class Writer:
    """A child that writes, and what it has acknowledged so far."""

    def __init__(self, store, seed):
        self.process = subprocess.Popen(
            [CHILD, "write", str(store), str(seed), "--budget", str(24 << 20)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = b""
        self.errors = b""
        self.began = threading.Event()
        self.threads = [threading.Thread(target=self.read), threading.Thread(target=self.read_errors)]
        for thread in self.threads:
            thread.start()

    def read(self):
        pieces = []
        while piece := self.process.stdout.read1(1 << 16):
            pieces.append(piece)
            self.began.set()
        self.began.set()
        self.lines = b"".join(pieces)

    def read_errors(self):
        self.errors = self.process.stderr.read()

    def kill(self):
        """Ends it as a crash does, and returns whole lines: a write(2) is whole or is not."""
        alive = self.process.poll() is None
        self.process.kill()
        self.process.wait()
        for thread in self.threads:
            thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        if not alive:
            raise Trouble(f"a writer ended by itself: {self.errors.decode(errors='replace').strip()}")
        return self.lines[: self.lines.rfind(b"\n") + 1]


def run(count, seed, place):
    chance = random.Random(seed)
    place.mkdir()
    acknowledged = entries = early = deleted = erased = 0
    with Checker() as checker:
        for number in range(count):
            store = place / f"{number // KILLS_A_STORE}.keepsake"
            acknowledgements = store.with_suffix(".txt")
            acknowledgements.touch()
            # Every third time two processes write, and only one of them is killed at first.
            writers = [Writer(store, seed + number * 2 + each) for each in range(2 if number % 3 == 2 else 1)]
            # Mostly in the midst of writing, at times while it starts, opens, or makes the store.
            if number % 5 != 4:
                writers[0].began.wait()
            time.sleep(chance.uniform(0, 1.2))
            for writer in writers:
                lines = writer.kill()
                early += not lines
                with acknowledgements.open("ab") as file:
                    file.write(lines)
                if len(writers) > 1:
                    time.sleep(chance.uniform(0, 0.1))
            verdict = checker.check(store, acknowledgements)
            if not verdict.is_good:
                raise Trouble(f"after kill {number + 1} of {count}, {store}: {verdict.faults}")
            if number % KILLS_A_STORE == KILLS_A_STORE - 1 or number == count - 1:
                acknowledged += verdict.acknowledged
                entries += verdict.entries
                lines = acknowledgements.read_bytes().splitlines()
                deleted += sum(line.startswith(b"deleted") for line in lines)
                erased += sum(line.startswith(b"erased") for line in lines)
                if number != count - 1:
                    shutil.rmtree(store, ignore_errors=True)
        forgeries = find_forgeries(checker, store, acknowledgements)
    return (
        f"{count} kills ({early} before anything was acknowledged), {acknowledged:,} acknowledgements, "
        f"{entries:,} entries, 0 lost; {deleted} sessions deleted and {erased} entries erased, 0 back; "
        f"{forgeries} forged losses found")


def find_forgeries(checker, store, acknowledgements):
    """Shows that the checker can fail: each of these must be found."""
    text = acknowledgements.read_text()
    lines = text.splitlines()
    nothing = hashlib.sha256(b"").hexdigest()
    # Of a session from which nothing was ever taken away, and that has no part of another one.
    changed = {line.split("\t")[1] for line in lines if not line.startswith(("session", "entry", "attachment"))}
    entry = next((
        line.split("\t") for line in reversed(lines)
        if line.startswith("entry") and nothing not in line and line.split("\t")[1] not in changed), None)
    if entry is None:
        return 0

    def forge_acknowledgement(_, promises):
        forged = entry[:]
        forged[2] = "16000000"
        promises.write_text(text + "\t".join(forged) + "\n")

    def forge_text(_, promises):
        forged = ["0" * 64 if cell == entry[3] else cell for cell in entry]
        promises.write_text("".join(
            "\t".join(forged) + "\n" if line.split("\t") == entry else line + "\n" for line in lines))

    def forge_promise(line):
        def change(_, promises):
            promises.write_text(text + line + "\n")
        return change

    def sql(statement):
        def change(copy, _):
            db = sqlite3.connect(copy / "store.sqlite")
            with db:
                if not db.execute(statement).rowcount:
                    raise Trouble(f"the forgery changed nothing: {statement}")
            db.close()
        return change

    def files(copy):
        return sorted(each for each in (copy / "artifacts").glob("*/*") if each.is_file())

    def flip(copy, _):
        for file in files(copy):
            bytes_ = bytearray(file.read_bytes())
            bytes_[len(bytes_) // 2] ^= 1
            file.chmod(0o600)
            file.write_bytes(bytes_)

    def remove(copy, _):
        for file in files(copy):
            file.unlink()

    last = "(SELECT max(id) FROM entry)"
    forgeries = [
        forge_acknowledgement, forge_text,
        forge_promise(f"deleted\t{entry[1]}\t-"), forge_promise(f"erased\t{entry[1]}\t{entry[2]}\t-"),
        forge_promise(f"draft\t{entry[1]}\t{entry[1]}"),
        sql(f"DELETE FROM entry WHERE id = {last}"),
        sql("UPDATE entry SET body = replace(body, ' ', '_') WHERE id = "
            f"(SELECT number << 24 FROM session WHERE id = x'{entry[1].replace('-', '')}') + {entry[2]}"),
        sql("UPDATE session SET entries = entries + 1"),
        sql("UPDATE session SET head = zeroblob(32)"),
        sql("UPDATE session SET attachments = attachments + 1"),
    ]
    with sqlite3.connect(store / "store.sqlite") as db:
        if db.execute("SELECT count(*) FROM blob").fetchone()[0]:
            forgeries.append(sql("UPDATE blob SET bytes = zeroblob(length(bytes))"))
        if db.execute("SELECT count(*) FROM artifact WHERE place = 1").fetchone()[0]:
            forgeries += [flip, remove]
    db.close()
    copy, promises = store.with_suffix(".forged"), store.with_suffix(".forged.txt")
    for number, forge in enumerate(forgeries):
        shutil.copytree(store, copy)
        promises.write_text(text)
        forge(copy, promises)
        if checker.check(copy, promises).is_good:
            raise Trouble(f"the checker misses forgery {number}; it proves nothing")
        shutil.rmtree(copy)
    return len(forgeries)
