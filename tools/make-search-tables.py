#!/usr/bin/env python3
"""Writes SearchTables.swift in Sources/Keepsake/Search, and its folds: what a letter is, and what it folds to.

The tables are our own, so that an index means the same on every machine and after every update
of the operating system. When they change, SearchText.version has to change with them.
"""
import pathlib
import unicodedata as u

SINGLE = [(0x0E01, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17D3), (0x17D7, 0x17D7), (0x17DC, 0x17DD),
          (0x17E0, 0x17E9), (0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035),
          (0x3038, 0x303C), (0x3041, 0x3096), (0x3099, 0x309A), (0x309D, 0x309F), (0x30A1, 0x30FA),
          (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),
          (0x1AFF0, 0x1B167), (0x20000, 0x3FFFD)]
DROPPED = [(0x00AD, 0x00AD), (0x0300, 0x036F), (0x0483, 0x0489), (0x0640, 0x0640), (0x180B, 0x180F),
           (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x200C, 0x200D), (0x2060, 0x2060),
           (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xFEFF, 0xFEFF),
           (0xE0100, 0xE01EF)]
# Letters with a stroke don't decompose, and people leave the stroke out when they search.
EXTRA = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ı": "i"}
# Marks that make another letter of a Cyrillic one. All others are accents, ё's two dots too.
CYRILLIC = {"и\u0306": "й", "у\u0306": "ў", "і\u0308": "ї", "г\u0301": "ѓ", "к\u0301": "ќ"}
# They would stick to the word before them.
UNFOLDED = {0x2120, 0x2122}


def inside(code, ranges):
    return any(first <= code <= last for first, last in ranges)


def fold(character):
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF or 0xAC00 <= code <= 0xD7A3 or 0x1100 <= code <= 0x11FF:
        return character
    if 0x3131 <= code <= 0x318E or code in UNFOLDED:
        return character
    text = u.normalize("NFKD", u.normalize("NFKD", character).casefold())
    for pair, letter in CYRILLIC.items():
        text = text.replace(pair, letter)
    if not inside(code, DROPPED):
        text = "".join(c for c in text if not inside(ord(c), DROPPED))
    if any(0x3040 <= ord(c) <= 0x30FF or 0x1100 <= ord(c) <= 0x11FF for c in text):
        text = u.normalize("NFC", text)
    return "".join(EXTRA.get(c, c) for c in text)


def kind(code):
    if inside(code, DROPPED):
        return "dropped"
    # Unassigned ideographs will be ideographs.
    category = u.category(chr(code))
    if inside(code, SINGLE) and (category[0] in "LNM" or 0x20000 <= code or 0x3400 <= code <= 0x9FFF
                                 or code == 0x30FC or 0x2E80 <= code <= 0x2FDF and category == "So"):
        return "single"
    return "word" if category[0] in "LNM" else "separator"


def ranges(wanted, kinds):
    found, start = [], None
    for code in range(0x80, 0x110001):
        matches = code < 0x110000 and kinds[code] == wanted
        if matches and start is None:
            start = code
        elif not matches and start is not None:
            found.append(f"{start:x}" if start == code - 1 else f"{start:x}-{code - 1:x}")
            start = None
    return found


kinds = [kind(code) for code in range(0x110000)]
folds = {}
for code in range(0x80, 0x110000):
    target = fold(chr(code))
    if target == chr(code) or kinds[code] == "dropped":
        continue
    # A sign that folds to signs only is as good as a space.
    if kinds[code] == "separator" and not any(
            c.isascii() and c.isalnum() or kinds[ord(c)] in ("word", "single") and not c.isascii()
            for c in target):
        continue
    if not target:
        continue
    assert all(fold(c) == c for c in target), (hex(code), target)
    folds[code] = [ord(c) for c in target]

# first[-last[/step]]:target, where one target means that it grows with the source.
items, codes, index = [], sorted(folds), 0
while index < len(codes):
    first = codes[index]
    best = (1, 1, 0)
    for step in (1, 2):
        for growth in ((step,) if step == 2 else (1, 0)):
            count = 1
            while len(folds[first]) == 1 and folds.get(first + step * count) == [folds[first][0] + growth * count]:
                count += 1
            # Nothing that stands in between may be jumped over.
            if step == 2:
                limit = next((n for n in range(1, count) if first + 2 * n - 1 in folds), count)
                count = min(count, limit)
            if count > best[0]:
                best = (count, step, growth)
    count, step, growth = best
    target = ".".join(f"{c:x}" for c in folds[first])
    if count > 1:
        mark = {(1, 1): "-", (1, 0): "=", (2, 2): "/"}[(step, growth)]
        items.append(f"{first:x}{mark}{first + step * (count - 1):x}:{target}")
    else:
        items.append(f"{first:x}:{target}")
    index += count

pairs = {pair: letter for pair, letter in CYRILLIC.items()}
for code in range(0x3041, 0x3100):
    for mark in "\u3099\u309A":
        composed = u.normalize("NFC", chr(code) + mark)
        if len(composed) == 1:
            pairs[chr(code) + mark] = composed
compositions = [f"{ord(p[0]):x}+{ord(p[1]):x}:{ord(c):x}" for p, c in sorted(pairs.items())]


def literal(name, doc, items):
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) + 1 > 115:
            lines.append(line)
            line = ""
        line += item + " "
    lines.append(line.rstrip())
    body = "".join(f"    {line}\\\n" for line in lines[:-1]) + f"    {lines[-1]}\n"
    return f'  /// {doc}\n  static let {name} = """\n{body}    """\n'


root = pathlib.Path(__file__).resolve().parent.parent
folder = root / "Sources/Keepsake/Search"
head = f"// Written by tools/make-search-tables.py from Unicode {u.unidata_version}. Don't edit.\n\n"
letters, targets = folder / "SearchTables.swift", folder / "SearchTables+Folds.swift"
letters.write_text(
    head + "/// What search takes for a letter, and what letters fold to, beyond ASCII; numbers are hexadecimal.\n"
    "enum SearchTables {\n"
    + "\n".join([
        literal("words", "Letters, digits and marks that make up words: `first-last`.", ranges("word", kinds)),
        literal("singles", "Characters of scripts without spaces: each is a token.", ranges("single", kinds)),
        literal("dropped", "Accents, joiners and selectors: words read the same without them.", ranges("dropped", kinds)),
        literal("compositions", "Letters that keep their mark: `letter+mark:composed`.", compositions),
    ]) + "}\n")
targets.write_text(
    head + "extension SearchTables {\n"
    + literal("folds", "`from:to.to`; `from-from:to` both grow by 1, `/` both by 2, `=` has one target.", items)
    + "}\n")
size = letters.stat().st_size + targets.stat().st_size
print(f"{len(folds)} folds in {len(items)} items, {len(compositions)} compositions, {size} bytes")
