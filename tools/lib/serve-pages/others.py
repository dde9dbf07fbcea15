"""Other sites in the same browser, which may read nothing and change nothing (B2, B3, B4, B9, B10), and hostile sessions (A)."""

import http.server
import json
import os
import shutil
import subprocess
import threading
import time

from browser import Canary
from reading import album
from sessions import Session, hostile

# Everything that a page may try at another site, by whatever name; each gives what it could read.
TRIES = """(async (site, session, digest) => {
  const found = {};
  const attempt = async (name, action) => {
    try { found[name] = await Promise.race([action(), new Promise(done => setTimeout(done, 3000, 'nothing'))]) }
    catch (error) { found[name] = 'refused' }
  };
  const element = (name, attributes) => new Promise(done => {
    const one = Object.assign(document.createElement(name), attributes);
    one.onload = () => done('loaded'); one.onerror = () => done('refused');
    document.body.append(one);
  });
  for (const credentials of ['include', 'omit']) {
    await attempt('fetch ' + credentials, async () => (await fetch(site + '/api/1/sessions', {credentials})).text());
    await attempt('no-cors ' + credentials, async () => (await fetch(site + '/', {credentials, mode: 'no-cors'})).text());
  }
  await attempt('post text', async () => (await fetch(site + '/api/1/sessions', {method: 'POST', credentials: 'include',
    mode: 'no-cors', headers: {'Content-Type': 'text/plain'}, body: '{"title":"stranger"}'})).type === 'opaque' ? '' : 'read');
  await attempt('post json', async () => (await fetch(site + '/api/1/sessions', {method: 'POST', credentials: 'include',
    headers: {'Content-Type': 'application/json', 'X-Keepsake': '1'}, body: '{"title":"stranger"}'})).text());
  await attempt('delete', async () => (await fetch(site + '/api/1/sessions/' + session, {method: 'DELETE', credentials: 'include',
    headers: {'X-Keepsake': '1'}})).text());
  await attempt('beacon', async () => { navigator.sendBeacon(site + '/api/1/sessions', '{"title":"stranger"}'); return '' });
  await attempt('image', () => element('img', {src: site + '/artifacts/' + digest}));
  await attempt('cover', () => element('img', {src: site + '/s/' + session + '/cover'}));
  await attempt('script', () => element('script', {src: site + '/api/1/sessions'}));
  await attempt('module', () => element('script', {type: 'module', src: site + '/assets/base.js'}));
  await attempt('style', () => element('link', {rel: 'stylesheet', href: site + '/assets/app.css'}));
  await attempt('events', () => new Promise(done => {
    const source = new EventSource(site + '/events', {withCredentials: true});
    source.onmessage = () => done('read'); source.onerror = () => done('refused') }));
  await attempt('socket', () => new Promise(done => {
    const socket = new WebSocket(site.replace('http', 'ws') + '/events');
    socket.onopen = () => done('read'); socket.onerror = () => done('refused') }));
  await attempt('frame', () => new Promise(done => {
    const frame = document.createElement('iframe');
    frame.src = site + '/';
    frame.onload = () => { try { done(frame.contentDocument?.body?.textContent ? 'read' : 'refused') } catch (error) { done('refused') } };
    document.body.append(frame) }));
  await attempt('form', () => new Promise(done => {
    const frame = document.createElement('iframe'); frame.name = 'into'; document.body.append(frame);
    const form = document.createElement('form');
    form.method = 'post'; form.enctype = 'text/plain'; form.action = site + '/api/1/sessions'; form.target = 'into';
    form.innerHTML = '<input name=\\'{"title":"stranger","x":"\\' value=\\'"}\\'>';
    document.body.append(form); form.submit(); setTimeout(done, 1000, '') }));
  await attempt('window', () => new Promise(done => {
    const other = open(site + '/', 'other');
    setTimeout(() => {
      let read = '';
      try { read += other?.document?.body?.textContent ?? '' } catch (error) {}
      try { read += other && !other.closed && other.length > 0 ? 'frames' : '' } catch (error) {}
      try { other?.close() } catch (error) {}
      done(read ? 'read' : 'refused') }, 1500) }));
  return found;
})"""
HARMLESS = {"", "refused", "nothing", None}


class Stranger(http.server.ThreadingHTTPServer):
    """A site of somebody else, at another port of this machine."""

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!DOCTYPE html><title>stranger</title><body>")

            def log_message(self, *arguments):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def check_others(checks, stage, is_short):
    checks.title("other sites in the same browser")
    store = stage.store("Mine")
    session, _ = album(stage, store)
    server = stage.serve(store)
    stranger = Stranger()
    stage.started.append(stranger.shutdown)
    tab = stage.tab("--host-resolver-rules=MAP evil.test 127.0.0.1,MAP *.evil.test 127.0.0.1")
    stage.enter(tab, server)
    tab.go(f"{server.url}/s/{session}")
    digest = server.ask("GET", "/api/1/artifacts?limit=1")["artifacts"][0]["artifact"].split(":")[1]
    secret = "An album"
    before = server.ask("GET", "/api/1/sessions?limit=1000")["sessions"]

    check_other_user(checks, store, stage)
    tab.go(f"http://127.0.0.1:{stranger.server_port}/")
    found = tab.value(f"{TRIES}(location.origin, '{session}', '{digest}')")
    open_ways = sum(value not in HARMLESS for value in found.values())
    checks.expect(open_ways >= 5, f"of a site that lets others in, {open_ways} ways read something")
    for name, host in (("another port of this machine", "127.0.0.1"), ("the name of this machine", "localhost"),
                       ("another site", "evil.test")):
        tab.go(f"http://{host}:{stranger.server_port}/")
        for target in (server.url, f"http://localhost:{server.port}", f"http://evil.test:{server.port}"):
            found = tab.value(f"{TRIES}({json.dumps(target)}, '{session}', '{digest}')")
            bad = {key: value for key, value in found.items() if value not in HARMLESS}
            checks.expect(not bad, f"{name} reads nothing of {target.split('//')[1].split(':')[0]}: {str(bad)[:200]}")
    for host in ("evil.test", "127.0.0.1.evil.test"):
        tab.go(f"http://{host}:{server.port}/")
        body = tab.value("document.body?.textContent ?? ''")
        status = tab.value("fetch('/api/1/sessions').then(each => each.status, () => 0)")
        checks.expect(secret not in body and status in (0, 400, 401, 403), f"a name that leads here, {host}, is refused: {status}")
    after = server.ask("GET", "/api/1/sessions?limit=1000")["sessions"]
    checks.expect(before == after, "and nothing was changed")
    tab.complaints.clear()
    tab.told()

    # A link on another site opens the page, as a link should, and that site learns nothing of it.
    tab.go(f"{server.url}/")
    checks.expect(tab.value("document.cookie") == "", "no script reads the cookie")
    checks.expect(tab.value("document.querySelector('.row') !== null"), "the person is still let in")
    check_hostile(checks, stage, tab)


