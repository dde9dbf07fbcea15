#!/usr/bin/env python3
"""Measures the same work by Keepsake and by others that keep conversations, or files.

    tools/bench peers                     all of them
    tools/bench peers --quick             fewer rounds
    tools/bench peers --only NAME         one of them, beside Keepsake; may be given more than once
    tools/bench peers --json              [{"name","value","yardstick","ratio","goal","met","unit"}], Keepsake's value first
    tools/bench peers --record FILE       keeps all figures for the documentation
    tools/bench peers --folder PATH       where their stores are made

They are installed where they are missing: libraries from PyPI into .build/bench/peers, programs by apt. Ends with status 1
when another one is ahead and nobody has said why (peers/reasons.py).
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import driver  # noqa: E402
import figures  # noqa: E402
import reasons  # noqa: E402
from driver import Driver, Failed  # noqa: E402
from workload import WORD, Workload  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = ("llm", "openai-agents", "google-adk", "langgraph-checkpoint-sqlite")
PROGRAMS = ("keepsake command", "git", "fossil", "restic", "borg", "sqlite3 -A")
OWN = "keepsake"


class Bench:
    def __init__(self, names, options, folder):
        self.names, self.options, self.folder = names, options, folder
        self.workload = Workload()
        self.rounds = 3 if options.quick else 5
        self.found = {name: {} for name in names}
        self.images = 0

    def say(self, text):
        if self.options.verbose:
            print(text, file=sys.stderr, flush=True)

    def place(self, name, purpose):
        place = self.folder / f"{name.replace(' ', '-')}-{purpose}"
        place.mkdir()
        return place

    def image(self, size=100_000):
        self.images += 1
        return str(self.workload.image(self.folder / f"image-{self.images}.png", size))

    def each(self, purpose, names=None):
        """Does something with each of them; what one can't do, it says."""
        for name in self.names if names is None else names:
            began = time.monotonic()
            try:
                yield name
            finally:
                self.say(f"{time.monotonic() - began:6.1f} s  {purpose}: {name}")

    def note(self, name, measure, body):
        try:
            value = body()
        except Failed as reason:
            self.found[name][measure] = {"cannot": str(reason)}
        else:
            if value is not None:
                self.found[name][measure] = value

    # MARK: Speed

    def speed(self):
        """In rounds, each contender once in each round: what disturbs a round disturbs all."""
        texts, images = self.workload.texts(200), [self.image() for _ in range(20)]
        drivers, samples, slow = {}, {}, {}
        for name in self.each("fill"):
            running = drivers[name] = Driver(name, self.place(name, "speed"), self.options)
            for session in (0, 1, 2, *range(3, 12)):
                running.order("create", session=session)
            files = [images[index // 10] if index % 10 == 5 else None for index in range(200)]
            try:
                running.order("load", session=0, texts=texts, files=files)
                for session in range(3, 12):
                    running.order("load", session=session, texts=texts[:20], files=[None] * 20)
                began = time.monotonic()
                running.order("append", session=1, texts=texts[:1])
                slow[name] = time.monotonic() - began > 0.02
                running.order("attach", session=2, texts=texts[:1], files=[self.image()])
            except Failed:
                slow[name] = True
        for _ in range(self.rounds):
            order = list(self.names)
            self.workload.random.shuffle(order)
            for name in self.each("round", order):
                few = slow[name]
                orders = {
                    "append": {"do": "append", "session": 1, "texts": self.workload.texts(2 if few else 40)},
                    "attach": {
                        "do": "attach", "session": 2, "texts": texts[: 1 if few else 8],
                        "files": [self.image() for _ in range(1 if few else 8)]},
                    "reload": {"do": "reload", "session": 0, "bytes": False, "times": 1 if few else 10},
                    "reload bytes": {"do": "reload", "session": 0, "bytes": True, "times": 1 if few else 5},
                    "search": {"do": "search", "word": WORD, "times": 1 if few else 10},
                    "list": {"do": "list", "times": 1 if few else 10},
                }
                for measure, order_ in orders.items():
                    def sample(order_=order_, measure=measure):
                        answer = drivers[name].order(**order_)
                        if answer.get("why"):
                            raise Failed(answer["why"])
                        self.expect(measure, answer)
                        samples.setdefault((name, measure), []).append(statistics.median(answer["microseconds"]))
                    self.note(name, measure, sample)
        for (name, measure), medians in samples.items():
            self.found[name][measure] = {"value": round(statistics.median(medians), 1), "unit": "µs"}
        for running in drivers.values():
            running.close()

    @staticmethod
    def expect(measure, answer):
        if measure == "reload" and answer["count"] != 200:
            raise Failed(f"gave back {answer['count']} of 200 entries")
        if measure == "reload bytes" and answer["size"] != 20 * 100_000:
            raise Failed(f"gave back {answer['size']} of 2000000 bytes")

    # MARK: Work, not time

    def disk(self):
        """Bytes on disk for each byte that was given, and what the same image costs 50 times."""
        texts = self.workload.texts(500)
        images = [self.image() for _ in range(50)]
        given = sum(len(text.encode()) for text in texts) + sum(os.path.getsize(image) for image in images)
        for name in self.each("disk"):
            def measure(name=name):
                place = self.place(name, "disk")
                with Driver(name, place, self.options) as running:
                    for session in range(10):
                        running.order("create", session=session)
                        part = slice(session * 50, session * 50 + 50)
                        files = [images[session * 5 + index // 10] if index % 10 == 5 else None for index in range(50)]
                        running.order("load", session=session, texts=texts[part], files=files)
                before = figures.disk_use(place)
                with Driver(name, place, self.options) as running:
                    running.order("create", session=99)
                    running.order("load", session=99, texts=texts[:50], files=[images[0]] * 50)
                self.found[name]["same image"] = {
                    "value": round((figures.disk_use(place) - before) / 1e3), "unit": "KB"}
                shutil.rmtree(place)
                return {"value": round(before / given, 2), "unit": "x"}
            self.note(name, "disk", measure)

    def syncs(self):
        for name in self.each("syncs"):
            def measure(name=name):
                counts = []
                for number in (2, 6):
                    counts.append(Driver.syncs(name, self.place(name, f"syncs-{number}"), self.options, number))
                return {"value": round((counts[1] - counts[0]) / 4, 1), "unit": "syncs"}
            self.note(name, "syncs", measure)

    def processes(self):
        """Four at a time append to one session: what was acknowledged, and what of it is there."""
        for name in self.each("4 processes"):
            def measure(name=name):
                place = self.place(name, "processes")
                texts = self.workload.texts(5 if name in PROGRAMS else 50)
                with Driver(name, place, self.options) as first:
                    first.order("create", session=0)
                    first.order("append", session=0, texts=texts[:1])
                running = [Driver(name, place, self.options) for _ in range(4)]
                for each in running:
                    each.send("append", session=0, texts=texts)
                answers = [each.answer() for each in running]
                for each in running:
                    each.close()
                acknowledged = sum(len(answer["microseconds"]) for answer in answers)
                rejected = sum(answer.get("rejected") or 0 for answer in answers)
                with Driver(name, place, self.options) as last:
                    present = last.order("count", session=0)["count"] - 1
                return {"acknowledged": acknowledged, "present": present, "rejected": rejected,
                        "value": max(0, acknowledged - present) + rejected, "unit": "lost or refused"}
            self.note(name, "processes", measure)

    def long(self):
        """3,000 entries in one session: what the last ones cost against the first. It ends early where it takes too long."""
        wanted, patience = (600, 5) if self.options.quick else (3000, 25)
        for name in self.each("long"):
            def measure(name=name):
                samples, began = [], time.monotonic()
                with Driver(name, self.place(name, "long"), self.options) as running:
                    running.order("create", session=0)
                    part = 5 if name in PROGRAMS else 50
                    while len(samples) < wanted and time.monotonic() - began < patience:
                        answer = running.order("append", session=0, texts=self.workload.texts(part))
                        if answer.get("why"):
                            raise Failed(answer["why"])
                        samples += answer["microseconds"]
                tenth = max(1, len(samples) // 10)
                first, last = statistics.median(samples[:tenth]), statistics.median(samples[-tenth:])
                return {"entries": len(samples), "first": round(first, 1), "last": round(last, 1),
                        "value": round(last / first, 2), "unit": "x"}
            self.note(name, "long", measure)

    def kill(self):
        dice = random.Random(3)
        for name in self.each("kill -9"):
            def measure(name=name):
                place = self.place(name, "kill")
                with Driver(name, place, self.options) as first:
                    first.order("create", session=0)
                    first.order("append", session=0, texts=["first"])
                acknowledged = 0
                for _ in range(self.rounds):
                    running = Driver(name, place, self.options)
                    acknowledged += running.kill_while_appending(dice.uniform(0.3, 0.6))
                with Driver(name, place, self.options) as last:
                    present = last.order("count", session=0)["count"] - 1
                # One at a time may have been kept and not acknowledged any more.
                return {"acknowledged": acknowledged, "present": present,
                        "value": max(0, acknowledged - present), "unit": "missing"}
            self.note(name, "kill", measure)

    def bulk(self):
        files = [self.image(1_000_000) for _ in range(20 if self.options.quick else 100)]
        names = [name for name in self.names if name in (OWN, "git", "fossil", "restic", "borg", "sqlite3 -A")]
        samples = {}
        for number in range(2 if self.options.quick else 3):
            for name in self.each("bulk", names):
                def measure(name=name):
                    place = self.place(name, f"bulk-{number}")
                    with Driver(name, place, self.options) as running:
                        running.order("create", session=0)
                        time_ = running.order("bulk", files=files)["microseconds"][0]
                    # Whoever copies the files to where it looks for them has them twice.
                    copies = 2 if (place / "tree").exists() else 1
                    kept = figures.disk_use(place)
                    shutil.rmtree(place)
                    if kept < copies * len(files) * 1_000_000:
                        raise Failed(f"kept {kept} bytes")
                    samples.setdefault(name, []).append(len(files) * 1e6 / time_)
                self.note(name, "bulk", measure)
        for name, speeds in samples.items():
            self.found[name]["bulk"] = {"value": round(statistics.median(speeds)), "unit": "MB/s"}

    def run(self):
        for measure in (self.speed, self.bulk, self.disk, self.syncs, self.processes, self.long, self.kill):
            measure()
        return self.found


def main():
    parser = argparse.ArgumentParser(prog="tools/bench peers", usage=__doc__, add_help=False)
    for flag in ("--quick", "--json", "--verbose", "--help", "-h"):
        parser.add_argument(flag, action="store_true")
    for option in ("--bench", "--command", "--record", "--folder"):
        parser.add_argument(option)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    if options.help or options.h:
        print(__doc__.strip())
        return 0
    names = [OWN, *LIBRARIES, *PROGRAMS]
    if options.only:
        unknown = [name for name in options.only if name not in names]
        if unknown:
            sys.exit(f"bench: there is no '{unknown[0]}'. There are: {', '.join(names)}.")
        names = [name for name in names if name == OWN or name in options.only]
    options.python = driver.install(ROOT, [name for name in names if name in LIBRARIES])
    versions = driver.versions(names, options)
    with tempfile.TemporaryDirectory(prefix="peers-", dir=options.folder or ROOT / ".build/bench") as folder:
        found = Bench(names, options, Path(folder)).run()
    rows = figures.rows(found, reasons.REASONS)
    if options.record:
        record = {
            "date": date.today().isoformat(), "machine": driver.machine(options), "isQuick": options.quick,
            "versions": versions, "figures": found}
        Path(options.record).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.json:
        print(json.dumps([{key: row[key] for key in figures.KEYS} for row in rows], indent=2, ensure_ascii=False))
    else:
        print("\n\n".join(figures.tables(found, versions, reasons.REASONS)))
    return 0 if all(row["met"] or row["reason"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
