"""Starts the child program, and asks it whether a store keeps what was acknowledged."""

import os
import queue
import subprocess
import threading

CHILD = os.environ["KEEPSAKE_CRASH_CHILD"]


class Trouble(Exception):
    """A promise that was not kept."""


class Verdict:
    def __init__(self, line):
        fields = line.rstrip("\n").split("\t")
        self.is_good = fields[0] == "ok"
        self.acknowledged, self.entries, self.artifacts = (int(each) for each in fields[1:4])
        self.faults = fields[4] if len(fields) > 4 else ""


class Checker:
    """A process that checks one store after the other."""

    def __init__(self):
        self.process = subprocess.Popen(
            [CHILD, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def check(self, store, acknowledgements):
        self.process.stdin.write(f"{store}\t{acknowledgements}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Trouble(f"the checker died (status {self.process.wait()}) on {store}")
        return Verdict(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Checkers:
    """Several checkers side by side; `submit` waits while all are busy."""

    def __init__(self, count):
        self.jobs = queue.Queue(maxsize=count)
        self.threads = [threading.Thread(target=self.work) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def work(self):
        checker = None
        while True:
            job = self.jobs.get()
            if job is None:
                break
            store, acknowledgements, answer = job
            try:
                checker = checker or Checker()
                verdict = checker.check(store, acknowledgements)
            except (Trouble, OSError) as error:
                checker = None  # a new one for the next store: that this one died is the answer
                verdict = Verdict(f"bad\t0\t0\t0\t{error}")
            answer(verdict)
        if checker:
            checker.close()

    def submit(self, store, acknowledgements, answer):
        self.jobs.put((store, acknowledgements, answer))

    def close(self):
        for _ in self.threads:
            self.jobs.put(None)
        for thread in self.threads:
            thread.join()
