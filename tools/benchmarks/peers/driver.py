"""Starts those that are compared and gives them orders; installs what is missing."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SYNCS = "fsync,fdatasync,sync,syncfs,msync,sync_file_range"


class Failed(Exception):
    """It can't do that, or it ended."""


class Driver:
    """One contender, in a process of its own."""

    def __init__(self, name, folder, options, before=()):
        self.name = name
        if name == "keepsake":
            arguments = [options.bench, "--drive", str(folder)]
        else:
            arguments = [options.python, "-B", str(HERE / "contender.py"), name, str(folder)]
        environment = {
            **os.environ, "KEEPSAKE": options.command, "OPENAI_API_KEY": "none", "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "LLM_USER_PATH": str(folder), "PYTHONWARNINGS": "ignore"}
        # A file, and not a pipe, which would be full some time.
        self.complaints = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [*before, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints, text=True,
            encoding="utf-8", env=environment, start_new_session=True)
        self.answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, do, **order):
        try:
            self.process.stdin.write(json.dumps({"do": do, **order}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.last_words()) from None

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(self.last_words())
        answer = json.loads(line)
        if "cannot" in answer:
            raise Failed(answer["cannot"])
        return answer

    def order(self, do, **order):
        self.send(do, **order)
        return self.answer()

    def last_words(self):
        self.process.wait()
        self.complaints.seek(0)
        said = self.complaints.read().strip().splitlines()
        return said[-1][:160] if said else f"it ended with {self.process.returncode}"

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.stdout.read()
        self.process.wait()

    def kill_while_appending(self, seconds):
        """How many entries it acknowledged before it, and all that it had started, were killed."""
        self.send("forever", session=0, texts=["one of many"])
        # It counts from the first one on: a slow one has to begin.
        self.answer()
        time.sleep(seconds)
        os.killpg(self.process.pid, signal.SIGKILL)
        rest = self.process.stdout.read()
        self.process.wait()
        return 1 + rest.count("\n")

    @classmethod
    def syncs(cls, name, folder, options, count):
        """How often it waited for the disk from its start to its end, with so many appends."""
        log = folder.parent / f"{folder.name}.strace"
        before = ["strace", "-f", "--seccomp-bpf", "-o", str(log), "-e", f"trace={SYNCS}"]
        with cls(name, folder, options, before) as running:
            running.order("create", session=0)
            answer = running.order("append", session=0, texts=["one of a few"] * count)
            if answer.get("why"):
                raise Failed(answer["why"])
        lines = log.read_text(errors="replace").splitlines()
        return sum(1 for line in lines if any(f" {call}(" in line for call in SYNCS.split(",")))


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
    return said.splitlines()


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
