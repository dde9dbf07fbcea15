"""Firefox at a server: what Chromium is asked in detail is asked here once, in the other family of browsers."""

import base64
import json
import shutil
import socket
import subprocess
import time

from reading import album
from server import free_port

PATIENCE = 30


class Firefox:
    """Firefox without a window, spoken to by the protocol that its own tests use: lines of JSON behind their lengths."""

    def __init__(self, program, folder):
        folder.mkdir(parents=True)
        port = free_port()
        (folder / "user.js").write_text(
            f'user_pref("marionette.port", {port});\n'
            'user_pref("browser.shell.checkDefaultBrowser", false);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
        self.process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.buffer = 0, b""
        end = time.monotonic() + 90
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.next()
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"pageLoadStrategy": "normal"}}})

    def next(self):
        while True:
            length, mark, rest = self.buffer.partition(b":")
            if mark and len(rest) >= int(length):
                self.buffer = rest[int(length):]
                return json.loads(rest[:int(length)])
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise RuntimeError("Firefox ended")
            self.buffer += piece

    def ask(self, command, parameters=None):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, found = self.next()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return found.get("value") if isinstance(found, dict) else found

    def go(self, url):
        self.ask("WebDriver:Navigate", {"url": url})

    def value(self, expression):
        return self.ask("WebDriver:ExecuteScript", {"script": f"return ({expression})", "args": [], "newSandbox": False})

    def until(self, expression):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                found = self.value(expression)
            except RuntimeError:
                found = None  # the page may be going elsewhere
            if found or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def click(self, selector):
        found = self.ask("WebDriver:FindElement", {"using": "css selector", "value": selector})
        self.ask("WebDriver:ElementClick", {"id": next(iter(found.values()))})

    def type(self, selector, text):
        found = self.ask("WebDriver:FindElement", {"using": "css selector", "value": selector})
        self.ask("WebDriver:ElementSendKeys", {"id": next(iter(found.values())), "text": text})

    def resize(self, width, height):
        self.ask("WebDriver:SetWindowRect", {"width": width, "height": height})

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", {"full": False})))

    def close(self):
        try:
            self.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
            self.process.wait(timeout=20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.socket.close()


WATCH = """(() => { window.faults = [];
  addEventListener('error', event => faults.push(event.message ?? 'a resource'), true);
  addEventListener('unhandledrejection', event => faults.push(String(event.reason)));
  addEventListener('securitypolicyviolation', event => faults.push(event.violatedDirective)); return true })()"""


def check_firefox(checks, stage, is_short):
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        return print("   (Firefox is not here. On Debian: apt-get install firefox-esr)")
    checks.title("Firefox")
    store = stage.store("Fox")
    session, fork = album(stage, store)
    server, other = stage.serve(store), stage.serve(store)
    tab = Firefox(program, stage.folder / "firefox")
    stage.started.append(tab.close)
    faults = []

    def go(path):
        faults.extend(tab.value("window.faults ?? []") if tab.value("location.href.startsWith('http')") else [])
        tab.go(server.url + path)
        tab.value(WATCH)

    tab.go(server.link)
    checks.expect(tab.until("location.pathname === '/' && location.search === '' && document.querySelectorAll('.row').length === 3"),
                  "the link opens the list")
    checks.expect(tab.until("document.getElementById('live').dataset.state === 'on'"), "which listens")
    new = other.session("From elsewhere")
    checks.expect(tab.until(f"document.querySelector('.rows > .row')?.id === 'row-{new}'"), "a session of another process appears")
    go(f"/s/{session}")
    last = "[...document.querySelectorAll('#entries > .entry')].at(-1).getBoundingClientRect()"
    checks.expect(tab.until(f"{last}.top < innerHeight && {last}.bottom > 0"), "a conversation opens at its end")
    checks.expect(tab.value("[...document.querySelectorAll('#entries img')].every(each => each.naturalWidth > 0 || each.loading === 'lazy')"),
                  "its images are drawn")
    tab.until("document.getElementById('live').dataset.state === 'on'")
    other.say(session, "said by another process")
    checks.expect(tab.until("document.getElementById('entries').textContent.includes('said by another process')"), "an entry appears")
    tab.click("#entries a.zoom")
    checks.expect(tab.until("document.getElementById('large').open && document.querySelector('#large img').naturalWidth > 0"),
                  "an image is seen large")
    tab.click("#large")
    checks.expect(tab.until("!document.getElementById('large').open"), "and put back")
    tab.click("#branches-7 a:not([aria-current])")
    checks.expect(tab.until(f"location.pathname === '/s/{fork}' && document.body.textContent.includes('Pears it is')"),
                  "a switch leads to the other branch")
    tab.value("history.back()")
    checks.expect(tab.until(f"location.pathname === '/s/{session}' && document.body.textContent.includes('Apples it is')"), "and back")
    go("/")
    tab.type("#q", "banan")
    checks.expect(tab.until("document.querySelectorAll('#hits mark').length > 1"), "hits come while one types")
    for path in ("/gallery", "/tools", "/numbers", f"/s/{session}/export"):
        go(path)
        wide = tab.value("document.documentElement.scrollWidth - innerWidth")
        checks.expect(wide <= 0 and tab.value("document.querySelector('h1') !== null"), f"{path.split('/')[-1]} fits the window")
    faults += tab.value("window.faults")
    checks.expect(not faults, f"nothing fails, and the policy has nothing to refuse: {faults[:4]}")
