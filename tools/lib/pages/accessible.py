"""Has axe-core look at pages. It is fetched from PyPI into a folder that is removed again."""

import json
import subprocess
import sys
import zipfile

PACKAGE = "axe-playwright-python"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def axe(folder):
    """The source of axe-core; None where it can't be had."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "1",
         "--timeout", "20", "--dest", str(folder), PACKAGE], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        return None
    with zipfile.ZipFile(wheels[0]) as wheel:
        name = next(each for each in wheel.namelist() if each.endswith("axe.min.js"))
        return wheel.read(name).decode()


def violations(browser, source):
    """What axe finds on the page that is open, one line each."""
    # The page's own policy lets no other script in, and the protocol does not ask it.
    browser.value(f"{source}; 0")
    found = browser.value(f"axe.run(document, {json.dumps(RULES)}).then(found => found.violations.map(each => [each.id, "
                          "each.nodes.length, each.nodes[0].target.join(' '), each.nodes[0].failureSummary.slice(0, 300)]))")
    return [" ".join(str(part) for part in each) for each in found]


def check_axe(checks, browser, source, folder):
    """What must be found is found."""
    for name, markup in {
        "is too pale": "<main><h1>a</h1><p style='color:#bbb'>pale</p></main>",
        "has an image without a text": "<main><h1>a</h1><img src='data:,'></main>",
        "has text outside of its landmarks": "<main><h1>a</h1></main><p>astray</p>",
    }.items():
        path = folder / "bad.html"
        path.write_text(f"<!DOCTYPE html><html lang=en><title>bad</title><body style='background:#fff'>{markup}")
        browser.open(path)
        checks.expect(violations(browser, source), f"axe finds a page out that {name}")


def check_accessible(checks, browser, source, path, name):
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        for width in (390, 1440):
            browser.open(path, width, 900, phone=width < 500)
            browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
            found = violations(browser, source)
            checks.expect(not found, f"{name}, {scheme}, {width} px: axe finds nothing: {found}")
    browser.ask("Emulation.setEmulatedMedia", {"features": []})
