"""Chromium without a window, and a server that counts who asks."""

import base64
import http.server
import json
import os
import shutil
import subprocess
import threading
import time

DEADLINE = 600


class Canary(http.server.ThreadingHTTPServer):
    """Counts who asks; nobody should."""

    def __init__(self):
        self.asked = []
        canary = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                canary.asked.append(self.path)
                self.send_response(200)
                self.end_headers()

            do_POST = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *arguments):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Browser:
    """Chromium without a window, spoken to through a pipe."""

    def __init__(self, program, folder):
        self.to_browser, theirs_in = None, None
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        self.profile = folder / "profile"
        # Chromium takes its commands from descriptor 3 and answers on 4.
        script = f'exec 3<&{read_commands} 4>&{write_answers}; exec "$0" "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", script, *self.arguments(program)],
            pass_fds=(read_commands, write_answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.buffer, self.number, self.events = b"", 0, []
        self.session = None
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Security"):
            self.ask(f"{domain}.enable")

    def arguments(self, program):
        return [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio", "--no-first-run",
                "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "about:blank"]

    def ask(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + DEADLINE
        while time.monotonic() < deadline:
            found = self.next()
            if found.get("id") == self.number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)
        raise RuntimeError(f"{method}: no answer")

    def next(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.next())

    def resize(self, width, height, phone):
        self.ask("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})

    def open(self, path, width=1280, height=900, phone=False):
        self.resize(width, height, phone)
        self.events.clear()
        self.ask("Page.navigate", {"url": path.as_uri()})
        self.wait("Page.loadEventFired")

    def value(self, expression):
        found = self.ask("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def picture(self, path):
        found = self.ask("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(found["data"]))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        # A process of Chromium may write to the profile for a moment after the first process has ended.
        deadline = time.monotonic() + 20
        while self.profile.exists() and time.monotonic() < deadline:
            shutil.rmtree(self.profile, ignore_errors=True)
            time.sleep(0.1)
