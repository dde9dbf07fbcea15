"""A day of a server's life in minutes: listeners come and go, writers write, sessions are deleted under a viewer, uploads are cut.
Its memory, descriptors and threads do not grow, and all that it acknowledged is there."""

import hashlib
import http.client
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from stage import Trouble

# So many rounds pass before the server is measured: it has its threads, connections and caches then.
WARM = 0.4
MEGABYTE = 1 << 20


def run(stage):
    store, kept = stage.new_store("Served.keepsake")
    server = Server(stage, store)
    day = Day(stage, server, kept)
    rounds, first = 0, None
    while not stage.is_over or first is None:
        day.round()
        rounds += 1
        if first is None and time.monotonic() - stage.began > stage.seconds * WARM:
            day.leave()
            first = server.measured()
    day.leave()
    last = server.measured()
    day.check()
    told = compare(first, last, stage.is_short) if first else "not measured, because this system has no /proc"
    server.stop()
    stage.verify(store)
    left = [name for name in os.listdir(stage.place) if name.startswith(".keepsake-new-")]
    if left:
        raise Trouble(f"the server left behind {left}")
    return f"{rounds} rounds, {day.requests} requests, {day.listened} listeners, {day.cut} uploads cut, {day.deleted} sessions deleted; {told}"


def compare(first, last, is_short):
    """What grew between two moments at which nobody was there."""
    most = {"memory": (48 if is_short else 24) * MEGABYTE, "descriptors": 4, "threads": 4}
    for name, room in most.items():
        if last[name] > first[name] + room:
            raise Trouble(f"the server's {name} grew from {first[name]:,} to {last[name]:,}")
    return (f"memory {first['memory'] // MEGABYTE} to {last['memory'] // MEGABYTE} MB, descriptors {first['descriptors']} to "
            f"{last['descriptors']}, threads {first['threads']} to {last['threads']}")


