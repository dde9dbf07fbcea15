"""Long runs of what goes wrong in a store's life. See tools/soak for how to call it."""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "crash"))

from stage import Stage, Trouble  # noqa: E402
import descriptors  # noqa: E402
import families  # noqa: E402
import firstread  # noqa: E402
import fulldisk  # noqa: E402
import hubcuts  # noqa: E402
import hubfailovers  # noqa: E402
import hubhistories  # noqa: E402
import hublies  # noqa: E402
import hubstores  # noqa: E402
import leftovers  # noqa: E402
import readers  # noqa: E402
import removals  # noqa: E402
import serve  # noqa: E402
import snapshot  # noqa: E402
import stops  # noqa: E402
import watch  # noqa: E402

RUNS = {
    "readers": (readers, "nobody who reads beside writers fails, or waits"),
    "stops": (stops, "a process that is stopped keeps nobody waiting who does not need what it holds"),
    "firstread": (firstread, "a store whose process died is read first, and wholly, whatever became of its shared memory"),
    "leftovers": (leftovers, "what killed processes leave behind goes"),
    "removals": (removals, "a large deletion, and taking in again, go on wherever they were killed, and leave no text"),
    "descriptors": (descriptors, "whoever runs out of descriptors is told that, and loses nothing"),
    "families": (families, "families of forks are deleted in any order"),
    "snapshot": (snapshot, "a log that a reader made long is short again once the reader is gone"),
    "watch": (watch, "what agents write is taken in whole, however they write it, and whenever the watch is killed"),
    "serve": (serve, "a server does not grow, whoever comes, writes, listens, is cut off or deletes under a viewer"),
    "fulldisk": (fulldisk, "a person can make room on a full disk by deleting"),
}
# These run tests of hubs, and need servers. They run when they are asked for, by their names or all as `hub`.
HUB_RUNS = {
    "hub-failovers": (hubfailovers, "each acknowledged append is there once, however often a standby takes over meanwhile"),
    "hub-lies": (hublies, "a hub that lies has a store show nothing that nobody wrote, and lose nothing"),
    "hub-cuts": (hubcuts, "a message to a database or a bucket that is cut, late or repeated doubles nothing, and loses nothing"),
    "hub-histories": (hubhistories, "stores that write at random, and whose connections are cut, come to have the same"),
    "hub-stores": (hubstores, "a store that shares the sessions of a hub passes the tests of the store"),
}
ALL_RUNS = RUNS | HUB_RUNS
MINUTES = {"short": 1, "long": 20, "hub": 60}


def arguments():
    parser = argparse.ArgumentParser(prog="tools/soak", description=__doc__, allow_abbrev=False)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these runs; 'hub' names those of hubs")
    parser.add_argument("--list", action="store_true", help="the runs, and what each proves")
    parser.add_argument("--short", action="store_true", help="a bounded run of each")
    parser.add_argument("--minutes", type=float, help="how long all of it may take")
    parser.add_argument("--seed", type=int, help="repeat a run")
    parser.add_argument("--keep", action="store_true", help="leave what was found broken")
    chosen = parser.parse_args()
    for name in chosen.names:
        if name not in ALL_RUNS and name != "hub":
            parser.error(f"there is no run '{name}': {', '.join(ALL_RUNS)}, or hub")
    names = [each for name in chosen.names for each in (HUB_RUNS if name == "hub" else [name])]
    chosen.names = list(dict.fromkeys(names)) or list(RUNS)
    length = "short" if chosen.short else "hub" if any(name in HUB_RUNS for name in chosen.names) else "long"
    chosen.minutes = chosen.minutes or MINUTES[length]
    if chosen.seed is None:
        chosen.seed = random.SystemRandom().randrange(1 << 31)
    return chosen


def main():
    chosen = arguments()
    if chosen.list:
        for name, (_, what) in ALL_RUNS.items():
            print(f"{name:14} {what}")
        return 0
    print(f"seed {chosen.seed}")
    place = Path(tempfile.mkdtemp(prefix="keepsake-soak-"))
    seconds = chosen.minutes * 60 / len(chosen.names)
    failed = []
    try:
        for name in chosen.names:
            began = time.monotonic()
            stage = Stage(place / name, seconds, random.Random(f"{chosen.seed} {name}"), chosen.short)
            try:
                print(f"{name}: {ALL_RUNS[name][0].run(stage)} ({time.monotonic() - began:.1f} s)", flush=True)
            except Trouble as trouble:
                failed.append(name)
                print(f"{name}: FAILED: {trouble}", flush=True)
            finally:
                stage.end()
    finally:
        if failed and chosen.keep:
            print(f"kept: {place}")
        else:
            shutil.rmtree(place, ignore_errors=True)
    if failed:
        print(f"This run again: tools/soak {' '.join(failed)} --seed {chosen.seed}"
              f"{' --short' if chosen.short else ''}, and --keep to look at what was left.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
