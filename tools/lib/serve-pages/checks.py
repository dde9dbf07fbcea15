"""What holds and what does not, and the stage on which it is tried."""

import subprocess
from pathlib import Path

from server import Server
from tab import Tab


class Checks:
    def __init__(self):
        self.failures = 0

    def title(self, text):
        print(text, flush=True)

    def expect(self, holds, what):
        print(f"   {'✓' if holds else '✗'} {what}", flush=True)
        self.failures += not holds

    def quiet(self, tab, *servers):
        """Nothing was complained of, and nobody else was asked."""
        complaints = tab.told()
        self.expect(not complaints, f"the console says nothing: {complaints[:4]}")
        strangers = [
            url for url in tab.requests
            if not url.startswith(("data:", "about:", "blob:")) and not any(url.startswith(each.url) for each in servers)]
        self.expect(not strangers, f"nobody else is asked: {strangers[:4]}")
        tab.requests.clear()


class Stage:
    """A folder, the programs, and the servers and tabs that were started."""

    def __init__(self, folder, keepsake, child, chromium):
        self.folder, self.keepsake, self.child, self.chromium = Path(folder), keepsake, child, chromium
        self.started = []
        self.count = 0

    def store(self, name):
        path = self.folder / f"{name}.keepsake"
        self.run(path, "new", "The first")
        return path

    def run(self, store, *arguments, text=None):
        done = subprocess.run(
            [self.keepsake, "--store", str(store), *arguments], input=text, capture_output=True, check=False, timeout=600)
        if done.returncode:
            raise RuntimeError(f"keepsake {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode().strip()

    def serve(self, store, *options):
        server = Server(self.keepsake, store, *options)
        self.started.append(server.stop)
        return server

    def tab(self, *options):
        self.count += 1
        tab = Tab(self.chromium, self.folder / f"tab-{self.count}", *options)
        self.started.append(tab.close)
        return tab

    def enter(self, tab, server):
        """Opens the link, as a person does first of all."""
        tab.go(server.link)
        tab.until("location.pathname === '/' && location.search === '' && document.readyState === 'complete'")
        tab.told()

    def app(self, store, session):
        app = App(self.child, store, session)
        self.started.append(app.close)
        return app

    def close(self):
        for each in reversed(self.started):
            try:
                each()
            except (OSError, RuntimeError) as error:
                print(f"   (ending: {error})")


class App:
    """Another program that writes, told line by line."""

    def __init__(self, child, store, session):
        self.process = subprocess.Popen(
            [child, "tell", str(store), session], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise RuntimeError(f"{line}: {answer}")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()
