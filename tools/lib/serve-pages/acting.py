"""Changing things in the page, and a server where nothing can be changed."""

import json

from reading import album


def submit(tab, name, **values):
    tab.click(f"button[data-dialog={name}]")
    tab.until(f"document.getElementById('{name}').open")
    for field, value in values.items():
        tab.value(f"document.querySelector('#{name} [name={field}]').value = {json.dumps(value)}")
    tab.click(f"#{name} form button:not([type])")


def check_acting(checks, stage, is_short):
    checks.title("acting")
    store = stage.store("Acting")
    session, _ = album(stage, store)
    server = stage.serve(store)
    tab = stage.tab()
    stage.enter(tab, server)
    tab.go(f"{server.url}/s/{session}")
    tab.until("document.getElementById('live').dataset.state === 'on'")
    submit(tab, "rename", title="Another <b>title</b>")
    checks.expect(tab.until("document.querySelector('h1').textContent === 'Another <b>title</b>'"), "a session is renamed")
    submit(tab, "tag", tags="fruit work")
    checks.expect(tab.until("document.querySelector('.session-title .facts').textContent.includes('fruit')"), "and tagged")
    checks.expect(server.ask("GET", f"/api/1/sessions/{session}")["tags"] == ["fruit", "work"], "and stored so")
    submit(tab, "fork", before="3", title="A fork")
    checks.expect(tab.until(f"location.pathname.startsWith('/s/') && location.pathname !== '/s/{session}'"), "and forked")
    fork = tab.value("location.pathname.slice(3)")
    checks.expect(server.ask("GET", f"/api/1/sessions/{fork}")["entries"] == 3, "before an entry")
    tab.until("document.querySelector('button[data-dialog=remove]') !== null")
    tab.click("button[data-dialog=remove]")
    text = tab.value("document.getElementById('remove').textContent")
    checks.expect("3 entries" in text, "before something is deleted, what goes with it is said")
    tab.click("#remove [data-close]")
    checks.expect(tab.until("!document.getElementById('remove').open"), "and one may leave it")
    tab.rest()
    submit(tab, "remove")
    checks.expect(tab.until("location.pathname === '/'"), "a deleted session is left")
    checks.expect(tab.until(f"document.querySelector('.row') && !document.getElementById('row-{fork}')"), "and is not listed")

    for name, fit in (("json", ""), ("openai-chat", "60")):
        downloads = stage.folder / f"downloads-{name}"
        downloads.mkdir()
        tab.ask("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        tab.go(f"{server.url}/s/{session}/export")
        tab.value(f"document.querySelector('[name=format]').value = {json.dumps(name)}; "
                  f"document.querySelector('[name=fit]').value = '{fit}'")
        tab.click("main form button")
        end = 100
        while not (new := [each for each in downloads.iterdir() if not each.name.endswith(".crdownload")]) and end:
            tab.until("false", 0.1)
            end -= 1
        content = new[0].read_text() if new else ""
        checks.expect("apples" in content and ("Draw some bananas" in content) == (not fit), f"it is exported as {name}{' that fits' if fit else ''}")
    checks.quiet(tab, server)
    server.stop()

    reading = stage.serve(store, "--read-only")
    stage.enter(tab, reading)
    tab.go(f"{reading.url}/s/{session}")
    checks.expect(tab.value("document.querySelectorAll('button[data-dialog], form[data-act]').length") == 0,
                  "where nothing may be changed, nothing offers to")
    checks.expect(tab.value(
        f"fetch('/api/1/sessions/{session}', {{method: 'DELETE', headers: {{'X-Keepsake': '1'}}}}).then(each => each.status)")
        in (403, 405), "and nothing can be")
    tab.told()
