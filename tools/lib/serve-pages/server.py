"""A server of a store, started as anybody starts it, and what a program asks it."""

import http.client
import json
import os
import signal
import socket
import subprocess
from pathlib import Path


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Server:
    """`keepsake serve` of a store at a port that stays the same when it is started again."""

    def __init__(self, keepsake, store, *options, port=None):
        self.keepsake, self.store, self.options = keepsake, Path(store), options
        self.port = port or free_port()
        self.token_file = self.store.parent / f"token-{self.port}"
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def link(self):
        """A link that opens the server in a browser, again and again."""
        return f"{self.url}/?t={self.token}"

    def start(self):
        self.process = subprocess.Popen(
            [self.keepsake, "--store", str(self.store), "serve", "--port", str(self.port), "--token-file",
             str(self.token_file), *self.options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if not self.process.stdout.readline().startswith("http://"):
            raise RuntimeError("keepsake serve did not start")
        self.token = self.token_file.read_text().strip()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.connection.close()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.connection.close()

    # MARK: - Asking

    def ask(self, method, path, body=None):
        """An answer of the API as JSON."""
        fields = {"Authorization": f"Bearer {self.token}"}
        if body is not None:
            body, fields["Content-Type"] = json.dumps(body), "application/json"
        # The server closes a connection that was idle for half a minute, so each question has its own.
        self.connection.close()
        self.connection.request(method, path, body, fields)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:300]}")
        return json.loads(content) if content else None

    def session(self, title):
        return self.ask("POST", "/api/1/sessions", {"title": title})["id"]

    def say(self, session, text, kind="prompt", **more):
        return self.ask("POST", f"/api/1/sessions/{session}/entries", {"kind": kind, "text": text, **more})["position"]

    # MARK: - What it costs

    def memory(self):
        """Resident bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def processor(self):
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
