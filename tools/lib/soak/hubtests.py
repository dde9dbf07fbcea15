"""Runs chosen tests once, or over new seeds until enough was done or the time is over. The runs of hubs share this."""

import errno
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stage import Trouble

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / ".build"
# The tests are ended after so many seconds.
LONGEST = 900
# What the folders of many small stores may take.
ROOM = 4 << 30
MEMORY = Path("/dev/shm")
# A test that fails is rarely alone, and each failure is read by a person.
MOST_FAILURES = 5
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Tests:
    """Tests that are chosen by a filter, and what became of them. A round takes about as many seconds as `usual` says."""

    def __init__(self, stage, name, words, usual=40, has_bucket=False, is_in_memory=True):
        self.stage, self.name, self.words, self.usual = stage, name, words, usual
        self.is_in_memory = is_in_memory
        # A server for a bucket would start for tests that need none, too.
        self.servers = {} if has_bucket else {"KEEPSAKE_S3_SERVER": "none"}
        self.number, self.failures = 0, []
        # A round that is ended takes its servers with it, also when all of it is told to end.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    def rounds(self, first, most):
        """How much each round does, so that none takes long, until the time is over or too much has failed."""
        count = first
        while True:
            began = time.monotonic()
            yield count
            each = (time.monotonic() - began) / count
            left = self.stage.seconds - (time.monotonic() - self.stage.began)
            if left <= each or len(self.failures) >= MOST_FAILURES:
                return
            count = max(1, min(most, int(min(self.usual, left) / each)))

    def run(self, **settings):
        """Runs the tests once. What they said is given back; a failure is told at once, and remembered."""
        self.number += 1
        # Ten at a time keep both cores of a small machine busy.
        limited = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "10", "NO_COLOR": "1", "TERM": "dumb"}
        settings = {name: str(value) for name, value in settings.items()}
        place = temporary(self.is_in_memory)
        try:
            text, code = self.output(os.environ | limited | self.servers | {"TMPDIR": place} | settings)
        finally:
            remove(place)
        failed = [line for line in text.splitlines() if line.startswith("✘")]
        if code != 0 or failed:
            self.fail(text, failed, f"ended with {code}", settings)
        elif not re.search(r"^✔ Test run with [1-9]\d* test", text, re.MULTILINE):
            raise Trouble(f"nothing was run: {self.reason(text)}")
        return text

    def output(self, environment):
        """What the tests print, and their exit code. They have a terminal, because into a pipe they would write at their end."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["swift", "test", "--skip-build", "--filter", self.words], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
            stdout=theirs, stderr=theirs, start_new_session=True)
        os.close(theirs)
        said, deadline = bytearray(), time.monotonic() + LONGEST
        try:
            while time.monotonic() < deadline:
                if not select.select([ours], [], [], 1)[0]:
                    if process.poll() is not None:
                        break
                    continue
                try:
                    some = os.read(ours, 1 << 16)
                except OSError as error:
                    # This is how a terminal says that nobody is at its other end.
                    if error.errno != errno.EIO:
                        raise
                    break
                if not some:
                    break
                said += some
            else:
                said += f"\n✘ The tests did not end within {LONGEST} seconds.\n".encode()
        finally:
            os.close(ours)
            end(process)
        return COLOURS.sub("", said.decode(errors="replace")).replace("\r\n", "\n"), process.returncode

    def fail(self, text, failed, otherwise, settings):
        log = LOGS / f"soak-{self.name}-{os.getpid()}-{self.number}.log"
        log.write_text(text)
        seeds = sorted({int(seed) for line in failed for seed in re.findall(r"seed → (\d+)", line)})
        if seeds and "KEEPSAKE_HISTORY_FIRST" in settings:
            settings = settings | {"KEEPSAKE_HISTORY_FIRST": str(seeds[0]), "KEEPSAKE_HISTORY_SEEDS": str(seeds[0])}
        given = " ".join(f"{name}={value}" for name, value in settings.items())
        command = f"{given} swift test --skip-build --filter {shlex.quote(self.words)}"
        self.failures.append(command)
        print(f"{self.name}: round {self.number} FAILED{f', with the seeds {seeds}' if seeds else ''}. All that was said: {log}")
        for line in (failed or [otherwise, *text.splitlines()[-20:]])[:12]:
            print(f"  {line[:400]}")
        print(f"  Again: {command}", flush=True)

    def reason(self, text):
        """Why tests were passed over: a server is not here, most of the time."""
        skipped = [line for line in text.splitlines() if line.startswith("➜")]
        return (skipped or text.strip().splitlines() or ["the tests said nothing"])[-1]

    def tell(self, what):
        print(f"{self.name}: round {self.number}, {time.monotonic() - self.stage.began:.0f} s: {what}", flush=True)

    def end(self, told):
        """The run's last words, which are its failure if any round failed."""
        if self.failures:
            again = "\n  ".join(self.failures)
            raise Trouble(f"{told}; {len(self.failures)} of {self.number} rounds failed. Again:\n  {again}")
        return f"{told}; {self.number} {'round' if self.number == 1 else 'rounds'}"


def end(process):
    """Ends the tests, should they still run. Each server that they started ends with them, by itself."""
    try:
        process.wait(timeout=0 if sys.exc_info()[0] else 20)
    except subprocess.TimeoutExpired:
        # They run in a process, and a group, of their own, which would outlive whoever started it.
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout
        for each in [*map(int, children.split()), process.pid]:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()


def temporary(is_in_memory):
    """A folder for the stores of a round: in memory where there is room, because no power is lost and disks take their time."""
    has_room = is_in_memory and MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    return tempfile.mkdtemp(prefix="keepsake-soak-", dir=MEMORY if has_room else None)


def remove(place):
    """Removes a folder of a round when the server for a bucket in it has ended, which whoever ends it would not find otherwise."""
    for _ in range(100):
        if not list(Path(place).glob("s3-*")):
            break
        time.sleep(0.1)
    shutil.rmtree(place, ignore_errors=True)


def seeds(first, count):
    """The settings for so many seeds."""
    return {"KEEPSAKE_HISTORY_FIRST": first, "KEEPSAKE_HISTORY_SEEDS": first + count - 1}
