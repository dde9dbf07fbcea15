"""What a page must look like, and how it must answer to a reader, as a browser measures it."""

import base64
import json
import re

# The middles of things, and where they begin, in pixels of the window.
RECTS = """(selector => [...document.querySelectorAll(selector)].map(each => each.getBoundingClientRect())
  .filter(each => each.width > 0).map(each => [each.left, each.top, each.right, each.bottom].map(Math.round)))"""
# Where a piece of text stands; null where it is not on the page.
TEXT = """((selector, text) => {
  for (const parent of document.querySelectorAll(selector)) {
    const walk = document.createTreeWalker(parent, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const start = node.data.indexOf(text);
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + text.length);
      const found = range.getBoundingClientRect();
      return [found.left, found.top, found.right, found.bottom].map(Math.round);
    }
  }
  return null;
})"""
SETTLED = """new Promise(done => {
  let last = -1, same = 0;
  const look = () => {
    same = scrollY === last ? same + 1 : 0;
    last = scrollY;
    same > 12 ? done(scrollY) : requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


def rects(browser, selector):
    return browser.value(f"{RECTS}({selector!r})")


def text_rect(browser, selector, text):
    return browser.value(f"{TEXT}({selector!r}, {text!r})")


def click(browser, selector):
    """Clicks as a reader would, and waits until nothing moves."""
    browser.value(f"document.querySelector({selector!r}).click()")
    browser.value(SETTLED)


def escape(browser):
    browser.ask("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Escape", "code": "Escape"})
    browser.value(SETTLED)


def lands(browser, selector):
    """How far from the window's top a thing is, in pixels."""
    return abs(browser.value(f"document.querySelector({selector!r}).getBoundingClientRect().top"))


def check_jumps(checks, browser, path):
    """Links lead where they say, also past thousands of entries that were never drawn."""
    browser.open(path)
    click(browser, "nav.view a[href='#makers']")
    checks.expect(lands(browser, "#makers") < 40, f"'What made what' is where its link leads ({lands(browser, '#makers'):.0f} px)")
    for position in (1500, 4):
        click(browser, f".outline a[href='#entry-{position}']")
        found = lands(browser, f"#entry-{position}")
        checks.expect(found < 60, f"entry {position} is where the outline leads ({found:.0f} px)")


def check_gallery(checks, browser, path, count):
    """The gallery goes in rows, from the left, and its links lead out of it."""
    browser.open(path)
    click(browser, "nav.view a[href='#gallery']")
    found = rects(browser, ".artifact img")
    checks.expect(len(found) == count, f"the gallery has {len(found)} of {count} images")
    left = rects(browser, "main")[0][0]
    checks.expect(found[0][0] - left < 40, "its first image stands at its beginning")
    checks.expect(found[1][1] == found[0][1] and found[1][0] > found[0][2], "its second stands beside it")
    checks.expect(found == sorted(found, key=lambda each: (each[1], each[0])), "they go row by row")
    seen = browser.value("[...document.querySelectorAll('.entry.prompt')].some(each => each.offsetHeight > 0)")
    checks.expect(not seen, "there is nothing else in it")
    before = browser.value("scrollY")
    click(browser, ".artifact .enlarge")
    check_enlarged(checks, browser)
    escape(browser)
    checks.expect(browser.value("document.querySelector('.enlarge:target') === null"), "the escape key closes it")
    click(browser, ".artifact .enlarge")
    click(browser, ".artifact:has(.enlarge:target) .shut")
    closed = rects(browser, ".artifact img")
    checks.expect(len(closed) == count and abs(browser.value("scrollY") - before) < 400, "it is put back into the gallery")
    click(browser, "#makers a[href^='#entry-']")
    position = browser.value("location.hash")
    checks.expect(rects(browser, position) != [] and lands(browser, position) < 60, "an 'entry' link leads out of it")


def check_enlarged(checks, browser):
    """The image that is enlarged stands in the middle of the window, and whole."""
    width, height = browser.value("[innerWidth, innerHeight]")
    image = browser.value("""(image => { const r = image.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom] })(
      document.querySelector('.artifact:is(:target, :has(.enlarge:target)) img'))""")
    middle = (image[0] + image[2]) / 2
    checks.expect(abs(middle - width / 2) < 12, f"the enlarged image stands in the middle ({middle:.0f} of {width})")
    checks.expect(image[0] >= 0 and image[1] >= 0 and image[2] <= width and image[3] <= height, "all of it is seen")


