"""A tab of Chromium that looks at a server: what it asked for, what it complained of, and what one sees."""

import json
import os
import time

from browser import Browser

PATIENCE = 20

KEYS = {"Enter": ("\r", 13), "Escape": (None, 27), "Tab": ("\t", 9), "End": (None, 35), "Home": (None, 36)}


class Tab(Browser):
    """Chromium at one page of a server."""

    def __init__(self, program, folder, *options):
        self.options = options
        super().__init__(program, folder)
        self.complaints, self.requests, self.streams = [], [], set()
        self.ask("Page.setLifecycleEventsEnabled", {"enabled": True})

    def arguments(self, program):
        return [*super().arguments(program)[:-1], *self.options, "about:blank"]

    # MARK: - What happened

    def sort(self):
        """Keeps of the events what a check asks for."""
        for event in self.events:
            method, given = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                self.requests.append(given["request"]["url"])
                if given.get("type") == "EventSource":
                    self.streams.add(given["requestId"])
            elif method in ("Network.loadingFinished", "Network.loadingFailed"):
                self.streams.discard(given["requestId"])
            elif method == "Page.frameNavigated":
                self.streams.clear()  # the page that is left ends its streams, and nobody tells of it
            elif method == "Runtime.exceptionThrown":
                self.complaints.append(given["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
                self.complaints.append(" ".join(str(each.get("value", "")) for each in given["args"]))
            elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
                self.complaints.append(f"{given['entry']['text']} {given['entry'].get('url', '')}")
            elif method == "Page.javascriptDialogOpening":
                self.complaints.append(f"a dialog: {given['message']}")
                self.ask("Page.handleJavaScriptDialog", {"accept": True})
        self.events.clear()

    def told(self):
        """What the console said since the last time, and who else was asked."""
        self.value("0")
        self.sort()
        complaints, self.complaints = self.complaints, []
        return complaints

    def listens_to(self, count):
        """Whether it comes to hold so many streams of events."""
        end = time.monotonic() + PATIENCE
        while True:
            self.value("0")
            self.sort()
            if len(self.streams) == count or time.monotonic() > end:
                return len(self.streams) == count
            time.sleep(0.05)

    def rest(self):
        """Waits until the page has asked for nothing for a while."""
        asked = None
        while asked != len(self.requests):
            asked = len(self.requests)
            time.sleep(0.5)
            self.value("0")
            self.sort()

    # MARK: - Going

    def go(self, url, width=1280, height=900, phone=False):
        self.resize(width, height, phone)
        self.sort()
        loader = self.ask("Page.navigate", {"url": url}).get("loaderId")
        if loader:
            self.load(loader)
        self.sort()

    def load(self, loader):
        """Waits until this page is loaded, and no other that was on its way before."""
        def is_it(event):
            given = event.get("params", {})
            return (event.get("method") == "Page.lifecycleEvent" and given["loaderId"] == loader
                    and given["name"] == "load")

        while not any(is_it(event) for event in self.events):
            self.events.append(self.next())

    def settle(self):
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def until(self, expression, patience=PATIENCE):
        """Waits until something holds on the page; gives the value, which is falsy where it never came true."""
        end = time.monotonic() + patience
        while True:
            try:
                found = self.value(expression)
            except RuntimeError as error:
                # The page may be going elsewhere.
                if not any(sign in str(error) for sign in ("context", "navigated", "Cannot read")):
                    raise
                found = None
            if found or time.monotonic() > end:
                return found
            time.sleep(0.03)

    # MARK: - Hands

    def key(self, name, shift=False):
        text, code = KEYS.get(name, (name, 0))
        given = {"key": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", {"type": "keyDown", **given, **({"text": text} if text else {})})
        self.ask("Input.dispatchKeyEvent", {"type": "keyUp", **given})

    def type(self, text):
        for letter in text:
            self.key(letter)

    def click(self, selector):
        """A click of the mouse at the middle of what is seen there."""
        found = self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); if (!one) return null; "
            "one.scrollIntoView({block: 'center', behavior: 'instant'}); const box = one.getBoundingClientRect(); "
            "return [box.x + box.width / 2, box.y + box.height / 2] })()")
        if not found:
            raise RuntimeError(f"there is no {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", {
                "type": kind, "x": found[0], "y": found[1], "button": "left", "clickCount": 1})

    def wheel(self, by):
        self.ask("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": 640, "y": 450, "deltaX": 0, "deltaY": by})

    def hide(self, is_hidden):
        """As when another tab comes in front of it."""
        # Headless Chromium has no other tabs; this is what a page hears and reads of one.
        state = "hidden" if is_hidden else "visible"
        self.value(
            f"Object.defineProperty(document, 'hidden', {{configurable: true, get: () => {json.dumps(is_hidden)}}});"
            f"Object.defineProperty(document, 'visibilityState', {{configurable: true, get: () => '{state}'}});"
            "document.dispatchEvent(new Event('visibilitychange'))")

    def metrics(self):
        found = self.ask("Performance.getMetrics")["metrics"]
        return {each["name"]: each["value"] for each in found}