def check_other_user(checks, store, stage):
    """B6: whoever saw the link in the list of programs is another user, and gets nothing by it."""
    curl = shutil.which("curl")
    if curl is None or os.getuid() != 0:
        return print("   (left out, because only root can ask as another user: the link is refused to other users)")
    process = subprocess.Popen([stage.keepsake, "--store", str(store), "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    link = process.stdout.readline().strip()

    def status(user):
        return subprocess.run([curl, "-s", "-o", "/dev/null", "-w", "%{http_code}", link], user=user, capture_output=True,
                              text=True, check=False).stdout

    checks.expect(status(65534) == "403", "the link is refused to another user of this machine")
    checks.expect(status(0) == "200", "and opens the server all the same to the one who started it")
    process.terminate()
    process.wait()


OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true), document.body.scrollHeight"
HANDLERS = ("[...document.querySelectorAll('*')].filter(each => each.getAttributeNames()"
            ".some(name => name.startsWith('on'))).length")
RUN = "document.title.startsWith('run') || window.ran === true"


def check_hostile(checks, stage, tab):
    checks.title("hostile sessions in the live viewer")
    canary = Canary()
    folder = stage.folder / "hostile"
    folder.mkdir()
    title = "\"><script>document.title='run'</script>"
    session = Session(stage.keepsake, folder, title)
    hostile(session, canary.url)
    session.run("new", title, "--tag", title, "--origin", title)
    server = stage.serve(session.store)
    stage.enter(tab, server)
    identity = next(each["id"] for each in server.ask("GET", "/api/1/sessions")["sessions"] if each["entries"] > 10)
    count = server.ask("GET", f"/api/1/sessions/{identity}")["entries"]
    digests = [each["artifact"].split(":")[1] for each in server.ask("GET", "/api/1/artifacts?limit=100")["artifacts"]]
    paths = ["/", "/gallery", "/tools", "/numbers", "/search?q=document.title", f"/?origin={'%22%3E%3Cscript%3E'}",
             *[f"/s/{identity}?at={position}" for position in range(0, count, 40)], f"/s/{identity}/export",
             *[f"/a/{digest}" for digest in digests]]
    ran, handlers, wide = [], [], []
    for path in paths:
        tab.go(server.url + path, 390, 844, phone=True)
        tab.value(OPEN_ALL)
        tab.settle()
        ran += [path] if tab.value(RUN) else []
        handlers += [path] if tab.value(HANDLERS) else []
        wide += [path] if tab.value("document.documentElement.scrollWidth") > 390 else []
    checks.expect(not ran, f"nothing runs on {len(paths)} pages: {ran}")
    checks.expect(not handlers, f"and nothing could: {handlers}")
    checks.expect(not wide, f"all fit a phone: {wide}")
    said = [each for each in tab.told() if "Failed to load resource" not in each and "Failed to decode" not in each]
    checks.expect(not said, f"the policy has nothing to refuse: {said[:3]}")
    check_artifacts(checks, tab, server, digests, canary)
    checks.expect(not canary.asked, f"the canary heard nothing: {canary.asked}")


def check_artifacts(checks, tab, server, digests, canary):
    """A1–A5, A10, A11: an artifact is opened in every way, and is nothing but bytes."""
    bad = []
    for digest in digests:
        url = f"{server.url}/artifacts/{digest}"
        tab.go(f"{server.url}/numbers")
        ways = "".join(f'<{way} {"data" if way == "object" else "src"}="{url}"></{way}>' for way in ("img", "iframe", "object", "embed"))
        # Only our own script may make elements of HTML here, so the attack has it do that.
        tab.value(f"import('/assets/base.js').then(base => {{ document.body.append(base.elements({json.dumps(ways)})); "
                  "return new Promise(done => setTimeout(done, 150)) })")
        if tab.value(RUN):
            bad.append(f"in a page {digest[:8]}")
        tab.ask("Page.setDownloadBehavior", {"behavior": "deny"})
        tab.sort()
        tab.ask("Page.navigate", {"url": url})
        # The page that is left takes what is awaited in it along, so this side waits.
        time.sleep(0.15)
        if tab.value(RUN):
            bad.append(f"as a page {digest[:8]}")
    checks.expect(not bad, f"artifacts run nothing, however {len(digests)} of them are opened: {bad}")
    tab.told()
