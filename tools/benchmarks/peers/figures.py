"""What the peers' figures mean: rows for programs, tables for people."""

import os

KEYS = ("name", "value", "yardstick", "ratio", "goal", "met", "unit")
OWN, OWN_COMMAND = "keepsake", "keepsake command"
# Those that need a process for each thing: compared with the command in what it can do, not with the library.
COMMANDS = ("git", "fossil", "restic", "borg", "sqlite3 -A")
# What is measured: its title, and whether more is better.
MEASURES = {
    "append": ("durable append", False),
    "attach": ("append with 100 KB", False),
    "reload": ("reload 200 entries", False),
    "reload bytes": ("… and their 20 images", False),
    "search": ("search", False),
    "list": ("list", False),
    "bulk": ("100 files of 1 MB", True),
    "syncs": ("syncs an append", False),
    "attach syncs": ("… with 100 KB", False),
    "disk": ("on disk, of what was given", False),
    "same image": ("the same image 50 times", False),
    "processes": ("4 processes, one session", False),
    "long": ("3,000 entries in one session", False),
    "kill": ("kill -9", False),
}
SPEED = ("append", "attach", "reload", "reload bytes", "search", "list", "bulk")
WORK = ("syncs", "attach syncs", "disk", "same image", "processes", "long", "kill")
# Figures of one machine's moment: a few percent are nobody's lead. Growth is a ratio of two of them, which differ by more.
TIE = 1.05
TIES = {"long": 1.25}
# How many times faster than a keeper of files large artifacts are to be kept.
TIMES_FASTER = {"git": 4, "borg": 2.5, "restic": 8, "sqlite3 -A": 20, "fossil": 30}
WRITES = ("append", "attach", "bulk")


def disk_use(folder):
    """The bytes of the disk that a folder, or a file, takes."""
    total = 0 if os.path.isdir(folder) else os.lstat(folder).st_blocks * 512
    for place, _, names in os.walk(folder):
        total += sum(os.lstat(os.path.join(place, name)).st_blocks * 512 for name in names)
    return total


def own(found, name, measure):
    """What of ours one is compared with."""
    can = "value" in found.get(OWN_COMMAND, {}).get(measure, {})
    return OWN_COMMAND if name in COMMANDS and can else OWN


def does_not_sync(found, name):
    return found[name].get("syncs", {}).get("value") == 0


def reason(found, name, measure, reasons):
    if (name, measure) in reasons:
        return reasons[name, measure]
    if does_not_sync(found, name) and measure in WRITES:
        return "It does not wait for the disk: what it acknowledged is lost with the power."
    if measure == "disk":
        ours = found[own(found, name, measure)][measure]
        if "of which log" not in ours:
            return None
        return (
            f"{ours['of which log']} of Keepsake's {ours['value']} are its write-ahead log, which is there however little a "
            "store holds; the rest has an index for search, which the other one has not.")
    return None


def rows(found, reasons):
    """Keepsake against each other one in each measure that both can do."""
    result = []
    for name, figures in found.items():
        if name in (OWN, OWN_COMMAND):
            continue
        for measure, (title, is_more_better) in MEASURES.items():
            ours, theirs = found[own(found, name, measure)].get(measure, {}), figures.get(measure, {})
            # A count of syncs is no race: it is what the other figures have to be read with.
            if "value" not in ours or "value" not in theirs or measure.endswith("syncs"):
                continue
            # The tenths of a few entries are an entry each: that is no growth.
            if measure == "long" and min(ours["entries"], theirs["entries"]) < 100:
                continue
            tie = TIES.get(measure, TIE)
            value, yardstick = ours["value"], theirs["value"]
            if measure == "long":
                # Nobody's entries cost less the more there are: less than 1 is how a process warms up.
                value, yardstick = max(1, value), max(1, yardstick)
            ratio = value / yardstick if yardstick else (1.0 if value == 0 else float(value))
            is_behind = ratio * tie < 1 if is_more_better else ratio > tie
            least = TIMES_FASTER.get(name, round(1 / tie, 2))
            met = ratio >= least if is_more_better else not is_behind
            result.append({
                "name": f"{title}, against {name}", "value": value, "yardstick": yardstick, "ratio": round(ratio, 4),
                "goal": f">= {least}x" if is_more_better else f"<= {tie}x", "met": met, "unit": ours["unit"],
                "is_behind": is_behind,
                "reason": None if met else reason(found, name, measure, reasons),
                "contender": name, "measure": measure})
    return result


def short(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}".removesuffix(".0") if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")


def duration(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{short(microseconds / size)} {unit}"
    return f"{short(microseconds)} µs"


def cell(measure, figure):
    if figure is None:
        return ""
    if "cannot" in figure:
        return figure["cannot"]
    value = figure["value"]
    if measure == "processes":
        more = "".join(f", {figure[key]} {word}" for key, word in (
            ("rejected", "refused"), ("unfinished", "not done in time")) if figure.get(key))
        return f"{figure['acknowledged']} acknowledged, {figure['present']} present{more}"
    if measure == "kill":
        more = f", no more after kill {figure['kills']}" if figure.get("why") else ""
        return f"{figure['acknowledged']} acknowledged, {figure['value']} missing{more}"
    if measure == "long":
        count = "" if figure["entries"] >= 3000 else f" ({figure['entries']:,})"
        return f"{duration(figure['first'])} → {duration(figure['last'])}{count}"
    if measure == "same image":
        # What keeps a log may have cut it meanwhile.
        return f"{short(value)} KB" if value > 0 else "less than before"
    if measure == "disk":
        return f"{value}x"
    if measure.endswith("syncs"):
        return short(value)
    if figure["unit"] == "µs":
        return duration(value)
    if figure.get("files", 100) < 100:
        return f"{short(value)} {figure['unit']} ({figure['files']})"
    return f"{short(value)} {figure['unit']}"


def table(found, versions, measures, marks, header=""):
    """One as Markdown that can be read as it is: the columns are as wide as they need."""
    lines = [[header, *(MEASURES[measure][0] for measure in measures)], []]
    for name, figures in found.items():
        title = f"{name} {versions[name]}"
        cells = [cell(measure, figures.get(measure)) + marks.get((name, measure), "") for measure in measures]
        lines.append([title, *cells])
    widths = [max(len(line[column]) for line in lines if line) for column in range(len(lines[0]))]
    lines[1] = ["-" * width for width in widths]
    return "\n".join("| " + " | ".join(each.ljust(width) for each, width in zip(line, widths)) + " |" for line in lines)


def tables(found, versions, reasons):
    """Two tables, and below them why another one is ahead where it is."""
    notes, marks = [], {}
    for row in rows(found, reasons):
        if not row["is_behind"]:
            continue
        text = row["reason"] or "Nobody has said why."
        if text not in notes:
            notes.append(text)
        marks[row["contender"], row["measure"]] = f" [{notes.index(text) + 1}]"
    result = [
        table(found, versions, SPEED, marks, "time, or rate"), table(found, versions, WORK, marks, "work, and what is left")]
    if notes:
        result.append("\n".join(f"[{number}] {text}" for number, text in enumerate(notes, 1)))
    return result