def check_talk(checks, browser, path):
    browser.open(path)
    pres = browser.value("""[...document.querySelectorAll('.code:has(pre)')].map(each => [
      each.querySelector('.bar')?.getBoundingClientRect().bottom ?? 0, each.querySelector('pre').getBoundingClientRect().top])""")
    checks.expect(all(bar <= pre + 1 for bar, pre in pres), "no language covers its code")
    colours = browser.value("""new Set([...document.querySelectorAll('.code span')].map(
      each => getComputedStyle(each).color)).size""")
    checks.expect(colours > 3, f"code has {colours} colours")
    words = text_rect(browser, ".response p", "Here is the cake")
    images = rects(browser, ".response .artifact img")
    checks.expect(images[0][1] >= words[3], "an image stands below the text before it")
    checks.expect(text_rect(browser, ".response p", "and a slice")[1] >= images[0][3], "and above the text after it")
    check_arabic(checks, browser)
    browser.value("document.querySelectorAll('details.call').forEach(each => each.open = true)")
    tree = browser.value("document.querySelector('.json').textContent")
    checks.expect('"note": "one\\ntwo"' in tree, "arguments are a tree, whose text is the JSON")
    one, two = text_rect(browser, ".json .s", "one"), text_rect(browser, ".json .s", "two")
    checks.expect(two[1] > one[1], "a line break in a string is one")
    browser.ask("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    browser.ask("Page.bringToFront")
    browser.value("document.querySelector('pre').parentElement.querySelector('.copy').click()")
    copied = browser.value("navigator.clipboard.readText()")
    checks.expect(copied.startswith("// Scales a recipe.\nlet grams"), "code is copied to the letter")
    browser.value("document.querySelector('.code:has(.json) .copy').click()")
    copied = browser.value("navigator.clipboard.readText()")
    checks.expect(json.loads(copied)["note"] == "one\ntwo", "and a tree as the JSON that it is")
    click(browser, ".zoom")
    check_enlarged(checks, browser)
    escape(browser)
    checks.expect(browser.value("document.querySelector('.artifact:target') === null"), "the escape key closes it")


def check_arabic(checks, browser):
    numbers = browser.value("""(list => [getComputedStyle(list).direction, parseFloat(getComputedStyle(list).paddingRight)])(
      [...document.querySelectorAll('ol:not(.outline ol)')].at(-1))""")
    checks.expect(numbers[0] == "rtl" and numbers[1] > 10, f"a list in Arabic has room for its numbers: {numbers}")
    amounts = browser.value("""[...document.querySelectorAll('li bdi')].map(each => each.textContent)""")
    checks.expect(amounts == ["500 ml", "500 ml", "180 °C"], f"numbers keep their units: {amounts}")
    number, unit = text_rect(browser, "li bdi", "500"), text_rect(browser, "li bdi", "ml")
    checks.expect(number[2] <= unit[0] + 1, "'500 ml' reads 500 ml")
    table = browser.value("getComputedStyle([...document.querySelectorAll('.said table')].at(-1)).direction")
    checks.expect(table == "rtl", "a table in Arabic begins at the right")


def check_phone(checks, browser, path):
    for width in (390, 820, 1440):
        browser.open(path, width, 844, phone=width < 500)
        checks.expect(browser.value("document.documentElement.scrollWidth") <= width, f"it fits {width} px")
        if width == 390:
            table = browser.value("""(table => [table.scrollWidth > table.clientWidth, table.tabIndex,
              getComputedStyle(table).backgroundAttachment])(document.querySelector('.said .table'))""")
            checks.expect(table[0] and table[1] == 0 and "local" in table[2], f"a table that is cut shows it: {table}")
        outline = browser.value("document.querySelector('.outline li').checkVisibility({contentVisibilityAuto: false, visibilityProperty: true}) && document.querySelector('.outline li').getBoundingClientRect().bottom < 844")
        checks.expect(outline == (width == 1440), "the outline is open beside the text, and folded above it")


def check_without_script(checks, browser, path):
    browser.ask("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(path)
        shown = browser.value("[...document.querySelectorAll('.copy')].filter(each => each.offsetHeight > 0).length")
        checks.expect(shown == 0, "without a script there are no buttons that do nothing")
        click_at(browser, rects(browser, ".outline summary, .zoom")[0])
        browser.value("document.querySelector('.zoom').scrollIntoView({block: 'center'})")
        click_at(browser, rects(browser, ".zoom")[0])
        checks.expect(browser.value("document.querySelector('.artifact:target') !== null"), "and an image is enlarged all the same")
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", {"value": False})


def click_at(browser, rect):
    x, y = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
    for kind in ("mousePressed", "mouseReleased"):
        browser.ask("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1})


def check_print(checks, browser, path, limit):
    """What is folded stays folded on paper."""
    browser.open(path)
    found = browser.ask("Page.printToPDF", {"preferCSSPageSize": True})
    pages = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(found["data"])))
    checks.expect(0 < pages <= limit, f"it prints on {pages} pages")
