"""One that is compared: does what it is told, and answers with how long it took.

    contender.py NAME FOLDER             on standard input and output
    contender.py NAME --serve SOCKET     for each connection in a process of its own, which begins with a line: its folder, and
                                         where its complaints go. Its libraries are imported once, which takes seconds.

Of a library (with the python that has it), or of a program on PATH. A line of JSON in, a line of JSON out; the first answer
comes when it is ready. Orders, and what they answer:

    {"do": "create", "session": 3}                              {}
    {"do": "append", "session": 3, "texts": [..]}               {"microseconds": [one for each]}   each durable, if it can
    {"do": "attach", "session": 3, "texts": [..], "files": [..]}   the same, each with a file's bytes
    {"do": "load", "loads": [{"session": 3, "texts": [..], "files": [a path or null for each]}, ..]}   {}
                                                                these sessions, new ones, as fast as it can
    {"do": "bulk", "files": [..]}                               {"microseconds": [all of them]}   durable at the end
    {"do": "reload", "session": 3, "bytes": true, "times": 5}   {"microseconds": [..], "count": entries, "size": bytes}
    {"do": "search", "word": "x", "times": 5}                   {"microseconds": [..], "count": hits}
    {"do": "list", "times": 5}                                  {"microseconds": [..], "count": sessions}
    {"do": "count", "session": 3}                               {"count": entries}
    {"do": "forever", "session": 3, "texts": ["x"]}             {} for each entry that it appended, until it is killed

What is done several times ends early, but not before the first time, when an order's "seconds" are over: there are fewer
microseconds then. What it can't do it answers with {"cannot": why}; what was refused while appending it counts, and says why
the last one was: {"rejected": 2, "why": "database is locked"}. With "tells": true it says {} at each that was not.
"""

import importlib
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path


class Cannot(Exception):
    """There is no such thing in this one."""


class Contender:
    """One of those that are compared. Each method does one thing, durably where it can."""

    # What it imports, which takes longer than what is measured.
    modules = ()

    def create(self, session):
        raise NotImplementedError

    def append(self, session, text):
        raise NotImplementedError

    def attach(self, session, text, file):
        raise NotImplementedError

    def load(self, session, texts, files):
        for text, file in zip(texts, files):
            self.append(session, text) if file is None else self.attach(session, text, file)

    def load_all(self, loads):
        for session, texts, files in loads:
            self.create(session)
            self.load(session, texts, files)

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
    end = time.monotonic() + order["seconds"] if "seconds" in order else float("inf")

    def repeated(body):
        runs = [timed(body)]
        while len(runs) < times and time.monotonic() < end:
            runs.append(timed(body))
        return [run[0] for run in runs], runs[-1][1]

    if what == "create":
        contender.create(session)
        return {}
    if what in ("append", "attach"):
        files = [Path(each) for each in order.get("files", [])] or [None] * len(order["texts"])
        samples, rejected, why = [], 0, None
        for text, file in zip(order["texts"], files):
            if (samples or rejected) and time.monotonic() >= end:
                break
            try:
                if file is None:
                    samples.append(timed(lambda: contender.append(session, text))[0])
                else:
                    samples.append(timed(lambda: contender.attach(session, text, file))[0])
                if order.get("tells"):
                    say({})
            except Cannot:
                raise
            except Exception as error:  # whatever its library throws: the caller is told that it failed
                rejected, why = rejected + 1, f"{type(error).__name__}: {error}"[:200]
        return {"microseconds": samples, "rejected": rejected, "why": why}
    if what == "load":
        contender.load_all(
            [(each["session"], each["texts"], [file and Path(file) for file in each["files"]]) for each in order["loads"]])
        return {}
    if what == "bulk":
        files = [Path(each) for each in order["files"]]
        contender.prepare_bulk(files)
        return {"microseconds": [timed(lambda: contender.bulk(files))[0]]}
    if what == "reload":
        samples, (count, size) = repeated(lambda: contender.reload(session, order.get("bytes", False)))
        return {"microseconds": samples, "count": count, "size": size}
    if what in ("search", "list"):
        samples, count = repeated(lambda: contender.search(order["word"]) if what == "search" else contender.list())
        return {"microseconds": samples, "count": count}
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


def run(kind, folder):
    contender = kind(folder)
    say({})
    for line in sys.stdin:
        try:
            say(follow(contender, json.loads(line)))
        except Cannot as reason:
            say({"cannot": str(reason)})
    contender.close()


def serve(kind, place):
    for module in kind.modules:
        importlib.import_module(module)
    if len(os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else [0]) > 1:
        sys.exit("Its libraries have started threads, which a process that is forked would lack.")
    # Those that end are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        print("ready", flush=True)
        while True:
            connection, _ = server.accept()
            if os.fork() == 0:
                server.close()
                os.setsid()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.dup2(connection.fileno(), 0)
                os.dup2(connection.fileno(), 1)
                connection.close()
                begin = json.loads(sys.stdin.readline())
                complaints = os.open(begin["complaints"], os.O_WRONLY | os.O_APPEND)
                os.dup2(complaints, 2)
                os.close(complaints)
                say({"process": os.getpid()})
                return run(kind, Path(begin["folder"]))
            connection.close()


def main():
    name = sys.argv[1]
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import libraries
    import programs

    kind = {**libraries.ALL, **programs.ALL}[name]
    if sys.argv[2] == "--serve":
        serve(kind, sys.argv[3])
    else:
        run(kind, Path(sys.argv[2]))


if __name__ == "__main__":
    # Under its own name, too: what the others raise is then what is caught here.
    sys.modules["contender"] = sys.modules["__main__"]
    main()
