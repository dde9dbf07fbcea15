"""How pages look, to axe-core and to people."""

import time

from accessible import axe, violations
from reading import album

WIDTHS = (390, 820, 1440)


def places(stage, server, session):
    digest = server.ask("GET", "/api/1/artifacts?limit=1")["artifacts"][0]["artifact"].split(":")[1]
    return {
        "home": "/", "search": "/search?q=banana", "conversation": f"/s/{session}", "gallery": "/gallery",
        "story": f"/a/{digest}", "tools": "/tools", "tool": "/tools/Draw", "numbers": "/numbers", "export": f"/s/{session}/export",
        "revisions": f"/s/{session}/revisions/4", "nothing": "/s/nobody", "none": "/search?q=nowhere",
    }


def stage_pages(stage):
    store = stage.store("Looks")
    session, _ = album(stage, store)
    app = stage.app(store, session)
    app("revise 4 Here are some bananas, and a table of them.")
    server = stage.serve(store)
    tab = stage.tab()
    stage.enter(tab, server)
    return server, tab, places(stage, server, session)


def check_looks(checks, stage, is_short):
    checks.title("pages as axe-core and a phone see them")
    source = axe(stage.folder)
    if source is None:
        return print("   (PyPI can't be reached: axe-core is left out)")
    server, tab, pages = stage_pages(stage)
    for scheme in ("light", "dark"):
        tab.ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        found, wide = [], []
        for width in (390, 1440):
            for name, path in pages.items():
                tab.go(server.url + path, width, 900, phone=width < 500)
                tab.value("document.querySelectorAll('details').forEach(each => each.open = true)")
                if tab.value("document.documentElement.scrollWidth") > width:
                    wide.append(f"{name} {width}")
                found += [f"{name} {width}: {each}" for each in violations(tab, source)]
        checks.expect(not found, f"axe finds nothing, {scheme}: {found}")
        checks.expect(not wide, f"nothing is wider than the window, {scheme}: {wide}")
    tab.told()


def take_pictures(stage, folder):
    folder.mkdir(parents=True, exist_ok=True)
    server, tab, pages = stage_pages(stage)
    for scheme in ("light", "dark"):
        tab.ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for width in WIDTHS:
            for name, path in pages.items():
                tab.go(server.url + path, width, 900, phone=width < 500)
                time.sleep(0.3)
                tab.picture(folder / f"{name}-{width}-{scheme}.png")
