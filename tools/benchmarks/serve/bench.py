"""The rows of 'tools/bench serve'."""

import http.client
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

from rows import Row
from servers import Server, free_port, nginx

SESSIONS = 2_000
LISTENERS = 100


class Bench:
    def __init__(self, command, datasette, folder, is_quick):
        self.command, self.datasette, self.folder = command, datasette, folder
        self.rounds, self.seconds = (3, 1) if is_quick else (5, 3)
        self.store = folder / "Bench.keepsake"
        self.environment = {**os.environ, "KEEPSAKE_STORE": str(self.store)}

    def run(self):
        self.fill()
        token = self.folder / "token"
        port = free_port()
        ours = Server(
            [self.command, "serve", "--port", str(port), "--token-file", str(token)], port, env=self.environment)
        self.token = token.read_text().strip()
        servers = [ours]
        try:
            static = nginx(self.folder, self.files)
            servers.append(static)
            port = free_port()
            rows_server = Server(
                [self.datasette, "-p", str(port), "-i", str(self.folder / "rows.db"),
                 "--setting", "default_page_size", "50"], port)
            servers.append(rows_server)
            rows = self.artifacts(ours, static) + self.lists(ours, rows_server)
            return rows + self.live(ours)
        finally:
            for server in servers:
                server.stop()

    # The material

    def keepsake(self, *arguments, text=None):
        done = subprocess.run(
            [self.command, *arguments], env=self.environment, input=text, stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"bench: keepsake {arguments[0]} ended with {done.returncode}.")
        return done.stdout

    def fill(self):
        say("making a store of 2,000 sessions")
        self.files = self.folder / "files"
        self.files.mkdir()
        chat = self.folder / "chat.jsonl"
        with open(chat, "w", encoding="utf-8") as output:
            for number in range(SESSIONS):
                messages = [
                    {"role": "user", "content": f"Question {number}: what is {number} times {number}?"},
                    {"role": "assistant", "content": f"It is {number * number}. " + "That is so. " * 20}]
                output.write(json.dumps({"messages": messages}) + "\n")
        self.keepsake("import", str(chat))
        self.digests = {}
        self.keepsake("new", "Pictures")
        for size in (1 << 10, 1 << 20):
            path = self.files / f"{size}.bin"
            path.write_bytes(os.urandom(size))
            self.keepsake("attach", "last", str(path))
            found = json.loads(self.keepsake("artifacts", "--json", "--limit", "1"))
            self.digests[size] = found[0]["artifact"].split(":")[1]
        sessions = json.loads(self.keepsake("ls", "--json", "--limit", "100000"))
        rows = sqlite3.connect(self.folder / "rows.db")
        names = list(sessions[0])
        rows.execute(f"CREATE TABLE session ({', '.join(names)})")
        rows.executemany(
            f"INSERT INTO session VALUES ({', '.join('?' * len(names))})",
            [[json.dumps(each[name]) if isinstance(each[name], list) else each[name] for name in names] for each in sessions])
        rows.execute("CREATE INDEX session_by_update ON session (updated)")
        rows.commit()
        rows.close()

    # Requests a second

    def wrk(self, server, path, connections, is_ours=False):
        command = ["wrk", "-t1", f"-c{connections}", f"-d{self.seconds}s", "--latency"]
        if is_ours:
            command += ["-H", f"Authorization: Bearer {self.token}"]
        output = subprocess.run(
            [*command, f"http://127.0.0.1:{server.port}{path}"], stdout=subprocess.PIPE, check=True, text=True).stdout
        if "Non-2xx" in output:
            sys.exit(f"bench: {path} was refused:\n{output}")
        requests = float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1])
        number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
        return requests, float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]

    def by_turns(self, ours, path, other, other_path, connections):
        """The medians of both, measured one after the other in each round, after one round that does not count."""
        own, theirs, slow = [], [], []
        for number in range(self.rounds + 1):
            requests, p99 = self.wrk(ours, path, connections, is_ours=True)
            their_requests, _ = self.wrk(other, other_path, connections)
            if number > 0:
                own.append(requests)
                theirs.append(their_requests)
                slow.append(p99)
        return statistics.median(own), statistics.median(theirs), statistics.median(slow)

    def artifacts(self, ours, static):
        rows = []
        for size, name, connections, goal in (
                (1 << 20, "an artifact of 1 MB, 1 connection", 1, 0.7),
                (1 << 20, "an artifact of 1 MB, 8 connections", 8, 0.7),
                (1 << 10, "an artifact of 1 KB, 16 connections", 16, 0.1)):
            say(name)
            path = f"/artifacts/{self.digests[size]}"
            if ours.get(path, self.headers) != static.get(f"/{size}.bin"):
                sys.exit("bench: the two don't serve the same bytes.")
            value, yardstick, _ = self.by_turns(ours, path, static, f"/{size}.bin", connections)
            rows.append(Row(f"{name}, beside nginx", "requests/s", value, yardstick, goal))
        return rows

    @property
    def headers(self):
        return {"Authorization": f"Bearer {self.token}"}

    def lists(self, ours, datasette):
        say("a page of 50 sessions as JSON")
        path = "/api/1/sessions?limit=50"
        other = "/rows/session.json?_shape=objects&_sort_desc=updated&_size=50"
        if len(json.loads(datasette.get(other))["rows"]) != len(json.loads(ours.get(path, self.headers))["sessions"]):
            sys.exit("bench: the two don't serve the same rows.")
        value, yardstick, p99 = self.by_turns(ours, path, datasette, other, 16)
        return [
            Row("50 sessions as JSON, beside datasette", "requests/s", value, yardstick, 20),
            Row("… 99 of 100 within, 16 connections", "ms", p99, None, 5)]

    # Listeners

    def live(self, ours):
        say(f"{LISTENERS} listeners")
        session = json.loads(ours.get("/api/1/sessions?limit=1", self.headers))["sessions"][0]["id"]
        listeners = [Listener(ours.port, f"/s/{session}/events", self.headers) for _ in range(LISTENERS)]
        for listener in listeners:
            listener.begun.wait(10)
        time.sleep(1)
        before = ours.ticks()
        time.sleep(3)
        idle = (ours.ticks() - before) / os.sysconf("SC_CLK_TCK") / 3 * 100
        memory = ours.status("VmRSS") / 1024
        threads = ours.status("Threads")
        delays = []
        for number in range(20 if self.rounds < 5 else 50):
            began = time.monotonic()
            for listener in listeners:
                listener.came.clear()
            self.keepsake("append", session, "--kind", "prompt", f"Number {number}")
            written = time.monotonic()
            for listener in listeners:
                if not listener.came.wait(5):
                    sys.exit("bench: a listener heard nothing of an entry.")
            delays.append(max(listener.at for listener in listeners) - written)
            time.sleep(max(0, 0.05 - (time.monotonic() - began)))
        for listener in listeners:
            listener.close()
        delays.sort()
        return [
            Row("100 listeners: memory", "MB", memory, None, 80),
            Row("100 listeners: threads", "threads", threads, None, 40),
            Row("100 listeners, nothing happens: of one core", "%", idle, None, 2),
            Row("another process writes: the last of 100 hears", "ms, p50",
                delays[len(delays) // 2] * 1000, None, 200),
            Row("… 99 of 100 within", "ms, p99", delays[int(len(delays) * 0.99)] * 1000, None, 200)]


class Listener:
    """A client that listens to the events of a session."""

    def __init__(self, port, path, headers):
        self.begun, self.came, self.at = threading.Event(), threading.Event(), 0
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.connection.request("GET", path, headers=headers)
        self.answer = self.connection.getresponse()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        try:
            while line := self.answer.readline():
                if line.startswith(b"data:"):
                    what = json.loads(line[5:])["what"]
                    if what == "hello":
                        self.begun.set()
                    elif what in ("appended", "elsewhere"):
                        self.at = time.monotonic()
                        self.came.set()
        except (OSError, ValueError, AttributeError):
            pass

    def close(self):
        self.connection.sock and self.connection.sock.close()


def say(text):
    print(f"bench: {text}", file=sys.stderr)