class Server:
    """The command `keepsake serve`, and questions to it."""

    def __init__(self, stage, store):
        self.token_file = stage.place / "token"
        # A shell has its background jobs ignore Ctrl-C, and so would the server, which is stopped by that.
        self.process = stage.command(
            "serve", "--token-file", str(self.token_file), store=store, stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        link = self.process.stdout.readline()
        if not link.startswith("http://127.0.0.1:"):
            raise Trouble(f"the server did not start: it printed '{link}'")
        self.port = int(link.split(":")[2].split("/")[0])
        self.fields = {"Authorization": f"Bearer {self.token_file.read_text().strip()}"}

    def ask(self, method, path, body=None, **fields):
        """One request on a connection of its own; gives the status and the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            fields = self.fields | {name.replace("_", "-"): value for name, value in fields.items()}
            if isinstance(body, (dict, list)):
                body, fields = json.dumps(body), fields | {"Content-Type": "application/json"}
            connection.request(method, path, body=body, headers=fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def open(self, path, method="GET", **fields):
        """A connection on which a request was sent, to be left whenever one likes."""
        raw = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in (self.fields | fields).items()]
        raw.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return raw

    def measured(self):
        """What it has when nobody is there; None on a system that does not say."""
        if sys.platform != "linux":
            return None
        place = Path(f"/proc/{self.process.pid}")
        # Threads and connections that nobody needs go after a while.
        least = None
        for _ in range(40):
            time.sleep(0.1)
            status = (place / "status").read_text()
            now = {
                "memory": int(status.split("VmRSS:")[1].split()[0]) * 1024,
                "descriptors": len(os.listdir(place / "fd")), "threads": len(os.listdir(place / "task"))}
            least = now if least is None else {name: min(least[name], now[name]) for name in now}
        return least

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        if self.process.wait(timeout=60) != 130:
            raise Trouble(f"the server ended with {self.process.returncode}")


class Day:
    """Those who use a server, and what it has acknowledged."""

    def __init__(self, stage, server, kept):
        self.stage, self.server, self.kept = stage, server, kept
        self.chance = stage.chance
        self.listeners = []
        self.acknowledged = []
        self.requests = self.listened = self.cut = self.deleted = 0

    def ask(self, *given, good=(200, 201, 204), **fields):
        self.requests += 1
        status, body = self.server.ask(*given, **fields)
        if status not in good:
            raise Trouble(f"{given[0]} {given[1]} was answered with {status}: {body[:300]}")
        return status, body

    def round(self):
        session = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        self.ask("POST", "/api/1/sessions", {"id": session, "title": "passing"})
        self.listen(session)
        self.write(self.kept, True)
        self.write(session, False)
        self.upload(session)
        self.look(session)
        self.delete_under_viewers(session)
        if self.chance.random() < 0.1:
            self.stage.append(self.kept, "from another process", store=self.stage.place / "Served.keepsake")
            self.acknowledged.append("from another process")

    def listen(self, session):
        for path in ("/api/1/events", f"/api/1/sessions/{session}/events", f"/api/1/sessions/{self.kept}/events", "/events"):
            listener = self.server.open(path)
            self.listened += 1
            if self.chance.random() < 0.8:
                heard = b""
                while b"hello" not in heard:
                    piece = listener.recv(4096)
                    if not piece:
                        raise Trouble(f"{path} ended before it began: {heard[:300]}")
                    heard += piece
            self.listeners.append(listener)
        while len(self.listeners) > 24:
            self.hang_up(self.listeners.pop(self.chance.randrange(len(self.listeners))))

    def hang_up(self, connection):
        if self.chance.random() < 0.5:
            # As a machine that is switched off: the other side gets a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def leave(self):
        while self.listeners:
            self.hang_up(self.listeners.pop())

    def write(self, session, is_kept):
        for _ in range(self.chance.randrange(1, 6)):
            text = f"entry {len(self.acknowledged)} " + "word " * self.chance.randrange(200)
            key = str(self.chance.getrandbits(64))
            for _ in range(self.chance.choice((1, 1, 2))):
                self.ask("POST", f"/api/1/sessions/{session}/entries", {"kind": "prompt", "text": text}, Idempotency_Key=key)
            if is_kept:
                self.acknowledged.append(text)

    def upload(self, session):
        size = self.chance.choice((1000, 200_000, 9 * MEGABYTE))
        data = self.chance.randbytes(1000) * (size // 1000)
        path = f"/api/1/artifacts/{hashlib.sha256(data).hexdigest()}"
        if self.chance.random() < 0.6:
            connection = self.server.open(path, "PUT", Content_Length=len(data))
            connection.sendall(data[:self.chance.randrange(1, len(data))])
            self.hang_up(connection)
            self.cut += 1
        if self.chance.random() < 0.2:
            self.ask("PUT", path, data[:-1] + b"!!", good=(422, 409))
        # The server may not have noticed yet that the first one was cut.
        deadline = time.monotonic() + 60
        while self.ask("PUT", path, data, good=(201, 204, 409))[0] == 409:
            if time.monotonic() > deadline:
                raise Trouble("an upload that was cut keeps the next one out")
            time.sleep(0.02)
        digest = path.rsplit("/", 1)[1]
        self.ask("POST", f"/api/1/sessions/{session}/entries", {
            "kind": "response", "text": "Here.", "attachments": [{"artifact": f"sha256:{digest}"}]})
        # A client that takes a part of a large answer, and goes.
        connection = self.server.open(path)
        connection.recv(100)
        self.hang_up(connection)

    def look(self, session):
        for path in ("/", f"/s/{session}", f"/s/{self.kept}", f"/api/1/sessions/{self.kept}/entries?limit=20",
                     "/api/1/search?q=word&limit=5", "/api/1/artifacts", "/api/1/stats", f"/api/1/sessions/{session}/audit"):
            self.ask("GET", path)

    def delete_under_viewers(self, session):
        faults = []

        def view():
            for path in (f"/s/{session}", f"/api/1/sessions/{session}/entries", f"/api/1/sessions/{session}/attachments"):
                status, body = self.server.ask("GET", path)
                if status not in (200, 404):
                    faults.append(f"{path} was answered with {status}: {body[:300]}")

        viewers = [threading.Thread(target=view) for _ in range(3)]
        for viewer in viewers:
            viewer.start()
        self.ask("DELETE", f"/api/1/sessions/{session}")
        self.deleted += 1
        for viewer in viewers:
            viewer.join()
        if faults:
            raise Trouble(faults[0])
        self.ask("GET", f"/api/1/sessions/{session}", good=(404,))

    def check(self):
        """All that was acknowledged is there, once and in its order."""
        found, position = [], "0"
        while position is not None:
            _, body = self.ask("GET", f"/api/1/sessions/{self.kept}/entries?limit=1000&from={position}")
            page = json.loads(body)
            found += [entry["text"].rstrip("\n") for entry in page["entries"]]
            position = page["next"]
        if found != self.acknowledged:
            raise Trouble(f"{len(self.acknowledged)} entries were acknowledged, and {len(found)} are there, or others")
