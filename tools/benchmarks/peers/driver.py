"""Starts those that are compared and gives them orders; installs what is missing."""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYNCS = "fsync,fdatasync,sync,syncfs,msync,sync_file_range"
# In seconds: what takes longer is ended. Nothing here should, but on a machine that does other things, too.
LIMIT = 30


class Failed(Exception):
    """It can't do that, it ended, or it took too long."""


class Late(Failed):
    """It took too long, and was ended."""


class Nursery:
    """Starts contenders; those of Python by a process that has imported their libraries already, once."""

    def __init__(self, options, folder):
        self.options, self.folder, self.servers = options, folder, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, place in self.servers.values():
            process.kill()
            process.wait()
            process.stdout.close()
            shutil.rmtree(os.path.dirname(place))

    def environment(self, folder):
        return {
            **os.environ, "KEEPSAKE": self.options.command, "OPENAI_API_KEY": "none", "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "LLM_USER_PATH": str(folder), "PYTHONWARNINGS": "ignore"}

    def command(self, name, folder):
        if name == "keepsake":
            return [self.options.bench, "--drive", str(folder)]
        return [self.options.python, "-B", str(HERE / "contender.py"), name, str(folder)]

    def server(self, name):
        """Where a new one is to be had."""
        if name not in self.servers:
            # Not below the folder of the run, whose path may be too long for a socket.
            place = os.path.join(tempfile.mkdtemp(prefix="bench-"), "socket")
            arguments = [*self.command(name, "--serve"), place]
            process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=self.environment(self.folder))
            if process.stdout.readline() != b"ready\n":
                raise Failed(f"it does not start: {process.wait()}")
            self.servers[name] = process, place
        return self.servers[name][1]


