"""Proves that what was acknowledged is durable. See tools/crash for how to call it."""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import kills
import power
import processes
from checking import Trouble

FULL = {"kills": 100, "power": 1000, "processes": "4,16"}
SHORT = {"kills": 5, "power": 32, "processes": "4"}


def arguments():
    parser = argparse.ArgumentParser(prog="tools/crash", description=__doc__, allow_abbrev=False)
    parser.add_argument("--kills", type=int, metavar="N", help="kill a writing process N times")
    parser.add_argument("--power", type=int, metavar="N", help="check N states that a power cut could leave")
    parser.add_argument("--processes", metavar="N,N", help="let so many processes append at the same time")
    parser.add_argument("--short", action="store_true", help="a bounded run of each")
    parser.add_argument("--seed", type=int, help="repeat a run")
    parser.add_argument("--break", dest="broken", choices=power.BREAKS, help="drop the effect of syncs")
    parser.add_argument("--die", default=None, metavar="rN", help="when the first process of each recorded run dies")
    parser.add_argument("--keep", action="store_true", help="leave what was found broken")
    chosen = parser.parse_args()
    if chosen.broken and (chosen.kills or chosen.processes or chosen.short):
        parser.error("--break is for --power alone")
    if chosen.broken and not chosen.power:
        chosen.power = 100
    if not (chosen.kills or chosen.power or chosen.processes):
        for name, value in (SHORT if chosen.short else FULL).items():
            setattr(chosen, name, value)
        chosen.all = True
    else:
        chosen.all = False
    if chosen.seed is None:
        chosen.seed = random.SystemRandom().randrange(1 << 31)
    return chosen


def run(chosen, place, memory):
    if chosen.kills:
        yield "kills", lambda: kills.run(chosen.kills, chosen.seed, place / "kills")
    if chosen.power and sys.platform == "linux":
        yield "power", lambda: power.run(chosen.power, chosen.seed, memory / "power", chosen.broken, chosen.die)
        if chosen.all:
            for broken in power.BREAKS:
                yield broken, lambda broken=broken: power.prove_losses(
                    8, chosen.seed, memory / broken, broken)
    elif chosen.power:
        print("power: left out, because the recorder needs Linux")
    if chosen.processes:
        seconds = 1 if chosen.short else 5
        for count in (int(each) for each in chosen.processes.split(",")):
            for sessions in ("one", "many"):
                yield f"{count} processes", lambda count=count, sessions=sessions: processes.run(
                    count, sessions, seconds, chosen.seed, place / f"processes-{count}-{sessions}")


def main():
    chosen = arguments()
    print(f"seed {chosen.seed}")
    place = Path(tempfile.mkdtemp(prefix="keepsake-crash-"))
    on_memory = Path("/dev/shm")
    memory = Path(tempfile.mkdtemp(prefix="keepsake-crash-", dir=on_memory)) if on_memory.is_dir() else place
    failed = False
    try:
        for name, step in run(chosen, place, memory):
            began = time.monotonic()
            try:
                print(f"{name}: {step()} ({time.monotonic() - began:.1f} s)", flush=True)
            except Trouble as trouble:
                failed = True
                print(f"{name}: FAILED: {trouble}", flush=True)
    finally:
        if failed and chosen.keep:
            print(f"kept: {place} {memory}")
        else:
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(memory, ignore_errors=True)
    if failed:
        print(f"This run again: tools/crash --seed {chosen.seed} with the same options, and --keep to look at it.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
