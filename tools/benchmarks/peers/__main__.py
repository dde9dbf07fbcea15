#!/usr/bin/env python3
"""Measures the same work by Keepsake and by others that keep conversations, or files.

    tools/bench peers                     all of them
    tools/bench peers --quick             fewer rounds, and less time for each: in less than three minutes, not ten
    tools/bench peers --only NAME         one of them, beside Keepsake; may be given more than once
    tools/bench peers --json              [{"name","value","yardstick","ratio","goal","met","unit"}], Keepsake's value first
    tools/bench peers --record FILE       keeps all figures for the documentation
    tools/bench peers --folder PATH       where their stores are made

Each has so many seconds for a measure, and what it did in them counts. What is being measured is told on standard error.
They are installed where they are missing: libraries from PyPI into .build/bench/peers, programs by apt. Ends with status 1
when another one is ahead and nobody has said why (peers/reasons.py).
"""

import argparse
import json
import sys
import tempfile
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import driver  # noqa: E402
import figures  # noqa: E402
import reasons  # noqa: E402
from bench import PROCESSES, Bench  # noqa: E402
from driver import Nursery  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = ("llm", "openai-agents", "google-adk", "langgraph-checkpoint-sqlite")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench peers", usage=__doc__, add_help=False)
    # It always says what it is at, so it takes --verbose from tools/bench document and does nothing with it.
    for flag in ("--quick", "--json", "--verbose", "--help", "-h"):
        parser.add_argument(flag, action="store_true")
    for option in ("--bench", "--command", "--record", "--folder"):
        parser.add_argument(option)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    if options.help or options.h:
        print(__doc__.strip())
        return 0
    names = [figures.OWN, *LIBRARIES, *PROCESSES]
    if options.only:
        unknown = [name for name in options.only if name not in names]
        if unknown:
            sys.exit(f"bench: there is no '{unknown[0]}'. There are: {', '.join(names)}.")
        names = [name for name in names if name == figures.OWN or name in options.only]
    options.python = driver.install(ROOT, [name for name in names if name in LIBRARIES])
    versions = driver.versions(names, options)
    with tempfile.TemporaryDirectory(prefix="peers-", dir=options.folder or ROOT / ".build/bench") as folder:
        with Nursery(options, Path(folder)) as nursery:
            found = Bench(names, options, Path(folder), nursery).run()
    rows = figures.rows(found, reasons.REASONS)
    if options.record:
        record = {
            "date": date.today().isoformat(), "machine": driver.machine(options), "isQuick": options.quick,
            "versions": versions, "figures": found}
        # What a program said of an error may name the folder in which it ran, which is of this machine and of this run.
        text = json.dumps(record, indent=2, ensure_ascii=False).replace(f"{folder}/", "") + "\n"
        Path(options.record).write_text(text, encoding="utf-8")
    if options.json:
        print(json.dumps([{key: row[key] for key in figures.KEYS} for row in rows], indent=2, ensure_ascii=False))
    else:
        print("\n\n".join(figures.tables(found, versions, reasons.REASONS)))
    return 0 if all(row["met"] or row["reason"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
