#!/usr/bin/env python3
"""Measures 'keepsake serve' beside nginx and datasette, which serve the same bytes and the same rows in the same run.

    tools/bench serve                     all rows
    tools/bench serve --quick             shorter rounds: in less than a minute
    tools/bench serve --json              [{"name","value","yardstick","ratio","goal","met","unit"}]
    tools/bench serve --folder PATH       where its store is made

Each row is measured by turns, and its figure is the median of the rounds. nginx and wrk are installed by apt where they
are missing, datasette from PyPI into .build/bench/serve. Ends with status 1 when a goal is missed.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bench import Bench  # noqa: E402
from servers import install  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def main():
    parser = argparse.ArgumentParser(prog="tools/bench serve", usage=__doc__, add_help=False)
    for flag in ("--quick", "--json", "--help", "-h"):
        parser.add_argument(flag, action="store_true")
    for option in ("--command", "--folder"):
        parser.add_argument(option)
    options = parser.parse_args()
    if options.help or options.h:
        print(__doc__.strip())
        return 0
    datasette = install(ROOT / ".build/bench/serve")
    with tempfile.TemporaryDirectory(prefix="serve-", dir=options.folder or ROOT / ".build/bench") as folder:
        rows = Bench(options.command, datasette, Path(folder), options.quick).run()
    if options.json:
        print(json.dumps([row.json for row in rows], indent=2))
    else:
        print("\n".join(table(rows)))
    return 0 if all(row.is_met for row in rows) else 1


def table(rows):
    """The rows for people: what is measured, ours, the yardstick, how they compare, and whether that is enough."""
    lines = [f"{'':44} {'keepsake':>12} {'yardstick':>12} {'ratio':>8}  goal"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        yardstick = "" if row.yardstick is None else f"{row.yardstick:,.4g}"
        mark = "" if row.is_met else "  missed"
        lines.append(f"{row.name:44} {row.value:12,.4g} {yardstick:>12} {ratio:>8}  {row.goal_text}{mark}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