class Driver:
    """One contender, in a process of its own."""

    def __init__(self, name, folder, nursery, before=()):
        # A file, and not a pipe, which would be full some time.
        self.complaints = tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace")
        self.answers, self.process, self.socket = b"", None, None
        if name == "keepsake" or before:
            with open(self.complaints.name, "a", encoding="utf-8") as complaints:
                self.process = subprocess.Popen(
                    [*before, *nursery.command(name, folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=complaints, env=nursery.environment(folder), start_new_session=True)
            self.pid, self.input, self.output = self.process.pid, self.process.stdin, self.process.stdout
        else:
            place = nursery.server(name)
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(place)
            self.input = self.output = self.socket.makefile("rwb", buffering=0)
            self.write({"folder": str(folder), "complaints": self.complaints.name})
            self.pid = self.answer()["process"]
        self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def write(self, order):
        try:
            # What is longer than a pipe takes is written in pieces.
            rest = memoryview((json.dumps(order) + "\n").encode())
            while rest:
                rest = rest[self.input.write(rest):]
            self.input.flush()
        except (BrokenPipeError, ConnectionResetError, ValueError):
            raise Failed(self.last_words()) from None

    def send(self, do, **order):
        self.write({"do": do, **order})

    def line(self, limit):
        """What it says next; nothing when it ended."""
        end = time.monotonic() + limit
        while b"\n" not in self.answers:
            ready, _, _ = select.select([self.output], [], [], max(0, end - time.monotonic()))
            if not ready:
                self.kill()
                raise Late(f"> {limit:g} s")
            try:
                piece = os.read(self.output.fileno(), 1 << 20)
            except ConnectionResetError:
                piece = b""
            if not piece:
                return b""
            self.answers += piece
        line, _, self.answers = self.answers.partition(b"\n")
        return line

    def answer(self, limit=LIMIT):
        line = self.line(limit)
        if not line:
            raise Failed(self.last_words())
        answer = json.loads(line)
        if "cannot" in answer:
            raise Failed(answer["cannot"])
        return answer

    def order(self, do, limit=LIMIT, **order):
        self.send(do, **order)
        return self.answer(limit)

    def told(self, end):
        """Of appends that it tells of: how many were acknowledged, refused, and not done in time; and why one was refused."""
        acknowledged = 0
        try:
            while "microseconds" not in (answer := self.answer(max(0.01, end - time.monotonic()))):
                acknowledged += 1
        except Late:
            # It was ended; what it said before is there.
            return acknowledged + self.answers.count(b"{}\n"), 0, 1, None
        return acknowledged, answer["rejected"], 0, answer.get("why")

    def last_words(self):
        self.kill()
        self.complaints.seek(0)
        said = self.complaints.read().strip().splitlines()
        return said[-1][:160] if said else "it ended without a word"

    def close(self):
        """Lets it end: what it writes then is a part of what it leaves."""
        if self.output.closed:
            return
        if self.process is None:
            self.socket.shutdown(socket.SHUT_WR)
        else:
            self.input.close()
        try:
            while self.line(LIMIT):
                pass
        except Failed:
            pass
        self.kill()

    def kill(self):
        """Ends it with all that it started."""
        if self.output.closed:
            return
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        # Only when it has ended is there nothing more to read.
        try:
            while piece := os.read(self.output.fileno(), 1 << 20):
                self.answers += piece
        except ConnectionResetError:
            pass
        if self.process is not None:
            self.process.wait()
            self.input.close()
        else:
            self.socket.close()
        self.output.close()

    def kill_while_appending(self, seconds):
        """How many entries it acknowledged before it, and all that it had started, were killed."""
        self.send("forever", session=0, texts=["one of many"])
        # It counts from the first one on: a slow one has to begin.
        self.answer()
        time.sleep(seconds)
        self.kill()
        return 1 + self.answers.count(b"\n")

    @classmethod
    def syncs(cls, name, folder, nursery, count, image, seconds):
        """How often it waits for the disk for an entry, and for one with an image."""
        log = folder.parent / f"{folder.name}.strace"
        before = ["strace", "-f", "--seccomp-bpf", "-ttt", "-o", str(log), "-e", f"trace={SYNCS}"]
        spans = []
        with cls(name, folder, nursery, before) as running:
            running.order("create", session=0)
            # The first ones may set up what later ones find.
            for number in (2, count):
                for do, files in (("append", {}), ("attach", {"files": [image] * number})):
                    began = time.time()
                    answer = running.order(do, session=0, texts=["one of a few"] * number, seconds=seconds, **files)
                    if answer.get("why"):
                        raise Failed(answer["why"])
                    spans.append((began, time.time(), len(answer["microseconds"])))
        times = [
            float(line.split()[1]) for line in log.read_text(errors="replace").splitlines()
            if any(f" {call}(" in line for call in SYNCS.split(","))]
        return [
            round(sum(began <= time_ <= ended for time_ in times) / done, 1) for began, ended, done in spans[2:]]


def install(root, libraries):
    """The python that has the libraries."""
    done = subprocess.run([str(root / "tools/lib/apt"), "peers"], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    place = root / ".build/bench/peers"
    python = place / "bin/python3"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    missing = [name for name in libraries if version_of(python, name) is None]
    if missing:
        print(f"bench: installing {', '.join(missing)} into {place.relative_to(root)}", file=sys.stderr)
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *missing], check=False)
        if done.returncode != 0:
            sys.exit("bench: pip could not install them; its message stands above.")
    return str(python)


def version_of(python, name):
    code = f"from importlib import metadata; print(metadata.version({name!r}))"
    done = subprocess.run([str(python), "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def machine(options):
    said = subprocess.run([options.bench, "--machine"], stdout=subprocess.PIPE, text=True, check=True).stdout
    code = "import platform, sqlite3; print(f'Python {platform.python_version()} with SQLite {sqlite3.sqlite_version}')"
    libraries = subprocess.run([options.python, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [*said.splitlines(), *libraries.splitlines()]


def versions(names, options):
    ways = {
        "git": ["git", "--version"], "fossil": ["fossil", "version"], "restic": ["restic", "version"],
        "borg": ["borg", "--version"], "sqlite3 -A": ["sqlite3", "--version"],
        "keepsake": [options.command, "--version"], "keepsake command": [options.command, "--version"],
    }
    found = {}
    for name in names:
        if name in ways:
            said = subprocess.run(ways[name], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
            found[name] = next((word for word in said if word[0].isdigit()), "?")
        else:
            found[name] = version_of(options.python, name) or "?"
    return found
