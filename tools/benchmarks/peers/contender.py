"""One that is compared: does what it is told on standard input, and answers with how long it took.

    contender.py NAME FOLDER          of a library (with the python that has it), or of a program on PATH

A line of JSON in, a line of JSON out. The first answer comes when it is ready. Orders, and what they answer:

    {"do": "create", "session": 3}                              {}
    {"do": "append", "session": 3, "texts": [..]}               {"microseconds": [one for each]}   each durable, if it can
    {"do": "attach", "session": 3, "texts": [..], "files": [..]}   the same, each with a file's bytes
    {"do": "load", "session": 3, "texts": [..], "files": [a path or null for each]}   {}   as fast as it can
    {"do": "bulk", "files": [..]}                               {"microseconds": [all of them]}   durable at the end
    {"do": "reload", "session": 3, "bytes": true, "times": 5}   {"microseconds": [..], "count": entries, "size": bytes}
    {"do": "search", "word": "x", "times": 5}                   {"microseconds": [..], "count": hits}
    {"do": "list", "times": 5}                                  {"microseconds": [..], "count": sessions}
    {"do": "count", "session": 3}                               {"count": entries}
    {"do": "forever", "session": 3, "texts": ["x"]}             {} for each entry that it appended, until it is killed

What it can't do it answers with {"cannot": why}; what was refused while appending it counts: {"rejected": 2}.
"""

import json
import sys
import time
from pathlib import Path


class Cannot(Exception):
    """There is no such thing in this one."""


class Contender:
    """One of those that are compared. Each method does one thing, durably where it can."""

    def create(self, session):
        raise NotImplementedError

    def append(self, session, text):
        raise NotImplementedError

    def attach(self, session, text, file):
        raise NotImplementedError

    def load(self, session, texts, files):
        for text, file in zip(texts, files):
            self.append(session, text) if file is None else self.attach(session, text, file)

    def prepare_bulk(self, files):
        """What is not timed: putting the files where it looks for them."""

    def bulk(self, files):
        raise Cannot("")

    def reload(self, session, needs_bytes):
        """The number of entries, and of bytes of what is attached to them."""
        raise NotImplementedError

    def search(self, word):
        raise Cannot("no search")

    def list(self):
        raise Cannot("no list")

    def count(self, session):
        return self.reload(session, False)[0]

    def close(self):
        pass


def timed(body):
    began = time.perf_counter_ns()
    result = body()
    return (time.perf_counter_ns() - began) / 1000, result


def follow(contender, order):
    what, session, times = order["do"], order.get("session", 0), order.get("times", 1)
    if what == "create":
        contender.create(session)
        return {}
    if what in ("append", "attach"):
        files = [Path(each) for each in order.get("files", [])] or [None] * len(order["texts"])
        samples, rejected, why = [], 0, None
        for text, file in zip(order["texts"], files):
            try:
                if file is None:
                    samples.append(timed(lambda: contender.append(session, text))[0])
                else:
                    samples.append(timed(lambda: contender.attach(session, text, file))[0])
            except Cannot:
                raise
            except Exception as error:  # whatever its library throws: the caller is told that it failed
                rejected, why = rejected + 1, f"{type(error).__name__}: {error}"[:200]
        return {"microseconds": samples, "rejected": rejected, "why": why}
    if what == "load":
        contender.load(session, order["texts"], [each and Path(each) for each in order["files"]])
        return {}
    if what == "bulk":
        files = [Path(each) for each in order["files"]]
        contender.prepare_bulk(files)
        return {"microseconds": [timed(lambda: contender.bulk(files))[0]]}
    if what == "reload":
        runs = [timed(lambda: contender.reload(session, order.get("bytes", False))) for _ in range(times)]
        return {"microseconds": [run[0] for run in runs], "count": runs[-1][1][0], "size": runs[-1][1][1]}
    if what in ("search", "list"):
        runs = [
            timed(lambda: contender.search(order["word"]) if what == "search" else contender.list())
            for _ in range(times)]
        return {"microseconds": [run[0] for run in runs], "count": runs[-1][1]}
    if what == "count":
        return {"count": contender.count(session)}
    if what == "forever":
        while True:
            contender.append(session, order["texts"][0])
            say({})
    raise ValueError(what)


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import libraries
    import programs

    contender = {**libraries.ALL, **programs.ALL}[name](folder)
    say({})
    for line in sys.stdin:
        try:
            say(follow(contender, json.loads(line)))
        except Cannot as reason:
            say({"cannot": str(reason)})
    contender.close()


if __name__ == "__main__":
    # Under its own name, too: what the others raise is then what is caught here.
    sys.modules["contender"] = sys.modules["__main__"]
    main()
